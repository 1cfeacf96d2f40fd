//! What leaves: one table of all cells, and the record of what was promised.

use std::io::{self, Write};

use disclosure::magnitude::PublishedAmounts;
use disclosure::privacy_core::promise::Promise;
use privacy_data::{CsvField, CsvWriter};
use serde::{Deserialize, Serialize};

use crate::amounts::decimal::text;
use crate::amounts::documents::AmountsUnit;
use crate::amounts::job::Planned;
use crate::amounts::rule::RuleSpec;
use crate::amounts::statements;
use crate::document::FileDigest;
use crate::error::JobError;
use crate::sink::{Sink, write_json};

/// Columns after those of the axes; no axis may have their names.
const COLUMNS: [&str; 2] = ["value", "status"];

/// The schema of the record of a release.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum AmountsReleaseSchema {
    /// The first version.
    #[default]
    #[serde(rename = "disclosure.magnitude-release/1")]
    V1,
}

/// `release.json`: what was promised, and the digest of the table. Nothing tells a cell that is
/// sensitive from one that protects it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AmountsRelease {
    /// `disclosure.magnitude-release/1`.
    pub schema: AmountsReleaseSchema,
    /// What the table promises.
    pub promise: Promise,
    /// What the promise leaves open.
    pub not_covered: Vec<String>,
    /// When a cell is sensitive.
    pub rule: RuleSpec,
    /// The title of the job.
    pub title: String,
    /// What the amounts are.
    pub unit: AmountsUnit,
    /// Cells with an amount.
    pub published: usize,
    /// Cells without.
    pub withheld: usize,
    /// The version of `disclosure`.
    pub version: String,
    /// The table.
    pub files: Vec<FileDigest>,
}

impl Planned {
    /// Refuses axes with the name of an output column.
    ///
    /// # Errors
    /// E0215.
    pub fn check_columns(&self) -> Result<(), JobError> {
        match self.loaded.spec().axes.iter().find(|name| COLUMNS.contains(&name.as_str())) {
            Some(name) => Err(JobError::new("E0215", format!("axis {name:?} has the name of a column of the outputs"))),
            None => Ok(()),
        }
    }

    /// Every cell as it is published: a withheld one has no amount. Amounts are in units of the
    /// last decimal.
    ///
    /// # Errors
    /// E0441 for a pattern that does not hold.
    pub fn published(&self) -> Result<PublishedAmounts, JobError> {
        Ok(self.plan.publish(&self.loaded.problem())?)
    }

    /// Writes `table.csv` and `release.json`, and commits once.
    ///
    /// # Errors
    /// E0215, and what the sink reports.
    pub fn write(&self, sink: &mut dyn Sink) -> Result<AmountsRelease, JobError> {
        self.check_columns()?;
        let published = self.published()?;
        let (spec, tally) = (self.loaded.spec(), self.tally());
        let digest = sink.write_with("table.csv", &mut |out| write_csv(out, &published, spec.decimals))?;
        let document = AmountsRelease {
            schema: AmountsReleaseSchema::V1,
            promise: statements::promise(&self.loaded),
            not_covered: statements::not_covered(),
            rule: spec.rule.clone(),
            title: self.loaded.title().to_owned(),
            unit: AmountsUnit { amount: spec.amount.clone(), decimals: spec.decimals },
            published: tally.published,
            withheld: tally.primary + tally.complementary,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            files: vec![digest],
        };
        write_json(sink, "release.json", &document)?;
        sink.commit()?;
        Ok(document)
    }
}

fn write_csv(out: impl Write, published: &PublishedAmounts, decimals: u8) -> io::Result<()> {
    let names = published.axes.iter().map(String::as_str);
    let mut table = CsvWriter::new(out, names.chain(COLUMNS))?;
    for cell in &published.cells {
        let value = cell.amount.map(|amount| text(amount, decimals));
        let status = if value.is_some() { "published" } else { "withheld" };
        // NaN is written as an empty field.
        let value = value.as_deref().map_or(CsvField::Real(f64::NAN), CsvField::Text);
        let labels = cell.labels.iter().map(|label| CsvField::Text(label));
        table.line(labels.chain([value, CsvField::Text(status)]))?;
    }
    Ok(())
}
