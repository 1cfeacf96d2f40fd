//! What the rows of a table are drawn from: the values of each known column, and the classes of
//! the target.
//!
//! `q_jv` frequency of value v of column j, `pi_r` share of class r.

use crate::error::Error;

const MOST_CLASSES: usize = 256;
const MOST_VALUES: usize = 1 << 16;

/// A known column: how often each of its values occurs. Columns are independent of each other and
/// of the target.
#[derive(Clone, Debug, PartialEq)]
pub struct Column(Values);

#[derive(Clone, Debug, PartialEq)]
enum Values {
    Uniform(u64),
    Shares(Vec<f64>),
}

impl Column {
    /// A column of `cardinality` equally frequent values.
    ///
    /// # Errors
    /// [`Error::Cardinality`] for 0 and above 2^32.
    pub fn uniform(cardinality: u64) -> Result<Self, Error> {
        if (1..=1 << 32).contains(&cardinality) {
            Ok(Self(Values::Uniform(cardinality)))
        } else {
            Err(Error::Cardinality { cardinality })
        }
    }

    /// A column whose values occur in these proportions: shares, or counts. They are divided by
    /// their sum.
    ///
    /// # Errors
    /// [`Error::Shares`] for negative or unbounded numbers, for none above 0, and for more than
    /// 65,536.
    pub fn with_frequencies(weights: &[f64]) -> Result<Self, Error> {
        let shares = shares_of(weights, "frequencies of a column", MOST_VALUES)?;
        let present: Vec<f64> = shares.iter().copied().filter(|&share| share > 0.0).collect();
        if present.iter().all(|share| *share == present[0]) {
            return Self::uniform(present.len() as u64);
        }
        Ok(Self(Values::Shares(shares)))
    }

    /// How many values the column has. Values that never occur count only between others that are
    /// not equally frequent.
    #[must_use]
    pub fn cardinality(&self) -> u64 {
        match &self.0 {
            Values::Uniform(cardinality) => *cardinality,
            Values::Shares(shares) => shares.len() as u64,
        }
    }

    /// Whether all values are equally frequent.
    #[must_use]
    pub fn is_uniform(&self) -> bool {
        matches!(self.0, Values::Uniform(_))
    }

    /// How often this value occurs; 0 beyond the last.
    #[must_use]
    pub fn frequency(&self, value: u64) -> f64 {
        match &self.0 {
            Values::Uniform(cardinality) if value < *cardinality => 1.0 / *cardinality as f64,
            Values::Uniform(_) => 0.0,
            Values::Shares(shares) => usize::try_from(value).ok().and_then(|v| shares.get(v)).copied().unwrap_or(0.0),
        }
    }

    /// How a row matches: the frequencies that its value can have, rarest last, each with the
    /// share of rows that have such a value.
    pub(crate) fn kernel(&self) -> Vec<Match> {
        match &self.0 {
            Values::Uniform(cardinality) => vec![Match { share: 1.0, frequency: 1.0 / *cardinality as f64 }],
            Values::Shares(shares) => {
                let mut sorted: Vec<f64> = shares.iter().copied().filter(|&share| share > 0.0).collect();
                sorted.sort_by(|a, b| b.total_cmp(a));
                let same = sorted.chunk_by(|a, b| a == b);
                same.map(|run| Match { share: run.iter().sum(), frequency: run[0] }).collect()
            }
        }
    }
}

/// One way in which a row's value can be frequent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Match {
    /// Share of rows whose value is that frequent.
    pub(crate) share: f64,
    /// The frequency: the probability that another row has the same value.
    pub(crate) frequency: f64,
}

/// The classes of the target, and the share of each.
#[derive(Clone, Debug, PartialEq)]
pub struct Classes(Vec<f64>);

impl Classes {
    /// Classes of equal share.
    ///
    /// # Errors
    /// [`Error::ClassCount`] for none and above 256.
    pub fn equal(classes: usize) -> Result<Self, Error> {
        if (1..=MOST_CLASSES).contains(&classes) {
            Ok(Self(vec![1.0 / classes as f64; classes]))
        } else {
            Err(Error::ClassCount { classes })
        }
    }

    /// Classes in these proportions: shares, or counts. They are divided by their sum; a class
    /// may have share 0.
    ///
    /// # Errors
    /// [`Error::ClassCount`] for none and above 256, [`Error::Shares`] for what is not a share.
    pub fn with_shares(weights: &[f64]) -> Result<Self, Error> {
        if !(1..=MOST_CLASSES).contains(&weights.len()) {
            return Err(Error::ClassCount { classes: weights.len() });
        }
        shares_of(weights, "classes", MOST_CLASSES).map(Self)
    }

    /// How many classes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Never: there is at least one class.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The share of each class; they add up to 1.
    #[must_use]
    pub fn shares(&self) -> &[f64] {
        &self.0
    }

    /// The largest share: the accuracy of always guessing the most frequent class.
    #[must_use]
    pub fn largest_share(&self) -> f64 {
        self.0.iter().copied().fold(0.0, f64::max)
    }
}

fn shares_of(weights: &[f64], what: &'static str, most: usize) -> Result<Vec<f64>, Error> {
    let sum: f64 = weights.iter().sum();
    let are_weights = weights.iter().all(|&weight| weight >= 0.0);
    if !(are_weights && sum > 0.0 && sum < f64::INFINITY && weights.len() <= most) {
        return Err(Error::Shares { what, most });
    }
    Ok(weights.iter().map(|weight| weight / sum).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_law_is_refused() {
        assert!(matches!(Column::uniform(0), Err(Error::Cardinality { .. })));
        for bad in [vec![], vec![0.0], vec![-1.0, 2.0], vec![f64::NAN], vec![f64::INFINITY], vec![1.0; 1 << 17]] {
            assert!(matches!(Column::with_frequencies(&bad), Err(Error::Shares { .. })), "{} shares", bad.len());
        }
        assert!(matches!(Classes::with_shares(&[]), Err(Error::ClassCount { classes: 0 })));
        assert!(matches!(Classes::equal(257), Err(Error::ClassCount { .. })));
    }

    #[test]
    fn equal_frequencies_are_a_uniform_column_and_values_that_never_occur_do_not_matter() {
        let column = Column::with_frequencies(&[2.0, 0.0, 2.0]).unwrap();
        assert_eq!(column, Column::uniform(2).unwrap());
        let column = Column::with_frequencies(&[1.0, 2.0, 0.0, 1.0]).unwrap();
        let kernel = [Match { share: 0.5, frequency: 0.5 }, Match { share: 0.5, frequency: 0.25 }];
        assert_eq!(column.kernel(), kernel);
        assert_eq!((column.frequency(2), column.frequency(9)), (0.0, 0.0));
    }
}
