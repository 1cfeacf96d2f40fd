//! A PostgreSQL server of the tests' own: in a temporary folder, on the loopback, as a user without
//! rights, with passwords. Where there is no program to start, tests say so and pass, unless
//! `DISCLOSURE_REQUIRE_POSTGRES` is set.
#![allow(dead_code, reason = "every file of tests uses some of it")]
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test ends where something is missing")]

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use privacy_sql::PostgresOpener;
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tokio_postgres::{Client, Config, NoTls};

const PASSWORD: &str = "owner's secret: \\1";

pub(crate) struct Server {
    process: Child,
    folder: TempDir,
    port: u16,
    pub(crate) runtime: Runtime,
}

impl Drop for Server {
    fn drop(&mut self) {
        let stopped = self.run("pg_ctl", &["-D", &self.data(), "-m", "immediate", "stop"]);
        if !stopped {
            let _ = self.process.kill();
        }
        let _ = self.process.wait();
    }
}

/// A program of the server.
fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = Vec::new();
    if let Ok(versions) = std::fs::read_dir("/usr/lib/postgresql") {
        folders.extend(versions.flatten().map(|version| version.path().join("bin")));
    }
    folders.sort();
    folders.reverse();
    folders.extend(std::env::split_paths(&path));
    folders.into_iter().map(|folder| folder.join(name)).find(|path| path.is_file())
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n")
}

/// The command of a program, by the user postgres where this is root: the server refuses root.
fn command(name: &str) -> Option<Command> {
    let program = program(name)?;
    if !is_root() {
        return Some(Command::new(program));
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups", "--"]).arg(program);
    Some(command)
}

/// Makes an authority, and a certificate for `localhost` that it signs.
fn certify(folder: &Path) -> Option<()> {
    std::fs::write(folder.join("names"), "subjectAltName=DNS:localhost\n").ok()?;
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    for words in [
        format!("req -x509 {key} -keyout ca.key -out ca.crt -days 2 -subj /CN=authority"),
        format!("req {key} -keyout server.key -out server.csr -subj /CN=server"),
        "x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -extfile names -out server.crt"
            .to_owned(),
    ] {
        let mut openssl = Command::new("openssl");
        openssl.args(words.split(' ')).current_dir(folder).stdout(Stdio::null()).stderr(Stdio::null());
        openssl.status().ok().filter(|status| status.success())?;
    }
    private(&folder.join("server.key"));
    if is_root() {
        let owner = Command::new("chown").arg("postgres:").arg(folder.join("server.key")).status();
        owner.ok().filter(|status| status.success())?;
    }
    Some(())
}

impl Server {
    /// A server that answers; `None`, said aloud, where none can be started.
    pub(crate) fn start() -> Option<Self> {
        Self::said(Self::try_start(false))
    }

    /// The same with a certificate for `localhost`, which [`authority`](Self::authority) signed.
    pub(crate) fn start_encrypted() -> Option<Self> {
        Self::said(Self::try_start(true))
    }

    fn said(started: Option<Self>) -> Option<Self> {
        if started.is_none() {
            assert!(std::env::var_os("DISCLOSURE_REQUIRE_POSTGRES").is_none(), "no PostgreSQL could be started");
            eprintln!("SKIPPED: no PostgreSQL server can be started (apt-get install postgresql)");
        }
        started
    }

    /// The certificate of who signed that of the server.
    pub(crate) fn authority(&self) -> PathBuf {
        self.folder.path().join("ca.crt")
    }

    fn try_start(is_encrypted: bool) -> Option<Self> {
        let folder = tempfile::Builder::new().prefix("disclosure-pg").tempdir_in("/tmp").ok()?;
        if is_root() {
            let owner = Command::new("chown").arg("postgres:").arg(folder.path()).status();
            owner.ok().filter(|status| status.success())?;
        }
        let data = folder.path().join("data");
        let password = folder.path().join("password");
        std::fs::write(&password, PASSWORD).ok()?;
        let made = command("initdb")?
            .args(["-U", "owner", "--auth=scram-sha-256", "-E", "UTF8", "--locale=C", "--no-sync"])
            .arg(format!("--pwfile={}", password.display()))
            .arg("-D")
            .arg(&data)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        made.ok().filter(|status| status.success())?;
        let port = TcpListener::bind("127.0.0.1:0").ok()?.local_addr().ok()?.port();
        let mut encryption: Vec<String> = Vec::new();
        if is_encrypted {
            certify(folder.path())?;
            for (setting, file) in [("ssl_cert_file", "server.crt"), ("ssl_key_file", "server.key")] {
                encryption.extend(["-c".into(), format!("{setting}={}", folder.path().join(file).display())]);
            }
            encryption.extend(["-c".into(), "ssl=on".into()]);
        }
        let process = command("postgres")?
            .args(encryption)
            .arg("-D")
            .arg(&data)
            .args(["-p", &port.to_string(), "-h", "127.0.0.1", "-c", "fsync=off"])
            .arg("-k")
            .arg(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().ok()?;
        std::fs::write(
            folder.path().join("pgpass"),
            ["127.0.0.1", "localhost"]
                .map(|host| format!("{host}:{port}:*:*:{}\n", PASSWORD.replace('\\', "\\\\").replace(':', "\\:")))
                .concat(),
        )
        .ok()?;
        private(&folder.path().join("pgpass"));
        let server = Self { process, folder, port, runtime };
        let deadline = Instant::now() + Duration::from_secs(60);
        while server.try_client("owner").is_none() {
            if Instant::now() > deadline {
                return None;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        Some(server)
    }

    fn data(&self) -> String {
        self.folder.path().join("data").display().to_string()
    }

    fn run(&self, name: &str, arguments: &[&str]) -> bool {
        let Some(mut command) = command(name) else { return false };
        command
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    }

    fn try_client(&self, user: &str) -> Option<Client> {
        let mut config = Config::new();
        config.host("127.0.0.1").port(self.port).user(user).password(PASSWORD).dbname("postgres");
        let (client, connection) = self.runtime.block_on(config.connect(NoTls)).ok()?;
        self.runtime.spawn(async move {
            let _ = connection.await;
        });
        Some(client)
    }

    pub(crate) fn client(&self) -> Client {
        self.try_client("owner").unwrap()
    }

    /// Runs statements as the owner.
    pub(crate) fn execute(&self, statements: &str) {
        self.runtime.block_on(self.client().batch_execute(statements)).unwrap();
    }

    /// Fills a table from CSV, whose empty fields are NULL.
    pub(crate) fn fill(&self, table: &str, csv: &str) {
        use futures::SinkExt;
        let client = self.client();
        let bytes = csv.as_bytes().to_vec();
        self.runtime.block_on(async {
            let sink = client.copy_in(&format!("COPY {table} FROM STDIN (FORMAT csv, HEADER)")).await.unwrap();
            let mut sink = std::pin::pin!(sink);
            sink.send(std::io::Cursor::new(bytes)).await.unwrap();
            sink.finish().await.unwrap();
        });
    }

    pub(crate) fn address(&self, user: &str) -> PathBuf {
        PathBuf::from(format!("postgres://{user}@127.0.0.1:{}/postgres", self.port))
    }

    /// The same server by a name, with more behind it.
    pub(crate) fn address_at(&self, host: &str, query: &str) -> PathBuf {
        PathBuf::from(format!("postgres://owner@{host}:{}/postgres?{query}", self.port))
    }

    pub(crate) fn password_file(&self) -> PathBuf {
        self.folder.path().join("pgpass")
    }

    /// An opener that knows the password file and nothing else of this machine.
    pub(crate) fn opener(&self) -> PostgresOpener {
        let file = self.password_file().display().to_string();
        PostgresOpener::default().with_variables(BTreeMap::from([("PGPASSFILE".to_owned(), file)]))
    }
}

/// Takes the rights of everybody else away.
pub(crate) fn private(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
}
