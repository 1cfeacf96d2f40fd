//! Where a server is and who asks, from the usual places: an address without a password, a service
//! file, the environment, a password file. No password reaches a message.

use std::path::{Path, PathBuf};

use disclosure_jobs::JobError;
use tokio_postgres::Config;
use tokio_postgres::config::Host;
use url::Url;

use super::encryption::{Encryption, encryption};

/// What the process finds around it.
pub(crate) struct Surroundings<'a> {
    /// A variable of the environment.
    pub(crate) variable: &'a dyn Fn(&str) -> Option<String>,
    /// The text of a file that is there.
    pub(crate) file: &'a dyn Fn(&Path) -> Option<PrivateText>,
}

/// A file that may hold passwords.
pub(crate) struct PrivateText {
    pub(crate) text: String,
    /// Whether others than its owner can read it.
    pub(crate) is_open: bool,
}

impl Surroundings<'_> {
    fn variable(&self, name: &str) -> Option<String> {
        (self.variable)(name).filter(|value| !value.is_empty())
    }

    pub(super) fn home(&self, name: &str) -> Option<PathBuf> {
        self.variable("HOME").map(|home| Path::new(&home).join(name))
    }
}

pub(super) fn wrong(words: &str) -> JobError {
    JobError::new("E0352", words).next("postgres://user@host:5432/base, or postgres://?service=NAME; docs/engines.md")
}

/// Whether a name of data is an address of PostgreSQL.
pub(crate) fn is_postgres(name: &Path) -> bool {
    let name = name.to_string_lossy();
    name.starts_with("postgres://") || name.starts_with("postgresql://")
}

/// A connection that is to be made.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) config: Config,
    pub(crate) encryption: Encryption,
}

/// Settings that are not complete.
struct Open {
    config: Config,
    /// `sslmode`, as it is written.
    mode: Option<String>,
    /// `sslrootcert`, as it is written.
    roots: Option<String>,
}

/// The settings of a connection.
///
/// # Errors
/// E0352 for an address that is not valid or has a password, a service or a user that is not
/// known, a password file that others can read, and a server on another machine without encryption.
pub(crate) fn settings(address: &Path, around: &Surroundings<'_>) -> Result<Settings, JobError> {
    let text = address.to_str().ok_or_else(|| wrong("the address is not UTF-8"))?;
    let (text, [service, mode, roots]) = without_own_keys(text)?;
    // The parser's own words could repeat the address.
    let config: Config = text.parse().map_err(|_| wrong("the address is invalid"))?;
    if config.get_password().is_some() {
        let next = "write it to ~/.pgpass or to the file named by PGPASSFILE, readable only by you";
        return Err(wrong("the address contains a password, which logs and process lists would show").next(next));
    }
    let mut open = Open { config, mode, roots };
    if let Some(service) = service.or_else(|| around.variable("PGSERVICE")) {
        apply_service(&mut open, &service, around)?;
    }
    apply_environment(&mut open, around)?;
    let Open { mut config, mode, roots } = open;
    if config.get_password().is_none()
        && let Some(password) = password_of(&config, around)?
    {
        config.password(password);
    }
    let encryption = encryption(&mut config, mode.as_deref(), roots, around)?;
    config.application_name("disclosure-sql");
    Ok(Settings { config, encryption })
}

/// Keys of an address that the library does not know, or not with all their values.
const OWN_KEYS: [&str; 3] = ["service", "sslmode", "sslrootcert"];

/// The address without these keys, and their values.
fn without_own_keys(text: &str) -> Result<(String, [Option<String>; 3]), JobError> {
    let Some((head, query)) = text.split_once('?') else { return Ok((text.to_owned(), Default::default())) };
    let parsed = Url::parse(&format!("postgres://x/?{query}")).map_err(|_| wrong("the address is invalid"))?;
    let value = |own: &str| parsed.query_pairs().find(|(key, _)| key == own).map(|(_, value)| value.into_owned());
    let is_own = |pair: &&str| OWN_KEYS.iter().any(|own| pair.split('=').next() == Some(own));
    let rest: Vec<&str> = query.split('&').filter(|pair| !is_own(pair) && !pair.is_empty()).collect();
    let text = if rest.is_empty() { head.to_owned() } else { format!("{head}?{}", rest.join("&")) };
    Ok((text, OWN_KEYS.map(value)))
}

/// Sets what the address left open from a section of the service file.
fn apply_service(open: &mut Open, service: &str, around: &Surroundings<'_>) -> Result<(), JobError> {
    let named = around.variable("PGSERVICEFILE").map(PathBuf::from);
    let path = named.or_else(|| around.home(".pg_service.conf"));
    let file = path.and_then(|path| (around.file)(&path)).ok_or_else(|| wrong("the service file does not exist"))?;
    let mut is_inside = false;
    let mut is_found = false;
    for line in file.text.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            is_inside = name == service;
            is_found |= is_inside;
        } else if let Some((key, value)) = line.split_once('=').filter(|_| is_inside) {
            let (key, value) = (key.trim(), value.trim());
            if key == "password" && file.is_open {
                return Err(wrong("other users can read the service file, which contains a password"));
            }
            set_open(open, key, value)?;
        }
    }
    if is_found { Ok(()) } else { Err(wrong("the service file does not contain this service")) }
}

/// Sets what is still open from the environment, and from what is usual.
fn apply_environment(open: &mut Open, around: &Surroundings<'_>) -> Result<(), JobError> {
    for (variable, key) in [
        ("PGHOST", "host"),
        ("PGPORT", "port"),
        ("PGUSER", "user"),
        ("PGDATABASE", "dbname"),
        ("PGPASSWORD", "password"),
        ("PGSSLMODE", "sslmode"),
        ("PGSSLROOTCERT", "sslrootcert"),
    ] {
        if let Some(value) = around.variable(variable) {
            set_open(open, key, &value)?;
        }
    }
    let config = &mut open.config;
    if config.get_user().is_none() {
        let user = around.variable("USER").ok_or_else(|| wrong("the address does not name a user"))?;
        config.user(user);
    }
    if config.get_hosts().is_empty() {
        config.host("localhost");
    }
    Ok(())
}

/// Sets one thing that was not set before.
fn set_open(open: &mut Open, key: &str, value: &str) -> Result<(), JobError> {
    let config = &mut open.config;
    match key {
        "host" if config.get_hosts().is_empty() => {
            config.host(value);
        }
        "port" if config.get_ports().is_empty() => {
            config.port(value.parse().map_err(|_| wrong("the port is not a number"))?);
        }
        "user" if config.get_user().is_none() => {
            config.user(value);
        }
        "dbname" if config.get_dbname().is_none() => {
            config.dbname(value);
        }
        "password" if config.get_password().is_none() => {
            config.password(value);
        }
        "sslmode" if open.mode.is_none() => open.mode = Some(value.to_owned()),
        "sslrootcert" if open.roots.is_none() => open.roots = Some(value.to_owned()),
        _ => {}
    }
    Ok(())
}

/// The password of the first line of the password file that fits.
fn password_of(config: &Config, around: &Surroundings<'_>) -> Result<Option<String>, JobError> {
    let path = around.variable("PGPASSFILE").map(PathBuf::from).or_else(|| around.home(".pgpass"));
    let Some(file) = path.and_then(|path| (around.file)(&path)) else { return Ok(None) };
    if file.is_open {
        return Err(wrong("other users can read the password file: chmod 600"));
    }
    let host = match config.get_hosts().first() {
        Some(Host::Tcp(host)) => host.clone(),
        _ => "localhost".to_owned(),
    };
    let port = config.get_ports().first().copied().unwrap_or(5432).to_string();
    let user = config.get_user().unwrap_or_default();
    let base = config.get_dbname().unwrap_or(user);
    let asked = [host.as_str(), port.as_str(), base, user];
    let fits = |fields: &[String]| {
        fields.len() == 5 && fields.iter().zip(asked).all(|(field, asked)| field == "*" || field == asked)
    };
    let lines = file.text.lines().filter(|line| !line.starts_with('#')).map(fields_of);
    Ok(lines.into_iter().find(|fields| fits(fields)).and_then(|fields| fields.into_iter().nth(4)))
}

/// The fields of a line: a colon ends one, a backslash keeps the next character.
fn fields_of(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            ':' => fields.push(String::new()),
            '\\' => fields.last_mut().into_iter().for_each(|field| field.extend(letters.next())),
            letter => fields.last_mut().into_iter().for_each(|field| field.push(letter)),
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERVICES: &str = "# ours\n[census]\nhost = 127.0.0.1\nport=6000\nuser=clerk\n[other]\nuser=x\n";
    const PASSWORDS: &str = "# theirs\n127.0.0.1:5432:*:*:wrong\n127.0.0.1:6000:people:clerk:s\\:ecret\n*:*:*:*:any\n";

    fn parsed(address: &str, is_open: bool) -> Result<Config, JobError> {
        let variable = |name: &str| match name {
            "HOME" => Some("clerk".to_owned()),
            "USER" => Some("me".to_owned()),
            _ => None,
        };
        let file = |path: &Path| match path.file_name()?.to_str()? {
            ".pg_service.conf" => Some(PrivateText { text: SERVICES.to_owned(), is_open: true }),
            ".pgpass" => Some(PrivateText { text: PASSWORDS.to_owned(), is_open }),
            _ => None,
        };
        settings(Path::new(address), &Surroundings { variable: &variable, file: &file }).map(|found| found.config)
    }

    #[test]
    fn what_the_address_leaves_open_comes_from_the_usual_places() {
        let census = parsed("postgres:///people?service=census", false).unwrap();
        assert_eq!(
            (census.get_user(), census.get_ports(), census.get_dbname()),
            (Some("clerk"), &[6000][..], Some("people"))
        );
        assert_eq!(census.get_password(), Some(&b"s:ecret"[..]));
        let local = parsed("postgresql://localhost/people", false).unwrap();
        assert_eq!((local.get_user(), local.get_password()), (Some("me"), Some(&b"any"[..])));
    }

    #[test]
    fn what_is_not_safe_or_not_known_is_refused_without_a_secret() {
        for address in [
            "postgres://clerk:hunter2@localhost/people",
            "postgres://localhost/people?password=hunter2",
            "postgres://clerk@db.example/people",
            "postgres://clerk@localhost/people?sslmode=hunter2",
            "postgres://clerk@db.example/people?sslmode=prefer",
            "postgres://localhost/people?service=nowhere",
            "postgres://localhost:99999/hunter2",
        ] {
            let error = parsed(address, false).err().unwrap_or_else(|| panic!("{address} is taken"));
            assert!(error.has_code("E0352") && !error.message().contains("hunter2"), "{error}");
        }
        assert!(parsed("postgres://clerk@db.example/people?sslmode=disable", false).is_ok());
        assert!(parsed("postgres://localhost/people", true).unwrap_err().message().contains("password file"));
    }

    #[test]
    fn addresses_are_known_by_their_scheme() {
        assert!(is_postgres(Path::new("postgres://x")) && is_postgres(Path::new("postgresql:///y")));
        assert!(!is_postgres(Path::new("postgres.csv")) && !is_postgres(Path::new("duckdb:x")));
    }
}
