//! What stands at the path of a schema file is a file of a schema's length, or refused at once.

use std::error::Error;
use std::fs::{self, File};
use std::path::Path;

use privacy_data::{DomainFile, MAX_DOMAIN_BYTES, SchemaError, explain};
use tempfile::tempdir;

const GOOD: &str = "learnt_from_data = false\n[[attribute]]\nname = \"a\"\nsize = 2\n";

fn refused(path: &Path) -> SchemaError {
    let error = DomainFile::load(path).expect_err("it is refused");
    assert!(explain(error.code()).is_some());
    error
}

#[test]
fn a_file_is_toml_unless_its_name_ends_in_json() {
    let home = tempdir().unwrap();
    let at = |name: &str, text: &str| {
        let path = home.path().join(name);
        fs::write(&path, text).unwrap();
        DomainFile::load(&path)
    };
    assert!(at("domain.toml", GOOD).is_ok() && at("domain", GOOD).is_ok());
    assert!(at("domain.JSON", "{\"a\": 2}").is_ok());
    assert_eq!(at("toml.json", GOOD).unwrap_err().code(), "E0202");
    assert_eq!(at("json.toml", "{\"a\": 2}").unwrap_err().code(), "E0201");
}

#[test]
fn a_file_longer_than_any_schema_is_refused() {
    let home = tempdir().unwrap();
    let path = home.path().join("domain.toml");
    File::create(&path).unwrap().set_len(MAX_DOMAIN_BYTES + 1).unwrap();
    let error = refused(&path);
    assert_eq!((error.code(), error.to_string().as_str()), ("E0606", "the schema file is longer than 16777216 bytes"));
}

#[test]
fn text_in_another_encoding_is_refused_without_showing_it() {
    let home = tempdir().unwrap();
    let path = home.path().join("domain.toml");
    fs::write(&path, b"learnt_from_data = false # CANARY \xe9").unwrap();
    let error = refused(&path);
    assert_eq!(error.code(), "E0102");
    assert_eq!(error.source().unwrap().to_string(), "it is not UTF-8 text");
    assert!(!format!("{error:?}").contains("CANARY"));
}

#[test]
fn what_is_no_file_is_refused_without_waiting_for_it() {
    let home = tempdir().unwrap();
    assert_eq!(refused(&home.path().join("absent")).code(), "E0102");
    let not_a_file = |path: &Path| {
        let error = refused(path);
        assert_eq!(error.code(), "E0102");
        assert_eq!(error.source().unwrap().to_string(), "it is not a regular file", "{}", path.display());
    };
    not_a_file(home.path());
    #[cfg(unix)]
    {
        let pipe = home.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        not_a_file(&pipe);
        not_a_file(Path::new("/dev/zero"));
        let link = home.path().join("link");
        std::os::unix::fs::symlink(&pipe, &link).unwrap();
        not_a_file(&link);
    }
}
