//! What was chosen and measured, the rows of the model, and the files that are made of them.

use std::io::{self, Write};

use adaptive_marginals::{AdaptiveRelease, Measurement, Model};
use disclosure::privacy_core::{AttrSet, Domain};
use privacy_data::{ColumnKind, CsvField, TableWriter, combinations};
use rand_core::CryptoRng;
use synthetic_people::{PossibleCells, Rows};

use super::job::Details;
use super::plan_document::AdaptivePlanDocument;
use super::release_document::AdaptiveReleaseDocument;
use crate::document::{file_name, json_of};
use crate::error::JobError;
use crate::ledger::Receipt;
use crate::marginals::{TableFile, rounded};
use crate::sink::Sink;
use crate::synthetic::write_rows;

/// Columns after those of the attributes in a measured table.
const TABLE_COLUMNS: [(&str, ColumnKind); 3] =
    [("value", ColumnKind::Real), ("sd", ColumnKind::Real), ("status", ColumnKind::Text)];

/// Marginals that were measured, and rows of their model. Everything is paid for; nothing is
/// written yet.
#[derive(Debug)]
#[must_use = "the budget of a release is spent, whether or not it is written"]
pub struct AdaptiveReleased {
    pub(super) details: Details,
    pub(super) plan: AdaptivePlanDocument,
    pub(super) domain: Domain,
    pub(super) possible: PossibleCells,
    /// The marginals of the job, without the empty one.
    pub(super) workload: Vec<AttrSet>,
    pub(super) release: AdaptiveRelease,
    pub(super) rows: Rows,
    pub(super) rows_per_person: u32,
    pub(super) receipt: Receipt,
}

impl AdaptiveReleased {
    /// `plan.json`.
    #[must_use]
    pub fn plan(&self) -> &AdaptivePlanDocument {
        &self.plan
    }

    /// The release of the mechanism: rounds, noised marginals, model.
    pub fn release(&self) -> &AdaptiveRelease {
        &self.release
    }

    /// Evidence of the charge.
    pub fn receipt(&self) -> &Receipt {
        &self.receipt
    }

    /// Writes every file and `release.json`, and commits.
    ///
    /// # Errors
    /// What the sink reports; an error says that the budget is spent.
    pub fn write(&self, sink: &mut dyn Sink) -> Result<AdaptiveReleaseDocument, JobError> {
        self.write_all(sink).map_err(|error| self.receipt.spent(error))
    }

    fn write_all(&self, sink: &mut dyn Sink) -> Result<AdaptiveReleaseDocument, JobError> {
        let measured = self.release.measurements();
        let format = self.details.tables;
        let rows = format!("rows.{}", format.extension());
        let rows = sink.write_with(&rows, &mut |out| write_rows(format, &self.domain, &self.rows, out))?;
        let mut files = vec![TableFile::of(rows)];
        for (number, measurement) in measured.iter().enumerate() {
            let attributes = names(&self.domain, measurement.set);
            let name = file_name(number, measured.len(), &attributes, format);
            let file = sink.write_with(&name, &mut |out| self.write_table(out, measurement))?;
            files.push(TableFile {
                attributes: Some(attributes),
                answers: Some(measurement.values.len()),
                sd: Some(measurement.variance.sqrt()),
                ..TableFile::of(file)
            });
        }
        files.push(TableFile::of(sink.write("plan.json", &json_of(&self.plan))?));
        let document = AdaptiveReleaseDocument::new(self, files)?;
        sink.write("release.json", &json_of(&document))?;
        sink.commit()?;
        Ok(document)
    }

    fn write_table(&self, out: &mut dyn Write, measurement: &Measurement) -> io::Result<()> {
        let attributes = measurement.set.iter().map(|attribute| &self.domain.attributes()[attribute]);
        let labels = attributes.map(|attribute| attribute.labels().iter().collect()).collect();
        let sd = measurement.variance.sqrt();
        let attributes = self.domain.names(measurement.set).map(|name| (name, ColumnKind::Text));
        let mut table = TableWriter::new(self.details.tables, out, attributes.chain(TABLE_COLUMNS))?;
        let possible = self.possible.within(measurement.set);
        for (place, (labels, &value)) in combinations(labels).zip(&measurement.values).enumerate() {
            let is_noised = possible.as_ref().is_none_or(|possible| possible[place]);
            let (numbers, status) = match is_noised {
                true => ([rounded(value, sd), rounded(sd, sd)], "noised"),
                false => ([0.0, 0.0], "structural-zero"),
            };
            let numbers = numbers.map(CsvField::Real);
            table.line(labels.into_iter().map(CsvField::Text).chain(numbers).chain([CsvField::Text(status)]))?;
        }
        table.finish()
    }
}

/// As many rows of a model as are asked for, by default as many people as it has, or as memory is
/// for.
pub(super) fn rows_of(model: &Model, asked: Option<u32>, most: u32, rng: &mut dyn CryptoRng) -> Rows {
    let total = model.total().round().min(f64::from(most)) as u32;
    model.rows(asked.unwrap_or(total) as usize, rng)
}

/// The names of a set of attributes.
pub(super) fn names(domain: &Domain, set: AttrSet) -> Vec<String> {
    domain.names(set).map(str::to_owned).collect()
}
