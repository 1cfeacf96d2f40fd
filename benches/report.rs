//! Pages of releases: tables with their pictures, by number of lines.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use disclosure_report::{Amount, Bar, Bars, Cell, Column, Page, Section, Table, render};

/// A page of sections of 20 lines each, drawn and as a table.
fn page(sections: usize) -> Page {
    let mut page = Page::new("A release");
    page.sections = (0..sections).map(section).collect();
    page
}

fn section(number: usize) -> Section {
    let value = |line: usize| (number * 20 + line) as f64 * 1.37 - 50.0;
    let bar = |line| {
        let amount = Amount::Estimate { value: value(line), low: value(line) - 3.2, high: value(line) + 3.2 };
        Bar { label: format!("category {line}"), amount, shown: format!("{:.1} ± 3.2", value(line)) }
    };
    let row = |line| [format!("category {line}"), format!("{:.1}", value(line))].map(Cell::from).into();
    let bars = Bars { title: "Counts".to_owned(), axis: "people".to_owned(), bars: (0..20).map(bar).collect() };
    let table = Table {
        caption: "Counts".to_owned(),
        columns: vec![Column::words("category"), Column::numbers("value")],
        row_names: 1,
        rows: (0..20).map(row).collect(),
        left_out: None,
        is_compact: false,
    };
    Section::new(format!("Table {number}")).with(bars).with(table)
}

fn pages(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("report");
    for sections in [10, 100, 1000] {
        let page = page(sections);
        group.throughput(Throughput::Bytes(render(&page).len() as u64));
        group.bench_function(BenchmarkId::new("render/tables", sections), |bench| bench.iter(|| render(&page)));
    }
    group.finish();
}

criterion_group!(benches, pages);
criterion_main!(benches);
