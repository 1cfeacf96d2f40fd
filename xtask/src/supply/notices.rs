//! The licences of others whose code is in the command, in full, as they ask to be handed on.

use std::collections::{BTreeMap, BTreeSet};

use super::External;
use super::licence::is_met;
use crate::workspace::{self, Error};

/// What is in every binary and in no lock file.
const ALWAYS: &str = "\
The command contains the standard library of Rust (MIT OR Apache-2.0, copyright The Rust Project
contributors) and, where it is static, musl (MIT, copyright Rich Felker and others), both under a
licence of which a text stands below, and the crates that follow.
";

/// How a file of a crate begins that has a licence, or a notice that belongs to one.
const NAMES: [&str; 6] = ["licen", "copying", "notice", "unlicense", "copyright", "authors"];

const APACHE: &str = "Apache-2.0";

/// The crates that are compiled into the command with their licences, then every text once.
pub(super) fn of(externals: &[External]) -> Result<String, Error> {
    let mut list = String::from(ALWAYS) + "\n";
    let mut texts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for one in externals.iter().filter(|one| one.is_shipped) {
        let found = texts_of(one)?;
        list += &format!("{} {}: {}", one.name, one.version, one.licence);
        if found.is_empty() {
            list += &format!("; its package has no text of it; by {}", one.authors.join(", "));
        }
        list.push('\n');
        for text in found {
            texts.entry(text).or_default().insert(one.name.clone());
        }
    }
    for (text, names) in texts {
        let names = names.into_iter().collect::<Vec<_>>().join(", ");
        list += &format!("\n{}\n{names}\n\n{text}\n", "-".repeat(78));
    }
    Ok(list)
}

/// The texts of a crate; without that of Apache, which is long, where MIT can be chosen instead.
fn texts_of(one: &External) -> Result<Vec<String>, Error> {
    let entries = std::fs::read_dir(&one.folder);
    let entries = entries.map_err(|source| Error::File { path: one.folder.clone(), source })?;
    let mut files = Vec::new();
    for entry in entries.filter_map(Result::ok) {
        let name = entry.file_name().to_string_lossy().to_lowercase();
        if NAMES.iter().any(|start| name.starts_with(start)) && entry.path().is_file() {
            files.push((name, entry.path()));
        }
    }
    files.sort();
    let is_alone = files.iter().any(|(name, _)| name.contains("mit")) && is_met(&one.licence, &|name| name != APACHE);
    let chosen = files.iter().filter(|(name, _)| !(is_alone && name.contains("apache")));
    chosen.map(|(_, path)| Ok(workspace::read(path)?.trim().replace('\r', ""))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_stands_once_and_names_its_crates() {
        let place = tempfile::tempdir().unwrap();
        let write = |file: &str, text: &str| {
            let path = place.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("a/LICENSE-MIT", "may be used\r\n");
        write("a/LICENSE-APACHE", "long");
        write("a/NOTICE", "made by A");
        write("b/license.txt", "may be used");
        write("c/README.md", "no licence");
        write("e/LICENSE-MIT", "may be used");
        write("e/LICENSE-UNICODE", "tables");
        write("e/LICENSE-APACHE", "and this");
        let one = |name: &str, licence: &str| External {
            licence: licence.to_owned(),
            folder: place.path().join(name),
            ..super::super::tests::external(name, &[])
        };
        let tests = External { is_shipped: false, ..one("d", "MIT") };
        let both = one("e", "MIT AND Apache-2.0 AND Unicode-3.0");
        let text = of(&[one("a", "MIT OR Apache-2.0"), one("b", "MIT"), one("c", "MIT"), tests, both]).unwrap();
        assert!(text.contains("\na, b, e\n\nmay be used\n") && text.contains("\na\n\nmade by A\n"), "{text}");
        assert!(text.contains("\ne\n\ntables\n") && text.contains("\ne\n\nand this\n"), "{text}");
        assert!(text.contains("c 1.0.0: MIT; its package has no text of it; by A <a@b.c>"), "{text}");
        assert!(!text.contains("long"), "{text}");
    }
}
