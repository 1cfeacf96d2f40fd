//! Whether claims follow: additions and comparisons of whole numbers, over the cells that a proof names and no others.
//!
//! With `s = +1` for an upper end and `-1` for a lower one, `c` the indicator of the cells of a claim, `A` the rows and
//! `y / D` the multipliers, every table within boxes `l <= x <= u` that fits the rows has
//!
//! ```text
//! (1)  D s c x  <=  sum_j max((D s c - y A)_j x_j over l_j..=u_j)  +  sum_i max(y_i r over lower_i..=upper_i) .
//! ```
//!
//! A claim `s c x <= s value` follows in whole numbers when `D (s value + 1)` is above the right side; with `c = 0` and a
//! negative right side no table is there. All of it is integers of 128 bits. None of the solver's code is used.

use super::certificates::{Certificates, Claim, End, Multipliers, Node};

/// A file of certificates, and room to add up in.
pub(super) struct Checker<'a> {
    file: &'a Certificates,
    rows_of: Vec<Vec<u32>>,
    /// Rows that a table without anybody breaks.
    not_empty: usize,
    /// Least and largest count of each cell, within the cases at hand.
    boxes: Vec<(i64, i64)>,
    /// `D s c - y A`, 0 wherever nobody is at work.
    reduced: Vec<i128>,
    /// Sums of the rows, 0 wherever nobody is at work.
    sums: Vec<i128>,
}

/// What is left to do of a proof.
enum Step {
    /// Go to a node, within the box that a case leaves of a cell.
    Enter(usize, Option<(usize, (i64, i64))>),
    /// Give a cell its box back.
    Leave(usize, (i64, i64)),
}

impl<'a> Checker<'a> {
    /// Rows are sets of cells, capacities are not negative; else what is malformed.
    pub(super) fn new(file: &'a Certificates) -> Result<Self, String> {
        let cells = file.capacities.len();
        let mut rows_of = vec![Vec::new(); cells];
        for (number, row) in file.rows.iter().enumerate() {
            let place = u32::try_from(number).ok().filter(|_| is_set(row.cells.iter().copied(), cells));
            let place = place.filter(|_| row.lower <= row.upper).ok_or_else(|| format!("row {}", number + 1))?;
            row.cells.iter().for_each(|&cell| rows_of[cell as usize].push(place));
        }
        if let Some(cell) = file.capacities.iter().position(|&most| most < 0) {
            return Err(format!("capacity {}", cell + 1));
        }
        let not_empty = file.rows.iter().filter(|row| !(row.lower..=row.upper).contains(&0)).count();
        let boxes = file.capacities.iter().map(|&most| (0, most)).collect();
        Ok(Self { file, rows_of, not_empty, boxes, reduced: vec![0; cells], sums: vec![0; file.rows.len()] })
    }

    /// Cells that all tables and proofs name, each as often as it is named: no check takes more. Linear in the file.
    pub(super) fn work(&self) -> u64 {
        let of_cell = |&(cell, _): &(u32, i64)| self.rows_of.get(cell as usize).map_or(0, Vec::len) + 1;
        let of_row = |&(row, _): &(usize, i64)| self.file.rows.get(row).map_or(0, |row| row.cells.len());
        let of_node = |node: &Node| match node {
            Node::Bound(dual) | Node::Empty(dual) => dual.numerators.iter().map(of_row).sum(),
            Node::Split { .. } => 1,
        };
        let tables = self.file.tables.iter().flatten().map(of_cell);
        let claims = self.file.claims.iter();
        let proofs = claims.flat_map(|claim| claim.proof.iter().map(move |node| claim.cells.len() + of_node(node)));
        tables.chain(proofs).map(|cells| cells as u64).sum()
    }

    /// Whether a table is whole, within the capacities, and has every row's sum.
    pub(super) fn fits(&mut self, table: usize) -> bool {
        let Self { file, rows_of, sums, .. } = self;
        let table = &file.tables[table];
        let is_within = |&(cell, count): &(u32, i64)| (0..=file.capacities[cell as usize]).contains(&count);
        if !is_set(table.iter().map(|&(cell, _)| cell), file.capacities.len()) || !table.iter().all(is_within) {
            return false;
        }
        let rows =
            || table.iter().flat_map(|&(cell, count)| rows_of[cell as usize].iter().map(move |&row| (row, count)));
        rows().for_each(|(row, count)| sums[row as usize] += i128::from(count));
        // A row is judged where its sum is taken back; those that no cell is in have the sum 0.
        let (mut fits, mut missing) = (true, self.not_empty);
        for (row, _) in rows() {
            let sum = std::mem::take(&mut sums[row as usize]);
            let row = &file.rows[row as usize];
            if sum != 0 {
                fits &= (i128::from(row.lower)..=i128::from(row.upper)).contains(&sum);
                missing -= usize::from(!(row.lower..=row.upper).contains(&0));
            }
        }
        fits && missing == 0
    }

    /// Whether the witness attains what the proof bounds; `None` when it bounds less than is claimed. The witness must be
    /// a table that fits.
    pub(super) fn is_proved(&mut self, claim: &Claim) -> Option<bool> {
        let sign = if claim.side == End::Upper { 1 } else { -1 };
        is_set(claim.cells.iter().copied(), self.boxes.len()).then_some(())?;
        let witness = self.file.tables.get(claim.witness)?;
        let (held, value) = (held(&claim.cells, witness), i128::from(claim.value));
        (sign * held <= sign * value).then_some(())?;
        // Whatever was proved or not, the next claim starts from the capacities.
        let closes = self.closes(claim, sign);
        closes.then_some(held == value)
    }

    /// Walks the cases. The boxes are one vector, and every change of it is undone on the way back.
    fn closes(&mut self, claim: &Claim, sign: i128) -> bool {
        // A tree reaches each of its nodes once.
        let mut is_new = vec![true; claim.proof.len()];
        let mut steps = vec![Step::Enter(0, None)];
        let mut closes = true;
        while let Some(step) = steps.pop() {
            match step {
                Step::Leave(cell, before) => self.boxes[cell] = before,
                Step::Enter(place, case) if closes => {
                    if let Some((cell, case)) = case {
                        steps.push(Step::Leave(cell, std::mem::replace(&mut self.boxes[cell], case)));
                    }
                    let is_first = is_new.get_mut(place).is_some_and(std::mem::take);
                    closes = is_first && self.closes_node(claim, sign, place, &mut steps).is_some();
                }
                Step::Enter(..) => {}
            }
        }
        closes
    }

    /// Closes a node, or adds its two halves to what is left to do.
    fn closes_node(&mut self, claim: &Claim, sign: i128, place: usize, steps: &mut Vec<Step>) -> Option<()> {
        match &claim.proof[place] {
            Node::Bound(dual) => {
                let limit = i128::from(dual.denominator).checked_mul(sign * i128::from(claim.value) + 1)?;
                (self.right_side(claim, dual, sign)? < limit).then_some(())
            }
            Node::Empty(dual) => (self.right_side(claim, dual, 0)? < 0).then_some(()),
            &Node::Split { cell, at_most, below, above } => {
                let &(lower, upper) = self.boxes.get(cell)?;
                let halves =
                    [(below, (lower, upper.min(at_most))), (above, (lower.max(at_most.checked_add(1)?), upper))];
                // A half whose box is empty holds no table.
                let halves = halves.into_iter().filter(|(_, (lower, upper))| lower <= upper);
                steps.extend(halves.map(|(place, case)| Step::Enter(place, Some((cell, case)))));
                Some(())
            }
        }
    }

    /// The right side of (1), the indicator of the cells multiplied by `scale`. Cells that are not named add 0.
    fn right_side(&mut self, claim: &Claim, dual: &Multipliers, scale: i128) -> Option<i128> {
        let Self { file, boxes, reduced, .. } = self;
        let is_known = |&(row, _): &(usize, i64)| row < file.rows.len();
        (dual.denominator >= 1 && dual.numerators.iter().all(is_known)).then_some(())?;
        claim.cells.iter().for_each(|&cell| reduced[cell as usize] = scale * i128::from(dual.denominator));
        let named = || dual.numerators.iter().map(|&(row, y)| (&file.rows[row], i128::from(y)));
        let mut total = Some(0_i128);
        for (row, y) in named() {
            row.cells.iter().for_each(|&cell| reduced[cell as usize] -= y);
            let most = (y * i128::from(row.lower)).max(y * i128::from(row.upper));
            total = total.and_then(|total| total.checked_add(most));
        }
        for &cell in claim.cells.iter().chain(named().flat_map(|(row, _)| &row.cells)) {
            let (cost, (lower, upper)) = (std::mem::take(&mut reduced[cell as usize]), boxes[cell as usize]);
            let ends = cost.checked_mul(i128::from(lower)).zip(cost.checked_mul(i128::from(upper)));
            total = total.zip(ends).and_then(|(total, (low, high))| total.checked_add(low.max(high)));
        }
        total
    }
}

fn is_set(mut cells: impl Iterator<Item = u32>, all: usize) -> bool {
    let mut before = None;
    cells.all(|cell| before.replace(cell) < Some(cell) && (cell as usize) < all)
}

/// What some cells hold in a table that fits.
fn held(cells: &[u32], table: &[(u32, i64)]) -> i128 {
    let count = |cell: &u32| table.binary_search_by_key(cell, |&(cell, _)| cell).map_or(0, |place| table[place].1);
    cells.iter().map(|cell| i128::from(count(cell))).sum()
}
