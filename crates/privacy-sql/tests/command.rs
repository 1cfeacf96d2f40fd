//! The program over files of columns and databases, from outside.
#![allow(clippy::unwrap_used, reason = "a test ends where something is missing")]

#[cfg(feature = "duckdb")]
#[path = "support/duck.rs"]
mod duck;
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
    let audited = |job: &str| {
        std::fs::write(at("audit.toml"), job).unwrap();
        run(directory.path(), &["frechet", "audit", "audit.toml", "--json"])
    };
    let ((code, columns, err), (_, text, _)) = (audited(frechet), audited(&frechet.replace("t.parquet", "t.csv")));
    assert_eq!(columns, text);
    assert!([0, 4].contains(&code), "{err}");
    let source = "[source]\ndata = \"t.parquet\"\n";
    let tabled = frechet.replace("data = \"t.parquet\"\n", "") + source;
    assert_eq!(audited(&tabled).1, text);
    let (code, _, err) = audited(&format!("{frechet}{source}"));
    assert!(code == 2 && err.contains("E0243"), "{err}");
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

#[cfg(feature = "duckdb")]
#[test]
fn a_file_of_duckdb_is_data_of_commands_and_jobs() {
    let Some(file) = duck::DuckFile::new() else { return };
    let table = Table::seeded(1, 2000);
    file.fill("people", &table);
    let at = |name: &str| file.folder().join(name);
    std::fs::write(at("t.csv"), table.csv()).unwrap();
    let of_table = |words: &[&str]| run(file.folder(), &[words, &["--table", "people"]].concat());
    let (code, domain, err) = of_table(&["init", "duckdb:t.duckdb"]);
    assert_eq!((code, &domain), (0, &run(file.folder(), &["init", "t.csv"]).1), "{err}");
    std::fs::write(at("spec.toml"), SPEC).unwrap();
    let (code, _, err) =
        of_table(&["resplan", "release", "spec.toml", "duckdb:t.duckdb", "-o", "out", "--explain-sql"]);
    assert!(code == 0 && err.contains("SELECT \"age\"\nFROM \"people\";"), "{err}");
    let record = std::fs::read_to_string(at("out/release.json")).unwrap();
    assert!(!record.contains(&file.folder().display().to_string()), "{record}");
    // A job names the file beside itself.
    std::fs::create_dir(at("jobs")).unwrap();
    let frechet =
        "margins = [[\"age\"]]\ntau = 0\nkappa = 1\n[[attribute]]\nname = \"age\"\nsize = 90\nmissing = \"category\"\n";
    let audited = |data: &str| {
        std::fs::write(at("jobs/audit.toml"), format!("{data}\n{frechet}")).unwrap();
        run(file.folder(), &["frechet", "audit", "jobs/audit.toml", "--json"])
    };
    let (code, document, err) = audited("data = \"duckdb:../t.duckdb\"\nformat = { table = \"people\" }");
    assert!([0, 4].contains(&code), "{err}");
    assert_eq!(document, audited("data = \"../t.csv\"").1);
    assert_eq!(document, audited("source = { data = \"duckdb:../t.duckdb\", table = \"people\" }").1);
    let (code, _, err) = run(file.folder(), &["init", "duckdb:t.duckdb"]);
    assert!(code == 3 && err.contains("E0350") && err.contains("--table"), "{err}");
}

#[cfg(feature = "duckdb")]
#[test]
fn a_file_of_duckdb_without_its_library_says_what_is_missing() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("t.duckdb"), b"\0\0\0\0\0\0\0\0DUCK and more").unwrap();
    let library = directory.path().join("secret-place.so");
    let output = Command::new(env!("CARGO_BIN_EXE_disclosure-sql"))
        .args(["init", "duckdb:t.duckdb", "--table", "t"])
        .current_dir(directory.path())
        .env("DISCLOSURE_DUCKDB_LIBRARY", &library)
        .output()
        .unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{err}");
    assert!(
        err.contains("E0730") && err.contains("DISCLOSURE_DUCKDB_LIBRARY") && !err.contains("secret-place"),
        "{err}"
    );
}

#[test]
fn what_is_asked_of_files_is_shown() {
    let directory = tempfile::tempdir().unwrap();
    write_parquet(&directory.path().join("t.parquet"), &Table::seeded(1, 50).batch());
    std::fs::write(directory.path().join("spec.toml"), SPEC).unwrap();
    let words = ["resplan", "release", "spec.toml", "t.parquet", "-o", "out", "--explain-sql"];
    let (code, _, err) = run(directory.path(), &words);
    assert!(code == 0 && err.contains("SELECT marginals(\"age\")\nFROM data;"), "{err}");
    let (_, _, err) = run(directory.path(), &[&words[..4], &["-o", "more"]].concat());
    assert!(!err.contains("SELECT"), "only where it is asked for: {err}");
}
