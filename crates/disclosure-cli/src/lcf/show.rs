//! What a person reads.

use disclosure::lcf::{Reason, ThresholdLaw};

use super::args::FilterArgs;
use super::explain::ExplainReport;
use super::promise::Promise;
use super::report::{AidReport, FilterReport};
use crate::display::{Align, Table, count, one_line};

/// Most groups that are shown on a screen.
const MOST_SHOWN: usize = 200;

pub(super) fn show_filter(report: &FilterReport<'_>, args: &FilterArgs) -> String {
    let mut text = head(&report.promise);
    let by = match report.group_by.len() {
        0 => "the whole table as one group".to_owned(),
        _ => format!("{} groups by {}", report.groups.len(), report.group_by.join(" × ")),
    };
    text += &format!("\n  {}: {}\n", one_line(report.title), one_line(&by));
    for aid in &report.aid {
        text += &format!("  {}\n", one_line(&law(aid)));
    }
    text += "\n";
    text += &groups(report, args.rest.as_deref());
    if let Some(path) = &args.output {
        text += &format!("\n  All groups are in {}.\n", one_line(&path.display().to_string()));
    }
    text
}

fn head(promise: &Promise) -> String {
    let publication = promise.publication.map_or_else(String::new, |said| format!("  publication  {said}\n"));
    format!(
        "  {}\n\n  guarantee    {}\n  calibration  {}\n{publication}",
        promise.warning,
        one_line(&promise.guarantee),
        promise.calibration
    )
}

/// A law in words.
pub(super) fn law(aid: &AidReport<'_>) -> String {
    let said = match aid.law {
        ThresholdLaw::ClampedNormal(law) => format!("normal threshold, mean {}, sd {}", law.mean(), law.sd().get()),
        other => format!("threshold of the law {}", other.name()),
    };
    let (floor, certain) = (aid.floor, aid.certain);
    format!("{} ({}): {said}; never below {floor}, always from {certain}", aid.column, aid.kind)
}

fn groups(report: &FilterReport<'_>, rest: Option<&str>) -> String {
    let names = report.group_by.iter().map(|name| (name.as_str(), Align::Left));
    let mut table = Table::new(names.chain([("rows", Align::Right)]));
    for group in report.groups.iter().take(MOST_SHOWN) {
        let labels = group.group.0.iter().map(|(_, label)| (*label).to_owned());
        table.row(labels.chain([count(group.rows as f64)]));
    }
    if let (Some(label), Some(rest)) = (rest, &report.rest) {
        let labels = report.group_by.iter().map(|_| label.to_owned());
        table.row(labels.chain([count(rest.rows as f64)]));
    }
    let mut text = table.render();
    if report.groups.len() > MOST_SHOWN {
        text += &format!("  and {} more: -o or --json has them all\n", report.groups.len() - MOST_SHOWN);
    }
    if rest.is_some() && report.rest.is_none() {
        text +=
            "  The rest is not shown: fewer than two groups are suppressed, or too few people are in them together.\n";
    }
    text
}

pub(super) fn show_explanation(report: &ExplainReport<'_>) -> String {
    let group = &report.group;
    let mut labels: Vec<String> = group.group.0.iter().map(|(column, label)| format!("{column} = {label}")).collect();
    if labels.is_empty() {
        labels.push("the whole table".to_owned());
    }
    let mut text = head(&report.promise);
    let verdict = if group.reported { "shown" } else { "not shown" };
    text += &format!("\n  {}: {verdict}\n\n", one_line(&labels.join(", ")));
    let mut say = |line: &str| text += &format!("  {}\n", one_line(line));
    say(&why(group.reason));
    say(&format!(
        "decided by the column {} (kind {}): {} entities",
        report.decided_by.column, group.aid, group.entities
    ));
    say(&law(&report.decided_by));
    if group.merged {
        say(
            "low effect: its people were added to the only other group along a column, so that leaving it out changes nothing",
        );
    }
    if group.near_duplicates > 0 {
        say("near duplicates: other groups differ from it by one entity, so a difference attack can use it");
    }
    text += &format!("\n  This is {}.\n", report.for_whom);
    text
}

fn why(reason: Reason) -> String {
    match reason {
        Reason::NoEntity => "no row of it has an identifier, so nobody knows whom it is about",
        Reason::BelowFloor => "it has fewer entities than any draw would show",
        Reason::SuppressedByDraw => "its draw, which is always the same, fell on the side of suppression",
        Reason::ReportedByDraw => "its draw, which is always the same, fell on the side of showing it",
        Reason::Certain => "it has so many entities that every draw shows it",
    }
    .to_owned()
}
