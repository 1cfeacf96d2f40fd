//! The page of exact tables: `disclosure.frechet-release/1`.

use disclosure_report::number::{count, short_up};
use disclosure_report::{
    Block, Cell, Column, IntervalBar, Intervals, Page, PromiseCard, PromiseSection, Section, StatementKind, Table, Tone,
};

use super::glossary::{self, Topic};
use super::head::{Head, first_clause};
use super::record::entry_of_exact;
use super::stored::{Content, StoredRelease};
use super::words::{colophon, plural, promise_section, statement_kind, table_name, too_large};
use super::{files, tables};
use crate::exact::{FactDocument, ReleaseDocument, TableFile};
use disclosure::frechet::{DecisionData, DisclosureTarget, Scope, Treatment};

/// Most published numbers that are drawn; the table lists all.
const MOST_DRAWN: usize = 40;

/// Makes the page of exact tables.
pub(super) fn page(record: &ReleaseDocument, release: &StoredRelease) -> Page {
    let page = Page::new(record.title.as_str()).colophon(colophon(&record.versions.disclosure));
    let page = head(record).onto(page, None).section(promises(record));
    let page = said(record).into_iter().fold(page, Page::section);
    let topics: &[Topic] = if record.privacy.is_some() { &[Topic::Exact, Topic::Noise] } else { &[Topic::Exact] };
    let kinds = [statement_kind(record.promise.kind), StatementKind::Guarantee];
    page.section(contents(record, release)).section(files::section(release)).section(glossary::section(&kinds, topics))
}

/// What the release says besides its tables: the target, and the numbers that are published with
/// it.
pub(super) fn said(record: &ReleaseDocument) -> Vec<Section> {
    let published = (!record.publish.is_empty()).then(|| published(&record.publish));
    [target(record)].into_iter().chain(published).collect()
}

/// What the numbers of the tables count.
pub(super) fn unit(record: &ReleaseDocument) -> String {
    match &record.counted {
        Some(counted) => match &counted.value {
            Some(value) => format!("people with {} = {value}", counted.column),
            None => format!("people by {}", counted.column),
        },
        None => "people".to_owned(),
    }
}

fn contents(record: &ReleaseDocument, release: &StoredRelease) -> Section {
    let section = Section::new("Tables").with(overview(&record.files));
    let mut stored = release.files.iter();
    record.files.iter().fold(section, |section, file| {
        section.subsection(match entry_of_exact(file) {
            Some(entry) => {
                let content = stored.next().map_or(&Content::NotShown, |file| &file.content);
                table(record, file, &entry.path, content)
            }
            None => withheld(file),
        })
    })
}

fn withheld(file: &TableFile) -> Section {
    let text = format!("The whole table is withheld: {}.", file.reasons.join("; "));
    Section::new(table_name(&file.attributes)).with(Block::Note(Tone::Warning, text))
}

fn table(record: &ReleaseDocument, file: &TableFile, path: &str, content: &Content) -> Section {
    let name = table_name(&file.attributes);
    let Content::Table(sheet) = content else { return too_large(name, path) };
    let mut section = tables::section(name, sheet, &unit(record), path);
    section.blocks.extend((!file.reasons.is_empty()).then(|| Block::List(file.reasons.clone())));
    section
}

fn head(record: &ReleaseDocument) -> Head {
    let target =
        record.policy.target.map_or_else(String::new, |target| format!(" The target {} is met.", target_word(target)));
    let files = &record.files;
    // Anybody can write a record, and its numbers may have no sum among whole numbers.
    let sum = |cells: fn(&TableFile) -> usize| files.iter().map(|file| cells(file) as f64).sum::<f64>();
    let counts = [
        (sum(|file| file.exact), "exact"),
        (sum(|file| file.noised), "with noise"),
        (sum(|file| file.suppressed), "suppressed"),
    ];
    let counts = counts.into_iter().filter(|&(cells, _)| cells > 0.0);
    let counts: Vec<String> = counts.map(|(cells, what)| format!("{} {what}", count(cells))).collect();
    let tables = plural(files.len(), "table", "tables");
    let kind = statement_kind(record.promise.kind).name();
    Head::new(&record.imprint)
        .verdict(Tone::Good, format!("Released.{target}"))
        .fact("what is protected", record.promise.unit.as_deref().unwrap_or("a person"))
        .fact(
            "exact tables",
            format!("{tables}, {} numbers. {kind}: {}", counts.join(", "), first_clause(&record.promise.guarantee)),
        )
        .fact(
            "budget",
            match (&record.privacy, &record.pattern) {
                (_, Some(pattern)) => format!(
                    "epsilon {} at delta {:e} for the choice of the published numbers; the exact numbers have no \
                     differential privacy",
                    short_up(pattern.cost.epsilon),
                    pattern.cost.delta
                ),
                (Some(privacy), None) => {
                    format!(
                        "epsilon {} for the noised numbers; the exact numbers have no differential privacy",
                        short_up(privacy.epsilon)
                    )
                }
                (None, None) => "none: no number has noise, and exact numbers have no differential privacy".to_owned(),
            },
        )
}

fn promises(record: &ReleaseDocument) -> Section {
    let mut promise = promise_section(&record.promise, None);
    promise.not_covered.clone_from(&record.not_covered);
    let noise = record.privacy.as_ref().map(|privacy| {
        let statement =
            format!("the noise has epsilon {}, conditional on all exact numbers", short_up(privacy.epsilon));
        PromiseSection::new(StatementKind::Guarantee, statement)
            .term("against", "anyone who knows all exact numbers and the answers of everyone else")
            .not_covered("what the exact numbers disclose")
    });
    let promises = [promise].into_iter().chain(noise).collect();
    Section::new("What is promised").with(PromiseCard { subject: "Exact tables".to_owned(), promises })
}

fn target(record: &ReleaseDocument) -> Section {
    let policy = &record.policy;
    let mut facts: Vec<(String, Cell)> = Vec::new();
    facts.extend(
        policy
            .target
            .map(|target| ("target".to_owned(), Cell::toned(Tone::Good, format!("{}: met", target_word(target))))),
    );
    facts.extend([
        ("a count is disclosed".to_owned(), format!("when it is known to within {}", count(policy.tau as f64)).into()),
        ("smallest group".to_owned(), format!("{} people", count(policy.kappa as f64)).into()),
        ("in scope".to_owned(), format!("classes: {}", scope(policy.classes)).into()),
        ("decisions based on".to_owned(), decision_data(record.basis).into()),
    ]);
    facts.extend(policy.beta.map(|beta| ("rate margin".to_owned(), rates(beta).into())));
    let text = "A release that misses its target is not written. This one met it against an attacker who knows exactly \
         these numbers.";
    let aware = record.algorithm_aware.iter().map(|aware| {
        let tone = if aware.is_lost() { Tone::Warning } else { Tone::Good };
        ("what knowledge of this program discloses".to_owned(), Cell::toned(tone, aware.statement.clone()))
    });
    facts.extend(aware);
    Section::new("Target").with(Block::Facts(facts)).text(text).with(Block::List(record.notes.clone()))
}

fn rates(beta: f64) -> String {
    format!("rates between {} % and {} %", rounded(100.0 * beta), rounded(100.0 * (1.0 - beta)))
}

/// A rate without the digits that only rounding makes.
fn rounded(rate: f64) -> f64 {
    (rate * 1e4).round() / 1e4
}

/// Numbers that are not in a table, as intervals if they are published as such.
fn published(facts: &[FactDocument]) -> Section {
    let columns = [Column::words("number"), Column::words("people"), Column::numbers("published as")];
    let mut table = Table::new("Numbers published in addition to the tables", columns);
    table.rows =
        facts.iter().map(|fact| vec![fact.name.as_str().into(), population(fact).into(), shown(fact).into()]).collect();
    let section = Section::new("Additional numbers");
    let has_intervals = facts.len() <= MOST_DRAWN && facts.iter().any(|fact| fact.lower < fact.upper);
    match has_intervals {
        true => section.with(intervals(facts)).with(table),
        false => section.with(table),
    }
}

fn intervals(facts: &[FactDocument]) -> Intervals {
    let intervals = facts.iter().map(|fact| IntervalBar {
        label: fact.name.clone(),
        low: fact.lower as f64,
        high: fact.upper as f64,
        shown: shown(fact),
        is_bad: false,
    });
    Intervals {
        title: "Intervals of the published numbers".to_owned(),
        axis: "people".to_owned(),
        intervals: intervals.collect(),
        marks: Vec::new(),
    }
}

fn shown(fact: &FactDocument) -> String {
    let [lower, upper] = [fact.lower, fact.upper].map(|bound| count(bound as f64));
    if fact.lower == fact.upper { lower } else { format!("{lower} to {upper}") }
}

/// Whom a published number counts.
fn population(fact: &FactDocument) -> String {
    let parts: Vec<String> =
        fact.r#where.iter().map(|(axis, labels)| format!("{axis}: {}", labels.join(", "))).collect();
    if parts.is_empty() { "everyone".to_owned() } else { parts.join("; ") }
}

fn overview(files: &[TableFile]) -> Table {
    let columns = [
        Column::words("table"),
        Column::words("treatment"),
        Column::numbers("exact"),
        Column::numbers("with noise"),
        Column::numbers("suppressed"),
        Column::words("file"),
    ];
    let mut table = Table::new("Status of each table", columns);
    table.rows = files.iter().map(overview_row).collect();
    table.without_zero_columns()
}

fn overview_row(file: &TableFile) -> Vec<Cell> {
    let what = match file.name {
        Some(_) => Cell::from(treatment(file.treatment)),
        None => Cell::toned(Tone::Warning, "withheld"),
    };
    let mut row = vec![table_name(&file.attributes).into(), what];
    row.extend([file.exact, file.noised, file.suppressed].map(|cells| Cell::from(count(cells as f64))));
    row.push(file.name.as_deref().unwrap_or_default().into());
    row
}

fn target_word(target: DisclosureTarget) -> &'static str {
    match target {
        DisclosureTarget::Certified => "certified",
        DisclosureTarget::Undisclosed => "undisclosed",
    }
}

fn scope(scope: Scope) -> &'static str {
    match scope {
        Scope::Cells => "cells",
        Scope::Pairs => "pairs",
        _ => "all",
    }
}

fn decision_data(data: DecisionData) -> &'static str {
    match data {
        DecisionData::PublicSizes => "public-sizes",
        DecisionData::Counts => "counts",
        DecisionData::Robust => "robust",
        DecisionData::Private => "private",
    }
}

fn treatment(treatment: Treatment) -> &'static str {
    match treatment {
        Treatment::Exact => "exact",
        Treatment::Coarsened => "coarsened",
        Treatment::Suppressed => "suppressed",
        Treatment::Noised => "noised",
        Treatment::Withheld => "withheld",
    }
}
