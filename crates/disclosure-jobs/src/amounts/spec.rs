//! The specification of a table of amounts as it is written in TOML.

use std::collections::BTreeMap;
use std::path::PathBuf;

use disclosure::magnitude::SuppressionCost;
use privacy_data::{AttributeSpec, CsvOptions};
use serde::Deserialize;

use crate::amounts::decimal::MOST_DECIMALS;
use crate::amounts::rule::RuleSpec;
use crate::error::JobError;
use crate::input::{EncodingName, FormatSpec, SourceSpec};

/// A specification as it is written: the fields of `docs/formats.md`. Unknown fields are refused.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AmountsSpec {
    /// Name of the release for people; the name of the file by default.
    pub(super) title: Option<String>,
    /// The data, beside the specification: rows of respondents, or a row for each cell. Needed
    /// without `[source]`.
    pub(super) data: Option<PathBuf>,
    /// How the file separates, quotes and spells its fields; what is not said is looked for, but
    /// a decimal mark other than a point is declared.
    #[serde(default)]
    pub(super) format: FormatSpec,
    /// `[source]`: the data with what is said about them, in place of `data` and `format`.
    pub(super) source: Option<SourceSpec>,
    /// How the data spell text: `utf-8` (the default) or `latin1`.
    pub(super) encoding: Option<EncodingName>,
    /// The columns that span the table, each with all its totals.
    pub(super) axes: Vec<String>,
    /// The column of the amounts, none of them below 0.
    pub(super) amount: String,
    /// Digits after the decimal mark that amounts have: the unit is a one in the last of them.
    #[serde(default)]
    pub(super) decimals: u8,
    /// The column that says whose amount a row is; rows of one respondent are added up. Without
    /// it, every row is a respondent.
    pub(super) respondent: Option<String>,
    /// The column of weights, which multiply amounts; attackers are taken to know them.
    pub(super) weight: Option<String>,
    /// For data with a row for each cell: who contributes to it. Respondents are then taken to
    /// contribute to one cell each.
    pub(super) ready: Option<ReadySpec>,
    /// When a cell is sensitive.
    pub(super) rule: RuleSpec,
    /// How many respondents pool what they know: 1 (the default) or 2.
    #[serde(default = "one")]
    pub(super) coalition: usize,
    /// What a withheld cell costs: `value` (the default), `count` of respondents, or `equal`.
    #[serde(default)]
    pub(super) cost: SuppressionCost,
    /// Cells that must be published, by a label on each axis; the total is `total`.
    #[serde(default)]
    pub(super) keep: Vec<BTreeMap<String, String>>,
    /// Everybody knows each amount to within this many per cent of it; nothing when left out.
    pub(super) known_within: Option<f64>,
    /// The label of totals; `Total` when left out.
    #[serde(default = "total")]
    pub(super) total: String,
    /// A domain file beside the specification, instead of `[[attribute]]` tables.
    pub(super) domain: Option<PathBuf>,
    /// What the axes are: their labels with names, or bins of numbers. The labels of axes that
    /// are not among them are the texts of the data.
    #[serde(default, rename = "attribute")]
    pub(super) attributes: Vec<AttributeSpec>,
    /// The file of the hierarchy of an axis, by its name: `.hrc`, or lines
    /// `category;parent;grandparent`.
    #[serde(default)]
    pub(super) hierarchy: BTreeMap<String, PathBuf>,
    /// Simplex steps of one linear program; 100,000 when left out.
    pub(super) steps: Option<u64>,
}

/// The columns of a table with a row for each cell.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadySpec {
    /// The column with the number of respondents of a cell.
    pub(super) respondents: String,
    /// The columns with the largest contributions, the largest first.
    pub(super) largest: Vec<String>,
}

fn one() -> usize {
    1
}

fn total() -> String {
    "Total".to_owned()
}

impl AmountsSpec {
    /// Refuses fields that do not go together.
    ///
    /// # Errors
    /// E0246.
    pub(super) fn check(&self) -> Result<(), JobError> {
        let refuse = |words: &str| Err(JobError::new("E0246", words.to_owned()));
        if !(1..=2).contains(&self.coalition) {
            return refuse("coalition must be 1 or 2: every respondent attacks by itself, or any two together");
        }
        if self.decimals > MOST_DECIMALS {
            return refuse("decimals must be at most 9");
        }
        if self.ready.is_some() && (self.respondent.is_some() || self.weight.is_some()) {
            return refuse(
                "ready describes a table of cells, so respondent and weight, which describe rows of respondents, cannot be used",
            );
        }
        let needed = self.rule.rule(self.coalition)?.contributions_needed();
        if let Some(ready) = self.ready.as_ref().filter(|ready| ready.largest.len() < needed) {
            let got = ready.largest.len();
            return Err(JobError::new(
                "E0246",
                format!("ready.largest must list {needed} columns for this rule, got {got}"),
            ));
        }
        let is_repeated = (1..self.axes.len()).any(|later| self.axes[..later].contains(&self.axes[later]));
        if self.axes.is_empty() || is_repeated {
            return refuse("axes must list the columns of the table axes, each once");
        }
        Ok(())
    }

    /// The columns that are read behind those of the axes.
    pub(super) fn columns(&self) -> Vec<&str> {
        let ready = self.ready.iter().flat_map(|ready| std::iter::once(&ready.respondents).chain(&ready.largest));
        let others = self.respondent.iter().chain(&self.weight).chain(ready);
        [&self.amount].into_iter().chain(others).map(String::as_str).collect()
    }

    pub(super) fn csv_options(&self) -> CsvOptions {
        CsvOptions { encoding: self.encoding.unwrap_or_default().into(), ..CsvOptions::default() }
    }

    /// The mark in amounts.
    pub(super) fn mark(&self) -> char {
        if self.format.decimal.as_deref() == Some(",") { ',' } else { '.' }
    }
}
