//! From the furthest known table of a question to one at its bound, by moves and by ways through
//! counts below zero.

use privacy_core::rng::SimRng;

use crate::engine::query::{Query, QueryRunner};
use crate::engine::sought::Wanted;
use frechet_certificate::{Side, Witness};

impl QueryRunner<'_> {
    /// Looks for a table at a goal, or as near to it as one can be found.
    pub(super) fn approach(&mut self, query: &Query<'_>, best: &mut Witness, goal: i64, steps: usize) {
        // Where it is missed, half the way to the nearest that was.
        let mut next = goal;
        while query.is_further(next, best.value) {
            let missed = if self.seek(query, best, next, steps) { goal } else { next };
            next = best.value + (missed - best.value) / 2;
        }
    }

    /// Looks for a table at a goal by ways through counts below zero; whether there is one.
    pub(super) fn seek(&mut self, query: &Query<'_>, best: &mut Witness, goal: i64, steps: usize) -> bool {
        let Some(moves) = self.context.moves.as_ref().filter(|_| self.context.is_large()) else { return false };
        let Some(&first) = query.cells.first() else { return false };
        let trial = query.node.unwrap_or(first as usize);
        let mut rng = SimRng::for_trial(u64::from(query.side == Side::Upper), "seek a bound", trial as u64);
        let end = self.context.limits.search_end();
        let mut table = best.table.to_dense(self.context.knowledge.grid.cells());
        let wanted = Wanted { cells: query.cells, sign: query.side.sign(), goal };
        let Some(difference) = moves.seek(&mut table, &wanted, steps, (&mut rng, &end)) else { return false };
        difference.iter().for_each(|&(cell, more)| table[cell as usize] += more);
        let is_table = self.context.knowledge.system.admits(&table);
        if is_table {
            self.take(query, best, table);
        }
        is_table
    }

    /// Looks for a table at a bound, from the furthest one, by moves within the fiber.
    pub(super) fn climb(&mut self, query: &Query<'_>, best: &mut Witness, bound: i128) {
        let (Some(moves), Ok(goal)) = (&self.context.moves, i64::try_from(bound)) else { return };
        let Some(&first) = query.cells.first().filter(|_| best.value != goal) else { return };
        let mut table = best.table.to_dense(self.context.knowledge.grid.cells());
        let trial = query.node.unwrap_or(first as usize);
        let mut rng = SimRng::for_trial(u64::from(query.side == Side::Upper), "climb towards a bound", trial as u64);
        let end = self.context.limits.search_end();
        let value = moves.climb(&mut table, query.cells, query.side.sign(), goal, (&mut rng, &end));
        if value != best.value && self.context.knowledge.system.admits(&table) {
            self.take(query, best, table);
        }
    }
}
