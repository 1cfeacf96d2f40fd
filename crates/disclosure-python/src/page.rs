//! Pages: the account of a release, and of one table with its errors.

use std::collections::BTreeMap;
use std::path::PathBuf;

use disclosure_jobs::page::{PageLimits, ReleaseDirectory, StoredRelease};
use disclosure_report::{Amount, Bar, Bars, Column, Page, Section, Table, number, render};
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

/// A page with one table and its error bars: names, value, low and high of each line.
#[pyfunction]
fn table_page(title: &str, columns: Vec<String>, lines: Vec<(Vec<String>, f64, f64, f64)>, left_out: usize) -> String {
    let headers = columns.iter().map(Column::words).chain([Column::numbers("value")]);
    let mut table = Table::new(title, headers);
    table.row_names = columns.len();
    let mut bars = Vec::with_capacity(lines.len());
    for (names, value, low, high) in lines {
        let shown = number::with_error(value, (high - low) / 2.0);
        bars.push(Bar { label: names.join(", "), amount: Amount::Estimate { value, low, high }, shown: shown.clone() });
        table = table.row(names.into_iter().chain([shown]));
    }
    table.left_out = (left_out > 0).then(|| format!("{left_out} more lines are not shown."));
    let chart = Bars { title: title.to_owned(), axis: "people, with 95 % intervals".to_owned(), bars };
    render(&Page::new(title).section(Section::new(title).with(chart).with(table)))
}

pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(page, module)?)?;
    module.add_function(wrap_pyfunction!(page_of_directory, module)?)?;
    module.add_function(wrap_pyfunction!(table_page, module)?)
}
