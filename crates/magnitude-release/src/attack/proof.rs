//! Checks what a solver claims, with additions and comparisons of whole numbers and no solver.
//!
//! A second table shows that an attacker thinks an amount possible: it satisfies every relation
//! and every range. Multipliers `y / D` of relations show that nothing lies beyond an end: with
//! `e_c` the cell, `S` the signs of the relations, and shifts `d` in their ranges,
//!
//! ```text
//! (6)  D s d_c = (D s e_c - s y S) d <= sum_j max((D s e_c - s y S)_j d_j over low_j..=high_j)
//! ```
//!
//! for `s = 1` from above and `s = -1` from below, because `S d = 0`.

use frechet_certificate::{Bound, Certificates, Collector, Multipliers, Proof, Ratio, Row, Side, SparseTable, Witness};

use crate::attack::program::{End, Program, Shift};
use crate::error::Error;
use crate::table::additive::{AdditiveTable, MOST_AMOUNT, Relation, UNBOUNDED};

/// Multipliers `y / D` of relations that bound a cell from one end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reason {
    pub(crate) denominator: i64,
    /// One for each relation.
    pub(crate) numerators: Vec<i64>,
}

/// Whether a shift makes a table that satisfies every relation and lies within the ranges.
pub(crate) fn admits(table: &AdditiveTable, range: impl Fn(usize) -> (i64, i64), shift: &Shift) -> bool {
    let mut moved = vec![0_i128; table.amounts.len()];
    for &(cell, by) in &shift.moves {
        moved[cell] = by;
    }
    let are_within = moved.iter().enumerate().all(|(cell, &by)| {
        let (low, high) = range(cell);
        by == 0 || (i128::from(low) * shift.denominator..=i128::from(high) * shift.denominator).contains(&by)
    });
    shift.denominator > 0 && are_within && table.relations.iter().all(|relation| is_kept(relation, &moved))
}

fn is_kept(relation: &Relation, moved: &[i128]) -> bool {
    let signed = relation.terms.iter().map(|&(cell, is_taken)| if is_taken { -moved[cell] } else { moved[cell] });
    signed.sum::<i128>() == 0
}

/// The right side of (6) for the range of one end, over `D`; `None` if nothing bounds it.
pub(crate) fn bound(
    table: &AdditiveTable,
    range: impl Fn(usize) -> (i64, i64),
    (cell, end): (usize, End),
    reason: &Reason,
) -> Option<(i128, i128)> {
    let sign = i128::from(end.sign());
    let mut reduced = vec![0_i128; table.amounts.len()];
    reduced[cell] = sign * i128::from(reason.denominator);
    for (relation, &multiplier) in
        table.relations.iter().zip(&reason.numerators).filter(|(_, multiplier)| **multiplier != 0)
    {
        for &(cell, is_taken) in &relation.terms {
            let own = sign * i128::from(multiplier);
            reduced[cell] -= if is_taken { -own } else { own };
        }
    }
    let mut total = 0_i128;
    for (cell, &cost) in reduced.iter().enumerate().filter(|(_, cost)| **cost != 0) {
        let (low, high) = range(cell);
        if cost > 0 && high >= UNBOUNDED / 2 {
            return None;
        }
        let most = cost.checked_mul(i128::from(low))?.max(cost.checked_mul(i128::from(high))?);
        total = total.checked_add(most)?;
    }
    (reason.denominator > 0).then_some((total, i128::from(reason.denominator)))
}

/// The reason of the last question without weights.
pub(crate) fn reason(program: &Program, cell: usize) -> Reason {
    let (denominator, numerators) = program.multipliers(cell);
    Reason { denominator, numerators }
}

/// One end of an interval, to be written down: the cell, its bound as a shift, and why.
pub(crate) struct Claim {
    pub(crate) cell: usize,
    pub(crate) end: End,
    pub(crate) shift: Shift,
    pub(crate) reason: Reason,
}

/// A file of certificates about the open cells, in whole units: each claim is checked before it is
/// taken, by a checker that shares no code with this crate.
///
/// Cells are numbered as in `open`; for a cell that is a total, a further one follows that holds
/// what the cell leaves of its largest amount, so that all entries are 0 and 1.
pub(crate) fn certificates(table: &AdditiveTable, open: &[usize], claims: &[Claim]) -> Result<Certificates, Error> {
    let system = WholeSystem::new(table, open);
    let mut collector = Collector::new(&system.capacities, &system.rows).map_err(|_| Error::TooLarge)?;
    for claim in claims {
        let (Some(place), Some(value)) = (system.place(claim.cell), whole_bound(table, claim)) else { continue };
        let table_of_claim = system.witness(claim);
        let value = value - system.least(claim.cell);
        let bound = Bound {
            value,
            relaxed: Ratio::whole(value),
            proof: Proof::by_rows(system.multipliers(claim)),
            witness: Witness { value: table_of_claim[place], table: SparseTable::from_dense(&table_of_claim) },
        };
        let side = if claim.end == End::Upper { Side::Upper } else { Side::Lower };
        collector.add(vec![place as u32], side, &bound).map_err(|_| Error::Limit)?;
    }
    Ok(collector.finish())
}

/// The open cells and their relations as rows of 0 and 1.
struct WholeSystem<'a> {
    table: &'a AdditiveTable,
    open: &'a [usize],
    capacities: Vec<i64>,
    rows: Vec<Row>,
    /// The row of each relation, if a cell of it is open.
    row_of: Vec<Option<usize>>,
    /// For each open cell that is taken away somewhere: what it leaves, and the row of both.
    rest_of: Vec<Option<(usize, usize)>>,
}

impl<'a> WholeSystem<'a> {
    fn new(table: &'a AdditiveTable, open: &'a [usize]) -> Self {
        let rest_of = vec![None; open.len()];
        let mut system = Self { table, open, capacities: Vec::new(), rows: Vec::new(), row_of: Vec::new(), rest_of };
        system.capacities = open.iter().map(|&cell| system.most(cell)).collect();
        for (index, relation) in table.relations.iter().enumerate() {
            system.add_relation(index, relation);
        }
        system
    }

    fn place(&self, cell: usize) -> Option<usize> {
        self.open.binary_search(&cell).ok()
    }

    fn least(&self, cell: usize) -> i64 {
        self.table.known[cell].0
    }

    /// The most that a cell can hold above its least amount.
    fn most(&self, cell: usize) -> i64 {
        self.table.known[cell].1.min(MOST_AMOUNT) - self.least(cell)
    }

    fn add_relation(&mut self, index: usize, relation: &Relation) {
        let (mut cells, mut sum) = (Vec::new(), 0_i64);
        for &(cell, is_taken) in &relation.terms {
            let Some(place) = self.place(cell) else { continue };
            let amount = self.table.amounts[cell] - self.least(cell);
            if is_taken {
                cells.push(self.rest(place, cell) as u32);
                sum += self.most(cell) - amount;
            } else {
                cells.push(place as u32);
                sum += amount;
            }
        }
        self.row_of.push((!cells.is_empty()).then_some(self.rows.len()));
        if !cells.is_empty() {
            self.rows.push(Row::new(format!("relation {index}"), cells, sum, sum));
        }
    }

    /// The number of what a cell leaves of its largest amount.
    fn rest(&mut self, place: usize, cell: usize) -> usize {
        if let Some((rest, _)) = self.rest_of[place] {
            return rest;
        }
        let (rest, most) = (self.capacities.len(), self.most(cell));
        self.capacities.push(most);
        self.rest_of[place] = Some((rest, self.rows.len()));
        let both = vec![place as u32, rest as u32];
        self.rows.push(Row::new(format!("what cell {cell} leaves"), both, most, most));
        rest
    }

    /// Multipliers of rows from those of relations: a cell and what it leaves cancel.
    fn multipliers(&self, claim: &Claim) -> Multipliers {
        let sign = claim.end.sign();
        let (mut numerators, mut pairs) = (Vec::new(), vec![0_i64; self.open.len()]);
        let named = self.table.relations.iter().zip(&self.row_of).zip(&claim.reason.numerators);
        for ((relation, row), &multiplier) in named.filter(|(_, multiplier)| **multiplier != 0) {
            let Some(row) = *row else { continue };
            numerators.push((row, sign * multiplier));
            for &(cell, _) in relation.terms.iter().filter(|term| term.1) {
                self.place(cell).into_iter().for_each(|place| pairs[place] -= sign * multiplier);
            }
        }
        let of_pairs = pairs.iter().zip(&self.rest_of).filter(|(multiplier, _)| **multiplier != 0);
        numerators.extend(of_pairs.filter_map(|(&multiplier, rest)| rest.map(|(_, row)| (row, multiplier))));
        numerators.sort_unstable();
        Multipliers { denominator: claim.reason.denominator, numerators }
    }

    /// The shifted table, or the true one where the shift is not whole.
    fn witness(&self, claim: &Claim) -> Vec<i64> {
        let is_whole = claim.shift.moves.iter().all(|own| own.1 % claim.shift.denominator == 0);
        let mut dense = vec![0_i64; self.capacities.len()];
        for (place, &cell) in self.open.iter().enumerate() {
            let by = if is_whole { claim.shift.of(cell) / claim.shift.denominator } else { 0 };
            let amount = self.table.amounts[cell] + i64::try_from(by).unwrap_or(0) - self.least(cell);
            dense[place] = amount;
            if let Some((rest, _)) = self.rest_of[place] {
                dense[rest] = self.most(cell) - amount;
            }
        }
        dense
    }
}

/// The bound of (6) in whole units; `None` where nothing bounds the cell.
fn whole_bound(table: &AdditiveTable, claim: &Claim) -> Option<i64> {
    let amount = i128::from(table.amounts[claim.cell]);
    let shift = claim.shift.of(claim.cell);
    if Program::is_unbounded(shift, claim.shift.denominator) {
        return None;
    }
    let value = match claim.end {
        End::Upper => amount + shift.div_euclid(claim.shift.denominator),
        End::Lower => amount - (-shift).div_euclid(claim.shift.denominator),
    };
    i64::try_from(value).ok().filter(|&value| value <= MOST_AMOUNT)
}
