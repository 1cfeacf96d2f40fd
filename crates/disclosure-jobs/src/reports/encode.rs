//! The client: one randomised report for each row.

use std::io::{self, Write};

use disclosure::ldp::{Client, ReportsHeader};
use disclosure::privacy_core::promise::PromiseKind;
use rand_core::CryptoRng;
use serde::{Deserialize, Serialize};

use super::nullable;
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
}

/// Rows that were read and coded: nothing is drawn yet.
///
/// Releasing uses it up, so every row is reported once.
#[derive(Debug)]
pub struct PlannedReports {
    client: Client,
    rows: Rows,
}

impl Job {
    /// Reads the rows. Nothing is drawn.
    ///
    /// # Errors
    /// Those of data that cannot be read or do not fit the schema.
    pub fn plan(&self, source: &dyn DataSource, observer: &dyn Observer) -> Result<PlannedReports, JobError> {
        check_stop(observer)?;
        let rows = during(observer, "reading", || Rows::read(source, &self.attributes(), self.encoding.into()))?;
        Ok(PlannedReports { client: Client::new(self.schema.clone()), rows })
    }
}

impl PlannedReports {
    /// What will be written.
    #[must_use]
    pub fn document(&self) -> EncodeDocument {
        let header = self.header();
        EncodeDocument {
            schema: EncodeSchema::V1,
            promise: PromiseKind::Guarantee,
            epsilon_per_report: self.client.schema().epsilon_per_report(),
            reports: header.reports(),
            report_bytes: header.report_bytes(),
            schema_sha256: hexadecimal(&self.client.digest()),
        }
    }

    /// Draws one report for each row, and writes a header and the reports.
    ///
    /// # Guarantee
    /// [`epsilon_per_report`](EncodeDocument::epsilon_per_report)-local differential privacy.
    /// Unit: all answers in one row, for one report. Two reports about one person cost twice as
    /// much.
    ///
    /// # Errors
    /// Those of `out`; [`io::ErrorKind::Interrupted`] around E0108 once the observer's flag is
    /// set: throw away what was written.
    pub fn release<R: CryptoRng + ?Sized>(
        self,
        out: &mut dyn Write,
        observer: &dyn Observer,
        rng: &mut R,
    ) -> io::Result<EncodeDocument> {
        out.write_all(&self.header().to_bytes())?;
        let mut batch = Vec::with_capacity(BATCH_BYTES + self.client.report_bytes());
        self.rows.try_for_each(|row| {
            // The rows were coded by this schema, so every one fits.
            self.client.randomise_into(row, &mut batch, rng).map_err(io::Error::other)?;
            if batch.len() >= BATCH_BYTES {
                check_stop(observer).map_err(|error| io::Error::new(io::ErrorKind::Interrupted, error))?;
                out.write_all(&batch)?;
                batch.clear();
            }
            Ok::<_, io::Error>(())
        })?;
        out.write_all(&batch)?;
        Ok(self.document())
    }

    fn header(&self) -> ReportsHeader {
        ReportsHeader::new(self.client.schema(), self.rows.len() as u64)
    }
}
