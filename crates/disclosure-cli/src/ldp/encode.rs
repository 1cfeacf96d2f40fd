//! `disclosure ldp encode`: the client.

use std::io;

use disclosure::ldp::{Client, ReportsHeader};
use privacy_data::write_atomic_with;
use rand::rngs::SysRng;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use serde::Serialize;

use super::args::EncodeArgs;
use super::rows::Rows;
use super::spec::Job;
use crate::display::short_up;
use crate::error::Failure;
use crate::files::{named, print, print_json, say};
use crate::progress;

/// Reports that are written at a time.
const BATCH_BYTES: usize = 1 << 16;

/// What was written.
#[derive(Debug, Serialize)]
struct EncodeReport {
    schema: &'static str,
    promise: &'static str,
    /// `null` where it is infinite.
    epsilon_per_report: f64,
    reports: u64,
    report_bytes: usize,
    schema_sha256: String,
}

pub(super) fn run(args: &EncodeArgs) -> Result<(), Failure> {
    let job = Job::read(&args.schema)?;
    let client = Client::new(job.schema.clone());
    named(&args.output)?;
    let rows = progress::during("reading", || Rows::read(&args.data, &job.attributes(), job.encoding.into()))?;
    let mut rng = ChaCha20Rng::try_from_rng(&mut SysRng).map_err(|error| Failure::new("E0106", error.to_string()))?;
    let header = ReportsHeader::new(client.schema(), rows.len() as u64);
    progress::during("randomising and writing", || {
        write_atomic_with(&args.output, |file| {
            file.write_all(&header.to_bytes())?;
            let mut batch = Vec::with_capacity(BATCH_BYTES + client.report_bytes());
            rows.try_for_each(|row| {
                // The rows were coded by this schema, so every one fits.
                client.randomise_into(row, &mut batch, &mut rng).map_err(io::Error::other)?;
                if batch.len() >= BATCH_BYTES {
                    file.write_all(&batch)?;
                    batch.clear();
                }
                Ok(())
            })
            .and_then(|()| file.write_all(&batch))
        })
    })?;
    let schema_sha256 = client.schema().digest().iter().map(|byte| format!("{byte:02x}")).collect();
    show(
        args,
        &EncodeReport {
            schema: "disclosure.ldp-encode/1",
            promise: "guarantee",
            epsilon_per_report: client.schema().epsilon_per_report(),
            reports: header.reports(),
            report_bytes: header.report_bytes(),
            schema_sha256,
        },
    )
}

fn show(args: &EncodeArgs, report: &EncodeReport) -> Result<(), Failure> {
    if args.json {
        return print_json(report);
    }
    let promise = if report.epsilon_per_report.is_finite() {
        format!(
            "Guarantee: epsilon {}, local differential privacy. Unit: all answers in one row, for one report.\n  \
             Whatever somebody answered, no report is more than e^epsilon times as likely as under other answers.",
            short_up(report.epsilon_per_report)
        )
    } else {
        "No guarantee: epsilon is infinite. Some p is 0 or some q is 1, so a report can exclude an answer.".to_owned()
    };
    print(
        format!(
            "\n  {promise}\n  Two reports about one person cost twice as much: encode once, and send that.\n\n  \
             {} reports of {} bytes\n",
            report.reports, report.report_bytes
        )
        .as_bytes(),
    )?;
    say(&format!("\nWrote {}. Count it: disclosure ldp aggregate SCHEMA {0} -o state.bin", args.output.display()));
    Ok(())
}
