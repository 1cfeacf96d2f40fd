//! Closed forms for margins that fall apart, and nothing else known.
//!
//! `m_C` published count of the class on the axes of part `C`, `m_S` the same for a separator.
//! Along the parts of [`split`](crate::closed::decomposition), for a class that holds the
//! separator,
//!
//! ```text
//! (3)  U = min(U_1, U_2),     L = max(0, L_1 + L_2 - m_S)
//! ```
//!
//! which are `min m_C` and `max(0, sum m_C - sum m_S)` when every part is a margin (Dobra and
//! Fienberg 2000), and `max(0, sum m_l - (d - 1) M)` for one-way margins. A class on one side of
//! a split depends on that side alone. An axis of two or more levels that no margin holds leaves
//! `L = 0`. Both ends are attained by whole tables: [`couple`] builds them.

use std::collections::BTreeMap;

use privacy_core::AttrSet;

use crate::closed::coupling::{Entries, Half, couple, offset_on};
use crate::closed::decomposition::Component;
use crate::table::class::Class;
use crate::table::grid::Grid;
use crate::table::knowledge::Knowledge;
use frechet_certificate::Side;

/// An end of an interval over a part: multipliers of the rows as in
/// [`Proof`](frechet_certificate::Proof) (1), for denominator 1, and a table over the part that
/// attains the value.
#[derive(Clone)]
pub(crate) struct ComponentBound {
    pub(crate) value: i64,
    pub(crate) multipliers: Vec<(usize, i64)>,
    pub(crate) entries: Entries,
}

/// Solves parts that do not fall apart.
pub(crate) trait PrimeSolver {
    /// The sharp end for a class over axes of a prime part, if multipliers of denominator 1 prove
    /// it.
    fn end(&mut self, part: AttrSet, class: &Class, side: Side) -> Option<ComponentBound>;
    /// Any table over the part.
    fn table(&mut self, part: AttrSet) -> Option<Entries>;
}

pub(crate) struct ClosedForm<'a, P> {
    pub(crate) knowledge: &'a Knowledge,
    pub(crate) primes: P,
    /// Values alone: neither multipliers nor tables, which have a number for every row and every
    /// cell. Those of all cells of a table take as many steps as it has cells, squared.
    pub(crate) values_only: bool,
}

impl<P: PrimeSolver> ClosedForm<'_, P> {
    /// The end for `class`, whose axes are within the part; `None` where no formula applies.
    pub(crate) fn end(&mut self, part: &Component, class: &Class, side: Side) -> Option<ComponentBound> {
        if self.knowledge.is_published(class.axes) {
            return self.published(part, class, side);
        }
        match part {
            Component::Margin(_) => self.published(part, class, side),
            Component::Free(axis) => self.free(*axis, class, side),
            Component::Prime(axes) => self.primes.end(*axes, class, side),
            Component::Split { separator, sides, .. } => {
                let [one, other] = &**sides;
                if class.axes.is_subset_of(one.axes()) {
                    self.one_sided(*separator, one, other, class, side)
                } else if class.axes.is_subset_of(other.axes()) {
                    self.one_sided(*separator, other, one, class, side)
                } else if separator.is_subset_of(class.axes) {
                    self.two_sided(*separator, [one, other], class, side)
                } else {
                    None
                }
            }
        }
    }

    /// Any table over a part.
    pub(crate) fn table(&mut self, part: &Component) -> Option<Entries> {
        match part {
            _ if self.values_only => Some(Entries::new()),
            Component::Margin(axes) => Some(self.margin_entries(*axes)),
            Component::Free(_) => Some(vec![(0, self.total())]),
            Component::Prime(axes) => self.primes.table(*axes),
            Component::Split { separator, sides, .. } => {
                let [one, other] = &**sides;
                let (ones, others) = (self.table(one)?, self.table(other)?);
                Some(self.join(*separator, [(one, &ones), (other, &others)], None, Side::Upper))
            }
        }
    }

    fn published(&mut self, part: &Component, class: &Class, side: Side) -> Option<ComponentBound> {
        let value = self.knowledge.published(class)?;
        let multipliers = self.multiples(class, side.sign())?;
        Some(ComponentBound { value, multipliers, entries: self.table(part)? })
    }

    fn free(&self, axis: usize, class: &Class, side: Side) -> Option<ComponentBound> {
        let grid = &self.knowledge.grid;
        let total = Class::new(AttrSet::EMPTY, vec![]);
        // Nothing says where on this axis anybody is: all on this level for the upper end, all on
        // another for the lower.
        let elsewhere = side == Side::Lower && grid.size(axis) > 1;
        let level = class.levels.first().copied().unwrap_or(0);
        let level = if elsewhere { usize::from(level == 0) } else { level };
        let offset = u32::try_from(level * grid.stride(axis)).expect("cells are numbered in 32 bits");
        let value = if elsewhere { 0 } else { self.total() };
        let multipliers = if elsewhere { Vec::new() } else { self.multiples(&total, side.sign())? };
        Some(ComponentBound { value, multipliers, entries: vec![(offset, self.total())] })
    }

    /// The class lies on one side, and any table of the other side goes with it.
    fn one_sided(
        &mut self,
        separator: AttrSet,
        own: &Component,
        rest: &Component,
        class: &Class,
        side: Side,
    ) -> Option<ComponentBound> {
        let end = self.end(own, class, side)?;
        let others = self.table(rest)?;
        let entries = self.join(separator, [(own, &end.entries), (rest, &others)], None, side);
        Some(ComponentBound { entries, ..end })
    }

    /// Equation (3).
    fn two_sided(
        &mut self,
        separator: AttrSet,
        sides: [&Component; 2],
        class: &Class,
        side: Side,
    ) -> Option<ComponentBound> {
        let one = self.end(sides[0], &class.on(sides[0].axes()), side)?;
        let other = self.end(sides[1], &class.on(sides[1].axes()), side)?;
        let halves = [(sides[0], &one.entries), (sides[1], &other.entries)];
        let entries = self.join(separator, halves, Some(class), side);
        if side == Side::Upper {
            let least = if one.value <= other.value { one } else { other };
            return Some(ComponentBound { entries, ..least });
        }
        let shared = class.on(separator);
        let value = one.value + other.value - self.knowledge.published(&shared)?;
        // The lower end of (3) cannot be negative: the box of the cells, which needs no
        // multiplier.
        if value <= 0 {
            return Some(ComponentBound { value: 0, multipliers: Vec::new(), entries });
        }
        let rows = self.multiples(&shared, 1)?;
        let multipliers = added([one.multipliers, other.multipliers, rows].concat());
        Some(ComponentBound { value, multipliers, entries })
    }

    /// Puts tables over two parts together; with a class, its members on both sides meet as much,
    /// or as little, as they can.
    fn join(
        &self,
        separator: AttrSet,
        halves: [(&Component, &Entries); 2],
        class: Option<&Class>,
        side: Side,
    ) -> Entries {
        if self.values_only {
            return Entries::new();
        }
        let grid = &self.knowledge.grid;
        let [(left, ones), (right, others)] = halves;
        let [own, rest] = [left, right].map(|part| class.map(|class| class.on(part.axes())));
        let left = Half { entries: ones, is_marked: &|cell| is_member(grid, own.as_ref(), cell) };
        let right = Half { entries: others, is_marked: &|cell| is_member(grid, rest.as_ref(), cell) };
        couple(grid, separator, &left, &right, side)
    }

    fn margin_entries(&self, axes: AttrSet) -> Entries {
        let knowledge = self.knowledge;
        let holding = knowledge.margins.iter().filter(|margin| axes.is_subset_of(margin.axes));
        let margin = holding.min_by_key(|margin| knowledge.grid.classes(margin.axes));
        let margin = margin.expect("the part lies within a margin");
        let mut sums = BTreeMap::new();
        for row in &knowledge.system.rows[margin.first_row..margin.first_row + knowledge.grid.classes(margin.axes)] {
            if row.lower() > 0 {
                *sums.entry(offset_on(&knowledge.grid, row.cells()[0], axes)).or_insert(0) += row.lower();
            }
        }
        sums.into_iter().collect()
    }

    fn multiples(&self, class: &Class, multiplier: i64) -> Option<Vec<(usize, i64)>> {
        if self.values_only {
            return Some(Vec::new());
        }
        Some(self.knowledge.rows_of(class)?.into_iter().map(|row| (row, multiplier)).collect())
    }

    fn total(&self) -> i64 {
        self.knowledge.published(&Class::new(AttrSet::EMPTY, vec![])).expect("a table falls apart only along margins")
    }
}

/// Whether a cell is in a class; in none where there is no class.
fn is_member(grid: &Grid, class: Option<&Class>, cell: usize) -> bool {
    class
        .is_some_and(|class| class.axes.iter().zip(&class.levels).all(|(axis, &level)| grid.level(cell, axis) == level))
}

/// The sum of multipliers, each row once.
pub(crate) fn added(multipliers: impl IntoIterator<Item = (usize, i64)>) -> Vec<(usize, i64)> {
    let mut sum = BTreeMap::new();
    for (row, multiplier) in multipliers {
        *sum.entry(row).or_insert(0) += multiplier;
    }
    sum.into_iter().filter(|&(_, multiplier)| multiplier != 0).collect()
}

#[cfg(test)]
mod tests {
    use privacy_core::{ContingencyTable, Domain};

    use super::*;
    use crate::engine::linear_program::Limits;
    use crate::solver::Solver;
    use crate::table::interval::Method;

    #[test]
    fn all_are_anywhere_on_an_axis_of_which_nothing_is_published() {
        // With one level there is nowhere else to be.
        for (levels, least) in [(1, 3), (2, 0)] {
            let domain = Domain::of_cardinalities(&[2, levels]).unwrap();
            let mut counts = vec![0; 2 * levels];
            (counts[0], counts[levels]) = (3, 4);
            let table = ContingencyTable::from_cells(&domain, domain.all(), counts).unwrap();
            let mut knowledge = Knowledge::of_counts(domain).unwrap();
            knowledge.publish_margin(&table.marginal(AttrSet::single(0)).unwrap()).unwrap();
            let mut solver = Solver::new(knowledge, Limits::default()).unwrap();
            let interval = solver.interval(&Class::cell([0, 0])).unwrap();
            assert_eq!((interval.lower.value, interval.upper.value), (least, 3), "{levels}");
            assert_eq!(interval.method, Method::TwoWay);
        }
    }
}
