//! Ctrl-C, a request to terminate, and a terminal that closes. The job is asked to stop and to
//! clean up; where it does not within 50 milliseconds (it waits for a pipe, a lock or a disk), this
//! does it in its place.

use std::process::ExitCode;
#[cfg(unix)]
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread::{self, Builder};
use std::time::Duration;

use disclosure_jobs::ended::stopped;

use crate::error::{Failure, report};
use crate::files::are_errors_for_programs;
use crate::stop;

/// How long a job that was asked to stop has for it.
const PATIENCE: Duration = Duration::from_millis(50);
/// How long the last words may take: nobody may read the standard error.
const LAST_WORDS: Duration = Duration::from_millis(50);

/// Set by the thread that ends the process, which is the only one to say why.
static IS_ENDING: AtomicBool = AtomicBool::new(false);

/// Handles signals from now on. Where that fails they end the process as they always do.
pub(crate) fn install() {
    // Made before a signal can ask for it.
    stop::flag();
    listen();
}

#[cfg(unix)]
fn listen() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    // A file that may not grow further is an error of its writer, not the end of the process.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
    let (ready, is_ready) = channel();
    // On its own thread: without one, signals end the process as they always do.
    let handle = move || {
        let hang_up = Some(SIGHUP).filter(|_| ends_with_its_terminal());
        let signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM].into_iter().chain(hang_up));
        drop(ready);
        signals.into_iter().for_each(|mut signals| signals.forever().for_each(|_| on_signal()));
    };
    if Builder::new().spawn(handle).is_ok() {
        let _: Result<(), _> = is_ready.recv();
    }
}

/// Whether the command was not started to outlive its terminal, as `nohup` starts it. Where the
/// system does not say so, a terminal that closes ends the process as it always does.
#[cfg(unix)]
fn ends_with_its_terminal() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 0)
}

#[cfg(not(unix))]
fn listen() {
    let _ = ctrlc::set_handler(on_signal);
}

fn on_signal() {
    stop::flag().set();
    thread::sleep(PATIENCE);
    if IS_ENDING.swap(true, Ordering::SeqCst) {
        // The job has stopped, and its thread is saying so.
        thread::sleep(LAST_WORDS);
    } else {
        let failure = stopped();
        let (done, wait) = channel::<()>();
        let speaking = Builder::new().spawn(move || {
            report(&failure, are_errors_for_programs());
            drop(done);
        });
        if speaking.is_ok() {
            let _ = wait.recv_timeout(LAST_WORDS);
        }
    }
    std::process::exit(130);
}

/// Ends the command: with its own outcome, or as one that was stopped.
pub(crate) fn end(outcome: Result<(), Failure>) -> ExitCode {
    if IS_ENDING.swap(true, Ordering::SeqCst) {
        // The thread of the signal ends the process, and nothing may be said after it.
        loop {
            thread::park();
        }
    }
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        // What a stop cuts short fails in many ways; a fault is something else.
        Err(failure) if stop::flag().is_set() && !failure.has_code("E0709") => {
            report(&stopped(), are_errors_for_programs())
        }
        Err(failure) => report(&failure, are_errors_for_programs()),
    }
}
