//! Rows from marginals: which of two rows a person has, or a secret bit of each person, guessed from all tables.
//!
//! Which it is, is a fair coin, drawn apart from everything else, and each of its two values is a table that differs from the other in one replaced
//! row. Of mu-GDP, whoever guesses is right with a probability of at most `Phi(mu / 2)`, `mu = sqrt(pcost)`: the error rates `a` and `b` of any
//! test satisfy `b >= Phi(Phi^-1(1 - a) - mu)`, so that `(a + b) / 2 >= Phi(-mu / 2)` (Dong, Roth, Su 2022, section 2).

use disclosure::core::normal;
use disclosure::core::rng::SimRng;
use disclosure::core::table::TableSource;
use rand::RngExt;
use serde::Deserialize;

use super::super::Blueprint;
use super::mechanism::{Fault, Mechanism};
use super::setting::Setting;
use super::statistic::{Counts, Distinguisher, Statistic};
use crate::error::Error;
use crate::game::{Attacker, Claim, CoinToss, Game, Judged, Quantity, Scenario, release_rng};

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
    let problem = "the bound is about a replaced row: write replace = true".to_owned();
    if setting.replace { Ok(()) } else { Err(blueprint.refuse(problem)) }
}

/// One person, who has one of two rows; everybody else's rows are known.
#[derive(Clone, Debug)]
struct OneBit {
    mechanism: Mechanism,
    tables: [TableSource; 2],
    right: Quantity,
}

impl Game for OneBit {
    type World = bool;
    type View = Counts;
    type Answer = bool;

    fn quantities(&self) -> Vec<Quantity> {
        vec![self.right.clone()]
    }

    fn world(&self, rng: &mut SimRng) -> Result<bool, Error> {
        Ok(rng.random())
    }

    fn view(&self, world: &bool, rng: &mut SimRng) -> Result<Counts, Error> {
        Ok(vec![self.mechanism.cells(&self.tables[usize::from(*world)], &mut release_rng(rng))?])
    }

    fn control(&self, _: &bool, rng: &mut SimRng) -> bool {
        rng.random()
    }

    fn measure(&self, world: &bool, answer: &bool, _: &mut SimRng, measured: &mut [Option<f64>]) {
        measured[0] = Some(f64::from(world == answer));
    }
}

pub(super) fn of_one(blueprint: &Blueprint<'_>) -> Result<Box<dyn Judged>, Error> {
    let OneSpec { plan, person, instead } = blueprint.spec()?;
    replaces_rows(blueprint, &plan)?;
    let (planted, broken) = blueprint.faults::<Fault>()?;
    let tables = [plan.table_with(&instead, 1)?, plan.table_with(&person, 1)?];
    let right = Quantity::share("right guesses", most_right(&plan)?)?;
    let game = |fault| -> Result<OneBit, Error> {
        Ok(OneBit { mechanism: Mechanism::new(&plan, fault)?, tables: tables.clone(), right: right.clone() })
    };
    let promise = game(planted)?;
    let statistic = Statistic::between(&promise.mechanism, &tables[0], &tables[1])?;
    let threshold = 0.5 * statistic.mu;
    Ok(Box::new(Scenario {
        about: blueprint.about(),
        game: promise,
        broken: game(Some(broken))?,
        attacker: Distinguisher { statistic, threshold },
        blind: CoinToss,
    }))
}

/// One person of every combination of the known attributes; the last attribute is their secret bit.
#[derive(Clone, Debug)]
struct AllBits {
    mechanism: Mechanism,
    setting: Setting,
    people: usize,
    right: Quantity,
}

impl Game for AllBits {
    type World = Vec<bool>;
    type View = Vec<f64>;
    type Answer = Vec<bool>;

    fn quantities(&self) -> Vec<Quantity> {
        vec![self.right.clone()]
    }

    fn world(&self, rng: &mut SimRng) -> Result<Vec<bool>, Error> {
        Ok((0..self.people).map(|_| rng.random()).collect())
    }

    fn view(&self, world: &Vec<bool>, rng: &mut SimRng) -> Result<Vec<f64>, Error> {
        let counts = world.iter().flat_map(|&bit| [u64::from(!bit), u64::from(bit)]).collect();
        let cells = self.mechanism.cells(&self.setting.table_of(counts)?, &mut release_rng(rng))?;
        // All other tables are sums of this one.
        Ok(cells.into_iter().max_by_key(Vec::len).unwrap_or_default())
    }

    fn control(&self, world: &Vec<bool>, rng: &mut SimRng) -> Vec<bool> {
        world.iter().map(|_| rng.random()).collect()
    }

    fn measure(&self, world: &Vec<bool>, answer: &Vec<bool>, _: &mut SimRng, measured: &mut [Option<f64>]) {
        let right = world.iter().zip(answer).filter(|(bit, guess)| bit == guess).count();
        measured[0] = Some(right as f64 / self.people as f64);
    }
}

/// Of the two cells that a person may be in, the larger.
#[derive(Clone, Copy, Debug)]
struct LargerCell;

impl Attacker<Vec<f64>> for LargerCell {
    type Answer = Vec<bool>;

    fn answer(&self, view: &Vec<f64>, _: &mut SimRng) -> Vec<bool> {
        view.chunks_exact(2).map(|pair| pair[1] > pair[0]).collect()
    }
}

/// Tosses a coin for every person.
#[derive(Clone, Copy, Debug)]
struct Coins;

impl Attacker<Vec<f64>> for Coins {
    type Answer = Vec<bool>;

    fn answer(&self, view: &Vec<f64>, rng: &mut SimRng) -> Vec<bool> {
        (0..view.len() / 2).map(|_| rng.random()).collect()
    }
}

pub(super) fn of_all(blueprint: &Blueprint<'_>) -> Result<Box<dyn Judged>, Error> {
    let AllSpec { plan } = blueprint.spec()?;
    replaces_rows(blueprint, &plan)?;
    if plan.order != plan.sizes.len() || plan.sizes.last() != Some(&2) {
        return Err(
            blueprint.refuse("the last attribute is a bit, and the table of all attributes is released".to_owned())
        );
    }
    let (planted, broken) = blueprint.faults::<Fault>()?;
    let right = Quantity::mean("share of the people whose bit is guessed", most_right(&plan)?);
    let game = |fault| -> Result<AllBits, Error> {
        Ok(AllBits {
            mechanism: Mechanism::new(&plan, fault)?,
            people: plan.sizes.iter().product::<usize>() / 2,
            setting: plan.clone(),
            right: right.clone(),
        })
    };
    Ok(Box::new(Scenario {
        about: blueprint.about(),
        game: game(planted)?,
        broken: game(Some(broken))?,
        attacker: LargerCell,
        blind: Coins,
    }))
}
