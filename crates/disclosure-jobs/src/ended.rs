//! The last words of a program whose job did not come to its end.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use privacy_data::unfinished::{abandon, finished, number_finished};

use crate::error::JobError;
use crate::ledger::{Receipt, charged_so_far, number_charged};

/// Before the job that the last words of this process are about.
static BEGIN: Mutex<Before> = Mutex::new(Before { finished: 0, charges: 0 });

/// Removes what is unfinished, and says which outputs are complete and what was spent: of a job
/// that was stopped (E0108).
#[must_use]
pub fn stopped() -> JobError {
    last_words("E0108", STOPPED)
}

/// The same of a job that panicked (E0709).
#[must_use]
pub fn fault() -> JobError {
    last_words("E0709", FAULT)
}

const STOPPED: &str = "stopped before the end";
const FAULT: &str = "ended by a fault of the program";

fn last_words(code: &'static str, how: &str) -> JobError {
    let finished = abandon();
    let before = *BEGIN.lock().unwrap_or_else(PoisonError::into_inner);
    ended(code, how, &finished[before.finished..], &charged_so_far()[before.charges..])
}

/// The failure to show what was done: outputs are complete and a budget is spent all the same.
#[must_use]
pub fn not_shown(error: JobError) -> JobError {
    let (written, charges) = (names(&finished()), charged_so_far());
    let charged = charges.iter().fold(error, |error, receipt| receipt.spent(error));
    match (written.is_empty(), charges.is_empty()) {
        (true, _) => charged,
        (false, true) => charged.next(format!("nothing: {written} was written completely")),
        (false, false) => charged.next(format!("nothing: {written} was written completely, and its cost was charged")),
    }
}

fn names(finished: &[PathBuf]) -> String {
    finished.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}

/// What a process had written and charged before a job, for a process that goes on after it: what
/// is there since then is that of the job, and of those beside it.
#[derive(Clone, Copy, Debug)]
pub struct Before {
    finished: usize,
    charges: usize,
}

impl Before {
    /// Before a job that begins now.
    #[must_use]
    pub fn now() -> Self {
        Self { finished: number_finished(), charges: number_charged() }
    }

    /// The last words of this process are about the job that begins here, if they have to be said.
    pub fn begin(self) {
        *BEGIN.lock().unwrap_or_else(PoisonError::into_inner) = self;
    }

    /// Which outputs are complete and what was spent, of a job that was asked to stop (E0108).
    #[must_use]
    pub fn stopped(self) -> JobError {
        self.ended("E0108", STOPPED)
    }

    /// The same of a job that was stopped behind its last step: its result is lost, and not undone.
    /// `None` where nothing was written or spent.
    #[must_use]
    pub fn too_late(self) -> Option<JobError> {
        let is_changed = number_finished() > self.finished || number_charged() > self.charges;
        is_changed.then(|| self.ended("E0108", "stopped after the end, so that the result was lost"))
    }

    /// The same of a job that panicked (E0709).
    #[must_use]
    pub fn fault(self) -> JobError {
        self.ended("E0709", FAULT)
    }

    fn ended(self, code: &'static str, how: &str) -> JobError {
        ended(code, how, &finished()[self.finished..], &charged_so_far()[self.charges..])
    }
}

fn ended(code: &'static str, how: &str, finished: &[PathBuf], charges: &[Receipt]) -> JobError {
    let written = match names(finished) {
        names if names.is_empty() => "nothing was written".to_owned(),
        names => format!("already complete: {names}; nothing else was written"),
    };
    let spent = if charges.is_empty() { ", and no ledger was charged" } else { "" };
    let error = JobError::new(code, format!("{how}; {written}{spent}"));
    charges.iter().fold(error, |error, receipt| receipt.spent(error))
}
