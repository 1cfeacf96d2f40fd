//! From the solver's floating multipliers to exact ones, and what exact ones prove.
//!
//! Notation of [`Proof`](frechet_certificate::Proof). Whatever rational multipliers are taken,
//! (1) there is a valid bound, so rounding costs sharpness at most, never truth. Basic solutions
//! of tables have multipliers with small denominators, so rounding to the common one gives back
//! the exact solution.

use std::collections::BTreeMap;

use crate::table::system::{NO_CAPACITY, System};
use frechet_certificate::{Multipliers, Ratio, Row};

/// Largest common denominator tried; seen on real tables: 32.
const MOST_DENOMINATOR: i64 = 5_000;
/// A multiplier this close to a multiple of `1 / D` is taken for it.
const CLOSE: f64 = 1e-6;

/// The box of every cell: least and largest count.
pub(crate) type Boxes = [(i64, i64)];

/// `D * scale` times the bound of (1): an integer, or `None` beyond 127 bits.
pub(crate) fn right_side(
    system: &System,
    boxes: &Boxes,
    cells: &[u32],
    scale: i64,
    dual: &Multipliers,
) -> Option<i128> {
    let mut total = 0_i128;
    for &(row, y) in &dual.numerators {
        let row = &system.rows[row];
        // The second sum of (1): `y r` is largest at the upper end for a positive multiplier.
        let end = if y > 0 { row.upper() } else { row.lower() };
        total = total.checked_add(i128::from(y) * i128::from(end))?;
    }
    for (cost, &(lower, upper)) in reduced_costs(system, cells, scale, dual)?.into_iter().zip(boxes) {
        // The first sum of (1), in the box of the cell.
        let end = if cost > 0 { upper } else { lower };
        total = total.checked_add(i128::from(cost) * i128::from(end))?;
    }
    Some(total)
}

/// The bound of (1) for the sum over `cells` itself, so negated for the lower side; `None` if it
/// is out of range.
pub(crate) fn bound(system: &System, boxes: &Boxes, cells: &[u32], sign: i64, dual: &Multipliers) -> Option<Ratio> {
    let side = right_side(system, boxes, cells, sign, dual)?;
    Some(Ratio::new(i64::try_from(side).ok()?.checked_mul(sign)?, dual.denominator))
}

fn reduced_costs(system: &System, cells: &[u32], scale: i64, dual: &Multipliers) -> Option<Vec<i64>> {
    let mut reduced = vec![0_i64; system.capacity.len()];
    for &cell in cells {
        reduced[cell as usize] = scale * dual.denominator;
    }
    for &(row, y) in &dual.numerators {
        for &cell in system.rows[row].cells() {
            reduced[cell as usize] = reduced[cell as usize].checked_sub(y)?;
        }
    }
    Some(reduced)
}

/// Rows that speak of one cell, or fix cells at zero: the solver takes them as boxes, and a proof
/// must name them.
#[derive(Clone)]
pub(crate) struct Implied {
    /// For each cell, an exact row with sum 0 that holds it, or a row of this cell alone.
    row_of_cell: Vec<Option<usize>>,
}

impl Implied {
    pub(crate) fn none(system: &System) -> Self {
        Self { row_of_cell: vec![None; system.capacity.len()] }
    }

    pub(crate) fn of(system: &System) -> Self {
        let mut row_of_cell: Vec<Option<usize>> = vec![None; system.capacity.len()];
        for (index, row) in system.rows.iter().enumerate() {
            match row.cells() {
                &[cell] => {
                    let slot = &mut row_of_cell[cell as usize];
                    // The narrower of two rows of one cell; the other is a row like any.
                    if slot.is_none_or(|old| width(row) < width(&system.rows[old])) {
                        *slot = Some(index);
                    }
                }
                cells if row.upper() == 0 => {
                    for &cell in cells {
                        let slot = &mut row_of_cell[cell as usize];
                        if slot.is_none_or(|old| system.rows[old].upper() > 0) {
                            *slot = Some(index);
                        }
                    }
                }
                _ => {}
            }
        }
        Self { row_of_cell }
    }

    /// The boxes that these rows leave, within capacities.
    pub(crate) fn boxes(&self, system: &System) -> Vec<(i64, i64)> {
        system
            .capacity
            .iter()
            .enumerate()
            .map(|(cell, &most): (usize, &i64)| self.narrowed(system, cell, (0, most)))
            .collect()
    }

    /// What a cell's row leaves of a box; a box that the row excludes altogether is left with its
    /// lower end above the upper one.
    pub(crate) fn narrowed(&self, system: &System, cell: usize, (lower, upper): (i64, i64)) -> (i64, i64) {
        let Some(row) = self.row_of_cell[cell] else { return (lower, upper) };
        let row = &system.rows[row];
        let least = if row.cells().len() == 1 { row.lower() } else { 0 };
        (lower.max(least), upper.min(row.upper()))
    }

    /// Whether neither a capacity nor a row of its own ends what a cell can hold.
    pub(crate) fn is_open(&self, system: &System, cell: usize) -> bool {
        system.capacity[cell] >= NO_CAPACITY && self.row_of_cell[cell].is_none()
    }

    /// Whether a row is nothing but the box of its cells.
    pub(crate) fn covers(&self, system: &System, index: usize) -> bool {
        let row = &system.rows[index];
        let own =
            |&cell: &u32| self.row_of_cell[cell as usize].is_some_and(|r| r == index || system.rows[r].upper() == 0);
        match row.cells() {
            &[cell] => self.row_of_cell[cell as usize] == Some(index),
            cells => row.upper() == 0 && cells.iter().all(own),
        }
    }

    /// Adds the multipliers of these rows that make the proof as strong as one with their boxes.
    /// A cell whose box is narrower than its row, by a case distinction, keeps its box.
    fn lift(&self, system: &System, boxes: &Boxes, cells: &[u32], scale: i64, dual: &mut Multipliers) -> Option<()> {
        let reduced = reduced_costs(system, cells, scale, dual)?;
        let mut lifted = BTreeMap::new();
        for (cell, cost) in reduced.into_iter().enumerate().filter(|&(_, cost)| cost != 0) {
            let Some(row) = self.row_of_cell[cell] else { continue };
            let own = &system.rows[row];
            let is_single = own.cells().len() == 1;
            // The solver saw this row as a box. Where the reduced cost pushes the cell against
            // that box, the row takes over the cost, and (1) then charges the row's end instead
            // of the wider capacity.
            let helps = if cost > 0 { own.upper() < boxes[cell].1 } else { is_single && own.lower() > boxes[cell].0 };
            if helps {
                // A row of sum 0 serves all its cells at once, so the largest cost is enough: a
                // smaller one leaves a cell with a negative reduced cost, whose best count is 0.
                let entry = lifted.entry(row).or_insert(0_i64);
                *entry = if is_single { cost } else { cost.max(*entry) };
            }
        }
        let mut all: BTreeMap<usize, i64> = dual.numerators.iter().copied().collect();
        for (row, more) in lifted {
            let y = all.entry(row).or_insert(0);
            *y = y.checked_add(more)?;
        }
        dual.numerators = all.into_iter().filter(|&(_, y)| y != 0).collect();
        Some(())
    }
}

fn width(row: &Row) -> i64 {
    row.upper() - row.lower()
}

/// Exact multipliers near `floating` (one for each row of `rows`), lifted over `implied`.
pub(crate) fn exact(
    (system, implied): (&System, &Implied),
    boxes: &Boxes,
    floating: impl Iterator<Item = (usize, f64)> + Clone,
    cells: &[u32],
    scale: i64,
) -> Option<Multipliers> {
    let denominator = common_denominator(floating.clone().map(|(_, y)| y));
    let numerators = floating.map(|(row, y)| (row, (y * denominator as f64).round() as i64));
    let numerators = numerators.filter(|&(_, y)| y != 0).collect();
    let mut dual = Multipliers { numerators, denominator };
    implied.lift(system, boxes, cells, scale, &mut dual)?;
    Some(dual)
}

fn is_whole(value: f64) -> bool {
    (value - value.round()).abs() < CLOSE
}

fn common_denominator(values: impl Iterator<Item = f64>) -> i64 {
    let mut common = 1_i64;
    for value in values {
        // The least factor that makes this multiplier whole as well; where none is small enough,
        // rounding costs sharpness of the bound and no more.
        if !is_whole(value * common as f64) {
            let factor = (2..=MOST_DENOMINATOR / common).find(|&factor| is_whole(value * (common * factor) as f64));
            common *= factor.unwrap_or(1);
        }
    }
    common
}

#[cfg(test)]
mod tests {
    use super::*;

    fn system(cells: usize, rows: &[(&[u32], i64, i64)]) -> System {
        let rows = rows.iter().map(|&(cells, lower, upper)| Row::new("row", cells.to_vec(), lower, upper));
        System { capacity: vec![NO_CAPACITY; cells], rows: rows.collect() }
    }

    #[test]
    fn a_common_denominator_is_the_least_there_is() {
        assert_eq!(common_denominator([0.5, 1.0 / 3.0, 0.5, 0.25, 2.0, 0.75].into_iter()), 12);
        assert_eq!(common_denominator([1.0 / 6.0, -0.5, -4.0 / 3.0].into_iter()), 6);
        // 71 times 73 exceeds the largest denominator that is tried.
        assert_eq!(common_denominator([1.0 / 71.0, 1.0 / 73.0, 2.0 / 71.0].into_iter()), 71);
    }

    #[test]
    fn the_first_of_two_rows_of_a_cell_that_leave_it_as_much_is_its_box() {
        let system = system(1, &[(&[0], 0, 9), (&[0], 1, 5), (&[0], 2, 6)]);
        let implied = Implied::of(&system);
        assert_eq!([0, 1, 2].map(|row| implied.covers(&system, row)), [false, true, false]);
        assert_eq!(implied.boxes(&system), [(1, 5)]);
    }

    #[test]
    fn a_row_is_named_where_it_says_more_than_the_box_of_its_cell() {
        let system = system(1, &[(&[0], 2, 5)]);
        let implied = Implied::of(&system);
        let named = |own: (i64, i64), scale: i64| {
            let dual = exact((&system, &implied), &[own], std::iter::empty(), &[0], scale).unwrap();
            assert_eq!(dual.denominator, 1);
            dual.numerators
        };
        // The largest count: the row ends at 5. The least: it begins at 2.
        assert_eq!([named((0, 9), 1), named((2, 6), 1), named((2, 5), 1)], [vec![(0, 1)], vec![(0, 1)], vec![]]);
        assert_eq!([named((0, 9), -1), named((1, 5), -1), named((2, 5), -1)], [vec![(0, -1)], vec![(0, -1)], vec![]]);
    }

    #[test]
    fn a_row_of_several_cells_is_their_box_where_it_says_they_are_empty() {
        let system = system(4, &[(&[0, 1], 0, 0), (&[0, 1], 1, 3), (&[2], 3, 4), (&[2], 0, 5), (&[2, 3], 0, 9)]);
        let implied = Implied::of(&system);
        // People where nobody is: a row that the solver has to see, to say so.
        assert_eq!([0, 1, 2, 3, 4].map(|row| implied.covers(&system, row)), [true, false, true, false, false]);
        assert_eq!(implied.boxes(&system), [(0, 0), (0, 0), (3, 4), (0, NO_CAPACITY)]);
    }
}
