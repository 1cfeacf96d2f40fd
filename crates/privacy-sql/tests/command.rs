//! The program over files of columns, from outside.
#![allow(clippy::unwrap_used, reason = "a test ends where something is missing")]

mod support;

use std::path::Path;
use std::process::{Command, Output};

use support::{Table, write_parquet};

const SPEC: &str = "marginals = [[\"age\"]]\nneighbours = \"add-remove\"\n[privacy]\nrho = 0.5\n\
    [[attribute]]\nname = \"age\"\nsize = 90\nmissing = \"category\"\n";

fn run(directory: &Path, words: &[&str]) -> (i32, String, String) {
    let Output { status, stdout, stderr } =
        Command::new(env!("CARGO_BIN_EXE_disclosure-sql")).args(words).current_dir(directory).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

#[test]
fn subcommands_read_columns_as_they_read_text() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let table = Table::seeded(1, 2000);
    write_parquet(&at("t.parquet"), &table.batch());
    std::fs::write(at("t.csv"), table.csv()).unwrap();
    std::fs::write(at("spec.toml"), SPEC).unwrap();
    // What is learnt of columns is what is learnt of text.
    let learnt = |data| run(directory.path(), &["init", data]);
    let (code, domain, _) = learnt("t.parquet");
    assert_eq!((code, &domain), (0, &learnt("t.csv").1));
    assert!(domain.contains("learnt_from_data = true"), "{domain}");
    // Simulations have a seed, so whole outputs are compared.
    let simulated = |data| {
        run(directory.path(), &["resplan", "simulate", "spec.toml", data, "--trials", "3", "--seed", "1", "--json"])
    };
    let (code, document, err) = simulated("t.parquet");
    assert_eq!((code, &document), (0, &simulated("t.csv").1), "{err}");
    let (code, _, err) = run(directory.path(), &["resplan", "release", "spec.toml", "t.parquet", "-o", "out"]);
    assert_eq!(code, 0, "{err}");
    assert!(at("out/release.json").exists());
    let (code, _, err) = run(
        directory.path(),
        &[
            "resplan",
            "release",
            "spec.toml",
            "t.parquet",
            "-o",
            "half",
            "--query",
            "SELECT age FROM data WHERE age < 9",
        ],
    );
    assert_eq!(code, 0, "{err}");
    let frechet = "data = \"t.parquet\"\nmargins = [[\"age\"]]\ntau = 0\nkappa = 1\n[[attribute]]\nname = \"age\"\nsize = 90\nmissing = \"category\"\n";
    let audited = |data: &str| {
        std::fs::write(at("audit.toml"), frechet.replace("t.parquet", data)).unwrap();
        run(directory.path(), &["frechet", "audit", "audit.toml", "--json"])
    };
    let ((code, columns, err), (_, text, _)) = (audited("t.parquet"), audited("t.csv"));
    assert_eq!(columns, text);
    assert!([0, 4].contains(&code), "{err}");
}

#[test]
fn failures_have_codes_and_write_nothing() {
    let directory = tempfile::tempdir().unwrap();
    write_parquet(&directory.path().join("t.parquet"), &Table::seeded(1, 50).batch());
    std::fs::write(directory.path().join("spec.toml"), SPEC.replace("missing = \"category\"\n", "")).unwrap();
    let failure = |words: &[&str]| {
        let (code, _, err) = run(directory.path(), words);
        (code, err)
    };
    let (code, err) = failure(&["resplan", "release", "spec.toml", "t.parquet", "-o", "out"]);
    assert!(code == 3 && err.contains("error[E0336]") && err.contains("column \"age\""), "{err}");
    assert!(!directory.path().join("out").exists());
    let (code, err) = failure(&["init", "t.parquet", "--query", "DROP TABLE data"]);
    assert!(code == 3 && err.contains("E0349"), "{err}");
    let (code, err) = failure(&["init", "t.parquet", "--table", "t"]);
    assert!(code == 3 && err.contains("E0350"), "{err}");
    let (code, out, _) = run(directory.path(), &["explain", "E0336"]);
    assert!(code == 0 && out.replace('\n', " ").contains("No row is left out"), "{out}");
}

#[cfg(feature = "postgres")]
#[test]
fn an_address_without_a_server_is_an_error_without_its_password() {
    let directory = tempfile::tempdir().unwrap();
    let ask = |address: &str| run(directory.path(), &["init", address, "--table", "t"]);
    let (code, _, err) = ask("postgres://me@127.0.0.1:1/base");
    assert!(code == 3 && err.contains("E0352"), "{err}");
    let (_, out, err) = ask("postgres://me:hunter2@127.0.0.1:1/base");
    assert!(err.contains("PGPASSFILE") && !err.contains("hunter2") && !out.contains("hunter2"), "{err}");
    let (code, _, err) = run(directory.path(), &["init", "postgres://me@127.0.0.1:1/base"]);
    assert!(code == 3 && err.contains("--table"), "{err}");
}
