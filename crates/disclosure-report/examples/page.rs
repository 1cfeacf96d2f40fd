//! Writes a page about a small release to the standard output.
//!
//! ```sh
//! cargo run -p disclosure-report --example page > page.html
//! cargo run -p disclosure-report --example page -- --public > public.html
//! ```

use std::io::{self, Write};

use disclosure_report::number::{count, with_error};
use disclosure_report::{
    Amount, Bar, Bars, Block, Cell, Column, Page, PromiseSection, Section, StatementKind, Table, Tone, render,
};

/// Age group, noisy count, half-width of its 95 % interval.
const COUNTS: [(&str, f64, f64); 3] = [("18-34", 411.2, 5.5), ("35-64", 702.9, 5.5), ("65+", 388.4, 5.5)];

fn main() -> io::Result<()> {
    let page = Page::new("Survey 2024")
        .lead("One table with noise, 3 numbers. What is protected: a row of the data.")
        .section(Section::new("What is promised").with(promise()))
        .section(Section::new("Tables").with(chart()).with(table()))
        .section(Section::owner("Targets").with(Block::Note(Tone::Good, "The largest error is below 6.".into())))
        .colophon("Made by the example of disclosure-report.");
    // A section for the data owner must not leave with the release.
    let page = if std::env::args().any(|argument| argument == "--public") { page.public() } else { page };
    io::stdout().write_all(render(&page).as_bytes())
}

fn promise() -> PromiseSection {
    PromiseSection::new(StatementKind::Guarantee, "0.1-zCDP")
        .term("neighbours", "tables that differ in one row, added or removed")
        .term("against", "anyone who sees the whole release")
        .not_covered("sampling error")
}

fn chart() -> Bars {
    let bars = COUNTS.iter().map(|&(label, value, error)| Bar {
        label: label.into(),
        amount: Amount::Estimate { value, low: value - error, high: value + error },
        shown: format!("{} ± {}", with_error(value, error), with_error(error, error)),
    });
    Bars { title: "Respondents by age".into(), axis: "people, with 95 % intervals".into(), bars: bars.collect() }
}

fn table() -> Table {
    let columns = [Column::words("age"), Column::numbers("people"), Column::words("status")];
    let rows = COUNTS.iter().map(|&(label, value, _)| [label.into(), count(value), "with noise".into()]);
    rows.fold(Table::new("Respondents by age", columns), |table, row| table.row(row.map(Cell::from)))
}
