//! The client: one randomised report for each row.

use std::io::{self, Write};

use disclosure::ldp::{Client, ReportsHeader};
use disclosure::privacy_core::promise::PromiseKind;
use privacy_data::storage::{StorageRef, system};
use rand_core::CryptoRng;
use serde::{Deserialize, Serialize};

use super::nullable;
use super::rounds::{Round, RoundDocument, Rounds};
use super::rows::Rows;
use super::spec::Job;
use crate::digest::hexadecimal;
use crate::error::JobError;
use crate::input::DataSource;
use crate::observer::{Observer, check_stop, during};

/// Bytes of reports that are written at a time.
const BATCH_BYTES: usize = 1 << 16;

/// The schema of [`EncodeDocument`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EncodeSchema {
    /// `disclosure.ldp-encode/1`.
    #[serde(rename = "disclosure.ldp-encode/1")]
    V1,
}

/// What was written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EncodeDocument {
    /// `disclosure.ldp-encode/1`.
    pub schema: EncodeSchema,
    /// What the epsilon rests on.
    pub promise: PromiseKind,
    /// Epsilon of one report; `null` where it is infinite.
    #[serde(with = "nullable::infinite")]
    pub epsilon_per_report: f64,
    /// How many reports there are.
    pub reports: u64,
    /// Bytes of each report.
    pub report_bytes: usize,
    /// Digest of the schema, 64 lower-case hexadecimal digits.
    pub schema_sha256: String,
    /// What all reports about a person cost so far; missing unless permanent stages are kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<RoundDocument>,
}

/// Rows that were read and coded: nothing is drawn yet.
///
/// Releasing uses it up, so every row is reported once.
#[derive(Debug)]
pub struct PlannedReports {
    client: Client,
    rows: Rows,
    round: Option<Round>,
}

/// Rows whose permanent stages are drawn and stored where they are kept: ready to report.
#[derive(Debug)]
pub struct ReadyReports(PlannedReports);

impl Job {
    /// Reads the rows. Nothing is drawn.
    ///
    /// # Errors
    /// E0270 for a schema with permanent stages unless `rounds` says what becomes of them, and for
    /// a memory without them; those of data that cannot be read or do not fit the schema, and of a
    /// memory that cannot be read.
    pub fn plan(
        &self,
        source: &dyn DataSource,
        rounds: &Rounds,
        observer: &dyn Observer,
    ) -> Result<PlannedReports, JobError> {
        self.plan_on(&system(), source, rounds, observer)
    }

    /// The same with a memory on another storage than the file system of the machine.
    ///
    /// # Errors
    /// As [`plan`](Self::plan).
    pub fn plan_on(
        &self,
        storage: &StorageRef,
        source: &dyn DataSource,
        rounds: &Rounds,
        observer: &dyn Observer,
    ) -> Result<PlannedReports, JobError> {
        check_stop(observer)?;
        rounds.check(&self.schema)?;
        let client = Client::new(self.schema.clone());
        let rows = during(observer, "reading", || Rows::read(source, self.attributes(), self.encoding.into()))?;
        let round = Round::open(storage, rounds, &client, source, self.encoding.into(), rows.len())?;
        Ok(PlannedReports { client, rows, round })
    }
}

impl PlannedReports {
    /// The same rows, reported by a client of [constant shape](Client::in_constant_shape): other
    /// draws, of the same law.
    #[must_use]
    pub fn in_constant_shape(self) -> Self {
        Self { client: self.client.in_constant_shape(), ..self }
    }

    /// Draws the permanent stage of everybody who is new, and stores them. Without a memory there
    /// is nothing to draw.
    ///
    /// # Errors
    /// E0390 for a person with two rows, E0418 for a changed answer unless it is said what becomes
    /// of it, E0103 and its kin for a memory that cannot be written: nothing was stored then.
    pub fn draw_permanent(mut self, rng: &mut dyn CryptoRng) -> Result<ReadyReports, JobError> {
        if let Some(round) = &mut self.round {
            round.recall(&self.client, &self.rows, rng)?;
        }
        Ok(ReadyReports(self))
    }

    /// Draws what is permanent, and then one report for each row, for callers who hold the reports
    /// in memory: [`draw_permanent`](Self::draw_permanent), then [`ReadyReports::release`].
    ///
    /// # Errors
    /// As both.
    pub fn release(
        self,
        out: &mut dyn Write,
        observer: &dyn Observer,
        rng: &mut dyn CryptoRng,
    ) -> Result<EncodeDocument, JobError> {
        let released = self.draw_permanent(rng)?.release(out, observer, rng);
        released.or_else(|error| check_stop(observer).and(Err(JobError::new("E0107", error.to_string()))))
    }
    fn header(&self) -> ReportsHeader {
        ReportsHeader::new(self.client.schema(), self.rows.len() as u64)
    }
}

impl ReadyReports {
    /// What will be written.
    #[must_use]
    pub fn document(&self) -> EncodeDocument {
        let Self(planned) = self;
        let header = planned.header();
        EncodeDocument {
            schema: EncodeSchema::V1,
            promise: PromiseKind::Guarantee,
            epsilon_per_report: planned.client.schema().epsilon_per_report(),
            reports: header.reports(),
            report_bytes: header.report_bytes(),
            schema_sha256: hexadecimal(&planned.client.digest()),
            rounds: planned.round.as_ref().map(|round| round.document(planned.client.schema())),
        }
    }

    /// Draws one report for each row, and writes a header and the reports.
    ///
    /// # Guarantee
    /// [`epsilon_per_report`](EncodeDocument::epsilon_per_report)-local differential privacy.
    /// Unit: all answers in one row, for one report. Two reports about one person cost twice as
    /// much, except those from one memory: see [`RoundDocument::epsilon`].
    ///
    /// # Errors
    /// Those of `out`; [`io::ErrorKind::Interrupted`] around E0108 once the observer's flag is
    /// set: throw away what was written.
    pub fn release(
        self,
        out: &mut dyn Write,
        observer: &dyn Observer,
        rng: &mut dyn CryptoRng,
    ) -> io::Result<EncodeDocument> {
        let document = self.document();
        during(observer, "randomising", || self.write(out, observer, rng))?;
        Ok(document)
    }

    fn write(self, out: &mut dyn Write, observer: &dyn Observer, rng: &mut dyn CryptoRng) -> io::Result<()> {
        let Self(PlannedReports { client, rows, mut round }) = self;
        let flag = observer.stop_flag();
        flag.begin(rows.len() as u64);
        out.write_all(&ReportsHeader::new(client.schema(), rows.len() as u64).to_bytes())?;
        let mut batch = Vec::with_capacity(BATCH_BYTES + client.report_bytes());
        let mut number = 0;
        rows.try_for_each(|row| {
            // The rows were coded by this schema, and recalled, so every one fits.
            let randomised = match &mut round {
                Some(round) => round.report(number, &client, row, &mut batch, rng),
                None => client.randomise_into(row, &mut batch, rng),
            };
            randomised.map_err(io::Error::other)?;
            number += 1;
            flag.advance(1);
            if batch.len() >= BATCH_BYTES {
                check_stop(observer).map_err(|error| io::Error::new(io::ErrorKind::Interrupted, error))?;
                out.write_all(&batch)?;
                batch.clear();
            }
            Ok::<_, io::Error>(())
        })?;
        out.write_all(&batch)
    }
}
