//! Averaging over sets that differ: an attacker who may add entities of their own gets a fresh
//! draw for each.
//!
//! `p`, `p'` the chances of `n` and `n + 1` people, one of them the attacker's own, `r`
//! questions. The best guess is by the likelihood ratio: `n + 1` from `k` answers on that show
//! the group,
//!
//! ```text
//! k = least integer with  k ln(p' / p) + (r - k) ln(q' / q) > 0
//! right with probability (P(Bin(r, p') >= k) + P(Bin(r, p) < k)) / 2
//! ```
//!
//! A calibration: the filter does not stop this (`docs/math/lcf.md`, (11)); it says how fast it
//! goes.

use disclosure::privacy_core::binomial::Binomial;

use super::asked::{Asked, Fault, strangers};
use super::averaging::{Guess, Shown, Spec, average, one_answer};
use super::law::OneApart;
use crate::prelude::*;

pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let Spec { law, n, questions } = blueprint.spec()?;
    if n == 0 {
        return Err(blueprint.refuse("n counts one entity of the attacker's own: at least 1"));
    }
    let cutoffs = law.cutoffs(blueprint)?;
    let sizes = OneApart::of(&cutoffs, n);
    let between = balance(&sizes);
    let claimed = best_share(&sizes, between, questions.into());
    let right = claimed.map_err(|error| blueprint.refuse(error))?;
    blueprint.bit_trials(
        vec![Quantity::exactly("N distinguished from N + 1", right)?],
        |fault: Option<Fault>| Ok(FreshSets { asked: Asked::new(law, fault, blueprint)?, n, questions }),
        average(between),
        one_answer,
    )
}

/// The share of answers at which both sizes are equally likely.
fn balance(OneApart { fewer, more }: &OneApart) -> f64 {
    let (up, down) = ((more.reported / fewer.reported).ln(), (fewer.suppressed / more.suppressed).ln());
    down / (up + down)
}

/// How often the best guess is right, from the chances of both sizes.
fn best_share(sizes: &OneApart, between: f64, questions: u64) -> Result<f64, Box<dyn std::error::Error>> {
    let more = Binomial::new(questions, Probability::new(sizes.more.reported)?)?;
    let fewer = Binomial::new(questions, Probability::new(sizes.fewer.reported)?)?;
    let least = (between * questions as f64).floor() as u64 + 1;
    Ok(0.5 * (more.at_least(least) + fewer.at_most(least - 1)))
}

struct FreshSets {
    asked: Asked,
    n: u64,
    questions: u32,
}

impl BitAudit for FreshSets {
    type View = Shown;
    type Answer = Guess;

    fn view(&self, is_more: bool, rng: &mut SimRng) -> Result<Shown, Error> {
        let mut people = strangers(self.n - 1 + u64::from(is_more), rng);
        let mut times = 0;
        for _ in 0..self.questions {
            people.extend(strangers(1, rng));
            times += u32::from(self.asked.is_shown(&people, rng)?);
            people.pop();
        }
        Ok(Shown { times, questions: self.questions })
    }

    fn measure(&self, is_more: bool, guess: &Guess, measured: &mut [Option<f64>]) {
        measured[0] = Some(f64::from(guess.says_more == is_more));
    }
}
