//! Reports in, a state out.

use std::io::Read;

use disclosure::ldp::{Aggregator, Schema, State, StateDetail, Tally};
use privacy_data::AttributeSpec;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::nullable;
use super::rows::Rows;
use super::spec::Job;
use crate::error::JobError;
use crate::input::DataSource;
use crate::observer::Observer;

/// The schema of [`StateDocument`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StateSchema {
    /// `disclosure.ldp-state/1`.
    #[serde(rename = "disclosure.ldp-state/1")]
    V1,
}

/// What a state holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StateDocument {
    /// `disclosure.ldp-state/1`.
    pub schema: StateSchema,
    /// How many reports were counted.
    pub n: u64,
    /// `full`, `reports` or the order of the sets that are counted.
    pub keeps: String,
    /// Epsilon of one report: `null` where it is infinite, and missing after a merge, which sees
    /// no schema.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable::infinite_option")]
    pub epsilon_per_report: Option<f64>,
    /// Files that it remembers, so that none is counted twice: of reports or of bits, and states
    /// that remember none.
    #[serde(default)]
    pub sources: u64,
    /// Whether it remembers all of them; not with more than 65,536.
    #[serde(default)]
    pub has_every_source: bool,
}

impl StateDocument {
    /// What these counts hold, and what their reports cost if their schema is known.
    #[must_use]
    pub fn new(tally: &Tally, schema: Option<&Schema>) -> Self {
        let keeps = match tally.detail() {
            StateDetail::Full => "full".to_owned(),
            StateDetail::UpTo(order) => order.to_string(),
            _ => "reports".to_owned(),
        };
        let epsilon_per_report = schema.map(Schema::epsilon_per_report);
        Self {
            schema: StateSchema::V1,
            n: tally.reports(),
            keeps,
            epsilon_per_report,
            sources: tally.sources() as u64,
            has_every_source: tally.has_every_source(),
        }
    }
}

/// Counts reports, source after source.
#[derive(Debug)]
pub struct Counting<'a> {
    job: &'a Job,
    aggregator: Aggregator,
}

impl<'a> Counting<'a> {
    /// Nothing counted yet. What is counted takes at most `max_bytes` of memory.
    ///
    /// # Errors
    /// E0265 for an order that is not kept, E0641 for counts that do not fit.
    pub fn new(job: &'a Job, max_bytes: f64, observer: &dyn Observer) -> Result<Self, JobError> {
        let aggregator = Aggregator::new(job.schema.clone(), job.detail, max_bytes)?;
        Ok(Self { job, aggregator: aggregator.with_stop(observer.stop_flag()) })
    }

    /// The same, counting a file again that was counted before.
    #[must_use]
    pub fn allowing_repeats(self) -> Self {
        Self { aggregator: self.aggregator.allowing_repeats(), ..self }
    }

    /// Counts a stream of reports, as it is read.
    ///
    /// # Errors
    /// E0391 to E0393 for bytes that are no reports of the schema, E0399 for the same reports as
    /// before, E0104 for a stream that cannot be read, E0108.
    pub fn add_reports(&mut self, stream: &mut dyn Read) -> Result<(), JobError> {
        self.aggregator.push_stream(stream)?;
        Ok(())
    }

    /// Counts support bits that were randomised elsewhere: one column of 0 and 1 for each support
    /// column. The caller vouches that they were made with the probabilities of the schema,
    /// independently: epsilon is a promise about what `encode` made.
    ///
    /// # Errors
    /// E0394 unless `vouched`; E0264 for a schema with sampled features; E0393 for bits that no
    /// report has; E0399 for the same bits as before; those of data that cannot be read.
    pub fn add_bits(&mut self, source: &dyn DataSource, vouched: bool) -> Result<(), JobError> {
        if !vouched {
            let message = "the bits in a CSV file have no known epsilon unless you confirm how they were randomised";
            return Err(JobError::new("E0394", message)
                .next("add --vouch-for-noise if they were randomised with p and q of the schema"));
        }
        let schema = &self.job.schema;
        if schema.is_sampled() {
            let message = "support bits do not state which features a report covers: leave out features_per_person and protocol = \"parity\"";
            return Err(JobError::new("E0264", message));
        }
        let columns: Vec<AttributeSpec> = (0..schema.columns().len())
            .map(|column| AttributeSpec::of_labels(schema.column_name(column), ["0", "1"]))
            .collect();
        let rows = Rows::read(source, &columns, self.job.encoding.into())?;
        self.count_bits(&rows, columns.len()).map_err(|error| error.in_section(&source.name()))
    }

    fn count_bits(&mut self, rows: &Rows, columns: usize) -> Result<(), JobError> {
        self.aggregator.reserve(rows.len() as u64)?;
        let (mut position, mut support) = (0, vec![false; columns]);
        let (mut content, mut bytes) = (Sha256::new(), vec![0; columns]);
        rows.try_for_each(|row| {
            support.iter_mut().zip(row).for_each(|(bit, &code)| *bit = code == 1);
            bytes.iter_mut().zip(row).for_each(|(byte, &code)| *byte = u8::from(code == 1));
            content.update(&bytes);
            position += 1;
            self.aggregator.push_support(&support).map_err(|error| super::error::bad_report(position - 1, error))
        })?;
        if position > 0 { Ok(self.aggregator.add_source(content.finalize().into())?) } else { Ok(()) }
    }

    /// The counts.
    ///
    /// # Errors
    /// E0642 for too many reports.
    pub fn finish(self) -> Result<State, JobError> {
        Ok(self.aggregator.finish()?)
    }
}
