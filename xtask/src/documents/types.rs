//! Which type a name stands for: the module that uses it says where it is from.

use std::collections::BTreeMap;

use syn::{Item, UseTree};

use crate::api::crates::{Library, Module};
use crate::api::text;

/// A module of a library.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) library: &'a str,
    pub(super) module: &'a Module,
}

/// All types of the workspace, by name.
pub(super) struct Types<'a> {
    by_name: BTreeMap<String, Vec<(Place<'a>, &'a Item)>>,
}

impl<'a> Types<'a> {
    pub(super) fn of(libraries: &'a [Library]) -> Self {
        let mut by_name: BTreeMap<String, Vec<_>> = BTreeMap::new();
        for library in libraries {
            for module in library.root.all() {
                for item in module.items.iter().filter(|item| text::is_type(item)) {
                    let place = Place { library: &library.name, module };
                    by_name.entry(text::name(item).unwrap_or_default()).or_default().push((place, item));
                }
            }
        }
        Self { by_name }
    }

    /// The type that a name stands for at a place: its own, that of the library it is imported
    /// from, that of its library, or the only one there is. `None` for a type of somebody else,
    /// and where that does not decide.
    pub(super) fn find(&self, name: &str, place: Place<'_>) -> Option<(&'a Item, Place<'a>)> {
        let (defined, imported) = (self.by_name.contains_key(name), imported_from(name, place.module));
        let name = match &imported {
            Some(path) if !defined => path.last()?.as_str(),
            _ => name,
        };
        let all = self.by_name.get(name)?;
        let own = |(other, _): &&(Place<'a>, &'a Item)| std::ptr::eq(other.module, place.module);
        let of_library = |library: &str| {
            let mut found = all.iter().filter(|(other, _)| other.library == library);
            found.next().filter(|_| found.next().is_none())
        };
        let library = imported.as_deref().and_then(library_of);
        let found = all
            .iter()
            .find(own)
            .or_else(|| library.and_then(of_library))
            .or_else(|| of_library(place.library))
            .or_else(|| all.first().filter(|_| all.len() == 1))?;
        Some((found.1, found.0))
    }
}

/// The path by which a module imports a name.
fn imported_from(name: &str, module: &Module) -> Option<Vec<String>> {
    let uses = module.items.iter().filter_map(|item| if let Item::Use(item) = item { Some(&item.tree) } else { None });
    uses.flat_map(paths).find(|(known_as, _)| known_as == name).map(|(_, path)| path)
}

/// The paths of a `use` declaration, each with the name that it has in the module.
fn paths(tree: &UseTree) -> Vec<(String, Vec<String>)> {
    match tree {
        UseTree::Path(path) => paths(&path.tree)
            .into_iter()
            .map(|(name, rest)| (name, std::iter::once(path.ident.to_string()).chain(rest).collect()))
            .collect(),
        UseTree::Name(name) => vec![(name.ident.to_string(), vec![name.ident.to_string()])],
        UseTree::Rename(name) => vec![(name.rename.to_string(), vec![name.ident.to_string()])],
        UseTree::Glob(_) => Vec::new(),
        UseTree::Group(group) => group.items.iter().flat_map(paths).collect(),
    }
}

/// The library that a path leads to: by its own name, or by that of its module in the facade.
fn library_of(path: &[String]) -> Option<&'static str> {
    let first = path
        .iter()
        .find(|word| !["crate", "self", "super", "disclosure", "disclosure_jobs"].contains(&word.as_str()))?;
    Some(match first.as_str() {
        "core" | "numbers" | "privacy_core" => "privacy-core",
        "resplan" => "resplan",
        "frechet" | "frechet_release" => "frechet-release",
        "frechet_certificate" | "certificate" => "frechet-certificate",
        "screen" | "hetero_screen" => "hetero-screen",
        "lcf" => "lcf",
        "ldp" | "ldp_pmdh" => "ldp-pmdh",
        "ldp_client" => "ldp-client",
        "label_attack" => "label-attack",
        "privacy_data" => "privacy-data",
        _ => return None,
    })
}
