//! The workbench over a real socket: its address, its refusals, its end.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

struct Served {
    process: Child,
    address: String,
}

impl Drop for Served {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

fn serve(words: &[&str], folder: &std::path::Path) -> Served {
    let mut process = Command::new(env!("CARGO_BIN_EXE_disclosure"))
        .arg("serve")
        .args(words)
        .arg("--folder")
        .arg(folder)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut address = String::new();
    BufReader::new(process.stdout.take().unwrap()).read_line(&mut address).unwrap();
    Served { process, address: address.trim().to_owned() }
}

/// The host with its port, and the path, of an address.
fn parts(address: &str) -> (&str, String) {
    let (host, path) = address.strip_prefix("http://").unwrap().split_once('/').unwrap();
    (host, format!("/{path}"))
}

fn get(host: &str, named: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(host).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {named}\r\nConnection: close\r\n\r\n").unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text
}

#[test]
fn the_address_that_is_printed_works_and_no_other() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("t.csv"), "a,b\n1,x\n2,y\n").unwrap();
    let mut served = serve(&["t.csv"], place.path());
    let (host, path) = parts(&served.address);
    assert!(host.starts_with("127.0.0.1:") && path.len() == 34, "{}", served.address);
    let page = get(host, host, &path);
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("t.csv"), "{page}");
    assert!(get(host, host, &format!("{path}columns")).contains("2 categories"), "the data are open");
    for (named, path) in [(host, "/"), (host, &path[..20]), ("evil.example", path.as_str())] {
        assert!(get(host, named, path).starts_with("HTTP/1.1 403"), "{named} {path}");
    }
    let asked = Command::new("kill").args(["-INT", &served.process.id().to_string()]).status().unwrap();
    let ended = served.process.wait().unwrap();
    assert!(asked.success() && matches!(ended.code(), Some(0 | 130)), "{ended}");
    assert!(TcpStream::connect(host).is_err(), "nobody listens");
}

/// What `disclosure serve` with these words says when it refuses to start.
fn refused(words: &[&str]) -> String {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("t.parquet"), "PAR1").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_disclosure"));
    let output = command.arg("serve").args(words).current_dir(place.path()).output().unwrap();
    assert!(!output.status.success() && output.stdout.is_empty(), "{words:?}");
    assert!(!place.path().join("disclosure-workbench").exists(), "nothing is kept");
    String::from_utf8(output.stderr).unwrap().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn data_that_an_engine_reads_are_refused_with_the_name_of_the_program_that_reads_them() {
    for words in [
        &["postgres://me@localhost/base"][..],
        &["postgres://?service=census", "--table", "people"],
        &["postgres:///?service=census", "--query", "SELECT * FROM people"],
        &["t.parquet"],
    ] {
        let said = refused(words);
        assert!(said.contains("E0715") && said.contains("`disclosure-sql serve`"), "{words:?}: {said}");
    }
    for address in ["postgres://me:hunter2@localhost/base", "postgres://localhost/base?password=hunter2"] {
        let said = refused(&[address]);
        assert!(said.contains("E0714") && said.contains(".pgpass") && !said.contains("hunter2"), "{said}");
    }
    assert!(refused(&["postgres://localhost/b", "--table", "a", "--query", "b"]).contains("cannot be used with"));
}

#[test]
fn data_outside_of_the_folder_are_refused() {
    let (place, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let data = other.path().join("t.csv");
    std::fs::write(&data, "a\n1\n").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_disclosure"))
        .arg("serve")
        .arg(&data)
        .arg("--folder")
        .arg(place.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("E0703") && output.stdout.is_empty());
}
