//! What is released, and about what kind of table: checked once.
//!
//! `R` rows, `T` the threshold of suppression, `e` the half-width of the noise.

use crate::error::Error;
use crate::laws::{Classes, Column};

/// Most known columns: the square of 2^500 is still an `f64`.
pub(crate) const MOST_COLUMNS: usize = 500;

/// Which counts are withheld.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suppression {
    /// A class count of a query is released if it is at least this, `T`.
    ClassCount(u64),
    /// All class counts of a query are released if at least this number of rows match it, `T`.
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
    ///
    /// ```
    /// use hetero_screen::Suppression;
    ///
    /// assert!(!Suppression::ClassCount(3).releases(2, 50)); // 2 people of a class, among 50
    /// assert!(Suppression::GroupSize(3).releases(2, 50));
    /// ```
    #[must_use]
    pub const fn releases(self, count: u64, size: u64) -> bool {
        match self {
            Self::ClassCount(below) => count >= below,
            Self::GroupSize(below) => size >= below,
        }
    }
}

/// The noise on every released count: uniform on the integers from `-half_width` to `half_width`,
/// independent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UniformNoise {
    /// `e`, in counts; 0 releases exact counts.
    pub half_width: u32,
    /// Whether noisy counts below 0 are shown as 0.
    pub is_clamped: bool,
}

impl UniformNoise {
    /// UniformNoise from `-half_width` to `half_width`, shown as it falls.
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

/// A release to be screened: every query that fixes the values of some known columns, answered
/// with noisy class counts.
#[derive(Clone, Debug, PartialEq)]
pub struct ScreenSpec {
    rows: u64,
    columns: Vec<Column>,
    classes: Classes,
    suppression: Suppression,
    noise: UniformNoise,
    max_order: usize,
    has_empty_query: bool,
}

impl ScreenSpec {
    /// Queries over every subset of the columns, the empty one among them.
    ///
    /// ```
    /// use hetero_screen::{Classes, Column, ScreenSpec, Suppression, UniformNoise};
    ///
    /// // 400 people, two known columns, a secret bit; counts below 3 are withheld, the others have noise
    /// // of at most 2.
    /// let columns = vec![Column::uniform(5)?, Column::with_frequencies(&[0.6, 0.4])?];
    /// let classes = Classes::with_shares(&[0.7, 0.3])?;
    /// let spec = ScreenSpec::new(400, columns, classes, Suppression::ClassCount(3), UniformNoise::uniform(2))?;
    /// assert_eq!(spec.subsets(), 4.0); // nobody, each column, both
    /// # Ok::<(), hetero_screen::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Rows`], [`Error::Columns`], [`Error::Threshold`] and [`Error::Noise`].
    pub fn new(
        rows: u64,
        columns: Vec<Column>,
        classes: Classes,
        suppression: Suppression,
        noise: UniformNoise,
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

    /// The same with queries over at most `max_order` columns; more than there are means all.
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
        let noise = UniformNoise { half_width, ..self.noise };
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

    /// Which counts are withheld.
    #[must_use]
    pub const fn suppression(&self) -> Suppression {
        self.suppression
    }

    /// The noise on every released count.
    #[must_use]
    pub const fn noise(&self) -> UniformNoise {
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

    /// Whether queries over `order` columns are answered.
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
        let (suppression, noise) = (Suppression::ClassCount(3), UniformNoise::uniform(2));
        ScreenSpec::new(150, columns, Classes::equal(2).unwrap(), suppression, noise).unwrap()
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let classes = || Classes::equal(2).unwrap();
        let new = |rows, columns| {
            ScreenSpec::new(rows, columns, classes(), Suppression::ClassCount(3), UniformNoise::uniform(2)).unwrap_err()
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
}
