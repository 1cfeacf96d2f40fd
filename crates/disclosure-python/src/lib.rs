//! The compiled half of the Python package `disclosure`: jobs as texts and data in, documents as
//! JSON and files as bytes out. What people see is in `python/disclosure`.
//!
//! Every call runs its job on the threads of this process without the interpreter's lock, looks
//! for signals meanwhile, and ends with `disclosure.Error` or with what Python raised.

mod adaptive;
mod amounts;
mod arrow_in;
mod arrow_out;
mod data;
mod error;
mod exact;
mod exact_tables;
mod files;
mod filter;
mod generator;
mod learning;
mod ledger;
mod marginals;
mod measurement;
mod page;
mod pipeline;
mod reports;
mod run;
mod screening;
mod written;

use pyo3::prelude::*;

/// The extension module `disclosure._core`.
#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    disclosure_jobs::panics::say_where_alone_on(run::THREADS);
    module.add("VERSION", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<adaptive::AdaptivePlan>()?;
    module.add_class::<data::Data>()?;
    module.add_class::<files::JobText>()?;
    module.add_class::<arrow_out::Batch>()?;
    module.add_class::<marginals::MarginalsPlan>()?;
    module.add_class::<measurement::Measurement>()?;
    module.add_class::<written::LargeRelease>()?;
    amounts::add_to(module)?;
    error::add_to(module)?;
    exact::add_to(module)?;
    exact_tables::add_to(module)?;
    files::add_to(module)?;
    filter::add_to(module)?;
    generator::add_to(module)?;
    learning::add_to(module)?;
    ledger::add_to(module)?;
    page::add_to(module)?;
    pipeline::add_to(module)?;
    reports::add_to(module)?;
    screening::add_to(module)
}
