//! All groups together: how many for each reason, and whether the draws look like random draws.
//!
//! `p_i` the probability of a report of group `i` under its law, over the distinct sets that a
//! draw decided about:
//!
//! ```text
//! z = (reported - sum p_i) / sqrt(sum p_i (1 - p_i))
//! ```
//!
//! Under a secret that was chosen without looking at the data, `z` has mean 0 and variance 1. Far
//! from 0, the secret is not random, or the data were made by someone who knew it. A calibration:
//! it says nothing about one group.

use std::collections::{BTreeMap, BTreeSet};

use crate::entity::entity_set::EntityCount;
use crate::filter::decision::Reason;
use crate::filter::description::DrawMode;
use crate::table::filtered::{FilteredTable, GroupOutcome};

/// The range of its law in which the number of distinct entities of a group lies. It reveals no
/// number below the floor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
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

/// A summary of all groups of a table, for its owner.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct AuditReport {
    /// Number of groups.
    pub groups: u64,
    /// Number of groups for each reason. A merged group counts under the reason why it was
    /// suppressed.
    pub by_reason: BTreeMap<Reason, u64>,
    /// Number of low-effect groups that were merged into their siblings.
    pub merged: u64,
    /// Number of groups from which another one differs by one entity: a difference attack can use
    /// them.
    pub near_duplicates: u64,
    /// Number of distinct sets of entities that were decided by a draw. Not counted under
    /// [`ColumnRule::All`](crate::ColumnRule::All) with several columns, where one group takes
    /// several draws; the same holds for the three fields below.
    pub drawn: u64,
    /// Expected number of reports among them, by their laws.
    pub expected: f64,
    /// Number of reports among them.
    pub reported: u64,
    /// The difference of the two in standard deviations; none where no draw was uncertain, and
    /// where a difference guard answered, since groups then share answers.
    pub z: Option<f64>,
}

impl FilteredTable {
    /// The size class of a group by its position, in its working column.
    ///
    /// # Panics
    /// Unless `group` is the position of a group, as an index into [`outcomes`](Self::outcomes).
    #[must_use]
    pub fn size_class(&self, group: usize) -> SizeClass {
        let decision = self.outcomes()[group].decision;
        let thresholds = &self.filter().columns()[decision.working].thresholds;
        let (floor, cap) = (thresholds.floor(), thresholds.cap());
        match decision.reason {
            Reason::NoEntity | Reason::BelowFloor => SizeClass::Below { floor },
            Reason::SuppressedByDraw | Reason::ReportedByDraw => SizeClass::Drawn { floor, cap },
            Reason::Certain => SizeClass::AtLeast { cap },
        }
    }

    /// Counts all groups by their outcomes.
    #[must_use]
    pub fn audit(&self) -> AuditReport {
        let outcomes = self.outcomes();
        let (drawn, expected, variance, reported) = self.draws();
        AuditReport {
            groups: outcomes.len() as u64,
            by_reason: Reason::ALL.map(|reason| (reason, count(outcomes, |o| o.decision.reason == reason))).into(),
            merged: count(outcomes, |outcome| outcome.is_merged),
            near_duplicates: count(outcomes, |outcome| outcome.near_duplicates > 0),
            drawn,
            expected,
            reported,
            z: (variance > 0.0 && !self.is_guarded()).then(|| (reported as f64 - expected) / variance.sqrt()),
        }
    }

    /// Number, expectation, variance and reports of the draws that decided. In query mode equal
    /// sets share one draw, which counts once.
    fn draws(&self) -> (u64, f64, f64, u64) {
        let mut seen = BTreeSet::new();
        let (mut drawn, mut expected, mut variance, mut reported) = (0, 0.0, 0.0, 0);
        if !self.filter().has_one_draw() {
            return (drawn, expected, variance, reported);
        }
        for (group, outcome) in self.outcomes().iter().enumerate().filter(|(_, o)| o.decision.reason.is_by_draw()) {
            let working = outcome.decision.working;
            let (set, column) = (&self.table().groups.sets(group)[working], &self.filter().columns()[working]);
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

fn count(outcomes: &[GroupOutcome], is_counted: impl Fn(&GroupOutcome) -> bool) -> u64 {
    outcomes.iter().filter(|outcome| is_counted(outcome)).count() as u64
}
