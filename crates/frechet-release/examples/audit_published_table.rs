//! Audits a published table with suppressed cells: which of them does a reader recover?
//!
//! ```sh
//! cargo run -p frechet-release --example audit_published_table
//! ```
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use std::error::Error;

use frechet_release::{CellRelation, Limits, LinkedCell, LinkedTable, Protection, ProtectionStatus, SuppressionStatus};

/// Children by county and by the education of the head of the household (the table of FCSM
/// Working Paper 22), with totals last. `P` marks a cell suppressed because it is sensitive, `S`
/// one suppressed to protect others.
const TABLE: [[(u64, char); 5]; 5] = [
    [(15, ' '), (1, 'P'), (3, 'P'), (1, 'P'), (20, ' ')],
    [(20, ' '), (10, ' '), (10, ' '), (15, ' '), (55, ' ')],
    [(3, 'P'), (10, ' '), (10, 'S'), (2, 'P'), (25, ' ')],
    [(12, ' '), (14, 'S'), (7, ' '), (2, 'P'), (35, ' ')],
    [(50, ' '), (35, ' '), (30, ' '), (20, ' '), (135, ' ')],
];

fn main() -> Result<(), Box<dyn Error>> {
    let table = LinkedTable::new(cells(), relations())?;
    let mut solver = table.solver(Limits::default())?.ok_or("no cell is suppressed")?;
    println!("row column  count  reader knows  protected");
    for finding in table.audit(&mut solver)? {
        let (row, column) = (finding.cell / 5 + 1, finding.cell % 5 + 1);
        let count = TABLE[row - 1][column - 1].0;
        let protected = match finding.protected {
            ProtectionStatus::Yes => "yes",
            ProtectionStatus::No => "no",
            ProtectionStatus::Unknown => "unknown",
        };
        println!("{row:3} {column:6} {count:6}  {:5} to {:<3}  {protected}", finding.lower, finding.upper);
    }
    Ok(())
}

/// A sensitive cell needs an interval of at least three counts around it.
fn cells() -> Vec<LinkedCell> {
    let protection = Protection { sliding: 3, ..Protection::default() };
    let cell = |&(count, mark): &(u64, char)| {
        let status = match mark {
            'P' => SuppressionStatus::Primary,
            'S' => SuppressionStatus::Secondary,
            _ => SuppressionStatus::Published,
        };
        LinkedCell { count, status, known: (0, 1_000), protection }
    };
    TABLE.iter().flatten().map(cell).collect()
}

/// Every row and every column adds up to its last cell.
fn relations() -> Vec<CellRelation> {
    let cells = |line: usize, is_row: bool| (0..5).map(move |i| if is_row { 5 * line + i } else { 5 * i + line });
    let relation = |line, is_row| {
        let terms = cells(line, is_row).enumerate().map(|(place, cell)| (cell, place == 4)).collect();
        CellRelation { constant: 0, terms }
    };
    (0..5).flat_map(|line| [relation(line, true), relation(line, false)]).collect()
}
