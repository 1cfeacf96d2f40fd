//! Subtraction over orders: a table by two columns, by each of them, and as a whole, in query
//! mode. One cell has one person or two, and is always suppressed; everything else is shown. What
//! the cell has follows twice from the numbers: from its row and from its column, each less the
//! other cells.
//!
//! With exact numbers the attacker is right every time. Rounded or noisy numbers leave a guess: by
//! the average of both differences, and one difference has a standard deviation of several
//! people.

use disclosure::lcf::{
    Counted, DrawMode, FilteredTable, GroupLimits, GroupNumber, LabelledGroups, LowCountFilter, TableOptions,
};
use rand::Rng;

use super::super::lcf::{Law, Number, filter_of, secret};
use crate::prelude::*;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    law: Law,
    number: Number,
    /// Rows and columns of the table.
    size: usize,
    /// The share of right guesses that is claimed as the most.
    most: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Fault {
    /// Exact numbers of rows.
    ExactNumbers,
}

pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let Spec { law, number, size, most } = blueprint.spec()?;
    let (thresholds, number) = (law.cutoffs(blueprint)?, number.number(blueprint)?);
    if thresholds.floor() < 3 || size < 2 {
        return Err(blueprint.refuse("the cell has up to two people, and has neighbours"));
    }
    let cap = thresholds.cap();
    blueprint.bit_trials(
        vec![Quantity::share("right guesses", Claim::at_most(most)?)?],
        |fault: Option<Fault>| {
            let number = if fault.is_some() { GroupNumber::Exact(Counted::Rows) } else { number };
            let filter = filter_of(&thresholds, DrawMode::Query, &secret(blueprint, "secret")?)?;
            Ok(Orders { filter: filter.with_number(number)?, size, cap })
        },
        |cell: &[f64; 2], _: &mut SimRng| f64::midpoint(cell[0], cell[1]) > 1.5,
        coin_toss,
    )
}

struct Orders {
    filter: LowCountFilter,
    size: usize,
    /// Cells other than the attacked one have at least this many people.
    cap: u64,
}

impl BitAudit for Orders {
    /// The people of the cell as they follow from its row, and from its column.
    type View = [f64; 2];
    /// Whether there are two.
    type Answer = bool;

    fn view(&self, is_two: bool, rng: &mut SimRng) -> Result<[f64; 2], Error> {
        let mut people = Vec::new();
        for cell in 0..self.size * self.size {
            let count = if cell == 0 { 1 + u64::from(is_two) } else { self.cap + rng.random_range(0..30) };
            people.extend((0..count).map(|_| (cell / self.size, cell % self.size, rng.next_u64())));
        }
        let cells = self.table(&people, &["row", "column"])?;
        let (rows, columns) = (self.table(&people, &["row"])?, self.table(&people, &["column"])?);
        let in_row: f64 = (1..self.size).map(|column| shown(&cells, &[&0.to_string(), &column.to_string()])).sum();
        let in_column: f64 = (1..self.size).map(|row| shown(&cells, &[&row.to_string(), &0.to_string()])).sum();
        Ok([shown(&rows, &[&0.to_string()]) - in_row, shown(&columns, &[&0.to_string()]) - in_column])
    }

    fn measure(&self, is_two: bool, says_two: &bool, measured: &mut [Option<f64>]) {
        measured[0] = Some(f64::from(*says_two == is_two));
    }
}

impl Orders {
    /// The people grouped by some of the columns.
    fn table(&self, people: &[(usize, usize, u64)], columns: &[&str]) -> Result<FilteredTable, Error> {
        let mut table = LabelledGroups::new(columns.iter().copied(), &self.filter, GroupLimits::default());
        for &(row, column, person) in people {
            let labels = [("row", row.to_string()), ("column", column.to_string())];
            let labels = columns.iter().flat_map(|name| labels.iter().filter(move |(own, _)| own == name));
            table.row(labels.map(|(_, label)| label.as_str()))?.insert_with(0, || person)?;
        }
        Ok(self.filter.apply(table.into_table(), TableOptions::of(DrawMode::Query))?)
    }
}

/// The number beside a group that is shown.
fn shown(table: &FilteredTable, labels: &[&str]) -> f64 {
    let group = table.reported().find(|group| group.labels().eq(labels.iter().copied()));
    group.and_then(|group| group.number).unwrap_or(0) as f64
}
