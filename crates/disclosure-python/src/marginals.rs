//! Noisy marginals: the plan before the data, and releases from it.

use std::sync::{Mutex, PoisonError};

use disclosure_jobs::JobError;
use disclosure_jobs::document::Titled;
use disclosure_jobs::input::FormatSpec;
use disclosure_jobs::limits::Limits;
use disclosure_jobs::marginals::{Job, Planned, WeightsName};
use disclosure_jobs::observer::{Observer, during};
use disclosure_jobs::sink::{MemorySink, Sink};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::data::Data;
use crate::files::{JobText, Made};
use crate::generator::system;
use crate::ledger::{LedgerAt, json, ledger_at};
use crate::run::{run, warn};
use crate::written::LargeRelease;

/// What a line of a table takes, about.
const BYTES_PER_ANSWER: f64 = 80.0;

/// A checked job with its plan: nothing is read, nothing is drawn.
#[pyclass(frozen, module = "disclosure._core")]
pub(crate) struct MarginalsPlan {
    job: JobText,
    weights: Option<WeightsName>,
    limits: Limits,
    today: String,
    /// A release uses the plan up; the next one makes it again.
    planned: Mutex<Option<Planned>>,
}

/// The limits that a caller gives, and the default ones.
pub(crate) fn limits(memory_mib: Option<u64>, answers: Option<u64>, marginals: Option<u64>) -> Limits {
    let default = Limits::default();
    Limits {
        memory_bytes: memory_mib.map_or(default.memory_bytes, |mib| mib.saturating_mul(1 << 20)),
        answers: answers.unwrap_or(default.answers),
        marginals: marginals.unwrap_or(default.marginals),
        ..default
    }
}

#[pymethods]
impl MarginalsPlan {
    #[new]
    #[pyo3(signature = (job, today, weights=None, max_memory=None, max_answers=None, max_marginals=None, max_planning=None, progress=None))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn new(
        py: Python<'_>,
        job: JobText,
        today: String,
        weights: Option<&str>,
        max_memory: Option<u64>,
        max_answers: Option<u64>,
        max_marginals: Option<u64>,
        max_planning: Option<u64>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let weights = weights.map(|name| serde_json::from_value(name.into())).transpose();
        let weights = weights.map_err(|_| PyValueError::new_err("weights names no weights"))?;
        let mut limits = limits(max_memory, max_answers, max_marginals);
        limits.planning_seconds = max_planning.unwrap_or(limits.planning_seconds);
        let plan = Self { job, weights, limits, today, planned: Mutex::new(None) };
        let planned = run(py, progress.as_ref(), |observer| plan.made(observer))?;
        warn(py, planned.warnings())?;
        plan.keep(planned);
        Ok(plan)
    }

    /// `plan.json`.
    fn document(&self, py: Python<'_>) -> PyResult<String> {
        run(py, None, |observer| self.with(observer, |planned| Ok(json(&planned.document()))))
    }

    /// The plan as a file, from which a release can be made without the specification.
    fn stored(&self, py: Python<'_>) -> PyResult<String> {
        run(py, None, |observer| self.with(observer, |planned| Ok(planned.to_stored())))
    }

    fn rmse(&self, py: Python<'_>) -> PyResult<f64> {
        run(py, None, |observer| self.with(observer, |planned| Ok(planned.rmse())))
    }

    fn rho(&self, py: Python<'_>) -> PyResult<f64> {
        run(py, None, |observer| self.with(observer, |planned| Ok(planned.rho())))
    }

    fn gap(&self, py: Python<'_>) -> PyResult<Option<f64>> {
        run(py, None, |observer| self.with(observer, |planned| Ok(planned.gap_to_any_mechanism())))
    }

    fn domain_is_learnt(&self, py: Python<'_>) -> PyResult<bool> {
        run(py, None, |observer| self.with(observer, |planned| Ok(planned.domain_is_learnt())))
    }

    /// The smallest rho for a root mean square error.
    fn rho_for_rmse(&self, py: Python<'_>, target: f64) -> PyResult<f64> {
        run(py, None, |observer| self.with(observer, |planned| planned.rho_for_rmse(target)))
    }

    /// The smallest rho for a largest standard deviation.
    fn rho_for_largest_sd(&self, py: Python<'_>, target: f64) -> PyResult<f64> {
        run(py, None, |observer| self.with(observer, |planned| planned.rho_for_largest_sd(target)))
    }

    /// Reads, charges, draws: the record as JSON and the files; or where these take more than
    /// `keep` bytes together, what makes them from the measurement.
    #[pyo3(signature = (data, keep, ledger=None, progress=None))]
    fn release<'py>(
        &self,
        py: Python<'py>,
        data: Py<Data>,
        keep: u64,
        ledger: LedgerAt,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(Option<String>, Bound<'py, PyAny>)> {
        let data = data.get();
        let made = run(py, progress.as_ref(), |observer| {
            let planned = self.take(observer)?.with_default_date(&self.today);
            planned.check_release()?;
            let mut ledger = ledger_at(&ledger)?;
            ledger.check(&planned.charge_request())?;
            let source = data.source(&FormatSpec::default(), observer)?;
            let ready = planned.read(source.as_ref(), observer)?;
            ready.check()?;
            let mut rng = system()?;
            let released = during(observer, "drawing noise", || ready.release(ledger.as_mut(), &mut rng))?;
            let answers: f64 = released.plan().marginals.iter().map(|marginal| marginal.queries).sum();
            if answers * BYTES_PER_ANSWER > keep as f64 {
                return Ok(Err(LargeRelease::new(released)));
            }
            let mut made = Made::default();
            let document = during(observer, "writing", || released.write(&mut made, observer))?;
            Ok(Ok((json(&document), made)))
        })?;
        match made {
            Ok((document, small)) => Ok((Some(document), small.into_python(py)?.0.into_any())),
            Err(large) => Ok((None, Bound::new(py, large)?.into_any())),
        }
    }

    /// Checks everything that a release would refuse but the charge, and draws nothing.
    #[pyo3(signature = (data, progress=None))]
    fn check(&self, py: Python<'_>, data: Py<Data>, progress: Option<Py<PyAny>>) -> PyResult<()> {
        let data = data.get();
        run(py, progress.as_ref(), |observer| {
            let planned = self.take(observer)?;
            planned.check_release()?;
            let source = data.source(&FormatSpec::default(), observer)?;
            planned.read(source.as_ref(), observer)?.check()
        })
    }

    /// Measured errors beside the predicted ones, under simulated noise.
    #[pyo3(signature = (data, trials, seed, progress=None))]
    fn simulate(
        &self,
        py: Python<'_>,
        data: Py<Data>,
        trials: u64,
        seed: u64,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<String> {
        let data = data.get();
        run(py, progress.as_ref(), |observer| {
            let source = data.source(&FormatSpec::default(), observer)?;
            let ready = self.take(observer)?.read(source.as_ref(), observer)?;
            Ok(json(&ready.simulate(trials, seed, observer)?))
        })
    }

    /// The bytes of the simulated measurement of the first trial: nothing of it may be published.
    #[pyo3(signature = (data, seed, progress=None))]
    fn simulated<'py>(
        &self,
        py: Python<'py>,
        data: Py<Data>,
        seed: u64,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let data = data.get();
        let bytes = run(py, progress.as_ref(), |observer| {
            let source = data.source(&FormatSpec::default(), observer)?;
            let ready = self.take(observer)?.read(source.as_ref(), observer)?;
            let mut sink = MemorySink::default();
            ready.write_simulated(seed, 0, &mut sink, "measurement")?;
            sink.commit()?;
            Ok(sink.files().get("measurement").cloned().unwrap_or_default())
        })?;
        Ok(PyBytes::new(py, &bytes))
    }

    #[getter]
    fn job(&self) -> JobText {
        self.job.clone()
    }
}

impl MarginalsPlan {
    fn made(&self, observer: &dyn Observer) -> Result<Planned, JobError> {
        let text = &self.job.text;
        let planned = match self.weights {
            None => Planned::parse(text, &self.job, &self.limits, observer)?,
            Some(weights) => Job::parse(text, &self.job)?.with_weights(weights)?.plan(&self.limits, observer)?,
        };
        Ok(planned.with_default_title(&self.job.title))
    }

    fn keep(&self, planned: Planned) {
        *self.planned.lock().unwrap_or_else(PoisonError::into_inner) = Some(planned);
    }

    /// The plan, to be used up.
    fn take(&self, observer: &dyn Observer) -> Result<Planned, JobError> {
        let taken = self.planned.lock().unwrap_or_else(PoisonError::into_inner).take();
        taken.map_or_else(|| self.made(observer), Ok)
    }

    /// Looks at the plan, which stays.
    fn with<T>(
        &self,
        observer: &dyn Observer,
        look: impl FnOnce(&Planned) -> Result<T, JobError>,
    ) -> Result<T, JobError> {
        let planned = self.take(observer)?;
        let seen = look(&planned);
        self.keep(planned);
        seen
    }
}
