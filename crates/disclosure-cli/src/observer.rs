//! What a person sees of a running job: stages that take over a second, and notes. Ctrl-C stops
//! the job.

use std::io::{IsTerminal, Write};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use disclosure_jobs::disclosure::privacy_core::stop::StopFlag;
use disclosure_jobs::observer::Observer;

use crate::files::{are_errors_for_programs, say};

/// Writes notes to the standard error and, on a terminal, a line for a stage that takes over a
/// second.
#[derive(Debug, Default)]
pub(crate) struct Terminal {
    stage: Mutex<Option<Stage>>,
    is_quiet: bool,
}

/// A stage that is under way; its thread ends when the sender is dropped.
#[derive(Debug)]
struct Stage {
    done: Sender<()>,
    line: JoinHandle<()>,
}

impl Terminal {
    /// An observer that writes no notes.
    #[expect(dead_code, reason = "for the subcommands that move next")]
    pub(crate) fn quiet() -> Self {
        Self { is_quiet: true, ..Self::default() }
    }

    fn replace_stage(&self, stage: Option<Stage>) {
        // A thread that panicked while it held the lock leaves a stage that can still be ended.
        let before = std::mem::replace(&mut *self.stage.lock().unwrap_or_else(PoisonError::into_inner), stage);
        if let Some(Stage { done, line }) = before {
            drop(done);
            let _ = line.join();
        }
    }
}

impl Observer for Terminal {
    fn stage_started(&self, stage: &str) {
        if !std::io::stderr().is_terminal() || are_errors_for_programs() {
            return;
        }
        let (done, wait) = channel::<()>();
        let name = stage.to_owned();
        let line = std::thread::spawn(move || show_until_done(&name, &wait));
        self.replace_stage(Some(Stage { done, line }));
    }

    fn stage_ended(&self) {
        self.replace_stage(None);
    }

    fn note(&self, text: &str) {
        if !self.is_quiet {
            say(text);
        }
    }

    fn stop_flag(&self) -> StopFlag {
        interrupt_flag().clone()
    }
}

/// Shows the stage and its seconds from the second second on, and clears the line at the end.
fn show_until_done(stage: &str, wait: &std::sync::mpsc::Receiver<()>) {
    let started = Instant::now();
    let mut shown = false;
    while wait.recv_timeout(Duration::from_secs(1)) == Err(RecvTimeoutError::Timeout) {
        shown = true;
        let mut err = std::io::stderr();
        // A terminal that cannot be written to is not worth a message.
        let _ = write!(err, "\r{stage} … {} s", started.elapsed().as_secs()).and_then(|()| err.flush());
    }
    if shown {
        let _ = write!(std::io::stderr(), "\r\u{1b}[K");
    }
}

/// The flag that Ctrl-C sets. The first Ctrl-C asks the job to stop and clean up, the second ends
/// the process at once.
fn interrupt_flag() -> &'static StopFlag {
    static FLAG: OnceLock<StopFlag> = OnceLock::new();
    FLAG.get_or_init(|| {
        let flag = StopFlag::new();
        let handled = flag.clone();
        let installed = ctrlc::set_handler(move || {
            if handled.is_set() {
                std::process::exit(130);
            }
            handled.set();
        });
        // Without a handler Ctrl-C ends the process as it always does.
        drop(installed);
        flag
    })
}
