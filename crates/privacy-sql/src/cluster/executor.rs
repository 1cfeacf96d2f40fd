//! An executor of a cluster, as a process.

use std::path::PathBuf;
use std::sync::Arc;

use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use disclosure_jobs::JobError;
use privacy_core::prf::Secret;

use super::codec::{LogicalCodec, PhysicalCodec};
use super::network::Listening;
use super::{MOST_BYTES_OF_A_MESSAGE, NO_ANSWER};

/// How many seconds an executor waits for its scheduler to start.
const WAITS_FOR_SCHEDULER: u16 = 30;

/// An executor.
pub struct ExecutorSpec {
    /// Where it takes part of the data of others, and gives them its own.
    pub data: Listening,
    /// Where it takes orders of its scheduler.
    pub orders: Listening,
    /// Its scheduler.
    pub scheduler: Listening,
    /// Where it keeps states between two stages of a query: as confidential as the data.
    pub work_folder: PathBuf,
    /// How many parts of the rows it counts at once.
    pub threads: usize,
    /// Memory of all of them together; none for seven tenths of the machine's.
    pub memory_bytes: Option<u64>,
    /// The secret of `lcf_state`, if it has one.
    pub secret: Option<Secret>,
}

/// Shows no secret.
impl std::fmt::Debug for ExecutorSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("ExecutorSpec");
        shown.field("data", &self.data).field("orders", &self.orders).field("scheduler", &self.scheduler);
        shown.field("threads", &self.threads).finish_non_exhaustive()
    }
}

/// Runs an executor until the process is asked to end (SIGTERM or Ctrl-C): it finishes what it
/// counts, and takes nothing new.
///
/// # Errors
/// E0732 where it cannot listen at its addresses, or its scheduler does not answer.
pub async fn run_executor(spec: ExecutorSpec) -> Result<(), JobError> {
    let config = ExecutorProcessConfig {
        bind_host: spec.data.host(),
        external_host: Some(spec.data.host()),
        port: spec.data.port(),
        grpc_port: spec.orders.port(),
        scheduler_host: spec.scheduler.host(),
        scheduler_port: spec.scheduler.port(),
        scheduler_connect_timeout_seconds: WAITS_FOR_SCHEDULER,
        vcores: spec.threads.max(1),
        work_dir: Some(spec.work_folder.to_string_lossy().into_owned()),
        executor_heartbeat_interval_seconds: 1,
        memory_pool_size: spec.memory_bytes,
        grpc_max_decoding_message_size: MOST_BYTES_OF_A_MESSAGE,
        grpc_max_encoding_message_size: MOST_BYTES_OF_A_MESSAGE,
        override_logical_codec: Some(Arc::new(LogicalCodec::default())),
        override_physical_codec: Some(Arc::new(PhysicalCodec::with_secret(spec.secret))),
        ..ExecutorProcessConfig::default()
    };
    let ended = start_executor_process(Arc::new(config)).await;
    ended.map_err(|_| JobError::new(NO_ANSWER, "the executor cannot listen, or its scheduler does not answer"))
}
