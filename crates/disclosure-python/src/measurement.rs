//! A measurement in memory: tables, covariances, synthetic rows, and the form that mbi reads.

use std::io::Cursor;
use std::sync::Arc;

use disclosure_jobs::JobError;
use disclosure_jobs::disclosure::resplan::{PlanLimits, StoredMeasurement};
use disclosure_jobs::limits::Limits;
use disclosure_jobs::marginals::{self, AnswerLine};
use disclosure_jobs::sink::{MemorySink, Sink};
use disclosure_jobs::synthetic::SynthesisRequest;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::generator::system;
use crate::ledger::json;
use crate::run::run;

/// The bytes of `measurement.bin`.
#[pyclass(frozen, module = "disclosure._core")]
pub(crate) struct Measurement {
    bytes: Arc<[u8]>,
    limits: Limits,
}

type Opened = marginals::Measurement<Cursor<Arc<[u8]>>>;

impl Measurement {
    fn opened(&self) -> Result<Opened, JobError> {
        marginals::Measurement::open("measurement.bin", Cursor::new(Arc::clone(&self.bytes)), &self.limits)
    }
}

/// Names in the form of a line of CSV.
fn line(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("\"{}\"", name.replace('"', "\"\""))).collect();
    quoted.join(",")
}

/// Numbers of 64 bits as their bytes.
fn bytes<'py>(py: Python<'py>, numbers: &[f64]) -> Bound<'py, PyBytes> {
    PyBytes::new(py, &numbers.iter().flat_map(|number| number.to_ne_bytes()).collect::<Vec<u8>>())
}

/// Attributes, the names along each, value, sd, low and high in row-major order, and statuses.
type Answers<'py> = (Vec<String>, Vec<Vec<String>>, [Bound<'py, PyBytes>; 4], Vec<String>);

#[pymethods]
impl Measurement {
    #[new]
    fn new(py: Python<'_>, bytes: Vec<u8>) -> PyResult<Self> {
        let measurement = Self { bytes: bytes.into(), limits: Limits::default() };
        run(py, None, |_| measurement.opened().map(drop))?;
        Ok(measurement)
    }

    /// What all answers have in common, and the planned tables: two documents.
    fn contents(&self, py: Python<'_>) -> PyResult<(String, String)> {
        run(py, None, |_| {
            let opened = self.opened()?;
            Ok((json(&opened.header()), json(&opened.marginals())))
        })
    }

    /// The answers about one table, with its attributes in their own order.
    fn answers<'py>(&self, py: Python<'py>, names: Vec<String>) -> PyResult<Answers<'py>> {
        let (attributes, axes, numbers, statuses) = run(py, None, |_| {
            let mut opened = self.opened()?;
            let request = opened.table(&line(&names))?;
            let answers = opened.answers(&request)?;
            let attributes = answers.attributes();
            let mut axes: Vec<Vec<String>> = vec![Vec::new(); attributes.len()];
            let mut numbers: [Vec<f64>; 4] = Default::default();
            let mut statuses = Vec::new();
            for answer in answers.lines() {
                add(&mut axes, &answer);
                let own = [answer.value, answer.sd, answer.ci95_low, answer.ci95_high];
                numbers.iter_mut().zip(own).for_each(|(all, number)| all.push(number));
                statuses.push(format!("{:?}", answer.status).to_lowercase());
            }
            Ok((attributes, axes, numbers, statuses))
        })?;
        let numbers = numbers.each_ref().map(|all| bytes(py, all));
        Ok((attributes, axes, numbers, statuses))
    }

    /// The covariances of all answers about one table with all about another, row-major.
    fn covariances<'py>(
        &self,
        py: Python<'py>,
        one: Vec<String>,
        other: Vec<String>,
    ) -> PyResult<(Bound<'py, PyBytes>, usize, usize)> {
        let (numbers, rows, columns) = run(py, None, |_| {
            let mut opened = self.opened()?;
            let [one, other] = [line(&one), line(&other)].map(|names| opened.table(&names));
            // Whether both were measured.
            let [one, other] = [one?, other?];
            opened.answers(&one)?;
            let names = opened.answers(&other)?.attributes();
            let first = opened.answers(&one)?.attributes();
            let stored = StoredMeasurement::open(Cursor::new(Arc::clone(&self.bytes)), &PlanLimits::default())?;
            let domain = stored.design().domain();
            let sets = [first, names].map(|names| domain.set_of(&names));
            let [one, other] = sets.map(|set| set.map_err(|error| JobError::new("E0222", error.to_string())));
            let matrix = stored.design().covariance_matrix(one?, other?)?;
            Ok((matrix.iter().copied().collect::<Vec<f64>>(), matrix.nrows(), matrix.ncols()))
        })?;
        Ok((bytes(py, &numbers), rows, columns))
    }

    /// One answer in the words of `resplan answer --query`.
    fn query(&self, py: Python<'_>, text: &str) -> PyResult<String> {
        run(py, None, |_| {
            let mut opened = self.opened()?;
            let request = opened.query(text)?;
            Ok(json(&opened.document(&[request])?))
        })
    }

    /// The independent measurements behind all tables, as JSON for mbi.
    fn mbi(&self, py: Python<'_>) -> PyResult<String> {
        run(py, None, |_| {
            let mut sink = MemorySink::default();
            self.opened()?.export_mbi(&mut sink, "residuals.json", &self.limits)?;
            sink.commit()?;
            let text = sink.files().get("residuals.json").map(|bytes| String::from_utf8_lossy(bytes).into_owned());
            Ok(text.unwrap_or_default())
        })
    }

    /// Rows of people who do not exist: the document, and the rows as CSV.
    #[pyo3(signature = (rows=None, max_cells=4_000_000, choose=false, zeros=Vec::new(), errors=false, progress=None))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn synthesise<'py>(
        &self,
        py: Python<'py>,
        rows: Option<u32>,
        max_cells: u64,
        choose: bool,
        zeros: Vec<String>,
        errors: bool,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(String, Bound<'py, PyBytes>)> {
        let (document, rows) = run(py, progress.as_ref(), |_| {
            let request = SynthesisRequest { rows, most_cells: max_cells, choose, zeros, errors };
            let synthesis = self.opened()?.synthesise(&request, &mut system()?)?;
            let mut sink = MemorySink::default();
            synthesis.write_csv(&mut sink, "rows.csv")?;
            Ok((json(synthesis.document()), sink.files().get("rows.csv").cloned().unwrap_or_default()))
        })?;
        Ok((document, PyBytes::new(py, &rows)))
    }
}

/// Adds the names of an answer that its axes do not have: in row-major order the first axis
/// changes last, so each axis hears its names in order.
fn add(axes: &mut [Vec<String>], answer: &AnswerLine) {
    for (axis, name) in axes.iter_mut().zip(&answer.names) {
        if axis.last() != Some(name) && !axis.contains(name) {
            axis.push(name.clone());
        }
    }
}
