//! What known tables show of many classes, before any linear program.
//!
//! Two tables whose counts of a class differ by more than the minimum width show that its interval
//! is wider, and most classes of a large table are decided so: a linear program costs as much as
//! thousands of moves.

use privacy_core::rng::SimRng;

use crate::engine::general::Engine;
use crate::engine::known_tables::KnownTables;
use crate::engine::markov_moves::BlockMoves;
use crate::engine::query::Need;
use crate::engine::sought::{FEW_STEPS, MOST_STEPS, SOME_STEPS, Wanted};
use crate::solver::AT_ONCE;
use crate::table::class::Class;
use crate::table::interval::{CountRange, Method};
use crate::table::system::NO_CAPACITY;
use frechet_certificate::Side;

/// Tables that are made for many classes at once.
const MOST_TABLES: usize = 256;
/// The share of the open classes that such a table must decide for another to be made.
const LEAST_SHARE: usize = 8;
/// Classes that are tried however few of them are decided.
const FIRST_TRIES: usize = 64;
/// Steps without gain before moves for one class end.
const STALLS: u32 = 4;

impl Engine {
    /// Makes tables that differ much from the first one. Moves that have no cell in common are all
    /// made in the same table, which then shows the width of many classes.
    pub(crate) fn spread(&mut self, classes: &[Class], need: Need) {
        let (Need::OnlyWiderThan(width) | Need::LinearlyWiderThan(width), true) = (need, self.context.is_large())
        else {
            return;
        };
        let Some(moves) = self.context.moves.clone() else { return };
        let grid = self.context.knowledge.grid.clone();
        let end = self.context.limits.search_end();
        let nodes = classes.iter().map(|class| (class, grid.super_cell(class.axes, &class.levels)));
        let mut open: Vec<(&Class, usize)> = nodes.filter(|&(_, node)| self.is_open(node, width)).collect();
        for number in 0..MOST_TABLES {
            let mut rng = SimRng::for_trial(0, "tables far apart", number as u64);
            let mut table = self.dense.clone();
            self.move_many(&mut table, &open, width, (&moves, &mut rng));
            let before = open.len();
            open.retain(|&(_, node)| self.is_open(node, width));
            if end.is_set() || open.is_empty() || (before - open.len()) * LEAST_SHARE < before {
                break;
            }
        }
        for &(class, node) in &open {
            self.move_apart(class, node, width);
        }
        open.retain(|&(_, node)| self.is_open(node, width));
        self.seek_apart(&mut open, width, FEW_STEPS);
        if need == Need::LinearlyWiderThan(width) {
            return;
        }
        self.drop_narrow(&mut open, width);
        self.seek_apart(&mut open, width, MOST_STEPS);
    }

    /// The same for a caller who asks again, without linear programs.
    pub(crate) fn spread_far(&mut self, classes: &[Class], width: i64) {
        if !self.context.is_large() {
            return;
        }
        let grid = self.context.knowledge.grid.clone();
        let nodes = classes.iter().map(|class| (class, grid.super_cell(class.axes, &class.levels)));
        let mut open = nodes.filter(|&(_, node)| self.is_open(node, width)).collect();
        self.seek_apart(&mut open, width, SOME_STEPS);
    }

    /// Tables to which the way leads through others with counts below zero.
    fn seek_apart(&mut self, open: &mut Vec<(&Class, usize)>, width: i64, steps: usize) {
        let Self { context, pool, dense, .. } = self;
        let Some(moves) = context.moves.as_ref() else { return };
        let end = context.limits.search_end();
        let is_shown = |pool: &KnownTables, node: usize| pool.reach(node).1 - pool.reach(node).0 > width;
        let mut found = 0;
        for (tried, &(class, node)) in open.iter().enumerate() {
            // Where nearly all searches fail, the classes are narrow, and linear programs say so.
            if tried >= FIRST_TRIES && found * LEAST_SHARE < tried {
                break;
            }
            let cells = context.knowledge.grid.cells_of(class);
            let mut rng = SimRng::for_trial(0, "ways through counts below zero", node as u64);
            for sign in [1, -1] {
                let (least, most) = pool.reach(node);
                if most - least > width || end.is_set() {
                    break;
                }
                let goal = if sign > 0 { least + width + 1 } else { most - width - 1 };
                let wanted = Wanted { cells: &cells, sign, goal };
                let Some(difference) = moves.seek(dense, &wanted, steps, (&mut rng, &end)) else { continue };
                difference.iter().for_each(|&(cell, more)| dense[cell as usize] += more);
                let is_table = context.knowledge.system.admits(dense);
                difference.iter().for_each(|&(cell, more)| dense[cell as usize] -= more);
                if is_table {
                    pool.add_moved(difference);
                }
            }
            found += usize::from(is_shown(pool, node));
        }
        open.retain(|&(_, node)| self.is_open(node, width));
    }

    /// Moves a table, for as many classes as have moves without a common cell, so far that it
    /// shows their width.
    fn move_many(
        &mut self,
        table: &mut [i64],
        open: &[(&Class, usize)],
        width: i64,
        (moves, rng): (&BlockMoves, &mut SimRng),
    ) {
        let end = self.context.limits.search_end();
        let mut is_touched = vec![false; table.len()];
        for &(class, node) in open {
            let cells = self.context.knowledge.grid.cells_of(class);
            let (least, most) = self.pool.reach(node);
            for sign in [1, -1] {
                let own: i64 = cells.iter().map(|&cell| table[cell as usize]).sum();
                let wanted = width + 1 - if sign > 0 { own - least } else { most - own };
                if end.is_set() || wanted <= 0 {
                    break;
                }
                let changed =
                    moves.reach(table, &cells, (sign, wanted), (1, |cell| !is_touched[cell]), (&mut *rng, &end));
                changed.into_iter().for_each(|(cell, _)| is_touched[cell as usize] = true);
            }
        }
        self.pool.add(table);
    }

    /// Drops the classes that linear programs decide, either way.
    fn drop_narrow(&mut self, open: &mut Vec<(&Class, usize)>, width: i64) {
        let mut left = Vec::with_capacity(open.len());
        for batch in open.chunks(AT_ONCE) {
            let classes: Vec<Class> = batch.iter().map(|&(class, _)| class.clone()).collect();
            let intervals = self.intervals(&classes, Need::LinearlyWiderThan(width));
            let is_left = batch.iter().zip(intervals).filter(|(_, interval)| interval.width() > width);
            left.extend(is_left.map(|(&own, _)| own));
        }
        left.retain(|&(_, node)| self.is_open(node, width));
        *open = left;
    }

    /// Whether neither propagation nor known tables say whether a super-cell has a wider interval.
    fn is_open(&self, node: usize, width: i64) -> bool {
        let [lower, upper] = [Side::Lower, Side::Upper].map(|side| self.context.lattice.bound(node, side));
        upper - lower > i128::from(width) && !self.is_shown(node, width)
    }

    fn is_shown(&self, node: usize, width: i64) -> bool {
        let (least, most) = self.pool.reach(node);
        most - least > width
    }

    /// What propagation and known tables say of a class, where these show that its interval is
    /// wider than asked.
    pub(crate) fn shown_range(&mut self, class: &Class, need: Need) -> Option<CountRange> {
        let (Need::OnlyWiderThan(width) | Need::LinearlyWiderThan(width)) = need else { return None };
        let node = self.context.knowledge.grid.super_cell(class.axes, &class.levels);
        if self.is_open(node, width) {
            self.move_apart(class, node, width);
        }
        self.is_shown(node, width).then(|| self.known_range(class))
    }

    /// What propagation and known tables say of a class.
    pub(crate) fn known_range(&self, class: &Class) -> CountRange {
        let node = self.context.knowledge.grid.super_cell(class.axes, &class.levels);
        let [lower, upper] = [Side::Lower, Side::Upper]
            .map(|side| i64::try_from(self.context.lattice.bound(node, side)).unwrap_or(NO_CAPACITY));
        let attained = self.pool.reach(node);
        let is_sharp = attained == (lower, upper);
        CountRange { lower, upper, attained, is_sharp, has_integer_gap: false, method: Method::Shuttle }
    }

    /// Looks for two tables whose counts of a class differ by more than `width`, from the first
    /// one.
    fn move_apart(&mut self, class: &Class, node: usize, width: i64) {
        let Self { context, pool, dense, .. } = self;
        let Some(moves) = context.moves.as_ref().filter(|_| context.is_large()) else { return };
        let cells = context.knowledge.grid.cells_of(class);
        let end = context.limits.search_end();
        let mut rng = SimRng::for_trial(0, "tables that show a width", node as u64);
        let own: i64 = cells.iter().map(|&cell| dense[cell as usize]).sum();
        for sign in [1, -1] {
            let (least, most) = pool.reach(node);
            // What the first table has to gain or to lose for the two furthest to differ enough.
            let wanted = width + 1 - if sign > 0 { own - least } else { most - own };
            if most - least > width || wanted <= 0 {
                return;
            }
            let difference = moves.reach(dense, &cells, (sign, wanted), (STALLS, |_| true), (&mut rng, &end));
            difference.iter().for_each(|&(cell, more)| dense[cell as usize] -= more);
            pool.add_moved(difference);
        }
    }
}

#[cfg(test)]
mod tests;
