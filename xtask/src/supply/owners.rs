//! How many accounts may publish a new version of a crate: the registry alone knows, so its answers
//! are kept in `xtask/owners.toml`, with the day on which it was asked.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use serde::Deserialize;

use super::External;
use crate::workspace::{self, Error};

const FILE: &str = "xtask/owners.toml";
/// The registry asks programs for no more than one request a second.
const PAUSE: Duration = Duration::from_secs(1);

/// What the registry has said.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Owners {
    /// The day, as in 2026-05-01.
    asked: String,
    /// How many accounts own a crate.
    pub(super) crates: BTreeMap<String, usize>,
}

impl Owners {
    /// The answers that are kept; none before the registry was asked.
    pub(super) fn kept(root: &Path) -> Result<Self, Error> {
        let path = root.join(FILE);
        if !path.exists() {
            return Ok(Self::default());
        }
        let text = workspace::read(&path)?;
        toml::from_str(&text).map_err(|source| Error::Toml { path, source: Box::new(source) })
    }

    /// What the page says of them.
    pub(super) fn note(&self) -> String {
        match self.crates.len() {
            0 => "Nobody has asked the registry yet who owns a crate.".to_owned(),
            asked => format!("The registry was asked on {} who owns {asked} of them.", self.asked),
        }
    }

    /// Asks the registry about each crate, by `cargo owner --list`, and keeps its answers. Nothing
    /// is kept if one of them is missing.
    pub(super) fn ask(root: &Path, externals: &[External], today: &str) -> Result<Self, Error> {
        let cargo = workspace::cargo();
        let mut crates = BTreeMap::new();
        for one in externals {
            if !crates.contains_key(&one.name) {
                crates.insert(one.name.clone(), owners_of(&cargo, &one.name)?);
                thread::sleep(PAUSE);
            }
        }
        let owners = Self { asked: today.to_owned(), crates };
        super::write(&root.join(FILE), &owners.text())?;
        Ok(owners)
    }

    fn text(&self) -> String {
        let crates: String = self.crates.iter().map(|(name, owners)| format!("{name} = {owners}\n")).collect();
        format!("# By `cargo xtask supply --owners DAY`.\nasked = \"{}\"\n\n[crates]\n{crates}", self.asked)
    }
}

/// The lines of the answer: an account each.
fn owners_of(cargo: &OsStr, name: &str) -> Result<usize, Error> {
    let failed = || Error::Step { command: format!("cargo owner --list {name}") };
    let output = Command::new(cargo).args(["owner", "--list", name]).output().map_err(|_| failed())?;
    let owners = String::from_utf8_lossy(&output.stdout).lines().filter(|line| !line.trim().is_empty()).count();
    if output.status.success() && owners > 0 { Ok(owners) } else { Err(failed()) }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn every_line_of_the_registry_is_an_owner_and_no_answer_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("cargo");
        let script = "#!/bin/sh\n[ \"$1 $2\" = \"owner --list\" ] || exit 2\n\
            case $3 in serde) printf 'dtolnay (David)\\ngithub:serde-rs:owners (owners)\\n';; none) ;; *) exit 101;; esac\n";
        std::fs::write(&program, script).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(owners_of(program.as_os_str(), "serde").unwrap(), 2);
        assert!(owners_of(program.as_os_str(), "none").is_err());
        assert!(owners_of(program.as_os_str(), "unreachable").is_err());
    }

    #[test]
    fn what_is_kept_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Owners::kept(folder.path()).unwrap(), Owners::default());
        std::fs::create_dir(folder.path().join("xtask")).unwrap();
        let owners = Owners { asked: "2026-05-01".to_owned(), crates: BTreeMap::from([("serde".to_owned(), 2)]) };
        std::fs::write(folder.path().join(FILE), owners.text()).unwrap();
        assert_eq!(Owners::kept(folder.path()).unwrap(), owners);
        assert!(owners.note().contains("2026-05-01"));
        std::fs::write(folder.path().join(FILE), "asked = 1\n").unwrap();
        assert!(Owners::kept(folder.path()).is_err());
    }
}
