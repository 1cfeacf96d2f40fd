//! The page of a release of exact numbers: `disclosure.frechet-release/1`.

use std::collections::BTreeMap;

use disclosure_report::{
    Block, Cell, Column, IntervalBar, Intervals, Page, PromiseSection, Section, StatementKind, Table, Tone,
};
use serde::Deserialize;

use super::directory::{Directory, Entry, parse};
use super::error::ReportError;
use super::record::{PromiseRecord, name_of, several};
use super::resplan::too_large;
use super::sheet::Sheet;
use super::{files, tables};
use crate::display::{count, short_up};

pub(super) const SCHEMA: &str = "disclosure.frechet-release/1";

#[derive(Deserialize)]
struct Record {
    title: String,
    promise: PromiseRecord,
    policy: Policy,
    #[serde(default)]
    counted: Option<Counted>,
    publish: Vec<Fact>,
    privacy: Option<Privacy>,
    basis: String,
    notes: Vec<String>,
    not_covered: Vec<String>,
    versions: Versions,
    files: Vec<File>,
}

/// Whom the tables count.
#[derive(Deserialize)]
struct Counted {
    column: String,
    value: Option<String>,
}

impl Record {
    /// What the numbers of the tables count.
    fn unit(&self) -> String {
        match &self.counted {
            Some(Counted { column, value: Some(value) }) => format!("people with {column} = {value}"),
            Some(Counted { column, value: None }) => format!("people by {column}"),
            None => "people".to_owned(),
        }
    }
}

#[derive(Deserialize)]
struct Policy {
    tau: u64,
    beta: Option<f64>,
    kappa: u64,
    classes: String,
    target: Option<String>,
}

/// A number that goes out besides the tables.
#[derive(Deserialize)]
struct Fact {
    name: String,
    #[serde(rename = "where", default)]
    of: BTreeMap<String, Vec<String>>,
    lower: f64,
    upper: f64,
}

#[derive(Deserialize)]
struct Privacy {
    epsilon: f64,
}

#[derive(Deserialize)]
struct Versions {
    disclosure: String,
}

#[derive(Deserialize)]
struct File {
    name: Option<String>,
    sha256: Option<String>,
    bytes: u64,
    attributes: Vec<String>,
    treatment: String,
    exact: usize,
    noised: usize,
    suppressed: usize,
    reasons: Vec<String>,
}

pub(super) fn page(directory: &mut Directory) -> Result<Page, ReportError> {
    let record: Record = directory.record()?;
    let entry = |file: &File| {
        Some(Entry { path: file.name.clone()?, sha256: file.sha256.clone()?, bytes: file.bytes, stays: false })
    };
    let entries: Vec<Entry> = record.files.iter().filter_map(entry).collect();
    directory.check_names(&entries)?;
    let mut contents = Section::new("Tables").with(overview(&record.files));
    for file in &record.files {
        let Some(entry) = entry(file) else {
            let reasons = file.reasons.join("; ");
            let withheld = Block::Note(Tone::Warning, format!("The whole table is withheld: {reasons}."));
            contents.sections.push(Section::new(name_of(&file.attributes)).with(withheld));
            continue;
        };
        contents.sections.push(told(directory, file, &entry, &record.unit())?);
    }
    let mut page = Page::new(record.title.clone());
    page.lead = vec![lead(&record)];
    page.colophon = format!("Made from a release of disclosure {}.", record.versions.disclosure);
    page.sections.push(promises(&record));
    page.sections.push(policy(&record));
    page.sections.extend((!record.publish.is_empty()).then(|| published(&record.publish)));
    page.sections.push(contents);
    page.sections.push(files::section(directory, &entries));
    Ok(page)
}

/// What a release that is part of another says besides its tables.
pub(super) fn said(file: &str, bytes: &[u8]) -> Result<Vec<Section>, ReportError> {
    let record: Record = parse(file, bytes)?;
    let published = (!record.publish.is_empty()).then(|| published(&record.publish));
    Ok([policy(&record)].into_iter().chain(published).collect())
}

/// What the numbers count in the tables of a release that is part of another.
pub(super) fn unit_of(file: &str, bytes: &[u8]) -> Result<String, ReportError> {
    parse::<Record>(file, bytes).map(|record| record.unit())
}

fn told(directory: &mut Directory, file: &File, entry: &Entry, unit: &str) -> Result<Section, ReportError> {
    let name = name_of(&file.attributes);
    let Some(bytes) = directory.read(entry)? else { return Ok(too_large(name, &entry.path)) };
    let sheet = Sheet::read(directory, &entry.path, &bytes)?;
    let mut section = tables::section(name, &sheet, unit, &entry.path);
    section.blocks.extend((!file.reasons.is_empty()).then(|| Block::List(file.reasons.clone())));
    Ok(section)
}

fn lead(record: &Record) -> String {
    let sum = |fate: fn(&File) -> usize| count(record.files.iter().map(fate).sum::<usize>() as f64);
    let tables = several(record.files.len(), "table", "tables");
    let [exact, noised, suppressed] = [sum(|f| f.exact), sum(|f| f.noised), sum(|f| f.suppressed)];
    let unit = record.promise.unit.as_deref().unwrap_or("a person");
    format!("{tables}: {exact} numbers exact, {noised} with noise, {suppressed} suppressed. What is protected: {unit}.")
}

fn promises(record: &Record) -> Section {
    let section =
        Section::new("What is promised").with(record.promise.clone().promise(None, record.not_covered.clone()));
    let Some(privacy) = &record.privacy else { return section };
    section.with(PromiseSection {
        kind: StatementKind::Guarantee,
        subject: Some("the noise".to_owned()),
        statement: format!("epsilon {}, conditional on every exact number", short_up(privacy.epsilon)),
        terms: vec![("against".to_owned(), "whoever knows all exact numbers, and everybody else's answers".to_owned())],
        not_covered: vec!["what the exact numbers tell".to_owned()],
    })
}

fn policy(record: &Record) -> Section {
    let Policy { tau, beta, kappa, classes, target } = &record.policy;
    let mut facts: Vec<(String, Cell)> = vec![
        ("a count is disclosed".to_owned(), format!("when it is known to within {}", count(*tau as f64)).into()),
        ("smallest group".to_owned(), format!("{} people", count(*kappa as f64)).into()),
        ("looked at".to_owned(), format!("classes: {classes}").into()),
        ("decided on".to_owned(), record.basis.as_str().into()),
    ];
    facts.extend(beta.map(|beta| ("rates stay possible".to_owned(), rates(beta).into())));
    let met = |target: &String| ("target".to_owned(), Cell::toned(Tone::Good, format!("{target}: met")));
    facts.splice(0..0, target.iter().map(met));
    let words = "Nothing is written when the target is missed: what went out met it, as an attacker who knows exactly these \
                 numbers found.";
    let notes = record.notes.clone();
    Section::new("Target").with(Block::Facts(facts)).with(Block::Text(words.to_owned())).with(Block::List(notes))
}

fn rates(beta: f64) -> String {
    let shown = |rate: f64| (rate * 1e6).round() / 1e6;
    format!("within {} and {}", shown(beta), shown(1.0 - beta))
}

/// Numbers besides the tables, as intervals where they are told as such.
fn published(facts: &[Fact]) -> Section {
    let shown = |fact: &Fact| match fact.lower == fact.upper {
        true => count(fact.lower),
        false => format!("{} to {}", count(fact.lower), count(fact.upper)),
    };
    let of = |fact: &Fact| {
        let parts: Vec<String> =
            fact.of.iter().map(|(axis, labels)| format!("{axis}: {}", labels.join(", "))).collect();
        if parts.is_empty() { "everybody".to_owned() } else { parts.join("; ") }
    };
    let interval = |fact: &Fact| IntervalBar {
        label: fact.name.clone(),
        low: fact.lower,
        high: fact.upper,
        shown: shown(fact),
        is_bad: false,
    };
    let table = Table {
        caption: "Numbers that go out besides the tables".to_owned(),
        columns: vec![Column::words("number"), Column::words("of"), Column::numbers("told as")],
        row_names: 1,
        rows: facts.iter().map(|fact| vec![fact.name.as_str().into(), of(fact).into(), shown(fact).into()]).collect(),
        left_out: None,
    };
    let chart = Intervals {
        title: "Between which ends the published numbers are told".to_owned(),
        axis: "people".to_owned(),
        intervals: facts.iter().map(interval).collect(),
        marks: Vec::new(),
    };
    let has_intervals = facts.len() <= 40 && facts.iter().any(|fact| fact.lower < fact.upper);
    let mut section = Section::new("Published besides");
    section.blocks.extend(has_intervals.then(|| chart.into()));
    section.with(table)
}

fn overview(files: &[File]) -> Table {
    let row = |file: &File| {
        let treatment = match file.name {
            Some(_) => Cell::from(file.treatment.replace('-', " ")),
            None => Cell::toned(Tone::Warning, "withheld"),
        };
        let counts = [file.exact, file.noised, file.suppressed].map(|cells| Cell::from(count(cells as f64)));
        let mut row = vec![name_of(&file.attributes).into(), treatment];
        row.extend(counts);
        row.push(file.name.as_deref().unwrap_or_default().into());
        row
    };
    let counts = ["exact", "with noise", "suppressed"].map(Column::numbers);
    Table {
        caption: "What became of each table".to_owned(),
        columns: [Column::words("table"), Column::words("what")]
            .into_iter()
            .chain(counts)
            .chain([Column::words("file")])
            .collect(),
        row_names: 1,
        rows: files.iter().map(row).collect(),
        left_out: None,
    }
}
