//! The answers about one marginal as lines: what they count, the number, its error.

use std::io::{self, Write};

use disclosure::privacy_core::AttrSet;
use disclosure::privacy_core::stop::StopFlag;
use disclosure::resplan::{Design, MarginOfError, NoisyMarginal};
use privacy_data::{CsvField, CsvWriter, combinations};
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
        let coarsest = self.largest_sd();
        for (index, &value) in self.marginal.values.iter().enumerate() {
            let Numbers { value, sd, low, high, status } = self.numbers(index, value, coarsest);
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
        self.rows().map(|(names, numbers)| numbers.line(&names))
    }

    /// The answer at an index in row-major order, or every answer.
    pub fn lines_at(&self, index: Option<usize>) -> impl Iterator<Item = AnswerLine> {
        let (first, many) = index.map_or((0, usize::MAX), |index| (index, 1));
        self.rows().skip(first).take(many).map(|(names, numbers)| numbers.line(&names))
    }

    /// Writes them as CSV, a line at a time; the flag hears how many.
    pub(super) fn write_csv(&self, out: impl Write, stop: &StopFlag) -> io::Result<()> {
        let columns: Vec<&str> = self.plan.domain().names(self.set()).collect();
        let mut table = CsvWriter::new(out, columns.into_iter().chain(ANSWER_COLUMNS))?;
        for (names, Numbers { value, sd, low, high, status }) in self.rows() {
            let numbers = [value, sd, low, high].map(CsvField::Real);
            let words = [status.name(), status.reason()].map(CsvField::Text);
            table.line(names.into_iter().map(CsvField::Text).chain(numbers).chain(words))?;
            stop.advance(1);
        }
        Ok(())
    }

    /// The names and the numbers of every answer: a table may have millions, and names are
    /// shared.
    fn rows(&self) -> impl Iterator<Item = (Vec<&str>, Numbers)> {
        let coarsest = self.largest_sd();
        let names = combinations(self.names.axes(self.set()));
        let rows = names.zip(&self.marginal.values).enumerate();
        rows.map(move |(index, (names, &value))| (names, self.numbers(index, value, coarsest)))
    }

    fn numbers(&self, index: usize, value: f64, coarsest: f64) -> Numbers {
        let variance = self.marginal.variances.at(index);
        // The variance of a total without noise is 0 up to rounding.
        let exact = variance == 0.0 || (self.total_is_exact && self.names.counts_all(self.set(), index));
        let (sd, half_width) = if exact { (0.0, 0.0) } else { (variance.sqrt(), self.interval.half_width(variance)) };
        let digits = if exact { coarsest } else { sd };
        Numbers {
            value: rounded(value, digits),
            sd: rounded(sd, digits),
            low: rounded(value - half_width, digits),
            high: rounded(value + half_width, digits),
            status: if exact { AnswerStatus::Exact } else { self.noised },
        }
    }
}

/// The numbers of one answer, rounded to what its error needs.
struct Numbers {
    value: f64,
    sd: f64,
    low: f64,
    high: f64,
    status: AnswerStatus,
}

impl Numbers {
    fn line(self, names: &[&str]) -> AnswerLine {
        let Self { value, sd, low, high, status } = self;
        let names = names.iter().map(|&name| name.to_owned()).collect();
        AnswerLine { names, value, sd, ci95_low: low, ci95_high: high, status }
    }
}

/// A number rounded to a power of ten that is at most a millionth of its standard deviation.
///
/// Digits far below the noise carry no information, and they would make the tables of one release
/// disagree in their last places.
pub(crate) fn rounded(number: f64, sd: f64) -> f64 {
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
    fn numbers_keep_what_their_error_needs() {
        assert_eq!(rounded(12.345_678_901_234, 2.0), 12.345_68);
        assert_eq!(rounded(-0.000_000_1, 2.0).to_string(), "0");
        assert_eq!(rounded(12.345_678_901_234, 2e6), 12.0);
        assert_eq!(rounded(7.0, 0.0), 7.0);
    }
}
