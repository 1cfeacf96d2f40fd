//! Shapes as tables of `docs/formats.md`.

use std::collections::BTreeSet;

use super::Document;
use super::shape::{Definitions, Field, Shape};
use crate::wrap::paragraph;

/// The section of a document: what it is, and a table of its fields for it and for each type that
/// it names.
///
/// A type that several documents name has its table in the first of them; `shown` keeps those
/// that have one.
pub(super) fn of(document: &Document, root: &str, definitions: &Definitions, shown: &mut BTreeSet<String>) -> String {
    let mut page = format!("### {}\n\n{}", document.title(), paragraph(&document.about_with_place()));
    let mut seen = BTreeSet::new();
    let mut open = vec![root.to_owned()];
    while !open.is_empty() {
        let name = open.remove(0);
        let Some(definition) = definitions.get(&name).filter(|_| seen.insert(name.clone())) else { continue };
        if has_table(&definition.shape) && (name == root || shown.insert(name.clone())) {
            let heading = (name != root).then_some(name.as_str());
            if let Some(name) = heading {
                page.push_str(&format!("\n{}", paragraph(&format!("`{name}`. {}", definition.about))));
            }
            page.push_str(&match &definition.shape {
                Shape::Object(fields, _) => table(heading, fields, &[], (document, definitions)),
                Shape::Joined(fields, cases) => table(heading, fields, cases, (document, definitions)),
                Shape::OneOf(cases) => table_of_cases(cases, (document, definitions)),
                _ => String::new(),
            });
        }
        open.extend(names(&definition.shape).into_iter().filter(|name| !seen.contains(name)));
    }
    page
}

/// Whether a type has a table: it has fields, or cases with fields of which something is said.
/// Others are described where they stand.
fn has_table(shape: &Shape) -> bool {
    match shape {
        Shape::Object(..) | Shape::Joined(..) => true,
        Shape::OneOf(cases) => {
            let has_fields = |(_, shape): &(String, Shape)| matches!(shape, Shape::Object(..) | Shape::Joined(..));
            cases.iter().any(has_fields) && cases.iter().any(|(about, shape)| !meaning(about, shape).is_empty())
        }
        _ => false,
    }
}

/// A row for each field, and one for each enum of which one case stands beside them.
fn table(
    heading: Option<&str>,
    fields: &[Field],
    cases: &[Shape],
    (document, definitions): (&Document, &Definitions),
) -> String {
    let mut text = "\n| field | is | meaning |\n| --- | --- | --- |\n".to_owned();
    for case in cases {
        text.push_str(&format!("| | the fields of a {} | |\n", words(case, definitions)));
    }
    for field in fields {
        let former: String = field.aliases.iter().map(|alias| format!(" (formerly `{alias}`)")).collect();
        let optional = if field.is_required { "" } else { ", optional" };
        let shape = in_document(&field.shape, document);
        let is = match heading {
            None if document.is_json() && field.name == "schema" => format!("`\"{}\"`", document.name),
            _ => words(shape, definitions),
        };
        text.push_str(&format!("| `{}`{former} | {is}{optional} | {} |\n", field.name, cell(&field.about)));
    }
    text
}

/// A row for each case of an enum, with what its fields are.
fn table_of_cases(cases: &[(String, Shape)], context: (&Document, &Definitions)) -> String {
    let mut text = "\n| one of | meaning |\n| --- | --- |\n".to_owned();
    for (about, shape) in cases {
        text.push_str(&format!("| {} | {} |\n", case_words(shape, context), cell(&meaning(about, shape))));
    }
    text
}

/// What is said about a case and its fields.
fn meaning(about: &str, shape: &Shape) -> String {
    let fields = fields_of_case(shape).into_iter().filter(|field| !field.about.is_empty());
    let fields = fields.map(|field| format!("`{}`: {}", field.name, field.about));
    let about = Some(about.to_owned()).filter(|about| !about.is_empty());
    about.into_iter().chain(fields).collect::<Vec<_>>().join(" ")
}

/// The fields of a case: its own, or those of the only object in it.
fn fields_of_case(shape: &Shape) -> Vec<&Field> {
    match shape {
        Shape::Object(fields, _) | Shape::Joined(fields, _) => match &fields[..] {
            [Field { shape: inner @ Shape::Object(..), .. }] => fields_of_case(inner),
            fields => fields.iter().collect(),
        },
        _ => Vec::new(),
    }
}

/// A case with the shape of each of its fields.
fn case_words(shape: &Shape, context: (&Document, &Definitions)) -> String {
    let (fields, cases): (&[Field], &[Shape]) = match shape {
        Shape::Object(fields, _) => (fields, &[]),
        Shape::Joined(fields, cases) => (fields, cases),
        shape => return words(shape, context.1),
    };
    let fields = fields.iter().map(|field| {
        let optional = if field.is_required { "" } else { " (optional)" };
        format!("`{}`{optional}: {}", field.name, case_words(in_document(&field.shape, context.0), context))
    });
    let cases = cases.iter().map(|case| format!("the fields of a {}", words(case, context.1)));
    format!("{{{}}}", fields.chain(cases).collect::<Vec<_>>().join(", "))
}

/// TOML has no null: what may be missing is left out.
fn in_document<'a>(shape: &'a Shape, document: &Document) -> &'a Shape {
    match shape {
        Shape::Nullable(inner) if !document.is_json() => inner,
        shape => shape,
    }
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// The types with fields of their own that a shape names.
fn names(shape: &Shape) -> Vec<String> {
    match shape {
        Shape::Named(name) => vec![name.clone()],
        Shape::List(inner) | Shape::Map(inner) | Shape::Nullable(inner) => names(inner),
        Shape::Tuple(items) => items.iter().flat_map(names).collect(),
        Shape::Object(fields, _) => fields.iter().flat_map(|field| names(&field.shape)).collect(),
        Shape::OneOf(cases) => cases.iter().flat_map(|(_, shape)| names(shape)).collect(),
        Shape::Joined(fields, cases) => {
            cases.iter().flat_map(names).chain(fields.iter().flat_map(|field| names(&field.shape))).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether a shape is one of several, not all of them words, that are described where it stands.
fn is_choice(shape: &Shape, definitions: &Definitions) -> bool {
    let own = match shape {
        Shape::Named(name) => definitions.get(name).map_or(shape, |definition| &definition.shape),
        shape => shape,
    };
    matches!(own, Shape::OneOf(cases) if cases.iter().any(|(_, case)| !matches!(case, Shape::Word(_))))
        && !has_table(own)
}

/// A shape in words. A type without fields of its own is described where it stands.
fn words(shape: &Shape, definitions: &Definitions) -> String {
    match shape {
        Shape::Text => "text".to_owned(),
        Shape::Integer => "integer".to_owned(),
        Shape::Number => "number".to_owned(),
        Shape::Boolean => "true or false".to_owned(),
        Shape::Word(word) => format!("`\"{word}\"`"),
        Shape::List(inner) => match words(inner, definitions) {
            choice if is_choice(inner, definitions) => format!("list of ({choice})"),
            inner => format!("list of {inner}"),
        },
        Shape::Tuple(items) => {
            let items: Vec<String> = items.iter().map(|item| words(item, definitions)).collect();
            format!("[{}]", items.join(", "))
        }
        Shape::Map(inner) => format!("object of {}", words(inner, definitions)),
        Shape::Nullable(inner) => format!("{} or null", words(inner, definitions)),
        Shape::Object(fields, _) | Shape::Joined(fields, _) => {
            let names: Vec<String> = fields.iter().map(|field| format!("`{}`", field.name)).collect();
            format!("{{{}}}", names.join(", "))
        }
        Shape::OneOf(cases) => {
            let cases: Vec<String> = cases.iter().map(|(_, shape)| words(shape, definitions)).collect();
            cases.join(", ")
        }
        Shape::Named(name) => match definitions.get(name).map(|definition| &definition.shape) {
            None => format!("`{name}`"),
            Some(shape) if has_table(shape) => format!("`{name}`"),
            Some(Shape::Anything) => "as its type writes it".to_owned(),
            Some(shape) => words(shape, definitions),
        },
        Shape::Anything => "any value".to_owned(),
    }
}
