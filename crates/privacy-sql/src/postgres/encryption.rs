//! Whether a connection is encrypted.

#[cfg(feature = "tls")]
use std::path::PathBuf;

use disclosure_jobs::JobError;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

use super::address::{Surroundings, wrong};
#[cfg(feature = "tls")]
use super::tls::Roots;

/// What encrypts a connection.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Encryption {
    /// Nothing: on one machine, or where somebody said that the network is trusted.
    None,
    /// TLS, with a server that shows who it is.
    #[cfg(feature = "tls")]
    By(Roots),
}

/// What encrypts a connection: nothing to a server on this machine unless that is asked for, and
/// TLS to any other unless somebody says that the network is trusted.
pub(super) fn encryption(
    config: &mut Config,
    mode: Option<&str>,
    roots: Option<String>,
    around: &Surroundings<'_>,
) -> Result<Encryption, JobError> {
    match mode {
        Some("disable") => {
            config.ssl_mode(SslMode::Disable);
            Ok(Encryption::None)
        }
        Some("require" | "verify-ca" | "verify-full") => encrypted(config, roots, around),
        None | Some("allow" | "prefer") => {
            if config.get_hosts().iter().all(is_here) && config.get_hostaddrs().is_empty() {
                return Ok(Encryption::None);
            }
            let next = "sslmode=verify-full, or sslmode=disable on a network that you trust";
            Err(wrong("the server is on another machine, and it is not stated how the connection is encrypted")
                .next(next))
        }
        Some(_) => Err(wrong("sslmode must be disable, require or verify-full")),
    }
}

fn is_here(host: &Host) -> bool {
    match host {
        Host::Tcp(host) => {
            host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    }
}

#[cfg(feature = "tls")]
fn encrypted(config: &mut Config, roots: Option<String>, around: &Surroundings<'_>) -> Result<Encryption, JobError> {
    config.ssl_mode(SslMode::Require);
    let usual = around.home(".postgresql/root.crt").filter(|path| (around.file)(path).is_some());
    Ok(Encryption::By(match (roots.as_deref(), usual) {
        (Some("system"), _) | (None, None) => Roots::System,
        (Some(named), _) => Roots::File(PathBuf::from(named)),
        (None, Some(usual)) => Roots::File(usual),
    }))
}

#[cfg(not(feature = "tls"))]
fn encrypted(_: &mut Config, _: Option<String>, _: &Surroundings<'_>) -> Result<Encryption, JobError> {
    let next = "use a tunnel (ssh -L 5432:localhost:5432 server), or a build with the feature tls";
    Err(wrong("sslmode requires encryption, which this build does not support").next(next))
}

#[cfg(all(test, feature = "tls"))]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::postgres::address::{PrivateText, settings};

    #[test]
    fn an_encrypted_connection_trusts_a_file_that_is_named_a_usual_one_or_the_system() {
        let roots = |address: &str, has_usual: bool| {
            let variable = |name: &str| (name == "HOME" || name == "USER").then(|| "clerk".to_owned());
            let usual = || PrivateText { text: String::new(), is_open: true };
            let file = |path: &Path| (has_usual && path.ends_with(".postgresql/root.crt")).then(usual);
            let found = settings(Path::new(address), &Surroundings { variable: &variable, file: &file }).unwrap();
            assert_eq!(found.config.get_ssl_mode(), SslMode::Require);
            found.encryption
        };
        let address = "postgres://clerk@db.example/people?sslmode=verify-full";
        let file = |path: &str| Encryption::By(Roots::File(path.into()));
        assert_eq!(roots(address, false), Encryption::By(Roots::System));
        assert_eq!(roots(address, true), file("clerk/.postgresql/root.crt"));
        assert_eq!(roots(&format!("{address}&sslrootcert=/a%20b"), true), file("/a b"));
        assert_eq!(roots(&format!("{address}&sslrootcert=system"), true), Encryption::By(Roots::System));
        assert_eq!(roots("postgres://clerk@localhost/people?sslmode=require", false), Encryption::By(Roots::System));
    }
}
