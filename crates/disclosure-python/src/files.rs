//! The text of a job with the files that it names, and the files that a job makes.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use disclosure_jobs::JobError;
use disclosure_jobs::document::FileDigest;
use disclosure_jobs::input::{FileSystem, Files, MemoryFiles};
use disclosure_jobs::observer::Observer;
use disclosure_jobs::sink::{DirectorySink, MemorySink, Sink, WriteContent};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::run::run;

/// The text of a job, its title where it has none, and the files that it names: bytes by their
/// names, and a directory for all others.
#[pyclass(frozen, from_py_object, module = "disclosure._core")]
#[derive(Clone)]
pub(crate) struct JobText {
    pub(crate) text: String,
    pub(crate) title: String,
    base: Option<PathBuf>,
    files: BTreeMap<String, Vec<u8>>,
}

#[pymethods]
impl JobText {
    #[new]
    #[pyo3(signature = (text, title, base=None, files=None))]
    fn new(text: String, title: String, base: Option<PathBuf>, files: Option<BTreeMap<String, Vec<u8>>>) -> Self {
        Self { text, title, base, files: files.unwrap_or_default() }
    }

    #[getter]
    fn text(&self) -> &str {
        &self.text
    }

    #[getter]
    fn title(&self) -> &str {
        &self.title
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let files: BTreeMap<&str, Bound<'py, PyBytes>> =
            self.files.iter().map(|(name, bytes)| (name.as_str(), PyBytes::new(py, bytes))).collect();
        let class = py.get_type::<Self>().into_any();
        Ok((class, (&self.text, &self.title, &self.base, files).into_pyobject(py)?.into_any()))
    }
}

impl Files for JobText {
    fn open(&self, name: &Path) -> Result<Box<dyn Read + '_>, JobError> {
        if let Some(bytes) = name.to_str().and_then(|name| self.files.get(name)) {
            return Ok(Box::new(&bytes[..]));
        }
        match &self.base {
            Some(base) => Ok(Box::new(std::io::Cursor::new(read_all(base, name)?))),
            None => {
                let message = format!("{}: no such file was given with the job", name.display());
                Err(JobError::new("E0104", message)
                    .next("files={\"NAME\": text}, or the path of the job in place of its text"))
            }
        }
    }

    fn shown(&self, name: &Path) -> PathBuf {
        match &self.base {
            Some(base) if !name.to_str().is_some_and(|name| self.files.contains_key(name)) => base.join(name),
            _ => name.to_owned(),
        }
    }
}

fn read_all(base: &Path, name: &Path) -> Result<Vec<u8>, JobError> {
    let (files, mut bytes) = (FileSystem::new(base), Vec::new());
    let read = files.open(name)?.read_to_end(&mut bytes);
    read.map_err(|source| JobError::reading(&base.join(name), &source))?;
    Ok(bytes)
}

/// Files in memory that remember which of them are for the owner of the data alone.
#[derive(Default)]
pub(crate) struct Made {
    sink: MemorySink,
    pub(crate) owner: Vec<String>,
}

impl Made {
    /// The files and the names of those for the owner.
    pub(crate) fn into_python<'py>(self, py: Python<'py>) -> PyResult<(Bound<'py, PyDict>, Vec<String>)> {
        let files = PyDict::new(py);
        for (name, bytes) in self.sink.files() {
            files.set_item(name, PyBytes::new(py, bytes))?;
        }
        Ok((files, self.owner))
    }
}

/// The record, the files, and the names of those for the owner.
pub(crate) type Written<'py> = (String, Bound<'py, PyDict>, Vec<String>);

/// Runs a job that writes files and gives their record as JSON.
pub(crate) fn run_written<'py>(
    py: Python<'py>,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&dyn Observer, &mut Made) -> Result<String, JobError> + Send,
) -> PyResult<Written<'py>> {
    let (record, made) = run(py, progress, |observer| {
        let mut made = Made::default();
        Ok((work(observer, &mut made)?, made))
    })?;
    let (files, owner) = made.into_python(py)?;
    Ok((record, files, owner))
}

impl Sink for Made {
    fn write_with(&mut self, name: &str, write: WriteContent<'_>) -> Result<FileDigest, JobError> {
        self.sink.write_with(name, write)
    }

    fn keep_for_owner(&mut self, name: &str) {
        self.owner.push(name.to_owned());
    }

    fn commit(&mut self) -> Result<(), JobError> {
        self.sink.commit()
    }
}

/// Writes files into a new directory, which appears in one step.
#[pyfunction]
fn write_directory(
    py: Python<'_>,
    path: PathBuf,
    files: BTreeMap<String, Bound<'_, PyBytes>>,
    owner: Vec<String>,
) -> PyResult<()> {
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_bytes())).collect();
    run(py, None, |_| {
        let mut sink = DirectorySink::create(&path)?;
        owner.iter().for_each(|name| sink.keep_for_owner(name));
        files.iter().try_for_each(|(name, bytes)| sink.write(name, bytes).map(drop))?;
        sink.commit()
    })
}

/// Files in memory, for a job that reads a release.
pub(crate) fn memory_files(files: BTreeMap<String, Vec<u8>>) -> MemoryFiles {
    files.into_iter().fold(MemoryFiles::default(), |all, (name, bytes)| all.with(name, bytes))
}

pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(write_directory, module)?)
}
