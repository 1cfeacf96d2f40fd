//! The (epsilon, delta) profile against the decisions themselves, over random laws.
//!
//! `c(n)` the draws that report a group of `n`, found by asking the decision at chosen draws, all
//! others known from where it turns. For one person more in `k` groups, `P` and `Q` the laws of
//! which groups are shown, with the person and without,
//!
//! ```text
//! delta(epsilon) = max over sizes and both directions of
//!                  the sum over outcomes of max(0, P - exp(epsilon) Q)
//! ```
//!
//! Nothing is sampled but the law and epsilon: one exception contradicts the claim.
//! `docs/math/lcf.md`, (8) and (9).

use disclosure::lcf::{ClampedNormal, ThresholdTable};
use disclosure::privacy_core::param::StdDev;
use std::num::NonZeroU32;

use crate::prelude::*;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    /// Groups that one person is in: 1 or 2.
    groups_per_entity: NonZeroU32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Fault {
    /// Delta of reports alone: what a suppression tells is left out.
    ReportsAlone,
    /// Delta of one group, whatever the number of groups.
    GroupsForgotten,
    /// Deltas of the groups added, each at the whole epsilon.
    EpsilonNotShared,
}

pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let Spec { groups_per_entity } = blueprint.spec()?;
    if groups_per_entity.get() > 2 {
        return Err(blueprint.refuse("a person is in one group or in two"));
    }
    let mut never = vec!["more is revealed than delta"];
    if groups_per_entity.get() == 1 {
        never.push("delta is more than is revealed");
    }
    blueprint.trials(
        Quantity::shares_of(0.0, &never)?,
        |fault| Ok(Profile { groups: groups_per_entity, fault }),
        enumerates,
        |view, _| Found { delta: 0.0, claimed: view.claimed },
    )
}

struct Profile {
    groups: NonZeroU32,
    fault: Option<Fault>,
}

struct World {
    cutoffs: ThresholdTable,
    epsilon: Epsilon,
}

impl World {
    fn delta(&self, groups: NonZeroU32) -> f64 {
        self.cutoffs.release_profile(groups).delta(self.epsilon)
    }
}

/// What is public: how often each size is reported and suppressed, and what is claimed.
struct View {
    laws: Vec<[f64; 2]>,
    epsilon: f64,
    groups: u32,
    claimed: f64,
}

/// What the attacker found, beside what was claimed.
struct Found {
    delta: f64,
    claimed: f64,
}

impl Audit for Profile {
    type World = World;
    type View = View;
    type Answer = Found;

    fn world(&self, rng: &mut SimRng) -> Result<World, Error> {
        let bound = [1.0, 1.5, 2.0, 2.5][rng.random_range(0..4)];
        let (mean, sd) = (bound + rng.random_range(1.0..7.0), rng.random_range(0.4..3.0));
        let law = StdDev::new(sd).ok().and_then(|sd| ClampedNormal::new(mean, sd, bound).ok());
        let drawn = law.zip(Epsilon::new(rng.random_range(0.05..4.0)).ok());
        let (law, epsilon) = drawn.ok_or(Error::BadClaim { name: "a drawn law" })?;
        Ok(World { cutoffs: ThresholdTable::new(law), epsilon })
    }

    fn view(&self, world: &World, _: &mut SimRng) -> Result<View, Error> {
        let laws: Vec<[f64; 2]> = (0..=world.cutoffs.cap()).map(|n| law_of(&world.cutoffs, n)).collect();
        let epsilon = world.epsilon.get();
        let claimed = match self.fault {
            None => world.delta(self.groups),
            Some(Fault::GroupsForgotten) => world.delta(NonZeroU32::MIN),
            Some(Fault::EpsilonNotShared) => f64::from(self.groups.get()) * world.delta(NonZeroU32::MIN),
            Some(Fault::ReportsAlone) => {
                laws.windows(2).map(|pair: &[[f64; 2]]| pair[1][0] - epsilon.exp() * pair[0][0]).fold(0.0, f64::max)
            }
        };
        Ok(View { laws, epsilon, groups: self.groups.get(), claimed })
    }

    /// A filter of other people, under another law.
    fn outsiders(&self, world: &World, rng: &mut SimRng) -> World {
        self.world(rng).unwrap_or(World { cutoffs: world.cutoffs.clone(), epsilon: world.epsilon })
    }

    fn measure(&self, _: &World, found: &Found, measured: &mut [Option<f64>]) {
        // Sums of four products of numbers at most 1, and e^epsilon below 55.
        const ROUNDING: f64 = 1e-13;
        measured[0] = Some(f64::from(found.delta > found.claimed + ROUNDING));
        if let Some(slack) = measured.get_mut(1) {
            *slack = Some(f64::from(found.claimed > found.delta + ROUNDING));
        }
    }
}

/// How likely a group of `n` is reported and suppressed, from the decision alone: by bisection
/// over draws, of which the small report.
fn law_of(cutoffs: &ThresholdTable, n: u64) -> [f64; 2] {
    let all = 2.0_f64.powi(64);
    if cutoffs.is_reported(n, u64::MAX) {
        return [1.0, 0.0];
    }
    // `high` suppresses, and every draw below `low` reports.
    let (mut low, mut high) = (0, u64::MAX);
    while low < high {
        let middle = low + (high - low) / 2;
        if cutoffs.is_reported(n, middle) { low = middle + 1 } else { high = middle }
    }
    [low as f64 / all, ((u64::MAX - low) as f64 + 1.0) / all]
}

/// The best attacker: all outcomes, all sizes, both directions.
fn enumerates(view: &View, _: &mut SimRng) -> Found {
    let pairs: Vec<[[f64; 2]; 2]> = view.laws.windows(2).map(|pair| [pair[0], pair[1]]).collect();
    let directions = pairs.iter().flat_map(|&[fewer, more]| [[more, fewer], [fewer, more]]);
    let certain = [[1.0, 0.0], [1.0, 0.0]];
    let delta = directions.flat_map(|[here, there]| {
        // In both groups the person is added, or left out: directions agree.
        let is_more = here[0] >= there[0];
        let mut others = if view.groups == 2 { pairs.clone() } else { vec![certain] };
        if is_more {
            others.iter_mut().for_each(|pair| pair.reverse());
        }
        others.into_iter().map(move |other| excess([here, there], other, view.epsilon.exp()))
    });
    Found { delta: delta.fold(0.0, f64::max), claimed: view.claimed }
}

/// `sum of max(0, P - e^epsilon Q)` over what two groups show.
fn excess([here, there]: [[f64; 2]; 2], [here_too, there_too]: [[f64; 2]; 2], factor: f64) -> f64 {
    let outcomes = (0..4).map(|outcome| (outcome / 2, outcome % 2));
    outcomes.map(|(a, b)| (here[a] * here_too[b] - factor * there[a] * there_too[b]).max(0.0)).sum()
}
