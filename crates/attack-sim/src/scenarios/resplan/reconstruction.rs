//! Rows from marginals: which of two rows a person has, or a secret bit of each person, guessed
//! from all tables.
//!
//! Which it is, is a fair coin, drawn apart from everything else, and each of its two values is a
//! table that differs from the other in one replaced row. Of mu-GDP, a guess is right with a
//! probability of at most `Phi(mu / 2)`, `mu = sqrt(pcost)`: the error rates `a` and `b` of any
//! test satisfy `b >= Phi(Phi^-1(1 - a) - mu)`, so that `(a + b) / 2 >= Phi(-mu / 2)` (Dong,
//! Roth, Su 2022, section 2).

use disclosure::privacy_core::normal;

use super::mechanism::{Fault, Mechanism};
use super::setting::Setting;
use super::statistic::{Counts, Distinguisher, Statistic};
use crate::prelude::*;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct OneSpec {
    plan: Setting,
    /// One row that the person may have.
    person: Vec<usize>,
    /// The other.
    instead: Vec<usize>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AllSpec {
    plan: Setting,
}

/// The most that anybody is right.
fn most_right(setting: &Setting) -> Result<Claim, Error> {
    Claim::at_most(normal::at_most(0.5 * setting.pcost.sqrt()))
}

fn replaces_rows(blueprint: &Blueprint<'_>, setting: &Setting) -> Result<(), Error> {
    let problem = "the bound is about a replaced row: write replace = true";
    if setting.replace { Ok(()) } else { Err(blueprint.refuse(problem)) }
}

/// One person, who has one of two rows; everybody else's rows are known.
#[derive(Clone, Debug)]
struct OneBit {
    mechanism: Mechanism,
    tables: [TableSource; 2],
}

impl BitAudit for OneBit {
    type View = Counts;
    type Answer = bool;

    fn view(&self, bit: bool, rng: &mut SimRng) -> Result<Counts, Error> {
        Ok(vec![self.mechanism.cells(&self.tables[usize::from(bit)], &mut release_rng(rng))?])
    }

    fn measure(&self, bit: bool, guess: &bool, measured: &mut [Option<f64>]) {
        measured[0] = Some(f64::from(bit == *guess));
    }
}

pub(super) fn of_one(blueprint: &Blueprint<'_>) -> Built {
    let OneSpec { plan, person, instead } = blueprint.spec()?;
    replaces_rows(blueprint, &plan)?;
    let tables = [plan.table_with(&instead, 1)?, plan.table_with(&person, 1)?];
    let right = Quantity::share("right guesses", most_right(&plan)?)?;
    let statistic = Statistic::between(&Mechanism::new(&plan, None)?, &tables[0], &tables[1])?;
    let distinguisher = Distinguisher { threshold: 0.5 * statistic.mu, statistic };
    blueprint.bit_trials(
        vec![right],
        |fault: Option<Fault>| Ok(OneBit { mechanism: Mechanism::new(&plan, fault)?, tables: tables.clone() }),
        move |counts, _| distinguisher.says_with(counts),
        coin_toss,
    )
}

/// One person of every combination of the known attributes; the last attribute is their secret
/// bit.
#[derive(Clone, Debug)]
struct AllBits {
    mechanism: Mechanism,
    setting: Setting,
    people: usize,
}

impl Audit for AllBits {
    type World = Vec<bool>;
    type View = Vec<f64>;
    type Answer = Vec<bool>;

    fn world(&self, rng: &mut SimRng) -> Result<Vec<bool>, Error> {
        Ok((0..self.people).map(|_| rng.random()).collect())
    }

    fn view(&self, world: &Vec<bool>, rng: &mut SimRng) -> Result<Vec<f64>, Error> {
        let counts = world.iter().flat_map(|&bit| [u64::from(!bit), u64::from(bit)]).collect();
        let cells = self.mechanism.cells(&self.setting.table_of(counts)?, &mut release_rng(rng))?;
        // All other tables are sums of this one.
        Ok(cells.into_iter().max_by_key(Vec::len).unwrap_or_default())
    }

    fn outsiders(&self, world: &Vec<bool>, rng: &mut SimRng) -> Vec<bool> {
        world.iter().map(|_| rng.random()).collect()
    }

    fn measure(&self, world: &Vec<bool>, answer: &Vec<bool>, measured: &mut [Option<f64>]) {
        let right = world.iter().zip(answer).filter(|(bit, guess)| bit == guess).count();
        measured[0] = Some(right as f64 / self.people as f64);
    }
}

pub(super) fn of_all(blueprint: &Blueprint<'_>) -> Built {
    let AllSpec { plan } = blueprint.spec()?;
    replaces_rows(blueprint, &plan)?;
    if plan.order != plan.sizes.len() || plan.sizes.last() != Some(&2) {
        return Err(blueprint.refuse("the last attribute is a bit, and the table of all attributes is released"));
    }
    blueprint.trials(
        vec![Quantity::mean("share of the people whose bit is guessed", most_right(&plan)?)],
        |fault: Option<Fault>| {
            let people = plan.sizes.iter().product::<usize>() / 2;
            Ok(AllBits { mechanism: Mechanism::new(&plan, fault)?, people, setting: plan.clone() })
        },
        // Of the two cells that a person may be in, the larger.
        |cells, _| cells.chunks_exact(2).map(|pair| pair[1] > pair[0]).collect(),
        |cells, rng| (0..cells.len() / 2).map(|_| rng.random()).collect(),
    )
}
