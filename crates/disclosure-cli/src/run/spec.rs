//! JOB.toml as it is written, and what it says by itself.

use std::path::{Path, PathBuf};

use disclosure_jobs::budget::BudgetSpec;
use disclosure_jobs::marginals::Spec as NoisySpec;
use disclosure_jobs::screening::ScreeningSpec;
use privacy_data::{AttributeSpec, CsvOptions, parse_toml};
use serde::Deserialize;

use crate::args::EncodingArg;
use crate::error::Failure;
use crate::files::read_text;
use crate::lcf::FilteredSpec;
use disclosure_jobs::exact::ExactSpec;

/// The file as it is written. Unknown fields are refused.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct JobFile {
    pub(super) title: Option<String>,
    pub(super) data: Option<PathBuf>,
    pub(super) count: Option<String>,
    #[serde(default)]
    pub(super) encoding: EncodingArg,
    pub(super) domain: Option<PathBuf>,
    #[serde(default, rename = "attribute")]
    pub(super) attributes: Vec<AttributeSpec>,
    pub(super) budget: Option<BudgetSpec>,
    pub(super) screen: Option<ScreeningSpec>,
    pub(super) exact: Option<ExactSpec>,
    pub(super) filtered: Option<FilteredSpec>,
    pub(super) noisy: Option<NoisySpec>,
    #[serde(default)]
    pub(super) targets: TargetsSpec,
}

/// `[targets]`: what must hold besides the targets within the sections.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TargetsSpec {
    /// Withheld numbers of the exact part that the joint attack may pin.
    #[serde(default)]
    pub(super) max_pinned_cells: u64,
    /// Groups that the filter withholds and the joint attack may pin.
    #[serde(default)]
    pub(super) max_pinned_groups: u64,
    /// The largest root mean square error of the noisy part, in counts.
    pub(super) max_rmse: Option<f64>,
}

impl JobFile {
    /// Reads a job; with its text.
    pub(super) fn read(path: &Path) -> Result<(Self, String), Failure> {
        let text = read_text(path)?;
        let within = |failure: Failure| failure.within(path);
        let file: Self = parse_toml(&text).map_err(|error| within(Failure::new("E0210", error.to_string())))?;
        file.check().map_err(within)?;
        Ok((file, text))
    }

    fn check(&self) -> Result<(), Failure> {
        let refused = |words: &str| Err(Failure::new("E0244", words));
        let is_noised = self.noisy.is_some() || self.exact.as_ref().is_some_and(ExactSpec::has_noise);
        match () {
            () if self.exact.is_none() && self.filtered.is_none() && self.noisy.is_none() => {
                refused("a job releases something: it has at least one of [exact], [filtered] and [noisy]")
            }
            () if is_noised && self.budget.is_none() => {
                refused("[noisy], and epsilon in [exact], spend from [budget]: say rho and neighbours there")
            }
            () if !is_noised && self.budget.is_some() => {
                refused("[budget] is for noise, and nothing is noised: leave it out, or add [noisy]")
            }
            () if self.filtered.is_some() && self.count.is_some() => {
                refused("[filtered] tells people apart by their rows, and with count a line stands for many")
            }
            () if self.targets.max_rmse.is_some_and(|rmse| self.noisy.is_none() || rmse.is_nan() || rmse <= 0.0) => {
                refused("max_rmse is the error of [noisy], above 0")
            }
            () => Ok(()),
        }
    }

    /// What a job is called.
    pub(super) fn title(&self, path: &Path) -> String {
        let stem = || path.file_stem().map_or_else(|| "release".to_owned(), |stem| stem.to_string_lossy().into_owned());
        self.title.clone().unwrap_or_else(stem)
    }

    /// How the data are read.
    pub(super) fn options(&self) -> CsvOptions {
        CsvOptions { encoding: self.encoding.into(), count_column: self.count.clone(), ..CsvOptions::default() }
    }
}
