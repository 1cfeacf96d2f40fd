//! What the workspace is built from: a page of every external crate with its reason, licence and
//! share of unsafe code, a CycloneDX list of what is in the command, the rules of `deny.toml`, and
//! `cargo deny` itself where it is installed.

mod licence;
mod notices;
mod owners;
mod page;
mod reasons;
mod rules;
mod sbom;
mod sources;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cargo_metadata::{CargoOpt, DependencyKind, Metadata, MetadataCommand, Node, Package, PackageId};

use self::owners::Owners;
use crate::tidy::Breach;
use crate::workspace::{self, Error};

const PAGE: &str = "docs/dependencies.md";
/// The platform whose crates are listed: others add what their systems need.
const PLATFORM: &str = "x86_64-unknown-linux-gnu";
/// What a release has: its name in it, its package, and the workspace of that.
pub(crate) const COMMAND: Shipped = Shipped { name: "disclosure", package: "disclosure-cli", workspace: "." };
pub(crate) const WHEEL: Shipped =
    Shipped { name: "disclosure-python", package: "disclosure-python", workspace: "crates/disclosure-python" };

/// A program or a library that is handed on with the crates that are compiled into it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shipped {
    pub(crate) name: &'static str,
    package: &'static str,
    /// From the root.
    workspace: &'static str,
}

#[derive(clap::Args)]
pub(crate) struct SupplyArgs {
    /// Compare docs/dependencies.md with what would be written
    #[arg(long)]
    check: bool,
    /// Also write the CycloneDX list of what is in the command
    #[arg(long, value_name = "FILE")]
    sbom: Option<PathBuf>,
    /// Ask the registry who owns each crate, a second each, and keep its answers under this day
    #[arg(long, value_name = "DAY", conflicts_with = "check")]
    owners: Option<String>,
}

/// A crate of others.
#[derive(Clone, Debug, PartialEq, Eq)]
struct External {
    name: String,
    version: String,
    licence: String,
    /// Whether it is compiled into the command.
    is_shipped: bool,
    /// Members of the workspace that name it.
    members: BTreeSet<String>,
    /// Crates of others that need it.
    needed_by: BTreeSet<String>,
    lines: usize,
    unsafe_lines: usize,
    /// The authors that its manifest names.
    authors: Vec<String>,
    /// Where its package is unpacked.
    folder: PathBuf,
    /// What it needs: names with versions.
    needs: BTreeSet<String>,
}

impl External {
    fn key(&self) -> String {
        format!("{}@{}", self.name, self.version)
    }
}

pub(crate) fn run(root: &Path, args: &SupplyArgs) -> Result<(), Error> {
    let externals = externals(root, COMMAND)?;
    let owners = match &args.owners {
        Some(day) => Owners::ask(root, &externals, day)?,
        None => Owners::kept(root)?,
    };
    let text = page::of(&externals, &owners);
    let mut breaches: Vec<Breach> = missing_reasons(&externals);
    breaches.extend(rules::breaches(root)?);
    let path = root.join(PAGE);
    match args.check {
        true if workspace::read(&path).ok().as_deref() != Some(&text) => {
            breaches.push(Breach::new(PAGE, "is not what Cargo.lock says: cargo xtask supply"));
        }
        true => {}
        false => {
            write(&path, &text)?;
            println!("wrote {PAGE}: {} crates", externals.len());
        }
    }
    if let Some(file) = &args.sbom {
        write(file, &sbom::of(root, COMMAND, &externals)?)?;
        println!("wrote {}", file.display());
    }
    crate::report(&breaches)?;
    deny(root)
}

/// What accompanies something that is handed on.
pub(crate) struct Papers {
    /// The crates that are in it, as a CycloneDX document.
    pub(crate) sbom: String,
    /// Their licences.
    pub(crate) licences: String,
}

/// The papers of something, for a release.
pub(crate) fn papers(root: &Path, shipped: Shipped) -> Result<Papers, Error> {
    let externals = externals(root, shipped)?;
    Ok(Papers { sbom: sbom::of(root, shipped, &externals)?, licences: notices::of(&externals)? })
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    std::fs::write(path, text).map_err(|source| Error::File { path: path.to_owned(), source })
}

/// Every crate that a member names has a reason.
fn missing_reasons(externals: &[External]) -> Vec<Breach> {
    let named: BTreeSet<&str> =
        externals.iter().filter(|one| !one.members.is_empty()).map(|one| one.name.as_str()).collect();
    let known: BTreeSet<&str> = reasons::ALL.iter().map(|(name, _)| *name).collect();
    let place = "xtask/src/supply/reasons.rs";
    named.difference(&known).map(|name| Breach::new(place, format!("{name} has no reason"))).collect()
}

/// The same rules, read by `cargo deny` where it is installed, and the advisories of RustSec where
/// their database can be fetched. Says what was not checked.
fn deny(root: &Path) -> Result<(), Error> {
    if !is_done(root, &["deny", "--version"]) {
        println!(
            "cargo-deny is missing: its rules were checked by ours, advisories were not (cargo install cargo-deny)"
        );
        return Ok(());
    }
    required(root, &["deny", "check", "licenses", "bans", "sources"])?;
    match is_done(root, &["deny", "fetch", "db"]) {
        true => required(root, &["deny", "check", "--disable-fetch", "advisories"]),
        false => {
            println!("the database of advisories cannot be fetched: advisories were not checked");
            Ok(())
        }
    }
}

fn cargo(root: &Path, words: &[&str]) -> Command {
    let mut cargo = Command::new(workspace::cargo());
    cargo.args(words).current_dir(root);
    cargo
}

/// Whether a command succeeds, of which nothing is shown.
fn is_done(root: &Path, words: &[&str]) -> bool {
    let status = cargo(root, words).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

fn required(root: &Path, words: &[&str]) -> Result<(), Error> {
    match cargo(root, words).status().is_ok_and(|status| status.success()) {
        true => Ok(()),
        false => Err(Error::Step { command: format!("cargo {}", words.join(" ")) }),
    }
}

fn externals(root: &Path, shipped: Shipped) -> Result<Vec<External>, Error> {
    let platform = CargoOpt::SomeFeatures(Vec::new());
    let words = ["--filter-platform".to_owned(), PLATFORM.to_owned(), "--locked".to_owned()];
    let root = root.join(shipped.workspace);
    let metadata = MetadataCommand::new().current_dir(root).features(platform).other_options(words).exec()?;
    Ok(of_metadata(&metadata, shipped.package))
}

fn of_metadata(metadata: &Metadata, of: &str) -> Vec<External> {
    let nodes: BTreeMap<&PackageId, &Node> =
        metadata.resolve.iter().flat_map(|resolve| &resolve.nodes).map(|node| (&node.id, node)).collect();
    let packages: BTreeMap<&PackageId, &Package> = metadata.packages.iter().map(|one| (&one.id, one)).collect();
    // By path: a member, or a crate of a workspace beside this one.
    let is_ours = |id: &PackageId| packages.get(id).is_some_and(|package| package.source.is_none());
    let command: Vec<&PackageId> = packages.values().filter(|one| one.name.as_str() == of).map(|one| &one.id).collect();
    let shipped = reached(&command, &nodes);
    let mut externals = Vec::new();
    for package in packages.values().filter(|one| !is_ours(&one.id) && nodes.contains_key(&one.id)) {
        let users = nodes.values().filter(|node| node.dependencies.contains(&package.id));
        let (ours, others): (Vec<&Node>, Vec<&Node>) = users.copied().partition(|node| is_ours(&node.id));
        let name_of = |node: &&Node| packages[&node.id].name.to_string();
        let folder: PathBuf = package.manifest_path.parent().map_or_else(PathBuf::new, Into::into);
        let (lines, unsafe_lines) = sources::count(&folder.join("src"));
        let needs = nodes[&package.id].dependencies.iter().filter_map(|id| packages.get(id));
        externals.push(External {
            name: package.name.to_string(),
            version: package.version.to_string(),
            licence: package.license.clone().unwrap_or_else(|| "not stated".to_owned()),
            is_shipped: shipped.contains(&package.id),
            members: ours.iter().map(name_of).collect(),
            needed_by: others.iter().map(name_of).collect(),
            needs: needs.map(|one| format!("{}@{}", one.name, one.version)).collect(),
            lines,
            unsafe_lines,
            authors: package.authors.clone(),
            folder,
        });
    }
    externals.sort_by_key(External::key);
    externals
}

/// What is compiled for these, tests apart.
fn reached<'a>(from: &[&'a PackageId], nodes: &BTreeMap<&'a PackageId, &'a Node>) -> BTreeSet<&'a PackageId> {
    let mut found: BTreeSet<&PackageId> = from.iter().copied().collect();
    let mut open: Vec<&PackageId> = from.to_vec();
    while let Some(node) = open.pop().and_then(|id| nodes.get(id)) {
        let is_built =
            |kinds: &[cargo_metadata::DepKindInfo]| kinds.iter().any(|kind| kind.kind != DependencyKind::Development);
        for dependency in node.deps.iter().filter(|dependency| is_built(&dependency.dep_kinds)) {
            if found.insert(&dependency.pkg) {
                open.push(&dependency.pkg);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn external(name: &str, members: &[&str]) -> External {
        External {
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            licence: "MIT".to_owned(),
            is_shipped: true,
            members: members.iter().map(|name| (*name).to_owned()).collect(),
            needed_by: BTreeSet::new(),
            needs: BTreeSet::new(),
            lines: 10,
            unsafe_lines: 0,
            authors: vec!["A <a@b.c>".to_owned(); 3],
            folder: PathBuf::new(),
        }
    }

    #[test]
    fn a_crate_that_a_member_names_needs_a_reason() {
        let all: Vec<External> = reasons::ALL.iter().map(|(name, _)| external(name, &["a"])).collect();
        assert!(missing_reasons(&all).is_empty());
        assert_eq!(missing_reasons(&[all, vec![external("nobody-knows", &["a"])]].concat()).len(), 1);
        assert!(missing_reasons(&[external("far-away", &[])]).is_empty(), "it is there for another one");
    }

    #[test]
    fn the_page_says_of_a_crate_why_it_is_there() {
        let externals = [external("rayon", &["resplan", "lcf"]), external("far-away", &[])];
        let text = page::of(&externals, &Owners::default());
        assert!(text.contains("| `rayon` | 1.0.0 | MIT | 0 of 10 | 3 | |"), "{text}");
        assert!(text.contains("| `far-away` |"), "{text}");
    }
}
