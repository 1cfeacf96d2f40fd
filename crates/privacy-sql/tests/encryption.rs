//! Connections to PostgreSQL that are encrypted, to a server whose certificate is signed by an
//! authority of the test's own.
#![cfg(feature = "tls")]
#![allow(clippy::unwrap_used, reason = "a test ends where something is missing")]

#[path = "support/server.rs"]
mod server;

use disclosure_jobs::JobError;
use disclosure_jobs::input::{DataSource, FormatSpec, SourceRequest};
use privacy_core::Provenance;
use privacy_core::stop::StopFlag;
use privacy_data::{AttributeSpec, CsvOptions, Schema};
use server::Server;

/// Whether the server says that the connection is encrypted.
fn is_encrypted(server: &Server, host: &str, query: &str) -> Result<bool, JobError> {
    let asked = "SELECT ssl::text AS encrypted FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    let format = FormatSpec { query: Some(asked.to_owned()), ..FormatSpec::default() };
    let (name, stop) = (server.address_at(host, query), StopFlag::never());
    let source = server.opener().source(&SourceRequest { name: &name, format: &format, stop: &stop })?.unwrap();
    let schema = Schema::new(vec![AttributeSpec::of_labels("encrypted", ["false", "true"])], Provenance::Public);
    let rows = source.read_rows(&schema.unwrap(), &CsvOptions::default())?;
    assert_eq!(rows.rows(), 1);
    Ok(rows.codes(0).next() == Some(1))
}

#[test]
fn a_connection_is_encrypted_to_a_server_that_shows_who_it_is_and_to_no_other() {
    let Some(server) = Server::start_encrypted() else { return };
    let authority = format!("sslrootcert={}", server.authority().display());
    for mode in ["require", "verify-full"] {
        assert!(is_encrypted(&server, "localhost", &format!("sslmode={mode}&{authority}")).unwrap());
    }
    assert!(!is_encrypted(&server, "localhost", "sslmode=disable").unwrap(), "and the test would notice");
    let other = Server::start_encrypted().unwrap();
    let other = format!("sslrootcert={}", other.authority().display());
    for (host, query) in [
        // The certificate names another host.
        ("127.0.0.1", format!("sslmode=require&{authority}")),
        // Another authority, that of the system, and none.
        ("localhost", format!("sslmode=verify-full&{other}")),
        ("localhost", "sslmode=verify-full".to_owned()),
        ("localhost", "sslmode=verify-full&sslrootcert=/nowhere".to_owned()),
    ] {
        let error = is_encrypted(&server, host, &query).unwrap_err();
        assert!(error.has_code("E0352"), "{host} {query}: {error}");
    }
}

#[test]
fn a_server_without_encryption_is_not_asked() {
    let Some(server) = Server::start() else { return };
    let error = is_encrypted(&server, "localhost", "sslmode=require&sslrootcert=system").unwrap_err();
    assert!(error.has_code("E0352") && error.message().contains("not be encrypted"), "{error}");
}
