//! The public items of a library as a list in reading order: what can be named, and under each
//! type what it can do.

use syn::{Attribute, ImplItem, Item, Signature, TraitItem, Visibility};

use super::crates::{Library, Module};
use super::text;
use crate::wrap::list_item;

/// Appends the items of a library.
pub(super) fn list(library: &Library, page: &mut String) {
    of_module(&library.root, &library.root, "", page);
}

fn of_module(module: &Module, root: &Module, path: &str, page: &mut String) {
    for item in &module.items {
        match item {
            Item::Use(reexport) if is_public(&reexport.vis) => {
                for target in text::uses(&reexport.tree) {
                    let found = module.resolve(&target, root);
                    if found.is_empty() {
                        let name = &target[target.len() - 1];
                        page.push_str(&list_item(0, &format!("`{path}{name}`: from `{}`", target.join("::"))));
                    }
                    found.into_iter().for_each(|item| of_item(item, root, path, page));
                }
            }
            Item::Mod(_) | Item::Use(_) => {}
            item if text::visibility(item).is_some_and(is_public) => of_item(item, root, path, page),
            Item::Macro(made) if text::declared(made).is_some() => of_item(item, root, path, page),
            _ => {}
        }
    }
    for item in &module.items {
        let Item::Mod(declared) = item else { continue };
        let name = declared.ident.to_string();
        if is_public(&declared.vis) {
            let child = &module.children[&name];
            let attributes = if declared.attrs.iter().any(text::is_doc) { &declared.attrs } else { &child.head };
            page.push_str(&list_item(0, &format!("`mod {path}{name}`{}", text::summary(attributes))));
            of_module(child, root, &format!("{path}{name}::"), page);
        }
    }
}

fn of_item(item: &Item, root: &Module, path: &str, page: &mut String) {
    let Some(signature) = text::signature(item, path) else { return };
    let made = if let Item::Macro(item) = item { text::declared(item) } else { None };
    let attributes = made.as_ref().map_or_else(|| text::attributes(item), |(attributes, _)| attributes);
    page.push_str(&list_item(0, &format!("`{signature}`{}", text::summary(attributes))));
    if let Item::Trait(item) = item {
        for method in &item.items {
            if let TraitItem::Fn(method) = method {
                page.push_str(&of_method(&method.sig, &method.attrs));
            }
        }
    }
    for method in methods(item, root) {
        page.push_str(&of_method(&method.sig, &method.attrs));
    }
}

fn of_method(signature: &Signature, attributes: &[Attribute]) -> String {
    list_item(1, &format!("`{}`{}", text::function(signature, ""), text::summary(attributes)))
}

/// The public functions of a type, in the order of the sources.
pub(super) fn methods<'a>(item: &Item, root: &'a Module) -> Vec<&'a syn::ImplItemFn> {
    let (Some(name), true) = (text::name(item), matches!(item, Item::Struct(_) | Item::Enum(_))) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for module in root.all() {
        // A private type of another module may have the same name.
        let is_another =
            |own: &Item| text::name(own).as_ref() == Some(&name) && text::is_type(own) && !std::ptr::eq(own, item);
        if module.items.iter().any(is_another) {
            continue;
        }
        for block in &module.items {
            if let Item::Impl(block) = block
                && block.trait_.is_none()
                && text::type_name(&block.self_ty).as_ref() == Some(&name)
            {
                let functions = block.items.iter().filter_map(|item| match item {
                    ImplItem::Fn(function) if is_public(&function.vis) => Some(function),
                    _ => None,
                });
                found.extend(functions);
            }
        }
    }
    found
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}
