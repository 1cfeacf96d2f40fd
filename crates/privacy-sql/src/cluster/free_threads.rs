//! Which threads of executors are free. Ballista 55 adds and subtracts: a task takes threads when
//! it is handed out, and gives them back when its end is reported. Where an executor is lost,
//! Ballista also withdraws tasks of other executors, whose results would need what is lost, and
//! forgets how many threads these had taken: each such task costs an executor a thread until it is
//! restarted, and an executor without a free thread gets no task any more. So the threads are
//! counted again from the running tasks before tasks are handed out.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use async_trait::async_trait;
use ballista_core::JobId;
use ballista_core::error::Result;
use ballista_core::serde::protobuf::ExecutorHeartbeat;
use ballista_core::serde::scheduler::{ExecutorData, ExecutorMetadata};
use ballista_scheduler::cluster::memory::InMemoryClusterState;
use ballista_scheduler::cluster::{BoundTask, ClusterState, ClusterStateEventStream, ExecutorSlot};
use ballista_scheduler::config::TaskDistributionPolicy;
use ballista_scheduler::state::task_manager::JobInfoCache;
use tokio::sync::Mutex;

/// The executors of a cluster, in memory.
#[derive(Default)]
pub(super) struct Executors {
    inner: InMemoryClusterState,
    threads: Mutex<HashMap<String, Threads>>,
}

/// The threads of an executor.
struct Threads {
    all: u32,
    /// What `inner` takes for free: it does not show this, so its sums are repeated here.
    free: u32,
}

impl Threads {
    /// Corrects the number of free threads, where `busy` are taken, and gives how many were lost.
    fn recount(&mut self, busy: u32) -> u32 {
        let lost = self.all.saturating_sub(busy).saturating_sub(self.free);
        self.free += lost;
        lost
    }
}

/// How many threads of each executor the running tasks of these jobs take.
#[expect(clippy::iter_over_hash_type, reason = "sums do not show an order")]
async fn busy_threads(jobs: &HashMap<JobId, JobInfoCache>) -> HashMap<String, u32> {
    let mut busy = HashMap::new();
    for job in jobs.values() {
        let graph = job.execution_graph.read().await;
        for task in graph.running_tasks() {
            let threads = graph.task_vcores(task.stage_id, task.task_id).unwrap_or(1);
            *busy.entry(task.executor_id).or_default() += threads;
        }
    }
    busy
}

#[async_trait]
impl ClusterState for Executors {
    async fn init(&self) -> Result<()> {
        self.inner.init().await
    }

    /// The scheduler calls this between two events, so that no task starts or ends meanwhile.
    async fn bind_schedulable_tasks(
        &self,
        distribution: TaskDistributionPolicy,
        active_jobs: Arc<HashMap<JobId, JobInfoCache>>,
        executors: Option<HashSet<String>>,
    ) -> Result<Vec<BoundTask>> {
        let mut threads = self.threads.lock().await;
        let busy = busy_threads(&active_jobs).await;
        let lost = threads.iter_mut().map(|(executor, threads)| {
            let busy = busy.get(executor).copied().unwrap_or_default();
            (executor.clone(), threads.recount(busy))
        });
        self.inner.unbind_tasks(lost.filter(|(_, lost)| *lost > 0).collect()).await?;
        let bound = self.inner.bind_schedulable_tasks(distribution, active_jobs, executors).await?;
        for (executor, task) in &bound {
            if let Some(threads) = threads.get_mut(executor) {
                threads.free = threads.free.saturating_sub(task.vcores_consumed);
            }
        }
        Ok(bound)
    }

    async fn unbind_tasks(&self, slots: Vec<ExecutorSlot>) -> Result<()> {
        let mut threads = self.threads.lock().await;
        for (executor, freed) in &slots {
            if let Some(threads) = threads.get_mut(executor) {
                threads.free += freed;
            }
        }
        self.inner.unbind_tasks(slots).await
    }

    async fn register_executor(&self, metadata: ExecutorMetadata, data: ExecutorData) -> Result<()> {
        let mut threads = self.threads.lock().await;
        let executor = metadata.id.clone();
        let found = Threads { all: data.total_vcores, free: data.available_vcores };
        self.inner.register_executor(metadata, data).await?;
        threads.insert(executor, found);
        Ok(())
    }

    async fn save_executor_metadata(&self, metadata: ExecutorMetadata) -> Result<()> {
        self.inner.save_executor_metadata(metadata).await
    }

    async fn get_executor_metadata(&self, executor: &str) -> Result<ExecutorMetadata> {
        self.inner.get_executor_metadata(executor).await
    }

    async fn registered_executor_metadata(&self) -> Vec<ExecutorMetadata> {
        self.inner.registered_executor_metadata().await
    }

    async fn save_executor_heartbeat(&self, heartbeat: ExecutorHeartbeat) -> Result<()> {
        self.inner.save_executor_heartbeat(heartbeat).await
    }

    async fn remove_executor(&self, executor: &str) -> Result<()> {
        let mut threads = self.threads.lock().await;
        threads.remove(executor);
        self.inner.remove_executor(executor).await
    }

    fn executor_heartbeats(&self) -> HashMap<String, ExecutorHeartbeat> {
        self.inner.executor_heartbeats()
    }

    fn get_executor_heartbeat(&self, executor: &str) -> Option<ExecutorHeartbeat> {
        self.inner.get_executor_heartbeat(executor)
    }

    async fn cluster_state_events(&self) -> Result<ClusterStateEventStream> {
        self.inner.cluster_state_events().await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_that_no_running_task_has_are_free_again() {
        // Threads of all, those that were taken for free, those of running tasks; the lost ones.
        for (all, free, busy, lost) in
            [(4, 4, 0, 0), (4, 1, 3, 0), (4, 0, 3, 1), (1, 0, 0, 1), (4, 3, 3, 0), (2, 0, 5, 0)]
        {
            let mut threads = Threads { all, free };
            assert_eq!(threads.recount(busy), lost, "{all} {free} {busy}");
            assert_eq!(threads.free, free + lost);
            assert_eq!(threads.recount(busy), 0, "once");
        }
    }
}
