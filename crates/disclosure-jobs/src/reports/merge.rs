//! States in any order, one state out.

use std::io::Read;
use std::path::Path;

use disclosure::ldp::{State, Tally, TallyMerger};

use super::spec::Job;
use crate::error::JobError;
use crate::input::Files;
use crate::observer::{Observer, check_stop};

/// Adds the states of one schema, in at most `max_bytes` of memory.
///
/// # Errors
/// E0200 for no state, E0391 and E0392 for files that are no states of one schema, E0399 for a
/// state that comes twice unless repeats are allowed, E0641 for states that do not fit, E0108.
pub fn merge(
    files: &dyn Files,
    states: &[impl AsRef<Path>],
    allow_repeats: bool,
    max_bytes: f64,
    observer: &dyn Observer,
) -> Result<Tally, JobError> {
    let merger = TallyMerger::new(max_bytes);
    let mut merger = if allow_repeats { merger.allowing_repeats() } else { merger };
    for state in states.iter().map(AsRef::as_ref) {
        check_stop(observer)?;
        let mut stream: Box<dyn Read + '_> = files.open(state)?;
        let added = merger.add_stream(&mut stream);
        added.map_err(|error| JobError::from(error).within(&files.shown(state)))?;
    }
    merger.finish().ok_or_else(|| JobError::new("E0200", "give at least one state"))
}

/// Reads a state of the job's schema, in at most `max_bytes` of memory.
///
/// # Errors
/// As [`merge`].
pub fn read_state(job: &Job, stream: &mut dyn Read, max_bytes: f64) -> Result<State, JobError> {
    let (tally, _) = Tally::read_from(stream, max_bytes)?;
    Ok(State::new(tally, &job.schema)?)
}
