//! Tables that were measured, and the files that are made of them.

use std::io;

use disclosure::privacy_core::AttrSet;
use disclosure::resplan::{ExactNoise, Measured, NonnegativeSpec};
use privacy_data::TableFormat;

use super::adjusted;
use super::answers::{AnswerStatus, Answers};
use super::job::Details;
use super::names::AnswerNames;
use super::plan_document::PlanDocument;
use super::release_document::{ReleaseDocument, TableFile, write_answers};
use crate::document::{file_name, json_of};
use crate::error::JobError;
use crate::input::domain_error;
use crate::ledger::Receipt;
use crate::observer::Observer;
use crate::sink::Sink;

/// Tables that were measured. The noise is drawn and paid for; nothing is written yet.
#[derive(Debug)]
#[must_use = "the budget of a release is spent, whether or not it is written"]
pub struct Released {
    pub(super) details: Details,
    pub(super) document: PlanDocument,
    pub(super) names: AnswerNames,
    pub(super) measured: Measured<ExactNoise>,
    pub(super) receipt: Receipt,
}

impl Released {
    /// The same release with its tables written in this format.
    pub fn with_tables(mut self, tables: TableFormat) -> Self {
        self.details.tables = tables;
        self
    }

    /// `plan.json`.
    #[must_use]
    pub fn plan(&self) -> &PlanDocument {
        &self.document
    }

    /// The measurement, from which every marginal within the planned ones is answered.
    #[must_use]
    pub fn measured(&self) -> &Measured<ExactNoise> {
        &self.measured
    }

    /// Evidence of the charge.
    pub fn receipt(&self) -> &Receipt {
        &self.receipt
    }

    /// The answers about one marginal: any subset of a planned one, as names in any order.
    ///
    /// # Errors
    /// E0222 for a name that the domain does not have, E0227 for a marginal that was not
    /// measured.
    pub fn answers(&self, attributes: &[impl AsRef<str>]) -> Result<Answers<'_>, JobError> {
        let domain = self.measured.design().domain();
        let set = domain.set_of(attributes);
        self.answers_of(set.map_err(|error| domain_error("E0222", domain, &error))?)
    }

    fn answers_of(&self, set: AttrSet) -> Result<Answers<'_>, JobError> {
        let marginal = self.measured.marginal(set)?;
        Answers::new(self.measured.design(), &self.names, marginal, AnswerStatus::Noised)
    }

    /// Writes every file and `release.json`, and commits.
    ///
    /// # Errors
    /// What the sink reports; an error says that the budget is spent.
    pub fn write(&self, sink: &mut dyn Sink, observer: &dyn Observer) -> Result<ReleaseDocument, JobError> {
        let written = self.write_files(sink, observer).and_then(|document| {
            sink.write("release.json", &json_of(&document))?;
            sink.commit()?;
            Ok(document)
        });
        written.map_err(|error| self.receipt.spent(error))
    }

    /// Writes every file but `release.json`, which is returned: a job with other parts writes it
    /// beside theirs, and commits once.
    ///
    /// # Errors
    /// What the sink reports.
    pub fn write_files(&self, sink: &mut dyn Sink, observer: &dyn Observer) -> Result<ReleaseDocument, JobError> {
        let plan = self.measured.design();
        let marginals = plan.marginals().zip(&self.document.marginals);
        let mut files = Vec::with_capacity(self.document.marginals.len() + 2);
        let stop = observer.stop_flag();
        // Numbers are counted: plans of more than 2^53 are refused.
        stop.begin(self.document.answers as u64);
        for (number, (planned, summary)) in marginals.enumerate() {
            let name = file_name(number, self.document.marginals.len(), &summary.attributes, self.details.tables);
            // One marginal at a time: together they may be far larger than the residuals.
            files.push(write_answers(sink, name, &self.answers_of(planned.attributes)?, self.details.tables, &stop)?);
        }
        files.push(TableFile::of(sink.write("plan.json", &json_of(&self.document))?));
        let measurement = sink
            .write_with("measurement.bin", &mut |mut out| self.measured.write_to(&mut out).map_err(io::Error::other))?;
        files.push(TableFile::of(measurement));
        files.extend(self.write_adjusted(sink, observer)?);
        let (hash, digest) = (self.receipt.hash().map(str::to_owned), self.details.spec_sha256.clone());
        let mut document = ReleaseDocument::new(&self.document, self.details.imprint.clone(), digest, hash, files);
        let rows_per_person = self.measured.design().rows_per_person();
        document.not_covered.extend(self.details.columns.person.as_ref().map(|own| own.left_out(rows_per_person)));
        Ok(document)
    }

    /// Writes the adjusted tables. The unbiased ones are paid for: they do not wait for these.
    fn write_adjusted(&self, sink: &mut dyn Sink, observer: &dyn Observer) -> Result<Vec<TableFile>, JobError> {
        if self.details.adjustments.is_empty() {
            return Ok(Vec::new());
        }
        let spec = NonnegativeSpec { stop: observer.stop_flag(), ..NonnegativeSpec::default() };
        let adjusted = match self.measured.nonnegative(spec) {
            Ok(adjusted) => adjusted,
            Err(error) => {
                observer.note(&format!("The adjusted tables were left out: {error}"));
                return Ok(Vec::new());
            }
        };
        let mut files = Vec::new();
        for &adjustment in &self.details.adjustments {
            files.extend(adjusted::write(adjustment, sink, &self.names, &adjusted, self.details.tables)?);
        }
        Ok(files)
    }
}
