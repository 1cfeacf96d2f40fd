//! A measurement in memory: tables, covariances, synthetic rows, and the form that mbi reads.

use std::io::Cursor;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use disclosure_jobs::JobError;
use disclosure_jobs::disclosure::resplan::{PlanLimits, StoredMeasurement};
use disclosure_jobs::limits::Limits;
use disclosure_jobs::marginals::{self, AnswerColumns, AnswerRequest};
use disclosure_jobs::privacy_data::TableFormat;
use disclosure_jobs::sink::{DirectorySink, MemorySink, Sink, StoppableSink};
use disclosure_jobs::synthetic::{SynthesisRequest, TooLarge};
use pyo3::exceptions::PyValueError;
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
    opened: Mutex<Option<Opened>>,
}

type Opened = marginals::Measurement<Cursor<Arc<[u8]>>>;

impl Measurement {
    pub(crate) fn of_bytes(bytes: Vec<u8>) -> Self {
        Self { bytes: bytes.into(), limits: Limits::default(), opened: Mutex::default() }
    }

    /// Looks at the measurement, which stays open: its plan is read once. Calls at the same time
    /// open it for themselves.
    fn with<T>(&self, look: impl FnOnce(&mut Opened) -> Result<T, JobError>) -> Result<T, JobError> {
        let kept = self.opened.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut opened = match kept {
            Some(opened) => opened,
            None => self.open()?,
        };
        let seen = look(&mut opened);
        *self.opened.lock().unwrap_or_else(PoisonError::into_inner) = Some(opened);
        seen
    }

    fn open(&self) -> Result<Opened, JobError> {
        marginals::Measurement::open("measurement.bin", Cursor::new(Arc::clone(&self.bytes)), &self.limits)
    }
}

/// Names in the form of a line of CSV.
fn line(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("\"{}\"", name.replace('"', "\"\""))).collect();
    quoted.join(",")
}

fn requests(opened: &Opened, tables: &[Vec<String>]) -> Result<Vec<AnswerRequest>, JobError> {
    match tables {
        [] => Ok(opened.all()),
        tables => tables.iter().map(|names| opened.table(&line(names))).collect(),
    }
}

/// Numbers of 64 bits as their bytes.
fn bytes<'py>(py: Python<'py>, numbers: &[f64]) -> Bound<'py, PyBytes> {
    PyBytes::new(py, &numbers.iter().flat_map(|number| number.to_ne_bytes()).collect::<Vec<u8>>())
}

/// Attributes, the names along each, value, sd, low and high in row-major order, and the status of
/// each: 0 for noised, 1 for exact, 2 for simulated.
type Answers<'py> = (Vec<String>, Vec<Vec<String>>, [Bound<'py, PyBytes>; 4], Bound<'py, PyBytes>);

#[pymethods]
impl Measurement {
    #[new]
    fn new(py: Python<'_>, bytes: Vec<u8>) -> PyResult<Self> {
        let measurement = Self::of_bytes(bytes);
        run(py, None, |_| measurement.with(|_| Ok(())))?;
        Ok(measurement)
    }

    /// What all answers have in common, and the planned tables: two documents.
    fn contents(&self, py: Python<'_>) -> PyResult<(String, String)> {
        run(py, None, |_| self.with(|opened| Ok((json(&opened.header()), json(&opened.marginals())))))
    }

    /// The answers about one table, with its attributes in their own order.
    fn answers<'py>(&self, py: Python<'py>, names: Vec<String>) -> PyResult<Answers<'py>> {
        let (attributes, axes, columns) = run(py, None, |_| {
            self.with(|opened| {
                let request = opened.table(&line(&names))?;
                let answers = opened.answers(&request)?;
                let axes: Vec<Vec<String>> = answers.axes().into_iter().map(<[String]>::to_vec).collect();
                Ok((answers.attributes(), axes, answers.columns()))
            })
        })?;
        let AnswerColumns { values, sds, lows, highs, statuses, .. } = columns;
        let numbers = [values, sds, lows, highs].map(|all| bytes(py, &all));
        let statuses: Vec<u8> = statuses.into_iter().map(|status| status as u8).collect();
        Ok((attributes, axes, numbers, PyBytes::new(py, &statuses)))
    }

    /// The covariances of all answers about one table with all about another, row-major.
    fn covariances<'py>(
        &self,
        py: Python<'py>,
        one: Vec<String>,
        other: Vec<String>,
    ) -> PyResult<(Bound<'py, PyBytes>, usize, usize)> {
        let (numbers, rows, columns) = run(py, None, |_| {
            let (first, names) = self.with(|opened| {
                let [one, other] = [line(&one), line(&other)].map(|names| opened.table(&names));
                // Whether both were measured.
                let [one, other] = [one?, other?];
                Ok((opened.answers(&one)?.attributes(), opened.answers(&other)?.attributes()))
            })?;
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
            self.with(|opened| {
                let request = opened.query(text)?;
                Ok(json(&opened.document(&[request])?))
            })
        })
    }

    /// Tables with their answers as one document; all planned ones where none is named.
    fn document(&self, py: Python<'_>, tables: Vec<Vec<String>>) -> PyResult<String> {
        run(py, None, |_| {
            self.with(|opened| {
                let requests = requests(opened, &tables)?;
                Ok(json(&opened.document(&requests)?))
            })
        })
    }

    /// Writes tables into a new directory, a file each in this format, and gives their record.
    #[pyo3(signature = (path, tables, format="csv"))]
    fn write(&self, py: Python<'_>, path: PathBuf, tables: Vec<Vec<String>>, format: &str) -> PyResult<String> {
        let format: Result<TableFormat, _> = serde_json::from_value(format.into());
        let format = format.map_err(|_| PyValueError::new_err("format is \"csv\" or \"parquet\""))?;
        run(py, None, |observer| {
            self.with(|opened| {
                let requests = requests(opened, &tables)?;
                let mut sink = StoppableSink::new(DirectorySink::create(&path)?, observer.stop_flag());
                Ok(json(&opened.write(&requests, format, &mut sink)?))
            })
        })
    }

    /// The independent measurements behind all tables, as JSON for mbi.
    fn mbi(&self, py: Python<'_>) -> PyResult<String> {
        run(py, None, |_| {
            let mut sink = MemorySink::default();
            self.with(|opened| opened.export_mbi(&mut sink, "residuals.json", &self.limits))?;
            sink.commit()?;
            let text = sink.files().get("residuals.json").map(|bytes| String::from_utf8_lossy(bytes).into_owned());
            Ok(text.unwrap_or_default())
        })
    }

    /// Rows of people who do not exist: the document, and the rows as CSV.
    #[pyo3(signature = (rows=None, max_cells=4_000_000, choose=false, weight=false, zeros=Vec::new(), errors=false, progress=None))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn synthesise<'py>(
        &self,
        py: Python<'py>,
        rows: Option<u32>,
        max_cells: u64,
        choose: bool,
        weight: bool,
        zeros: Vec<String>,
        errors: bool,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(String, Bound<'py, PyBytes>)> {
        let too_large = match (choose, weight) {
            (true, true) => return Err(PyValueError::new_err("choose and weight exclude each other")),
            (true, false) => TooLarge::Choose,
            (false, true) => TooLarge::Weight,
            (false, false) => TooLarge::Refuse,
        };
        let (document, rows) = run(py, progress.as_ref(), |_| {
            let request = SynthesisRequest {
                rows,
                most_cells: max_cells,
                too_large,
                zeros,
                errors,
                ..SynthesisRequest::default()
            };
            let mut rng = system()?;
            let synthesis = self.with(|opened| opened.synthesise(&request, &mut rng))?;
            let mut sink = MemorySink::default();
            synthesis.write(TableFormat::Csv, &mut sink, "rows.csv")?;
            Ok((json(synthesis.document()), sink.files().get("rows.csv").cloned().unwrap_or_default()))
        })?;
        Ok((document, PyBytes::new(py, &rows)))
    }
}
