//! What released counts plainly say: the most frequent label of each cell.
//!
//! An attacker takes the queries over one set of columns, and gives every row of a cell the label
//! with the largest released count there; where nothing is released, or where noise may have
//! reversed the order of the two largest counts, the most frequent label of all. What this
//! attacker gets right is a floor of what any attacker gets right who looks for the best set of
//! columns.
//!
//! Counts of a cell that differ by more than `4 e` still differ by more than `2 e` under noise of
//! at most `e` each, and only then is the order certain to a reader.

use crate::error::Error;
use crate::limits::ScreenLimits;
use crate::records::Records;
use crate::spec::ScreenSpec;

/// Entries of the table times sets of columns that are looked at: some seconds.
const MOST_WORK: usize = 1 << 25;

/// The share of people whose label the best set of columns gives away in this manner: exact for
/// the table and the rule of suppression. Sets of few columns are looked at first.
pub(crate) fn majority_floor(records: &Records, spec: &ScreenSpec, limits: &ScreenLimits) -> Result<f64, Error> {
    let mut totals = vec![0; records.classes()];
    records.labels().iter().zip(records.weights()).for_each(|(&label, &people)| totals[label as usize] += people);
    let commonest = (0..totals.len()).max_by_key(|&class| (totals[class], std::cmp::Reverse(class))).unwrap_or(0);
    let mut right = totals.get(commonest).copied().unwrap_or(0);
    let mut sets = MOST_WORK / records.entries().max(1);
    for order in 1..=spec.max_order().min(records.columns()) {
        let mut columns: Vec<usize> = (0..order).collect();
        loop {
            limits.check_stop()?;
            if sets == 0 {
                return Ok(right as f64 / records.people() as f64);
            }
            sets -= 1;
            right = right.max(right_of(records, spec, &columns, commonest, limits)?);
            if !next_set(&mut columns, records.columns()) {
                break;
            }
        }
    }
    Ok(right as f64 / records.people() as f64)
}

/// People whose label is given away by the queries over these columns.
fn right_of(
    records: &Records,
    spec: &ScreenSpec,
    columns: &[usize],
    commonest: usize,
    limits: &ScreenLimits,
) -> Result<u64, Error> {
    let mut cells: Vec<(u64, u32)> = (0..records.entries() as u32).map(|entry| (0, entry)).collect();
    for &column in columns {
        limits.check_stop()?;
        let (codes, values) = (records.codes(column), records.cardinality(column) as u64);
        // Cells are numbered anew after each column, so that numbers stay within the entries.
        cells.iter_mut().for_each(|(cell, entry)| *cell = *cell * values + u64::from(codes[*entry as usize]));
        cells.sort_unstable();
        let (mut number, mut last) = (0, None);
        for (cell, _) in &mut cells {
            number += u64::from(last.is_some_and(|last| last != *cell));
            (last, *cell) = (Some(*cell), number);
        }
    }
    let mut counts = vec![0; records.classes()];
    let of_cell = |cell: &[(u64, u32)]| {
        counts.fill(0);
        for &(_, entry) in cell {
            counts[records.labels()[entry as usize] as usize] += records.weights()[entry as usize];
        }
        counts[plain_label(&counts, spec).unwrap_or(commonest)]
    };
    Ok(cells.chunk_by(|one, other| one.0 == other.0).map(of_cell).sum())
}

/// The label that the counts of a cell give away; `None` where they give none away.
fn plain_label(counts: &[u64], spec: &ScreenSpec) -> Option<usize> {
    let size = counts.iter().sum();
    let mut released: Vec<usize> =
        (0..counts.len()).filter(|&class| spec.suppression().releases(counts[class], size)).collect();
    released.sort_by_key(|&class| (std::cmp::Reverse(counts[class]), class));
    let (&first, rest) = released.split_first()?;
    let gap = rest.first().map_or(u64::MAX, |&second| counts[first] - counts[second]);
    let noise = u64::from(spec.noise().half_width);
    (noise == 0 || gap > 4 * noise).then_some(first)
}

/// The next set of as many columns, in lexicographic order.
fn next_set(columns: &mut [usize], all: usize) -> bool {
    let order = columns.len();
    let Some(place) = (0..order).rev().find(|&place| columns[place] < all - order + place) else { return false };
    columns[place] += 1;
    for later in place + 1..order {
        columns[later] = columns[later - 1] + 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::CodedColumn;
    use crate::spec::{Suppression, UniformNoise};

    fn floor(noise: u32, below: u64) -> f64 {
        // The label is the exclusive or of two columns; 10 rows of each kind.
        let rows: Vec<(u32, u32)> = (0..40).map(|row| (row / 20, row / 10 % 2)).collect();
        let column = |of: fn(&(u32, u32)) -> u32| rows.iter().map(of).collect::<Vec<u32>>();
        let (a, b, label) = (column(|row| row.0), column(|row| row.1), column(|row| row.0 ^ row.1));
        let coded = |codes| CodedColumn { codes, cardinality: 2 };
        let records = Records::new(&[coded(&a), coded(&b)], coded(&label), None).unwrap();
        let noise = UniformNoise { half_width: noise, is_clamped: false };
        let spec = records.model(Suppression::ClassCount(below), noise).unwrap();
        majority_floor(&records, &spec, &ScreenLimits::default()).unwrap()
    }

    #[test]
    fn a_released_cross_table_of_the_exclusive_or_gives_every_label_away() {
        assert_eq!(floor(0, 5), 1.0);
        assert_eq!(floor(2, 5), 1.0, "10 and 0 keep their order under noise of 2");
        assert_eq!(floor(0, 11), 0.5, "nothing is released of two columns");
    }

    #[test]
    fn sets_of_columns_are_all_of_their_size() {
        let mut columns = vec![0, 1];
        let mut seen = vec![columns.clone()];
        while next_set(&mut columns, 4) {
            seen.push(columns.clone());
        }
        assert_eq!(seen, [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
    }
}
