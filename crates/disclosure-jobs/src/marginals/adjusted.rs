//! Adjusted tables beside the unbiased ones: non-negative, and in whole numbers. Each says what
//! it is.

use std::io::{self, Write};

use disclosure::privacy_core::AttrSet;
use disclosure::resplan::{Adjusted, ExactNoise, PostProcessing};
use ndarray::ArrayD;
use privacy_data::{ColumnKind, CsvField, TableFormat, TableWriter, combinations};

use super::answers::{rounded, texts};
use super::columns::{ESTIMATE, VALUE};
use super::names::AnswerNames;
use super::plan_document::names;
use super::release_document::TableFile;
use super::spec::Adjustment;
use crate::document::file_name;
use crate::error::JobError;
use crate::sink::Sink;

/// Writes every planned marginal, as `NAME_NUMBER-names.csv` or `.parquet`.
pub(super) fn write(
    adjustment: Adjustment,
    sink: &mut dyn Sink,
    answer_names: &AnswerNames,
    adjusted: &Adjusted<'_, ExactNoise>,
    format: TableFormat,
) -> Result<Vec<TableFile>, JobError> {
    let plan = adjusted.measured().design();
    let all = plan.marginals().len();
    let mut files = Vec::with_capacity(all);
    for (number, marginal) in plan.marginals().enumerate() {
        let table = AdjustedTable::new(adjustment, adjusted, marginal.attributes)?;
        let name = format!("{}_{}", adjustment.name(), file_name(number, all, &table.attributes, format));
        let file = sink.write_with(&name, &mut |out| table.write(format, out, answer_names))?;
        files.push(TableFile {
            file,
            attributes: Some(table.attributes),
            answers: Some(table.values.len()),
            estimate: Some(table.label),
            sd: None,
        });
    }
    Ok(files)
}

/// One adjusted marginal.
struct AdjustedTable {
    adjustment: Adjustment,
    set: AttrSet,
    attributes: Vec<String>,
    values: ArrayD<f64>,
    label: String,
    /// Digits are those of the unbiased answer with the largest standard deviation.
    sd: f64,
}

impl AdjustedTable {
    fn new(adjustment: Adjustment, adjusted: &Adjusted<'_, ExactNoise>, set: AttrSet) -> Result<Self, JobError> {
        let plan = adjusted.measured().design();
        let (values, label) = values(adjustment, adjusted, set)?;
        let (attributes, sd) = (names(plan, set), plan.max_variance(set)?.sqrt());
        Ok(Self { adjustment, set, attributes, values, label: label.to_string(), sd })
    }

    fn write(&self, format: TableFormat, out: &mut dyn Write, answer_names: &AnswerNames) -> io::Result<()> {
        let attributes = self.attributes.iter().map(|name| (name.as_str(), ColumnKind::Text));
        let columns = attributes.chain([(VALUE, ColumnKind::Real), (ESTIMATE, ColumnKind::Text)]);
        let mut table = TableWriter::new(format, out, columns)?;
        combinations(answer_names.axes(self.set).into_iter().map(texts).collect()).zip(&self.values).try_for_each(
            |(names, &value)| {
                let fields = [self.field(value), CsvField::Text(&self.label)];
                table.line(names.into_iter().map(CsvField::Text).chain(fields))
            },
        )?;
        table.finish()
    }

    fn field(&self, value: f64) -> CsvField<'static> {
        match self.adjustment {
            // Weighted queries of whole cells need not be whole.
            Adjustment::Rounded if value.fract() == 0.0 => CsvField::Integer(value as i128),
            _ => CsvField::Real(rounded(value, self.sd)),
        }
    }
}

fn values(
    adjustment: Adjustment,
    adjusted: &Adjusted<'_, ExactNoise>,
    set: AttrSet,
) -> Result<(ArrayD<f64>, PostProcessing), JobError> {
    Ok(match adjustment {
        Adjustment::Nonnegative => {
            let marginal = adjusted.marginal(set)?;
            (marginal.values, marginal.label)
        }
        Adjustment::Rounded => {
            let marginal = adjusted.rounded(set)?;
            (marginal.values, marginal.label)
        }
    })
}
