//! Rows that are the count of a class: a margin published in part consists of them.

use privacy_core::AttrSet;

use crate::table::class::Class;
use crate::table::grid::Grid;
use crate::table::knowledge::Knowledge;

/// The rows outside of whole margins, each with its class where it counts one. Linear in the
/// entries of these rows.
pub(crate) fn class_rows(knowledge: &Knowledge) -> Vec<(usize, Option<Class>)> {
    let grid = &knowledge.grid;
    let mut in_margin = vec![false; knowledge.system.rows.len()];
    for margin in &knowledge.margins {
        in_margin[margin.first_row..margin.first_row + grid.classes(margin.axes)].fill(true);
    }
    let others = knowledge.system.rows.iter().enumerate().filter(|&(row, _)| !in_margin[row]);
    others.map(|(row, own)| (row, class_of(grid, own.cells()))).collect()
}

/// The class that consists of these cells, if one does.
fn class_of(grid: &Grid, cells: &[u32]) -> Option<Class> {
    let first = *cells.first()? as usize;
    let axes: AttrSet = (0..grid.axes())
        .filter(|&axis: &usize| cells.iter().all(|&cell| grid.level(cell as usize, axis) == grid.level(first, axis)))
        .collect();
    // All cells with these levels are in the class, so as many as it has are the class.
    let class = Class::new(axes, grid.levels(first, axes));
    (cells.len() * grid.classes(axes) == grid.cells()).then_some(class)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::class::Region;
    use privacy_core::Domain;

    #[test]
    fn rows_of_a_margin_in_part_are_classes_and_unions_are_not() {
        let mut knowledge = Knowledge::of_counts(Domain::of_cardinalities(&[3, 2, 2]).unwrap()).unwrap();
        let region = |a: &[usize], b: &[usize]| Region::everything().with(0, a).with(1, b);
        knowledge.publish_count("a class", &region(&[2], &[1]), 3).unwrap();
        knowledge.publish_count("a union", &region(&[1, 2], &[1]), 3).unwrap();
        knowledge.publish_count("all", &Region::everything(), 9).unwrap();
        let found: Vec<Option<Class>> = class_rows(&knowledge).into_iter().map(|(_, class)| class).collect();
        let axes = AttrSet::from_iter([0, 1]);
        assert_eq!(found, [Some(Class::new(axes, [2, 1])), None, Some(Class::new(AttrSet::EMPTY, []))]);
    }
}
