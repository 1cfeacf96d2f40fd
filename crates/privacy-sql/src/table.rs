//! A table of DataFusion as an engine: Parquet and Arrow files, the rows of a query over them, or
//! anything that is a [`TableProvider`].

use std::path::PathBuf;
use std::sync::Arc;

use datafusion::arrow::array::AsArray;
use datafusion::catalog::TableProvider;
use datafusion::logical_expr::AggregateUDF;
use disclosure_jobs::JobError;
use futures::StreamExt;
use privacy_core::stop::StopFlag;
use privacy_sql_statements::files as shown;

use crate::error::EngineError;
use crate::files::Watch;
use crate::kept::KeptRows;
use crate::marginals::{Marginals, Question};
use crate::session::{Session, column};
use crate::source::{Engine, EngineSource, NextBatch, distinct};

/// A table in a session.
pub(crate) struct TableRows {
    session: Session,
    table: Arc<dyn TableProvider>,
    /// The files, which must not change between two calls.
    watch: Watch,
}

impl EngineSource {
    /// The rows of a table of DataFusion, which messages call `name`, counted by this many threads.
    ///
    /// The table gives the same rows in the same order to every scan.
    ///
    /// # Errors
    /// E0339 where the system gives no threads.
    pub fn of_table(
        name: impl Into<PathBuf>,
        table: Arc<dyn TableProvider>,
        threads: usize,
        stop: StopFlag,
    ) -> Result<Self, JobError> {
        let session = Session::new(threads, stop)?;
        Ok(Self::of(name, TableRows::new(session, table, Watch::default())))
    }
}

impl TableRows {
    pub(crate) fn new(session: Session, table: Arc<dyn TableProvider>, watch: Watch) -> Self {
        Self { session, table, watch }
    }

    /// The rows of a query over the table, which it calls `data`: kept in memory, so that every
    /// call sees the same ones.
    ///
    /// # Errors
    /// E0349 for a query that cannot be run, E0661 for more than 4 GiB of rows; those of data that
    /// cannot be read.
    pub(crate) fn with_query(self, query: &str) -> Result<Self, JobError> {
        let kept = self.session.wait(async {
            let frame = self.session.query(&self.table, query).await?;
            let schema = Arc::new(frame.schema().as_arrow().clone());
            let mut stream = frame.execute_stream().await?;
            let mut kept = KeptRows::default();
            while let Some(batch) = stream.next().await {
                kept.add(batch?).map_err(EngineError::from)?;
            }
            Ok(kept.into_table(|| schema).map_err(EngineError::from)?)
        })?;
        self.watch.check()?;
        Ok(Self { table: kept, ..self })
    }
}

impl Engine for TableRows {
    fn columns(&self) -> Vec<String> {
        self.table.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    fn batches(&self, columns: &[&str]) -> Result<NextBatch<'_>, JobError> {
        self.session.show(&shown::rows(columns));
        let mut stream =
            self.session.wait(async { self.session.in_order(&self.table, columns)?.execute_stream().await })?;
        Ok(Box::new(move || {
            let batch = self.session.wait(async { stream.next().await.transpose() })?;
            if batch.is_none() {
                self.watch.check()?;
            }
            Ok(batch)
        }))
    }

    /// All threads count, each its part of the rows.
    fn state(&self, question: &Question) -> Result<Vec<u8>, JobError> {
        let columns: Vec<&str> = question.columns().collect();
        self.session.show(&shown::marginals(&columns));
        let function = AggregateUDF::from(Marginals::new(question.clone()));
        let batches = self.session.wait(async {
            let arguments = columns.iter().map(|name| column(name)).collect();
            let frame = self.session.unordered(&self.table, &distinct(&columns))?;
            frame.aggregate(vec![], vec![function.call(arguments).alias("sums")])?.collect().await
        })?;
        self.watch.check()?;
        let state = batches.iter().find(|batch| batch.num_rows() == 1);
        let state = state.ok_or_else(|| JobError::new("E0339", "the engine returned no result"))?;
        Ok(state.column(0).as_binary::<i32>().value(0).to_vec())
    }
}
