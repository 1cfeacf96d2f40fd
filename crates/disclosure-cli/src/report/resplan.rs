//! The page of a release of noisy tables: `disclosure.release/1`.

use disclosure::core::accounting::zcdp;
use disclosure::core::param::{Delta, Rho};
use disclosure_report::{
    Amount, Bar, Bars, Block, Cell, Column, Lines, Page, PromiseSection, Section, Series, StatementKind, Table, Tone,
};
use serde::Deserialize;

use super::directory::{Directory, Entry};
use super::error::ReportError;
use super::record::{EpsilonAtDelta, PromiseRecord, name_of, paid, several};
use super::sheet::Sheet;
use super::{files, tables};
use crate::display::{count, short, short_up, with_error};

pub(super) const SCHEMA: &str = "disclosure.release/1";

#[derive(Deserialize)]
struct Record {
    title: String,
    promise: PromiseRecord,
    intervals: Intervals,
    cost: Cost,
    mechanism: Mechanism,
    ledger_hash: Option<String>,
    not_covered: Vec<String>,
    versions: Versions,
    files: Vec<File>,
}

#[derive(Deserialize)]
struct Intervals {
    kind: String,
    level: f64,
    meaning: String,
}

#[derive(Deserialize)]
struct Cost {
    rho: f64,
    pcost: f64,
    epsilon_at_delta: Vec<EpsilonAtDelta>,
}

#[derive(Deserialize)]
struct Mechanism {
    noise: String,
    objective: String,
    estimates: String,
}

#[derive(Deserialize)]
struct Versions {
    disclosure: String,
}

#[derive(Deserialize)]
struct File {
    name: String,
    sha256: String,
    bytes: u64,
    attributes: Option<Vec<String>>,
    answers: Option<f64>,
    sd: Option<f64>,
}

/// As much of the plan as a page tells.
#[derive(Deserialize)]
struct PlanRecord {
    rmse: f64,
    marginals: Vec<Marginal>,
}

#[derive(Deserialize)]
struct Marginal {
    ci95_half_width: f64,
    ci95_simultaneous_half_width: f64,
}

/// A table of the release: its record, its plan, its contents as far as they are shown.
struct Told {
    file: File,
    planned: Option<Marginal>,
    sheet: Option<Sheet>,
}

pub(super) fn page(directory: &mut Directory) -> Result<Page, ReportError> {
    let mut record: Record = directory.record()?;
    let entry =
        |file: &File| Entry { path: file.name.clone(), sha256: file.sha256.clone(), bytes: file.bytes, stays: false };
    let entries: Vec<Entry> = record.files.iter().map(entry).collect();
    directory.check_names(&entries)?;
    let plan: Option<PlanRecord> = match entries.iter().find(|entry| entry.path == "plan.json") {
        Some(entry) => directory.document(entry)?,
        None => None,
    };
    let rmse = plan.as_ref().map(|plan| plan.rmse);
    let mut planned = plan.map(|plan| plan.marginals).unwrap_or_default().into_iter();
    let (mut noisy, mut after) = (Vec::new(), Vec::new());
    for (file, entry) in std::mem::take(&mut record.files).into_iter().zip(&entries) {
        if file.name == "plan.json" {
            continue;
        }
        let bytes = directory.read(entry)?;
        let Some(attributes) = &file.attributes else { continue };
        let sheet = bytes.map(|bytes| Sheet::read(directory, &file.name, &bytes)).transpose()?;
        match file.sd {
            Some(_) => noisy.push(Told { planned: planned.next(), sheet, file }),
            None => after.push((name_of(attributes), sheet, file.name)),
        }
    }
    let mut page = Page::new(record.title.clone());
    page.lead = lead(&record, &noisy, rmse);
    page.colophon = format!("Made from a release of disclosure {}.", record.versions.disclosure);
    page.sections.push(promises(&record));
    page.sections.push(budget(&record));
    page.sections.push(errors(&noisy));
    page.sections.push(contents(&noisy));
    page.sections.extend((!after.is_empty()).then(|| after_noise(&after)));
    page.sections.push(files::section(directory, &entries));
    Ok(page)
}

fn lead(record: &Record, noisy: &[Told], rmse: Option<f64>) -> Vec<String> {
    let answers: f64 = noisy.iter().filter_map(|told| told.file.answers).sum();
    let error = rmse.map_or_else(String::new, |rmse| format!(", root mean square error {}", short(rmse)));
    let tables = several(noisy.len(), "table", "tables");
    let unit = record.promise.unit.as_deref().unwrap_or("a row");
    vec![format!("{tables} with noise, {} numbers{error}. What is protected: {unit}.", count(answers))]
}

fn promises(record: &Record) -> Section {
    let everybody = "whoever sees all of it, whatever else they know";
    let promise = record.promise.clone().promise(Some(everybody), record.not_covered.clone());
    let intervals = PromiseSection {
        kind: StatementKind::from_word(&record.intervals.kind),
        subject: Some("the intervals".to_owned()),
        statement: format!("{} % intervals for each number", (record.intervals.level * 1e4).round() / 100.0),
        terms: vec![("each".to_owned(), record.intervals.meaning.clone())],
        not_covered: Vec::new(),
    };
    Section::new("What is promised").with(promise).with(intervals)
}

fn budget(record: &Record) -> Section {
    let mut facts = vec![
        ("cost".to_owned(), Cell::from(format!("rho {}", short_up(record.cost.rho)))),
        ("squared sensitivity over variance".to_owned(), short_up(record.cost.pcost).into()),
        ("noise".to_owned(), record.mechanism.noise.as_str().into()),
        ("made small".to_owned(), record.mechanism.objective.as_str().into()),
        ("numbers".to_owned(), record.mechanism.estimates.as_str().into()),
    ];
    facts.splice(2..2, record.cost.epsilon_at_delta.iter().map(EpsilonAtDelta::fact));
    let mut section = Section::new("What it costs").with(Block::Facts(facts));
    section.blocks.push(paid(record.ledger_hash.as_deref()));
    section.blocks.extend(epsilons(record.cost.rho).map(Into::into));
    section
}

/// Epsilon for every delta, of which the numbers above are two.
pub(super) fn epsilons(rho: f64) -> Option<Lines> {
    let rho = Rho::new(rho).ok()?;
    let at = |digits: u32| {
        let delta = Delta::new(10.0_f64.powi(-i32::try_from(digits).ok()?)).ok()?;
        Some((f64::from(digits), zcdp::epsilon(rho, delta).ok()?.get()))
    };
    Some(Lines {
        title: "Epsilon, for the delta that it is stated at".to_owned(),
        across: "k, where delta is 10 to the power −k".to_owned(),
        up: "epsilon".to_owned(),
        is_logarithmic: false,
        series: vec![Series { name: "epsilon of this release".to_owned(), points: (2..=15).filter_map(at).collect() }],
    })
}

/// How exact the tables are, before one looks at them.
fn errors(noisy: &[Told]) -> Section {
    /// Bars that are drawn; a table has the rest.
    const MOST: usize = 40;
    let width = |told: &Told| told.planned.as_ref().map(|planned| planned.ci95_half_width);
    let named = |told: &Told| name_of(told.file.attributes.as_deref().unwrap_or_default());
    let bar = |told: &Told| {
        let width = width(told)?;
        Some(Bar {
            label: named(told), amount: Amount::Exact(width), shown: format!("± {}", with_error(width, width))
        })
    };
    let row = |told: &Told| {
        let number = |number: Option<f64>| Cell::from(number.map_or_else(String::new, |x| with_error(x, x)));
        let all = told.planned.as_ref().map(|planned| planned.ci95_simultaneous_half_width);
        let answers = count(told.file.answers.unwrap_or_default());
        vec![
            named(told).into(),
            answers.into(),
            number(told.file.sd),
            number(width(told)),
            number(all),
            told.file.name.as_str().into(),
        ]
    };
    let columns = [("numbers", true), ("sd", true), ("± 95 %", true), ("all at once", true), ("file", false)];
    let table = Table {
        caption:
            "Standard deviation and half width of 95 % intervals, for the number of each table with the most noise"
                .to_owned(),
        columns: [Column::words("table")]
            .into_iter()
            .chain(columns.map(|(name, is_number)| Column { name: name.to_owned(), is_number }))
            .collect(),
        row_names: 1,
        rows: noisy.iter().map(row).collect(),
        left_out: None,
    };
    let bars: Vec<Bar> = noisy.iter().filter_map(bar).collect();
    let mut section = Section::new("How exact it is");
    if (2..=MOST).contains(&bars.len()) {
        let title = "Half width of the 95 % interval, by table".to_owned();
        section.blocks.push(Bars { title, axis: "counts, to either side".to_owned(), bars }.into());
    }
    section.with(table)
}

fn contents(noisy: &[Told]) -> Section {
    let words = "Values are unbiased: they may be negative and need not be whole. All tables add up to each other.";
    let mut section = Section::new("Tables").with(Block::Text(words.to_owned()));
    for told in noisy {
        let name = name_of(told.file.attributes.as_deref().unwrap_or_default());
        section.sections.push(match &told.sheet {
            Some(sheet) => tables::section(name, sheet, "counts", &told.file.name),
            None => too_large(name, &told.file.name),
        });
    }
    section
}

/// A table that is left to its file.
pub(super) fn too_large(name: String, file: &str) -> Section {
    Section::new(name)
        .with(Block::Text(format!("The table is larger than 64 MiB: it is in {file}, whose digest was compared.")))
}

fn after_noise(after: &[(String, Option<Sheet>, String)]) -> Section {
    let words = "Made from the noisy tables alone, at no cost. They are no longer unbiased, and the intervals do not hold for them.";
    let mut section = Section::new("Tables after the noise").with(Block::Note(Tone::Warning, words.to_owned()));
    for (name, sheet, file) in after {
        section.blocks.push(match sheet {
            Some(sheet) => tables::folded(name, sheet, file),
            None => Block::Text(format!("{name} is larger than 64 MiB: it is in {file}.")),
        });
    }
    section
}
