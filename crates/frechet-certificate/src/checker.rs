//! Checks bounds without trusting the solver that found them: additions and comparisons of
//! 128-bit integers.
//!
//! Notation and equation (1) as in `proof.rs`. A claim `s c x <= s value` follows in whole
//! numbers when `D (s value + 1)` is above the right side of (1); where the right side with
//! `c = 0` is negative, no table exists.
//!
//! 128 bits suffice for all but the last product. A numerator and a row's end have 64 bits each,
//! so their product has at most 127; a reduced cost is a sum of at most 2^32 numbers of 64 bits.
//! Only a reduced cost times a capacity, and sums of such products, can leave 128 bits: these are
//! checked, and a proof that overflows proves nothing.

use std::fmt;

use crate::bound::Bound;
use crate::proof::{Multipliers, Node, Proof, Side, Split};
use crate::row::Row;
use crate::table::SparseTable;

/// Why a certificate proves nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Flaw {
    /// The witness does not satisfy the rows and the capacities.
    Witness,
    /// The witness lies beyond the bound, or has another sum than it says.
    Value,
    /// A multiplier, a split or a witness refers to something that does not exist, a node is
    /// reached twice, a denominator is below 1, or the cells of the claim are not cells of the
    /// table in increasing order.
    Malformed,
    /// The multipliers prove a weaker bound than is claimed.
    Weak,
    /// A number leaves 128 bits.
    Overflow,
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Witness => "the witness does not satisfy the rows",
            Self::Value => "the witness holds another value than claimed",
            Self::Malformed => "a multiplier, a split or the set of cells is malformed",
            Self::Weak => "the multipliers do not prove the bound",
            Self::Overflow => "the certificate's numbers are too large",
        })
    }
}

impl std::error::Error for Flaw {}

/// Rows or capacities that make no sense; the index counts from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MalformedSystem {
    /// The cells of a row are not cells of the table in increasing order, or its lower end is
    /// above its upper end.
    Row(usize),
    /// A capacity is negative.
    Capacity(usize),
}

impl fmt::Display for MalformedSystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Row(index) => write!(f, "row {} is malformed", index + 1),
            Self::Capacity(index) => write!(f, "capacity {} is malformed", index + 1),
        }
    }
}

impl std::error::Error for MalformedSystem {}

/// Checks claims about the tables `x` of whole numbers with `0 <= x_j <= capacity_j` whose sums
/// lie within the rows.
///
/// A check takes time in proportion to the cells that a witness and a proof name, whatever the
/// size of the table.
pub struct Checker<'a> {
    capacities: &'a [i64],
    rows: &'a [Row],
    /// The rows that each cell is in: those of cell `j` are `rows_of[start[j]..start[j + 1]]`.
    rows_of: Vec<u32>,
    start: Vec<usize>,
    /// How many rows the table of zeros breaks.
    not_zero: usize,
    /// Least and largest count of each cell, within the cases that lead to the node at hand.
    boxes: Vec<(i64, i64)>,
    /// `D s c - y A`, all 0 between two uses.
    reduced: Vec<i128>,
    /// Sums of the rows, all 0 between two uses.
    sums: Vec<i128>,
}

/// What is left to do of a proof.
enum Step {
    /// Go to a node, within the box that a case leaves of a cell.
    Enter(usize, Option<(usize, (i64, i64))>),
    /// Give a cell its box back.
    Leave(usize, (i64, i64)),
}

/// A sum over cells, the end that is claimed, and what proves it.
#[derive(Clone, Copy)]
struct Question<'a> {
    cells: &'a [u32],
    sign: i128,
    value: i128,
    nodes: &'a [Node],
}

impl<'a> Checker<'a> {
    /// A checker for these capacities, one per cell, and these rows. Linear in their size.
    ///
    /// # Errors
    /// The first [`MalformedSystem`].
    pub fn new(capacities: &'a [i64], rows: &'a [Row]) -> Result<Self, MalformedSystem> {
        let cells = capacities.len();
        let unsound =
            rows.iter().enumerate().position(|(index, row)| u32::try_from(index).is_err() || !is_sound(row, cells));
        if let Some(index) = unsound {
            return Err(MalformedSystem::Row(index));
        }
        if let Some(cell) = capacities.iter().position(|&most| most < 0) {
            return Err(MalformedSystem::Capacity(cell));
        }
        let (rows_of, start) = rows_by_cell(cells, rows);
        Ok(Self {
            capacities,
            rows,
            rows_of,
            start,
            not_zero: rows.iter().filter(|row| !admits_zero(row)).count(),
            boxes: capacities.iter().map(|&most| (0, most)).collect(),
            reduced: vec![0; cells],
            sums: vec![0; rows.len()],
        })
    }

    /// The rows that a cell is in; none where the cell does not exist.
    pub(crate) fn rows_of(&self, cell: u32) -> &[u32] {
        match self.start.get(cell as usize..).unwrap_or_default() {
            [start, end, ..] => &self.rows_of[*start..*end],
            _ => &[],
        }
    }

    /// Whether a table is well-formed, within the capacities, and satisfies every row.
    pub fn admits(&mut self, table: &SparseTable) -> bool {
        let counts = table.counts();
        if !is_set(counts.iter().map(|&(cell, _)| cell), self.capacities.len())
            || !counts.iter().all(|&(cell, count): &(u32, i64)| (0..=self.capacities[cell as usize]).contains(&count))
        {
            return false;
        }
        let mut sums = std::mem::take(&mut self.sums);
        for &(cell, count) in counts {
            self.rows_of(cell).iter().for_each(|&row| sums[row as usize] += i128::from(count));
        }
        // Each row is judged where its sum is taken back to 0, so once. A row that no count is in
        // has the sum 0: of those, the ones that do not admit 0 are counted beforehand, and are
        // missing unless they turn up here.
        let (mut admits, mut missing) = (true, self.not_zero);
        for &row in counts.iter().flat_map(|&(cell, _)| self.rows_of(cell)) {
            let sum = std::mem::take(&mut sums[row as usize]);
            let row = &self.rows[row as usize];
            if sum != 0 {
                admits &= (i128::from(row.lower())..=i128::from(row.upper())).contains(&sum);
                missing -= usize::from(!admits_zero(row));
            }
        }
        self.sums = sums;
        admits && missing == 0
    }

    /// Checks one end of the interval of the sum over `cells`, which are in increasing order: the
    /// witness satisfies the rows, and the proof excludes every table beyond the value. A bound
    /// that is not sharp passes too: it is then an outer bound, and the witness an attained
    /// value.
    ///
    /// # Errors
    /// The first [`Flaw`].
    pub fn check(&mut self, cells: &[u32], side: Side, bound: &Bound) -> Result<(), Flaw> {
        if !is_set(cells.iter().copied(), self.capacities.len()) {
            return Err(Flaw::Malformed);
        }
        if !self.admits(&bound.witness.table) {
            return Err(Flaw::Witness);
        }
        if bound.witness.table.sum(cells) != i128::from(bound.witness.value) {
            return Err(Flaw::Value);
        }
        self.check_claim(cells, side, bound.value, &bound.witness.table, &bound.proof).map(|_| ())
    }

    /// Whether the witness attains the claimed value, once the claim is proved. The witness is a
    /// table that was [admitted](Self::admits).
    pub(crate) fn check_claim(
        &mut self,
        cells: &[u32],
        side: Side,
        value: i64,
        witness: &SparseTable,
        proof: &Proof,
    ) -> Result<bool, Flaw> {
        if !is_set(cells.iter().copied(), self.capacities.len()) {
            return Err(Flaw::Malformed);
        }
        let (held, sign, value) = (witness.sum(cells), i128::from(side.sign()), i128::from(value));
        // A table beyond the bound refutes it, whatever the proof says.
        if sign * held > sign * value {
            return Err(Flaw::Value);
        }
        self.close(Question { cells, sign, value, nodes: &proof.nodes })?;
        Ok(held == value)
    }

    /// Walks the tree of cases. The boxes are one vector, and every change of it is undone on the
    /// way back, so that a proof with many cases over many cells costs no more than what it
    /// names. After a flaw, the walk goes on only to undo.
    fn close(&mut self, question: Question<'_>) -> Result<(), Flaw> {
        // A node that is reached twice would let a short file ask for an endless walk.
        let mut is_new = vec![true; question.nodes.len()];
        let mut steps = vec![Step::Enter(0, None)];
        let mut closed = Ok(());
        while let Some(step) = steps.pop() {
            match step {
                Step::Leave(cell, before) => self.boxes[cell] = before,
                Step::Enter(index, case) if closed.is_ok() => {
                    if let Some((cell, case)) = case {
                        steps.push(Step::Leave(cell, std::mem::replace(&mut self.boxes[cell], case)));
                    }
                    let is_first = is_new.get_mut(index).is_some_and(std::mem::take);
                    closed = if is_first { self.close_node(question, index, &mut steps) } else { Err(Flaw::Malformed) };
                }
                Step::Enter(..) => {}
            }
        }
        closed
    }

    /// Closes a leaf, or adds the two cases of a split to what is left to do.
    fn close_node(&mut self, question: Question<'_>, index: usize, steps: &mut Vec<Step>) -> Result<(), Flaw> {
        let Question { sign, value, .. } = question;
        match &question.nodes[index] {
            Node::Bound(multipliers) => {
                // Sums are whole, so excluding `s value + 1` excludes everything beyond
                // `s value`.
                let limit = i128::from(multipliers.denominator).checked_mul(sign * value + 1).ok_or(Flaw::Overflow)?;
                if self.right_side(question, multipliers, sign)? < limit { Ok(()) } else { Err(Flaw::Weak) }
            }
            Node::Empty(multipliers) => {
                if self.right_side(question, multipliers, 0)? < 0 {
                    Ok(())
                } else {
                    Err(Flaw::Weak)
                }
            }
            &Node::Split(Split { cell, at_most, below, above }) => {
                let &(lower, upper) = self.boxes.get(cell).ok_or(Flaw::Malformed)?;
                let over = at_most.checked_add(1).ok_or(Flaw::Overflow)?;
                let halves = [(below, (lower, upper.min(at_most))), (above, (lower.max(over), upper))];
                // A case whose box is empty holds no table, so it needs no proof.
                let halves = halves.into_iter().filter(|(_, (lower, upper))| lower <= upper);
                steps.extend(halves.map(|(index, case)| Step::Enter(index, Some((cell, case)))));
                Ok(())
            }
        }
    }

    /// The right side of (1), with the indicator of the cells multiplied by `scale`: the sign for
    /// a bound, 0 for a contradiction. Cells that neither the claim nor a row names have the
    /// reduced cost 0 and add nothing.
    fn right_side(&mut self, question: Question<'_>, of: &Multipliers, scale: i128) -> Result<i128, Flaw> {
        let Self { rows, boxes, reduced, .. } = self;
        if of.denominator < 1 || of.numerators.iter().any(|&(row, _)| row >= rows.len()) {
            return Err(Flaw::Malformed);
        }
        let cells = question.cells;
        cells.iter().for_each(|&cell| reduced[cell as usize] = scale * i128::from(of.denominator));
        let named = || of.numerators.iter().map(|&(row, y)| (&rows[row], i128::from(y)));
        let mut total = Some(0_i128);
        for (row, y) in named() {
            row.cells().iter().for_each(|&cell| reduced[cell as usize] -= y);
            // A linear function takes its maximum at an end of the range, which end depends on
            // the sign of y.
            let most = (y * i128::from(row.lower())).max(y * i128::from(row.upper()));
            total = total.and_then(|total| total.checked_add(most));
        }
        // Taking each reduced cost leaves 0 for the next use, also where a cell is named again:
        // the second time it adds 0.
        for &cell in cells.iter().chain(named().flat_map(|(row, _)| row.cells())) {
            let (cost, (lower, upper)) = (std::mem::take(&mut reduced[cell as usize]), boxes[cell as usize]);
            let ends = cost.checked_mul(i128::from(lower)).zip(cost.checked_mul(i128::from(upper)));
            total = total.zip(ends).and_then(|(total, (low, high))| total.checked_add(low.max(high)));
        }
        total.ok_or(Flaw::Overflow)
    }
}

/// Whether a row names cells of the table, each once, and its ends are in order.
fn is_sound(row: &Row, cells: usize) -> bool {
    is_set(row.cells().iter().copied(), cells) && row.lower() <= row.upper()
}

/// Shows shapes, not counts.
impl fmt::Debug for Checker<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (cells, rows) = (self.capacities.len(), self.rows.len());
        f.debug_struct("Checker").field("cells", &cells).field("rows", &rows).finish_non_exhaustive()
    }
}

fn admits_zero(row: &Row) -> bool {
    (row.lower()..=row.upper()).contains(&0)
}

/// The rows of each cell in one vector, and where those of each cell start.
fn rows_by_cell(cells: usize, rows: &[Row]) -> (Vec<u32>, Vec<usize>) {
    let mut start = vec![0_usize; cells + 1];
    for &cell in rows.iter().flat_map(Row::cells) {
        start[cell as usize + 1] += 1;
    }
    for cell in 0..cells {
        start[cell + 1] += start[cell];
    }
    let (mut rows_of, mut next) = (vec![0_u32; start[cells]], start.clone());
    for (row, own) in (0_u32..).zip(rows) {
        for &cell in own.cells() {
            rows_of[next[cell as usize]] = row;
            next[cell as usize] += 1;
        }
    }
    (rows_of, start)
}

/// Whether the cells are cells of the table, in increasing order, each once.
fn is_set(mut cells: impl Iterator<Item = u32>, all: usize) -> bool {
    let mut before = None;
    cells.all(|cell| before.replace(cell) < Some(cell) && (cell as usize) < all)
}

#[cfg(test)]
mod tests;
