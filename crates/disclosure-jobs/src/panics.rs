//! What a panic says: the words of a panic may quote what the program was reading.

use std::io::Write;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook, take_hook};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// The stack that a job has at least, in bytes: that of Rust's threads.
const STACK: u64 = 2 << 20;

/// From now on, a panic of this process says where it happened and nothing else. For programs;
/// called once, at their start.
pub fn say_where_alone() {
    set_hook(Box::new(say_where));
}

/// The same for threads of this name alone: a library shares its process with others, whose panics
/// stay as they are.
pub fn say_where_alone_on(threads: &'static str) {
    let others = take_hook();
    set_hook(Box::new(move |panic| match thread::current().name() == Some(threads) {
        true => say_where(panic),
        false => others(panic),
    }));
}

fn say_where(panic: &PanicHookInfo<'_>) {
    let place = panic.location().map_or_else(String::new, |place| format!(" at {}:{}", place.file(), place.line()));
    // Nobody is left to hear that this could not be written.
    let _ = writeln!(std::io::stderr().lock(), "a fault of the program{place}; please report it");
}

/// What a job makes; `None` where it panics, once that was said.
pub fn caught<T>(job: impl FnOnce() -> T) -> Option<T> {
    // What the closure was working on is dropped, so that nobody sees it half done.
    catch_unwind(AssertUnwindSafe(job)).ok()
}

/// The same on another stack where that of the first thread is limited to less than a job may need:
/// one that overflows ends a program without a word.
pub fn caught_on_large_stack<T: Send>(job: impl FnOnce() -> T + Send) -> Option<T> {
    if !is_stack_small() {
        return caught(job);
    }
    let job = Mutex::new(Some(job));
    let run = || job.lock().unwrap_or_else(PoisonError::into_inner).take().and_then(caught);
    thread::scope(|scope| match thread::Builder::new().stack_size(STACK as usize).spawn_scoped(scope, run) {
        Ok(worker) => worker.join().ok().flatten(),
        // The system gives no thread.
        Err(_) => run(),
    })
}

#[cfg(unix)]
fn is_stack_small() -> bool {
    use rustix::process::{Resource, getrlimit};
    getrlimit(Resource::Stack).current.is_some_and(|limit| limit < STACK)
}

/// Other systems take the limit from the program.
#[cfg(not(unix))]
fn is_stack_small() -> bool {
    false
}

/// What other people's code makes of an input; `None` where it panics.
///
/// Their parsers meet files that they were not written for, and one of them must not end a program
/// that has an error to show.
pub(crate) fn contained<T>(reading: impl FnOnce() -> T) -> Option<T> {
    caught(reading)
}
