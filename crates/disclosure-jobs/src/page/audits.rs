//! Documents about audits: bounds on classes, and what a filter did with each group.

use disclosure::lcf::MembershipPosterior;
use disclosure_report::number::count;
use disclosure_report::{Block, Cell, Column, IntervalBar, Intervals, Lines, Mark, Series, Table, Tone};

use super::review::{MOST_DRAWN, folded, labelled, left_out, truncation_note};
use super::views::{AuditedClass, ExactAudit, FilterAudit, FilterColumn, FilteredGroup, StatusCounts};
use crate::exact::ClassStatus;

/// The bounds of every class, with the limits of the rule.
pub(super) fn exact(document: &ExactAudit, max_lines: usize) -> Vec<Block> {
    let mut classes: Vec<&AuditedClass> = document.classes.iter().collect();
    classes.sort_by_key(|class| class.verdict.min(ClassStatus::Certified));
    let bounds = Bounds { are_rates: classes.iter().any(|class| class.posterior.is_some()) };
    let chart = Intervals {
        title: format!("What an attacker can infer about each class{}", truncation_note(classes.len())),
        axis: if bounds.are_rates { "possible rates, in %" } else { "feasible counts of people" }.to_owned(),
        intervals: classes.iter().filter_map(|class| bounds.interval(class)).take(MOST_DRAWN).collect(),
        marks: document.policy.beta.filter(|_| bounds.are_rates).map(marks).unwrap_or_default(),
    };
    let mut blocks = vec![Block::Facts(status_facts(&document.counts))];
    blocks.extend((!chart.intervals.is_empty()).then(|| chart.into()));
    blocks.push(folded("All classes", class_table(&classes, max_lines, bounds)));
    blocks
}

fn status_facts(counts: &StatusCounts) -> Vec<(String, Cell)> {
    let StatusCounts { certified, ambiguous, disclosed, unknown, empty } = *counts;
    let facts = [
        ("certified", certified),
        ("ambiguous", ambiguous),
        ("disclosed", disclosed),
        ("unknown", unknown),
        ("empty", empty),
    ];
    // Statuses that no class has say nothing.
    let facts = facts.into_iter().filter_map(|(name, classes)| Some((name, classes.filter(|&classes| classes > 0)?)));
    facts.map(|(name, classes)| (name.to_owned(), Cell::from(count(classes as f64)))).collect()
}

/// The limits of the rule on rates.
fn marks(beta: f64) -> Vec<Mark> {
    [beta, 1.0 - beta].map(|rate| Mark { at: 100.0 * rate, label: format!("{} %", (rate * 1e6).round() / 1e4) }).into()
}

/// How the bounds of classes are shown: as rates where sizes are public, as counts elsewhere.
#[derive(Clone, Copy)]
struct Bounds {
    are_rates: bool,
}

impl Bounds {
    fn ends(self, class: &AuditedClass) -> Option<[f64; 2]> {
        if self.are_rates { class.posterior } else { Some([class.lower, class.upper]) }
    }

    fn text(self, class: &AuditedClass) -> Option<String> {
        let [low, high] = self.ends(class)?;
        Some(match self.are_rates {
            // Outwards, so that no rate that stays possible is left out.
            true => format!("{} to {} %", (low * 1000.0).floor() / 10.0, (high * 1000.0).ceil() / 10.0),
            false => format!("{} to {}", count(low), count(high)),
        })
    }

    fn interval(self, class: &AuditedClass) -> Option<IntervalBar> {
        let scale = if self.are_rates { 100.0 } else { 1.0 };
        let [low, high] = self.ends(class)?.map(|end| scale * end);
        let is_bad = class.verdict == ClassStatus::Disclosed;
        Some(IntervalBar { label: labelled(&class.class), low, high, shown: self.text(class)?, is_bad })
    }
}

fn class_table(classes: &[&AuditedClass], max_lines: usize, bounds: Bounds) -> Table {
    let columns = [Column::words("class"), Column::numbers("bounds"), Column::words("status"), Column::words("reason")];
    let mut table = Table::new("Bounds and status of each class", columns);
    table.rows = classes.iter().take(max_lines).map(|class| class_row(class, bounds)).collect();
    table.left_out = left_out(table.rows.len(), classes.len());
    table
}

fn class_row(class: &AuditedClass, bounds: Bounds) -> Vec<Cell> {
    let tone = if class.verdict == ClassStatus::Disclosed { Tone::Bad } else { Tone::Plain };
    vec![
        labelled(&class.class).into(),
        bounds.text(class).unwrap_or_default().into(),
        Cell::toned(tone, class.verdict.name()),
        class.why.as_str().into(),
    ]
}

/// What the filter did with every group.
pub(super) fn filter(document: &FilterAudit, max_lines: usize) -> Vec<Block> {
    let groups = &document.groups;
    let columns = ["group", "status", "reason", "entities"].map(Column::words);
    let mut table = Table::new("Status of each group, and the reason for it", columns);
    table.rows = groups.iter().take(max_lines).map(group_row).collect();
    table.left_out = left_out(table.rows.len(), groups.len());
    let curves = document.aid.iter().filter_map(membership_curve);
    curves.map(Block::from).chain([folded("All groups", table)]).collect()
}

fn group_row(group: &FilteredGroup) -> Vec<Cell> {
    vec![
        labelled(&group.group).into(),
        if group.reported { "published" } else { "withheld" }.into(),
        group.reason.replace('-', " ").into(),
        group.entities.replace('-', " ").into(),
    ]
}

/// What one decision about a group reveals to an attacker who knows its size up to one entity.
fn membership_curve(column: &FilterColumn) -> Option<Lines> {
    let posteriors = &column.one_more;
    (!posteriors.is_empty()).then(|| Lines {
        title: format!("Effect of one more entity of kind {}", column.kind),
        across: "N".to_owned(),
        up: "probability".to_owned(),
        is_logarithmic: false,
        series: vec![
            series(posteriors, "probability of N entities, if the group is suppressed", |known| {
                known.p_n_given_suppressed
            }),
            series(posteriors, "probability of N + 1 entities, if it is published", |known| known.p_n1_given_reported),
            series(posteriors, "probability that it is published", |known| Some(known.p_reported)),
        ],
    })
}

fn series(
    posteriors: &[MembershipPosterior],
    name: &str,
    probability: fn(&MembershipPosterior) -> Option<f64>,
) -> Series {
    let points = posteriors.iter().filter_map(|known| Some((known.n as f64, probability(known)?))).collect();
    Series { name: name.to_owned(), points }
}
