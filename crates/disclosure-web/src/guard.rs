//! Which requests are answered: those of a page of this workbench, or of its owner, and no others.
//!
//! A page elsewhere can make a browser send requests here, and can have its own name resolve to
//! this machine. Against the first stand the token, `Origin` and `Sec-Fetch-Site`; against the
//! second stands `Host`.

use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Uri, header};

/// What every page may load: its own style, script and pictures.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// What the page of a release may load: the style that it carries.
pub(crate) const DOCUMENT_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; \
                                          base-uri 'none'; frame-ancestors 'none'; sandbox";

/// Headers of every answer.
const HEADERS: [(HeaderName, &str); 9] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    // The token is in the address, and stays on this machine.
    (header::REFERRER_POLICY, "same-origin"),
    (header::CACHE_CONTROL, "no-store"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-embedder-policy"), "require-corp"),
    (
        HeaderName::from_static("permissions-policy"),
        "camera=(), geolocation=(), microphone=(), payment=(), usb=(), interest-cohort=()",
    ),
];

/// Who may ask.
#[derive(Debug)]
pub(crate) struct Guard {
    token: String,
    /// The names of this server, with its port.
    hosts: [String; 3],
}

impl Guard {
    /// Answers requests with this token, to this port of the machine itself.
    pub(crate) fn new(token: String, port: u16) -> Self {
        Self { token, hosts: ["127.0.0.1", "localhost", "[::1]"].map(|name| format!("{name}:{port}")) }
    }

    /// What every address begins with.
    pub(crate) fn base(&self) -> String {
        format!("/{}/", self.token)
    }

    /// Whether a request is answered.
    pub(crate) fn admits(&self, method: &Method, path: &str, headers: &HeaderMap) -> bool {
        let Some(host) = only(headers, &header::HOST).filter(|host| self.hosts.iter().any(|own| own == host)) else {
            return false;
        };
        let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
        let is_read = matches!(*method, Method::GET | Method::HEAD);
        let is_own_site = match site {
            None => true,
            // Somebody typed the address, or followed it from a terminal.
            Some(b"none") => is_read,
            Some(site) => site == b"same-origin",
        };
        let origin = format!("http://{host}");
        let is_own_origin = match only(headers, &header::ORIGIN) {
            Some(found) => found == origin,
            // Browsers name the origin of every request that may change something.
            None => is_read && !headers.contains_key(header::ORIGIN),
        };
        is_own_site && is_own_origin && self.has_token(path)
    }

    /// Whether the address of a request names this server, where it names one: it counts more than
    /// `Host` then (RFC 9112, section 3.2.2).
    pub(crate) fn is_addressed(&self, address: &Uri) -> bool {
        address.authority().is_none_or(|name| self.hosts.iter().any(|own| own == name.as_str()))
    }

    /// Whether an address begins with the token. Takes the same time for every token of its length.
    fn has_token(&self, path: &str) -> bool {
        let given = path.strip_prefix('/').and_then(|rest| rest.split('/').next()).unwrap_or_default();
        let pairs = given.bytes().zip(self.token.bytes());
        let difference = pairs.fold(given.len() ^ self.token.len(), |found, (a, b)| found | usize::from(a ^ b));
        difference == 0 && !self.token.is_empty()
    }
}

/// The value of a header that is there once.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

/// Adds the headers of every answer; those that an answer has already stay.
pub(crate) fn protect(headers: &mut HeaderMap) {
    for (name, value) in HEADERS {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut map = HeaderMap::new();
        pairs.iter().for_each(|(name, value)| {
            map.append(*name, HeaderValue::from_static(value));
        });
        map
    }

    fn admits(method: &Method, path: &str, pairs: &[(&'static str, &'static str)]) -> bool {
        Guard::new("abc".to_owned(), 80).admits(method, path, &headers(pairs))
    }

    const HOST: (&str, &str) = ("host", "127.0.0.1:80");
    const ORIGIN: (&str, &str) = ("origin", "http://127.0.0.1:80");

    #[test]
    fn the_token_is_asked_for_whole() {
        for path in ["/abc/", "/abc/columns", "/abc"] {
            assert!(admits(&Method::GET, path, &[HOST]), "{path}");
        }
        for path in ["/", "", "/ab/", "/abcd/", "/abd/columns", "/columns/abc", "//abc/"] {
            assert!(!admits(&Method::GET, path, &[HOST]), "{path}");
        }
        let guard = Guard::new(String::new(), 80);
        assert!(!guard.admits(&Method::GET, "/", &headers(&[HOST])), "an empty token admits nobody");
    }

    #[test]
    fn another_name_of_this_machine_is_refused() {
        for host in ["localhost:80", "[::1]:80"] {
            let pairs = headers(&[("host", host)]);
            assert!(Guard::new("abc".to_owned(), 80).admits(&Method::GET, "/abc/", &pairs));
        }
        for host in ["evil.example:80", "127.0.0.1", "127.0.0.1:81", "127.0.0.1:80.evil.example", "", "LOCALHOST:80"] {
            let pairs = headers(&[("host", host)]);
            assert!(!Guard::new("abc".to_owned(), 80).admits(&Method::GET, "/abc/", &pairs), "{host}");
        }
        assert!(!admits(&Method::GET, "/abc/", &[]), "no host");
        assert!(!admits(&Method::GET, "/abc/", &[HOST, HOST]), "two hosts");
    }

    #[test]
    fn requests_of_other_pages_are_refused() {
        let site = |site| ("sec-fetch-site", site);
        assert!(admits(&Method::POST, "/abc/", &[HOST, ORIGIN]));
        assert!(admits(&Method::POST, "/abc/", &[HOST, ORIGIN, site("same-origin")]));
        assert!(admits(&Method::GET, "/abc/", &[HOST, site("none")]));
        assert!(!admits(&Method::POST, "/abc/", &[HOST]), "a change names its origin");
        for origin in ["null", "http://evil.example", "https://127.0.0.1:80", "http://localhost:80"] {
            assert!(!admits(&Method::POST, "/abc/", &[HOST, ("origin", origin)]), "{origin}");
            assert!(!admits(&Method::GET, "/abc/", &[HOST, ("origin", origin)]), "{origin}");
        }
        for other in ["cross-site", "same-site", "none"] {
            assert!(!admits(&Method::POST, "/abc/", &[HOST, ORIGIN, site(other)]), "{other}");
        }
        assert!(!admits(&Method::GET, "/abc/", &[HOST, site("cross-site")]));
    }
}
