//! `disclosure ldp aggregate`: reports in, a state out.

use std::io::Read;
use std::path::Path;

use disclosure::ldp::{Aggregator, FormatError, REPORTS_HEADER_BYTES, ReportsHeader, Schema, StateDetail, Tally};
use privacy_data::{AttributeSpec, write_atomic};
use serde::Serialize;

use super::args::{AggregateArgs, Format};
use super::rows::Rows;
use super::spec::Job;
use crate::display::short_up;
use crate::error::Failure;
use crate::files::{named, open, print, print_json, say};
use crate::progress;
use disclosure_jobs::reports::bad_report;

/// Bytes of reports that are read at a time.
const BATCH_BYTES: usize = 1 << 16;

/// What was written.
#[derive(Debug, Serialize)]
pub(super) struct StateReport {
    schema: &'static str,
    n: u64,
    keeps: String,
    /// `null` where it is infinite, and after a merge, which sees no schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    epsilon_per_report: Option<f64>,
}

impl StateReport {
    pub(super) fn of(tally: &Tally, schema: Option<&Schema>) -> Self {
        let keeps = match tally.detail() {
            StateDetail::Full => "full".to_owned(),
            StateDetail::UpTo(order) => order.to_string(),
            _ => "reports".to_owned(),
        };
        let epsilon_per_report = schema.map(Schema::epsilon_per_report);
        Self { schema: "disclosure.ldp-state/1", n: tally.reports(), keeps, epsilon_per_report }
    }

    pub(super) fn show(&self, output: &Path, json: bool) -> Result<(), Failure> {
        if json {
            return print_json(self);
        }
        let epsilon = match self.epsilon_per_report {
            Some(epsilon) if epsilon.is_finite() => {
                format!("  Guarantee of each report: epsilon {}, local differential privacy.\n", short_up(epsilon))
            }
            Some(_) => "  No guarantee: epsilon is infinite.\n".to_owned(),
            None => String::new(),
        };
        let keeps = match self.keeps.as_str() {
            "full" => "every combination of columns".to_owned(),
            "reports" => "the reports, without their order".to_owned(),
            order => format!("every set of at most {order} columns"),
        };
        print(format!("\n{epsilon}  {} reports; the state keeps {keeps}\n", self.n).as_bytes())?;
        say(&format!("\nWrote {}.", output.display()));
        Ok(())
    }
}

pub(super) fn run(args: &AggregateArgs) -> Result<(), Failure> {
    let job = Job::read(&args.schema)?;
    named(&args.output)?;
    let new = Aggregator::new(job.schema.clone(), job.keep, args.memory.bytes());
    let mut aggregator = new.map_err(|error| Failure::from(error).within(&args.schema))?;
    progress::during("counting", || {
        args.reports.iter().try_for_each(|path| match args.format {
            Format::Reports => {
                let counted = count_reports(&mut open(path)?, &job.schema, &mut aggregator);
                counted.map_err(|failure| failure.within(path))
            }
            Format::Csv => count_bits(path, &job, &mut aggregator),
        })
    })?;
    let state = aggregator.finish()?;
    write_atomic(&args.output, &state.to_bytes())?;
    StateReport::of(state.tally(), Some(&job.schema)).show(&args.output, args.json)
}

/// Counts a file of reports as it is read.
fn count_reports(file: &mut dyn Read, schema: &Schema, aggregator: &mut Aggregator) -> Result<(), Failure> {
    let mut header = Vec::new();
    fill(file, &mut header, REPORTS_HEADER_BYTES)?;
    let header = ReportsHeader::parse(&header, schema)?;
    aggregator.reserve(header.reports())?;
    let per_batch = (BATCH_BYTES / header.report_bytes()).max(1) as u64;
    let (mut counted, mut batch) = (0, Vec::new());
    while counted < header.reports() {
        let wanted = per_batch.min(header.reports() - counted);
        batch.clear();
        fill(file, &mut batch, wanted as usize * header.report_bytes())?;
        if batch.len() < wanted as usize * header.report_bytes() {
            return Err(cut(&header, counted * header.report_bytes() as u64 + batch.len() as u64));
        }
        let pushed = aggregator.push_all(&batch);
        pushed.map_err(|(position, error)| bad_report(counted + position as u64, error))?;
        counted += wanted;
    }
    batch.clear();
    fill(file, &mut batch, 1)?;
    match batch.is_empty() {
        true => Ok(()),
        false => Err(cut(&header, counted * header.report_bytes() as u64 + 1)),
    }
}

/// Reads up to `bytes` bytes, fewer only at the end.
fn fill(file: &mut dyn Read, buffer: &mut Vec<u8>, bytes: usize) -> Result<(), Failure> {
    let read = file.take(bytes as u64).read_to_end(buffer);
    read.map(drop).map_err(|source| Failure::new("E0104", source.to_string()))
}

fn cut(header: &ReportsHeader, got: u64) -> Failure {
    let around = REPORTS_HEADER_BYTES as u64;
    let expected = header.reports().saturating_mul(header.report_bytes() as u64).saturating_add(around);
    FormatError::Length { expected, got: got.saturating_add(around) }.into()
}

/// Counts support bits that were randomised elsewhere.
fn count_bits(path: &Path, job: &Job, aggregator: &mut Aggregator) -> Result<(), Failure> {
    if job.schema.is_sampled() {
        let message = "support bits do not say which features a report covers: leave features_per_person out";
        return Err(Failure::new("E0264", message));
    }
    let bit = |column| AttributeSpec::of_labels(job.schema.column_name(column), ["0", "1"]);
    let columns: Vec<AttributeSpec> = (0..job.schema.columns().len()).map(bit).collect();
    let rows = Rows::read(path, &columns, job.encoding.into())?;
    let within = |failure: Failure| failure.within(path);
    aggregator.reserve(rows.len() as u64).map_err(|error| within(error.into()))?;
    let (mut position, mut support) = (0, vec![false; columns.len()]);
    rows.try_for_each(|row| {
        support.iter_mut().zip(row).for_each(|(bit, &code)| *bit = code == 1);
        position += 1;
        aggregator.push_support(&support).map_err(|error| within(bad_report(position - 1, error)))
    })
}
