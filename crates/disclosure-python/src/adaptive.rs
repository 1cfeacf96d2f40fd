//! Adaptive marginals: the plan before the data, and a release that chooses what it measures.

use disclosure_jobs::JobError;
use disclosure_jobs::adaptive::{AdaptiveJob, AdaptivePlanned};
use disclosure_jobs::document::Titled;
use disclosure_jobs::input::FormatSpec;
use disclosure_jobs::limits::Limits;
use disclosure_jobs::observer::during;
use pyo3::prelude::*;

use crate::data::Data;
use crate::files::{JobText, Written, run_written};
use crate::generator::system;
use crate::ledger::{LedgerAt, json, ledger_at};
use crate::marginals::limits;
use crate::run::{run, warn};

/// A checked job. Planning takes no time, so every call plans anew.
#[pyclass(frozen, module = "disclosure._core")]
pub(crate) struct AdaptivePlan {
    job: JobText,
    limits: Limits,
    today: String,
}

impl AdaptivePlan {
    fn planned(&self) -> Result<AdaptivePlanned, JobError> {
        let planned = AdaptiveJob::parse(&self.job.text, &self.job)?.plan(&self.limits)?;
        Ok(planned.with_default_title(&self.job.title))
    }
}

#[pymethods]
impl AdaptivePlan {
    #[new]
    #[pyo3(signature = (job, today, max_memory=None))]
    fn new(py: Python<'_>, job: JobText, today: String, max_memory: Option<u64>) -> PyResult<Self> {
        let plan = Self { job, limits: limits(max_memory, None, None), today };
        warn(py, run(py, None, |_| Ok(plan.planned()?.warnings()))?)?;
        Ok(plan)
    }

    #[getter]
    fn job(&self) -> JobText {
        self.job.clone()
    }

    /// `plan.json`.
    fn document(&self, py: Python<'_>) -> PyResult<String> {
        run(py, None, |_| Ok(json(&self.planned()?.document())))
    }

    /// What a release costs, in rho of zCDP.
    fn rho(&self, py: Python<'_>) -> PyResult<f64> {
        run(py, None, |_| Ok(self.planned()?.rho()))
    }

    /// Reads the rows as a release does, and draws nothing.
    #[pyo3(signature = (data, progress=None))]
    fn check(&self, py: Python<'_>, data: Py<Data>, progress: Option<Py<PyAny>>) -> PyResult<()> {
        let data = data.get();
        run(py, progress.as_ref(), |observer| {
            let source = data.source(&FormatSpec::default(), observer)?;
            self.planned()?.read(source.as_ref(), observer).map(drop)
        })
    }

    /// Reads, charges, chooses, measures, draws rows: the record as JSON, the files, and those for
    /// the owner.
    #[pyo3(signature = (data, ledger=None, progress=None))]
    fn release<'py>(
        &self,
        py: Python<'py>,
        data: Py<Data>,
        ledger: LedgerAt,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Written<'py>> {
        let data = data.get();
        run_written(py, progress.as_ref(), |observer, made| {
            let planned = self.planned()?.with_default_date(&self.today);
            let mut ledger = ledger_at(&ledger)?;
            ledger.check(&planned.charge_request())?;
            let source = data.source(&FormatSpec::default(), observer)?;
            let ready = planned.read(source.as_ref(), observer)?;
            let released = ready.release(ledger.as_mut(), observer, &mut system()?)?;
            Ok(json(&during(observer, "writing", || released.write(made))?))
        })
    }
}
