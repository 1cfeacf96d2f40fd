//! The file of certificates: rows, tables, and for each end of each interval what proves it.
//!
//! Notation as in `frechet verify`. A proof is a list of nodes, the first its root; a case names its two halves by their
//! places, which come later. So a reader needs no recursion.

use std::collections::BTreeMap;
use std::path::Path;

use disclosure::frechet::{Bound, Class, Dual, Proof, Side, Solver, SparseTable, System, Tree, verify};
use privacy_data::write_atomic_with;
use serde::{Deserialize, Serialize};

use super::bounds::all_cells;
use crate::error::Failure;
use crate::files::{named, say};

/// What the file says it is.
pub(super) const SCHEMA: &str = "disclosure.frechet-certificates/1";

/// The whole file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Certificates {
    pub(super) schema: String,
    pub(super) capacities: Vec<i64>,
    pub(super) rows: Vec<RowRecord>,
    /// Tables of whole numbers that fit, as their cells that are not 0.
    pub(super) tables: Vec<Vec<(u32, i64)>>,
    pub(super) claims: Vec<Claim>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RowRecord {
    pub(super) name: String,
    pub(super) cells: Vec<u32>,
    pub(super) lower: i64,
    pub(super) upper: i64,
}

/// That the sum over some cells is at least, or at most, `value`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Claim {
    pub(super) cells: Vec<u32>,
    pub(super) side: End,
    pub(super) value: i64,
    /// The place of a table as far towards this end as was found.
    pub(super) witness: usize,
    pub(super) proof: Vec<Node>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum End {
    Lower,
    Upper,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum Node {
    /// The multipliers prove the bound here.
    Bound(Multipliers),
    /// The multipliers prove that no table is here.
    Empty(Multipliers),
    /// Either the cell holds at most `at_most`, or more.
    Split { cell: usize, at_most: i64, below: usize, above: usize },
}

/// `numerator / denominator` for each row that is listed.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Multipliers {
    pub(super) denominator: i64,
    pub(super) numerators: Vec<(usize, i64)>,
}

/// Writes the certificates of these classes. Each is verified before.
pub(super) fn write(path: &Path, solver: &mut Solver, classes: &[Class]) -> Result<(), Failure> {
    let path = named(path)?;
    let domain = solver.knowledge().domain();
    let shape = domain.shape(domain.all());
    let mut tables: BTreeMap<Vec<(u32, i64)>, usize> = BTreeMap::new();
    let mut claims = Vec::new();
    for (class, interval) in classes.iter().zip(solver.intervals(classes)?) {
        let cells = cells_of(&shape, class);
        for (side, end, bound) in
            [(Side::Lower, End::Lower, &interval.lower), (Side::Upper, End::Upper, &interval.upper)]
        {
            let verified = verify(solver.knowledge().system(), &cells, side, bound);
            verified.map_err(|flaw| Failure::new("E0374", flaw.to_string()))?;
            let witness = place(&mut tables, &bound.witness.table);
            claims.push(Claim { cells: cells.clone(), side: end, value: bound.value, witness, proof: nodes(bound) });
        }
    }
    let mut ordered: Vec<(usize, Vec<(u32, i64)>)> = tables.into_iter().map(|(table, place)| (place, table)).collect();
    ordered.sort_unstable();
    let certificates = Certificates {
        schema: SCHEMA.to_owned(),
        capacities: solver.knowledge().system().capacity().to_vec(),
        rows: rows(solver.knowledge().system()),
        tables: ordered.into_iter().map(|(_, table)| table).collect(),
        claims,
    };
    write_atomic_with(path, |out| {
        serde_json::to_writer(&mut *out, &certificates)?;
        out.write_all(b"\n")
    })?;
    Ok(())
}

/// Says what was written, and that it is no publication.
pub(super) fn say_written(path: &Path) {
    say(&format!(
        "Wrote what proves the bounds: disclosure frechet verify {}\nIt holds tables that fit, and the true one may be among \
         them: keep it where the data are.",
        path.display()
    ));
}

/// The cells of a class, in increasing order.
pub(super) fn cells_of(shape: &[usize], class: &Class) -> Vec<u32> {
    let free = |(axis, &size): (usize, &usize)| if class.axes.contains(axis) { 1 } else { size };
    let free: Vec<usize> = shape.iter().enumerate().map(free).collect();
    let cell = |mut levels: Vec<usize>| {
        class.axes.iter().zip(&class.levels).for_each(|(axis, &level)| levels[axis] = level);
        let cell = levels.iter().zip(shape).fold(0, |cell, (level, size)| cell * size + level);
        u32::try_from(cell).expect("at most 2^24 cells")
    };
    all_cells(free).map(cell).collect()
}

fn place(tables: &mut BTreeMap<Vec<(u32, i64)>, usize>, table: &SparseTable) -> usize {
    let next = tables.len();
    *tables.entry(table.counts().to_vec()).or_insert(next)
}

fn rows(system: &System) -> Vec<RowRecord> {
    let record = |row: &disclosure::frechet::Row| RowRecord {
        name: row.name().to_owned(),
        cells: row.cells().to_vec(),
        lower: row.lower(),
        upper: row.upper(),
    };
    system.rows().iter().map(record).collect()
}

fn multipliers(dual: &Dual) -> Multipliers {
    Multipliers { denominator: dual.denominator, numerators: dual.multipliers.clone() }
}

/// The nodes of a proof; halves come after their case.
fn nodes(bound: &Bound) -> Vec<Node> {
    let tree = match &bound.proof {
        Proof::Dual(dual) => return vec![Node::Bound(multipliers(dual))],
        Proof::Tree(tree) => tree,
    };
    // Trees in the order of their places, which are known when their case is reached.
    let mut waiting = vec![tree];
    let mut nodes = Vec::new();
    while let Some(&tree) = waiting.get(nodes.len()) {
        nodes.push(match tree {
            Tree::Bound(dual) => Node::Bound(multipliers(dual)),
            Tree::Empty(dual) => Node::Empty(multipliers(dual)),
            Tree::Split { cell, at_most, below, above } => {
                let first = waiting.len();
                waiting.extend([below.as_ref(), above.as_ref()]);
                Node::Split { cell: *cell, at_most: *at_most, below: first, above: first + 1 }
            }
        });
    }
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cells_of_a_class_are_those_with_its_levels() {
        let shape = [2, 3, 2];
        let class = |axes: &[usize], levels: &[usize]| Class::new(axes.iter().copied().collect(), levels);
        assert_eq!(cells_of(&shape, &class(&[1], &[2])), [4, 5, 10, 11]);
        assert_eq!(cells_of(&shape, &class(&[0, 2], &[1, 0])), [6, 8, 10]);
        assert_eq!(cells_of(&shape, &Class::cell([1, 0, 1])), [7]);
        assert_eq!(cells_of(&shape, &class(&[], &[])).len(), 12);
    }
}
