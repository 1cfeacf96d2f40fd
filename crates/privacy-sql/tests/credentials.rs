//! Neither a file that a job on PostgreSQL writes nor a line that it prints has a credential of its
//! connection, wherever this came from, and whether the job succeeds or not.
#![cfg(all(feature = "postgres", unix))]
#![allow(clippy::unwrap_used, reason = "a test ends where something is missing")]

#[path = "support/server.rs"]
mod server;

use std::path::{Path, PathBuf};
use std::process::Command;

use server::{PASSWORD, Server, private};

/// A role of the database, which addresses leave to the service file.
const ROLE: &str = "clerk_7f3a";
/// A password that is wrong, as secret as the right one: it may be that of another server.
const WRONG: &str = "hunter2: \\";
const BY_SERVICE: &str = "postgres://?service=census";

const DOMAIN: &str = "[[attribute]]\nname = \"age\"\nsize = 90\nmissing = \"category\"\n";

/// A folder with the files of jobs and of connections.
struct Folder(tempfile::TempDir);

impl Folder {
    fn of(server: &Server) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        let release = format!("marginals = [[\"age\"]]\nneighbours = \"add-remove\"\n[privacy]\nrho = 0.5\n{DOMAIN}");
        let job = format!(
            "title = \"t\"\n[source]\ndata = \"{BY_SERVICE}\"\ntable = \"people\"\n\
             [budget]\nrho = 1.0\nneighbours = \"add-remove\"\n[noisy]\nmarginals = [[\"age\"]]\n{DOMAIN}"
        );
        for (name, text) in [("release.toml", release), ("job.toml", job)] {
            std::fs::write(folder.at(name), text).unwrap();
        }
        folder.keep("passwords", &format!("*:*:*:*:{}\n", escaped(PASSWORD)));
        folder.keep("wrong passwords", &format!("*:*:*:*:{}\n", escaped(WRONG)));
        let service = format!("[census]\nhost=127.0.0.1\nport={}\ndbname=postgres\nuser={ROLE}\n", server.port());
        folder.keep("services", &service);
        folder.keep("services with passwords", &format!("{service}password={PASSWORD}\n"));
        folder
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A file that only its owner can read.
    fn keep(&self, name: &str, text: &str) {
        std::fs::write(self.at(name), text).unwrap();
        private(&self.at(name));
    }

    /// Runs the program with these variables alone; its exit code, and all that it wrote or
    /// printed.
    fn run(&self, variables: &[(&str, String)], words: &[&str]) -> (i32, Vec<Vec<u8>>) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_disclosure-sql"));
        command.args(words).args(["--explain-sql"]).current_dir(self.0.path()).env_clear().env("HOME", self.0.path());
        let output = command.envs(variables.iter().map(|(name, value)| (name, value))).output().unwrap();
        let mut outputs = vec![output.stdout, output.stderr];
        gather(&self.at("out"), &mut outputs);
        let _ = std::fs::remove_dir_all(self.at("out"));
        (output.status.code().unwrap(), outputs)
    }
}

/// The names and bytes of all files below a folder.
fn gather(folder: &Path, outputs: &mut Vec<Vec<u8>>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        outputs.push(path.file_name().unwrap().as_encoded_bytes().to_vec());
        if path.is_dir() {
            gather(&path, outputs);
        } else {
            outputs.push(std::fs::read(&path).unwrap());
        }
    }
}

/// A password as a file of passwords spells it.
fn escaped(password: &str) -> String {
    password.replace('\\', "\\\\").replace(':', "\\:")
}

/// What must not be shown: the passwords in all spellings, the role, and the names of the files
/// that keep them.
fn credentials() -> Vec<String> {
    let mut all = Vec::new();
    for password in [PASSWORD, WRONG] {
        let quoted = password.replace('\\', "\\\\");
        let encoded: String = url::form_urlencoded::byte_serialize(password.as_bytes()).collect();
        all.extend([password.to_owned(), quoted, escaped(password), encoded.replace('+', "%20"), encoded]);
    }
    all.extend(["owner's secret", "hunter2", ROLE, "passwords"].map(str::to_owned));
    all
}

/// Runs a job, and looks for credentials in all that came of it.
fn checked(folder: &Folder, variables: &[(&str, String)], words: &[&str]) -> (i32, String) {
    let (code, outputs) = folder.run(variables, words);
    for output in &outputs {
        let text = String::from_utf8_lossy(output);
        for credential in credentials() {
            assert!(!text.contains(&credential), "{words:?}: {credential:?} is shown");
        }
    }
    let said = String::from_utf8_lossy(&outputs[1]).into_owned();
    if code == 0 && words.contains(&"out") {
        assert!(outputs.iter().any(|output| output == b"release.json"), "{words:?}: nothing was written");
    }
    (code, said)
}

/// Where a password may come from.
fn connections(folder: &Folder) -> [Vec<(&'static str, String)>; 3] {
    let file = |name: &str| folder.at(name).display().to_string();
    [
        vec![("PGSERVICEFILE", file("services")), ("PGPASSFILE", file("passwords"))],
        vec![("PGSERVICEFILE", file("services")), ("PGPASSWORD", PASSWORD.to_owned())],
        vec![("PGSERVICEFILE", file("services with passwords"))],
    ]
}

fn server() -> Option<Server> {
    let server = Server::start()?;
    server.execute(&format!(
        "CREATE TABLE people (age int, person int); CREATE TABLE closed (age int);
         INSERT INTO people SELECT n % 90, n FROM generate_series(1, 3000) AS n;
         CREATE ROLE {ROLE} LOGIN PASSWORD '{}'; GRANT SELECT ON people TO {ROLE}",
        PASSWORD.replace('\'', "''")
    ));
    Some(server)
}

#[test]
fn what_a_job_writes_and_prints_has_no_credential() {
    let Some(server) = server() else { return };
    let folder = Folder::of(&server);
    for variables in connections(&folder) {
        for words in [
            &["init", BY_SERVICE, "--table", "people"][..],
            &["resplan", "release", "release.toml", BY_SERVICE, "--table", "people", "-o", "out"],
            &["run", "job.toml", "-o", "out"],
        ] {
            let (code, said) = checked(&folder, &variables, words);
            assert!(code == 0 && said.contains("COPY ("), "{words:?}: {code} {said}");
        }
    }
}

#[test]
fn what_a_job_that_fails_prints_has_no_credential() {
    let Some(server) = server() else { return };
    let folder = Folder::of(&server);
    let right = connections(&folder);
    let file = |name: &str| folder.at(name).display().to_string();
    let services = ("PGSERVICEFILE", file("services"));
    let wrong_file = vec![services.clone(), ("PGPASSFILE", file("wrong passwords"))];
    let wrong_word = vec![services.clone(), ("PGPASSWORD", WRONG.to_owned())];
    let release = |more: &[&'static str]| [&["resplan", "release", "release.toml"], more, &["-o", "out"]].concat();
    let people = release(&[BY_SERVICE, "--table", "people"]);
    let mut failures = vec![
        (wrong_file, people.clone(), "E0352"),
        (wrong_word, people.clone(), "E0352"),
        (vec![services], people, "E0352"),
        (right[0].clone(), vec!["run", "job.toml", "-o", "out", "--table", "nowhere"], ""),
    ];
    for variables in right {
        failures.extend([
            (variables.clone(), release(&[BY_SERVICE, "--table", "nowhere"]), "E0349"),
            (variables.clone(), release(&[BY_SERVICE, "--table", "closed"]), "E0353"),
            (variables.clone(), release(&[BY_SERVICE, "--query", "SELECT person AS age FROM people"]), "E0336"),
            (variables, release(&["postgres://127.0.0.1:1/base?service=census", "--table", "people"]), "E0352"),
        ]);
    }
    for (variables, words, expected) in failures {
        let (code, said) = checked(&folder, &variables, &words);
        assert!(code != 0 && said.contains(expected), "{words:?}: {code} {said}");
    }
}
