//! Standard input, standard output, and files that are read.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use privacy_data::OutputDir;

use crate::digest::DigestWriter;
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

/// The text of a domain file or of a file that a spec names: refused above 16 MiB, never cut.
pub(crate) fn read_text(path: &Path) -> Result<String, Failure> {
    read_text_at_most(path, |_| 1 << 24)
}

/// The text of a file: refused above the limit that its first bytes call for, never cut.
pub(crate) fn read_text_at_most(path: &Path, limit: impl FnOnce(&[u8]) -> u64) -> Result<String, Failure> {
    /// Enough to tell one format from another.
    const HEAD: u64 = 1 << 10;
    let failed = |source| Failure::reading(path, &source);
    let (mut file, mut bytes) = (open(path)?, Vec::new());
    file.by_ref().take(HEAD).read_to_end(&mut bytes).map_err(failed)?;
    let limit = limit(&bytes);
    file.take((limit + 1).saturating_sub(HEAD)).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > limit {
        return Err(Failure::new("E0614", format!("the file is larger than {} MiB", limit >> 20)).within(path));
    }
    String::from_utf8(bytes).map_err(|_| Failure::new("E0210", "the file is not UTF-8 text").within(path))
}

/// Writes to the standard output. A reader who has gone away is no failure.
pub(crate) fn print(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = anstream::stdout();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(source) if source.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::new("E0107", format!("the standard output could not be written: {source}")))
        }
        _ => Ok(()),
    }
}

/// Says something to a person, on the standard error. That nobody hears it is no failure.
pub(crate) fn say(words: &str) {
    let _ = writeln!(anstream::stderr(), "{words}");
}

/// Refuses `-`, which is a standard stream and no name for a file that is written.
pub(crate) fn named(path: &Path) -> Result<&Path, Failure> {
    if path == Path::new("-") {
        return Err(Failure::new("E0200", "- is a standard stream: give the name of a file or directory to write"));
    }
    Ok(path)
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

/// A file that was written: its name, its SHA-256, its bytes.
pub(crate) type Digested = (String, String, u64);

/// Writes one file of an output directory piece by piece; its digest and its bytes.
pub(crate) fn write_digested(
    directory: &mut OutputDir,
    name: &str,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(String, u64), Failure> {
    let mut digest = None;
    directory.write_with(name, |file| {
        let mut file = DigestWriter::new(file);
        write(&mut file)?;
        digest = Some(file.finish());
        Ok(())
    })?;
    Ok(digest.expect("a file that was written has a digest"))
}

/// Name of the file of a table: its number, and its attributes as far as a file name can hold them.
pub(crate) fn file_name(number: usize, total: usize, attributes: &[String]) -> String {
    let digits = total.saturating_sub(1).max(1).ilog10() as usize + 1;
    let plain = |name: &String| -> String {
        let keep = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
        name.chars().map(keep).take(24).collect()
    };
    let names: Vec<String> = attributes.iter().map(plain).collect();
    // A name of nothing but other characters says nothing.
    let said = names.iter().map(|name| if name.chars().all(|c| c == '-') { "attribute" } else { name.as_str() });
    let stem = if names.is_empty() { "total".to_owned() } else { said.collect::<Vec<_>>().join("_by_") };
    format!("{number:0digits$}-{}.csv", stem.chars().take(160).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_safe_and_sort_as_the_workload() {
        let names = |parts: &[&str]| parts.iter().map(|p| (*p).to_owned()).collect::<Vec<_>>();
        assert_eq!(file_name(0, 1, &[]), "0-total.csv");
        assert_eq!(file_name(7, 11, &names(&["Age", "Hours/Week"])), "07-age_by_hours-week.csv");
        assert_eq!(file_name(3, 1000, &names(&["../../etc"])), "003-------etc.csv");
        assert!(file_name(3, 10, &vec!["x".repeat(300); 20]).len() < 200);
    }
}
