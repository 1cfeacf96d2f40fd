//! Encryption of a connection. Who the server is, is always checked: its certificate has to be
//! signed by somebody who is trusted, and to name the host of the address. Encryption without that
//! would keep out those alone who listen, and not those who answer in the server's place.

use std::path::Path;
use std::sync::Arc;

use disclosure_jobs::JobError;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres_rustls::MakeRustlsConnect;

/// Who is trusted to sign the certificates of servers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Roots {
    /// Whom the system trusts.
    System,
    /// The certificates of a file, in PEM.
    File(std::path::PathBuf),
}

/// What encrypts a connection.
///
/// # Errors
/// E0352 for a file without a certificate, and for a system that trusts nobody.
pub(crate) fn encryption(roots: &Roots) -> Result<MakeRustlsConnect, JobError> {
    let mut store = RootCertStore::empty();
    match roots {
        Roots::System => {
            store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
        Roots::File(path) => certificates(path)?.into_iter().try_for_each(|found| {
            let added = store.add(found);
            added.map_err(|_| refused("a certificate in sslrootcert cannot be read"))
        })?,
    }
    if store.is_empty() {
        return Err(refused("no certificate authority is trusted to sign the certificate of a server"));
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.map_err(|_| refused("the TLS library supports no suitable protocol version"))?;
    Ok(MakeRustlsConnect::new(config.with_root_certificates(store).with_no_client_auth()))
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, JobError> {
    let unreadable = || refused("the file named by sslrootcert contains no PEM certificate, or cannot be read");
    let found = CertificateDer::pem_file_iter(path).map_err(|_| unreadable())?;
    found.collect::<Result<_, _>>().map_err(|_| unreadable())
}

fn refused(words: &str) -> JobError {
    JobError::new("E0352", words).next("name the trusted certificates with sslrootcert=FILE")
}
