//! A scheduler and executors as processes, on ports of the loopback that were free; killed when the
//! test ends, however it ends.
#![allow(dead_code, reason = "every file of tests uses some of it")]
#![allow(clippy::unwrap_used, reason = "a test ends where something is missing")]

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use disclosure_jobs::JobError;
use disclosure_jobs::input::{FormatSpec, SourceRequest};
use privacy_core::stop::StopFlag;
use privacy_sql::{Cluster, ClusterOpener, EngineSource, Listening};
use tempfile::TempDir;

/// How long a part may take to start or to end, on a machine with other work.
const PATIENCE: Duration = Duration::from_secs(60);

/// A process that does not outlive its test.
pub(crate) struct Part {
    process: Child,
    /// Where its states are, of an executor.
    pub(crate) work: Option<TempDir>,
}

impl Drop for Part {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Part {
    fn start(words: &[String]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_disclosure-engine"));
        let process = command.args(words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        Self { process: process.unwrap(), work: None }
    }

    /// Asks the process to end, and gives its exit code; `None` if it does not end.
    pub(crate) fn terminate(&mut self) -> Option<i32> {
        let asked = Command::new("kill").arg(self.process.id().to_string()).status().unwrap();
        assert!(asked.success());
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            if let Some(status) = self.process.try_wait().unwrap() {
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        None
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn wait_for(port: u16) {
    let until = Instant::now() + PATIENCE;
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(Instant::now() < until, "nothing listens at {port}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A cluster; its executors are killed before its scheduler is.
pub(crate) struct Parts {
    pub(crate) executors: Vec<Part>,
    pub(crate) scheduler: Option<Part>,
    pub(crate) port: u16,
}

impl Parts {
    /// A scheduler and as many executors as there are files of secrets, or none.
    pub(crate) fn start(secrets: &[Option<&Path>]) -> Self {
        let port = free_port();
        let scheduler = Part::start(&["scheduler".into(), "--listen".into(), format!("127.0.0.1:{port}")]);
        wait_for(port);
        let mut parts = Self { executors: Vec::new(), scheduler: Some(scheduler), port };
        secrets.iter().for_each(|secret| parts.add_executor(*secret));
        parts
    }

    pub(crate) fn add_executor(&mut self, secret: Option<&Path>) {
        let (data, orders, work) = (free_port(), free_port(), tempfile::tempdir().unwrap());
        let mut words = vec!["executor".to_owned()];
        let mut say = |option: &str, value: String| words.extend([option.to_owned(), value]);
        say("--scheduler", format!("127.0.0.1:{}", self.port));
        say("--listen", format!("127.0.0.1:{data}"));
        say("--order-port", orders.to_string());
        say("--work-folder", work.path().display().to_string());
        say("--threads", "1".to_owned());
        say("--memory", "1024".to_owned());
        if let Some(secret) = secret {
            say("--secret-file", secret.display().to_string());
        }
        let mut executor = Part::start(&words);
        executor.work = Some(work);
        wait_for(data);
        self.executors.push(executor);
    }

    pub(crate) fn address(&self, path: &Path, seconds: u64) -> PathBuf {
        PathBuf::from(format!("ballista://127.0.0.1:{}{}?seconds={seconds}", self.port, path.display()))
    }

    pub(crate) fn source(&self, path: &Path, seconds: u64) -> Result<EngineSource, JobError> {
        self.stoppable_source(path, seconds, &StopFlag::never())
    }

    pub(crate) fn stoppable_source(
        &self,
        path: &Path,
        seconds: u64,
        stop: &StopFlag,
    ) -> Result<EngineSource, JobError> {
        let format = FormatSpec::default();
        let request = SourceRequest { name: &self.address(path, seconds), format: &format, stop };
        ClusterOpener::default().source(&request).map(|source| source.expect("an address of a cluster"))
    }

    pub(crate) fn session(&self, path: &Path) -> Cluster {
        let scheduler = Listening::new(&format!("127.0.0.1:{}", self.port), false).unwrap();
        let cluster = Cluster::new(scheduler, PATIENCE, 4, StopFlag::never()).unwrap();
        cluster.register_files("data", path).unwrap();
        cluster
    }
}

/// A file with a secret that only its owner can read.
pub(crate) fn secret_file(folder: &Path, byte: u8) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join(format!("secret {byte}"));
    std::fs::write(&path, [byte; 32]).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    path
}
