//! Documents: the JSON Schemas of `docs/schemas/` and the tables of `docs/formats.md`, written
//! from the types that serde reads and writes.
//!
//! `docs/schemas/documents.toml` lists the documents with their types. What stands above the mark
//! of the page is written by hand and stays.

mod attributes;
mod page;
mod schema;
mod shape;
mod types;

use std::collections::BTreeSet;
use std::path::Path;

use serde::Deserialize;

use crate::api::crates::{self, Library};
use crate::tidy::Breach;
use crate::workspace::{self, Error, shown};
use shape::Reader;
use types::{Place, Types};

const FOLDER: &str = "docs/schemas";
const LIST: &str = "docs/schemas/documents.toml";
const PAGE: &str = "docs/formats.md";
const MARK: &str = "<!-- From here on written by `cargo xtask api`. -->\n";

/// What the generated part of the page begins with.
const HEADING: &str = "\n## Every field of every document\n\n\
    A field that is not marked optional is always there. Unknown fields of a TOML file are refused;\n\
    programs that read JSON documents ignore the fields that they do not know.\n";

/// The list of documents.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    #[serde(rename = "document")]
    documents: Vec<Document>,
}

/// A document: a JSON document with a `schema` field, or a TOML file that a person writes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    /// Its `schema` field, such as `disclosure.run/1`; of a TOML file, a name such as
    /// `job of run`.
    name: String,
    /// The crate of its type.
    library: String,
    /// The type, by its module and name.
    #[serde(rename = "type")]
    path: String,
    /// What it is, in a sentence.
    about: String,
    /// The file it is in, or the command that prints it.
    place: String,
}

impl Document {
    fn is_json(&self) -> bool {
        self.name.starts_with("disclosure.")
    }

    /// The name of its file in `docs/schemas`.
    fn file(&self) -> String {
        let stem = self.name.trim_start_matches("disclosure.").replace(['/', ' '], "-");
        format!("{stem}.json")
    }

    fn title(&self) -> String {
        if self.is_json() { format!("`{}`", self.name) } else { format!("TOML: {}", self.name) }
    }

    fn about_with_place(&self) -> String {
        format!("{} {} JSON Schema: [{}](schemas/{2}).", self.about, self.place, self.file())
    }
}

/// What the types say: a file of each document, by its path, and the generated part of the page.
struct Generated {
    files: Vec<(String, String)>,
    page: String,
}

/// Writes the schemas and the page; returns the files that changed.
pub(crate) fn write(root: &Path) -> Result<Vec<String>, Error> {
    let mut changed = Vec::new();
    for (name, text) in files(root)? {
        let path = root.join(&name);
        if !path.is_file() || workspace::read(&path)? != text {
            std::fs::write(&path, text).map_err(|source| Error::File { path, source })?;
            changed.push(name);
        }
    }
    Ok(changed)
}

/// Files that are not what the types say, and files of documents that do not exist.
pub(crate) fn breaches(root: &Path) -> Result<Vec<Breach>, Error> {
    let mut found = Vec::new();
    let mut known = BTreeSet::from([LIST.to_owned()]);
    for (name, text) in files(root)? {
        let path = root.join(&name);
        if !path.is_file() || workspace::read(&path)? != text {
            found.push(Breach::new(&name, "is not what the types say: run `cargo xtask api`, and judge what changed"));
        }
        known.insert(name);
    }
    for file in workspace::files(&root.join(FOLDER))? {
        let name = shown(&file, root);
        if !known.contains(&name) {
            found.push(Breach::new(name, format!("is the schema of no document of {LIST}")));
        }
    }
    found.extend(unlisted(root)?);
    Ok(found)
}

fn files(root: &Path) -> Result<Vec<(String, String)>, Error> {
    let Generated { mut files, page } = generated(root)?;
    let before = workspace::read(&root.join(PAGE))?;
    let by_hand = before.split_once(MARK).map_or(before.as_str(), |(head, _)| head);
    files.push((PAGE.to_owned(), format!("{by_hand}{MARK}{page}")));
    Ok(files)
}

fn list(root: &Path) -> Result<List, Error> {
    let path = root.join(LIST);
    toml::from_str(&workspace::read(&path)?).map_err(|source| Error::Toml { path, source: Box::new(source) })
}

fn generated(root: &Path) -> Result<Generated, Error> {
    let libraries = crates::libraries(root)?;
    let types = Types::of(&libraries);
    let mut shown = BTreeSet::new();
    let mut generated = Generated { files: Vec::new(), page: HEADING.to_owned() };
    for document in list(root)?.documents {
        let unknown = || Error::NoDocument { name: document.name.clone(), path: document.path.clone() };
        let (place, name) = place(&libraries, &document).ok_or_else(unknown)?;
        let mut reader = Reader::new(&types);
        let shape::Shape::Named(known) = reader.named(&name, place) else { return Err(unknown()) };
        let schema = schema::of(&document, &known, &reader.definitions);
        let text = serde_json::to_string_pretty(&schema)? + "\n";
        generated.files.push((format!("{FOLDER}/{}", document.file()), text));
        generated.page.push('\n');
        generated.page.push_str(&page::of(&document, &known, &reader.definitions, &mut shown));
    }
    Ok(generated)
}

/// The module of a document's type, and the name of the type.
fn place<'a>(libraries: &'a [Library], document: &Document) -> Option<(Place<'a>, String)> {
    let library = libraries.iter().find(|library| library.name == document.library)?;
    let mut path: Vec<&str> = document.path.split("::").collect();
    let name = path.pop()?.to_owned();
    let module = path.iter().try_fold(&library.root, |module, child| module.children.get(*child))?;
    Some((Place { library: &library.name, module }, name))
}

/// Names of documents in the sources of the jobs that the list does not have.
fn unlisted(root: &Path) -> Result<Vec<Breach>, Error> {
    let listed: BTreeSet<String> = list(root)?.documents.into_iter().map(|document| document.name).collect();
    let mut found = Vec::new();
    for file in workspace::files(&root.join("crates/disclosure-jobs/src"))? {
        for name in names(&workspace::read(&file)?) {
            if !listed.contains(&name) {
                found.push(Breach::new(shown(&file, root), format!("writes {name}, which {LIST} does not list")));
            }
        }
    }
    Ok(found)
}

/// What stands in quotes as a name of a document: `disclosure.`, words, a slash and a number.
fn names(source: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (at, _) in source.match_indices("\"disclosure.") {
        let name: String = source[at + 1..].chars().take_while(|c| *c != '"').collect();
        let version = name.split_once('/').map(|(_, version)| version);
        if version.is_some_and(|version| !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit())) {
            found.insert(name);
        }
    }
    found
}

#[cfg(test)]
mod tests;
