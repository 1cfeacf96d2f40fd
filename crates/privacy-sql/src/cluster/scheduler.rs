//! The scheduler of a cluster, as a process.

use std::future::Future;
use std::sync::Arc;

use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::SchedulerConfig;
use ballista_scheduler::scheduler_process::{create_scheduler, start_grpc_service};
use datafusion_proto::protobuf::{LogicalPlanNode, PhysicalPlanNode};
use disclosure_jobs::JobError;

use super::codec::{LogicalCodec, PhysicalCodec};
use super::free_threads::Executors;
use super::network::Listening;
use super::progress::announce;
use super::{MOST_BYTES_OF_A_MESSAGE, NO_ANSWER};

/// After how many seconds without a word an executor counts as lost; it says something every
/// second.
const EXECUTOR_TIMEOUT: u64 = 10;
/// How many seconds the results of a query are kept.
const KEPT_RESULTS: u64 = 60;

/// A scheduler.
#[derive(Clone, Copy, Debug)]
pub struct SchedulerSpec {
    /// Where it listens: to clients and to executors, and where clients get answers.
    pub listening: Listening,
}

/// Runs a scheduler until `stopped` ends. Queries that run then end with it, and their clients ask
/// again.
///
/// # Errors
/// E0732 where it cannot listen at its address.
pub async fn run_scheduler(spec: SchedulerSpec, stopped: impl Future<Output = ()>) -> Result<(), JobError> {
    let config = SchedulerConfig {
        bind_host: spec.listening.host(),
        external_host: spec.listening.host(),
        bind_port: spec.listening.port(),
        executor_timeout_seconds: EXECUTOR_TIMEOUT,
        expire_dead_executor_interval_seconds: 1,
        no_executors_grace_period_seconds: EXECUTOR_TIMEOUT,
        finished_job_data_clean_up_interval_seconds: KEPT_RESULTS,
        finished_job_state_clean_up_interval_seconds: KEPT_RESULTS,
        // Clients speak to the scheduler alone.
        enable_embedded_flight_proxy: true,
        grpc_server_max_decoding_message_size: MOST_BYTES_OF_A_MESSAGE,
        grpc_server_max_encoding_message_size: MOST_BYTES_OF_A_MESSAGE,
        grpc_client_max_message_size: MOST_BYTES_OF_A_MESSAGE,
        override_logical_codec: Some(Arc::new(LogicalCodec::default())),
        override_physical_codec: Some(Arc::new(PhysicalCodec::default())),
        ..SchedulerConfig::default()
    };
    let serving = async {
        let jobs = BallistaCluster::new_from_config(&config).await?.job_state();
        let cluster = BallistaCluster::new(Arc::new(Executors::default()), jobs);
        let scheduler = create_scheduler::<LogicalPlanNode, PhysicalPlanNode>(cluster, Arc::new(config)).await?;
        tokio::select! {
            outcome = start_grpc_service(spec.listening.socket(), scheduler.clone()) => outcome,
            never = announce(scheduler) => match never {},
        }
    };
    tokio::select! {
        outcome = serving => outcome.map_err(|_| JobError::new(NO_ANSWER, "the scheduler cannot listen at its address")),
        () = stopped => Ok(()),
    }
}
