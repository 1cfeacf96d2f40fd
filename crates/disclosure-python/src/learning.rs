//! What a person begins with: a domain learnt from the data, and a job to be filled in.

use disclosure_jobs::JobError;
use disclosure_jobs::input::{EncodingName, FormatSpec, job_skeleton, learn_spec};
use disclosure_jobs::observer::Observer;
use disclosure_jobs::privacy_data::{CsvOptions, DomainFile, Encoding};
use pyo3::prelude::*;

use crate::data::Data;
use crate::error::exception;
use crate::run::run;

/// What is said about columns, in the words of `disclosure init`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Learning {
    count: Option<String>,
    bins: Vec<String>,
    quantiles: Vec<String>,
    missing: Option<String>,
    encoding: String,
}

impl Learning {
    fn encoding(&self, py: Python<'_>) -> PyResult<Encoding> {
        let name: EncodingName = serde_json::from_value(self.encoding.as_str().into())
            .map_err(|_| exception(py, &JobError::new("E0200", "encoding is \"utf-8\" or \"latin1\"")))?;
        Ok(name.into())
    }

    fn learn(&self, data: &Data, encoding: Encoding, observer: &dyn Observer) -> Result<DomainFile, JobError> {
        let learn = learn_spec(&self.bins, &self.quantiles, self.missing.as_deref())?;
        let options = CsvOptions { encoding, count_column: self.count.clone(), ..CsvOptions::default() };
        data.source(&FormatSpec::default(), observer)?.learn_domain_with(&options, &learn)
    }
}

/// What the columns look like, as the text of a `domain.toml`.
#[pyfunction]
fn learn_domain(py: Python<'_>, data: Py<Data>, learning: Learning) -> PyResult<String> {
    let (data, encoding) = (data.get(), learning.encoding(py)?);
    run(py, None, |observer| Ok(learning.learn(data, encoding, observer)?.to_toml()))
}

/// The same, with a job for `disclosure run` to be filled in; `beside` is the path of the data from
/// the directory of both.
#[pyfunction]
fn start(
    py: Python<'_>,
    data: Py<Data>,
    learning: Learning,
    beside: String,
    title: String,
) -> PyResult<(String, String)> {
    let (data, encoding) = (data.get(), learning.encoding(py)?);
    run(py, None, |observer| {
        let domain = learning.learn(data, encoding, observer)?;
        let job = job_skeleton(&domain, &beside, &title);
        Ok((domain.to_toml(), job))
    })
}

pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(learn_domain, module)?)?;
    module.add_function(wrap_pyfunction!(start, module)?)
}
