//! One end of an interval: its value, what proves it, and a table that shows how near counts come
//! to it.

use std::fmt;

use crate::proof::Proof;
use crate::table::SparseTable;

/// A rational number in lowest terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    /// The numerator, which carries the sign.
    pub numerator: i64,
    /// The denominator, at least 1.
    pub denominator: i64,
}

impl Ratio {
    /// The ratio in lowest terms.
    ///
    /// # Panics
    /// If the denominator is below 1.
    #[must_use]
    pub fn new(numerator: i64, denominator: i64) -> Self {
        assert!(denominator >= 1, "a denominator is at least 1");
        let (mut a, mut b) = (numerator.unsigned_abs(), denominator.unsigned_abs());
        while b != 0 {
            (a, b) = (b, a % b);
        }
        let gcd = i64::try_from(a).expect("a divisor of a positive i64").max(1);
        Self { numerator: numerator / gcd, denominator: denominator / gcd }
    }

    /// A whole number.
    #[must_use]
    pub fn whole(value: i64) -> Self {
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

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.denominator {
            1 => self.numerator.fmt(f),
            denominator => write!(f, "{}/{denominator}", self.numerator),
        }
    }
}

/// A table that satisfies the rows, and its sum over the cells of the claim.
#[derive(Clone, PartialEq, Eq)]
pub struct Witness {
    /// The sum over the cells of the claim.
    pub value: i64,
    /// The table.
    pub table: SparseTable,
}

/// One end of the interval of a sum over cells.
#[derive(Clone, PartialEq, Eq)]
pub struct Bound {
    /// The proved bound: no table that satisfies the rows has a sum beyond it.
    pub value: i64,
    /// The bound over tables of real numbers, where a linear program was solved; else `value`. It
    /// is information about how the bound was found, and is not checked.
    pub relaxed: Ratio,
    /// The proof of `value`.
    pub proof: Proof,
    /// The table nearest to this end that was found.
    pub witness: Witness,
}

impl Bound {
    /// Whether a table attains the bound. If not, the search ended at its limit.
    #[must_use]
    pub fn is_sharp(&self) -> bool {
        self.witness.value == self.value
    }
}

/// Shows no counts: the table may be the true one.
impl fmt::Debug for Witness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Witness").finish_non_exhaustive()
    }
}

/// Shows no counts.
impl fmt::Debug for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bound").field("is_sharp", &self.is_sharp()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_in_lowest_terms_and_round_both_ways() {
        let ratio = Ratio::new(-6, 4);
        assert_eq!((ratio, ratio.floor(), ratio.ceil()), (Ratio { numerator: -3, denominator: 2 }, -2, -1));
        assert_eq!(format!("{ratio} {} {}", Ratio::new(0, 9), Ratio::whole(4)), "-3/2 0 4");
        assert_eq!(Ratio::new(i64::MIN, 1).floor(), i64::MIN);
    }

    #[test]
    fn a_bound_is_sharp_when_its_witness_attains_it() {
        let bound = |held: i64| Bound {
            value: 5,
            relaxed: Ratio::whole(5),
            proof: Proof { nodes: Vec::new() },
            witness: Witness { value: held, table: SparseTable::new(Vec::new()) },
        };
        assert!(bound(5).is_sharp() && !bound(4).is_sharp() && !bound(6).is_sharp());
    }
}
