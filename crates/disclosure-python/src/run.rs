//! One call: a job on the threads of this process, while the caller's thread looks for signals.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use disclosure_jobs::JobError;
use disclosure_jobs::disclosure::privacy_core::stop::{Progress, StopFlag};
use disclosure_jobs::ended::Before;
use disclosure_jobs::observer::Observer;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::exception;

/// How often signals are looked for, and progress is reported.
const TICK: Duration = Duration::from_millis(30);
/// The stack of a worker: that of a main thread.
const STACK: usize = 8 << 20;

/// The name of all threads that see data: their panics do not say what it was.
pub(crate) const THREADS: &str = "disclosure";
/// The threads of a process. A child that was forked has the memory of its parent and none of its
/// threads, so it makes its own.
static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

fn pool() -> Result<Arc<ThreadPool>, JobError> {
    let (id, mut pool) = (std::process::id(), lock(&POOL));
    if let Some((_, own)) = pool.as_ref().filter(|(owner, _)| *owner == id) {
        return Ok(Arc::clone(own));
    }
    let made = ThreadPoolBuilder::new().stack_size(STACK).thread_name(|_| THREADS.to_owned()).build();
    let made = Arc::new(made.map_err(|error| no_threads(&error))?);
    // The threads of a parent cannot be ended from here.
    std::mem::forget(pool.replace((id, Arc::clone(&made))));
    Ok(made)
}

fn no_threads(error: &dyn std::error::Error) -> JobError {
    JobError::new("E0109", format!("no threads: {error}"))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a job says while it runs.
struct Heard {
    stages: Mutex<Vec<String>>,
    notes: Mutex<Vec<String>>,
    stop: StopFlag,
    progress: Arc<Progress>,
}

impl Heard {
    fn new() -> Self {
        let progress = Arc::new(Progress::default());
        let stop = StopFlag::new().with_progress(Arc::clone(&progress));
        Self { stages: Mutex::default(), notes: Mutex::default(), stop, progress }
    }

    fn tell(&self, py: Python<'_>, callback: Option<&Py<PyAny>>) -> PyResult<()> {
        let Some(callback) = callback else { return Ok(()) };
        let stage = lock(&self.stages).last().cloned();
        callback.call1(py, (stage, self.progress.share())).map(drop)
    }
}

impl Observer for Heard {
    fn stage_started(&self, stage: &str) {
        lock(&self.stages).push(stage.to_owned());
    }

    fn stage_ended(&self) {
        lock(&self.stages).pop();
    }

    fn note(&self, text: &str) {
        lock(&self.notes).push(text.to_owned());
    }

    fn stop_flag(&self) -> StopFlag {
        self.stop.clone()
    }
}

/// Runs `work` without the lock of the interpreter. `progress` is called with the name of the
/// stage and the share of it that is done, at most every 30 ms; what it raises, and what a signal
/// raises, stops the work and is raised here. Notes of the job go to the logger `disclosure`.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&dyn Observer) -> Result<T, JobError> + Send,
) -> PyResult<T> {
    let (heard, before) = (Heard::new(), Before::now());
    let (result, raised) = py.detach(|| watched(&heard, progress, before, work));
    if let Some(raised) = raised {
        // What was spent before the signal is its cause, and what was written.
        let cause = match result {
            Ok(_) => before.too_late(),
            Err(error) => Some(error).filter(|error| !error.is_stop() || error.is_after_spending()),
        };
        raised.set_cause(py, cause.map(|error| exception(py, &error)));
        return Err(raised);
    }
    let notes = lock(&heard.notes).split_off(0);
    if !notes.is_empty() {
        py.import("disclosure._messages")?.call_method1("note", (notes,))?;
    }
    result.map_err(|error| exception(py, &error))
}

/// Runs the work on the pool, and looks for signals until it ends.
fn watched<T: Send>(
    heard: &Heard,
    progress: Option<&Py<PyAny>>,
    before: Before,
    work: impl FnOnce(&dyn Observer) -> Result<T, JobError> + Send,
) -> (Result<T, JobError>, Option<PyErr>) {
    let pool = match pool() {
        Ok(pool) => pool,
        Err(error) => return (Err(error), None),
    };
    let (done, ended) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let worker = thread::Builder::new().name(THREADS.to_owned()).spawn_scoped(scope, move || {
            // Dropped at the end of the work, however it ends.
            let _done = done;
            pool.install(|| work(heard))
        });
        let worker = match worker {
            Ok(worker) => worker,
            Err(error) => return (Err(no_threads(&error)), None),
        };
        let mut raised = None;
        while let Err(mpsc::RecvTimeoutError::Timeout) = ended.recv_timeout(TICK) {
            if raised.is_none() {
                raised = Python::attach(|py| py.check_signals().and_then(|()| heard.tell(py, progress)).err());
                raised.iter().for_each(|_| heard.stop.set());
            }
        }
        // The standard error says where it was.
        let result = worker.join().unwrap_or_else(|_| Err(before.fault()));
        (result, raised)
    })
}

/// Warns of what a job says about its own parameters.
pub(crate) fn warn(py: Python<'_>, warnings: Vec<String>) -> PyResult<()> {
    match warnings.is_empty() {
        true => Ok(()),
        false => py.import("disclosure._messages")?.call_method1("warn", (warnings,)).map(drop),
    }
}
