//! Tables after the noise, beside the unbiased ones: non-negative, and in whole numbers. Each says what it is.

use disclosure::core::AttrSet;
use disclosure::resplan::{Adjusted, ExactNoise, PostProcessing};
use ndarray::ArrayD;
use privacy_data::{CsvField, CsvWriter, OutputDir, combinations};
use serde::{Deserialize, Serialize};

use super::names::AnswerNames;
use super::outputs::{FileRecord, write_file};
use super::table::{ESTIMATE, VALUE, rounded};
use crate::error::Failure;
use crate::files::file_name;

/// What else is made of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum After {
    /// Cells of at least 0 that still add up to each other.
    Nonnegative,
    /// Those in whole numbers.
    Rounded,
}

impl After {
    /// What the names of its files begin with.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Nonnegative => "nonnegative",
            Self::Rounded => "rounded",
        }
    }

    fn answers(
        self,
        adjusted: &Adjusted<'_, ExactNoise>,
        set: AttrSet,
    ) -> Result<(ArrayD<f64>, PostProcessing), Failure> {
        Ok(match self {
            Self::Nonnegative => {
                let marginal = adjusted.marginal(set)?;
                (marginal.values, marginal.label)
            }
            Self::Rounded => {
                let marginal = adjusted.rounded(set)?;
                (marginal.values, marginal.label)
            }
        })
    }

    fn number(self, value: f64, unit: f64) -> CsvField<'static> {
        match self {
            // Weighted queries of whole cells need not be whole.
            Self::Rounded if value.fract() == 0.0 => CsvField::Integer(value as i128),
            _ => CsvField::Real(rounded(value, unit)),
        }
    }

    /// Writes every planned marginal, as `NAME_NUMBER-names.csv`.
    pub(super) fn write(
        self,
        directory: &mut OutputDir,
        names: &AnswerNames,
        adjusted: &Adjusted<'_, ExactNoise>,
    ) -> Result<Vec<FileRecord>, Failure> {
        let plan = adjusted.measured().plan();
        let all = plan.marginals().len();
        let file = |(number, set): (usize, AttrSet)| {
            let attributes: Vec<String> = plan.domain().names(set).map(str::to_owned).collect();
            let name = format!("{}_{}", self.name(), file_name(number, all, &attributes));
            let (values, label) = self.answers(adjusted, set)?;
            let (unit, label) = (plan.max_variance(set)?.sqrt(), label.to_string());
            let mut record = write_file(directory, name, |out| {
                let columns = attributes.iter().map(String::as_str).chain([VALUE, ESTIMATE]);
                let mut table = CsvWriter::new(out, columns)?;
                combinations(names.axes(set)).zip(&values).try_for_each(|(of, &value)| {
                    let fields = [self.number(value, unit), CsvField::Text(&label)];
                    table.line(of.into_iter().map(CsvField::Text).chain(fields))
                })
            })?;
            record.attributes = Some(attributes);
            record.answers = Some(values.len());
            record.estimate = Some(label);
            Ok(record)
        };
        plan.marginals().map(|marginal| marginal.attributes).enumerate().map(file).collect()
    }
}
