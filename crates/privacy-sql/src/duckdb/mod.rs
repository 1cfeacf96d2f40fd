//! DuckDB: rows of a table or a query in a file that is opened for reading alone, by the library
//! that its user has.

mod database;
mod dialect;
mod failure;
mod library;
mod rows;
mod vectors;
mod watcher;

use std::io::Read;
use std::path::{Path, PathBuf};

use disclosure_jobs::JobError;
use disclosure_jobs::input::{DataSource, SourceOpener, SourceRequest, file_in_address};

use crate::kept::kept;
use crate::relation;
use crate::session::unheard;
use crate::source::EngineSource;
use database::Database;
use rows::DuckdbRows;

/// Opens `duckdb:FILE` with a table or a query.
#[derive(Clone, Debug)]
pub struct DuckdbOpener {
    /// Instead of the library that the environment names or the system has.
    library: Option<PathBuf>,
    threads: usize,
    /// Hears every statement before it is run.
    on_statement: fn(&str),
}

impl Default for DuckdbOpener {
    /// The library that `DISCLOSURE_DUCKDB_LIBRARY` names or the system has, and as many threads
    /// as the machine.
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Self { library: None, threads, on_statement: unheard }
    }
}

impl DuckdbOpener {
    /// Takes the library at this path.
    #[must_use]
    pub fn with_library(self, library: impl Into<PathBuf>) -> Self {
        Self { library: Some(library.into()), ..self }
    }

    /// Rows are coded and counted by this many threads. DuckDB has its own, as many as the machine.
    #[must_use]
    pub fn with_threads(self, threads: usize) -> Self {
        Self { threads: threads.max(1), ..self }
    }

    /// Shows every statement before it is run: no statement holds a value.
    #[must_use]
    pub fn with_statements_shown(self, on_statement: fn(&str)) -> Self {
        Self { on_statement, ..self }
    }

    /// The data in a file, or `None` for a name of another kind.
    ///
    /// # Errors
    /// E0350 unless a table or a query is named, E0730 without a library, E0731 for a file that
    /// cannot be opened, E0349 for a query that cannot be run; for a view or a query also those of
    /// its rows, which are kept.
    pub fn source(&self, request: &SourceRequest<'_>) -> Result<Option<EngineSource>, JobError> {
        let Some(file) = file_in_address(request.name) else { return Ok(None) };
        let within = |error: JobError| if error.is_stop() { error } else { error.within(request.name) };
        self.rows_of(file, request).map(Some).map_err(within)
    }

    fn rows_of(&self, file: &Path, request: &SourceRequest<'_>) -> Result<EngineSource, JobError> {
        let format = request.format;
        if [&format.separator, &format.decimal, &format.quote, &format.sheet].iter().any(|word| word.is_some()) {
            let words = "separator, decimal, quote and sheet are only used with text files and workbooks";
            return Err(JobError::new("E0350", words));
        }
        let relation = match (&format.table, &format.query) {
            (Some(table), None) => relation::table(table)?,
            (None, Some(query)) => relation::query(query)?,
            _ => {
                let error = JobError::new("E0350", "a database requires the name of a table, or a query");
                let next = "--table people, or --query \"SELECT ...\"; in a job, format = { table = \"people\" }";
                return Err(error.next(next));
            }
        };
        let path = database_at(file)?;
        let database = Database::open(library::load(self.library.as_deref())?, &path)?;
        let rows = DuckdbRows::open(database, relation, self.on_statement, request.stop.clone(), self.threads)?;
        match rows.rows {
            Some(_) => Ok(EngineSource::of(request.name, rows)),
            // DuckDB gives the rows of a view or a query in any order.
            None => Ok(EngineSource::of(request.name, kept(&rows, self.threads, &request.stop)?)),
        }
    }
}

impl SourceOpener for DuckdbOpener {
    fn open(&self, request: &SourceRequest<'_>) -> Result<Option<Box<dyn DataSource>>, JobError> {
        Ok(self.source(request)?.map(|source| -> Box<dyn DataSource> { Box::new(source) }))
    }
}

/// The whole path of a file that is a database, by its first bytes: a name that means something
/// else to DuckDB, such as an address or `:memory:`, is no file.
fn database_at(file: &Path) -> Result<String, JobError> {
    let no_file = || failure::unopened("the file does not exist");
    let path = file.canonicalize().map_err(|_| no_file())?;
    if !path.is_file() {
        return Err(no_file());
    }
    let mut head = [0; 12];
    let opened = std::fs::File::open(&path).map_err(|_| failure::unopened("the file cannot be read"))?;
    let read = opened.take(12).read(&mut head).map_err(|_| failure::unopened("the file cannot be read"))?;
    // Eight bytes of a sum, then the mark.
    if read < 12 || &head[8..] != b"DUCK" {
        return Err(failure::unopened("the file is not a DuckDB database"));
    }
    path.into_os_string().into_string().map_err(|_| failure::unopened("the path is not UTF-8"))
}
