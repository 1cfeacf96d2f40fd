//! The one job that may be under way: its stages, its notes, its progress, and how it is stopped.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use disclosure_jobs::JobError;
use disclosure_jobs::disclosure::privacy_core::stop::{Progress, StopFlag};
use disclosure_jobs::ended::Before;
use disclosure_jobs::observer::Observer;

/// A job that was started: the observer of its thread, and what a page shows of it.
#[derive(Debug)]
pub(crate) struct Work {
    /// What it does, for people.
    pub(crate) what: &'static str,
    /// The page that follows.
    pub(crate) next_page: &'static str,
    stop: StopFlag,
    progress: Arc<Progress>,
    started: Instant,
    /// What the workbench had written and charged when it began.
    pub(crate) before: Before,
    log: Mutex<Log>,
    ended: Condvar,
}

#[derive(Debug, Default)]
struct Log {
    /// Stages that are under way, outermost first.
    stages: Vec<String>,
    notes: Vec<String>,
    outcome: Option<Result<(), JobError>>,
}

/// What a page shows of a job.
#[derive(Clone, Debug)]
pub(crate) struct Status {
    /// The stage that is under way.
    pub(crate) stage: String,
    /// The share of the stage that is done, where it is known.
    pub(crate) share: Option<f64>,
    /// Since when it runs.
    pub(crate) elapsed: Duration,
    /// What it noted.
    pub(crate) notes: Vec<String>,
    /// How it ended; `None` while it is under way.
    pub(crate) outcome: Option<Result<(), JobError>>,
}

impl Work {
    fn new(what: &'static str, next_page: &'static str) -> Self {
        let progress = Arc::new(Progress::default());
        let stop = StopFlag::new().with_progress(Arc::clone(&progress));
        let (started, before) = (Instant::now(), Before::now());
        let (log, ended) = (Mutex::default(), Condvar::new());
        Self { what, next_page, stop, progress, started, before, log, ended }
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How far it is.
    pub(crate) fn status(&self) -> Status {
        let log = self.log();
        Status {
            stage: log.stages.last().cloned().unwrap_or_default(),
            share: self.progress.share(),
            elapsed: self.started.elapsed(),
            notes: log.notes.clone(),
            outcome: log.outcome.clone(),
        }
    }

    /// Asks it to stop.
    pub(crate) fn stop(&self) {
        self.stop.set();
    }

    /// Whether it is under way.
    pub(crate) fn is_running(&self) -> bool {
        self.log().outcome.is_none()
    }

    /// Waits for its end, at most this long.
    pub(crate) fn wait(&self, at_most: Duration) {
        let waited = self.ended.wait_timeout_while(self.log(), at_most, |log| log.outcome.is_none());
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }

    fn end(&self, outcome: Result<(), JobError>) {
        self.log().outcome = Some(outcome);
        self.ended.notify_all();
    }
}

impl Observer for Work {
    fn stage_started(&self, stage: &str) {
        self.log().stages.push(stage.to_owned());
    }

    fn stage_ended(&self) {
        self.log().stages.pop();
    }

    fn note(&self, text: &str) {
        self.log().notes.push(text.to_owned());
    }

    fn stop_flag(&self) -> StopFlag {
        self.stop.clone()
    }
}

/// Starts jobs, one at a time, each on a thread of its own.
#[derive(Debug, Default)]
pub(crate) struct Runner(Mutex<Option<Arc<Work>>>);

impl Runner {
    fn last(&self) -> MutexGuard<'_, Option<Arc<Work>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The job that was started last.
    pub(crate) fn current(&self) -> Option<Arc<Work>> {
        self.last().clone()
    }

    /// Starts a job.
    ///
    /// # Errors
    /// E0708 while another one is under way.
    pub(crate) fn start(
        &self,
        what: &'static str,
        next_page: &'static str,
        job: impl FnOnce(&Work) -> Result<(), JobError> + Send + 'static,
    ) -> Result<Arc<Work>, JobError> {
        let mut last = self.last();
        if last.as_ref().is_some_and(|work| work.is_running()) {
            let error = JobError::new("E0708", "a job is running");
            return Err(error.next("wait for its end, or stop it"));
        }
        let work = Arc::new(Work::new(what, next_page));
        let handed = Arc::clone(&work);
        // What Ctrl-C says is about this job, and not about those of the hours before.
        work.before.begin();
        let run = move || {
            let ender = Ender(&handed);
            let outcome = job(&handed);
            std::mem::forget(ender);
            handed.end(outcome);
        };
        let spawned = thread::Builder::new().name("job".to_owned()).spawn(run);
        spawned
            .map_err(|source| JobError::new("E0708", format!("no thread could be started for the job: {source}")))?;
        *last = Some(Arc::clone(&work));
        Ok(work)
    }
}

/// Ends a job whose thread panicked: a page must not wait for it forever.
struct Ender<'a>(&'a Work);

impl Drop for Ender<'_> {
    fn drop(&mut self) {
        self.0.end(Err(self.0.before.fault()));
    }
}

#[cfg(test)]
mod tests {
    use disclosure_jobs::observer::{check_stop, during};

    use super::*;

    const LONG: Duration = Duration::from_secs(10);

    #[test]
    fn one_job_runs_at_a_time_and_can_be_stopped() {
        let runner = Runner::default();
        let endless = |work: &Work| {
            during(work, "waiting", || {
                while check_stop(work).is_ok() {
                    thread::sleep(Duration::from_millis(1));
                }
            });
            check_stop(work)
        };
        let work = runner.start("waits", "/", endless).unwrap();
        assert!(runner.start("another", "/", |_| Ok(())).unwrap_err().has_code("E0708"));
        assert!(work.is_running() && runner.current().is_some());
        work.stop();
        work.wait(LONG);
        assert!(work.status().outcome.unwrap().unwrap_err().is_stop());
        let next = runner.start("another", "/", |work| {
            work.note("done");
            Ok(())
        });
        let next = next.unwrap();
        next.wait(LONG);
        assert_eq!(next.status().notes, ["done"]);
    }

    #[test]
    fn a_job_that_panics_has_ended() {
        let runner = Runner::default();
        let work = runner.start("fails", "/", |_| panic!("a fault")).unwrap();
        work.wait(LONG);
        assert!(work.status().outcome.unwrap().unwrap_err().has_code("E0709"));
    }
}
