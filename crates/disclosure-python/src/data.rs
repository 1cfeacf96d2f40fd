//! Rows from Python: a path, an Arrow stream, or columns of values.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use arrow_array::{Array, ArrayRef};
use disclosure_arrow::coded;
use disclosure_jobs::JobError;
use disclosure_jobs::disclosure::privacy_core::stop::StopFlag;
use disclosure_jobs::input::{CsvSource, DataSource, EachRow, FormatSpec, TextColumns};
use disclosure_jobs::observer::Observer;
use disclosure_jobs::privacy_data::{
    CodedColumn, CodedColumnBuilder, CodedTable, CsvOptions, DataError, DomainFile, LearnSpec, Microdata, Schema,
    learn_coded,
};
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::arrow_in::columns_of;
use crate::run::run;

/// Rows that jobs read.
#[pyclass(frozen, module = "disclosure._core")]
pub(crate) struct Data {
    rows: Rows,
}

enum Rows {
    Path { path: PathBuf, format: FormatSpec },
    Table(Arc<Table>),
}

/// A table in memory; a column is coded when it is needed, and once.
struct Table {
    name: String,
    header: Vec<String>,
    columns: Vec<Source>,
    coded: Vec<OnceLock<Arc<CodedColumn>>>,
    rows: usize,
    /// The row of the last failure, from 0: for the exception.
    failed: Mutex<Option<u64>>,
}

enum Source {
    Arrow(Vec<ArrayRef>),
    Coded(Arc<CodedColumn>),
}

#[pymethods]
impl Data {
    /// A file: CSV, plain or compressed, or a sheet of a workbook.
    #[staticmethod]
    #[pyo3(signature = (path, separator=None, decimal=None, quote=None, sheet=None))]
    fn of_path(
        path: PathBuf,
        separator: Option<String>,
        decimal: Option<String>,
        quote: Option<String>,
        sheet: Option<String>,
    ) -> Self {
        let format = FormatSpec { separator, decimal, quote, sheet, ..FormatSpec::default() };
        Self { rows: Rows::Path { path, format } }
    }

    /// Whatever has `__arrow_c_stream__`.
    #[staticmethod]
    fn of_stream(py: Python<'_>, object: &Bound<'_, PyAny>, name: String) -> PyResult<Self> {
        let (header, columns) = columns_of(py, object)?;
        let rows = columns.first().map_or(0, |chunks| chunks.iter().map(|chunk| chunk.len()).sum());
        let columns = columns.into_iter().map(Source::Arrow).collect();
        Ok(Self { rows: Rows::Table(Arc::new(Table::new(name, header, columns, rows))) })
    }

    /// Columns of texts, by their distinct texts and a code for each row (native 32-bit integers).
    #[staticmethod]
    fn of_columns(py: Python<'_>, columns: Vec<(String, Vec<String>, Vec<u8>)>, name: String) -> PyResult<Self> {
        let made = run(py, None, |_| {
            let header = columns.iter().map(|(name, ..)| name.clone()).collect();
            let columns: Vec<Arc<CodedColumn>> = columns
                .into_iter()
                .map(|(name, texts, codes)| column(&name, &texts, &codes))
                .collect::<Result<_, _>>()?;
            let rows = columns.first().map_or(0, |column| column.rows());
            Ok(Table::new(name, header, columns.into_iter().map(Source::Coded).collect(), rows))
        });
        Ok(Self { rows: Rows::Table(Arc::new(made?)) })
    }

    /// The number of rows; none for a file, which is not read yet.
    #[getter]
    fn rows(&self) -> Option<usize> {
        match &self.rows {
            Rows::Path { .. } => None,
            Rows::Table(table) => Some(table.rows),
        }
    }

    /// The names of the columns; none for a file, which is not read yet.
    #[getter]
    fn columns(&self) -> Option<Vec<String>> {
        match &self.rows {
            Rows::Path { .. } => None,
            Rows::Table(table) => Some(table.header.clone()),
        }
    }

    /// The row of the last failure, from 0.
    #[getter]
    fn failed_row(&self) -> Option<u64> {
        match &self.rows {
            Rows::Path { .. } => None,
            Rows::Table(table) => *table.failed.lock().unwrap_or_else(PoisonError::into_inner),
        }
    }
}

/// A column of texts from its dictionary and the bytes of its codes.
fn column(name: &str, texts: &[String], codes: &[u8]) -> Result<Arc<CodedColumn>, JobError> {
    let mut column = CodedColumnBuilder::default();
    let places: Vec<u32> = texts.iter().map(|text| column.code_of(text)).collect();
    let codes = codes.as_chunks::<4>().0.iter().map(|bytes| u32::from_ne_bytes(*bytes));
    if codes.clone().any(|code| code as usize >= places.len()) {
        return Err(JobError::new("E0674", format!("a code of column {name:?} has no text")));
    }
    column.extend(codes.map(|code| places[code as usize]));
    Ok(Arc::new(column.finish()))
}

impl Data {
    /// The source that a job reads; a file in the form that the job declares, where nothing else is
    /// said.
    pub(crate) fn source(&self, format: &FormatSpec, observer: &dyn Observer) -> Result<Box<dyn DataSource>, JobError> {
        let stop = observer.stop_flag();
        Ok(match &self.rows {
            Rows::Path { path, format: own } => {
                let source = CsvSource::file(path).with_format(own.clone().or(format)).with_stop(stop);
                if let Some(form) = source.form()? {
                    observer.note(&format!("{} is read as: {form}.", path.display()));
                }
                Box::new(source)
            }
            Rows::Table(table) => Box::new(MemorySource { table: Arc::clone(table), stop }),
        })
    }
}

impl Table {
    fn new(name: String, header: Vec<String>, columns: Vec<Source>, rows: usize) -> Self {
        let coded = header.iter().map(|_| OnceLock::new()).collect();
        Self { name, header, columns, coded, rows, failed: Mutex::new(None) }
    }

    fn column(&self, position: usize, stop: &StopFlag) -> Result<Arc<CodedColumn>, JobError> {
        if let Some(column) = self.coded[position].get() {
            return Ok(Arc::clone(column));
        }
        let made = match &self.columns[position] {
            Source::Coded(column) => Arc::clone(column),
            Source::Arrow(chunks) => Arc::new(coded(&self.header[position], chunks, stop)?),
        };
        Ok(Arc::clone(self.coded[position].get_or_init(|| made)))
    }
}

struct MemorySource {
    table: Arc<Table>,
    stop: StopFlag,
}

impl MemorySource {
    /// The table with some of its columns coded.
    fn with(&self, wanted: impl Fn(&CodedTable) -> Result<Vec<usize>, DataError>) -> Result<CodedTable, JobError> {
        let mut table =
            CodedTable::new(self.table.header.clone(), self.table.rows).map_err(|error| self.within(error))?;
        let wanted = wanted(&table).map_err(|error| self.within(error))?;
        let columns: Vec<Result<_, JobError>> =
            wanted.par_iter().map(|&position| Ok((position, self.table.column(position, &self.stop)?))).collect();
        for column in columns {
            let (position, column) = column?;
            let put = table.put(position, column);
            put.map_err(|error| JobError::new(error.code(), error.to_string()))?;
        }
        Ok(table)
    }

    /// The failure with the row in place of the line.
    fn within(&self, error: DataError) -> JobError {
        let row = error.line().checked_sub(2);
        *self.table.failed.lock().unwrap_or_else(PoisonError::into_inner) = row;
        let column = error.attribute().map(|name| format!("column {name:?}"));
        let place = match (row, column) {
            (Some(row), Some(column)) => format!("row {row}, {column}: "),
            (Some(row), None) => format!("row {row}: "),
            (None, Some(column)) => format!("{column}: "),
            (None, None) => String::new(),
        };
        JobError::new(error.code(), format!("{}: {place}{}", self.table.name, error.defect()))
    }

    fn every(table: &CodedTable) -> Vec<usize> {
        (0..table.header().len()).collect()
    }
}

impl DataSource for MemorySource {
    fn name(&self) -> String {
        self.table.name.clone()
    }

    fn learn_domain_with(&self, options: &CsvOptions, learn: &LearnSpec) -> Result<DomainFile, JobError> {
        let table = self.with(|table| Ok(Self::every(table)))?;
        learn_coded(&table, options, learn).map_err(|error| self.within(error))
    }

    fn read_rows(&self, schema: &Schema, options: &CsvOptions) -> Result<Microdata, JobError> {
        let table = self.with(|table| table.needed(schema, options))?;
        table.read(schema, options).map_err(|error| self.within(error))
    }

    fn for_each_text_row(
        &self,
        columns: TextColumns<'_>,
        _options: &CsvOptions,
        each: EachRow<'_>,
    ) -> Result<(), JobError> {
        let (names, every) = match columns {
            TextColumns::Named(names) => (names, false),
            TextColumns::NamedThenAll(names) => (names, true),
        };
        let table = self.with(|table| match every {
            true => names.iter().try_for_each(|name| table.position(name).map(drop)).map(|()| Self::every(table)),
            false => names.iter().map(|name| table.position(name)).collect(),
        })?;
        let stop = &self.stop;
        table
            .for_each_text_row::<RowFailure>(names, every, |row| {
                if stop.is_set() {
                    return Err(RowFailure::Job(JobError::stopped()));
                }
                each(row).map_err(RowFailure::Job)
            })
            .map_err(|failure| match failure {
                RowFailure::Data(error) => self.within(error),
                RowFailure::Job(error) => error,
            })
    }
}

enum RowFailure {
    Data(DataError),
    Job(JobError),
}

impl From<DataError> for RowFailure {
    fn from(error: DataError) -> Self {
        Self::Data(error)
    }
}
