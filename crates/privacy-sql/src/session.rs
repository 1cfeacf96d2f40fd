//! A DataFusion session of our own: its threads, its tables, and queries that end when the job is
//! stopped.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use datafusion::catalog::TableProvider;
use datafusion::common::Column;
use datafusion::dataframe::DataFrame;
use datafusion::error::DataFusionError;
use datafusion::logical_expr::Expr;
use datafusion::prelude::{SQLOptions, SessionConfig, SessionContext};
use disclosure_jobs::JobError;
use privacy_core::stop::StopFlag;
use tokio::runtime::Runtime;

use crate::error::job_error;

/// The name of the data in a query over files.
pub(crate) const DATA: &str = "data";

/// How long a query may run before the flag of its job is looked at.
const PATIENCE: Duration = Duration::from_millis(50);

/// Hears nothing.
pub(crate) fn unheard(_: &str) {}

/// Two sessions over one table: the threads of one share the rows, those of the other keep them in
/// their order.
pub(crate) struct Session {
    runtime: Runtime,
    parallel: SessionContext,
    ordered: SessionContext,
    stop: StopFlag,
    /// Hears what is asked, as SQL.
    on_statement: fn(&str),
}

impl Session {
    /// A session whose queries use this many threads.
    ///
    /// # Errors
    /// E0339 where the system gives no threads.
    pub(crate) fn new(threads: usize, stop: StopFlag) -> Result<Self, JobError> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_time().build();
        let runtime = runtime
            .map_err(|_| JobError::new("E0339", "the operating system refused to start the threads of the engine"))?;
        let config = |partitions: usize| {
            let mut config = SessionConfig::new().with_target_partitions(partitions);
            let options = config.options_mut();
            // Files of every folder are rows: none is passed over.
            options.execution.listing_table_ignore_subdirectory = false;
            options.optimizer.repartition_file_scans = partitions > 1;
            config
        };
        let parallel = SessionContext::new_with_config(config(threads));
        let ordered = SessionContext::new_with_config(config(1));
        Ok(Self { runtime, parallel, ordered, stop, on_statement: unheard })
    }

    /// Shows what is asked, as SQL, before it is.
    pub(crate) fn with_statements_shown(self, on_statement: fn(&str)) -> Self {
        Self { on_statement, ..self }
    }

    /// Says what is asked next.
    pub(crate) fn show(&self, statement: &str) {
        (self.on_statement)(statement);
    }

    pub(crate) fn context(&self) -> &SessionContext {
        &self.parallel
    }

    /// Waits for a query, at most until the job is stopped: then it is dropped, which cancels it.
    pub(crate) fn wait<T>(&self, query: impl Future<Output = Result<T, DataFusionError>>) -> Result<T, JobError> {
        let outcome = self.runtime.block_on(async {
            let mut query = std::pin::pin!(query);
            loop {
                if self.stop.is_set() {
                    return Err(JobError::stopped());
                }
                if let Ok(outcome) = tokio::time::timeout(PATIENCE, &mut query).await {
                    return outcome.map_err(|error| job_error(&error));
                }
            }
        });
        if self.stop.is_set() { Err(JobError::stopped()) } else { outcome }
    }

    /// The columns of a table, in this order; its rows in any order, by all threads.
    pub(crate) fn unordered(
        &self,
        table: &Arc<dyn TableProvider>,
        columns: &[&str],
    ) -> Result<DataFrame, DataFusionError> {
        selected(&self.parallel, table, columns)
    }

    /// The columns of a table, in this order; its rows in their order.
    pub(crate) fn in_order(
        &self,
        table: &Arc<dyn TableProvider>,
        columns: &[&str],
    ) -> Result<DataFrame, DataFusionError> {
        selected(&self.ordered, table, columns)
    }

    /// The rows of a query over a table that it calls `data`. It can read that table and nothing
    /// else, and write nothing.
    pub(crate) async fn query(
        &self,
        table: &Arc<dyn TableProvider>,
        query: &str,
    ) -> Result<DataFrame, DataFusionError> {
        self.show(query);
        self.parallel.register_table(DATA, Arc::clone(table))?;
        let options = SQLOptions::new().with_allow_ddl(false).with_allow_dml(false).with_allow_statements(false);
        self.parallel.sql_with_options(query, options).await
    }
}

/// A name is an identifier of the plan and never a text of a query, so it cannot end one.
pub(crate) fn column(name: &str) -> Expr {
    Expr::Column(Column::new_unqualified(name))
}

fn selected(
    context: &SessionContext,
    table: &Arc<dyn TableProvider>,
    columns: &[&str],
) -> Result<DataFrame, DataFusionError> {
    context.read_table(Arc::clone(table))?.select(columns.iter().map(|name| column(name)).collect::<Vec<_>>())
}
