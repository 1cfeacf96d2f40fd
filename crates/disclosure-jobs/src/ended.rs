//! The last words of a program whose job did not come to its end.

use privacy_data::unfinished::abandon;

use crate::error::JobError;
use crate::ledger::charged_so_far;

/// Removes what is unfinished, and says which outputs are complete and what was spent: of a job
/// that was stopped (E0108).
#[must_use]
pub fn stopped() -> JobError {
    ended("E0108", "stopped before the end")
}

/// The same of a job that panicked (E0709).
#[must_use]
pub fn fault() -> JobError {
    ended("E0709", "ended by a fault of the program")
}

fn ended(code: &'static str, how: &str) -> JobError {
    let finished: Vec<String> = abandon().iter().map(|path| path.display().to_string()).collect();
    let written = match &finished[..] {
        [] => "nothing was written".to_owned(),
        names => format!("already complete: {}; nothing else was written", names.join(", ")),
    };
    let charges = charged_so_far();
    let spent = if charges.is_empty() { ", and no ledger was charged" } else { "" };
    let error = JobError::new(code, format!("{how}; {written}{spent}"));
    charges.iter().fold(error, |error, receipt| receipt.spent(error))
}
