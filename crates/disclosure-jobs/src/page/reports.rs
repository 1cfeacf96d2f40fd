//! The page of randomised answers: `disclosure.ldp-release/1`.

use disclosure_report::number::{count, short, short_up};
use disclosure_report::{
    Block, Cell, Column, IntervalBar, Intervals, Page, PromiseCard, PromiseSection, Section, StatementKind, Table, Tone,
};

use super::files;
use super::glossary;
use super::head::Head;
use super::stored::{Content, StoredRelease};
use super::words::{colophon, promise_section, statement_kind};
use crate::reports::{EstimateDocument, ReportsReleaseDocument, SetEstimate};

/// Most estimates that are drawn.
const MOST_BARS: usize = 40;

/// Makes the page of randomised answers and of what they say.
pub(super) fn page(record: &ReportsReleaseDocument, release: &StoredRelease) -> Page {
    let kind = statement_kind(record.promise.kind);
    let head = Head::new(&record.imprint)
        .verdict(Tone::Good, format!("Released. {}: {}.", kind.name(), record.promise.guarantee))
        .fact("what is protected", record.promise.unit.as_deref().unwrap_or("an answer"))
        .fact("reports", count(record.reports as f64))
        .fact("columns", record.features.join(", "));
    let page = Page::new(record.title.as_str()).colophon(colophon(&record.version));
    let page = head.onto(page, None).section(promises(record));
    let estimates = release.files.iter().find_map(|file| match &file.content {
        Content::Estimates(estimates) => Some(estimates.as_ref()),
        _ => None,
    });
    let page = match estimates {
        Some(estimates) => page.section(estimated(estimates, release.max_lines)),
        None => page,
    };
    page.section(files::section(release)).section(glossary::section(&[kind, StatementKind::Calibration], &[]))
}

fn promises(record: &ReportsReleaseDocument) -> Section {
    let mut promise = promise_section(&record.promise, None);
    promise.not_covered.clone_from(&record.not_covered);
    let intervals = PromiseSection::new(StatementKind::Calibration, "95 % intervals for each number");
    let card = PromiseCard { subject: "Randomised answers".to_owned(), promises: vec![promise, intervals] };
    Section::new("What is promised").with(card).with(Block::List(record.statements.clone()))
}

fn estimated(estimates: &EstimateDocument, max_lines: usize) -> Section {
    let single: Vec<&SetEstimate> = estimates.sets.iter().filter(|set| set.columns.len() == 1).collect();
    let chart = Intervals {
        title: "People with each answer, estimated from the reports".to_owned(),
        axis: "people, with a 95 % interval for each number separately".to_owned(),
        intervals: single.into_iter().take(MOST_BARS).map(interval).collect(),
        marks: Vec::new(),
    };
    let columns = [
        Column::words("answers"),
        Column::numbers("people"),
        Column::numbers("standard error"),
        Column::numbers("95 % from"),
        Column::numbers("to"),
        Column::numbers("effect of one false report"),
    ];
    let mut table = Table::new("Estimates from the reports; they are unbiased, so they may be negative", columns);
    table.rows = estimates.sets.iter().take(max_lines).map(row).collect();
    let more = estimates.sets.len().saturating_sub(max_lines);
    table.left_out = (more > 0).then(|| format!("and {} more, in estimates.json", count(more as f64)));
    let summary = format!("{} estimates", count(estimates.sets.len() as f64));
    Section::new("Estimates").with(chart).with(Block::Folded { summary, is_open: false, blocks: vec![table.into()] })
}

fn interval(set: &SetEstimate) -> IntervalBar {
    let [low, high] = set.ci95;
    let shown = format!("{} to {}", short(low), short(high));
    IntervalBar { label: set.columns.join(" × "), low, high, shown, is_bad: set.impossible }
}

fn row(set: &SetEstimate) -> Vec<Cell> {
    vec![
        Cell::from(set.columns.join(" × ")),
        short(set.count).into(),
        short_up(set.se_fixed_population).into(),
        short(set.ci95[0]).into(),
        short(set.ci95[1]).into(),
        format!("{} people", short(set.one_false_report)).into(),
    ]
}
