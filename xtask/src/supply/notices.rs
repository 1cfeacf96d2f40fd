//! The licences of others whose code is in the command, in full, as they ask to be handed on.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::External;
use crate::workspace::{self, Error};

/// What is in every binary and in no lock file.
const ALWAYS: &str = "\
The command contains the standard library of Rust (MIT OR Apache-2.0, copyright The Rust Project
contributors) and, where it is static, musl (MIT, copyright Rich Felker and others), both under a
licence of which a text stands below, and the crates that follow.
";

/// How a file of a crate begins that has a licence, or a notice that belongs to one.
const NAMES: [&str; 6] = ["licen", "copying", "notice", "unlicense", "copyright", "authors"];

/// The crates that are compiled into the command with their licences, then every text once.
pub(super) fn of(externals: &[External]) -> Result<String, Error> {
    let mut list = String::from(ALWAYS) + "\n";
    let mut texts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for one in externals.iter().filter(|one| one.is_shipped) {
        let found = texts_of(&one.folder)?;
        let missing = if found.is_empty() { "; its package has no text of it" } else { "" };
        list += &format!("{} {}: {}{missing}\n", one.name, one.version, one.licence);
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

/// The texts of the licence to choose, MIT where there is a choice, and notices.
fn texts_of(folder: &Path) -> Result<Vec<String>, Error> {
    let entries = std::fs::read_dir(folder).map_err(|source| Error::File { path: folder.to_owned(), source })?;
    let mut files = Vec::new();
    for entry in entries.filter_map(Result::ok) {
        let name = entry.file_name().to_string_lossy().to_lowercase();
        if NAMES.iter().any(|start| name.starts_with(start)) && entry.path().is_file() {
            files.push((name, entry.path()));
        }
    }
    files.sort();
    let has_choice = files.iter().any(|(name, _)| name.contains("mit"));
    let is_other = |name: &str| name.starts_with("licen") && !name.contains("mit");
    let chosen = files.iter().filter(|(name, _)| !(has_choice && is_other(name)));
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
        let one = |name: &str, is_shipped| External {
            is_shipped,
            folder: place.path().join(name),
            ..super::super::tests::external(name, &[])
        };
        let text = of(&[one("a", true), one("b", true), one("c", true), one("d", false)]).unwrap();
        assert!(text.contains("\na, b\n\nmay be used\n") && text.contains("\na\n\nmade by A\n"), "{text}");
        assert!(text.contains("c 1.0.0: MIT; its package has no text of it\n") && !text.contains("long"), "{text}");
    }
}
