//! Items of Rust as words: names, signatures, the first sentence of what is said about them.

use quote::ToTokens;
use syn::{Attribute, Expr, Item, ItemMacro, Lit, Meta, Signature, Type, UseTree, Visibility};

pub(crate) fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

pub(crate) fn visibility(item: &Item) -> Option<&Visibility> {
    Some(match item {
        Item::Const(item) => &item.vis,
        Item::Enum(item) => &item.vis,
        Item::Fn(item) => &item.vis,
        Item::Static(item) => &item.vis,
        Item::Struct(item) => &item.vis,
        Item::Trait(item) => &item.vis,
        Item::Type(item) => &item.vis,
        _ => return None,
    })
}

pub(crate) fn name(item: &Item) -> Option<String> {
    Some(match item {
        Item::Const(item) => item.ident.to_string(),
        Item::Enum(item) => item.ident.to_string(),
        Item::Fn(item) => item.sig.ident.to_string(),
        Item::Macro(item) => declared(item)?.1,
        Item::Static(item) => item.ident.to_string(),
        Item::Struct(item) => item.ident.to_string(),
        Item::Trait(item) => item.ident.to_string(),
        Item::Type(item) => item.ident.to_string(),
        _ => return None,
    })
}

pub(crate) fn is_type(item: &Item) -> bool {
    matches!(item, Item::Struct(_) | Item::Enum(_) | Item::Type(_))
}

/// What a macro like `parameter!(/// doc\n Name, ...)` declares: its attributes and name.
pub(crate) fn declared(item: &ItemMacro) -> Option<(Vec<Attribute>, String)> {
    let parser = |input: syn::parse::ParseStream<'_>| {
        let attributes = input.call(Attribute::parse_outer)?;
        let name: syn::Ident = input.parse()?;
        input.parse::<proc_macro2::TokenStream>()?;
        Ok((attributes, name.to_string()))
    };
    let found = item.mac.parse_body_with(parser).ok()?;
    (item.ident.is_none() && !found.0.is_empty()).then_some(found)
}

/// Kind and name, behind the path of its module; functions with their arguments.
pub(crate) fn signature(item: &Item, path: &str) -> Option<String> {
    let named = |kind: &str, name: String| Some(format!("{kind} {path}{name}"));
    match item {
        Item::Fn(item) => Some(function(&item.sig, path)),
        Item::Const(item) => named("const", format!("{}: {}", item.ident, tokens(&item.ty))),
        Item::Enum(item) => named("enum", format!("{}{}", item.ident, tokens(&item.generics))),
        Item::Struct(item) => named("struct", format!("{}{}", item.ident, tokens(&item.generics))),
        Item::Trait(item) => named("trait", format!("{}{}", item.ident, tokens(&item.generics))),
        Item::Type(item) => named("type", item.ident.to_string()),
        Item::Static(item) => named("static", item.ident.to_string()),
        Item::Macro(item) => named("struct", declared(item)?.1),
        _ => None,
    }
}

pub(crate) fn function(signature: &Signature, path: &str) -> String {
    let text = tokens(signature);
    let name = signature.ident.to_string();
    text.replacen(&format!("fn {name}"), &format!("fn {path}{name}"), 1)
}

/// Tokens as a person writes them.
pub(crate) fn tokens(item: &impl ToTokens) -> String {
    let mut text = item.to_token_stream().to_string().replace(" :: ", "::").replace(":: ", "::");
    for mark in ["<", "(", "&", "[", "!", "?", "'"] {
        text = text.replace(&format!("{mark} "), mark);
    }
    for mark in ["<", ">", ")", ",", ":", "(", "[", "]", ";"] {
        text = text.replace(&format!(" {mark}"), mark);
    }
    // What opens keeps its space behind these.
    for before in ["'a", "'_", "'static", "->", "=", ",", ":", "mut", "const", ";"] {
        for mark in ["(", "[", "<"] {
            text = text.replace(&format!("{before}{mark}"), &format!("{before} {mark}"));
        }
    }
    text.replace(",)", ")").replace(",>", ">").replace(": : <", "::<").replace(":: <", "::<")
}

/// `: ` and the first sentence that documents an item, with the feature that it needs.
pub(crate) fn summary(attributes: &[Attribute]) -> String {
    let lines: Vec<String> = attributes.iter().filter_map(doc).collect();
    let first: Vec<&str> = lines.iter().map(|line| line.trim()).take_while(|line| !line.is_empty()).collect();
    let paragraph = first.join(" ");
    let end = paragraph.find(". ").map_or(paragraph.len(), |at| at + 1);
    let sentence = links_as_code(&paragraph[..end]);
    let feature = attributes.iter().find_map(feature).map_or_else(String::new, |name| format!(" (feature `{name}`)"));
    if sentence.is_empty() { feature } else { format!("{feature}: {sentence}") }
}

/// `[text](target)` and ``[`Item`]`` without brackets and targets, which lead nowhere from a page
/// or a schema. Addresses of the web keep their brackets.
pub(crate) fn links_as_code(sentence: &str) -> String {
    let mut text = String::new();
    let mut rest = sentence;
    while let Some((before, after)) = rest.split_once("](") {
        let (target, behind) = after.split_once(')').unwrap_or((after, ""));
        if target.starts_with("https://") {
            text.push_str(&format!("{before}]({target})"));
        } else {
            let (head, words) = before.rsplit_once('[').unwrap_or((before, ""));
            text.push_str(head);
            text.push_str(words);
        }
        rest = behind;
    }
    text.push_str(rest);
    text.replace("[`", "`").replace("`]", "`")
}

/// Whether an attribute is a line of documentation.
pub(crate) fn is_doc(attribute: &Attribute) -> bool {
    doc(attribute).is_some()
}

fn doc(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(pair) = &attribute.meta else { return None };
    match &pair.value {
        Expr::Lit(literal) if pair.path.is_ident("doc") => match &literal.lit {
            Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

fn feature(attribute: &Attribute) -> Option<String> {
    let text = tokens(attribute);
    let name = text.strip_prefix("#[cfg(feature = \"").or_else(|| text.strip_prefix("# [cfg(feature = \""))?;
    name.split('"').next().map(str::to_owned)
}

pub(crate) fn is_test_only(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let text = attribute.to_token_stream().to_string().replace(' ', "");
        text == "#[cfg(test)]" || text == "#[doc(hidden)]"
    })
}

/// The paths that a `use` names, one for each name.
pub(crate) fn uses(tree: &UseTree) -> Vec<Vec<String>> {
    match tree {
        UseTree::Path(path) => {
            let behind = |mut rest: Vec<String>| {
                rest.insert(0, path.ident.to_string());
                rest
            };
            uses(&path.tree).into_iter().map(behind).collect()
        }
        UseTree::Name(name) => vec![vec![name.ident.to_string()]],
        UseTree::Rename(name) => vec![vec![name.ident.to_string()]],
        UseTree::Glob(_) => vec![vec!["*".to_owned()]],
        UseTree::Group(group) => group.items.iter().flat_map(uses).collect(),
    }
}

/// The last name of a type's path.
pub(crate) fn type_name(of: &Type) -> Option<String> {
    match of {
        Type::Path(path) => path.path.segments.last().map(|segment| segment.ident.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_read_as_they_are_written() {
        for source in [
            "fn measure<R: CryptoRng + ?Sized>(self, table: &[u64], rng: &mut R) -> Result<Vec<u8>, Error>",
            "fn pairs(&self) -> impl Iterator<Item = (u64, f64)>",
            "fn map<'a, F: Fn(&T) -> bool>(items: &'a [T], of: F) -> (u8, [f64; 2])",
            "const fn get(self) -> &'static str",
            "fn add(values: &mut [i64], (low, high): (i64, i64)) -> Option<&[u8]>",
        ] {
            let item: syn::ItemFn = syn::parse_str(&format!("{source} {{ loop {{}} }}")).unwrap();
            assert_eq!(function(&item.sig, ""), source);
        }
    }

    #[test]
    fn a_summary_is_the_first_sentence_and_the_feature() {
        let item: syn::ItemFn = syn::parse_str(
            "/// Reads [`A`] and [b](crate::b),\n/// once. Twice.\n///\n/// More.\n#[cfg(feature = \"serde\")]\nfn f() {}",
        )
        .unwrap();
        assert_eq!(summary(&item.attrs), " (feature `serde`): Reads `A` and b, once.");
        assert_eq!(summary(&[]), "");
    }
}
