//! The answers about one marginal as lines: what they count, the number, its error.

use std::io::{self, Write};

use disclosure::core::param::Probability;
use disclosure::core::{AttrSet, Domain};
use disclosure::resplan::{MarginOfError, NoisyMarginal, Plan};
use privacy_data::{CsvField, CsvWriter, combinations};
use serde::Serialize;

use super::names::AnswerNames;
use crate::error::Failure;

/// Level of every interval.
pub(super) const LEVEL: f64 = 0.95;

/// Columns after those of the attributes; no attribute may have their names.
const COLUMNS: [&str; 6] = [VALUE, "sd", "ci95_low", "ci95_high", "status", "reason"];
/// The first of them, and the one that says what a table after the noise is.
pub(super) const VALUE: &str = "value";
pub(super) const ESTIMATE: &str = "estimate";

/// Refuses attributes whose columns could not be told from those of the numbers.
pub(super) fn check_columns(domain: &Domain) -> Result<(), Failure> {
    match domain.names(domain.all()).find(|name| COLUMNS.contains(name) || *name == ESTIMATE) {
        Some(name) => Err(Failure::new("E0215", format!("attribute {name:?} has the name of a column of the outputs"))),
        None => Ok(()),
    }
}

/// The level of every interval.
pub(super) fn level() -> Probability {
    Probability::new(LEVEL).expect("a level is a probability")
}

/// What an answer is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Status {
    /// Exact noise is in it.
    Noised,
    /// It is the same for all neighbouring tables, and has no noise.
    Exact,
    /// Simulated noise is in it.
    Simulated,
}

impl Status {
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

/// One answer.
#[derive(Debug, Serialize)]
pub(super) struct Line<'a> {
    /// What it counts: a name along each attribute.
    pub(super) of: Vec<&'a str>,
    pub(super) value: f64,
    pub(super) sd: f64,
    pub(super) ci95_low: f64,
    pub(super) ci95_high: f64,
    pub(super) status: Status,
}

/// The answers of one marginal, with what it takes to say how good they are.
pub(super) struct Answers<'a> {
    plan: &'a Plan,
    names: &'a AnswerNames,
    marginal: NoisyMarginal,
    interval: MarginOfError,
    /// The status of answers with noise.
    noised: Status,
    total_is_exact: bool,
}

impl<'a> Answers<'a> {
    pub(super) fn new(
        plan: &'a Plan,
        names: &'a AnswerNames,
        marginal: NoisyMarginal,
        noised: Status,
    ) -> Result<Self, Failure> {
        let interval = plan.margin_of_error(marginal.attributes, level())?;
        let total_is_exact = plan.residuals().next().is_some_and(|(_, sigma2)| sigma2.is_zero());
        Ok(Self { plan, names, marginal, interval, noised, total_is_exact })
    }

    /// Its attributes.
    pub(super) fn attributes(&self) -> AttrSet {
        self.marginal.attributes
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.marginal.values.len()
    }

    /// The largest standard deviation, in counts.
    pub(super) fn largest_sd(&self) -> f64 {
        self.marginal.variances.max().sqrt()
    }

    /// Every answer, in row-major order.
    pub(super) fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        let set = self.attributes();
        let coarsest = self.largest_sd();
        let names = combinations(self.names.axes(set));
        names.zip(&self.marginal.values).enumerate().map(move |(place, (of, &value))| {
            let variance = self.marginal.variances.at(place);
            // The variance of a total without noise is 0 up to rounding.
            let exact = variance == 0.0 || (self.total_is_exact && self.names.counts_all(set, place));
            let (sd, half_width) =
                if exact { (0.0, 0.0) } else { (variance.sqrt(), self.interval.half_width(variance)) };
            let round = |number| rounded(number, if exact { coarsest } else { sd });
            Line {
                of,
                value: round(value),
                sd: round(sd),
                ci95_low: round(value - half_width),
                ci95_high: round(value + half_width),
                status: if exact { Status::Exact } else { self.noised },
            }
        })
    }

    /// The answer at a place, or every answer.
    pub(super) fn lines_at(&self, place: Option<usize>) -> impl Iterator<Item = Line<'_>> {
        let (first, many) = place.map_or((0, usize::MAX), |place| (place, 1));
        self.lines().skip(first).take(many)
    }

    /// Writes them as CSV, a line at a time.
    pub(super) fn write_csv(&self, out: impl Write) -> io::Result<()> {
        let names: Vec<&str> = self.plan.domain().names(self.attributes()).collect();
        let mut table = CsvWriter::new(out, names.into_iter().chain(COLUMNS))?;
        for Line { of, value, sd, ci95_low, ci95_high, status } in self.lines() {
            let numbers = [value, sd, ci95_low, ci95_high].map(CsvField::Real);
            let words = [status.name(), status.reason()].map(CsvField::Text);
            table.line(of.into_iter().map(CsvField::Text).chain(numbers).chain(words))?;
        }
        Ok(())
    }
}

/// Digits far below the noise say nothing and make the tables of one release disagree in their last places:
/// rounded to a power of ten at most a millionth of the standard deviation.
pub(super) fn rounded(number: f64, sd: f64) -> f64 {
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
