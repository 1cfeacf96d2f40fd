//! Which addresses parts of a cluster have. Ballista encrypts nothing and asks nobody for a
//! password, so its parts listen on the loopback; on a private network where somebody says that it
//! is trusted; and never on a public address.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs};

use disclosure_jobs::JobError;

use super::ADDRESS;

/// Where a part of a cluster listens, or is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listening(SocketAddr);

impl Listening {
    /// An address `host:port` on this machine's loopback, or on a private network that is trusted.
    /// A name has to stand for such addresses alone.
    ///
    /// # Errors
    /// E0734 for anything else.
    pub fn new(address: &str, is_network_trusted: bool) -> Result<Self, JobError> {
        let found = address.to_socket_addrs().map_err(|_| wrong("the address is not known: host:port"))?;
        let found: Vec<SocketAddr> = found.collect();
        let first = *found.first().ok_or_else(|| wrong("the address is not known: host:port"))?;
        found.iter().try_for_each(|found| check(found.ip(), is_network_trusted))?;
        Ok(Self(first))
    }

    /// The same host at another port.
    #[must_use]
    pub fn with_port(self, port: u16) -> Self {
        Self(SocketAddr::new(self.0.ip(), port))
    }

    /// The port.
    #[must_use]
    pub fn port(self) -> u16 {
        self.0.port()
    }

    /// The host as addresses have it: IPv6 in brackets.
    pub(crate) fn host(self) -> String {
        match self.0.ip() {
            IpAddr::V4(host) => host.to_string(),
            IpAddr::V6(host) => format!("[{host}]"),
        }
    }

    pub(crate) fn socket(self) -> SocketAddr {
        self.0
    }

    /// The address as Ballista's clients write it. The number is used and not the name, which could
    /// stand for another address by now.
    pub(crate) fn url(self) -> String {
        format!("http://{}", self.0)
    }
}

pub(super) fn wrong(words: &str) -> JobError {
    JobError::new(ADDRESS, words).next("ballista://127.0.0.1:50050/path/to/files; docs/engines.md")
}

fn check(address: IpAddr, is_network_trusted: bool) -> Result<(), JobError> {
    match address {
        address if address.is_loopback() => Ok(()),
        address if !is_private(address) => {
            Err(wrong("the address is no private one, and Ballista has neither encryption nor passwords"))
        }
        _ if is_network_trusted => Ok(()),
        _ => {
            let next = "--trusted-network for a scheduler or an executor, ?network=trusted at the end of an address";
            Err(wrong("the address is on a network, and Ballista encrypts nothing").next(next))
        }
    }
}

/// Whether an address is private to a network. An address that stands for every interface, such as
/// `0.0.0.0`, is not.
fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_private() || address.is_link_local() || is_shared(address),
        IpAddr::V6(address) => address.is_unique_local() || address.is_unicast_link_local(),
    }
}

/// `100.64.0.0/10`, which networks between providers and their customers use, and private overlays.
fn is_shared(address: Ipv4Addr) -> bool {
    let [first, second, ..] = address.octets();
    first == 100 && (64..128).contains(&second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loopback_is_allowed_a_private_network_where_it_is_trusted_and_a_public_address_never() {
        for (address, is_allowed) in [
            ("127.0.0.1:1", [true, true]),
            ("localhost:1", [true, true]),
            ("[::1]:1", [true, true]),
            ("10.1.2.3:1", [false, true]),
            ("172.16.0.2:1", [false, true]),
            ("192.168.0.2:1", [false, true]),
            ("100.64.0.1:1", [false, true]),
            ("[fd00::1]:1", [false, true]),
            ("0.0.0.0:1", [false, false]),
            ("[::]:1", [false, false]),
            ("100.128.0.1:1", [false, false]),
            ("172.32.0.1:1", [false, false]),
            ("8.8.8.8:1", [false, false]),
            ("[2001:db8::1]:1", [false, false]),
            ("127.0.0.1", [false, false]),
            ("", [false, false]),
        ] {
            let found = [false, true].map(|trusted| Listening::new(address, trusted));
            assert_eq!(found.clone().map(|found| found.is_ok()), is_allowed, "{address}");
            assert!(found.into_iter().filter_map(Result::err).all(|error| error.has_code("E0734")));
        }
        assert_eq!(Listening::new("[::1]:7", false).unwrap().url(), "http://[::1]:7");
    }
}
