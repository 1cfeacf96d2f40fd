//! What a person sees while they wait: nothing for a second, then one line on a terminal.

use std::io::{IsTerminal, Write};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Runs `work`; when it takes over a second and the standard error is a terminal, shows for how long.
pub(crate) fn during<T>(what: &str, work: impl FnOnce() -> T) -> T {
    if !std::io::stderr().is_terminal() {
        return work();
    }
    let (done, wait) = channel::<()>();
    let started = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut shown = false;
            while wait.recv_timeout(Duration::from_secs(1)) == Err(RecvTimeoutError::Timeout) {
                shown = true;
                let mut err = std::io::stderr();
                // A terminal that cannot be written to is not worth a word.
                let _ = write!(err, "\r{what} … {} s", started.elapsed().as_secs()).and_then(|()| err.flush());
            }
            if shown {
                let _ = write!(std::io::stderr(), "\r\u{1b}[K");
            }
        });
        let result = work();
        drop(done);
        result
    })
}
