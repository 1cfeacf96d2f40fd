//! Queries that a cluster answers, each within a time. A query that fails, or is not answered in
//! time, is cancelled and asked again: counting has no side effect and draws no noise, so asking
//! again costs no privacy.

use std::convert::Infallible;
use std::future::Future;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ballista::prelude::{SessionConfigExt, SessionContextExt};
use ballista_core::config::BALLISTA_CLIENT_PULL;
use ballista_core::execution_plans::DistributedQueryExec;
use ballista_core::serde::protobuf::scheduler_grpc_client::SchedulerGrpcClient;
use ballista_core::serde::protobuf::{CancelJobParams, GetJobStatusParams};
use ballista_core::utils::{GrpcClientConfig, create_grpc_client_endpoint};
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::catalog::TableProvider;
use datafusion::dataframe::DataFrame;
use datafusion::error::DataFusionError;
use datafusion::execution::SessionStateBuilder;
use datafusion::logical_expr::AggregateUDF;
use datafusion::physical_plan::{ExecutionPlan, collect};
use datafusion::prelude::{SQLOptions, SessionConfig, SessionContext};
use datafusion_proto::protobuf::LogicalPlanNode;
use disclosure_jobs::JobError;
use privacy_core::stop::StopFlag;
use tokio::runtime::Runtime;
use tokio::time::{sleep, timeout};

use super::address::ClusterAddress;
use super::codec::{LogicalCodec, PhysicalCodec};
use super::network::Listening;
use super::progress::{INTERVAL, Listener};
use super::{MOST_BYTES_OF_A_MESSAGE, NO_ANSWER};
use crate::error::{error_in_words, job_error};
use crate::files::Found;

/// How often a query is asked.
const ATTEMPTS: u32 = 3;
/// How long a client waits before it asks again: a scheduler may be about to start.
const PAUSE: Duration = Duration::from_secs(2);
/// How long a query may run before the flag of its job is looked at.
const TICK: Duration = Duration::from_millis(50);
/// How long a scheduler may take to hear that a query is cancelled.
const CANCELLING: Duration = Duration::from_secs(5);
/// Stack of a thread: plans are walked by recursion.
const STACK: usize = 16 << 20;

/// A session whose queries a cluster answers: each within a time, asked at most three times.
///
/// Scheduler and executors are those of [`run_scheduler`](crate::run_scheduler) and
/// [`run_executor`](crate::run_executor), which know the aggregate functions of this crate.
pub struct Cluster {
    runtime: Runtime,
    context: SessionContext,
    scheduler: Listening,
    patience: Duration,
    stop: StopFlag,
}

/// How one attempt ended.
enum Attempt {
    Answered(Vec<RecordBatch>),
    /// Asking again would end alike.
    Refused(JobError),
    Failed(&'static str),
}

impl std::fmt::Debug for Cluster {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cluster").field("scheduler", &self.scheduler).finish_non_exhaustive()
    }
}

impl Cluster {
    /// A session of a scheduler's cluster, whose queries may take `patience` each time they are
    /// asked, and have this many parts of the rows at once. Nothing is sent before a query.
    ///
    /// # Errors
    /// E0339 where the system gives no threads.
    pub fn new(scheduler: Listening, patience: Duration, partitions: usize, stop: StopFlag) -> Result<Self, JobError> {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).thread_stack_size(STACK).enable_all().build();
        let runtime = runtime.map_err(|_| JobError::new("E0339", "the system gave the engine no threads"))?;
        let state = SessionStateBuilder::new().with_config(config(partitions)).with_default_features().build();
        // It starts a session and connects to nothing.
        let context =
            runtime.block_on(SessionContext::remote_with_state(&format!("df://{}", scheduler.socket()), state));
        let context = context.map_err(|error| job_error(&error))?;
        Ok(Self { runtime, context, scheduler, patience, stop })
    }

    pub(super) fn at(address: &ClusterAddress, stop: StopFlag) -> Result<Self, JobError> {
        Self::new(address.scheduler, address.patience, address.partitions, stop)
    }

    /// Adds an aggregate function of this crate to the session.
    pub fn register(&self, function: impl Into<AggregateUDF>) {
        self.context.register_udaf(function.into());
    }

    /// Calls a Parquet or Arrow file, or a folder of them, `name` in queries. All parts of the
    /// cluster find it at this path.
    ///
    /// # Errors
    /// E0339 for a path without such files.
    pub fn register_files(&self, name: &str, path: &Path) -> Result<(), JobError> {
        let found = Found::at(path)?.ok_or_else(|| JobError::new("E0339", "there is no Parquet or Arrow file"))?;
        let table = self.table(&found)?;
        self.context.register_table(name, table).map(|_| ()).map_err(|error| job_error(&error))
    }

    pub(super) fn table(&self, found: &Found) -> Result<Arc<dyn TableProvider>, JobError> {
        let state = self.context.state();
        let table = found.table_in(&state)?;
        self.runtime.block_on(table).map_err(|error| job_error(&error))
    }

    /// The rows of a query, which writes nothing.
    ///
    /// # Errors
    /// E0349 for a query that cannot be run; E0732 where the cluster gives no answer; E0733 where
    /// an executor lacks the secret; those of the aggregate functions; E0108 for a stopped job.
    pub fn query(&self, query: &str) -> Result<Vec<RecordBatch>, JobError> {
        let options = SQLOptions::new().with_allow_ddl(false).with_allow_dml(false).with_allow_statements(false);
        let frame = self.runtime.block_on(self.context.sql_with_options(query, options));
        self.answer(frame.map_err(|error| job_error(&error))?)
    }

    /// The rows of a plan over a table of the cluster.
    pub(super) fn answer_over(
        &self,
        table: &Arc<dyn TableProvider>,
        plan: impl FnOnce(DataFrame) -> Result<DataFrame, DataFusionError>,
    ) -> Result<Vec<RecordBatch>, JobError> {
        let frame = self.context.read_table(Arc::clone(table)).and_then(plan);
        self.answer(frame.map_err(|error| job_error(&error))?)
    }

    fn answer(&self, frame: DataFrame) -> Result<Vec<RecordBatch>, JobError> {
        self.runtime.block_on(async {
            let mut last = "";
            for attempt in 0..ATTEMPTS {
                if attempt > 0 {
                    self.unless_stopped(sleep(PAUSE)).await?;
                }
                match self.attempt(frame.clone()).await {
                    Attempt::Answered(batches) => return Ok(batches),
                    Attempt::Refused(error) => return Err(error),
                    Attempt::Failed(why) => last = why,
                }
            }
            let message = format!("the cluster gave no answer, asked {ATTEMPTS} times: the last time {last}");
            Err(JobError::new(NO_ANSWER, message))
        })
    }

    async fn attempt(&self, frame: DataFrame) -> Attempt {
        let plan = match frame.create_physical_plan().await {
            Ok(plan) => plan,
            Err(error) => return Attempt::Refused(job_error(&error)),
        };
        let asked = timeout(self.patience, collect(Arc::clone(&plan), self.context.task_ctx()));
        match self.unless_stopped(self.listening(&plan, asked)).await {
            Err(stopped) => {
                self.cancel(&plan).await;
                Attempt::Refused(stopped)
            }
            Ok(Err(_)) => {
                self.cancel(&plan).await;
                Attempt::Failed("its time was over")
            }
            Ok(Ok(Ok(batches))) => Attempt::Answered(batches),
            Ok(Ok(Err(error))) => {
                // The rest of these words is the cluster's own, and may show a value.
                if let Some(own) = error_in_words(&error.to_string()) {
                    return Attempt::Refused(own);
                }
                match job_of(&plan) {
                    None => Attempt::Failed("no scheduler took the query"),
                    Some(_) => {
                        self.cancel(&plan).await;
                        Attempt::Failed("the query failed there")
                    }
                }
            }
        }
    }

    /// What comes of waiting, unless the job is stopped.
    async fn unless_stopped<T>(&self, waiting: impl Future<Output = T>) -> Result<T, JobError> {
        let mut waiting = std::pin::pin!(waiting);
        loop {
            if self.stop.is_set() {
                return Err(JobError::stopped());
            }
            if let Ok(outcome) = timeout(TICK, &mut waiting).await {
                return Ok(outcome);
            }
        }
    }

    /// What comes of waiting for a query, while the job hears how much of it is done.
    async fn listening<T>(&self, plan: &Arc<dyn ExecutionPlan>, waiting: impl Future<Output = T>) -> T {
        tokio::select! {
            outcome = waiting => outcome,
            never = self.listen(plan) => match never {},
        }
    }

    async fn listen(&self, plan: &Arc<dyn ExecutionPlan>) -> Infallible {
        let Ok(endpoint) = create_grpc_client_endpoint(self.scheduler.url(), Some(&limits())) else {
            return std::future::pending().await;
        };
        let mut client = SchedulerGrpcClient::new(endpoint.connect_lazy());
        let mut listener = Listener::new(self.stop.clone());
        loop {
            sleep(INTERVAL).await;
            let Some(job_id) = job_of(plan) else { continue };
            // A scheduler that does not answer this does not answer the query either.
            if let Ok(status) = client.get_job_status(GetJobStatusParams { job_id }).await {
                listener.hear(status.get_ref());
            }
        }
    }

    /// Tells the scheduler that nobody waits for a query any more. A scheduler that does not hear
    /// it runs the query to its end, and nobody sees the answer.
    async fn cancel(&self, plan: &Arc<dyn ExecutionPlan>) {
        let Some(job_id) = job_of(plan) else { return };
        let Ok(endpoint) = create_grpc_client_endpoint(self.scheduler.url(), Some(&limits())) else { return };
        let mut client = SchedulerGrpcClient::new(endpoint.connect_lazy());
        let _ = timeout(CANCELLING, client.cancel_job(CancelJobParams { job_id })).await;
    }
}

/// Limits of a question that is answered at once.
fn limits() -> GrpcClientConfig {
    GrpcClientConfig { connect_timeout_seconds: 5, timeout_seconds: 5, ..Default::default() }
}

fn config(partitions: usize) -> SessionConfig {
    let mut config = SessionConfig::new_with_ballista()
        .with_target_partitions(partitions.max(1))
        // The planner that adapts a plan while it runs waits without an end for what a lost
        // executor had (apache/datafusion-ballista, issue 1986).
        .with_ballista_adaptive_query_planner(false)
        // Else the client does not know the name of its query before the first stage has ended,
        // and cannot cancel it.
        .set_bool(BALLISTA_CLIENT_PULL, true)
        .with_ballista_grpc_client_max_message_size(MOST_BYTES_OF_A_MESSAGE as usize)
        .with_ballista_logical_extension_codec(Arc::new(LogicalCodec::default()))
        .with_ballista_physical_extension_codec(Arc::new(PhysicalCodec::default()));
    // Files of every folder are rows: none is passed over.
    config.options_mut().execution.listing_table_ignore_subdirectory = false;
    config
}

/// The name of a query at its scheduler, once it has one.
fn job_of(plan: &Arc<dyn ExecutionPlan>) -> Option<String> {
    match plan.downcast_ref::<DistributedQueryExec<LogicalPlanNode>>() {
        Some(query) => query.job_id().map(|job| job.to_string()),
        None => plan.children().into_iter().find_map(job_of),
    }
}
