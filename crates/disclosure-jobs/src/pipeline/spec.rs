//! The job file as it is written: which parts a release has, out of which budget, under which
//! targets.

use std::path::PathBuf;

use privacy_data::{AttributeSpec, CsvOptions, TableFormat};
use serde::Deserialize;

use crate::budget::BudgetSpec;
use crate::error::JobError;
use crate::exact::ExactSpec;
use crate::filter::FilterSpec;
use crate::input::{EncodingName, FormatSpec, SourceSpec};
use crate::marginals;
use crate::screening::ScreeningSpec;

/// The job file. Unknown fields are refused.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct JobSpec {
    /// Name of the release for people; the name of the file by default.
    pub(super) title: Option<String>,
    /// Who answers for the release: shown on its page.
    pub(super) owner: Option<String>,
    /// The date of the release, as people write it; the day on which it is made by default.
    pub(super) date: Option<String>,
    /// The table, beside the job; a file that is named on the command line comes first.
    pub(super) data: Option<PathBuf>,
    /// How the file separates, quotes and spells its fields; what is not said is looked for.
    #[serde(default)]
    pub(super) format: FormatSpec,
    /// `[source]`: the data with what is said about them, in place of `data` and `format`.
    pub(super) source: Option<SourceSpec>,
    /// The column with counts, if a line stands for several rows; not with `[filtered]`.
    pub(super) count: Option<String>,
    /// How the data spell text: `utf-8` (the default) or `latin1`.
    #[serde(default)]
    pub(super) encoding: EncodingName,
    /// How all tables of the release are written: `csv` (the default) or `parquet`.
    #[serde(default)]
    pub(super) tables: TableFormat,
    /// A domain file beside the specification, instead of `[[attribute]]` tables.
    pub(super) domain: Option<PathBuf>,
    /// The attributes of the data, instead of a domain file.
    #[serde(default, rename = "attribute")]
    pub(super) attributes: Vec<AttributeSpec>,
    /// The budget of all noise; given if and only if something is noised.
    pub(super) budget: Option<BudgetSpec>,
    /// A prediction and an attack on labels; its tables are not released.
    pub(super) screen: Option<ScreeningSpec>,
    /// Exact tables.
    pub(super) exact: Option<ExactSpec>,
    /// Groups behind a keyed, noisy threshold.
    pub(super) filtered: Option<FilterSpec>,
    /// Noisy marginals, out of what is left of the budget.
    pub(super) noisy: Option<marginals::Spec>,
    /// What must hold for the release as a whole.
    #[serde(default)]
    pub(super) targets: TargetsSpec,
}

/// `[targets]`: what must hold for the release as a whole. Sections state their own targets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetsSpec {
    /// Largest number of withheld cells of the exact part that the linkage attack may determine.
    #[serde(default)]
    pub max_pinned_cells: u64,
    /// Largest number of withheld groups of the filtered part that the linkage attack may
    /// determine.
    #[serde(default)]
    pub max_pinned_groups: u64,
    /// Largest root mean square error of the noisy part, in counts.
    pub max_rmse: Option<f64>,
    /// Largest probability that a reader of the exact and the noisy numbers may give to one count
    /// of a number that the exact part withholds.
    pub max_posterior: Option<f64>,
}

impl JobSpec {
    /// Refuses combinations of sections that make no sense together.
    pub(super) fn check(&self) -> Result<(), JobError> {
        let is_noised = self.noisy.is_some() || self.exact.as_ref().is_some_and(ExactSpec::has_noise);
        let is_posterior_invalid = |most: f64| self.exact.is_none() || !(most > 0.0 && most < 1.0);
        let is_rmse_invalid = |rmse: f64| self.noisy.is_none() || rmse.is_nan() || rmse <= 0.0;
        let message = match () {
            () if self.exact.is_none() && self.filtered.is_none() && self.noisy.is_none() => {
                "the job releases nothing: add at least one of [exact], [filtered] and [noisy]"
            }
            () if is_noised && self.budget.is_none() => {
                "[noisy] and epsilon in [exact] require [budget], with rho and neighbours"
            }
            () if !is_noised && self.budget.is_some() => {
                "[budget] is only used for noise, and nothing is noised: leave it out, or add [noisy]"
            }
            () if self.filtered.is_some() && self.count.is_some() => {
                "[filtered] counts rows, so it cannot be combined with count, where a line stands for several rows"
            }
            () if self.targets.max_rmse.is_some_and(is_rmse_invalid) => {
                "max_rmse must be above 0 and requires [noisy], whose error it limits"
            }
            () if self.targets.max_posterior.is_some_and(is_posterior_invalid) => {
                "max_posterior must be a probability above 0 and below 1, and requires [exact], which withholds the numbers"
            }
            () => return self.check_person(),
        };
        Err(JobError::new("E0244", message))
    }

    /// Refuses a person where noise or an attack is about all rows.
    fn check_person(&self) -> Result<(), JobError> {
        if self.budget.as_ref().is_none_or(|budget| budget.person.is_none()) {
            return Ok(());
        }
        let message = match () {
            () if self.count.is_some() => "person cannot be combined with count, where a line stands for several rows",
            () if self.exact.as_ref().is_some_and(ExactSpec::has_noise) => {
                "person excludes rows from [noisy], but epsilon in [exact] adds noise to counts of all rows: leave one of them out"
            }
            () if self.targets.max_posterior.is_some() => {
                "max_posterior requires noisy and exact tables of the same rows, but person excludes some rows from [noisy]"
            }
            () => return Ok(()),
        };
        Err(JobError::new("E0248", message))
    }

    /// How the data are read.
    pub(super) fn options(&self) -> CsvOptions {
        CsvOptions { encoding: self.encoding.into(), count_column: self.count.clone(), ..CsvOptions::default() }
    }
}
