//! Checks bounds without trusting whoever found them: exact arithmetic in 128 bits, no code of the solver.
//!
//! Notation and equation (1) as in [`certificate`](crate::table::certificate).

use crate::table::certificate::{Bound, Dual, Proof, Side, Tree};
use crate::table::system::System;

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
/// One pass over the rows for the witness, and one over the cells of the rows that each leaf of the proof names. Nothing recurses.
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
    let mut claim = Claim {
        system,
        cells,
        sign: i128::from(side.sign()),
        value: i128::from(bound.value),
        boxes: system.capacity().iter().map(|&most| (0, most)).collect(),
        reduced: vec![0; table.len()],
    };
    match &bound.proof {
        Proof::Dual(dual) => claim.bounds(dual),
        Proof::Tree(tree) => claim.closes(tree),
    }
}

struct Claim<'a> {
    system: &'a System,
    cells: &'a [u32],
    sign: i128,
    value: i128,
    /// Least and largest count of each cell, within the cases at hand.
    boxes: Vec<(i64, i64)>,
    /// `D s c - y A`, 0 between two sums.
    reduced: Vec<i128>,
}

/// What is left to do of a proof.
enum Step<'a> {
    /// Go to a case, within the box that it leaves of a cell.
    Enter(&'a Tree, Option<(usize, (i64, i64))>),
    /// Give a cell its box back.
    Leave(usize, (i64, i64)),
}

impl Claim<'_> {
    /// Walks the cases. The boxes are one vector, and every change of it is undone on the way back.
    fn closes(&mut self, tree: &Tree) -> Result<(), Flaw> {
        let mut steps = vec![Step::Enter(tree, None)];
        while let Some(step) = steps.pop() {
            let tree = match step {
                Step::Leave(cell, before) => {
                    self.boxes[cell] = before;
                    continue;
                }
                Step::Enter(tree, None) => tree,
                Step::Enter(tree, Some((cell, case))) => {
                    steps.push(Step::Leave(cell, std::mem::replace(&mut self.boxes[cell], case)));
                    tree
                }
            };
            match tree {
                Tree::Bound(dual) => self.bounds(dual)?,
                Tree::Empty(dual) if self.right_side(dual, 0)? < 0 => {}
                Tree::Empty(_) => return Err(Flaw::Weak),
                Tree::Split { cell, at_most, below, above } => {
                    let &(lower, upper) = self.boxes.get(*cell).ok_or(Flaw::Malformed)?;
                    let over = at_most.checked_add(1).ok_or(Flaw::Overflow)?;
                    let halves = [(below, (lower, upper.min(*at_most))), (above, (lower.max(over), upper))];
                    // A case whose box is empty holds no table.
                    let halves = halves.into_iter().filter(|(_, (lower, upper))| lower <= upper);
                    steps.extend(halves.map(|(tree, case)| Step::Enter(tree, Some((*cell, case)))));
                }
            }
        }
        Ok(())
    }

    /// `s c x <= s value` follows in whole numbers when `D (s value + 1)` is above the right side of (1).
    fn bounds(&mut self, dual: &Dual) -> Result<(), Flaw> {
        let denominator = i128::from(dual.denominator);
        let limit = (self.sign * self.value + 1).checked_mul(denominator).ok_or(Flaw::Overflow)?;
        if self.right_side(dual, self.sign)? < limit { Ok(()) } else { Err(Flaw::Weak) }
    }

    /// The right side of (1), with the indicator of the cells multiplied by `scale`. Cells that are not named add 0.
    fn right_side(&mut self, dual: &Dual, scale: i128) -> Result<i128, Flaw> {
        let Self { system, cells, boxes, reduced, .. } = self;
        if dual.denominator < 1 || dual.multipliers.iter().any(|&(row, _)| row >= system.rows().len()) {
            return Err(Flaw::Malformed);
        }
        cells.iter().for_each(|&cell| reduced[cell as usize] = scale * i128::from(dual.denominator));
        let named = || dual.multipliers.iter().map(|&(row, y)| (&system.rows()[row], i128::from(y)));
        let mut total = Some(0_i128);
        for (row, y) in named() {
            row.cells().iter().for_each(|&cell| reduced[cell as usize] -= y);
            let most = (y * i128::from(row.lower())).max(y * i128::from(row.upper()));
            total = total.and_then(|total| total.checked_add(most));
        }
        for &cell in cells.iter().chain(named().flat_map(|(row, _)| row.cells())) {
            let (cost, (lower, upper)) = (std::mem::take(&mut reduced[cell as usize]), boxes[cell as usize]);
            let ends = cost.checked_mul(i128::from(lower)).zip(cost.checked_mul(i128::from(upper)));
            total = total.zip(ends).and_then(|(total, (low, high))| total.checked_add(low.max(high)));
        }
        total.ok_or(Flaw::Overflow)
    }
}
