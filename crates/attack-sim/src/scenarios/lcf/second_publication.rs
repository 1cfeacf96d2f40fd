//! A table published again after somebody came. A **guarantee**: nobody can tell from the second
//! table which group the newcomer is in, since there is no second table under the same secret.
//!
//! Groups that did not change keep their sets, their names and so their answers. An attacker who
//! compares two tables sees the group that changed, in the share of cases in which its answer did.

use disclosure::lcf::{DrawMode, GroupLimits, LabelledGroups, LowCountFilter, Registry, TableOptions};
use rand::Rng;

use super::asked::{filter_of, secret};
use super::law::Law;
use crate::prelude::*;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    law: Law,
    /// People of each of the two groups before.
    n: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Fault {
    /// Publications are not counted.
    Uncounted,
}

const GROUPS: [&str; 2] = ["a", "b"];

pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let Spec { law, n } = blueprint.spec()?;
    let thresholds = law.cutoffs(blueprint)?;
    blueprint.bit_trials(
        vec![Quantity::exactly("right guesses of the newcomer's group", 0.5)?],
        |fault: Option<Fault>| {
            let filter = filter_of(&thresholds, DrawMode::Publish, &secret(blueprint, "secret")?)?;
            Ok(TwoTables { filter, n, is_counted: fault.is_none() })
        },
        which_changed,
        coin_toss,
    )
}

struct TwoTables {
    filter: LowCountFilter,
    n: u64,
    is_counted: bool,
}

/// Which groups a table shows.
type Groups = [bool; 2];

impl BitAudit for TwoTables {
    /// The first table, and the second where there is one.
    type View = (Groups, Option<Groups>);
    /// Whether the newcomer is in the first group.
    type Answer = bool;

    fn view(&self, is_first: bool, rng: &mut SimRng) -> Result<(Groups, Option<Groups>), Error> {
        let mut people = GROUPS.map(|_| (0..self.n).map(|_| rng.next_u64()).collect::<Vec<u64>>());
        let mut registry = Registry::new([]);
        let first = self.publish(&people, &mut registry)?;
        people[usize::from(!is_first)].push(rng.next_u64());
        let second = self.publish(&people, &mut registry)?;
        Ok((first.expect("the first publication is admitted"), second))
    }

    fn measure(&self, is_first: bool, says_first: &bool, measured: &mut [Option<f64>]) {
        measured[0] = Some(f64::from(*says_first == is_first));
    }
}

impl TwoTables {
    /// The groups that are shown; none for a table that the registry refuses.
    fn publish(&self, people: &[Vec<u64>; 2], registry: &mut Registry) -> Result<Option<Groups>, Error> {
        let mut groups = LabelledGroups::new(["group"], &self.filter, GroupLimits::default());
        for (label, people) in GROUPS.iter().zip(people) {
            for &person in people {
                groups.row([*label])?.insert_with(0, || person)?;
            }
        }
        let table = groups.into_table();
        if self.is_counted && registry.publish(table.digest(&self.filter)?).is_err() {
            return Ok(None);
        }
        let filtered = self.filter.apply(table, TableOptions::of(DrawMode::Publish))?;
        let shown: Vec<&str> = filtered.reported().flat_map(|group| group.labels().collect::<Vec<_>>()).collect();
        Ok(Some(GROUPS.map(|label| shown.contains(&label))))
    }
}

/// Names the group whose answer changed, or tosses a coin.
fn which_changed((first, second): &(Groups, Option<Groups>), rng: &mut SimRng) -> bool {
    match second {
        Some(second) if first[0] != second[0] => true,
        Some(second) if first[1] != second[1] => false,
        _ => coin_toss(&(), rng),
    }
}
