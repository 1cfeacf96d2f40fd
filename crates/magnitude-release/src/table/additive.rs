//! Amounts that are linked by sums, whatever the shape of their table.

use std::collections::BTreeSet;
use std::fmt;

use crate::error::Error;

/// The largest amount and the largest sum: 2^53 units.
pub const MOST_AMOUNT: i64 = 1 << 53;

/// The upper bound of a cell of which nothing is known. It is so far above every amount that a
/// bound which reaches it is no bound.
pub const UNBOUNDED: i64 = 1 << 60;

/// Amounts that, taken with their signs, add up to a constant.
#[derive(Clone, PartialEq, Eq)]
pub struct Relation {
    /// The sum.
    pub constant: i64,
    /// Each cell, and whether it is taken away.
    pub terms: Vec<(usize, bool)>,
}

/// Debug output shows the size and not the sum.
impl fmt::Debug for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Relation").field("terms", &self.terms.len()).finish_non_exhaustive()
    }
}

/// Cells, the sums that link them, and between which amounts everybody knows each to be.
#[derive(Clone, PartialEq, Eq)]
pub struct AdditiveTable {
    pub(crate) amounts: Vec<i64>,
    pub(crate) relations: Vec<Relation>,
    pub(crate) known: Vec<(i64, i64)>,
}

impl AdditiveTable {
    /// Checks that amounts are within what is known and that every relation holds. `known` holds
    /// the least and the largest amount that everybody knows to be possible, with [`UNBOUNDED`]
    /// where nothing ends it.
    ///
    /// # Errors
    /// [`Error::Negative`], [`Error::TooLarge`], [`Error::OutsideKnown`], [`Error::NoSuchCell`],
    /// [`Error::RepeatedCell`] and [`Error::BrokenRelation`].
    pub fn new(amounts: Vec<i64>, known: Vec<(i64, i64)>, relations: Vec<Relation>) -> Result<Self, Error> {
        if known.len() != amounts.len() {
            return Err(Error::NoSuchCell { index: known.len().min(amounts.len()) });
        }
        for (cell, (&amount, &(least, most))) in amounts.iter().zip(&known).enumerate() {
            if amount < 0 || least < 0 {
                return Err(Error::Negative);
            }
            if amount > MOST_AMOUNT || most > UNBOUNDED {
                return Err(Error::TooLarge);
            }
            if !(least..=most).contains(&amount) {
                return Err(Error::OutsideKnown { cell });
            }
        }
        for (index, relation) in relations.iter().enumerate() {
            let (mut sum, mut named) = (0_i128, BTreeSet::new());
            for &(cell, is_taken) in &relation.terms {
                let amount = i128::from(*amounts.get(cell).ok_or(Error::NoSuchCell { index: cell })?);
                if !named.insert(cell) {
                    return Err(Error::RepeatedCell { relation: index });
                }
                sum += if is_taken { -amount } else { amount };
            }
            if sum != i128::from(relation.constant) {
                return Err(Error::BrokenRelation { relation: index });
            }
        }
        Ok(Self { amounts, relations, known })
    }

    /// The amounts, in units.
    #[must_use]
    pub fn amounts(&self) -> &[i64] {
        &self.amounts
    }

    /// The sums that link them.
    #[must_use]
    pub fn relations(&self) -> &[Relation] {
        &self.relations
    }

    /// The least and the largest amount of each cell that everybody knows to be possible.
    #[must_use]
    pub fn known(&self) -> &[(i64, i64)] {
        &self.known
    }
}

/// Debug output shows sizes and no amount.
impl fmt::Debug for AdditiveTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (cells, relations) = (self.amounts.len(), self.relations.len());
        f.debug_struct("AdditiveTable").field("cells", &cells).field("relations", &relations).finish_non_exhaustive()
    }
}
