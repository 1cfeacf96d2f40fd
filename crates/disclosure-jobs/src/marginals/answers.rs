//! The answers about one marginal as lines: what they count, the number, its error.

mod parquet;

use std::io::{self, Write};

use disclosure::privacy_core::AttrSet;
use disclosure::privacy_core::stop::StopFlag;
use disclosure::resplan::{Design, MarginOfError, NoisyMarginal};
use privacy_data::{CsvField, CsvLines, Decimals, TableFormat, combinations, csv_fields, csv_line};
use serde::{Deserialize, Serialize};

use super::columns::ANSWER_COLUMNS;
use super::names::AnswerNames;
use super::plan_document::{level, names};
use crate::error::JobError;

/// What an answer is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AnswerStatus {
    /// It contains exact noise.
    Noised,
    /// It is the same for all neighbouring tables, and has no noise.
    Exact,
    /// It contains simulated noise.
    Simulated,
}

impl AnswerStatus {
    fn name(self) -> &'static str {
        match self {
            Self::Noised => "noised",
            Self::Exact => "exact",
            Self::Simulated => "simulated",
        }
    }

    fn reason(self) -> &'static str {
        match self {
            Self::Noised => "discrete Gaussian noise",
            Self::Exact => "the same for all neighbouring tables",
            Self::Simulated => "simulated noise: not for publication",
        }
    }
}

/// One answer with its error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnswerLine {
    /// What it counts: a name along each attribute.
    #[serde(rename = "of")]
    pub names: Vec<String>,
    /// The number, in counts.
    pub value: f64,
    /// Its standard deviation, in counts.
    pub sd: f64,
    /// Lower end of its 95 % interval.
    pub ci95_low: f64,
    /// Upper end of its 95 % interval.
    pub ci95_high: f64,
    /// What it is worth.
    pub status: AnswerStatus,
}

/// The numbers of the answers of one marginal, each as one list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnswerColumns {
    /// The numbers, in counts.
    pub values: Vec<f64>,
    /// Their standard deviations, in counts.
    pub sds: Vec<f64>,
    /// Lower ends of 95 % intervals.
    pub lows: Vec<f64>,
    /// Upper ends of 95 % intervals.
    pub highs: Vec<f64>,
    /// What each is worth.
    pub statuses: Vec<AnswerStatus>,
}

/// The answers of one marginal, with what it takes to say how good they are.
#[derive(Debug)]
pub struct Answers<'a> {
    plan: &'a Design,
    names: &'a AnswerNames,
    marginal: NoisyMarginal,
    interval: MarginOfError,
    /// The status of answers with noise.
    noised: AnswerStatus,
    total_is_exact: bool,
}

impl<'a> Answers<'a> {
    pub(super) fn new(
        plan: &'a Design,
        names: &'a AnswerNames,
        marginal: NoisyMarginal,
        noised: AnswerStatus,
    ) -> Result<Self, JobError> {
        let interval = plan.margin_of_error(marginal.attributes, level())?;
        let total_is_exact = plan.residuals().next().is_some_and(|(_, sigma2)| sigma2.is_zero());
        Ok(Self { plan, names, marginal, interval, noised, total_is_exact })
    }

    /// The names of its attributes.
    #[must_use]
    pub fn attributes(&self) -> Vec<String> {
        names(self.plan, self.set())
    }

    fn set(&self) -> AttrSet {
        self.marginal.attributes
    }

    /// How many answers there are: at least one.
    #[expect(clippy::len_without_is_empty, reason = "a marginal has at least one answer")]
    #[must_use]
    pub fn len(&self) -> usize {
        self.marginal.values.len()
    }

    /// The largest standard deviation, in counts.
    pub(super) fn largest_sd(&self) -> f64 {
        self.marginal.variances.max().sqrt()
    }

    /// The names along each attribute: answers are named by their combinations, in row-major order.
    #[must_use]
    pub fn axes(&self) -> Vec<&[String]> {
        self.names.axes(self.set())
    }

    /// The numbers of every answer, in row-major order: the same as in [`lines`](Self::lines),
    /// without a name for each.
    #[must_use]
    pub fn columns(&self) -> AnswerColumns {
        let mut columns = AnswerColumns::default();
        let exact = self.exact_scale();
        for (index, &value) in self.marginal.values.iter().enumerate() {
            let (Numbers { value, sd, low, high }, status) = self.numbers(index, value, &exact);
            columns.values.push(value);
            columns.sds.push(sd);
            columns.lows.push(low);
            columns.highs.push(high);
            columns.statuses.push(status);
        }
        columns
    }

    /// Every answer, in row-major order.
    pub fn lines(&self) -> impl Iterator<Item = AnswerLine> {
        self.rows().map(|(names, (numbers, status))| numbers.line(&names, status))
    }

    /// The answer at an index in row-major order, or every answer.
    pub fn lines_at(&self, index: Option<usize>) -> impl Iterator<Item = AnswerLine> {
        let (first, many) = index.map_or((0, usize::MAX), |index| (index, 1));
        self.rows().skip(first).take(many).map(|(names, (numbers, status))| numbers.line(&names, status))
    }

    /// Writes them: many millions of lines. The flag hears how many.
    pub(super) fn write(&self, format: TableFormat, out: impl Write, stop: &StopFlag) -> io::Result<()> {
        match format {
            TableFormat::Csv => self.write_csv(out, stop),
            TableFormat::Parquet => self.write_parquet(out, stop),
        }
    }

    fn write_csv(&self, out: impl Write, stop: &StopFlag) -> io::Result<()> {
        let mut lines = CsvLines::new(out);
        lines.end(&csv_line(self.plan.domain().names(self.set()).chain(ANSWER_COLUMNS).map(CsvField::Text)))?;
        let axes: Vec<Vec<String>> = self.names.axes(self.set()).into_iter().map(quoted).collect();
        let nothing = [String::new()];
        let (last, others) = match axes.split_last() {
            Some((last, others)) => (last.as_slice(), others),
            None => (&nothing[..], &[][..]),
        };
        let mut form = AnswerForm::new(AnswerScale::new(self, f64::NAN), self.noised);
        let exact = AnswerForm::new(self.exact_scale(), AnswerStatus::Exact);
        let mut answers = self.marginal.values.iter().enumerate();
        for labels in combinations(others.iter().map(|names| texts(names)).collect()) {
            let begun = labels.concat();
            for (label, (index, &value)) in last.iter().zip(answers.by_ref()) {
                lines.push(&begun);
                lines.push(label);
                let variance = self.marginal.variances.at(index);
                // Most tables have one variance for many answers.
                if variance.to_bits() != form.scale.variance.to_bits() {
                    form = AnswerForm::new(AnswerScale::new(self, variance), self.noised);
                }
                let form = if self.is_exact(index, variance) { &exact } else { &form };
                form.write(&mut lines, value)?;
            }
            stop.advance(last.len() as u64);
        }
        lines.finish()
    }

    /// Whether an answer has no noise. The variance of a total without noise is 0 up to rounding.
    fn is_exact(&self, index: usize, variance: f64) -> bool {
        variance == 0.0 || (self.total_is_exact && self.names.counts_all(self.set(), index))
    }

    /// The names and the numbers of every answer: a table may have millions, and names are
    /// shared.
    fn rows(&self) -> impl Iterator<Item = (Vec<&str>, (Numbers, AnswerStatus))> {
        let exact = self.exact_scale();
        let names = combinations(self.names.axes(self.set()).into_iter().map(texts).collect());
        let rows = names.zip(&self.marginal.values).enumerate();
        rows.map(move |(index, (names, &value))| (names, self.numbers(index, value, &exact)))
    }

    fn numbers(&self, index: usize, value: f64, exact: &AnswerScale) -> (Numbers, AnswerStatus) {
        let variance = self.marginal.variances.at(index);
        match self.is_exact(index, variance) {
            true => (exact.numbers(value), AnswerStatus::Exact),
            false => (AnswerScale::new(self, variance).numbers(value), self.noised),
        }
    }

    /// What answers without noise have in common: as many digits as the least certain answer.
    fn exact_scale(&self) -> AnswerScale {
        AnswerScale { variance: 0.0, sd: 0.0, half_width: 0.0, decimals: decimals(self.largest_sd()) }
    }
}

/// Labels as fields, quoted once, each with the comma that follows it.
/// Names as they are combined.
pub(super) fn texts(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).collect()
}

fn quoted(labels: &[String]) -> Vec<String> {
    labels.iter().map(|label| csv_fields([CsvField::Text(label)])).collect()
}

/// What all answers of one variance have in common.
struct AnswerScale {
    variance: f64,
    sd: f64,
    half_width: f64,
    decimals: Decimals,
}

impl AnswerScale {
    fn new(answers: &Answers<'_>, variance: f64) -> Self {
        let sd = variance.sqrt();
        Self { variance, sd, half_width: answers.interval.half_width(variance), decimals: decimals(sd) }
    }

    fn numbers(&self, value: f64) -> Numbers {
        let [value, sd, low, high] = [value, self.sd, value - self.half_width, value + self.half_width]
            .map(|number| self.decimals.round(number));
        Numbers { value, sd, low, high }
    }
}

/// What their lines have in common.
struct AnswerForm {
    scale: AnswerScale,
    /// The standard deviation, with its comma.
    sd: String,
    /// The words at the end of the line.
    words: String,
}

impl AnswerForm {
    fn new(scale: AnswerScale, status: AnswerStatus) -> Self {
        Self {
            sd: csv_fields([CsvField::Real(scale.decimals.round(scale.sd))]),
            words: csv_line([status.name(), status.reason()].map(CsvField::Text)),
            scale,
        }
    }

    fn write(&self, lines: &mut CsvLines<'_>, value: f64) -> io::Result<()> {
        let AnswerScale { half_width, decimals, .. } = self.scale;
        lines.push_number(value, decimals);
        lines.push(&self.sd);
        lines.push_number(value - half_width, decimals);
        lines.push_number(value + half_width, decimals);
        lines.end(&self.words)
    }
}

/// The numbers of one answer, rounded to what its error needs.
struct Numbers {
    value: f64,
    sd: f64,
    low: f64,
    high: f64,
}

impl Numbers {
    fn line(self, names: &[&str], status: AnswerStatus) -> AnswerLine {
        let Self { value, sd, low, high } = self;
        let names = names.iter().map(|&name| name.to_owned()).collect();
        AnswerLine { names, value, sd, ci95_low: low, ci95_high: high, status }
    }
}

/// A number rounded to a power of ten that is at most a millionth of its standard deviation.
///
/// Digits far below the noise carry no information, and they would make the tables of one release
/// disagree in their last places.
pub(crate) fn rounded(number: f64, sd: f64) -> f64 {
    decimals(sd).round(number)
}

/// The decimals that a number with this standard deviation is rounded to; all without one.
fn decimals(sd: f64) -> Decimals {
    match sd > 0.0 {
        true => Decimals::new((6.0 - sd.log10()).floor().clamp(0.0, 15.0) as u32),
        false => Decimals::ALL,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_what_their_error_needs() {
        assert_eq!(rounded(12.345_678_901_234, 2.0), 12.345_68);
        assert_eq!(rounded(-0.000_000_1, 2.0).to_string(), "0");
        assert_eq!(rounded(12.345_678_901_234, 2e6), 12.0);
        assert_eq!(rounded(7.0, 0.0), 7.0);
    }
}
