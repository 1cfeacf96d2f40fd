//! Standard input, standard output, and files that are read.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use crate::error::Failure;

/// A file, or the standard input for `-`.
pub(crate) fn open(path: &Path) -> Result<Box<dyn Read>, Failure> {
    if path == Path::new("-") {
        return Ok(Box::new(io::stdin().lock()));
    }
    let file = File::open(path).and_then(|file| match file.metadata()?.is_dir() {
        true => Err(io::Error::from(io::ErrorKind::IsADirectory)),
        false => Ok(file),
    });
    Ok(Box::new(file.map_err(|source| Failure::reading(path, &source))?))
}

/// The text of a spec: at most 64 MiB.
pub(crate) fn read_text(path: &Path) -> Result<String, Failure> {
    let mut text = String::new();
    let limit = 1 << 26;
    open(path)?.take(limit).read_to_string(&mut text).map_err(|source| Failure::reading(path, &source))?;
    Ok(text)
}

/// Writes to the standard output. A reader who has gone away is no failure.
pub(crate) fn print(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = anstream::stdout();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(source) if source.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::reading(Path::new("standard output"), &source))
        }
        _ => Ok(()),
    }
}

/// Prints one JSON document.
pub(crate) fn print_json(document: &impl serde::Serialize) -> Result<(), Failure> {
    print(&json_of(document))
}

/// A JSON document as the bytes of a file.
pub(crate) fn json_of(document: &impl serde::Serialize) -> Vec<u8> {
    let mut text = serde_json::to_vec_pretty(document).expect("documents here have string keys and finite numbers");
    text.push(b'\n');
    text
}
