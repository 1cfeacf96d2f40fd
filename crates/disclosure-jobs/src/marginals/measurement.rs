//! Answers from a stored measurement: any table within those that were measured, later.

use std::io::{Read, Seek};
use std::path::PathBuf;

use disclosure::privacy_core::AttrSet;
use disclosure::privacy_core::promise::Promise;
use disclosure::privacy_core::stop::StopFlag;
use disclosure::resplan::{Design, Error, StoredError, StoredMeasurement, StoredOrigin};
use privacy_data::TableFormat;
use rand_core::CryptoRng;
use serde::{Deserialize, Serialize};

use super::answers::{AnswerLine, AnswerStatus, Answers};
use super::columns::check_names;
use super::mbi;
use super::names::AnswerNames;
use super::plan_document::{MarginalSummary, marginals, names, pcost_of, promise_of_file};
use super::release_document::{Intervals, TableFile, write_answers};
use super::request::AnswerRequest;
use crate::document::{file_name, json_of};
use crate::error::JobError;
use crate::limits::Limits;
use crate::sink::Sink;
use crate::synthetic::{Synthesis, SynthesisRequest, synthesise};

/// A measurement in a file (`measurement.bin`), from which answers cost nothing.
#[derive(Debug)]
pub struct Measurement<R> {
    /// What messages call the file.
    name: PathBuf,
    stored: StoredMeasurement<R>,
    names: AnswerNames,
}

/// What all answers of a measurement have in common.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeasurementHeader {
    /// Which noise it has, as the file says; anybody can write a file.
    pub origin: StoredOrigin,
    /// What it says that it was released under; `null` for a simulation, which promises nothing.
    pub promise: Option<Promise>,
    /// What its plan costs, in rho of zCDP.
    pub rho: f64,
    /// What the intervals of the answers mean.
    pub intervals: Intervals,
}

/// The format of [`AnswerFiles`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AnswerFilesSchema {
    /// The first version.
    #[serde(rename = "disclosure.resplan-answer/1")]
    V1,
}

/// `answers.json`: the tables that were written, and where they come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnswerFiles {
    /// The format of this document.
    pub schema: AnswerFilesSchema,
    /// What all answers have in common.
    #[serde(flatten)]
    pub header: MeasurementHeader,
    /// The tables.
    pub files: Vec<TableFile>,
}

/// The format of [`AnswersDocument`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AnswersSchema {
    /// The first version.
    #[serde(rename = "disclosure.resplan-answers/1")]
    V1,
}

/// Answers in one document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnswersDocument {
    /// The format of this document.
    pub schema: AnswersSchema,
    /// What all answers have in common.
    #[serde(flatten)]
    pub header: MeasurementHeader,
    /// What was asked for, in order.
    pub marginals: Vec<MarginalAnswers>,
}

/// The answers about one marginal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MarginalAnswers {
    /// Its attributes; none for the total.
    pub attributes: Vec<String>,
    /// Its answers in row-major order, or the one that was asked for.
    pub answers: Vec<AnswerLine>,
}

impl<R: Read + Seek> Measurement<R> {
    /// Opens a measurement: reads its plan, and checks it as a new one would be. Messages about
    /// the file call it `name`.
    ///
    /// # Errors
    /// E0361 to E0363 for another format and for a damaged or forged file, E0611 for one that
    /// needs more than the limits.
    pub fn open(name: impl Into<PathBuf>, file: R, limits: &Limits) -> Result<Self, JobError> {
        let name = name.into();
        let within = |error: JobError| error.within(&name);
        let stored = StoredMeasurement::open(file, &limits.of_stored()).map_err(|error| within(error.into()))?;
        check_names(stored.design().domain()).map_err(within)?;
        let names = AnswerNames::new(stored.design(), &[]).map_err(within)?;
        Ok(Self { name, stored, names })
    }

    /// What all its answers have in common.
    #[must_use]
    pub fn header(&self) -> MeasurementHeader {
        let plan = self.stored.design();
        let is_released = self.stored.origin() == StoredOrigin::Release;
        MeasurementHeader {
            origin: self.stored.origin(),
            promise: is_released.then(|| promise_of_file(plan)),
            rho: pcost_of(plan) / 2.0,
            intervals: Intervals::of_noise(),
        }
    }

    /// The planned marginals, each with its errors. Every table within one of them is answered
    /// too.
    #[must_use]
    pub fn marginals(&self) -> Vec<MarginalSummary> {
        marginals(self.stored.design())
    }

    /// Every planned marginal as a request.
    #[must_use]
    pub fn all(&self) -> Vec<AnswerRequest> {
        let marginals = self.stored.design().marginals();
        marginals.map(|marginal| AnswerRequest { set: marginal.attributes, index: None }).collect()
    }

    /// A table as a request: the names of its attributes as a line of CSV, the empty text for the
    /// total.
    ///
    /// # Errors
    /// E0222 for names that are not attributes.
    pub fn table(&self, text: &str) -> Result<AnswerRequest, JobError> {
        AnswerRequest::table(text, self.stored.design())
    }

    /// A single answer as a request: `NAME=ANSWER` for each attribute as a line of CSV, and
    /// `NAME<=LABEL` for a prefix sum.
    ///
    /// # Errors
    /// E0228 for what is not an answer.
    pub fn query(&self, text: &str) -> Result<AnswerRequest, JobError> {
        AnswerRequest::query(text, self.stored.design(), &self.names)
    }

    /// The answers about the marginal of a request. [`Answers::lines_at`] selects a single
    /// answer.
    ///
    /// # Errors
    /// E0227 for a marginal that was not measured, E0362 for a damaged file.
    pub fn answers(&mut self, request: &AnswerRequest) -> Result<Answers<'_>, JobError> {
        let marginal = self.stored.marginal(request.set);
        let plan = self.stored.design();
        let marginal = marginal.map_err(|error| not_measured(error, plan, request.set).within(&self.name))?;
        let noised = match self.stored.origin() {
            StoredOrigin::Release => AnswerStatus::Noised,
            _ => AnswerStatus::Simulated,
        };
        Answers::new(plan, &self.names, marginal, noised)
    }

    /// The answers to requests, in one document.
    ///
    /// # Errors
    /// As [`answers`](Self::answers).
    pub fn document(&mut self, requests: &[AnswerRequest]) -> Result<AnswersDocument, JobError> {
        let mut marginals = Vec::with_capacity(requests.len());
        for request in requests {
            let answers = self.answers(request)?;
            let lines = answers.lines_at(request.index).collect();
            marginals.push(MarginalAnswers { attributes: answers.attributes(), answers: lines });
        }
        Ok(AnswersDocument { schema: AnswersSchema::V1, header: self.header(), marginals })
    }

    /// Writes the table of every request in this format, and `answers.json`, and commits.
    ///
    /// # Errors
    /// As [`answers`](Self::answers), and what the sink reports.
    pub fn write(
        &mut self,
        requests: &[AnswerRequest],
        tables: TableFormat,
        sink: &mut dyn Sink,
    ) -> Result<AnswerFiles, JobError> {
        let mut files = Vec::with_capacity(requests.len());
        for (number, request) in requests.iter().enumerate() {
            let answers = self.answers(request)?;
            let name = file_name(number, requests.len(), &answers.attributes(), tables);
            files.push(write_answers(sink, name, &answers, tables, &StopFlag::never())?);
        }
        let document = AnswerFiles { schema: AnswerFilesSchema::V1, header: self.header(), files };
        sink.write("answers.json", &json_of(&document))?;
        sink.commit()?;
        Ok(document)
    }

    /// Rows of people who do not exist, from a model of the whole measurement.
    ///
    /// # Guarantee
    /// That of the measurement: the rows are a function of it and of coins.
    ///
    /// # Errors
    /// E0681 naming the attributes when the model would be too large, E0287 for structural zeros
    /// that name no combination of labels, E0362 for a damaged file.
    pub fn synthesise(&mut self, request: &SynthesisRequest, rng: &mut dyn CryptoRng) -> Result<Synthesis, JobError> {
        let promise = self.header().promise;
        synthesise(&mut self.stored, promise, request, rng).map_err(|error| error.within(&self.name))
    }

    /// Writes the independent measurements behind all tables, as JSON for mbi (private-pgm).
    ///
    /// # Errors
    /// E0611 when the residual queries need more memory than the limits, E0362 for a damaged
    /// file, and what the sink reports.
    pub fn export_mbi(&mut self, sink: &mut dyn Sink, name: &str, limits: &Limits) -> Result<(), JobError> {
        let exported = mbi::export(&mut self.stored, sink, name, limits.memory_bytes as f64);
        exported.map_err(|error| error.within(&self.name))
    }
}

fn not_measured(error: StoredError, plan: &Design, set: AttrSet) -> JobError {
    match error {
        StoredError::Plan(Error::NotMeasured { .. }) => {
            let names = names(plan, set);
            JobError::new("E0227", format!("the marginal {names:?} is not a subset of any planned marginal"))
        }
        error => error.into(),
    }
}
