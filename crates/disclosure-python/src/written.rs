//! A release of any size: small files stay in memory, large ones are made again when they are asked
//! for.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::OnceLock;

use disclosure_jobs::JobError;
use disclosure_jobs::digest::DigestWriter;
use disclosure_jobs::document::FileDigest;
use disclosure_jobs::marginals::Released;
use disclosure_jobs::observer::{Observer, during};
use disclosure_jobs::sink::{DirectorySink, Sink, StoppableSink, WriteContent};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::ledger::json;
use crate::run::run;

/// Takes the digest of every file, and keeps none.
#[derive(Default)]
struct DigestSink;

impl Sink for DigestSink {
    fn write_with(&mut self, name: &str, write: WriteContent<'_>) -> Result<FileDigest, JobError> {
        let mut out = DigestWriter::new(io::sink());
        write(&mut out).map_err(|error| JobError::new("E0103", format!("{name}: {error}")))?;
        let (sha256, bytes) = out.finish();
        Ok(FileDigest { name: name.to_owned(), sha256, bytes })
    }

    fn commit(&mut self) -> Result<(), JobError> {
        Ok(())
    }
}

/// Makes one file of a release whose digests are known; the others are not written.
struct OneFile<'a> {
    wanted: &'a str,
    digests: &'a BTreeMap<String, FileDigest>,
    bytes: Vec<u8>,
}

impl Sink for OneFile<'_> {
    fn write_with(&mut self, name: &str, write: WriteContent<'_>) -> Result<FileDigest, JobError> {
        if name == self.wanted {
            write(&mut self.bytes).map_err(|error| JobError::new("E0103", format!("{name}: {error}")))?;
        }
        let known = self.digests.get(name).cloned();
        known.ok_or_else(|| JobError::new("E0103", format!("{name} was not part of the release")))
    }

    fn commit(&mut self) -> Result<(), JobError> {
        Ok(())
    }
}

/// A large release: only the measurement is held. Nothing else is made before it is asked for.
#[pyclass(frozen, module = "disclosure._core")]
pub(crate) struct LargeRelease {
    released: Released,
    /// The record as JSON, and the digest of every file.
    record: OnceLock<(String, BTreeMap<String, FileDigest>)>,
}

impl LargeRelease {
    pub(crate) fn new(released: Released) -> Self {
        Self { released, record: OnceLock::new() }
    }

    /// The record, for which every file is made once and dropped.
    fn recorded(&self, observer: &dyn Observer) -> Result<&(String, BTreeMap<String, FileDigest>), JobError> {
        if let Some(record) = self.record.get() {
            return Ok(record);
        }
        let mut sink = StoppableSink::new(DigestSink, observer.stop_flag());
        let document = during(observer, "writing", || self.released.write(&mut sink, observer))?;
        // The record is a file as well, and its digest is not in it.
        let text = json(&document);
        let record = FileDigest::of_bytes("release.json", text.as_bytes());
        let files = document.files.iter().map(|file| file.file.clone()).chain([record]);
        let digests = files.map(|file| (file.name.clone(), file)).collect();
        Ok(self.record.get_or_init(|| (text, digests)))
    }
}

#[pymethods]
impl LargeRelease {
    /// `release.json`.
    fn record(&self, py: Python<'_>) -> PyResult<String> {
        run(py, None, |observer| Ok(self.recorded(observer)?.0.clone()))
    }

    /// The name of each file and its size in bytes.
    fn sizes(&self, py: Python<'_>) -> PyResult<Vec<(String, u64)>> {
        run(py, None, |observer| {
            Ok(self.recorded(observer)?.1.values().map(|digest| (digest.name.clone(), digest.bytes)).collect())
        })
    }

    /// The bytes of one file.
    fn read<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = run(py, None, |observer| {
            let digests = &self.recorded(observer)?.1;
            let mut sink = OneFile { wanted: name, digests, bytes: Vec::new() };
            self.released.write(&mut sink, observer)?;
            Ok(sink.bytes)
        })?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// `measurement.bin` as it is written, without the other files.
    fn measurement<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = run(py, None, |_| {
            let mut bytes = Vec::new();
            let written = self.released.measured().write_to(&mut bytes);
            written.map_err(|error| JobError::new("E0103", error.to_string()))?;
            Ok(bytes)
        })?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Writes every file into a new directory, one piece at a time.
    #[pyo3(signature = (path, progress=None))]
    fn write(&self, py: Python<'_>, path: PathBuf, progress: Option<Py<PyAny>>) -> PyResult<()> {
        run(py, progress.as_ref(), |observer| {
            let mut sink = StoppableSink::new(DirectorySink::create(&path)?, observer.stop_flag());
            during(observer, "writing", || self.released.write(&mut sink, observer)).map(drop)
        })
    }
}
