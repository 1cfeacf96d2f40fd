//! Checks bounds without trusting whoever found them: exact arithmetic in 128 bits, no code of the solver.
//!
//! Notation and equation (1) as in [`certificate`](crate::certificate).

use crate::certificate::{Bound, Dual, Proof, Side, Tree};
use crate::system::System;

/// Why a certificate proves nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Flaw {
    /// The witness is not a table of the fiber.
    #[error("the witness does not satisfy the rows")]
    Witness,
    /// The witness does not hold the value that is claimed for it.
    #[error("the witness holds another value than claimed")]
    Value,
    /// A multiplier names no row, the denominator is not positive, a split names no cell, or the cells asked about are
    /// not cells of the table in increasing order.
    #[error("a multiplier, a split or the set of cells is malformed")]
    Malformed,
    /// The multipliers prove a weaker bound than is claimed.
    #[error("the multipliers do not prove the bound")]
    Weak,
    /// A number left 128 bits.
    #[error("the certificate's numbers are too large")]
    Overflow,
}

/// Verifies one end of the interval of a set of cells, in increasing order: its witness is in the fiber, and its proof excludes everything
/// beyond its value. A bound that is not sharp passes too: it is then an outer bound and an attained value.
///
/// One pass over the rows for the witness, one for each leaf of the proof.
///
/// # Errors
/// The first [`Flaw`].
pub fn verify(system: &System, cells: &[u32], side: Side, bound: &Bound) -> Result<(), Flaw> {
    let is_set = cells.windows(2).all(|pair| pair[0] < pair[1]);
    if !is_set || cells.last().is_some_and(|&cell| cell as usize >= system.capacity().len()) {
        return Err(Flaw::Malformed);
    }
    let table = bound.witness.table.to_dense();
    system.check(&table).map_err(|_| Flaw::Witness)?;
    let held: i64 = cells.iter().map(|&cell| table[cell as usize]).sum();
    if held != bound.witness.value || side.sign() * held > side.sign() * bound.value {
        return Err(Flaw::Value);
    }
    let boxes: Vec<(i64, i64)> = system.capacity().iter().map(|&most| (0, most)).collect();
    let claim = Claim { system, cells, sign: i128::from(side.sign()), value: i128::from(bound.value) };
    match &bound.proof {
        Proof::Dual(dual) => claim.bounds(dual, &boxes),
        Proof::Tree(tree) => claim.closes(tree, boxes),
    }
}

struct Claim<'a> {
    system: &'a System,
    cells: &'a [u32],
    sign: i128,
    value: i128,
}

impl Claim<'_> {
    fn closes(&self, tree: &Tree, boxes: Vec<(i64, i64)>) -> Result<(), Flaw> {
        match tree {
            Tree::Bound(dual) => self.bounds(dual, &boxes),
            Tree::Empty(dual) => {
                if self.right_side(dual, &boxes, 0)? < 0 {
                    Ok(())
                } else {
                    Err(Flaw::Weak)
                }
            }
            Tree::Split { cell, at_most, below, above } => {
                let &(lower, upper) = boxes.get(*cell).ok_or(Flaw::Malformed)?;
                let (mut left, mut right) = (boxes.clone(), boxes);
                left[*cell] = (lower, upper.min(*at_most));
                right[*cell] = (lower.max(at_most.checked_add(1).ok_or(Flaw::Overflow)?), upper);
                // A case whose box is empty holds no table.
                if left[*cell].0 <= left[*cell].1 {
                    self.closes(below, left)?;
                }
                if right[*cell].0 <= right[*cell].1 {
                    self.closes(above, right)?;
                }
                Ok(())
            }
        }
    }

    /// `s c x <= s value` follows in whole numbers when `D (s value + 1)` is above the right side of (1).
    fn bounds(&self, dual: &Dual, boxes: &[(i64, i64)]) -> Result<(), Flaw> {
        let denominator = i128::from(dual.denominator);
        let limit = (self.sign * self.value + 1).checked_mul(denominator).ok_or(Flaw::Overflow)?;
        if self.right_side(dual, boxes, self.sign)? < limit { Ok(()) } else { Err(Flaw::Weak) }
    }

    /// The right side of (1), with the indicator of the cells multiplied by `scale`.
    fn right_side(&self, dual: &Dual, boxes: &[(i64, i64)], scale: i128) -> Result<i128, Flaw> {
        if dual.denominator < 1 {
            return Err(Flaw::Malformed);
        }
        let mut reduced = vec![0_i128; boxes.len()];
        for &cell in self.cells {
            reduced[cell as usize] = scale * i128::from(dual.denominator);
        }
        let mut total = 0_i128;
        for &(row, multiplier) in &dual.multipliers {
            let (row, y) = (self.system.rows().get(row).ok_or(Flaw::Malformed)?, i128::from(multiplier));
            row.cells().iter().for_each(|&cell| reduced[cell as usize] -= y);
            total += (y * i128::from(row.lower())).max(y * i128::from(row.upper()));
        }
        for (&cost, &(lower, upper)) in reduced.iter().zip(boxes) {
            let most = cost.checked_mul(i128::from(lower)).zip(cost.checked_mul(i128::from(upper)));
            let (at_lower, at_upper) = most.ok_or(Flaw::Overflow)?;
            total = total.checked_add(at_lower.max(at_upper)).ok_or(Flaw::Overflow)?;
        }
        Ok(total)
    }
}
