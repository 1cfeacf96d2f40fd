//! Every file under `fixtures/` says where its numbers come from, and is the file that was meant.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::tidy::Breach;
use crate::workspace::{self, Error, digest, shown};

const SOURCES: &str = "SOURCES.toml";
const ENTRY: &str = "[[file]]";

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Sources {
    schema: u32,
    #[serde(default, rename = "file")]
    files: Vec<Entry>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// The file, in the directory of the `SOURCES.toml`.
    path: String,
    /// Where the numbers come from.
    source: String,
    /// How they were made.
    origin: String,
    licence: String,
    sha256: String,
}

pub(crate) fn breaches(root: &Path) -> Result<Vec<Breach>, Error> {
    let mut found = Vec::new();
    for directory in directories(root)? {
        found.extend(of_directory(&directory, root)?);
    }
    Ok(found)
}

/// The directories under `fixtures/` that hold a file.
fn directories(root: &Path) -> Result<BTreeSet<PathBuf>, Error> {
    let files = workspace::files(&root.join("fixtures"))?;
    Ok(files.iter().filter_map(|file| file.parent().map(Path::to_path_buf)).collect())
}

fn of_directory(directory: &Path, root: &Path) -> Result<Vec<Breach>, Error> {
    let path = directory.join(SOURCES);
    let place = shown(&path, root);
    if !path.is_file() {
        return Ok(vec![Breach::new(place, "is missing: say where the files beside it come from")]);
    }
    let sources = match toml::from_str::<Sources>(&workspace::read(&path)?) {
        Ok(sources) if sources.schema == 1 => sources,
        Ok(_) => return Ok(vec![Breach::new(place, "has an unknown schema: this command knows 1")]),
        Err(error) => return Ok(vec![Breach::new(place, format!("cannot be read: {error}"))]),
    };
    let mut found = Vec::new();
    let mut listed = BTreeSet::new();
    for entry in &sources.files {
        if !listed.insert(entry.path.as_str()) {
            found.push(Breach::new(&place, format!("lists {} twice", entry.path)));
        }
        found.extend(
            of_entry(entry, directory)?.map(|problem| Breach::new(&place, format!("{}: {problem}", entry.path))),
        );
    }
    let here = workspace::files(directory)?.into_iter().filter(|file| file.parent() == Some(directory));
    let names = here.filter_map(|file| Some(file.file_name()?.to_string_lossy().into_owned()));
    let unlisted = names.filter(|name| name != SOURCES && !listed.contains(name.as_str()));
    found.extend(unlisted.map(|name| Breach::new(&place, format!("does not list {name}: say where it comes from"))));
    Ok(found)
}

fn of_entry(entry: &Entry, directory: &Path) -> Result<Option<&'static str>, Error> {
    let path = directory.join(&entry.path);
    if path.parent() != Some(directory) || !path.is_file() {
        return Ok(Some("is listed and not there"));
    }
    if [&entry.source, &entry.origin, &entry.licence].iter().any(|field| field.trim().is_empty()) {
        return Ok(Some("needs a source, an origin and a licence"));
    }
    Ok((digest(&path)? != entry.sha256).then_some("has changed: if that is meant, run `cargo xtask fixtures --write`"))
}

/// Writes the digests of listed files where they are stale; returns the `SOURCES.toml` files that
/// it changed.
pub(crate) fn write(root: &Path) -> Result<Vec<String>, Error> {
    let mut written = Vec::new();
    for directory in directories(root)? {
        let path = directory.join(SOURCES);
        if !path.is_file() {
            continue;
        }
        let before = workspace::read(&path)?;
        let after = refreshed(&before, &path, &directory)?;
        if before != after {
            std::fs::write(&path, after).map_err(|source| Error::File { path: path.clone(), source })?;
            written.push(shown(&path, root));
        }
    }
    Ok(written)
}

/// The text of a `SOURCES.toml` with right digests; everything else stays as its author wrote it.
fn refreshed(text: &str, path: &Path, directory: &Path) -> Result<String, Error> {
    let failed = |source| Error::Toml { path: path.to_path_buf(), source: Box::new(source) };
    let mut parts = text.split(ENTRY);
    let mut after = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let file = directory.join(toml::from_str::<Entry>(part).map_err(failed)?.path);
        let digest = if file.is_file() { Some(digest(&file)?) } else { None };
        after.push_str(ENTRY);
        for line in part.split_inclusive('\n') {
            match &digest {
                Some(digest) if line.trim_start().starts_with("sha256") => {
                    after.push_str(&format!("sha256 = \"{digest}\"\n"));
                }
                _ => after.push_str(line),
            }
        }
    }
    Ok(after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// Of the text `1 2` and a line feed, as `sha256sum` gives it.
    const DIGEST: &str = "f251ddc12234e0da8d3b778bd0f7463fb477f16f47757f5617dc8b4ff4d4f14a";

    fn entry(path: &str, source: &str, sha256: &str) -> String {
        format!(
            "[[file]] # of\npath = \"{path}\"\nsource = \"{source}\"\norigin = \"by hand\"\nlicence = \"facts\"\n\
             sha256 = \"{sha256}\"\n"
        )
    }

    fn sources(entries: &[String]) -> String {
        format!("schema = 1\n\n{}", entries.join("\n"))
    }

    /// A directory `fixtures/core` with the file `a.txt`, and a `SOURCES.toml` of this text
    /// unless it is empty.
    fn planted(sources: &str) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        let core = root.path().join("fixtures/core");
        fs::create_dir_all(&core).unwrap();
        fs::write(core.join("a.txt"), "1 2\n").unwrap();
        if !sources.is_empty() {
            fs::write(core.join(SOURCES), sources).unwrap();
        }
        root
    }

    fn check(sources: &str) -> Vec<String> {
        breaches(planted(sources).path()).unwrap().into_iter().map(|breach| breach.to_string()).collect()
    }

    #[test]
    fn a_file_with_its_source_and_digest_passes() {
        assert_eq!(check(&sources(&[entry("a.txt", "a paper", DIGEST)])), [""; 0]);
    }

    #[test]
    fn every_fault_is_a_breach_of_its_own() {
        let good = || entry("a.txt", "a paper", DIGEST);
        for (planted, word) in [
            (String::new(), "is missing"),
            (sources(&[]), "does not list a.txt"),
            (sources(&[entry("a.txt", "a paper", &DIGEST.replace('f', "e"))]), "has changed"),
            (sources(&[entry("a.txt", "a paper", &DIGEST.to_uppercase())]), "has changed"),
            (sources(&[entry("a.txt", " ", DIGEST)]), "needs a source"),
            (sources(&[good(), entry("b.txt", "a paper", DIGEST)]), "b.txt: is listed and not there"),
            (sources(&[good(), entry("../core/a.txt", "a paper", DIGEST)]), "is listed and not there"),
            (sources(&[good(), good()]), "lists a.txt twice"),
            (sources(&[good() + "colour = \"red\"\n"]), "cannot be read"),
            (sources(&[good()]).replace("schema = 1", "schema = 2"), "unknown schema"),
        ] {
            let found = check(&planted);
            assert_eq!(found.len(), 1, "{planted}\n{found:?}");
            assert!(found[0].starts_with("fixtures/core/SOURCES.toml: ") && found[0].contains(word), "{}", found[0]);
        }
    }

    #[test]
    fn writing_mends_digests_and_nothing_else() {
        let stale = sources(&[entry("a.txt", "a paper", "stale"), entry("gone.txt", "a paper", "kept")]);
        let root = planted(&stale);
        fs::write(root.path().join("fixtures/core/unlisted.txt"), "3").unwrap();
        assert_eq!(write(root.path()).unwrap(), ["fixtures/core/SOURCES.toml"]);
        let text = fs::read_to_string(root.path().join("fixtures/core/SOURCES.toml")).unwrap();
        assert_eq!(text, stale.replace("stale", DIGEST));
        assert_eq!(write(root.path()).unwrap(), [""; 0], "nothing is left to do");
        assert_eq!(breaches(root.path()).unwrap().len(), 2, "the missing and the unlisted file remain");
    }
}
