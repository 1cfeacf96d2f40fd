//! The difference guard: a set that differs by one entity from one that was answered gets that answer.
//!
//! `s(S)` the seed, `h(u)` the hash of an entity. For every answered set `S` that a draw decided, an *anchor*, these are kept:
//!
//! ```text
//! s(S)                       found by S + u, which takes away each of its members in turn
//! s(S) xor h(u), u in S      found by S - u
//! ```
//!
//! A set that finds an anchor takes its answer and is none itself, so there are no chains. Whoever asks first about `S`
//! and then about `S + u` gets one answer twice, whether `u` is there or not. Sets below the floor stay suppressed, saturated
//! ones reported. It stops differences of one entity; those of two are not looked for.

use std::fmt;

use rustc_hash::FxHashMap;

use crate::entity::entity_set::EntitySet;
use crate::error::Error;
use crate::filter::decision::{Decision, Reason};
use crate::filter::low_count_filter::{ColumnRule, DrawMode, LowCountFilter};

/// The answers that were given, and what differs from them by one entity. Empty at first; it must live as long as the
/// secret, since it forgets nothing: at most 24 `cap` bytes an answer, more while its tables grow.
#[derive(Clone, Default)]
pub struct DifferenceGuard {
    /// By seed: anchors and those that took an answer.
    answers: FxHashMap<u64, Answer>,
    /// Seeds of anchors without one of their members, to the answer.
    without_one: FxHashMap<u64, bool>,
}

#[derive(Clone, Copy)]
struct Answer {
    is_reported: bool,
    is_anchor: bool,
}

impl DifferenceGuard {
    /// No answers yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Decides as the filter does, unless a set that differs by one entity was answered before. Later answers depend on
    /// the order of questions; the same set always gets the same one. `cap` look-ups.
    ///
    /// # Errors
    /// [`Error::Unguarded`] unless the filter is in query mode and one column decides;
    /// as [`LowCountFilter::decide`].
    pub fn decide(&mut self, filter: &LowCountFilter, sets: &[EntitySet]) -> Result<Decision, Error> {
        if filter.mode() != DrawMode::Query || (filter.rule() == ColumnRule::All && filter.columns() > 1) {
            return Err(Error::Unguarded);
        }
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

    /// The answer that this set got, or that of an anchor that differs by one entity.
    fn known(&self, seed: u64, set: &EntitySet) -> Option<bool> {
        let own = self.answers.get(&seed).map(|answer| answer.is_reported);
        let larger = || self.without_one.get(&seed).copied();
        let anchor = |member: u64| self.answers.get(&(seed ^ member)).filter(|answer| answer.is_anchor);
        let smaller = || set.members().into_iter().find_map(anchor).map(|answer| answer.is_reported);
        own.or_else(larger).or_else(smaller)
    }

    /// How many sets were answered.
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

/// Shows how many sets were answered: no seeds, no answers.
impl fmt::Debug for DifferenceGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DifferenceGuard").field("answers", &self.answers.len()).finish_non_exhaustive()
    }
}
