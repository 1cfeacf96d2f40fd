//! Rules for public names and types that a reader of the sources can check: no `get_`, errors
//! that can grow.

use syn::{Attribute, Item};

use super::crates::Library;
use super::{items, text};
use crate::tidy::Breach;

pub(super) fn breaches(library: &Library) -> Vec<Breach> {
    let mut found = Vec::new();
    for module in library.root.all() {
        for item in &module.items {
            let Some(name) = text::name(item).filter(|_| text::visibility(item).is_some_and(is_public)) else {
                continue;
            };
            let place = format!("{}: {name}", library.name);
            if matches!(item, Item::Enum(_)) && name.ends_with("Error") && !can_grow(text::attributes(item)) {
                found.push(Breach::new(&place, "is an error that cannot grow: add #[non_exhaustive]"));
            }
            let functions = items::methods(item, &library.root).into_iter().map(|method| method.sig.ident.to_string());
            for function in functions.chain(Some(name.clone())).filter(|function| function.starts_with("get_")) {
                found.push(Breach::new(&place, format!("{function} is a `get_`: name what it returns")));
            }
        }
    }
    found
}

fn is_public(visibility: &syn::Visibility) -> bool {
    matches!(visibility, syn::Visibility::Public(_))
}

fn can_grow(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| attribute.path().is_ident("non_exhaustive"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::crates;

    fn of(source: &str) -> Vec<Breach> {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join("crates/lcf/src")).unwrap();
        std::fs::write(root.path().join("crates/lcf/src/lib.rs"), source).unwrap();
        crates::libraries(root.path()).unwrap().iter().flat_map(breaches).collect()
    }

    #[test]
    fn names_that_break_a_rule_are_breaches() {
        assert_eq!(of("#[non_exhaustive] pub enum Error { A } pub struct A; impl A { pub fn get(&self) {} }"), []);
        assert_eq!(of("enum Error { A } fn get_a() {} impl B { fn get_b(&self) {} }"), []);
        for (source, fault) in [
            ("pub enum Error { A }", "non_exhaustive"),
            ("pub fn get_a() {}", "get_a"),
            ("pub struct A; impl A { pub fn get_b(&self) {} }", "get_b"),
        ] {
            let found = of(source);
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found[0].problem.contains(fault), "{}", found[0]);
        }
    }
}
