//! Margins that split: each prime part has an engine of its own, and margins that share axes must
//! agree there.

use std::collections::BTreeMap;

use privacy_core::AttrSet;

use crate::closed::coupling::Entries;
use crate::closed::forms::{ComponentBound, PrimeSolver, added};
use crate::engine::conflict;
use crate::engine::general::Engine;
use crate::engine::linear_program::Limits;
use crate::table::class::Class;
use crate::table::error::Error;
use crate::table::knowledge::{Knowledge, Margin};
use frechet_certificate::{Multipliers, Ratio, Side, SparseTable};

/// The engine of a prime part, with the rows of the whole that add up to each of its rows.
pub(crate) struct ComponentEngine {
    engine: Engine,
    rows: Vec<Vec<usize>>,
    offsets: Vec<u32>,
}

/// Margins that share axes must have equal sums there.
pub(crate) fn agree(knowledge: &Knowledge, limits: &Limits) -> Result<(), Error> {
    let grid = &knowledge.grid;
    let sums = |margin: &Margin, axes: AttrSet| {
        let mut sums = vec![(0_i64, Vec::new()); grid.classes(axes)];
        for class in 0..grid.classes(margin.axes) {
            let levels = Class { axes: margin.axes, levels: grid.levels_of_class(class, margin.axes) }.levels_on(axes);
            let (sum, rows) = &mut sums[grid.class_index(axes, &levels)];
            *sum += knowledge.system.rows[margin.first_row + class].lower();
            rows.push(margin.first_row + class);
        }
        sums
    };
    for (place, one) in knowledge.margins.iter().enumerate() {
        for other in &knowledge.margins[..place] {
            let shared = one.axes.intersection(other.axes);
            for ((left, mut rows), (right, more)) in sums(one, shared).into_iter().zip(sums(other, shared)) {
                if left != right {
                    rows.extend(more);
                    return Err(conflict::explain(&knowledge.system, rows, limits));
                }
            }
        }
    }
    Ok(())
}

/// `first` is a table of the whole that fits, if one is known.
pub(crate) fn component_engine(
    knowledge: &Knowledge,
    axes: AttrSet,
    limits: Limits,
    first: Option<&[i64]>,
) -> Result<ComponentEngine, Error> {
    let (restricted, rows) = knowledge.restricted(axes)?;
    let own = restricted.grid.clone();
    let stride: Vec<usize> = axes.iter().map(|axis| knowledge.grid.stride(axis)).collect();
    let offset = |cell: usize| -> usize { (0..own.axes()).map(|place| own.level(cell, place) * stride[place]).sum() };
    let offsets = (0..own.cells()).map(|cell| u32::try_from(offset(cell)).expect("at most 2^24 cells")).collect();
    let first = first.map(|table| {
        let mut sums = vec![0; own.cells()];
        table.iter().enumerate().for_each(|(cell, count)| sums[knowledge.grid.class_of_cell(cell, axes)] += count);
        sums
    });
    let engine = Engine::new(restricted, limits.clone(), first.as_deref()).map_err(|error| match error {
        Error::Inconsistent { positions, .. } => {
            let suspects = positions.into_iter().flat_map(|row| rows[row].clone()).collect();
            conflict::explain(&knowledge.system, suspects, &limits)
        }
        other => other,
    })?;
    Ok(ComponentEngine { engine, rows, offsets })
}

/// The engines of the prime parts, as the closed forms ask them.
pub(crate) struct ComponentEngines<'a> {
    pub(crate) parts: &'a mut BTreeMap<AttrSet, ComponentEngine>,
}

impl ComponentEngine {
    fn entries(&self, table: &SparseTable) -> Entries {
        table.counts().iter().map(|&(cell, count)| (self.offsets[cell as usize], count)).collect()
    }
}

impl PrimeSolver for ComponentEngines<'_> {
    fn end(&mut self, axes: AttrSet, class: &Class, side: Side) -> Option<ComponentBound> {
        let part = self.parts.get_mut(&axes)?;
        let own: AttrSet = class.axes.iter().filter_map(|axis| axes.axis_of(axis)).collect();
        let (bound, _) = part.engine.end(&Class { axes: own, levels: class.levels.clone() }, side);
        let Multipliers { denominator: 1, numerators } = bound.proof.as_rows()? else { return None };
        if !bound.is_sharp() || bound.relaxed != Ratio::whole(bound.value) {
            return None;
        }
        let rows = |row: usize| part.rows[row].iter().copied();
        let multipliers = added(numerators.iter().flat_map(|&(row, y)| rows(row).map(move |row| (row, y))));
        Some(ComponentBound { value: bound.value, multipliers, entries: part.entries(&bound.witness.table) })
    }

    fn table(&mut self, axes: AttrSet) -> Option<Entries> {
        let part = self.parts.get(&axes)?;
        part.engine.pool().tables().first().map(|table| part.entries(table))
    }
}
