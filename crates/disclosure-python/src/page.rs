//! Pages: the account of a release, and tables with their errors.

use std::collections::BTreeMap;
use std::path::PathBuf;

use disclosure_jobs::page::{self as job_page, PageLimits, ReleaseDirectory, StoredRelease};
use disclosure_report::{Amount, Bar, Bars, Block, Column, Page, Section, Table, number, render};
use pyo3::prelude::*;

use crate::files::memory_files;
use crate::run::run;

/// The page of a release, from its files.
#[pyfunction]
#[pyo3(signature = (files, public=true, max_lines=200))]
fn page(py: Python<'_>, files: BTreeMap<String, Vec<u8>>, public: bool, max_lines: usize) -> PyResult<String> {
    run(py, None, |_| {
        let limits = PageLimits { max_lines, ..PageLimits::default() };
        let page = StoredRelease::read(&memory_files(files), limits)?.page();
        Ok(render(&if public { page.public() } else { page }))
    })
}

/// The page of a release in a directory.
#[pyfunction]
#[pyo3(signature = (directory, public=true, max_lines=200))]
fn page_of_directory(py: Python<'_>, directory: PathBuf, public: bool, max_lines: usize) -> PyResult<String> {
    run(py, None, |_| {
        let limits = PageLimits { max_lines, ..PageLimits::default() };
        let release = StoredRelease::read(&ReleaseDirectory::open(&directory)?, limits);
        let page = release.map_err(|failure| failure.within(&directory))?.page();
        Ok(render(&if public { page.public() } else { page }))
    })
}

/// The page of one document.
#[pyfunction]
#[pyo3(signature = (text, max_lines=200))]
fn document_page(py: Python<'_>, text: &str, max_lines: usize) -> PyResult<String> {
    run(py, None, |_| {
        let limits = PageLimits { max_lines, ..PageLimits::default() };
        Ok(render(&job_page::document_page("document", text.as_bytes(), limits)?))
    })
}

/// A table to be shown: its title, the names of its columns, the axis of its bars, its lines
/// (names, value, low and high), and how many lines are left out. A value of NaN is withheld.
type ShownTable = (String, Vec<String>, String, Vec<(Vec<String>, f64, f64, f64)>, usize);

/// A page with a list of statements, and tables with their error bars.
#[pyfunction]
fn tables_page(title: &str, statements: Vec<String>, tables: Vec<ShownTable>) -> String {
    let said = (!statements.is_empty()).then(|| Section::new("What is promised").with(Block::List(statements)));
    let page = said.into_iter().fold(Page::new(title), Page::section);
    render(&tables.into_iter().map(shown).fold(page, Page::section))
}

fn shown((title, columns, axis, lines, left_out): ShownTable) -> Section {
    let headers = columns.iter().map(Column::words).chain([Column::numbers("value")]);
    let mut table = Table::new(&title, headers);
    table.row_names = columns.len();
    let mut bars = Vec::with_capacity(lines.len());
    for (names, value, low, high) in lines {
        let bar = bar(names.join(", "), value, low, high);
        table = table.row(names.into_iter().chain([bar.shown.clone()]));
        bars.push(bar);
    }
    table.left_out = (left_out > 0).then(|| format!("{left_out} more lines are not shown."));
    let chart = Bars { title: title.clone(), axis, bars };
    Section::new(title).with(chart).with(table)
}

fn bar(label: String, value: f64, low: f64, high: f64) -> Bar {
    let (amount, shown) = match (value.is_nan(), low == high) {
        (true, _) => (Amount::Withheld, "withheld".to_owned()),
        (false, true) => (Amount::Exact(value), number::with_error(value, 0.0)),
        (false, false) => (Amount::Estimate { value, low, high }, number::with_error(value, (high - low) / 2.0)),
    };
    Bar { label, amount, shown }
}

pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(page, module)?)?;
    module.add_function(wrap_pyfunction!(page_of_directory, module)?)?;
    module.add_function(wrap_pyfunction!(document_page, module)?)?;
    module.add_function(wrap_pyfunction!(tables_page, module)?)
}
