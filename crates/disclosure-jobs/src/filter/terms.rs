//! The terms of a filtered table: everything that a draw depends on besides the data.
//!
//! Names of grouping columns, titles and limits are free: no draw of query mode depends on them.
//! Names of identifier columns are terms, since the choice of a column decides who is
//! protected.

use disclosure::lcf::{IdentifierForm, LowCountFilter};
use serde::Serialize;

use super::counts::{CountsKind, CountsReport};
use super::spec::{EntityEntry, FilterSpec};
use crate::digest::hexadecimal;

/// The terms of a specification, and where rows are the entities a digest of all rows.
pub(super) fn terms(spec: &FilterSpec, filter: &LowCountFilter, rows: Option<u64>) -> Vec<(String, String)> {
    let mut terms = vec![
        term("rule", &filter.rule()),
        term("draws", &filter.mode()),
        term("encoding", &spec.encoding.unwrap_or_default()),
        ("merges low-effect groups".to_owned(), spec.merges_low_effect().to_string()),
    ];
    // An answer of the guard beside a draw without it would show both.
    if spec.guard {
        terms.push(("guard".to_owned(), "true".to_owned()));
    }
    if let Some(groups) = spec.groups_per_entity {
        terms.push(("groups_per_entity".to_owned(), groups.to_string()));
    }
    // Another base or scale would be another draw of every number.
    let counts = CountsReport::new(&filter.description().number());
    if counts.kind != CountsKind::Hidden {
        terms.push(("counts".to_owned(), serde_json::to_string(&counts).unwrap_or_default()));
    }
    for (entry, column) in spec.entities.iter().zip(filter.description().columns()) {
        let name = |what: &str| format!("{what} of {:?}", entry.column());
        terms.push((name("kind"), column.kind.clone()));
        terms.push((name("law"), column.thresholds.law().name().to_owned()));
        terms.push((name("thresholds"), hexadecimal(&column.thresholds.digest())));
        terms.extend(form_of(entry).into_iter().map(|(what, value)| (name(what), value)));
    }
    if let Some(rows) = rows {
        terms.push(("the rows".to_owned(), format!("{rows:016x}")));
    }
    terms
}

fn form_of(entry: &EntityEntry) -> Vec<(&'static str, String)> {
    let Some(field) = entry.field() else { return Vec::new() };
    let mut form = vec![("form", form_name(field.form).to_owned())];
    form.extend(field.separator.map(|separator| ("separator", separator.to_string())));
    form.extend(field.null.into_iter().map(|word| ("null", word)));
    form
}

fn form_name(form: IdentifierForm) -> &'static str {
    match form {
        IdentifierForm::Text => "text",
        IdentifierForm::Integer => "integer",
        _ => "auto",
    }
}

/// A value by the name that specifications give it.
fn term(name: &str, value: &impl Serialize) -> (String, String) {
    let value = serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned));
    (name.to_owned(), value.unwrap_or_default())
}
