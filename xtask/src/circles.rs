//! Circles of imports between the files of a crate: a reader of one file of a circle needs them
//! all.
//!
//! A file imports another when one of its `use` declarations names an item that the other
//! defines; an item that a module passes on counts for the module that defines it. Tests do not
//! count.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use syn::{Item, UseTree};

use crate::api::crates::{self, Library, Module};
use crate::api::text;
use crate::tidy::Breach;
use crate::workspace::Error;

/// Most files of a circle.
const MOST: usize = 3;

/// A module by the names on the way to it; the root is empty.
pub(crate) type Name = Vec<String>;

pub(crate) fn breaches(root: &Path) -> Result<Vec<Breach>, Error> {
    let mut found = Vec::new();
    for library in crates::all(root)? {
        for circle in circles(&library).into_iter().filter(|circle| circle.len() > MOST) {
            let names: Vec<String> = circle.iter().map(|name| name.join("::")).collect();
            let problem = format!(
                "{} files import each other in a circle, at most {MOST} may: {}",
                names.len(),
                names.join(", ")
            );
            found.push(Breach::new(&library.name, problem));
        }
    }
    Ok(found)
}

/// The circles of a library, the largest first.
fn circles(library: &Library) -> Vec<Vec<Name>> {
    let mut modules = BTreeMap::new();
    collect(&library.root, &mut Vec::new(), &mut modules);
    let edges: BTreeMap<&Name, BTreeSet<Name>> =
        modules.iter().map(|(name, module)| (name, imports(name, module, &modules))).collect();
    let mut circles: Vec<Vec<Name>> = Vec::new();
    let mut placed = BTreeSet::new();
    let reach: BTreeMap<&Name, BTreeSet<&Name>> = edges.keys().map(|name| (*name, reachable(name, &edges))).collect();
    for name in edges.keys() {
        if placed.contains(name) {
            continue;
        }
        // Two modules are in one circle when each reaches the other.
        let circle: Vec<Name> =
            reach[*name].iter().filter(|other| reach[**other].contains(*name)).map(|other| (*other).clone()).collect();
        if circle.len() > 1 {
            placed.extend(edges.keys().copied().filter(|other| circle.contains(other)));
            circles.push(circle);
        }
    }
    circles.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
    circles
}

/// The modules that a module reaches through imports, itself among them.
pub(crate) fn reached_from(library: &Library, module: &str) -> BTreeSet<Name> {
    let mut modules = BTreeMap::new();
    collect(&library.root, &mut Vec::new(), &mut modules);
    let edges: BTreeMap<&Name, BTreeSet<Name>> =
        modules.iter().map(|(name, module)| (name, imports(name, module, &modules))).collect();
    let starts = edges.keys().filter(|name| name.first().is_some_and(|first| first == module));
    let mut found = BTreeSet::new();
    for start in starts {
        found.insert((*start).clone());
        found.extend(reachable(start, &edges).into_iter().cloned());
    }
    found
}

fn collect<'a>(module: &'a Module, name: &mut Name, found: &mut BTreeMap<Name, &'a Module>) {
    found.insert(name.clone(), module);
    for (child, below) in &module.children {
        name.push(child.clone());
        collect(below, name, found);
        name.pop();
    }
}

/// All modules that a module imports, directly or through others.
fn reachable<'a>(name: &Name, edges: &BTreeMap<&'a Name, BTreeSet<Name>>) -> BTreeSet<&'a Name> {
    let mut found = BTreeSet::new();
    let mut open: Vec<&Name> = vec![name];
    while let Some(next) = open.pop() {
        for other in &edges[next] {
            let (other, _) = edges.get_key_value(other).expect("imports are among the modules");
            if found.insert(*other) {
                open.push(other);
            }
        }
    }
    found
}

/// The modules whose items a module names in its `use` declarations, itself left out.
fn imports(name: &Name, module: &Module, modules: &BTreeMap<Name, &Module>) -> BTreeSet<Name> {
    let uses = module.items.iter().filter_map(|item| match item {
        // What a module passes on is defined elsewhere, and anyone who imports it is counted
        // there.
        Item::Use(item) if matches!(item.vis, syn::Visibility::Inherited) => Some(&item.tree),
        _ => None,
    });
    let mut found = BTreeSet::new();
    for path in uses.flat_map(paths) {
        let absolute = match absolute(name, &path) {
            Some(absolute) => absolute,
            // `use child::Item`, relative to the module that says so.
            None if module.children.contains_key(&path[0]) => [&name[..], &path[..]].concat(),
            None => continue,
        };
        found.extend(definer(&absolute, modules, 0).filter(|definer| definer != name));
    }
    found
}

/// The paths of a `use` declaration, a glob as `*`.
fn paths(tree: &UseTree) -> Vec<Vec<String>> {
    match tree {
        UseTree::Path(path) => paths(&path.tree)
            .into_iter()
            .map(|rest| std::iter::once(path.ident.to_string()).chain(rest).collect())
            .collect(),
        UseTree::Name(name) => vec![vec![name.ident.to_string()]],
        UseTree::Rename(name) => vec![vec![name.ident.to_string()]],
        UseTree::Glob(_) => vec![vec!["*".to_owned()]],
        UseTree::Group(group) => group.items.iter().flat_map(paths).collect(),
    }
}

/// The path from the root of the crate, or `None` for another crate.
fn absolute(name: &Name, path: &[String]) -> Option<Vec<String>> {
    let mut base = name.clone();
    let mut rest = path;
    match rest.first()?.as_str() {
        "crate" => {
            base.clear();
            rest = &rest[1..];
        }
        "self" => rest = &rest[1..],
        "super" => {
            while rest.first().is_some_and(|word| word == "super") {
                base.pop();
                rest = &rest[1..];
            }
        }
        _ => return None,
    }
    base.extend(rest.iter().cloned());
    Some(base)
}

/// The module that defines what a path names: where a module passes the item on, the module that
/// it has it from.
fn definer(path: &[String], modules: &BTreeMap<Name, &Module>, depth: usize) -> Option<Name> {
    /// Longer chains of passing on do not occur.
    const DEEPEST: usize = 8;
    if modules.contains_key(path) {
        return Some(path.to_vec());
    }
    let (item, module) = path.split_last()?;
    let Some(within) = modules.get(module) else { return definer(module, modules, depth) };
    if item == "*" || within.items.iter().any(|own| text::name(own).as_ref() == Some(item)) || depth > DEEPEST {
        return Some(module.to_vec());
    }
    let passed_on = within.items.iter().filter_map(|own| match own {
        Item::Use(own) => Some(paths(&own.tree)),
        _ => None,
    });
    for from in passed_on.flatten().filter(|from| from.last() == Some(item)) {
        let from = match absolute(&module.to_vec(), &from) {
            Some(from) => from,
            // `pub use child::Item`, relative to the module that says so.
            None if within.children.contains_key(&from[0]) => [module, &from].concat(),
            None => continue,
        };
        return definer(&from, modules, depth + 1);
    }
    Some(module.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn workspace(files: &[(&str, &str)]) -> Vec<usize> {
        let root = tempfile::tempdir().unwrap();
        let sources = root.path().join("crates/lcf/src");
        for (name, text) in files {
            let path = sources.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        crates::all(root.path()).unwrap().iter().flat_map(circles).map(|circle| circle.len()).collect()
    }

    #[test]
    fn a_circle_is_found_through_what_modules_pass_on() {
        let lib = ("lib.rs", "mod a; mod b; mod c; pub use a::A;");
        let straight = [lib, ("a.rs", "use crate::b::B; pub struct A;"), ("b.rs", "use crate::c::C; pub struct B;")];
        let end = ("c.rs", "use crate::A; pub struct C;");
        assert_eq!(workspace(&[&straight[..], &[end]].concat()), [3]);
        let open = ("c.rs", "use std::fmt; pub struct C; #[cfg(test)] mod tests { use crate::A; }");
        assert_eq!(workspace(&[&straight[..], &[open]].concat()), [0; 0]);
    }

    #[test]
    fn names_of_parents_and_of_groups_are_followed() {
        let lib = ("lib.rs", "mod a;");
        let a = ("a/mod.rs", "mod x; mod y; use x::X; pub struct A;");
        let x = ("a/x.rs", "use super::{A, y::{self, Y}}; pub struct X;");
        let y = ("a/y.rs", "use super::x::X as Other; pub struct Y;");
        assert_eq!(workspace(&[lib, a, x, y]), [3]);
    }
}
