//! Which mutant is on, by the variable `MUTANT`. With `MUTANTS_REACHED`, none is: that file gets
//! the number of each mutant that would have been asked for.

use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

const UNREAD: u32 = u32::MAX;
const NONE: u32 = u32::MAX - 1;
const RECORDING: u32 = u32::MAX - 2;

static ON: AtomicU32 = AtomicU32::new(UNREAD);
static REACHED: [AtomicBool; COUNT] = [const { AtomicBool::new(false) }; COUNT];

#[inline]
pub(crate) fn is(mutant: u32) -> bool {
    let on = ON.load(Ordering::Relaxed);
    on == mutant || (on >= RECORDING && on != NONE && is_at_first(on, mutant))
}

#[cold]
#[inline(never)]
fn is_at_first(on: u32, mutant: u32) -> bool {
    if on == RECORDING {
        record(mutant);
        return false;
    }
    let number = std::env::var("MUTANT").ok().and_then(|number| number.parse().ok());
    let otherwise = if std::env::var_os("MUTANTS_REACHED").is_some() { RECORDING } else { NONE };
    ON.store(number.unwrap_or(otherwise), Ordering::Relaxed);
    is(mutant)
}

fn record(mutant: u32) {
    if REACHED[mutant as usize].swap(true, Ordering::Relaxed) {
        return;
    }
    let Some(path) = std::env::var_os("MUTANTS_REACHED") else { return };
    if let Ok(mut file) = std::fs::OpenOptions::new().append(true).create(true).open(path) {
        let _ = file.write_all(format!("{mutant}\n").as_bytes());
    }
}
