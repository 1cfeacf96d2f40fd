//! Complementary suppression in linked and hierarchical tables of any size.
//!
//! First every relation that leaves one suppressed cell alone gets a second one. Then the attacker
//! asks about the sensitive cells. What exposes one of them comes with a proof, whose relations
//! hold published cells: whatever pattern publishes all of them exposes the cell as well, so the
//! cheapest of them is suppressed, and the cells that were not yet protected are asked again. A
//! cell that is protected stays so, since suppressing more takes nothing from the tables that show
//! it.
//!
//! The pattern is not the lightest: that is a hard problem, and the tables here are large. What it
//! costs is measured in `docs/benchmarks.md`.

use std::collections::BTreeSet;

use crate::audit::linked_moves::LinkedMoves;
use crate::audit::linked_tables::{LinkedCell, LinkedFinding, LinkedTable, ProtectionStatus, SuppressionStatus};
use crate::engine::linear_program::{Limits, MOST_SMALL};
use crate::solver::AT_ONCE;
use crate::table::error::Error;
use crate::table::interval::{CountInterval, CountRange};

/// Rounds of the attacker; each suppresses at least one cell more.
const MOST_ROUNDS: usize = 1_000;

/// Cells and relations with their neighbours.
struct Search<'a> {
    table: LinkedTable,
    weights: &'a [u64],
    /// The relations that each cell is in.
    relations_of: Vec<Vec<u32>>,
    /// Suppressed cells of each relation.
    suppressed: Vec<u32>,
    /// Relations with one suppressed cell.
    alone: BTreeSet<usize>,
    moves: LinkedMoves,
}

impl LinkedTable {
    /// The table with cells suppressed besides so that every sensitive cell is protected as asked;
    /// `weights` says what each cell costs. Published cells become secondary ones; the others stay
    /// as they are.
    ///
    /// # Guarantee
    /// Kind: guarantee, as [`LinkedTable::audit`]: for each sensitive cell, tables of whole
    /// numbers were found that are as far from its count as its protection asks. Against an
    /// attacker who does not know how the pattern was chosen.
    ///
    /// # Errors
    /// [`Error::CannotSuppress`] when a cell is exposed by relations without a published cell;
    /// [`Error::OutOfTime`]; [`Error::Shape`] unless there is a weight for each cell; as
    /// [`LinkedTable::solver`].
    pub fn suppress(&self, weights: &[u64], limits: &Limits) -> Result<Self, Error> {
        if weights.len() != self.cells().len() {
            return Err(Error::Shape { expected: vec![self.cells().len()], got: vec![weights.len()] });
        }
        let mut search = Search::new(self.clone(), weights);
        let mut waiting: Vec<usize> = search.primaries();
        for _ in 0..MOST_ROUNDS {
            limits.check_stop()?;
            limits.check_deadline()?;
            search.accompany();
            let exposed = search.exposed(&waiting, limits)?;
            if exposed.is_empty() {
                limits.check_deadline()?;
                return Ok(search.table);
            }
            let mut taken: BTreeSet<usize> = BTreeSet::new();
            for Exposed { cell, relations } in &exposed {
                let candidates = search.published_in(relations);
                // One cell may break several proofs.
                if candidates.iter().any(|candidate| taken.contains(candidate)) {
                    continue;
                }
                let cheapest = candidates.into_iter().min_by_key(|&candidate| search.price(candidate));
                taken.insert(cheapest.ok_or_else(|| Error::CannotSuppress { cell: format!("cell {cell}") })?);
            }
            taken.into_iter().for_each(|cell| search.suppress(cell));
            waiting = exposed.into_iter().map(|exposed| exposed.cell).collect();
        }
        Err(Error::Undecided)
    }
}

/// A sensitive cell that is not shown to be protected, and the relations that expose it, or those
/// that it is in.
struct Exposed {
    cell: usize,
    relations: Vec<usize>,
}

impl<'a> Search<'a> {
    fn new(table: LinkedTable, weights: &'a [u64]) -> Self {
        let mut relations_of = vec![Vec::new(); table.cells().len()];
        let mut suppressed = vec![0; table.relations().len()];
        for (place, relation) in table.relations().iter().enumerate() {
            for &(cell, _) in &relation.terms {
                relations_of[cell].push(u32::try_from(place).expect("relations are counted in 32 bits"));
                suppressed[place] += u32::from(is_suppressed(&table.cells()[cell]));
            }
        }
        let alone = (0..suppressed.len()).filter(|&place| suppressed[place] == 1).collect();
        let moves = LinkedMoves::new(&table, weights);
        Self { table, weights, relations_of, suppressed, alone, moves }
    }

    fn primaries(&self) -> Vec<usize> {
        let cells = self.table.cells();
        (0..cells.len()).filter(|&cell| cells[cell].status == SuppressionStatus::Primary).collect()
    }

    /// Suppresses the cheapest cell beside each one that is alone in a relation, until none is.
    fn accompany(&mut self) {
        while let Some(place) = self.alone.pop_first() {
            let candidates = self.published_in(&[place]);
            // A relation without a published cell exposes its only suppressed one: the attacker
            // finds that.
            if let Some(cheapest) = candidates.into_iter().min_by_key(|&cell| self.price(cell)) {
                self.suppress(cheapest);
            }
        }
    }

    /// What suppressing a cell costs: its weight for itself and for each relation in which it
    /// would be alone, since another cell must follow there.
    fn price(&self, cell: usize) -> (u64, usize) {
        let alone =
            self.relations_of[cell].iter().filter(|&&place| self.suppressed[place as usize] == 0).count() as u64;
        (self.weights[cell].saturating_add(1).saturating_mul(1 + alone), cell)
    }

    fn suppress(&mut self, cell: usize) {
        if is_suppressed(&self.table.cells()[cell]) {
            return;
        }
        self.table.withhold(cell);
        self.moves.suppress(cell);
        for &place in &self.relations_of[cell] {
            let place = place as usize;
            self.suppressed[place] += 1;
            if self.suppressed[place] == 1 {
                self.alone.insert(place)
            } else {
                self.alone.remove(&place)
            };
        }
    }

    fn published_in(&self, relations: &[usize]) -> BTreeSet<usize> {
        let terms = relations.iter().flat_map(|&place| &self.table.relations()[place].terms);
        terms.map(|&(cell, _)| cell).filter(|&cell| !is_suppressed(&self.table.cells()[cell])).collect()
    }

    /// The cells of `waiting` that are not shown to be protected. Moves come first; in a large
    /// table they also say which published cells protect a cell once they are suppressed, and
    /// linear programs, which take long there, are for cells that no moves protect.
    fn exposed(&mut self, waiting: &[usize], limits: &Limits) -> Result<Vec<Exposed>, Error> {
        let is_large = self.table.suppressed().len() > MOST_SMALL;
        let mut left = Vec::new();
        for &cell in waiting {
            limits.check_stop()?;
            let own = self.table.cells()[cell];
            if !own.is_protected(self.moves.reached(cell)) {
                self.moves.look(cell, own.wanted());
            }
            if is_large && !own.is_protected(self.moves.reached(cell)) {
                let besides = self.moves.look_widely(cell, own.wanted());
                besides.into_iter().for_each(|other| self.suppress(other));
            }
            if !own.is_protected(self.moves.reached(cell)) {
                left.push(cell);
            }
        }
        // What was suppressed besides may be alone in a relation.
        self.accompany();
        let (mut exposed, mut programs) = (Vec::new(), Vec::new());
        for cell in left {
            let relations: Vec<usize> = self.relations_of[cell].iter().map(|&place| place as usize).collect();
            if is_large
                && relations.iter().any(|&place| {
                    self.table.relations()[place]
                        .terms
                        .iter()
                        .any(|&(cell, _): &(usize, bool)| !is_suppressed(&self.table.cells()[cell]))
                })
            {
                exposed.push(Exposed { cell, relations });
            } else {
                programs.push(cell);
            }
        }
        if !programs.is_empty() {
            exposed.extend(self.exposed_to_programs(&programs, limits)?);
        }
        Ok(exposed)
    }

    /// The cells of `waiting` that linear programs and cases do not show to be protected.
    fn exposed_to_programs(&self, waiting: &[usize], limits: &Limits) -> Result<Vec<Exposed>, Error> {
        let Some(mut solver) = self.table.solver(limits.clone())? else { return Ok(Vec::new()) };
        let mut exposed = Vec::new();
        for batch in waiting.chunks(AT_ONCE) {
            for (&cell, found) in batch.iter().zip(self.table.needed_intervals(&mut solver, batch)?) {
                match LinkedFinding::of(cell, &self.table.cells()[cell], &CountRange::from(&found)).protected {
                    ProtectionStatus::Yes => {}
                    ProtectionStatus::No => {
                        exposed.push(Exposed { cell, relations: self.relations_in(&found) });
                    }
                    ProtectionStatus::Unknown => {
                        let relations = self.relations_of[cell].iter().map(|&place| place as usize).collect();
                        exposed.push(Exposed { cell, relations });
                    }
                }
            }
        }
        Ok(exposed)
    }

    /// The relations that the proofs of an interval name.
    fn relations_in(&self, interval: &CountInterval) -> Vec<usize> {
        let mut rows = interval.lower.proof.rows();
        rows.extend(interval.upper.proof.rows());
        self.table.relations_of_rows(&rows)
    }
}

fn is_suppressed(cell: &LinkedCell) -> bool {
    cell.status != SuppressionStatus::Published
}
