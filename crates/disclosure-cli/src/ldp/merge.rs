//! `disclosure ldp merge`: states in any order, one state out.

use std::io::Read;
use std::path::Path;

use disclosure::ldp::{STATE_HEADER_BYTES, StateError, Tally};
use privacy_data::write_atomic;

use super::aggregate::StateReport;
use super::args::MergeArgs;
use crate::error::Failure;
use crate::files::{named, open};
use crate::progress;

pub(super) fn run(args: &MergeArgs) -> Result<(), Failure> {
    named(&args.output)?;
    let merged = progress::during("merging", || {
        let mut merged: Option<Tally> = None;
        for path in &args.states {
            let next = read_tally(path, args.memory.bytes())?;
            match &mut merged {
                None => merged = Some(next),
                Some(sum) => sum.merge(&next).map_err(|error| Failure::from(error).within(path))?,
            }
        }
        Ok::<_, Failure>(merged)
    })?;
    let merged = merged.ok_or_else(|| Failure::new("E0200", "give at least one state"))?;
    write_atomic(&args.output, &merged.to_bytes())?;
    StateReport::of(&merged, None).show(&args.output, args.json)
}

/// Reads a state without its schema; its header says how long it is before the rest is read.
pub(super) fn read_tally(path: &Path, max_bytes: f64) -> Result<Tally, Failure> {
    let read = || -> Result<Tally, Failure> {
        let (mut file, mut bytes) = (open(path)?, Vec::new());
        let failed = |source| Failure::reading(path, &source);
        file.by_ref().take(STATE_HEADER_BYTES as u64).read_to_end(&mut bytes).map_err(failed)?;
        let expected = Tally::file_bytes(&bytes)?;
        // The bytes, and what is made of them.
        let needed = 2.0 * expected as f64;
        if needed > max_bytes {
            return Err(StateError::TooLarge { needed, limit: max_bytes }.into());
        }
        file.take(expected + 1 - STATE_HEADER_BYTES as u64).read_to_end(&mut bytes).map_err(failed)?;
        Ok(Tally::from_bytes(&bytes)?)
    };
    read().map_err(|failure| failure.within(path))
}
