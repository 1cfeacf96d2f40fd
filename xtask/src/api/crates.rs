//! The sources of a library as a tree of modules.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use syn::{Attribute, Item, Visibility};

use super::text;
use crate::workspace::{self, Error};

/// A library of the workspace.
pub(crate) struct Library {
    pub(crate) name: String,
    pub(crate) root: Module,
}

/// A module: its items, and the modules that it declares.
#[derive(Default)]
pub(crate) struct Module {
    /// What stands at the head of its file.
    pub(crate) head: Vec<Attribute>,
    pub(crate) items: Vec<Item>,
    pub(crate) children: BTreeMap<String, Module>,
}

/// The crates under `crates/` that are libraries, by name.
pub(crate) fn libraries(root: &Path) -> Result<Vec<Library>, Error> {
    roots(root, &["src/lib.rs"])
}

/// The same, and the crates that are commands.
pub(crate) fn all(root: &Path) -> Result<Vec<Library>, Error> {
    roots(root, &["src/lib.rs", "src/main.rs"])
}

/// The crates under `crates/` that have one of these files, read from the first that is there.
fn roots(root: &Path, files: &[&str]) -> Result<Vec<Library>, Error> {
    let crates = root.join("crates");
    let failed = |source| Error::File { path: crates.clone(), source };
    let directories = std::fs::read_dir(&crates).map_err(failed)?.collect::<Result<Vec<_>, _>>().map_err(failed)?;
    let mut found = Vec::new();
    for directory in directories {
        let path = files.iter().map(|file| directory.path().join(file)).find(|path| path.is_file());
        if let Some(path) = path {
            let name = directory.file_name().to_string_lossy().into_owned();
            let children = directory.path().join("src");
            found.push(Library { name, root: Module::read(&path, &children)? });
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

impl Module {
    fn read(path: &Path, children: &Path) -> Result<Self, Error> {
        let failed = |source| Error::Syntax { path: path.to_path_buf(), source };
        let file = syn::parse_file(&workspace::read(path)?).map_err(failed)?;
        Ok(Self { head: file.attrs, ..Self::of(file.items, children)? })
    }

    fn of(items: Vec<Item>, directory: &Path) -> Result<Self, Error> {
        let mut module = Self::default();
        for item in items {
            let attributes = text::attributes(&item);
            if text::is_test_only(attributes) {
                continue;
            }
            if let Item::Mod(declared) = &item {
                let (name, below) = (declared.ident.to_string(), directory.join(declared.ident.to_string()));
                let child = match &declared.content {
                    Some((_, items)) => Self::of(items.clone(), &below)?,
                    None => Self::read(&file_of(directory, &name), &below)?,
                };
                module.children.insert(name, child);
            }
            module.items.push(item);
        }
        Ok(module)
    }

    /// The modules of the tree, this one first.
    pub(crate) fn all(&self) -> Vec<&Self> {
        let below = self.children.values().flat_map(Self::all);
        std::iter::once(self).chain(below).collect()
    }

    /// The items that a name stands for, wherever in this module's tree they are defined; none
    /// for what is from elsewhere.
    pub(crate) fn resolve<'a>(&'a self, path: &[String], root: &'a Self) -> Vec<&'a Item> {
        match path {
            [] => Vec::new(),
            [name] => {
                let own: Vec<&Item> =
                    self.items.iter().filter(|item| text::name(item).as_ref() == Some(name)).collect();
                if own.is_empty() { self.passed_on(name, root) } else { own }
            }
            [first, rest @ ..] if ["crate", "self"].contains(&first.as_str()) => root.resolve(rest, root),
            [first, rest @ ..] => self.children.get(first).map_or_else(Vec::new, |child| child.resolve(rest, root)),
        }
    }

    /// The items that a name stands for which this module passes on from one of its children.
    fn passed_on<'a>(&'a self, name: &str, root: &'a Self) -> Vec<&'a Item> {
        let uses = self.items.iter().filter_map(|item| match item {
            Item::Use(item) if !matches!(item.vis, Visibility::Inherited) => Some(item),
            _ => None,
        });
        let mut paths = uses.flat_map(|item| text::uses(&item.tree));
        let path =
            paths.find(|path| path.last().is_some_and(|last| last == name) && self.children.contains_key(&path[0]));
        path.map_or_else(Vec::new, |path| self.resolve(&path, root))
    }
}

fn file_of(directory: &Path, name: &str) -> PathBuf {
    let nested = directory.join(name).join("mod.rs");
    if nested.is_file() { nested } else { directory.join(format!("{name}.rs")) }
}
