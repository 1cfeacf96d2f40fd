//! A ladder: groups of `2, 3, ...` people whom the attacker knows, asked about beside a group of
//! `n` or `n + 1`.
//!
//! If all sets of people shared one draw, the ladder would show the threshold; where it lies
//! between `n` and `n + 1`, the answer about the last group is certain. Draws of other sets tell
//! nothing of this one: an attacker who is sure, because the ladder hides `n` and shows `n + 1`,
//! is right as often as the odds of one decision say, `(1 + p(n + 1) - p(n)) / 2`.

use std::ops::Range;

use super::super::lcf::{Asked, Fault, Law, OneApart, strangers};
use crate::prelude::*;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    law: Law,
    n: u64,
}

pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let Spec { law, n } = blueprint.spec()?;
    let cutoffs = law.cutoffs(blueprint)?;
    let right = OneApart::of(&cutoffs, n).distinguished();
    blueprint.trials(
        vec![Quantity::exactly("right when sure", right)?],
        |fault: Option<Fault>| {
            let asked = (0..SECRETS).map(|secret| Asked::under(secret, law, fault, blueprint));
            Ok(Ladder { asked: asked.collect::<Result<_, _>>()?, sizes: cutoffs.floor()..cutoffs.cap(), n })
        },
        // Sure where the ladder hides `n` and shows `n + 1`; then `n + 1` when the group is
        // shown.
        move |view, _| {
            let is_sure = view.shows(n) == Some(false) && view.shows(n + 1) == Some(true);
            is_sure.then_some(view.is_shown)
        },
        |_, rng| Some(rng.random()),
    )
}

/// Filters with secrets of their own, of which a trial meets one: with one draw for all sets,
/// each has a threshold.
const SECRETS: u32 = 64;

struct Ladder {
    asked: Vec<Asked>,
    sizes: Range<u64>,
    n: u64,
}

struct World {
    filter: usize,
    is_more: bool,
}

struct View {
    /// Sizes of the ladder, and whether a group of that size is shown.
    ladder: Vec<(u64, bool)>,
    is_shown: bool,
}

impl Audit for Ladder {
    type World = World;
    type View = View;
    /// Whether there are `n + 1`; nothing where the attacker is not sure.
    type Answer = Option<bool>;

    fn world(&self, rng: &mut SimRng) -> Result<World, Error> {
        Ok(World { filter: rng.random_range(0..self.asked.len()), is_more: rng.random() })
    }

    fn view(&self, world: &World, rng: &mut SimRng) -> Result<View, Error> {
        let asked = &self.asked[world.filter];
        let mut ladder = Vec::new();
        for size in self.sizes.clone() {
            ladder.push((size, asked.is_shown(&strangers(size, rng), rng)?));
        }
        let people = strangers(self.n + u64::from(world.is_more), rng);
        Ok(View { ladder, is_shown: asked.is_shown(&people, rng)? })
    }

    fn outsiders(&self, world: &World, rng: &mut SimRng) -> World {
        World { is_more: rng.random(), ..*world }
    }

    fn measure(&self, world: &World, says_more: &Option<bool>, measured: &mut [Option<f64>]) {
        measured[0] = says_more.map(|says_more| f64::from(says_more == world.is_more));
    }
}

impl View {
    fn shows(&self, size: u64) -> Option<bool> {
        self.ladder.iter().find(|(people, _)| *people == size).map(|(_, shown)| *shown)
    }
}
