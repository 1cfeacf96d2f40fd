//! The answers about one marginal as columns: the same numbers as in the lines, to the bit.

use std::io::{self, Write};
use std::ops::Range;

use disclosure::privacy_core::stop::StopFlag;
use privacy_data::{ColumnKind, GROUP_ROWS, ParquetColumn, ParquetFile, ParquetLabels};

use super::{AnswerScale, AnswerStatus, Answers, Numbers};
use crate::marginals::columns::ANSWER_COLUMNS;

/// The kinds of [`ANSWER_COLUMNS`].
const KINDS: [ColumnKind; 6] =
    [ColumnKind::Real, ColumnKind::Real, ColumnKind::Real, ColumnKind::Real, ColumnKind::Text, ColumnKind::Text];

impl Answers<'_> {
    /// Writes them as Parquet, a group of rows at a time. The flag hears how many.
    pub(super) fn write_parquet(&self, out: impl Write, stop: &StopFlag) -> io::Result<()> {
        let attributes = self.plan.domain().names(self.set()).map(|name| (name, ColumnKind::Text));
        let mut file = ParquetFile::new(out, attributes.chain(ANSWER_COLUMNS.into_iter().zip(KINDS)))?;
        let axes = self.names.axes(self.set());
        let labels: Vec<ParquetLabels> = axes.iter().map(|axis| ParquetLabels::new(*axis)).collect();
        let statuses = [self.noised, AnswerStatus::Exact];
        let words = [statuses.map(AnswerStatus::name), statuses.map(AnswerStatus::reason)].map(ParquetLabels::new);
        let mut group = Group { codes: vec![Vec::new(); axes.len()], ..Group::default() };
        for first in (0..self.len()).step_by(GROUP_ROWS) {
            let rows = first..self.len().min(first + GROUP_ROWS);
            group.fill_codes(&axes, rows.clone());
            group.fill_numbers(self, rows.clone());
            let coded = labels.iter().zip(&group.codes).map(|(labels, codes)| ParquetColumn::Labels(labels, codes));
            let numbers = group.numbers.iter().map(|numbers| ParquetColumn::Reals(numbers));
            let worth = words.iter().map(|words| ParquetColumn::Labels(words, &group.statuses));
            file.write_group(&coded.chain(numbers).chain(worth).collect::<Vec<_>>())?;
            stop.advance(rows.len() as u64);
        }
        file.finish()
    }
}

/// Rows that are written together.
#[derive(Default)]
struct Group {
    /// What each attribute is, by the place of its name.
    codes: Vec<Vec<u32>>,
    /// The number, its standard deviation, the ends of its interval.
    numbers: [Vec<f64>; 4],
    /// 0 with noise, 1 without.
    statuses: Vec<u32>,
}

impl Group {
    /// The last attribute is the fastest.
    fn fill_codes(&mut self, axes: &[&[String]], rows: Range<usize>) {
        let mut stride = 1;
        for (codes, axis) in self.codes.iter_mut().zip(axes).rev() {
            codes.clear();
            codes.extend(rows.clone().map(|row| (row / stride % axis.len()) as u32));
            stride *= axis.len();
        }
    }

    fn fill_numbers(&mut self, answers: &Answers<'_>, rows: Range<usize>) {
        self.numbers.iter_mut().for_each(Vec::clear);
        self.statuses.clear();
        let exact = answers.exact_scale();
        let mut scale = AnswerScale::new(answers, f64::NAN);
        for (index, &value) in rows.clone().zip(answers.marginal.values.iter().skip(rows.start)) {
            let variance = answers.marginal.variances.at(index);
            if variance.to_bits() != scale.variance.to_bits() {
                scale = AnswerScale::new(answers, variance);
            }
            let is_exact = answers.is_exact(index, variance);
            let Numbers { value, sd, low, high } = if is_exact { &exact } else { &scale }.numbers(value);
            self.numbers.iter_mut().zip([value, sd, low, high]).for_each(|(column, number)| column.push(number));
            self.statuses.push(u32::from(is_exact));
        }
    }
}
