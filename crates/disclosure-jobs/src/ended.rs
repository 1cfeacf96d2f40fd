//! The last words of a program whose job did not come to its end.

use std::path::PathBuf;

use privacy_data::unfinished::{abandon, finished};

use crate::error::JobError;
use crate::ledger::{Receipt, charged_so_far};

/// Removes what is unfinished, and says which outputs are complete and what was spent: of a job
/// that was stopped (E0108).
#[must_use]
pub fn stopped() -> JobError {
    ended("E0108", "stopped before the end", &abandon(), &charged_so_far())
}

/// The same of a job that panicked (E0709).
#[must_use]
pub fn fault() -> JobError {
    ended("E0709", FAULT, &abandon(), &charged_so_far())
}

const FAULT: &str = "ended by a fault of the program";

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
        Self { finished: finished().len(), charges: charged_so_far().len() }
    }

    /// Which outputs are complete and what was spent, of a job that was stopped behind its last
    /// step: its result is lost, and not undone (E0108). `None` where nothing was written or spent.
    #[must_use]
    pub fn too_late(self) -> Option<JobError> {
        let is_changed = finished().len() > self.finished || charged_so_far().len() > self.charges;
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
