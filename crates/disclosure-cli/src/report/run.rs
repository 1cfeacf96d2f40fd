//! The page of a whole trip, `disclosure.run/1`, and of what left of it, `disclosure.run-release/1`.

use disclosure_report::{
    Audience, Block, Cell, Column, Page, PromiseSection, Section, Share, Shares, StatementKind, Table, Tone,
};
use serde::Deserialize;
use serde_json::Value;

use super::contents::Contents;
use super::directory::{Directory, Entry};
use super::error::ReportError;
use super::files;
use super::record::{EpsilonAtDelta, name_of, neighbours_in_words, several};
use super::resplan::epsilons;
use crate::display::{count, short, short_up};

pub(super) const SCHEMA: &str = "disclosure.run/1";
/// The statement that goes with the files that leave, in a directory of its own.
pub(super) const RELEASE_SCHEMA: &str = "disclosure.run-release/1";
/// The part that is about no file that leaves.
const SCREEN: &str = "screen";

#[derive(Deserialize)]
struct Record {
    title: String,
    version: String,
    parts: Vec<Part>,
    budget: Option<Budget>,
    #[serde(default)]
    targets: Vec<Target>,
    #[serde(default)]
    tables: Vec<Asked>,
    files: Vec<File>,
}

#[derive(Deserialize)]
struct Part {
    name: String,
    kind: String,
    promise: String,
    against: String,
    unit: String,
    #[serde(default)]
    not_covered: Vec<String>,
}

#[derive(Deserialize)]
struct Budget {
    kind: String,
    statement: String,
    neighbours: String,
    unit: String,
    rho: f64,
    spent_rho: f64,
    spent: Vec<Spent>,
    epsilon_at_delta: Vec<EpsilonAtDelta>,
    ledger_hash: Option<String>,
}

#[derive(Deserialize)]
struct Spent {
    part: String,
    rho: f64,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    asked: Value,
    found: Value,
    met: bool,
    kind: String,
    what: String,
}

/// A table that was asked for, and how much of it leaves.
#[derive(Deserialize)]
struct Asked {
    part: String,
    attributes: Vec<String>,
    what: String,
    numbers: f64,
    withheld: f64,
}

#[derive(Deserialize)]
struct File {
    path: String,
    sha256: String,
    bytes: u64,
    may_leave: bool,
}

pub(super) fn page(directory: &mut Directory) -> Result<Page, ReportError> {
    let record: Record = directory.record()?;
    let entry = |file: &File| Entry {
        path: file.path.clone(),
        sha256: file.sha256.clone(),
        bytes: file.bytes,
        stays: !file.may_leave,
    };
    let entries: Vec<Entry> = record.files.iter().map(entry).collect();
    directory.check_names(&entries)?;
    let mut contents = Contents::default();
    for entry in &entries {
        contents.add(directory, entry)?;
    }
    let mut page = Page::new(record.title.clone());
    page.lead = vec![contents.lead(), whom(&record)];
    page.colophon = format!("Made from a release of disclosure {}.", record.version);
    page.sections.push(promises(&record.parts));
    page.sections.extend(record.budget.as_ref().map(budget));
    page.sections.extend((!record.targets.is_empty()).then(|| targets(&record.targets)));
    page.sections.push(contents.tables(overview(&record.tables)));
    page.sections.extend((!contents.review.is_empty()).then(|| {
        let mut section = owner("Prediction, audit, attack");
        section.sections = std::mem::take(&mut contents.review);
        section
    }));
    page.sections.push(files::section(directory, &entries));
    Ok(page)
}

/// A section for the owner of the data.
fn owner(heading: &str) -> Section {
    Section { audience: Audience::Owner, ..Section::new(heading) }
}

fn whom(record: &Record) -> String {
    let mut units: Vec<&str> = Vec::new();
    for part in record.parts.iter().filter(|part| part.name != SCREEN) {
        if !units.contains(&part.unit.as_str()) {
            units.push(&part.unit);
        }
    }
    format!("What is protected: {}.", units.join("; "))
}

fn promises(parts: &[Part]) -> Section {
    let promise = |part: &Part| PromiseSection {
        kind: StatementKind::from_word(&part.kind),
        subject: Some(part.name.clone()),
        statement: part.promise.clone(),
        terms: vec![("protects".to_owned(), part.unit.clone()), ("against".to_owned(), part.against.clone())],
        not_covered: part.not_covered.clone(),
    };
    let (predictions, promises): (Vec<&Part>, Vec<&Part>) = parts.iter().partition(|part| part.name == SCREEN);
    let mut section = Section::new("What is promised");
    section.blocks = promises.into_iter().map(|part| promise(part).into()).collect();
    if !predictions.is_empty() {
        let mut owner = owner("What was predicted");
        owner.blocks = predictions.into_iter().map(|part| promise(part).into()).collect();
        section.sections.push(owner);
    }
    section
}

fn budget(budget: &Budget) -> Section {
    let promise = PromiseSection {
        kind: StatementKind::from_word(&budget.kind),
        subject: Some("the noise of all parts".to_owned()),
        statement: budget.statement.clone(),
        terms: vec![
            ("neighbours".to_owned(), neighbours_in_words(&budget.neighbours)),
            ("protects".to_owned(), budget.unit.clone()),
        ],
        not_covered: Vec::new(),
    };
    let mut facts = vec![
        ("may be spent".to_owned(), Cell::from(format!("rho {}", short_up(budget.rho)))),
        ("is spent".to_owned(), format!("rho {}", short_up(budget.spent_rho)).into()),
    ];
    facts.extend(budget.epsilon_at_delta.iter().map(EpsilonAtDelta::fact));
    let share = |spent: &Spent| Share {
        label: spent.part.clone(),
        amount: spent.rho,
        shown: format!("rho {}", short_up(spent.rho)),
    };
    let chart = Shares {
        title: "The budget, by what spends it".to_owned(),
        parts: budget.spent.iter().map(share).collect(),
        whole: Some(budget.rho),
    };
    let mut section = Section::new("What it costs").with(promise).with(chart).with(Block::Facts(facts));
    section.blocks.push(super::record::paid(budget.ledger_hash.as_deref()));
    section.blocks.extend(epsilons(budget.spent_rho).map(Into::into));
    section
}

fn targets(targets: &[Target]) -> Section {
    let row = |target: &Target| {
        let met = if target.met { Cell::toned(Tone::Good, "met") } else { Cell::toned(Tone::Bad, "missed") };
        let kind = StatementKind::from_word(&target.kind).name();
        let name = target.name.replace('-', " ");
        vec![
            name.into(),
            shown(&target.asked).into(),
            shown(&target.found).into(),
            met,
            kind.into(),
            target.what.as_str().into(),
        ]
    };
    let columns = ["target", "asked", "found", "", "kind", "what it is"].map(Column::words);
    let table = Table {
        caption: "Targets, and what was found before anything was drawn".to_owned(),
        columns: columns.into(),
        row_names: 1,
        rows: targets.iter().map(row).collect(),
        left_out: None,
    };
    let met = targets.iter().filter(|target| target.met).count();
    let all = targets.len();
    let (tone, words) = match met == all {
        true => (Tone::Good, format!("Of {}, all are met.", several(all, "target", "targets"))),
        false => (Tone::Bad, format!("Of {}, {met} are met.", several(all, "target", "targets"))),
    };
    owner("Targets").with(Block::Note(tone, words)).with(table)
}

/// A figure of a target: a number or a word.
fn shown(value: &Value) -> String {
    match value {
        Value::Number(number) if number.is_f64() => number.as_f64().map_or_else(String::new, short),
        Value::Number(number) => number.as_f64().map_or_else(String::new, count),
        Value::String(text) => text.clone(),
        _ => String::new(),
    }
}

/// What became of each table that was asked for: for the owner, since it counts what is withheld.
fn overview(asked: &[Asked]) -> Option<Section> {
    let row = |table: &Asked| {
        let numbers = [table.numbers, table.withheld].map(|number| Cell::from(count(number)));
        let names = [table.part.clone(), name_of(&table.attributes), table.what.clone()].map(Cell::from);
        names.into_iter().chain(numbers).collect()
    };
    let words = ["part", "table", "what"].map(Column::words);
    let table = Table {
        caption: "What became of each table that was asked for".to_owned(),
        columns: words.into_iter().chain(["numbers", "withheld"].map(Column::numbers)).collect(),
        row_names: 2,
        rows: asked.iter().map(row).collect(),
        left_out: None,
    };
    (!asked.is_empty()).then(|| owner("All tables").with(table))
}
