//! What `deny.toml` asks of the crates of others, checked without cargo-deny: licences, versions
//! that stand beside each other, and where every crate of every lock file comes from. Advisories
//! need a database on the network, and stay with cargo-deny.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use cargo_metadata::{CargoOpt, MetadataCommand};
use serde::Deserialize;

use super::{WHEEL, licence, sbom};
use crate::tidy::Breach;
use crate::workspace::{self, Error, shown};

const FILE: &str = "deny.toml";

#[derive(Deserialize)]
struct Deny {
    licenses: Licences,
    bans: Bans,
    sources: Sources,
}

#[derive(Deserialize)]
struct Licences {
    allow: Vec<String>,
    exceptions: Vec<Exception>,
}

#[derive(Deserialize)]
struct Exception {
    allow: Vec<String>,
    #[serde(rename = "crate")]
    name: String,
}

#[derive(Deserialize)]
struct Bans {
    skip: Vec<Skipped>,
}

#[derive(Deserialize)]
struct Skipped {
    /// `name@version`.
    #[serde(rename = "crate")]
    key: String,
    reason: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Sources {
    allow_registry: Vec<String>,
}

/// A crate of others that some feature on some platform compiles.
struct Crate {
    name: String,
    version: String,
    licence: String,
}

/// Where the rules are broken.
pub(super) fn breaches(root: &Path) -> Result<Vec<Breach>, Error> {
    let path = root.join(FILE);
    let text = workspace::read(&path)?;
    let deny: Deny = toml::from_str(&text).map_err(|source| Error::Toml { path, source: Box::new(source) })?;
    let here = crates(root)?;
    let mut breaches = versions(&here, &deny.bans);
    for crates in [here, crates(&root.join(WHEEL.workspace))?] {
        breaches.extend(licences(&crates, &deny.licenses));
    }
    for lock in workspace::files(root)?.iter().filter(|path| path.ends_with("Cargo.lock")) {
        breaches.extend(sources(&shown(lock, root), &sbom::locked(lock)?, &deny.sources));
    }
    Ok(breaches)
}

/// The crates of others in a workspace, whatever its features and the platform.
fn crates(root: &Path) -> Result<Vec<Crate>, Error> {
    let words = vec!["--locked".to_owned()];
    let mut command = MetadataCommand::new();
    let metadata = command.current_dir(root).features(CargoOpt::AllFeatures).other_options(words).exec()?;
    let others = metadata.packages.iter().filter(|one| one.source.is_some());
    let of_package = |one: &cargo_metadata::Package| Crate {
        name: one.name.to_string(),
        version: one.version.to_string(),
        licence: one.license.clone().unwrap_or_default(),
    };
    Ok(others.map(of_package).collect())
}

fn licences(crates: &[Crate], rules: &Licences) -> Vec<Breach> {
    let is_met = |one: &&Crate| {
        let mut exceptions = rules.exceptions.iter().filter(|exception| exception.name == one.name);
        let own: Vec<&String> = exceptions.by_ref().flat_map(|exception| &exception.allow).collect();
        let is_allowed =
            |name: &str| rules.allow.iter().any(|allowed| allowed == name) || own.iter().any(|one| *one == name);
        licence::is_met(&one.licence, &is_allowed)
    };
    let broken = crates.iter().filter(|one| !is_met(one));
    broken.map(|one| Breach::new(FILE, format!("{}: its licence {:?} is not allowed", one.name, one.licence))).collect()
}

/// All versions of a crate but one have a reason, and every reason has a crate.
fn versions(crates: &[Crate], rules: &Bans) -> Vec<Breach> {
    let mut found: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for one in crates {
        found.entry(&one.name).or_default().insert(&one.version);
    }
    let skipped: BTreeSet<&str> = rules.skip.iter().map(|one| one.key.as_str()).collect();
    let mut breaches = Vec::new();
    for (name, versions) in &found {
        let unexplained = versions.iter().filter(|version| !skipped.contains(format!("{name}@{version}").as_str()));
        if unexplained.count() > 1 {
            breaches.push(Breach::new(FILE, format!("{name} stands in several versions: {versions:?}")));
        }
    }
    for one in &rules.skip {
        let (name, version) = one.key.split_once('@').unwrap_or((&one.key, ""));
        let versions = found.get(name).map_or(0, |all| if all.contains(version) { all.len() } else { 0 });
        if versions < 2 || one.reason.is_empty() {
            breaches.push(Breach::new(
                FILE,
                format!("{} does not stand beside another version, or says no reason", one.key),
            ));
        }
    }
    breaches
}

/// What is not ours comes from the registry, with the digest of what was fetched.
fn sources(file: &str, locked: &[sbom::Locked], rules: &Sources) -> Vec<Breach> {
    let is_known = |source: &str| {
        source.strip_prefix("registry+").is_some_and(|from| rules.allow_registry.iter().any(|known| known == from))
    };
    let is_right = |one: &&sbom::Locked| match &one.source {
        // A member, by its path.
        None => one.checksum.is_none(),
        Some(source) => is_known(source) && one.checksum.is_some(),
    };
    let broken = locked.iter().filter(|one| !is_right(one));
    broken.map(|one| Breach::new(file, format!("{}: not from a registry that deny.toml names", one.name))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(name: &str, version: &str, licence: &str) -> Crate {
        Crate { name: name.to_owned(), version: version.to_owned(), licence: licence.to_owned() }
    }

    #[test]
    fn a_licence_is_allowed_for_all_or_for_one() {
        let rules = Licences {
            allow: vec!["MIT".to_owned()],
            exceptions: vec![Exception { allow: vec!["MPL-2.0".to_owned()], name: "a".to_owned() }],
        };
        let crates = [
            one("a", "1.0.0", "MPL-2.0"),
            one("b", "1.0.0", "MPL-2.0"),
            one("c", "1.0.0", "MIT"),
            one("d", "1.0.0", ""),
        ];
        let broken: Vec<String> = licences(&crates, &rules).iter().map(Breach::to_string).collect();
        assert_eq!(broken.len(), 2);
        assert!(broken[0].contains("b: its licence") && broken[1].contains("d: its licence"), "{broken:?}");
    }

    #[test]
    fn another_version_needs_a_reason_and_a_reason_needs_another_version() {
        let skip = |key: &str, reason: &str| Skipped { key: key.to_owned(), reason: reason.to_owned() };
        let crates = [one("a", "1.0.0", "MIT"), one("a", "2.0.0", "MIT"), one("b", "1.0.0", "MIT")];
        let count = |skip: Vec<Skipped>| versions(&crates, &Bans { skip }).len();
        assert_eq!(count(vec![]), 1);
        assert_eq!(count(vec![skip("a@1.0.0", "because")]), 0);
        assert_eq!(count(vec![skip("a@1.0.0", "")]), 1);
        assert_eq!(count(vec![skip("a@1.0.0", "because"), skip("a@1.5.0", "gone"), skip("b@1.0.0", "alone")]), 2);
    }

    #[test]
    fn crates_come_from_the_registry_with_a_digest() {
        let rules = Sources { allow_registry: vec!["https://known".to_owned()] };
        let locked = |source: Option<&str>, checksum: Option<&str>| sbom::Locked {
            name: "a".to_owned(),
            version: "1.0.0".to_owned(),
            source: source.map(str::to_owned),
            checksum: checksum.map(str::to_owned),
        };
        for (source, checksum, is_right) in [
            (None, None, true),
            (Some("registry+https://known"), Some("00"), true),
            (Some("registry+https://known"), None, false),
            (Some("registry+https://other"), Some("00"), false),
            (Some("git+https://known"), Some("00"), false),
        ] {
            assert_eq!(sources("Cargo.lock", &[locked(source, checksum)], &rules).is_empty(), is_right, "{source:?}");
        }
    }
}
