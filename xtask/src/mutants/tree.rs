//! The copy of the workspace that holds the mutants. A file is written where its text changes, so
//! that cargo compiles again what differs and nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::workspace::{self, Error};

const SWITCH: &str = include_str!("switch.rs");

/// The copy, below `target`.
pub(super) fn directory(root: &Path) -> PathBuf {
    root.join("target/mutants/tree")
}

/// Copies what git tracks, or would; with other texts for some of the files.
pub(super) fn copy(root: &Path, rewritten: &BTreeMap<String, String>) -> Result<(), Error> {
    let tree = directory(root);
    let tracked = tracked(root)?;
    let kept: BTreeSet<PathBuf> = tracked.iter().chain(rewritten.keys()).map(|path| tree.join(path)).collect();
    if tree.is_dir() {
        for stale in workspace::files(&tree)?.iter().filter(|path| !kept.contains(*path)) {
            std::fs::remove_file(stale).map_err(|source| Error::File { path: stale.clone(), source })?;
        }
    }
    for path in tracked.iter().filter(|path| !rewritten.contains_key(*path)) {
        let from = root.join(path);
        if from.is_file() {
            let bytes = std::fs::read(&from).map_err(|source| Error::File { path: from, source })?;
            write(&tree.join(path), &bytes)?;
        }
    }
    rewritten.iter().try_for_each(|(path, text)| write(&tree.join(path), text.as_bytes()))
}

fn tracked(root: &Path) -> Result<Vec<String>, Error> {
    let arguments = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let failed = || Error::Step { command: "git ls-files".to_owned() };
    let output = Command::new("git").args(arguments).current_dir(root).output().map_err(|_| failed())?;
    if !output.status.success() {
        return Err(failed());
    }
    let names = String::from_utf8_lossy(&output.stdout);
    Ok(names.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect())
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    if std::fs::read(path).is_ok_and(|present| present == bytes) {
        return Ok(());
    }
    let parent = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    parent.and_then(|()| std::fs::write(path, bytes)).map_err(|source| Error::File { path: path.to_path_buf(), source })
}

/// The module that the mutants of a crate ask, and the head of the crate with its declaration.
pub(super) fn with_switch(crate_dir: &str, head: &str, count: u32, files: &mut BTreeMap<String, String>) {
    files.insert(format!("{crate_dir}/src/mutant.rs"), format!("{SWITCH}\nconst COUNT: usize = {count};\n"));
    files.insert(format!("{crate_dir}/src/lib.rs"), format!("{head}\nmod mutant;\n"));
}
