//! Whether counts can be those of reports that clients of a schema made.
//!
//! A report about a feature of generalised response, or of a joint symbol with more than two
//! values, supports exactly one of its values, one of subset selection as many as the schema says
//! (`w` below; 1 otherwise), a report that supports a value covers its feature, and every report
//! covers as many features as the schema says. So, in every kind of state, with `c` the counts and
//! `v` the values of such a feature `f`,
//!
//! ```text
//! sum over v of c(S + v) = w c(S + f)   S any set of columns of other features, f its coverage
//! c(S + v + u) = 0                      two values, where w is 1
//! c(S + v) = c(S + v + f)               sampled features
//! sum over f of c(f) = N s              s features of every report
//! ```
//!
//! A report of a parity schema is about one question `S`: with `a(S)` the counts of its answer,
//!
//! ```text
//! sum over S of c(S) = N,   c(a(S), S) = c(a(S)) <= c(S),   any others together 0
//! ```

use crate::store::position;
use crate::tally::{Kept, Tally};
use ldp_client::{ReportReader, Schema};

/// Whether a state may hold these counts under this schema; the columns are as many as the schema
/// stores.
pub(crate) fn is_possible(tally: &Tally, schema: &Schema, reader: &ReportReader) -> bool {
    match &tally.kept {
        Kept::Reports(slices) => {
            let rows = slices.to_rows();
            rows.chunks(tally.columns.div_ceil(64)).all(|row| reader.check_support(row).is_ok())
        }
        // A cell of a full table is a report: at most 20 columns are a word.
        Kept::Full(histogram) => {
            let mut cells = (0_u64..).zip(histogram).filter(|(_, count)| **count > 0);
            cells.all(|(cell, _)| reader.check_support(&[cell]).is_ok())
        }
        Kept::UpTo { order, counts } if schema.parities().is_some() => {
            are_of_questions(tally.columns / 2, *order, tally.reports, counts)
        }
        Kept::UpTo { order, counts } => {
            let mut sums = Sums { tally, schema, order: *order, counts, constrained: Vec::new() };
            // Bits of other protocols are free, unless they say that a feature is covered.
            let is_constrained = |feature: &usize| schema.is_sampled() || sums.supported(*feature).is_some();
            sums.constrained = (0..schema.features().len()).filter(is_constrained).collect();
            sums.are_possible()
        }
    }
}

/// Whether these can be the counts of reports about one of this number of questions each.
fn are_of_questions(questions: usize, order: usize, reports: u64, counts: &[u64]) -> bool {
    let (singles, rest) = counts.split_at(2 * questions);
    let (answers, about) = singles.split_at(questions);
    let asked: u128 = about.iter().map(|&count| u128::from(count)).sum();
    if asked != u128::from(reports) || !answers.iter().zip(about).all(|(answers, about)| answers <= about) {
        return false;
    }
    // Of larger sets only an answer with its question comes together.
    let together: Vec<usize> = if order < 2 {
        Vec::new()
    } else {
        (0..questions).map(|s| position(2 * questions, &[s, questions + s])).collect()
    };
    let is_together = together.iter().zip(answers).all(|(&at, &answers)| counts[at] == answers);
    let all: u128 = rest.iter().map(|&count| u128::from(count)).sum();
    let expected: u128 = if order < 2 { 0 } else { answers.iter().map(|&count| u128::from(count)).sum() };
    is_together && all == expected
}

/// Counts of all sets up to an order.
struct Sums<'a> {
    tally: &'a Tally,
    schema: &'a Schema,
    order: usize,
    counts: &'a [u64],
    /// Features whose counts obey a sum.
    constrained: Vec<usize>,
}

impl Sums<'_> {
    fn are_possible(&self) -> bool {
        self.covers_as_many_features() && self.sums_hold(&mut Vec::new())
    }

    /// The count of a set of stored columns in any order, none twice.
    fn count(&self, set: &[usize]) -> u64 {
        let mut set = set.to_vec();
        set.sort_unstable();
        if set.is_empty() { self.tally.reports } else { self.counts[position(self.tally.columns, &set)] }
    }

    /// The stored column of a feature's coverage, if features are sampled.
    fn coverage(&self, feature: usize) -> Option<usize> {
        self.schema.is_sampled().then(|| self.schema.columns().len() + feature)
    }

    fn covers_as_many_features(&self) -> bool {
        let covered: Option<Vec<usize>> = (0..self.schema.features().len()).map(|f| self.coverage(f)).collect();
        let Some(covered) = covered else { return true };
        let total: u128 = covered.iter().map(|&column| u128::from(self.count(&[column]))).sum();
        total == u128::from(self.tally.reports) * self.schema.features_per_person() as u128
    }

    /// The sums of every feature with a set, and with all longer sets that begin with it: as far as
    /// their counts are kept.
    fn sums_hold(&self, set: &mut Vec<usize>) -> bool {
        let mut features = self.constrained.iter().filter(|&&feature| self.is_apart(set, feature));
        if !features.all(|&feature| self.sum_holds(set, feature)) {
            return false;
        }
        if set.len() + 1 >= self.order || self.constrained.is_empty() {
            return true;
        }
        let first = set.last().map_or(0, |last| last + 1);
        (first..self.tally.columns).all(|column| {
            set.push(column);
            let holds = self.sums_hold(set);
            set.pop();
            holds
        })
    }

    /// How many values every report about a feature supports, where that is always the same.
    fn supported(&self, feature: usize) -> Option<usize> {
        self.schema.features()[feature].supported()
    }

    /// Whether a set says nothing about a feature.
    fn is_apart(&self, set: &[usize], feature: usize) -> bool {
        let (own, coverage) = (self.schema.columns_of(feature), self.coverage(feature));
        set.iter().all(|column| !own.contains(column) && Some(*column) != coverage)
    }

    fn sum_holds(&self, set: &[usize], feature: usize) -> bool {
        let (values, coverage) = (self.schema.columns_of(feature), self.coverage(feature));
        let supported = self.supported(feature);
        let covering = coverage.map_or_else(|| self.count_with(set, &[]), |coverage| self.count_with(set, &[coverage]));
        let total: u128 = values.clone().map(|value| u128::from(self.count_with(set, &[value]))).sum();
        if supported.is_some_and(|supported| total != u128::from(covering) * supported as u128) {
            return false;
        }
        if set.len() + 2 > self.order {
            return true;
        }
        values.clone().all(|value| {
            let excludes = || (values.start..value).all(|other| self.count_with(set, &[other, value]) == 0);
            self.is_covered(set, value, coverage) && (supported != Some(1) || excludes())
        })
    }

    /// Whether every report that supports a value covers its feature.
    fn is_covered(&self, set: &[usize], value: usize, coverage: Option<usize>) -> bool {
        let covered = |coverage| self.count_with(set, &[value, coverage]) == self.count_with(set, &[value]);
        coverage.is_none_or(covered)
    }

    /// The count of a set with these columns added.
    fn count_with(&self, set: &[usize], others: &[usize]) -> u64 {
        self.count(&[set, others].concat())
    }
}
