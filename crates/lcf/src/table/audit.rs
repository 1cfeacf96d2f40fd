//! What happened to all groups together: reasons, and whether the draws look like draws.
//!
//! `p_i` the probability of a report of group `i` under its law, over the distinct sets that a draw decided about:
//!
//! ```text
//! z = (reported - sum p_i) / sqrt(sum p_i (1 - p_i))
//! ```
//!
//! Under a secret that nobody chose in view of the data, `z` has mean 0 and variance 1. Far from 0, the secret is dead, or the
//! data were made knowing it. A calibration: it says nothing about one group.

use std::collections::{BTreeMap, BTreeSet};

use crate::entity::entity_set::EntityCount;
use crate::filter::decision::Reason;
use crate::filter::low_count_filter::{ColumnRule, DrawMode};
use crate::table::filtered::FilteredTable;

/// In which stretch of its law the number of distinct entities of a group lies. It tells no number below the floor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeClass {
    /// Fewer than `floor`: suppressed whatever the draw.
    Below {
        /// The smallest number that may be reported.
        floor: u64,
    },
    /// A draw decides.
    Drawn {
        /// The smallest number that may be reported.
        floor: u64,
        /// The smallest number that is always reported.
        cap: u64,
    },
    /// `cap` or more: reported whatever the draw.
    AtLeast {
        /// The smallest number that is always reported.
        cap: u64,
    },
}

/// All groups of a table, for its owner.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct AuditReport {
    /// All groups.
    pub groups: u64,
    /// Groups for each of all reasons; a group that was merged counts for why it was suppressed.
    pub by_reason: BTreeMap<Reason, u64>,
    /// Groups of low effect, merged into their siblings.
    pub merged: u64,
    /// Groups that another one differs from by one entity: what a difference attack uses.
    pub near_duplicates: u64,
    /// EntityCount sets of entities that a draw decided about. Not counted under [`ColumnRule::All`](crate::ColumnRule::All) with
    /// several columns, where a group is no single draw; the same holds for the three below.
    pub drawn: u64,
    /// How many of them are expected to be reported, by their laws.
    pub expected: f64,
    /// How many are.
    pub reported: u64,
    /// Standard deviations between the two; none where nothing was left to chance.
    pub z: Option<f64>,
}

impl FilteredTable<'_> {
    /// The size class of a group by its position, in its working column.
    ///
    /// # Panics
    /// If there is no such group.
    #[must_use]
    pub fn size_class(&self, group: usize) -> SizeClass {
        let decision = self.outcomes()[group].decision;
        let thresholds = &self.filter().column(decision.working).thresholds;
        let (floor, cap) = (thresholds.floor(), thresholds.cap());
        match decision.reason {
            Reason::NoEntity | Reason::BelowFloor => SizeClass::Below { floor },
            Reason::SuppressedByDraw | Reason::ReportedByDraw => SizeClass::Drawn { floor, cap },
            Reason::Certain => SizeClass::AtLeast { cap },
        }
    }

    /// Counts all groups by what happened to them.
    #[must_use]
    pub fn audit(&self) -> AuditReport {
        let outcomes = self.outcomes();
        let count = |what: &dyn Fn(&crate::GroupOutcome) -> bool| outcomes.iter().filter(|o| what(o)).count() as u64;
        let (drawn, expected, variance, reported) = self.draws();
        AuditReport {
            groups: outcomes.len() as u64,
            by_reason: Reason::ALL.map(|reason| (reason, count(&|outcome| outcome.decision.reason == reason))).into(),
            merged: count(&|outcome| outcome.is_merged),
            near_duplicates: count(&|outcome| outcome.near_duplicates > 0),
            drawn,
            expected,
            reported,
            z: (variance > 0.0).then(|| (reported as f64 - expected) / variance.sqrt()),
        }
    }

    /// Number, expectation, variance and reports of the draws that decided. In query mode equal sets share one.
    fn draws(&self) -> (u64, f64, f64, u64) {
        let mut seen = BTreeSet::new();
        let (mut drawn, mut expected, mut variance, mut reported) = (0, 0.0, 0.0, 0);
        if self.filter().rule() == ColumnRule::All && self.filter().columns() > 1 {
            return (drawn, expected, variance, reported);
        }
        for (group, outcome) in self.outcomes().iter().enumerate().filter(|(_, o)| o.decision.reason.is_by_draw()) {
            let working = outcome.decision.working;
            let (set, column) = (&self.table().groups[group].sets[working], self.filter().column(working));
            let unique = if self.filter().mode() == DrawMode::Publish { group } else { 0 };
            let EntityCount::Exactly(distinct) = set.distinct() else { continue };
            if !seen.insert((set.seed(), column.kind.as_str(), working, unique)) {
                continue;
            }
            let chance = column.thresholds.reporting_probability(distinct.into());
            drawn += 1;
            expected += chance.reported;
            variance += chance.reported * chance.suppressed;
            reported += u64::from(outcome.decision.is_reported());
        }
        (drawn, expected, variance, reported)
    }
}
