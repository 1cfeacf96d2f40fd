//! The process of a PostgreSQL server: in a temporary folder, on the loopback, as a user without
//! rights, with passwords. Asked by no client of its own.
#![allow(dead_code, reason = "every file of tests uses some of it")]
#![allow(clippy::unwrap_used, reason = "a test ends where something is missing")]

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

/// The password of the owner.
pub(crate) const PASSWORD: &str = "owner's secret: \\1";

/// A server, which may not answer yet; it does not outlive its test.
pub(crate) struct Postgres {
    process: Child,
    pub(crate) folder: TempDir,
    pub(crate) port: u16,
}

impl Drop for Postgres {
    fn drop(&mut self) {
        let stop = command("pg_ctl").map(|mut pg_ctl| {
            pg_ctl.arg("-D").arg(data_of(self.folder.path())).args(["-m", "immediate", "stop"]);
            succeeds(&mut pg_ctl)
        });
        if stop != Some(true) {
            let _ = self.process.kill();
        }
        let _ = self.process.wait();
    }
}

impl Postgres {
    /// Starts a server, with a certificate for `localhost` if it is to encrypt; `None` where there
    /// is no program to start.
    pub(crate) fn start(is_encrypted: bool) -> Option<Self> {
        let folder = tempfile::Builder::new().prefix("disclosure-pg").tempdir_in("/tmp").ok()?;
        give_to_server(folder.path())?;
        initialise(folder.path())?;
        let port = TcpListener::bind("127.0.0.1:0").ok()?.local_addr().ok()?.port();
        let mut server = command("postgres")?;
        if is_encrypted {
            certify(folder.path())?;
            for (setting, file) in [("ssl_cert_file", "server.crt"), ("ssl_key_file", "server.key")] {
                server.arg("-c").arg(format!("{setting}={}", folder.path().join(file).display()));
            }
            server.args(["-c", "ssl=on"]);
        }
        server.arg("-D").arg(data_of(folder.path())).args(["-p", &port.to_string(), "-h", "127.0.0.1"]);
        server.args(["-c", "fsync=off", "-k"]).arg(folder.path()).stdout(Stdio::null()).stderr(Stdio::null());
        keep_password(folder.path(), port)?;
        Some(Self { process: server.spawn().ok()?, folder, port })
    }

    /// A file of passwords that has that of the owner.
    pub(crate) fn password_file(&self) -> PathBuf {
        self.folder.path().join("pgpass")
    }
}

fn data_of(folder: &Path) -> PathBuf {
    folder.join("data")
}

/// Makes the folder of the data, with the password of the owner.
fn initialise(folder: &Path) -> Option<()> {
    let password = folder.join("password");
    std::fs::write(&password, PASSWORD).ok()?;
    let mut initdb = command("initdb")?;
    initdb.args(["-U", "owner", "--auth=scram-sha-256", "-E", "UTF8", "--locale=C", "--no-sync"]);
    initdb.arg(format!("--pwfile={}", password.display())).arg("-D").arg(data_of(folder));
    succeeds(&mut initdb).then_some(())
}

fn keep_password(folder: &Path, port: u16) -> Option<()> {
    let password = PASSWORD.replace('\\', "\\\\").replace(':', "\\:");
    let lines = ["127.0.0.1", "localhost"].map(|host| format!("{host}:{port}:*:*:{password}\n"));
    std::fs::write(folder.join("pgpass"), lines.concat()).ok()?;
    private(&folder.join("pgpass"));
    Some(())
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
        succeeds(Command::new("openssl").args(words.split(' ')).current_dir(folder)).then_some(())?;
    }
    private(&folder.join("server.key"));
    give_to_server(&folder.join("server.key"))
}

/// A program of the server, or of its clients.
pub(crate) fn program(name: &str) -> Option<PathBuf> {
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

/// Makes the user of the server the owner of a path.
fn give_to_server(path: &Path) -> Option<()> {
    if !is_root() {
        return Some(());
    }
    succeeds(Command::new("chown").arg("postgres:").arg(path)).then_some(())
}

fn succeeds(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// Takes the rights of everybody else away.
pub(crate) fn private(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
}
