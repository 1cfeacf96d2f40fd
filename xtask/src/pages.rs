//! The pages of `docs/math/` keep up with the code that they explain.
//!
//! A page begins with a comment that lists the modules it explains, each with the digest of the
//! text that was read against it. A digest that differs asks for a reading, not for a command:
//! [`reread`] writes down that it was done. Modules that no page explains are listed with a
//! reason in the table of `docs/math/README.md`; a directory there, with its last slash, stands
//! for all modules below it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::tidy::Breach;
use crate::workspace::{self, Error, shown};

const DIRECTORY: &str = "docs/math";
const INDEX: &str = "docs/math/README.md";
const HEAD: &str = "<!-- Explains, as last read against it:";
const FOOT: &str = "-->";

/// Crates all of whose modules are explained by a page, or listed in [`INDEX`].
const EXPLAINED: &[&str] = &[
    "privacy-core",
    "resplan",
    "synthetic-people",
    "adaptive-marginals",
    "frechet-release",
    "magnitude-release",
    "lcf",
    "ldp-pmdh",
    "hetero-screen",
    "label-attack",
    "attack-sim",
];

pub(crate) fn breaches(root: &Path) -> Result<Vec<Breach>, Error> {
    let mut found = Vec::new();
    let mut explained = BTreeSet::new();
    for page in pages(root)? {
        let place = shown(&page, root);
        let text = workspace::read(&page)?;
        match Listing::of(&text) {
            None => found.push(Breach::new(&place, format!("lists no code: begin it with `{HEAD}`"))),
            Some(listing) => {
                found.extend(of_page(&place, &listing, root)?);
                explained.extend(listing.entries.into_iter().map(|(path, _)| path.to_owned()));
            }
        }
    }
    let unexplained = unexplained(root)?;
    for (path, reason) in &unexplained {
        found.extend(of_exception(path, reason, &explained, root));
    }
    for module in modules(root)? {
        let has_reason =
            unexplained.keys().any(|path| path == &module || path.ends_with('/') && module.starts_with(path));
        if !explained.contains(&module) && !has_reason {
            let problem =
                format!("is explained by no page of {DIRECTORY}: list it in one, or with a reason in {INDEX}");
            found.push(Breach::new(module, problem));
        }
    }
    Ok(found)
}

fn of_page(place: &str, listing: &Listing<'_>, root: &Path) -> Result<Vec<Breach>, Error> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for (path, recorded) in &listing.entries {
        if !seen.insert(path) {
            found.push(Breach::new(place, format!("lists {path} twice")));
        } else if !is_file(path, root) {
            found.push(Breach::new(place, format!("explains {path}, which is not there")));
        } else if mark(&root.join(path))? != *recorded {
            let advice = format!("re-read {place} against {path}, then `cargo xtask tidy --reread {place}`");
            found.push(Breach::new(place, advice));
        }
    }
    Ok(found)
}

fn of_exception(path: &str, reason: &str, explained: &BTreeSet<String>, root: &Path) -> Vec<Breach> {
    let faults = [
        (reason.is_empty(), "without a reason"),
        (!is_file(path, root) && !is_directory(path, root), "which is not there"),
        (explained.contains(path), "which a page explains"),
    ];
    let faults = faults.iter().filter(|(is_fault, _)| *is_fault);
    faults.map(|(_, fault)| Breach::new(INDEX, format!("lists {path}, {fault}"))).collect()
}

/// The first 16 hexadecimal digits of a module's digest: enough to notice a change, and a line of a
/// page stays short.
fn mark(path: &Path) -> Result<String, Error> {
    let mut digest = workspace::digest(path)?;
    digest.truncate(16);
    Ok(digest)
}

/// Writes the digests of today's modules into the list of a page, after somebody has read the one
/// against the other. Returns whether that changed the page.
pub(crate) fn reread(page: &Path, root: &Path) -> Result<bool, Error> {
    let path = root.join(page);
    let before = workspace::read(&path)?;
    let no_list = || Error::NoList { path: page.to_path_buf(), head: HEAD };
    let listing = Listing::of(&before).ok_or_else(no_list)?;
    let mut after = format!("{HEAD}\n");
    for (module, _) in &listing.entries {
        after.push_str(&format!("{module} {}\n", mark(&root.join(module))?));
    }
    after.push_str(FOOT);
    after.push_str(listing.rest);
    if after != before {
        std::fs::write(&path, &after).map_err(|source| Error::File { path, source })?;
    }
    Ok(after != before)
}

/// The list at the head of a page.
struct Listing<'a> {
    /// Modules with the digests that are recorded for them; a new one has an empty digest.
    entries: Vec<(&'a str, &'a str)>,
    /// The page after its list.
    rest: &'a str,
}

impl<'a> Listing<'a> {
    fn of(text: &'a str) -> Option<Self> {
        let (list, rest) = text.strip_prefix(HEAD)?.split_once(FOOT)?;
        let lines = list.lines().map(str::trim).filter(|line| !line.is_empty());
        let entries: Vec<_> = lines.map(|line| line.split_once(' ').unwrap_or((line, ""))).collect();
        (!entries.is_empty()).then_some(Self { entries, rest })
    }
}

fn pages(root: &Path) -> Result<Vec<PathBuf>, Error> {
    let directory = root.join(DIRECTORY);
    let files = if directory.is_dir() { workspace::files(&directory)? } else { Vec::new() };
    let is_page = |file: &PathBuf| file.extension().is_some_and(|e| e == "md") && shown(file, root) != INDEX;
    Ok(files.into_iter().filter(is_page).collect())
}

/// The modules in the table of the index, with their reasons: `| reason | `path`, `path` |`.
fn unexplained(root: &Path) -> Result<BTreeMap<String, String>, Error> {
    let path = root.join(INDEX);
    let text = if path.is_file() { workspace::read(&path)? } else { String::new() };
    let rows = text.lines().filter_map(|line| line.strip_prefix('|')?.split_once('|'));
    let listed = rows.flat_map(|(reason, modules)| {
        let paths = modules.split('`').skip(1).step_by(2).filter(|path| path.starts_with("crates/"));
        paths.map(|path| (path.to_owned(), reason.trim().to_owned()))
    });
    Ok(listed.collect())
}

/// The modules that need a page or a reason: sources, but for tests and what only declares other
/// modules.
fn modules(root: &Path) -> Result<Vec<String>, Error> {
    let mut found = Vec::new();
    for member in EXPLAINED {
        let sources = root.join("crates").join(member).join("src");
        let files = if sources.is_dir() { workspace::files(&sources)? } else { Vec::new() };
        found.extend(files.iter().map(|file| shown(file, root)).filter(|path| {
            path.ends_with(".rs")
                && !path.contains("/tests/")
                && !path.ends_with("/tests.rs")
                && !path.ends_with("/lib.rs")
        }));
    }
    Ok(found)
}

/// Whether a path is written as this page should write it, and is a file.
fn is_file(path: &str, root: &Path) -> bool {
    !path.contains("..") && Path::new(path).is_relative() && root.join(path).is_file()
}

/// Whether a path is written as a directory should be written, and is one.
fn is_directory(path: &str, root: &Path) -> bool {
    path.ends_with('/') && !path.contains("..") && Path::new(path).is_relative() && root.join(path).is_dir()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const PAGE: &str = "docs/math/lcf.md";
    const MODULE: &str = "crates/lcf/src/law.rs";

    /// A tree with one module, and one page that lists it and was read against it.
    fn workspace() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for directory in ["docs/math", "crates/lcf/src/tests"] {
            fs::create_dir_all(root.path().join(directory)).unwrap();
        }
        fs::write(root.path().join(MODULE), "//! p = 1/2").unwrap();
        for skipped in ["lib.rs", "tests.rs", "tests/exact.rs"] {
            fs::write(root.path().join("crates/lcf/src").join(skipped), "").unwrap();
        }
        fs::write(root.path().join(PAGE), format!("{HEAD}\n{MODULE}\n{FOOT}\n# Laws\n")).unwrap();
        assert!(reread(Path::new(PAGE), root.path()).unwrap());
        root
    }

    /// The breaches of the workspace after some files of it were written anew.
    fn after(files: &[(&str, &str)]) -> Vec<Breach> {
        let root = workspace();
        for (path, text) in files {
            fs::write(root.path().join(path), text).unwrap();
        }
        breaches(root.path()).unwrap()
    }

    #[test]
    fn a_page_that_was_read_against_its_module_is_in_order() {
        assert_eq!(after(&[]), []);
        let root = workspace();
        assert!(!reread(Path::new(PAGE), root.path()).unwrap());
        assert!(fs::read_to_string(root.path().join(PAGE)).unwrap().ends_with(&format!("{FOOT}\n# Laws\n")));
    }

    #[test]
    fn a_changed_module_asks_for_a_reading_until_it_was_read() {
        let root = workspace();
        fs::write(root.path().join(MODULE), "//! p = 1/3").unwrap();
        let found = breaches(root.path()).unwrap();
        let wanted = format!("re-read {PAGE} against {MODULE}, then `cargo xtask tidy --reread {PAGE}`");
        assert_eq!(found, [Breach::new(PAGE, wanted)]);
        assert!(reread(Path::new(PAGE), root.path()).unwrap());
        assert_eq!(breaches(root.path()).unwrap(), []);
    }

    #[test]
    fn what_no_page_explains_is_a_breach_until_it_has_a_reason() {
        let new = "crates/lcf/src/error.rs";
        let found = after(&[(new, "")]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].place, new);
        assert_eq!(after(&[(new, ""), (INDEX, &format!("| errors | `{new}` |"))]), []);
        assert_eq!(after(&[(new, ""), (INDEX, "| all of it | `crates/lcf/src/` |")]), []);
        assert_eq!(after(&[(new, ""), (INDEX, "| all of it | `crates/lcf/src` |")]).len(), 2);
        assert_eq!(after(&[(INDEX, "| nothing | `crates/lcf/sources/` |")]).len(), 1);
    }

    #[test]
    fn exceptions_without_reason_without_module_or_without_need_are_breaches() {
        for (module, reason, fault) in
            [("error.rs", " ", "reason"), ("gone.rs", "old", "not there"), ("law.rs", "errors", "a page explains")]
        {
            let index = format!("|{reason}| `crates/lcf/src/{module}` |");
            let mut files = vec![(INDEX, index.as_str())];
            if module == "error.rs" {
                files.push(("crates/lcf/src/error.rs", ""));
            }
            let found = after(&files);
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found[0].problem.contains(fault), "{}", found[0]);
        }
    }

    #[test]
    fn pages_without_a_list_or_with_a_wrong_one_are_breaches() {
        let line = format!("{MODULE} {}", "0".repeat(64));
        for (text, fault) in [
            ("# Laws\n".to_owned(), "lists no code"),
            (format!("{HEAD}\n{FOOT}\n"), "lists no code"),
            (format!("{HEAD}\n{line}\n{line}\n{FOOT}\n"), "twice"),
            (format!("{HEAD}\ncrates/lcf/src/gone.rs 00\n{FOOT}\n"), "not there"),
            (format!("{HEAD}\ncrates/lcf/src/../src/law.rs 00\n{FOOT}\n"), "not there"),
        ] {
            let found = after(&[(PAGE, &text)]);
            assert!(found.iter().any(|breach| breach.problem.contains(fault)), "{fault}: {found:?}");
        }
        assert!(matches!(reread(Path::new("README.md"), workspace().path()), Err(Error::File { .. })));
        let root = workspace();
        fs::write(root.path().join(PAGE), "# Laws").unwrap();
        assert!(matches!(reread(Path::new(PAGE), root.path()), Err(Error::NoList { .. })));
    }
}
