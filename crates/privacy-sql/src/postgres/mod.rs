//! PostgreSQL: rows and groups of a table or a query, in one snapshot that writes nothing.

mod address;
mod copy;
mod encryption;
mod failure;
mod rows;
#[cfg(feature = "tls")]
mod tls;

use std::collections::BTreeMap;
use std::path::Path;

use disclosure_jobs::JobError;
use disclosure_jobs::input::{DataSource, SourceOpener, SourceRequest};
use privacy_sql_statements::{Relation, postgres as dialect};

use crate::kept::kept;
use crate::relation;
use crate::session::unheard;
use crate::source::EngineSource;
use address::{PrivateText, Surroundings, is_postgres, settings};
use rows::{Asking, DatabaseRows, threads};

/// Opens `postgres://...` with a table or a query.
#[derive(Clone)]
pub struct PostgresOpener {
    /// Longest time of one statement, in seconds.
    statement_seconds: u32,
    /// Instead of the environment.
    variables: Option<BTreeMap<String, String>>,
    /// Hears every statement before it is sent.
    on_statement: fn(&str),
}

/// Variables may hold a password.
impl std::fmt::Debug for PostgresOpener {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PostgresOpener").field("statement_seconds", &self.statement_seconds).finish_non_exhaustive()
    }
}

impl Default for PostgresOpener {
    /// A statement may take an hour.
    fn default() -> Self {
        Self { statement_seconds: 3600, variables: None, on_statement: unheard }
    }
}

impl PostgresOpener {
    /// The server ends a statement after this many seconds.
    #[must_use]
    pub fn with_statement_seconds(self, statement_seconds: u32) -> Self {
        Self { statement_seconds: statement_seconds.max(1), ..self }
    }

    /// Takes these variables (`PGPASSFILE`, `PGSERVICE`, `HOME`, ...) instead of those of the
    /// environment.
    #[must_use]
    pub fn with_variables(self, variables: BTreeMap<String, String>) -> Self {
        Self { variables: Some(variables), ..self }
    }

    /// Shows every statement before it is sent: no statement holds a value or a password.
    #[must_use]
    pub fn with_statements_shown(self, on_statement: fn(&str)) -> Self {
        Self { on_statement, ..self }
    }

    /// The data at an address, or `None` for one of another kind.
    ///
    /// # Errors
    /// E0350 unless a table or a query is named, E0352 without a connection, E0353 without rights,
    /// E0349 for a query that cannot be run; for a view, a foreign table or a query also those of
    /// its rows, which are kept.
    pub fn source(&self, request: &SourceRequest<'_>) -> Result<Option<EngineSource>, JobError> {
        if !is_postgres(request.name) {
            return Ok(None);
        }
        let format = request.format;
        let relation = match (&format.table, &format.query) {
            (Some(table), None) => whole_names(relation::table(table)?)?,
            (None, Some(query)) => relation::query(query)?,
            _ => {
                let error = JobError::new("E0350", "a database requires the name of a table, or a query");
                return Err(
                    error.next("--table people, or --query \"SELECT ...\"; in a job, format = { table = \"people\" }")
                );
            }
        };
        let variable = |name: &str| match &self.variables {
            Some(variables) => variables.get(name).cloned(),
            None => std::env::var(name).ok(),
        };
        let around = Surroundings { variable: &variable, file: &private_text };
        let asking = Asking {
            relation,
            begin: dialect::begin(self.statement_seconds),
            on_statement: self.on_statement,
            stop: request.stop.clone(),
        };
        let rows = DatabaseRows::connect(settings(request.name, &around)?, asking)?;
        if rows.is_stored()? {
            return Ok(Some(EngineSource::of(request.name, rows)));
        }
        let within = |error: JobError| if error.is_stop() { error } else { error.within(request.name) };
        let rows = kept(&rows, threads(), request.stop).map_err(within)?;
        Ok(Some(EngineSource::of(request.name, rows)))
    }
}

impl SourceOpener for PostgresOpener {
    fn open(&self, request: &SourceRequest<'_>) -> Result<Option<Box<dyn DataSource>>, JobError> {
        Ok(self.source(request)?.map(|source| -> Box<dyn DataSource> { Box::new(source) }))
    }
}

/// Refuses a table whose name the server would cut off: it could be that of another one.
fn whole_names(relation: Relation) -> Result<Relation, JobError> {
    if dialect::has_whole_names(&relation) {
        return Ok(relation);
    }
    let message = format!("the name of a table has at most {} bytes", dialect::LONGEST_NAME);
    Err(JobError::new("E0349", message))
}

/// The text of a file, and whether others can read it.
fn private_text(path: &Path) -> Option<PrivateText> {
    let mut file = std::fs::File::open(path).ok()?;
    // Of the file that is read: the name may stand for another one by now.
    #[cfg(unix)]
    let is_open = {
        use std::os::unix::fs::PermissionsExt;
        file.metadata().map_or(true, |found| found.permissions().mode() & 0o077 != 0)
    };
    #[cfg(not(unix))]
    let is_open = false;
    let mut text = String::new();
    std::io::Read::read_to_string(&mut file, &mut text).ok()?;
    Some(PrivateText { text, is_open })
}
