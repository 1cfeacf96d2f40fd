//! Documents about audits: bounds on classes, and what a filter did with each group.

use disclosure::core::param::StdDev;
use disclosure::lcf::{ClampedNormal, MembershipPosterior, ThresholdTable};
use disclosure_report::number::count;
use disclosure_report::{Block, Cell, Column, IntervalBar, Intervals, Lines, Mark, Series, Table, Tone};

use super::review::{MOST_DRAWN, folded, labelled, left_out, truncation_note};
use super::views::{
    AuditedClass, ClassStatus, ExactAudit, FilterAudit, FilterColumn, FilterLaw, FilteredGroup, StatusCounts,
};

/// The bounds of every class, with the limits of the rule.
pub(super) fn exact(document: &ExactAudit, max_lines: usize) -> Vec<Block> {
    let mut classes: Vec<&AuditedClass> = document.classes.iter().collect();
    classes.sort_by_key(|class| class.verdict.min(ClassStatus::Certified));
    let bounds = Bounds { are_rates: classes.iter().any(|class| class.posterior.is_some()) };
    let chart = Intervals {
        title: format!("What an attacker can tell of each class{}", truncation_note(classes.len())),
        axis: if bounds.are_rates { "rate that stays possible" } else { "people who may be there" }.to_owned(),
        intervals: classes.iter().filter_map(|class| bounds.interval(class)).take(MOST_DRAWN).collect(),
        marks: document.policy.beta.filter(|_| bounds.are_rates).map(marks).unwrap_or_default(),
    };
    let mut blocks = vec![Block::Facts(status_facts(&document.counts))];
    blocks.extend((!chart.intervals.is_empty()).then(|| chart.into()));
    blocks.push(folded("Every class", class_table(&classes, max_lines, bounds)));
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
    let facts = facts.map(|(name, classes)| {
        (name.to_owned(), Cell::from(classes.map_or_else(String::new, |classes| count(classes as f64))))
    });
    facts.into()
}

/// The limits of the rule on rates.
fn marks(beta: f64) -> Vec<Mark> {
    let mark = |at: f64| Mark { at, label: format!("{}", (at * 1e6).round() / 1e6) };
    vec![mark(beta), mark(1.0 - beta)]
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
        let [low, high] = self.ends(class)?;
        let is_bad = class.verdict == ClassStatus::Disclosed;
        Some(IntervalBar { label: labelled(&class.class), low, high, shown: self.text(class)?, is_bad })
    }
}

fn class_table(classes: &[&AuditedClass], max_lines: usize, bounds: Bounds) -> Table {
    let columns = [Column::words("class"), Column::numbers("between"), Column::words("verdict"), Column::words("why")];
    let mut table = Table::new("Bounds and verdict of each class", columns);
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
    let columns = ["group", "", "why", "entities"].map(Column::words);
    let mut table = Table::new("What became of each group, and why", columns);
    table.rows = groups.iter().take(max_lines).map(group_row).collect();
    table.left_out = left_out(table.rows.len(), groups.len());
    let curves = document.aid.iter().filter_map(membership_curve);
    curves.map(Block::from).chain([folded("Every group", table)]).collect()
}

fn group_row(group: &FilteredGroup) -> Vec<Cell> {
    vec![
        labelled(&group.group).into(),
        if group.reported { "shown" } else { "withheld" }.into(),
        group.reason.replace('-', " ").into(),
        group.entities.replace('-', " ").into(),
    ]
}

/// What one decision about a group tells an attacker who knows its size up to one entity.
fn membership_curve(column: &FilterColumn) -> Option<Lines> {
    let FilterLaw::ClampedNormal { mean, sd, always_suppress_upper_bound } = column.law else { return None };
    let law = ClampedNormal::new(mean, StdDev::new(sd).ok()?, always_suppress_upper_bound).ok()?;
    let thresholds = ThresholdTable::new(law);
    let first = thresholds.floor().saturating_sub(1);
    let last = column.certain.min(thresholds.floor().saturating_add(200));
    let posteriors: Vec<MembershipPosterior> = (first..=last).map(|n| thresholds.membership_posterior(n)).collect();
    Some(Lines {
        title: format!("What one more of kind {} changes", column.kind),
        across: "N".to_owned(),
        up: "probability".to_owned(),
        is_logarithmic: false,
        series: vec![
            series(&posteriors, "that there are N, once the group is withheld", |known| known.p_n_given_suppressed),
            series(&posteriors, "that there are N + 1, once it is shown", |known| known.p_n1_given_reported),
            series(&posteriors, "that it is shown", |known| Some(known.p_reported)),
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
