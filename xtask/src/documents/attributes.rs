//! What `#[serde(...)]` says about a type, a field or a variant.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, Lit, Meta, Token};

use crate::api::text::links_as_code;

/// The words of all serde attributes of an item, with their values.
#[derive(Debug, Default)]
pub(super) struct Serde(Vec<(String, Option<String>)>);

impl Serde {
    /// Reads `serde(...)`, and the same behind a feature in `cfg_attr(...)`.
    pub(super) fn of(attributes: &[Attribute]) -> Self {
        let mut words = Vec::new();
        for list in metas(attributes).iter().filter_map(|meta| list_named(meta, "serde")) {
            words.extend(nested(list).iter().map(word));
        }
        Self(words)
    }

    pub(super) fn has(&self, word: &str) -> bool {
        self.0.iter().any(|(own, _)| own == word)
    }

    pub(super) fn value(&self, word: &str) -> Option<&str> {
        self.0.iter().find(|(own, _)| own == word)?.1.as_deref()
    }

    /// The same, refusing unknown fields where the enum of a variant does.
    pub(super) fn closed_as(mut self, container: &Self) -> Self {
        const CLOSED: &str = "deny_unknown_fields";
        if container.has(CLOSED) {
            self.0.push((CLOSED.to_owned(), None));
        }
        self
    }

    /// The other names that are accepted.
    pub(super) fn aliases(&self) -> Vec<String> {
        self.0.iter().filter(|(own, _)| own == "alias").filter_map(|(_, value)| value.clone()).collect()
    }
}

/// Whether a type derives a trait, perhaps behind a feature.
pub(super) fn derives(attributes: &[Attribute], name: &str) -> bool {
    let metas = metas(attributes);
    let mut derived = metas.iter().filter_map(|meta| list_named(meta, "derive")).flat_map(nested);
    derived.any(|meta| meta.path().segments.last().is_some_and(|segment| segment.ident == name))
}

/// The documentation of an item: its first paragraph on one line, without the links of rustdoc
/// and with JSON's word for what is missing.
pub(super) fn documentation(attributes: &[Attribute]) -> String {
    let mut words = Vec::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("doc")) {
        let Meta::NameValue(pair) = &attribute.meta else { continue };
        let Expr::Lit(literal) = &pair.value else { continue };
        let Lit::Str(text) = &literal.lit else { continue };
        let line = text.value();
        if line.trim().is_empty() && !words.is_empty() {
            break;
        }
        words.extend(line.split_whitespace().map(str::to_owned));
    }
    links_as_code(&words.join(" ")).replace("`None`", "`null`")
}

/// The attributes, those of `cfg_attr` unfolded.
fn metas(attributes: &[Attribute]) -> Vec<Meta> {
    let mut found = Vec::new();
    for attribute in attributes {
        match list_named(&attribute.meta, "cfg_attr") {
            Some(list) => found.extend(nested(list).into_iter().skip(1)),
            None => found.push(attribute.meta.clone()),
        }
    }
    found
}

fn list_named<'a>(meta: &'a Meta, name: &str) -> Option<&'a TokenStream> {
    match meta {
        Meta::List(list) if list.path.is_ident(name) => Some(&list.tokens),
        _ => None,
    }
}

/// What stands between the parentheses of an attribute; nothing where it is no list of
/// attributes.
fn nested(tokens: &TokenStream) -> Vec<Meta> {
    let parser = Punctuated::<Meta, Token![,]>::parse_terminated;
    syn::parse::Parser::parse2(parser, tokens.clone()).map_or_else(|_| Vec::new(), |list| list.into_iter().collect())
}

fn word(meta: &Meta) -> (String, Option<String>) {
    let name = meta.path().to_token_stream().to_string();
    let value = match meta {
        Meta::NameValue(pair) => match &pair.value {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(text) => Some(text.value()),
                other => Some(other.to_token_stream().to_string()),
            },
            _ => None,
        },
        _ => None,
    };
    (name, value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_read_behind_features_too() {
        let item: syn::ItemStruct = syn::parse_quote! {
            /// One line of [`B`](crate::B)
            /// and another; `None` without [c](Self::c).
            ///
            /// A second paragraph.
            #[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case", untagged))]
            #[serde(alias = "x", alias = "y")]
            struct A;
        };
        let serde = Serde::of(&item.attrs);
        assert_eq!(serde.value("rename_all"), Some("kebab-case"));
        assert!(serde.has("untagged") && !serde.has("flatten"));
        assert_eq!(serde.aliases(), ["x", "y"]);
        assert!(derives(&item.attrs, "Serialize") && !derives(&item.attrs, "Deserialize"));
        assert_eq!(documentation(&item.attrs), "One line of `B` and another; `null` without c.");
    }
}
