//! Filtered tables and explanations as people read them.

use std::path::Path;

use disclosure_jobs::filter::{ExplainDocument, FilterDocument, FilterStatement, NumberBeside, Reason, Released};

use crate::display::{Align, Table, count, labelled, one_line};

/// Most groups that are shown on a screen.
const MOST_SHOWN: usize = 24;

/// Said of a low-effect group that was merged.
const MERGED: &str = "low effect: its entities were added to the only other group along a column, so that dropping that \
     condition from a query changes nothing";
/// Said of a group that has near duplicates.
const NEAR_DUPLICATES: &str =
    "near duplicates: other groups differ from this one by a single entity, which a difference attack can exploit";

pub(super) fn show_filter(released: &Released, output: Option<&Path>) -> String {
    let document = released.document();
    let by = match document.group_by.len() {
        0 => "the whole table as one group".to_owned(),
        _ => format!("{} groups by {} are shown", document.groups.len(), document.group_by.join(" × ")),
    };
    let bold = clap::builder::styling::Style::new().bold();
    let mut text = warning(&document.promise);
    text += &format!("  {bold}{}{bold:#}: {}\n\n", one_line(&document.title), one_line(&by));
    text += &groups(released);
    text += "\n";
    for entity in &document.entities {
        text += &line("threshold", &entity.law_sentence());
    }
    text += &promise(&document.promise);
    if let Some(path) = output {
        text += &format!("\n  All groups are in {}.\n", one_line(&path.display().to_string()));
    }
    text
}

fn line(name: &str, words: &str) -> String {
    labelled(13, name, words)
}

/// What the table is not: before everything else.
fn warning(promise: &FilterStatement) -> String {
    format!("  {}\n\n", promise.warning)
}

fn promise(promise: &FilterStatement) -> String {
    let publication = promise.publication.as_ref().map(|said| line("publication", said)).unwrap_or_default();
    line("guarantee", &promise.guarantee) + &line("calibration", &promise.calibration) + &publication
}

fn groups(released: &Released) -> String {
    let (report, rest): (&FilterDocument, Option<&str>) = (released.document(), released.rest_label());
    let names = report.group_by.iter().map(|name| (name.as_str(), Align::Left));
    let added = released.number_column().map(|name| (name, Align::Right));
    let mut table = Table::new(names.chain(added));
    for group in report.groups.iter().take(MOST_SHOWN) {
        let labels = group.group.iter().map(|(_, label)| label.to_owned());
        let number = released.number_column().map(|_| number_beside(&group.number));
        table.row(labels.chain(number));
    }
    if let (Some(label), Some(rest)) = (rest, &report.rest) {
        let labels = report.group_by.iter().map(|_| label.to_owned());
        let number = released.number_column().map(|_| number_beside(&rest.number));
        table.row(labels.chain(number));
    }
    let mut text = table.render();
    if report.may_hold_merged {
        text += "  A group may include the entities of low-effect neighbouring groups, which are not shown; each entity counts once.\n";
    }
    if report.groups.len() > MOST_SHOWN {
        text += &format!("  … and {} more, with -o FILE or --json\n", report.groups.len() - MOST_SHOWN);
    }
    if rest.is_some() && report.rest.is_none() {
        text += "  The rest is not shown: fewer than two groups are suppressed, or together they are too small.\n";
    }
    text
}

fn number_beside(number: &NumberBeside) -> String {
    number.get().map_or_else(String::new, |number| count(number as f64))
}

pub(super) fn show_explanation(report: &ExplainDocument) -> String {
    let group = &report.group;
    let mut labels: Vec<String> = group.group.iter().map(|(column, label)| format!("{column} = {label}")).collect();
    if labels.is_empty() {
        labels.push("the whole table".to_owned());
    }
    let verdict = if group.reported { "shown" } else { "not shown" };
    let mut text = warning(&report.promise);
    text += &format!("  {}: {verdict}\n\n", one_line(&labels.join(", ")));
    let decided_by = format!(
        "decided by the column {} (kind {}): {} entities",
        report.decided_by.column,
        group.kind.as_str(),
        group.entities
    );
    let mut lines = vec![why(group.reason).to_owned(), decided_by, report.decided_by.law_sentence()];
    if group.merged {
        lines.push(MERGED.to_owned());
    }
    if group.near_duplicates > 0 {
        lines.push(NEAR_DUPLICATES.to_owned());
    }
    for line in &lines {
        text += &format!("  {}\n", one_line(line));
    }
    text += &format!("\n{}\n  This is {}.\n", promise(&report.promise), report.for_whom);
    text
}

fn why(reason: Reason) -> &'static str {
    match reason {
        Reason::NoEntity => "none of its rows has an identifier, so the entities in it are unknown",
        Reason::BelowFloor => "it has too few entities to be shown under any threshold that can be drawn",
        Reason::SuppressedByDraw => "it is below its threshold, which is the same in every run with this key",
        Reason::ReportedByDraw => "it reaches its threshold, which is the same in every run with this key",
        Reason::Certain => "it has enough entities to be shown under every threshold that can be drawn",
    }
}
