//! How much of a query is done, by the figures of the scheduler. Ballista's protocol has no field
//! for it, so the scheduler writes it into the name of a running query, which is free text for
//! people and otherwise empty.

use std::collections::{BTreeSet, HashMap};
use std::convert::Infallible;
use std::time::Duration;

use ballista_core::serde::protobuf::{GetJobStatusResult, task_status};
use ballista_scheduler::scheduler_server::SchedulerServer;
use ballista_scheduler::state::execution_stage::{ExecutionStage, RunningStage};
use datafusion_proto::protobuf::{LogicalPlanNode, PhysicalPlanNode};
use privacy_core::stop::StopFlag;

/// How often a scheduler writes down what is done, and a client asks for it.
pub(super) const INTERVAL: Duration = Duration::from_millis(200);

/// Parts of a query that are done, of all: those of the rows, and those of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Done {
    parts: u64,
    of: u64,
}

impl Done {
    fn of_stages(stages: &HashMap<usize, ExecutionStage>) -> Self {
        let counted = stages.values().map(parts_of).fold((0, 0), |sum, (done, all)| (sum.0 + done, sum.1 + all));
        Self { parts: counted.0, of: counted.1 }
    }

    fn to_name(self) -> String {
        format!("{} of {}", self.parts, self.of)
    }

    /// What a name says; `None` for a name that somebody gave a query.
    fn from_name(name: &str) -> Option<Self> {
        let (parts, of) = name.split_once(" of ")?;
        let done = Self { parts: parts.parse().ok()?, of: of.parse().ok()? };
        (done.parts <= done.of).then_some(done)
    }
}

/// How many parts of a stage are done, and how many there are.
fn parts_of(stage: &ExecutionStage) -> (u64, u64) {
    // A stage that merges everything has one part, whatever it reads.
    let all = stage.plan().properties().output_partitioning().partition_count().max(1) as u64;
    match stage {
        ExecutionStage::Successful(_) => (all, all),
        ExecutionStage::Running(stage) => (all * done_inputs(stage) / (stage.partitions.max(1) as u64), all),
        _ => (0, all),
    }
}

/// The partitions of its input that a stage has done with: once each, however often they were
/// tried.
fn done_inputs(stage: &RunningStage) -> u64 {
    let done = stage.task_infos.iter().filter(|task| matches!(task.task_status, task_status::Status::Successful(_)));
    done.flat_map(|task| &task.global_input_partition_ids).collect::<BTreeSet<_>>().len() as u64
}

/// Writes down how much of each running query is done, for as long as the scheduler runs.
#[expect(clippy::iter_over_hash_type, reason = "each query has a figure of its own")]
pub(super) async fn announce(scheduler: SchedulerServer<LogicalPlanNode, PhysicalPlanNode>) -> Infallible {
    loop {
        tokio::time::sleep(INTERVAL).await;
        for job in scheduler.state.task_manager.get_running_job_cache().values() {
            let mut graph = job.execution_graph.write().await;
            let mut status = graph.status().clone();
            status.job_name = Done::of_stages(graph.stages()).to_name();
            graph.update_status(status);
        }
    }
}

/// Passes on to a job what its scheduler says.
pub(super) struct Listener {
    stop: StopFlag,
    last: Option<Done>,
}

impl Listener {
    pub(super) fn new(stop: StopFlag) -> Self {
        Self { stop, last: None }
    }

    pub(super) fn hear(&mut self, status: &GetJobStatusResult) {
        let name = status.status.as_ref().map_or("", |status| &status.job_name);
        if let Some(done) = Done::from_name(name) {
            self.tell(done);
        }
    }

    fn tell(&mut self, done: Done) {
        // Parts that an executor took with it are done again, and a new attempt has done nothing.
        let before = self.last.filter(|last| last.of == done.of && last.parts <= done.parts);
        if before.is_none() {
            self.stop.begin(done.of);
        }
        self.stop.advance(done.parts - before.map_or(0, |last| last.parts));
        self.last = Some(done);
    }
}

/// Nothing is under way any more.
impl Drop for Listener {
    fn drop(&mut self) {
        if self.last.is_some() {
            self.stop.begin(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use privacy_core::stop::Progress;

    use super::*;

    #[test]
    fn a_name_says_how_much_is_done_and_other_names_say_nothing() {
        let done = Done { parts: 3, of: 17 };
        assert_eq!(Done::from_name(&done.to_name()), Some(done));
        for other in ["", "17", "3 of", "of 17", "18 of 17", "-1 of 17", "some of it", "3 of 17 of 17"] {
            assert_eq!(Done::from_name(other), None, "{other}");
        }
    }

    #[test]
    fn what_is_done_grows_and_falls_where_parts_are_lost() {
        let progress = Arc::new(Progress::default());
        let mut listener = Listener::new(StopFlag::new().with_progress(Arc::clone(&progress)));
        assert_eq!(progress.share(), None);
        for (parts, of, share) in [(0, 4, 0.0), (1, 4, 0.25), (1, 4, 0.25), (3, 4, 0.75), (2, 4, 0.5), (2, 8, 0.25)] {
            listener.tell(Done { parts, of });
            assert_eq!(progress.share(), Some(share), "{parts} of {of}");
        }
        drop(listener);
        assert_eq!(progress.share(), None);
    }
}
