//! `disclosure ldp merge`: states in any order, one state out.

use std::io::Read;
use std::path::Path;

use disclosure::ldp::{STATE_HEADER_BYTES, StateDetail, StateError, Tally};
use privacy_data::write_atomic;

use super::aggregate::StateReport;
use super::args::MergeArgs;
use crate::error::Failure;
use crate::files::{named, open};
use crate::progress;

pub(super) fn run(args: &MergeArgs) -> Result<(), Failure> {
    named(&args.output)?;
    let merged = progress::during("merging", || {
        let (mut merged, mut held): (Option<Tally>, f64) = (None, 0.0);
        for path in &args.states {
            let (next, bytes) = read_with_length(path, args.memory.bytes() - held)?;
            // Counts are added where they are; reports pile up, and are sorted with a copy.
            held += if next.detail() == StateDetail::Reports { 5.0 * bytes as f64 } else { 0.0 };
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
    read_with_length(path, max_bytes).map(|(tally, _)| tally)
}

/// The same, and how many bytes it has.
fn read_with_length(path: &Path, max_bytes: f64) -> Result<(Tally, u64), Failure> {
    let mut file = open(path)?;
    let mut read = || -> Result<(Tally, u64), Failure> {
        let mut bytes = Vec::new();
        let failed = |source: std::io::Error| Failure::new("E0104", source.to_string());
        file.by_ref().take(STATE_HEADER_BYTES as u64).read_to_end(&mut bytes).map_err(failed)?;
        let expected = Tally::file_bytes(&bytes)?;
        // The bytes, and what is made of them.
        let needed = 2.0 * expected as f64;
        if needed > max_bytes {
            return Err(StateError::TooLarge { needed, limit: max_bytes }.into());
        }
        file.by_ref().take(expected + 1 - STATE_HEADER_BYTES as u64).read_to_end(&mut bytes).map_err(failed)?;
        Ok((Tally::from_bytes(&bytes)?, expected))
    };
    read().map_err(|failure| failure.within(path))
}
