//! What proves a bound: a table that attains it, and multipliers of rows that exclude anything beyond.
//!
//! With `s = +1` for an upper bound and `-1` for a lower one, `c` the indicator of the cells asked about, `A` the rows and
//! `y / D` the multipliers, every table of the fiber has
//!
//! ```text
//! (1)  D s c x = (D s c - y A) x + y (A x)
//!             <= sum_j max((D s c - y A)_j x_j over 0..=capacity_j) + sum_i max(y_i r over lower_i..=upper_i) .
//! ```
//!
//! So any multipliers prove some bound, and good ones a sharp one. Where whole numbers are needed, a tree of cases
//! `x_j <= v` or `x_j >= v + 1` is closed leaf by leaf with (1), or with (1) for `c = 0` and a negative right side:
//! nothing is there.

use std::collections::BTreeSet;

use crate::table::sparse_table::SparseTable;

/// Which end of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
pub enum Side {
    /// The least value.
    Lower,
    /// The largest value.
    Upper,
}

impl Side {
    /// `-1` for the lower end, `+1` for the upper.
    #[must_use]
    pub const fn sign(self) -> i64 {
        match self {
            Self::Lower => -1,
            Self::Upper => 1,
        }
    }
}

/// Multipliers `y / D` of rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dual {
    /// Row and numerator `y_i`; rows that are not listed have 0.
    pub multipliers: Vec<(usize, i64)>,
    /// The common denominator `D`, at least 1.
    pub denominator: i64,
}

impl Dual {
    pub(crate) fn integral(multipliers: Vec<(usize, i64)>) -> Self {
        Self { multipliers, denominator: 1 }
    }
}

/// A case distinction that proves a bound for whole numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tree {
    /// (1) gives the bound here.
    Bound(Dual),
    /// (1) with `c = 0` is negative: no table is here.
    Empty(Dual),
    /// Either the cell holds at most `at_most`, or it holds more.
    Split {
        /// The cell.
        cell: usize,
        /// The largest value of the first case.
        at_most: i64,
        /// The case of at most `at_most`.
        below: Box<Tree>,
        /// The case of at least `at_most + 1`.
        above: Box<Tree>,
    },
}

/// Why nothing lies beyond a bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// By the rows alone, rounded to a whole number.
    Dual(Dual),
    /// By cases, each closed by the rows.
    Tree(Tree),
}

impl Proof {
    /// The rows that the proof names: who is told all of them, knows the bound.
    pub(crate) fn rows(&self) -> BTreeSet<usize> {
        let mut rows = BTreeSet::new();
        match self {
            Self::Dual(dual) => rows.extend(dual.multipliers.iter().map(|&(row, _)| row)),
            Self::Tree(tree) => tree.collect_rows(&mut rows),
        }
        rows
    }
}

impl Tree {
    fn collect_rows(&self, rows: &mut BTreeSet<usize>) {
        match self {
            Self::Bound(dual) | Self::Empty(dual) => rows.extend(dual.multipliers.iter().map(|&(row, _)| row)),
            Self::Split { below, above, .. } => {
                below.collect_rows(rows);
                above.collect_rows(rows);
            }
        }
    }
}

/// A rational number in lowest terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Ratio {
    /// The numerator, which carries the sign.
    pub numerator: i64,
    /// The denominator, at least 1.
    pub denominator: i64,
}

impl Ratio {
    pub(crate) fn new(numerator: i64, denominator: i64) -> Self {
        let (mut a, mut b) = (numerator.unsigned_abs(), denominator.unsigned_abs());
        while b != 0 {
            (a, b) = (b, a % b);
        }
        let gcd = i64::try_from(a).expect("a divisor of a positive i64").max(1);
        Self { numerator: numerator / gcd, denominator: denominator / gcd }
    }

    pub(crate) fn whole(value: i64) -> Self {
        Self { numerator: value, denominator: 1 }
    }

    /// The largest whole number that is not above.
    #[must_use]
    pub fn floor(self) -> i64 {
        self.numerator.div_euclid(self.denominator)
    }

    /// The least whole number that is not below.
    #[must_use]
    pub fn ceil(self) -> i64 {
        -(-self.numerator).div_euclid(self.denominator)
    }
}

impl std::fmt::Display for Ratio {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.denominator {
            1 => self.numerator.fmt(f),
            denominator => write!(f, "{}/{denominator}", self.numerator),
        }
    }
}

/// A table of the fiber that shows what a class can hold.
#[derive(Clone)]
pub struct Witness {
    /// What the class holds in the table.
    pub value: i64,
    /// The table.
    pub table: SparseTable,
}

/// One end of an interval.
#[derive(Clone)]
#[non_exhaustive]
pub struct Bound {
    /// Nothing lies beyond this: proved.
    pub value: i64,
    /// The same over tables of real numbers, where a linear program was solved; else `value`.
    pub relaxed: Ratio,
    /// The proof of `value`, checked by [`verify`](crate::verify).
    pub proof: Proof,
    /// A table as far towards this end as was found.
    pub witness: Witness,
}

impl Bound {
    /// Whether the bound is attained. If not, the search ended at its limit.
    #[must_use]
    pub fn is_sharp(&self) -> bool {
        self.witness.value == self.value
    }
}

/// Counts are shown nowhere.
impl std::fmt::Debug for Witness {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Witness").finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Bound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bound").field("is_sharp", &self.is_sharp()).finish_non_exhaustive()
    }
}
