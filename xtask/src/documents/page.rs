//! Shapes as tables of `docs/formats.md`.

use std::collections::BTreeSet;

use super::Document;
use super::shape::{Definitions, Field, Shape};

/// The section of a document: what it is, and a table of its fields for it and for each type that
/// it names.
///
/// A type that several documents name has its table in the first of them; `shown` keeps those
/// that have one.
pub(super) fn of(document: &Document, root: &str, definitions: &Definitions, shown: &mut BTreeSet<String>) -> String {
    let mut page = format!("### {}\n\n{}", document.title(), wrapped(&document.about_with_place()));
    let mut seen = BTreeSet::new();
    let mut open = vec![root.to_owned()];
    while !open.is_empty() {
        let name = open.remove(0);
        let Some(definition) = definitions.get(&name).filter(|_| seen.insert(name.clone())) else { continue };
        if let Shape::Object(fields, _) = &definition.shape
            && (name == root || shown.insert(name.clone()))
        {
            let heading = (name != root).then_some(name.as_str());
            page.push_str(&table(heading, &definition.about, fields, (document, definitions)));
        }
        open.extend(names(&definition.shape).into_iter().filter(|name| !seen.contains(name)));
    }
    page
}

fn table(
    heading: Option<&str>,
    about: &str,
    fields: &[Field],
    (document, definitions): (&Document, &Definitions),
) -> String {
    let mut text = match heading {
        Some(name) => format!("\n{}", wrapped(&format!("`{name}`. {about}"))),
        None => String::new(),
    };
    text.push_str("\n| field | is | meaning |\n| --- | --- | --- |\n");
    for field in fields {
        let former: String = field.aliases.iter().map(|alias| format!(" (formerly `{alias}`)")).collect();
        let optional = if field.is_required { "" } else { ", optional" };
        // TOML has no null: what may be missing is left out.
        let shape = match &field.shape {
            Shape::Nullable(inner) if !document.is_json() => inner,
            shape => shape,
        };
        let is = match heading {
            None if document.is_json() && field.name == "schema" => format!("`\"{}\"`", document.name),
            _ => words(shape, definitions),
        };
        text.push_str(&format!(
            "| `{}`{former} | {is}{optional} | {} |\n",
            field.name,
            field.about.replace('|', "\\|")
        ));
    }
    text
}

/// The types with fields of their own that a shape names.
fn names(shape: &Shape) -> Vec<String> {
    match shape {
        Shape::Named(name) => vec![name.clone()],
        Shape::List(inner) | Shape::Map(inner) | Shape::Nullable(inner) => names(inner),
        Shape::Tuple(items) => items.iter().flat_map(names).collect(),
        Shape::Object(fields, _) => fields.iter().flat_map(|field| names(&field.shape)).collect(),
        Shape::OneOf(cases) => cases.iter().flat_map(|(_, shape)| names(shape)).collect(),
        _ => Vec::new(),
    }
}

/// A shape in words. A type without fields of its own is described where it stands.
fn words(shape: &Shape, definitions: &Definitions) -> String {
    match shape {
        Shape::Text => "text".to_owned(),
        Shape::Integer => "integer".to_owned(),
        Shape::Number => "number".to_owned(),
        Shape::Boolean => "true or false".to_owned(),
        Shape::Word(word) => format!("`\"{word}\"`"),
        Shape::List(inner) => format!("list of {}", words(inner, definitions)),
        Shape::Tuple(items) => {
            let items: Vec<String> = items.iter().map(|item| words(item, definitions)).collect();
            format!("[{}]", items.join(", "))
        }
        Shape::Map(inner) => format!("object of {}", words(inner, definitions)),
        Shape::Nullable(inner) => format!("{} or null", words(inner, definitions)),
        Shape::Object(fields, _) => {
            let names: Vec<String> = fields.iter().map(|field| format!("`{}`", field.name)).collect();
            format!("{{{}}}", names.join(", "))
        }
        Shape::OneOf(cases) => {
            let cases: Vec<String> = cases.iter().map(|(_, shape)| words(shape, definitions)).collect();
            cases.join(", ")
        }
        Shape::Named(name) => match definitions.get(name).map(|definition| &definition.shape) {
            Some(Shape::Object(..)) | None => format!("`{name}`"),
            Some(Shape::Anything) => "as its type writes it".to_owned(),
            Some(shape) => words(shape, definitions),
        },
        Shape::Anything => "any value".to_owned(),
    }
}

/// A paragraph in lines of less than 100 columns.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.last_mut().expect("there is a line");
        if !last.is_empty() && last.chars().count() + 1 + word.chars().count() > 98 {
            lines.push(word.to_owned());
        } else {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    lines.join("\n") + "\n"
}
