//! Bounds and verdicts as people read them: the worst and the narrowest first.

use std::cmp::Reverse;

use disclosure_jobs::exact::{
    AlgorithmAwareDocument, Attacker, AuditDetail, AuditDocument, BoundsDocument, CellDocument, ClassBounds,
    ClassDocument, ClassStatus, Connectivity, DiffDocument, DisclosureTarget, GroupDocument, PeriodGroup,
    PrimaryCellDocument, Promise, RuleDocument, SlackDocument, rate,
};

use crate::display::refusal::primary_word;
use crate::display::{Align, Table, count, labelled, number, one_line, short};

/// Most lines of a table.
pub(super) const MOST_LINES: usize = 24;

pub(super) fn show_bounds(report: &BoundsDocument) -> String {
    let cells = number(report.cells.len(), "cell", "cells");
    let sharp = report.cells.iter().filter(|cell| cell.found.is_sharp).count();
    let pinned = report.cells.iter().filter(|cell| is_open(cell) && cell.found.width == 0).count();
    let mut text = title(&report.title, &format!("{cells}, {} known exactly", count(pinned as f64)));
    text += &promise(&report.promise);
    let attained = if sharp == report.cells.len() { "all of them".to_owned() } else { count(sharp as f64) };
    text += &line("attained", &format!("both ends of {attained}, by integer tables"));
    text += &policy(&report.policy);
    if let Some(tables) = report.tables {
        text += &line(
            "tables",
            &match tables.is_exact {
                true => format!(
                    "{} are consistent; this is context, not a measure of safety",
                    count(tables.at_least as f64)
                ),
                false => "more are consistent than the limit of the count".to_owned(),
            },
        );
    }
    let with_composition = report.people.is_some();
    let mut columns = vec![("cell", Align::Left), ("least", Align::Right), ("most", Align::Right)];
    if with_composition {
        columns.extend([("of", Align::Right), ("rate", Align::Right), ("release alone", Align::Right)]);
    }
    columns.extend([("verdict", Align::Left), ("by", Align::Left)]);
    let mut table = Table::new(columns);
    let mut cells: Vec<&CellDocument> = report.cells.iter().filter(|cell| is_open(cell)).collect();
    cells.sort_by_key(|cell| (cell.found.verdict, cell.found.width, Reverse(cell.found.capacity)));
    for cell in cells.iter().take(MOST_LINES) {
        let found = &cell.found;
        let mut row = vec![cell.cell.text(), count(found.lower as f64), count(found.upper as f64)];
        if with_composition {
            let outer = cell.from_release.map_or_else(String::new, |outer| range(outer.lower, outer.upper));
            row.extend([people(found), window(found), outer]);
        }
        row.extend([found.verdict.name().to_owned(), method(found)]);
        table.row(row);
    }
    text + "\n" + &table.render() + &more(cells.len(), "cells")
}

/// Whether anybody can be there.
fn is_open(cell: &CellDocument) -> bool {
    cell.found.verdict != ClassStatus::Empty
}

pub(super) fn show_audit(report: &AuditDocument) -> String {
    let met = if report.target_met { "met" } else { "missed" };
    let classes = number(report.classes.len(), "class", "classes");
    let mut text = title(&report.title, &format!("{classes}, target {met}"));
    text += &promise(&report.promise);
    text += &policy(&report.policy);
    let verdicts = [
        (report.disclosed, "disclosed"),
        (report.unknown, "unknown"),
        (report.ambiguous, "ambiguous"),
        (report.certified, "certified"),
    ];
    let verdicts = verdicts.map(|(classes, verdict)| format!("{} {verdict}", count(classes as f64)));
    text += &line("verdicts", &verdicts.join(", "));
    text += &report.bounds.map_or_else(String::new, |detail| line("bounds", outer_bounds(detail)));
    if !report.unfit.is_empty() {
        text += &line("primary", &unfit(&report.unfit));
    }
    if let Some(exposed) = report.exposed_people {
        text += &line(
            "exposed",
            &match exposed {
                0 => "no one's response is known for certain".to_owned(),
                1 => "1 person, whose response is known for certain".to_owned(),
                _ => format!("{} people, whose responses are known for certain", count(exposed as f64)),
            },
        );
    }
    let residual = report.expectations.residual;
    let fit = if residual > 1e-6 { format!("; not converged, residual {}", short(residual)) } else { String::new() };
    text += &line(
        "expected",
        &format!("by an attacker who assumes independence beyond what is published (maximum entropy; proxy){fit}"),
    );
    if let Some(sampling) = &report.sampling {
        let reach = match sampling.connectivity {
            Connectivity::Proved => "the draws can reach every table",
            Connectivity::NotProved => "it is not proved that the draws can reach every table",
        };
        let settled = match sampling.settled {
            true => "two chains from distant starting points agree",
            false => {
                "not converged: two chains from distant starting points disagree, or no move changes a class that can vary"
            }
        };
        text += &line("likely", "range of 9 of 10 draws, all consistent assignments equally likely (proxy)");
        text += &line("", &format!("{reach}; {settled}"));
    }
    text += &algorithm_aware(report.algorithm_aware.as_ref());
    text + "\n" + &class_table(&report.classes)
}

/// What bounds say that are not attained.
fn outer_bounds(detail: AuditDetail) -> &'static str {
    match detail {
        AuditDetail::Status => {
            "proved, but not always sharp for classes shown not to be disclosed (for sharp bounds write bounds = \"sharp\" \
             in [limits])"
        }
        AuditDetail::Linear => {
            "those of the linear relaxation for classes shown not to be disclosed (for sharp bounds write bounds = \
             \"sharp\" in [limits])"
        }
        AuditDetail::Sharp => "proved; not always sharp where a limit was reached",
    }
}

/// Published numbers that should not be: the first few by name.
fn unfit(numbers: &[PrimaryCellDocument]) -> String {
    let named = numbers.iter().take(3).map(|number| format!("{} ({})", number.name, primary_word(number.why)));
    let rest =
        if numbers.len() > 3 { format!(", and {} more", count((numbers.len() - 3) as f64)) } else { String::new() };
    format!("published although sensitive: {}{rest}", named.collect::<Vec<_>>().join(", "))
}

fn class_table(classes: &[ClassDocument]) -> String {
    let has_rates = classes.iter().any(|class| class.found.capacity.is_some());
    let rates = if has_rates { &["of", "rate"][..] } else { &[] };
    let is_sampled = classes.iter().any(|class| class.sampled.is_some());
    let likely = if is_sampled { &["likely"][..] } else { &[] };
    let right =
        ["least", "most"].iter().chain(rates).chain(&["expected"]).chain(likely).map(|&name| (name, Align::Right));
    let left = ["verdict", "why, and to whom"].map(|name| (name, Align::Left));
    let mut table = Table::new([("class", Align::Left)].into_iter().chain(right).chain(left)).with_notes();
    let mut classes: Vec<&ClassDocument> = classes.iter().collect();
    classes.sort_by_key(|class| (class.found.verdict, class.found.width, Reverse(class.found.capacity)));
    for class in classes.iter().take(MOST_LINES) {
        let found = &class.found;
        let mut row = vec![class.class.text(), count(found.lower as f64), count(found.upper as f64)];
        if has_rates {
            row.extend([people(found), window(found)]);
        }
        let to = class.to.map_or_else(String::new, |to| format!("; to {}", who(to)));
        row.push(class.expected_rate.map_or_else(|| short(class.expected), rate));
        row.extend(class.sampled.map(|sampled| match sampled.settled {
            true => range(sampled.p05, sampled.p95),
            false => "not converged".to_owned(),
        }));
        row.extend([found.verdict.name().to_owned(), format!("{}{to}", class.why)]);
        table.row(row);
    }
    table.render() + &more(classes.len(), "classes")
}

pub(super) fn show_slack(report: &SlackDocument) -> String {
    let people = number(usize::try_from(report.slack.people).unwrap_or(usize::MAX), "person", "people");
    let share = report.slack.share.map_or_else(String::new, |share| format!(", {} of everybody", rate(share)));
    let mut text = title(&report.title, &format!("the numbers contradict each other by {people}{share}"));
    text += &line(report.kind.word(), &report.statement);
    let mut table = Table::new([("class", Align::Left), ("least", Align::Right), ("most", Align::Right)]);
    let mut classes: Vec<_> = report.classes.iter().collect();
    classes.sort_by_key(|class| class.upper - class.lower);
    for class in classes.iter().take(MOST_LINES) {
        table.row([class.class.text(), count(class.lower as f64), count(class.upper as f64)]);
    }
    text + "\n" + &table.render() + &more(classes.len(), "classes")
}

pub(super) fn show_diff(report: &DiffDocument) -> String {
    let met = if report.target_met { "met" } else { "missed" };
    let both = format!("{} -> {}", report.before, report.after);
    let mut text = title(&both, &format!("{}, target {met}", number(report.groups.len(), "group", "groups")));
    text += &promise(&report.promise);
    text += &policy(&report.policy);
    let found = [
        (report.by_difference, "disclosed by the difference"),
        (report.small_differences, "differences of published numbers with fewer than min_frequency people"),
        (report.unknown, "unknown"),
    ];
    text += &line("found", &found.map(|(groups, what)| format!("{} {what}", count(groups as f64))).join(", "));
    text + "\n" + &group_table(&report.groups)
}

fn group_table(groups: &[GroupDocument]) -> String {
    let right = ["least", "most", "of", "rate"].map(|name| (name, Align::Right));
    let left = ["verdict", "why"].map(|name| (name, Align::Left));
    let head = ["class", "who"].map(|name| (name, Align::Left));
    let mut table = Table::new(head.into_iter().chain(right).chain(left)).with_notes();
    let mut groups: Vec<&GroupDocument> = groups.iter().collect();
    groups.sort_by_key(|group| (!group.is_by_difference, group.found.verdict, group.found.width, group.found.capacity));
    for group in groups.iter().take(MOST_LINES) {
        let found = &group.found;
        let who = match group.group {
            PeriodGroup::Before => "before",
            PeriodGroup::After => "after",
            PeriodGroup::Stayed => "stayed",
            PeriodGroup::Left => "left",
            _ => "joined",
        };
        let bounds = [found.lower, found.upper].map(|bound| count(bound as f64));
        let [least, most] = bounds;
        let verdict = found.verdict.name().to_owned();
        table.row([
            group.class.text(),
            who.to_owned(),
            least,
            most,
            people(found),
            window(found),
            verdict,
            group.why.clone(),
        ]);
    }
    table.render() + &more(groups.len(), "groups")
}

/// What a reader who knows the program learns, if that was looked at.
pub(super) fn algorithm_aware(found: Option<&AlgorithmAwareDocument>) -> String {
    found.map_or_else(String::new, |found| line("algorithm", &format!("{} ({})", found.statement, found.kind.word())))
}

pub(super) fn title(title: &str, words: &str) -> String {
    let bold = clap::builder::styling::Style::new().bold();
    format!("\n  {bold}{}{bold:#}: {words}\n\n", one_line(title))
}

pub(super) fn line(name: &str, words: &str) -> String {
    labelled(11, name, words)
}

pub(super) fn promise(promise: &Promise) -> String {
    line(promise.kind.word(), &promise.guarantee) + &line("against", promise.against.as_deref().unwrap_or_default())
}

pub(super) fn policy(policy: &RuleDocument) -> String {
    let rates = policy.beta.map_or_else(
        || "no rates, as there is no response".to_owned(),
        |beta| format!("certified if rates stay between {} and {}", rate(beta), rate(1.0 - beta)),
    );
    let target = match policy.target {
        Some(DisclosureTarget::Certified) => "all certified",
        Some(DisclosureTarget::Undisclosed) => "none disclosed",
        None => "nothing disclosed by the difference",
    };
    let (tau, kappa) = (count(policy.tau as f64), count(policy.kappa as f64));
    line(
        "rule",
        &format!(
            "{rates}; disclosed by an interval of width {tau} or less; groups of at least {kappa} people; target: {target}"
        ),
    )
}

fn people(found: &ClassBounds) -> String {
    found.capacity.map_or_else(String::new, |people| count(people as f64))
}

fn window(found: &ClassBounds) -> String {
    found.posterior.map_or_else(String::new, |[lower, upper]| {
        if lower == upper { rate(lower) } else { format!("{} .. {}", rate(lower), rate(upper)) }
    })
}

fn range(lower: i64, upper: i64) -> String {
    format!("{} .. {}", count(lower as f64), count(upper as f64))
}

/// Who an attacker is.
fn who(attacker: Attacker) -> &'static str {
    match attacker {
        Attacker::Release => "anyone who reads the release",
        Attacker::Composition => "anyone who also knows the population table",
        Attacker::Facts => "anyone who also knows the facts",
    }
}

/// How a bound was found, as its name in JSON.
fn method(found: &ClassBounds) -> String {
    let name = serde_json::to_value(found.method).ok();
    let name = name.as_ref().and_then(serde_json::Value::as_str).unwrap_or_default().to_owned();
    if found.is_sharp { name } else { format!("{name}, not attained") }
}

pub(super) fn more(all: usize, what: &str) -> String {
    match all.checked_sub(MOST_LINES) {
        None | Some(0) => String::new(),
        Some(left) => format!("  … and {} more {what}, in --json\n", count(left as f64)),
    }
}
