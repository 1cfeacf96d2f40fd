//! Files that a cluster counts. Rows that are needed one by one are read here, from the same files.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

use datafusion::arrow::array::AsArray;
use datafusion::catalog::TableProvider;
use datafusion::logical_expr::AggregateUDF;
use datafusion::parquet::file::reader::{FileReader, SerializedFileReader};
use disclosure_jobs::JobError;
use disclosure_jobs::input::{DataSource, SourceOpener, SourceRequest};
use privacy_sql_statements::files as shown;

use super::address::{ClusterAddress, is_cluster};
use super::query::Cluster;
use super::{ADDRESS, NO_ANSWER};
use crate::files::{FileOpener, Found, Kind, Watch};
use crate::marginals::{Marginals, Question};
use crate::session::{column, unheard};
use crate::source::{Engine, EngineSource, NextBatch, changed, distinct};
use crate::table::TableRows;

/// Opens `ballista://host:port/path`: files that a cluster counts.
#[derive(Clone, Copy, Debug)]
pub struct ClusterOpener {
    /// Hears what is asked, as SQL.
    on_statement: fn(&str),
}

impl Default for ClusterOpener {
    fn default() -> Self {
        Self { on_statement: unheard }
    }
}

impl ClusterOpener {
    /// Shows what is asked, as SQL, before it is: no statement holds a value.
    #[must_use]
    pub fn with_statements_shown(self, on_statement: fn(&str)) -> Self {
        Self { on_statement }
    }

    /// The data at an address, or `None` for one of another kind.
    ///
    /// # Errors
    /// E0734 for an address that is not valid or not safe, E0350 for a table or a query that is
    /// named, and those of files that cannot be read.
    pub fn source(&self, request: &SourceRequest<'_>) -> Result<Option<EngineSource>, JobError> {
        if !is_cluster(request.name) {
            return Ok(None);
        }
        let address = ClusterAddress::parse(&request.name.to_string_lossy())?;
        if request.format.query.is_some() || request.format.table.is_some() {
            let error = JobError::new("E0350", "a cluster counts files, which the path of the address names");
            return Err(error.next("leave --table and --query out"));
        }
        let here = SourceRequest { name: &address.path, ..*request };
        let found = Found::at(&address.path)?.ok_or_else(|| {
            let message = "the path of the address has no Parquet or Arrow file";
            JobError::new(ADDRESS, message).next("it is an absolute path, the same for all parts of the cluster")
        })?;
        let opener = FileOpener::default().with_statements_shown(self.on_statement);
        let rows = opener.rows(&found, &here)?;
        let cluster = Cluster::at(&address, request.stop.clone())?;
        let table = cluster.table(&found)?;
        let watch = Watch::over(&found.files)?;
        let total = match found.kind {
            Kind::Parquet => Some(rows_of(&found.files)?),
            Kind::Arrow => None,
        };
        let on_statement = self.on_statement;
        let rows = ClusterRows { rows, cluster, table, watch, total, on_statement };
        Ok(Some(EngineSource::of(request.name, rows)))
    }
}

impl SourceOpener for ClusterOpener {
    fn open(&self, request: &SourceRequest<'_>) -> Result<Option<Box<dyn DataSource>>, JobError> {
        Ok(self.source(request)?.map(|source| -> Box<dyn DataSource> { Box::new(source) }))
    }
}

/// Files that a cluster counts.
struct ClusterRows {
    /// The same files, read here.
    rows: TableRows,
    cluster: Cluster,
    table: Arc<dyn TableProvider>,
    watch: Watch,
    /// How many rows there are, by the ends of the files; none where these do not say it.
    total: Option<u64>,
    on_statement: fn(&str),
}

impl Engine for ClusterRows {
    fn columns(&self) -> Vec<String> {
        self.rows.columns()
    }

    fn batches(&self, columns: &[&str]) -> Result<NextBatch<'_>, JobError> {
        self.rows.batches(columns)
    }

    fn state(&self, question: &Question) -> Result<Vec<u8>, JobError> {
        let columns: Vec<&str> = question.columns().collect();
        (self.on_statement)(&shown::marginals(&columns));
        let function = AggregateUDF::from(Marginals::new(question.clone()));
        let batches = self.cluster.answer_over(&self.table, |frame| {
            let arguments = columns.iter().map(|name| column(name)).collect();
            let read: Vec<_> = distinct(&columns).into_iter().map(column).collect();
            frame.select(read)?.aggregate(vec![], vec![function.call(arguments).alias("sums")])
        })?;
        self.watch.check()?;
        let state = batches.iter().find(|batch| batch.num_rows() == 1);
        let state = state.and_then(|batch| batch.column(0).as_binary_opt::<i32>());
        let state = state.ok_or_else(|| JobError::new(NO_ANSWER, "the cluster gave an answer of another form"))?;
        self.check_total(question, state.value(0))?;
        Ok(state.value(0).to_vec())
    }
}

impl ClusterRows {
    /// Refuses an answer over more or fewer rows than the files have here: an executor has other
    /// files at the path, or a part of the rows was counted twice.
    fn check_total(&self, question: &Question, state: &[u8]) -> Result<(), JobError> {
        match (self.total, question.answer(state)) {
            (Some(total), Ok(answer)) if answer.rows != total => Err(changed()),
            // Rows that do not fit are the caller's to report.
            _ => Ok(()),
        }
    }
}

/// The rows of Parquet files, by the ends of the files.
fn rows_of(files: &[PathBuf]) -> Result<u64, JobError> {
    let mut rows = 0;
    for path in files {
        let file = File::open(path).map_err(|source| JobError::reading(path, &source))?;
        let damaged = |_| JobError::new("E0339", "the file is no whole Parquet file: damaged or cut off");
        let reader = SerializedFileReader::new(file).map_err(damaged)?;
        rows += u64::try_from(reader.metadata().file_metadata().num_rows()).unwrap_or_default();
    }
    Ok(rows)
}
