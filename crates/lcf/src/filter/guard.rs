//! The difference guard: a set that differs by one entity from a set that was answered gets the
//! same answer.
//!
//! `s(S)` the seed, `h(u)` the hash of an entity. For every answered set `S` that a draw decided,
//! an *anchor*, these are stored:
//!
//! ```text
//! s(S)                       found by S + u, which removes each of its members in turn
//! s(S) xor h(u), u in S      found by S - u
//! ```
//!
//! A set that finds an anchor takes its answer and does not become an anchor, so there are no
//! chains. An analyst who queries `S` and then `S + u` gets one answer twice, whether `u` is
//! there or not. Sets below the floor stay suppressed, saturated ones reported. The guard stops
//! differences of one entity; it does not look for differences of two, so an analyst who knows a
//! person `w` queries `S` and `S + w`: the answers can differ only if `u` is there as well.

use std::fmt;

use rustc_hash::FxHashMap;

use crate::entity::entity_set::EntitySet;
use crate::error::Error;
use crate::filter::decision::{Decision, Reason};
use crate::filter::description::DrawMode;
use crate::filter::low_count_filter::LowCountFilter;

/// The answers that were given, and the sets that differ from them by one entity. Keep it as long
/// as the secret, between programs [as bytes](Self::to_bytes). It removes nothing: at most 24
/// `cap` bytes per answer, more while its tables grow.
#[derive(Clone, Default)]
pub struct DifferenceGuard {
    /// By seed: anchors, and sets that took the answer of one.
    pub(super) answers: FxHashMap<u64, Answer>,
    /// Answers of anchors by their seeds without one of their members.
    pub(super) without_one: FxHashMap<u64, bool>,
    /// The seals of the bytes that it was read from, and of those before them.
    pub(super) history: History,
}

#[derive(Clone, Copy)]
pub(super) struct Answer {
    pub(super) is_reported: bool,
    pub(super) is_anchor: bool,
}

/// Which stored answers these are.
#[derive(Clone, Copy, Default)]
pub(super) struct History {
    pub(super) read_from: Option<[u8; 16]>,
    pub(super) before: Option<[u8; 16]>,
}

impl DifferenceGuard {
    /// A guard without answers.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Decides as the filter does, unless a set that differs by one entity was answered before.
    /// Later answers depend on the order of queries; the same set always gets the same answer.
    /// `cap` look-ups.
    ///
    /// # Errors
    /// [`Error::Unguarded`] unless the filter is in query mode and one column decides;
    /// as [`LowCountFilter::decide`].
    pub fn decide(&mut self, filter: &LowCountFilter, sets: &[EntitySet]) -> Result<Decision, Error> {
        Self::check(filter)?;
        let decision = filter.decide(sets, None)?;
        let set = &sets[decision.working];
        let (true, Some(seed)) = (decision.reason.is_by_draw(), set.seed()) else { return Ok(decision) };
        let (is_reported, is_anchor) = match self.known(seed, set) {
            Some(is_reported) => (is_reported, false),
            None => (decision.is_reported(), true),
        };
        if let std::collections::hash_map::Entry::Vacant(new) = self.answers.entry(seed) {
            new.insert(Answer { is_reported, is_anchor });
            if is_anchor {
                set.members().into_iter().for_each(|member| {
                    self.without_one.entry(seed ^ member).or_insert(is_reported);
                });
            }
        }
        let reason = if is_reported { Reason::ReportedByDraw } else { Reason::SuppressedByDraw };
        Ok(Decision { reason, ..decision })
    }

    /// Refuses filters that one set does not decide.
    pub(crate) fn check(filter: &LowCountFilter) -> Result<(), Error> {
        match filter.mode() == DrawMode::Query && filter.description().has_one_draw() {
            true => Ok(()),
            false => Err(Error::Unguarded),
        }
    }

    /// The answer that this set got before, or that of an anchor that differs by one entity.
    fn known(&self, seed: u64, set: &EntitySet) -> Option<bool> {
        if let Some(own) = self.answers.get(&seed) {
            return Some(own.is_reported);
        }
        // An anchor with one member more...
        if let Some(&is_reported) = self.without_one.get(&seed) {
            return Some(is_reported);
        }
        // ... or with one member less: (12), each member is removed in turn.
        let smaller = set.members().into_iter().filter_map(|member| self.answers.get(&(seed ^ member)));
        smaller.filter(|answer| answer.is_anchor).map(|answer| answer.is_reported).next()
    }

    /// Number of sets that were answered.
    #[must_use]
    pub fn len(&self) -> usize {
        self.answers.len()
    }

    /// Whether no set was answered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.answers.is_empty()
    }
}

/// Shows the number of answered sets: no seeds, no answers.
impl fmt::Debug for DifferenceGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DifferenceGuard").field("answers", &self.answers.len()).finish_non_exhaustive()
    }
}
