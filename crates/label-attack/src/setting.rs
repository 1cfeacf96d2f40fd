//! What the data looks like, and what is released about it.
//!
//! `R` rows, `D_j` values of column `j`, `pi_r` share of class `r`, `T` threshold, `e` noise:
//! seed notation.

use privacy_core::AttrSet;

use crate::error::Error;

/// The law of one known column.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// This number of values, all equally frequent; at most 2^32.
    Uniform(u64),
    /// Values with these shares, which need not add up to 1.
    Shares(Vec<f64>),
}

/// How the known columns of the rows come about.
#[derive(Clone, Debug, PartialEq)]
pub enum Features {
    /// Rows are independent, and so are columns; entry `j` is the law of column `j`.
    Independent(Vec<Values>),
    /// All rows differ: a uniform draw of distinct combinations; entry `j` is the number of
    /// values of column `j`.
    Distinct(Vec<u32>),
}

impl Features {
    /// Independent rows whose columns have this many values each, all equally frequent.
    #[must_use]
    pub fn uniform(cardinalities: &[u32]) -> Self {
        Self::Independent(cardinalities.iter().map(|&values| Values::Uniform(u64::from(values))).collect())
    }

    /// How many known columns there are.
    #[must_use]
    pub fn columns(&self) -> usize {
        match self {
            Self::Independent(laws) => laws.len(),
            Self::Distinct(cardinalities) => cardinalities.len(),
        }
    }
}

/// A distribution of tables: known columns, and a label drawn for each row.
#[derive(Clone, Debug, PartialEq)]
pub struct Population {
    pub(crate) rows: usize,
    pub(crate) features: Features,
    pub(crate) shares: Vec<f64>,
}

impl Population {
    /// `rows` rows with these known columns, and a label drawn independently with these class
    /// shares, which are scaled to add up to 1.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::TooManyColumns`], [`Error::BadClasses`], [`Error::BadShares`],
    /// and [`Error::TooFewCombinations`] for distinct rows.
    pub fn new(rows: usize, features: Features, class_shares: &[f64]) -> Result<Self, Error> {
        let columns = features.columns();
        if rows == 0 || columns == 0 {
            return Err(Error::Empty { rows, columns });
        }
        if columns > AttrSet::MAX_ATTRIBUTES {
            return Err(Error::TooManyColumns { columns });
        }
        match &features {
            Features::Independent(all) => {
                for (column, values) in all.iter().enumerate() {
                    check_values(values, column)?;
                }
            }
            Features::Distinct(cardinalities) => {
                let product = cardinalities.iter().try_fold(1_u64, |all, &values| all.checked_mul(u64::from(values)));
                let combinations = product.unwrap_or(u64::MAX);
                if combinations < rows as u64 {
                    return Err(Error::TooFewCombinations { rows, combinations });
                }
            }
        }
        Ok(Self { rows, features, shares: class_shares_of(class_shares)? })
    }

    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Share of each class; they add up to 1.
    #[must_use]
    pub fn class_shares(&self) -> &[f64] {
        &self.shares
    }
}

/// Shares of classes, scaled to add up to 1.
pub(crate) fn class_shares_of(shares: &[f64]) -> Result<Vec<f64>, Error> {
    if !(2..=256).contains(&shares.len()) {
        return Err(Error::BadClasses { classes: shares.len() });
    }
    check_shares(shares, || "classes".to_owned())?;
    let sum: f64 = shares.iter().sum();
    Ok(shares.iter().map(|share| share / sum).collect())
}

fn check_values(values: &Values, column: usize) -> Result<(), Error> {
    match values {
        Values::Uniform(1..=0x1_0000_0000) => Ok(()),
        Values::Uniform(_) => Err(Error::BadShares { of: column_name(column) }),
        Values::Shares(shares) => check_shares(shares, || column_name(column)),
    }
}

fn column_name(column: usize) -> String {
    format!("column {column}")
}

fn check_shares(shares: &[f64], of: impl FnOnce() -> String) -> Result<(), Error> {
    let sum: f64 = shares.iter().sum();
    let good = shares.iter().all(|&share| share >= 0.0) && sum > 0.0 && sum < f64::INFINITY;
    if good { Ok(()) } else { Err(Error::BadShares { of: of() }) }
}

/// What decides whether a count is withheld.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suppression {
    /// The count itself: it is released when it is at least the threshold.
    PerClass,
    /// The rows that match the query: all their counts are released when the rows are at least
    /// the threshold.
    GroupSize,
}

/// Which counts are released, and with which noise: one count for each combination of values of
/// each set of columns in scope and each class.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelRelease {
    pub(crate) suppress_below: u64,
    pub(crate) noise: u64,
    /// What is compared with the threshold.
    pub suppression: Suppression,
    /// Whether noisy counts below 0 are published as 0.
    pub clamp_at_zero: bool,
    /// The most columns of a released table.
    pub max_order: Option<usize>,
    /// Whether the counts of the whole table are released.
    pub with_total: bool,
    /// The most tables that are released, those of few columns first.
    pub max_tables: Option<usize>,
}

impl LabelRelease {
    /// Counts of at least `suppress_below`, each with integer noise uniform on
    /// `-noise ..= noise`; over all sets of columns, the total too, negative numbers as they are.
    /// Change the public fields for anything else.
    ///
    /// # Errors
    /// [`Error::TooLarge`] for parameters above 2^32.
    pub fn new(suppress_below: u64, noise: u64) -> Result<Self, Error> {
        for (name, got) in [("suppress_below", suppress_below), ("noise", noise)] {
            if got > 1 << 32 {
                return Err(Error::TooLarge { name, got });
            }
        }
        Ok(Self {
            suppress_below,
            noise,
            suppression: Suppression::PerClass,
            clamp_at_zero: false,
            max_order: None,
            with_total: true,
            max_tables: None,
        })
    }

    /// Counts below this are withheld, `T`.
    #[must_use]
    pub fn suppress_below(&self) -> u64 {
        self.suppress_below
    }

    /// Noise is uniform on `-noise ..= noise`, `e`.
    #[must_use]
    pub fn noise(&self) -> u64 {
        self.noise
    }

    /// The sets of columns whose tables are released, the smallest first.
    pub(crate) fn tables(&self, columns: usize) -> impl Iterator<Item = AttrSet> {
        let orders = usize::from(!self.with_total)..=self.max_order.unwrap_or(columns).min(columns);
        let all = orders.flat_map(move |order| AttrSet::first(columns).subsets_of_size(order));
        all.take(self.max_tables.unwrap_or(usize::MAX))
    }

    /// How many tables that are, rounded where it is beyond exact numbers.
    pub(crate) fn number_of_tables(&self, columns: usize) -> f64 {
        let (mut of_order, mut sum) = (1.0, 0.0);
        for order in 0..=self.max_order.unwrap_or(columns).min(columns) {
            if order > 0 || self.with_total {
                sum += of_order;
            }
            of_order *= (columns - order) as f64 / (order + 1) as f64;
        }
        sum.min(self.max_tables.map_or(f64::INFINITY, |most| most as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_tables_is_that_of_the_tables() {
        for columns in 1..9 {
            for max_order in [None, Some(0), Some(2), Some(50)] {
                for with_total in [true, false] {
                    for max_tables in [None, Some(7)] {
                        let mut release = LabelRelease::new(3, 2).unwrap();
                        (release.max_order, release.with_total, release.max_tables) =
                            (max_order, with_total, max_tables);
                        assert_eq!(release.tables(columns).count() as f64, release.number_of_tables(columns).round());
                    }
                }
            }
        }
    }
}
