//! The files of a release: one CSV a marginal, the plan, and the record of it all.

use disclosure::core::Domain;
use disclosure::resplan::NoisyMarginal;
use privacy_data::{CsvField, CsvTable, OutputDir, cell_labels};
use serde::Serialize;

use super::budget::EpsilonAtDelta;
use super::report::{LEVEL, PlanReport, Promise};
use super::spec::Spec;
use crate::digest::sha256;
use crate::error::Failure;

/// `release.json`: what was promised, what it cost, and the digest of every file. The kind of promise comes first.
#[derive(Debug, Serialize)]
pub(super) struct ReleaseRecord {
    pub(super) schema: &'static str,
    pub(super) promise: Promise,
    pub(super) intervals: Intervals,
    pub(super) cost: Cost,
    pub(super) title: String,
    pub(super) mechanism: Mechanism,
    pub(super) spec_sha256: String,
    pub(super) ledger_hash: Option<String>,
    pub(super) versions: Versions,
    pub(super) not_covered: [&'static str; 3],
    pub(super) files: Vec<FileRecord>,
}

#[derive(Debug, Serialize)]
pub(super) struct Cost {
    pub(super) pcost: f64,
    pub(super) rho: f64,
    pub(super) epsilon_at_delta: Vec<EpsilonAtDelta>,
    pub(super) rounded: &'static str,
}

#[derive(Debug, Serialize)]
pub(super) struct Intervals {
    pub(super) kind: &'static str,
    pub(super) level: f64,
    pub(super) meaning: &'static str,
}

#[derive(Debug, Serialize)]
pub(super) struct Mechanism {
    pub(super) name: &'static str,
    pub(super) noise: &'static str,
    pub(super) objective: String,
    pub(super) estimates: &'static str,
}

#[derive(Debug, Serialize)]
pub(super) struct Versions {
    pub(super) disclosure: &'static str,
    pub(super) plan_schema: &'static str,
}

/// A file of the release.
#[derive(Debug, Serialize)]
pub(super) struct FileRecord {
    pub(super) name: String,
    pub(super) sha256: String,
    pub(super) bytes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) attributes: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cells: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sd: Option<f64>,
}

impl ReleaseRecord {
    pub(super) fn of(report: &PlanReport, spec: &Spec, ledger_hash: Option<String>, files: Vec<FileRecord>) -> Self {
        Self {
            schema: "disclosure.release/1",
            promise: report.promise.clone(),
            intervals: Intervals {
                kind: "calibration",
                level: LEVEL,
                meaning: "holds the exact count in at least this share of releases, each cell by itself; from the noise alone",
            },
            cost: Cost {
                pcost: report.pcost,
                rho: report.rho,
                epsilon_at_delta: report.epsilon_at_delta.clone(),
                rounded: "up: the release never costs more than this",
            },
            title: report.title.clone(),
            mechanism: Mechanism {
                name: "resplan",
                noise: "discrete Gaussian, drawn exactly, from the operating system's generator",
                objective: report.objective.clone(),
                estimates: "unbiased; all tables add up to each other; values may be negative or fractional",
            },
            spec_sha256: spec.sha256.clone(),
            ledger_hash,
            versions: Versions { disclosure: env!("CARGO_PKG_VERSION"), plan_schema: report.schema },
            not_covered: [
                "sampling error and errors in the data: intervals are for the noise alone",
                "other releases from the same data, unless a ledger counts them",
                "what is true of the group a person belongs to, with or without that person's row",
            ],
            files,
        }
    }
}

/// Name of the file of a marginal: its number, and its attributes as far as a file name can hold them.
pub(super) fn file_name(number: usize, total: usize, attributes: &[String]) -> String {
    let digits = total.saturating_sub(1).max(1).ilog10() as usize + 1;
    let plain = |name: &String| -> String {
        let keep = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
        name.chars().map(keep).take(24).collect()
    };
    let names: Vec<String> = attributes.iter().map(plain).collect();
    // A name of nothing but other characters says nothing.
    let said = names.iter().map(|name| if name.chars().all(|c| c == '-') { "attribute" } else { name.as_str() });
    let stem = if names.is_empty() { "total".to_owned() } else { said.collect::<Vec<_>>().join("_by_") };
    format!("{number:0digits$}-{}.csv", stem.chars().take(160).collect::<String>())
}

/// Writes one marginal: a line a cell, with its error.
pub(super) fn write_marginal(
    directory: &mut OutputDir,
    domain: &Domain,
    marginal: &NoisyMarginal,
    name: String,
    half_width: f64,
) -> Result<FileRecord, Failure> {
    let text = csv(domain, marginal, half_width);
    let mut record = write_file(directory, name, text.as_bytes())?;
    record.attributes = Some(domain.names(marginal.attributes).map(str::to_owned).collect());
    record.cells = Some(marginal.values.len());
    record.sd = Some(marginal.variance.sqrt());
    Ok(record)
}

/// Writes one file.
pub(super) fn write_file(directory: &mut OutputDir, name: String, bytes: &[u8]) -> Result<FileRecord, Failure> {
    directory.write(&name, bytes)?;
    Ok(FileRecord { name, sha256: sha256(bytes), bytes: bytes.len(), attributes: None, cells: None, sd: None })
}

/// Columns after those of the attributes; no attribute may have their names.
pub(super) const COLUMNS: [&str; 6] = ["value", "sd", "ci95_low", "ci95_high", "status", "reason"];

fn csv(domain: &Domain, marginal: &NoisyMarginal, half_width: f64) -> String {
    let names: Vec<&str> = domain.names(marginal.attributes).collect();
    let mut table = CsvTable::new(names.iter().copied().chain(COLUMNS));
    let sd = marginal.variance.sqrt();
    let (status, reason) = match sd > 0.0 {
        true => ("noised", "discrete Gaussian noise"),
        false => ("exact", "the same for all neighbouring tables"),
    };
    for (labels, &value) in cell_labels(domain, marginal.attributes).zip(&marginal.values) {
        let numbers =
            [value, sd, value - half_width, value + half_width].map(|number| CsvField::Real(rounded(number, sd)));
        let words = [CsvField::Text(status), CsvField::Text(reason)];
        table.push(labels.into_iter().map(CsvField::Text).chain(numbers).chain(words));
    }
    table.into_text()
}

/// Digits far below the noise say nothing and make the tables of one release disagree in their last places:
/// rounded to a power of ten at most a millionth of the standard deviation.
fn rounded(number: f64, sd: f64) -> f64 {
    if sd == 0.0 {
        return number;
    }
    let decimals = (6.0 - sd.log10()).floor().clamp(0.0, 15.0) as i32;
    let unit = 10.0_f64.powi(decimals);
    let scaled = (number * unit).round() / unit;
    // `+ 0.0` turns a negative zero into zero.
    if scaled.is_finite() { scaled + 0.0 } else { number }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_safe_and_sort_as_the_workload() {
        let names = |parts: &[&str]| parts.iter().map(|p| (*p).to_owned()).collect::<Vec<_>>();
        assert_eq!(file_name(0, 1, &[]), "0-total.csv");
        assert_eq!(file_name(7, 11, &names(&["Age", "Hours/Week"])), "07-age_by_hours-week.csv");
        assert_eq!(file_name(3, 1000, &names(&["../../etc"])), "003-------etc.csv");
        assert!(file_name(3, 10, &vec!["x".repeat(300); 20]).len() < 200);
    }

    #[test]
    fn numbers_keep_what_their_error_needs() {
        assert_eq!(rounded(12.345_678_901_234, 2.0), 12.345_68);
        assert_eq!(rounded(-0.000_000_1, 2.0).to_string(), "0");
        assert_eq!(rounded(12.345_678_901_234, 2e6), 12.0);
        assert_eq!(rounded(7.0, 0.0), 7.0);
    }
}
