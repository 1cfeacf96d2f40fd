//! `disclosure screen table`: an actual table, row by row.

use std::path::Path;

use disclosure::screen::{
    Covered, Estimate, IdenticalFeatures, Limits, Records, RowRisk, ScreenSpec, TableScreen, screen,
};
use privacy_data::{CsvField, CsvWriter, write_atomic_with};
use serde::Serialize;

use super::args::TableArgs;
use super::columns::Data;
use super::report::{ModelReport, judge};
use super::show::show_table;
use super::spec::SpecFile;
use crate::error::Failure;
use crate::files::{named, print, print_json, say};
use crate::progress;
use disclosure_jobs::screening::of_table;

/// Rows that are listed; all of them are in the file of `--rows`.
const MOST_LISTED: usize = 10;

/// What is known of a table's release.
#[derive(Debug, Serialize)]
pub(super) struct TableReport<'a> {
    /// The model of a table like this one.
    #[serde(flatten)]
    pub(super) model: ModelReport,
    pub(super) target: &'a str,
    pub(super) known: Vec<&'a str>,
    /// The table as it is.
    pub(super) realised: Realised<'a>,
}

/// The table as it is.
#[derive(Debug, Serialize)]
pub(super) struct Realised<'a> {
    /// Coverage and identical features are exact; estimate and exposure are a proxy.
    pub(super) kind: &'static str,
    pub(super) estimate: Estimate,
    pub(super) everybody: Covered,
    pub(super) classes: Vec<ClassReport<'a>>,
    pub(super) identical_features: IdenticalFeatures,
    pub(super) most_exposed: Vec<RowReport>,
}

#[derive(Debug, Serialize)]
pub(super) struct ClassReport<'a> {
    pub(super) class: &'a str,
    #[serde(flatten)]
    pub(super) covered: Covered,
}

/// A row by its number in the data: 1 is the first below the header.
#[derive(Debug, Serialize)]
pub(super) struct RowReport {
    pub(super) row: usize,
    pub(super) d_true: u64,
    pub(super) d_eff: u64,
    pub(super) evidence: f64,
    pub(super) exposure: f64,
}

impl From<&RowRisk> for RowReport {
    fn from(risk: &RowRisk) -> Self {
        let RowRisk { row, own, all, evidence, exposure, .. } = *risk;
        Self { row: row + 1, d_true: own, d_eff: all, evidence, exposure }
    }
}

pub(super) fn run(args: &TableArgs) -> Result<(), Failure> {
    let within = |failure: Failure| failure.within(&args.spec);
    let file = SpecFile::read(&args.spec)?;
    file.targets().map_err(within)?;
    file.noise().map_err(within)?;
    let target = file.target_accuracy().map_err(within)?;
    if let Some(rows) = &args.rows {
        named(rows)?;
    }
    if file.is_described() {
        say("rows, cardinalities and classes of the spec are not used: a table has its own.");
    }
    let beside = args.spec.parent().unwrap_or(Path::new(""));
    let data = Data::read(&file, beside, &args.data)?;
    let records = data.records().map_err(|failure| failure.within(&args.data))?;
    let limits = Limits { visits: args.max_visits as f64, ..args.limits.limits() };
    let spec = file.of_records(&records).map_err(within)?;
    let (model, screened) =
        progress::during("screening", || screened(&file, file.title(&args.spec), &records, &spec, &limits))
            .map_err(within)?;
    let ranked = screened.ranked();
    let report = report(&data, model, &screened, &ranked);
    if let Some(path) = &args.rows {
        write_rows(path, &ranked)?;
    }
    match args.json {
        true => print_json(&report)?,
        false => print(show_table(&report).as_bytes())?,
    }
    judge(screened.estimate, target)
}

/// The model of a table like this one, and the table as it is.
pub(super) fn screened(
    file: &SpecFile,
    title: String,
    records: &Records,
    spec: &ScreenSpec,
    limits: &Limits,
) -> Result<(ModelReport, TableScreen), Failure> {
    let target = file.target_accuracy()?;
    let model = screen(spec, &file.targets()?, limits).map_err(of_table)?;
    let screened = TableScreen::of(records, spec, limits).map_err(of_table)?;
    let mut model = ModelReport::of(title, spec, model, target);
    model.schema = "disclosure.screen-table/1";
    model.keeps_target_accuracy = target.map(|target| screened.estimate.accuracy <= target.get());
    Ok((model, screened))
}

pub(super) fn report<'a>(
    data: &'a Data,
    model: ModelReport,
    screened: &TableScreen,
    ranked: &[RowRisk],
) -> TableReport<'a> {
    let labels = data.rows.domain().attributes()[data.target].labels();
    let class = |(class, covered): (&'a String, &Covered)| ClassReport { class, covered: *covered };
    TableReport {
        model,
        target: data.name(data.target),
        known: data.known.iter().map(|&known| data.name(known)).collect(),
        realised: Realised {
            kind: "exact coverage, proxy estimate; computed from the data: keep it where they are",
            estimate: screened.estimate,
            everybody: screened.everybody,
            classes: labels.iter().zip(&screened.classes).map(class).collect(),
            identical_features: screened.identical,
            most_exposed: ranked.iter().take(MOST_LISTED).map(RowReport::from).collect(),
        },
    }
}

fn write_rows(path: &Path, ranked: &[RowRisk]) -> Result<(), Failure> {
    write_atomic_with(path, |out| {
        let mut csv = CsvWriter::new(out, ["row", "d_true", "d_eff", "evidence", "exposure"])?;
        for risk in ranked {
            let RowReport { row, d_true, d_eff, evidence, exposure } = risk.into();
            let integers = [row as u64, d_true, d_eff].map(CsvField::from);
            csv.line(integers.into_iter().chain([evidence, exposure].map(CsvField::from)))?;
        }
        Ok(())
    })?;
    say(&format!("Wrote every row, the most exposed first: {}. Keep it where the data are.", path.display()));
    Ok(())
}
