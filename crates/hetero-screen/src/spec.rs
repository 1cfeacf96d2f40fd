//! What is released, and about what kind of table: checked once.
//!
//! `R` rows, `D_j` values of known column j with frequencies `q_jv`, `pi_r` share of class r, `T` the threshold of
//! suppression, `e` the half-width of the noise.

use crate::error::Error;

/// Most known columns: the square of 2^500 is still an `f64`.
pub(crate) const MOST_COLUMNS: usize = 500;
const MOST_CLASSES: usize = 256;
const MOST_VALUES: usize = 1 << 16;

/// A known column: how often each of its values occurs. Columns are independent of each other and of the target.
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

    /// A column whose values occur in these proportions: shares, or counts. They are divided by their sum.
    ///
    /// # Errors
    /// [`Error::Shares`] for negative or unbounded numbers, for none above 0, and for more than 65,536.
    pub fn with_frequencies(weights: &[f64]) -> Result<Self, Error> {
        let shares = shares_of(weights, "frequencies of a column", MOST_VALUES)?;
        let present: Vec<f64> = shares.iter().copied().filter(|&share| share > 0.0).collect();
        if present.iter().all(|share| *share == present[0]) {
            return Self::uniform(present.len() as u64);
        }
        Ok(Self(Values::Shares(shares)))
    }

    /// How many values the column has. Values that never occur count only between others that are not equally frequent.
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

    /// How a row matches: the frequencies that its value can have, rarest last, each with the share of rows that have such
    /// a value.
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
    /// So many classes of equal share.
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

    /// Classes in these proportions: shares, or counts. They are divided by their sum; a class may have share 0.
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

/// What is withheld.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suppression {
    /// A class count of a query is released if it is at least this, `T`.
    ClassCount(u64),
    /// All class counts of a query are released if at least so many rows match it, `T`.
    GroupSize(u64),
}

impl Suppression {
    /// The threshold: what is below it is withheld.
    #[must_use]
    pub const fn below(self) -> u64 {
        match self {
            Self::ClassCount(below) | Self::GroupSize(below) => below,
        }
    }

    /// The same rule with another threshold.
    #[must_use]
    pub const fn with_threshold(self, below: u64) -> Self {
        match self {
            Self::ClassCount(_) => Self::ClassCount(below),
            Self::GroupSize(_) => Self::GroupSize(below),
        }
    }

    /// Whether a class count of `count` in a group of `size` rows is released.
    #[must_use]
    pub const fn releases(self, count: u64, size: u64) -> bool {
        match self {
            Self::ClassCount(below) => count >= below,
            Self::GroupSize(below) => size >= below,
        }
    }
}

/// The noise on every released count: uniform on the integers from `-half_width` to `half_width`, independent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Noise {
    /// `e`, in counts; 0 releases exact counts.
    pub half_width: u32,
    /// Whether noisy counts below 0 are shown as 0.
    pub is_clamped: bool,
}

impl Noise {
    /// Noise from `-half_width` to `half_width`, shown as it falls.
    #[must_use]
    pub const fn uniform(half_width: u32) -> Self {
        Self { half_width, is_clamped: false }
    }

    /// The same, with noisy counts below 0 shown as 0.
    #[must_use]
    pub const fn clamped(self) -> Self {
        Self { is_clamped: true, ..self }
    }

    /// How many values the noise can take, `2 e + 1`.
    #[must_use]
    pub fn values(self) -> f64 {
        2.0 * f64::from(self.half_width) + 1.0
    }
}

/// A release to be screened: every query that fixes the values of some known columns, answered with noisy class counts.
#[derive(Clone, Debug, PartialEq)]
pub struct ScreenSpec {
    rows: u64,
    columns: Vec<Column>,
    classes: Classes,
    suppression: Suppression,
    noise: Noise,
    max_order: usize,
    has_empty_query: bool,
}

impl ScreenSpec {
    /// Queries over every subset of the columns, the empty one among them.
    ///
    /// # Errors
    /// [`Error::Rows`], [`Error::Columns`], [`Error::Threshold`] and [`Error::Noise`].
    pub fn new(
        rows: u64,
        columns: Vec<Column>,
        classes: Classes,
        suppression: Suppression,
        noise: Noise,
    ) -> Result<Self, Error> {
        if !(2..=1 << 53).contains(&rows) {
            return Err(Error::Rows { rows });
        }
        if !(1..=MOST_COLUMNS).contains(&columns.len()) {
            return Err(Error::Columns { columns: columns.len() });
        }
        let max_order = columns.len();
        Self { rows, columns, classes, suppression, noise, max_order, has_empty_query: true }.checked()
    }

    fn checked(self) -> Result<Self, Error> {
        if self.suppression.below() > 1 << 32 {
            return Err(Error::Threshold { below: self.suppression.below() });
        }
        if self.noise.half_width > 1_000_000 {
            return Err(Error::Noise { half_width: self.noise.half_width.into() });
        }
        if self.max_order == 0 && !self.has_empty_query {
            return Err(Error::NoQuery);
        }
        Ok(self)
    }

    /// The same with queries over at most so many columns; more than there are means all.
    ///
    /// # Errors
    /// [`Error::NoQuery`] if nothing is left.
    pub fn with_max_order(self, max_order: usize) -> Result<Self, Error> {
        Self { max_order: max_order.min(self.columns.len()), ..self }.checked()
    }

    /// The same without the query that matches every row.
    ///
    /// # Errors
    /// [`Error::NoQuery`] if nothing is left.
    pub fn without_empty_query(self) -> Result<Self, Error> {
        Self { has_empty_query: false, ..self }.checked()
    }

    /// The same with another threshold.
    ///
    /// # Errors
    /// [`Error::Threshold`] above 2^32.
    pub fn with_threshold(self, below: u64) -> Result<Self, Error> {
        Self { suppression: self.suppression.with_threshold(below), ..self }.checked()
    }

    /// The same with noise of another half-width.
    ///
    /// # Errors
    /// [`Error::Noise`] above a million.
    pub fn with_half_width(self, half_width: u32) -> Result<Self, Error> {
        let noise = Noise { half_width, ..self.noise };
        Self { noise, ..self }.checked()
    }

    /// Number of rows, `R`.
    #[must_use]
    pub const fn rows(&self) -> u64 {
        self.rows
    }

    /// The known columns.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The classes of the target.
    #[must_use]
    pub const fn classes(&self) -> &Classes {
        &self.classes
    }

    /// What is withheld.
    #[must_use]
    pub const fn suppression(&self) -> Suppression {
        self.suppression
    }

    /// The noise on every released count.
    #[must_use]
    pub const fn noise(&self) -> Noise {
        self.noise
    }

    /// The most columns that a query fixes; at most the number of columns.
    #[must_use]
    pub const fn max_order(&self) -> usize {
        self.max_order
    }

    /// Whether the query that matches every row is answered.
    #[must_use]
    pub const fn has_empty_query(&self) -> bool {
        self.has_empty_query
    }

    /// Whether queries over so many columns are answered.
    #[must_use]
    pub const fn answers_order(&self, order: usize) -> bool {
        order <= self.max_order && (order > 0 || self.has_empty_query)
    }

    /// How many subsets of the columns are queried, for each of which a row matches one query.
    #[must_use]
    pub fn subsets(&self) -> f64 {
        let columns = self.columns.len() as f64;
        let mut subsets = 1.0; // columns choose order
        let mut sum = 0.0;
        for order in 0..=self.max_order {
            if self.answers_order(order) {
                sum += subsets;
            }
            subsets *= (columns - order as f64) / (order as f64 + 1.0);
        }
        sum.round()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(cardinalities: &[u64]) -> ScreenSpec {
        let columns = cardinalities.iter().map(|&d| Column::uniform(d).unwrap()).collect();
        let (suppression, noise) = (Suppression::ClassCount(3), Noise::uniform(2));
        ScreenSpec::new(150, columns, Classes::equal(2).unwrap(), suppression, noise).unwrap()
    }

    #[test]
    fn what_cannot_be_is_refused() {
        assert!(matches!(Column::uniform(0), Err(Error::Cardinality { .. })));
        for bad in [vec![], vec![0.0], vec![-1.0, 2.0], vec![f64::NAN], vec![f64::INFINITY], vec![1.0; 1 << 17]] {
            assert!(matches!(Column::with_frequencies(&bad), Err(Error::Shares { .. })), "{} shares", bad.len());
        }
        assert!(matches!(Classes::with_shares(&[]), Err(Error::ClassCount { classes: 0 })));
        assert!(matches!(Classes::equal(257), Err(Error::ClassCount { .. })));
        let classes = || Classes::equal(2).unwrap();
        let new = |rows, columns| {
            ScreenSpec::new(rows, columns, classes(), Suppression::ClassCount(3), Noise::uniform(2)).unwrap_err()
        };
        assert!(matches!(new(1, vec![Column::uniform(2).unwrap()]), Error::Rows { rows: 1 }));
        assert!(matches!(new(5, vec![]), Error::Columns { columns: 0 }));
        assert!(matches!(new(5, vec![Column::uniform(2).unwrap(); 501]), Error::Columns { columns: 501 }));
        let nothing = spec(&[2, 3]).with_max_order(0).unwrap().without_empty_query();
        assert_eq!(nothing.unwrap_err(), Error::NoQuery);
        assert!(matches!(spec(&[2]).with_threshold((1 << 32) + 1), Err(Error::Threshold { .. })));
        assert!(matches!(spec(&[2]).with_half_width(1_000_001), Err(Error::Noise { .. })));
    }

    #[test]
    fn subsets_are_counted() {
        assert_eq!(spec(&[4; 30]).subsets(), f64::from(1 << 30));
        assert_eq!(spec(&[4; 30]).with_max_order(2).unwrap().subsets(), 1.0 + 30.0 + 435.0);
        assert_eq!(spec(&[4; 5]).without_empty_query().unwrap().subsets(), 31.0);
        assert!(spec(&[4; 500]).subsets().is_finite());
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
