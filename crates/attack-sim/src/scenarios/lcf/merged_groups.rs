//! The total of a table less its groups, where a group of low effect was merged. A **guarantee**:
//! merged people count once, so the groups of a table say nothing that their total does not.
//!
//! Two groups that are shown have a suppressed one as their only sibling, each along another
//! column. Counted in both, its people are the excess of the groups over the total: one person or
//! two are read off every time.

use disclosure::lcf::{
    Counted, DrawMode, GroupLimits, GroupNumber, LabelledGroups, LowCountFilter, ReportedGroup, TableOptions,
};
use rand::Rng;

use super::asked::{filter_of, secret};
use super::law::Law;
use crate::prelude::*;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    law: Law,
    /// People of each group that is shown.
    n: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Fault {
    /// Every group that takes merged people counts them.
    CountedTwice,
}

pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let Spec { law, n } = blueprint.spec()?;
    let thresholds = law.cutoffs(blueprint)?;
    if thresholds.floor() < 3 || n < thresholds.cap() {
        return Err(blueprint.refuse("one and two people are suppressed, n people are shown"));
    }
    blueprint.bit_trials(
        vec![Quantity::exactly("right guesses of one person or two", 0.5)?],
        |fault: Option<Fault>| {
            let filter = filter_of(&thresholds, DrawMode::Query, &secret(blueprint, "secret")?)?;
            let filter = filter.with_number(GroupNumber::Exact(Counted::Rows))?;
            Ok(Table { filter, n, counts_twice: fault.is_some() })
        },
        |&excess: &u64, rng: &mut SimRng| if excess == 0 { coin_toss(&(), rng) } else { excess == 2 },
        coin_toss,
    )
}

struct Table {
    filter: LowCountFilter,
    n: u64,
    counts_twice: bool,
}

/// The suppressed group in the middle: its only sibling along `title` is the first group, and its
/// only sibling along `sex` the last.
const GROUPS: [[&str; 3]; 3] = [["math", "man", "prof"], ["math", "man", "dean"], ["math", "woman", "dean"]];

impl BitAudit for Table {
    /// The sum of the groups less the total of the table.
    type View = u64;
    /// Whether there are two.
    type Answer = bool;

    fn view(&self, is_two: bool, rng: &mut SimRng) -> Result<u64, Error> {
        let hidden = 1 + u64::from(is_two);
        let counts = [self.n, hidden, self.n];
        let mut table = LabelledGroups::new(["dept", "sex", "title"], &self.filter, GroupLimits::default());
        for (labels, count) in GROUPS.iter().zip(counts) {
            for _ in 0..count {
                let person = rng.next_u64();
                table.row(labels.iter().copied())?.insert_with(0, || person)?;
            }
        }
        let filtered = self.filter.apply(table.into_table(), TableOptions::default())?;
        let mut shown: u64 = filtered.reported().filter_map(|group| group.number).sum();
        if self.counts_twice {
            // The first group that took the people counts them already.
            shown += hidden * filtered.reported().filter(ReportedGroup::took_merged).skip(1).count() as u64;
        }
        Ok(shown - counts.iter().sum::<u64>())
    }

    fn measure(&self, is_two: bool, says_two: &bool, measured: &mut [Option<f64>]) {
        measured[0] = Some(f64::from(*says_two == is_two));
    }
}
