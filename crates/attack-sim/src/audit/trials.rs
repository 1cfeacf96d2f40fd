//! Audits by independent trials, and the attackers who take part in them.

use std::ops::Range;

use disclosure::privacy_core::rng::SimRng;
use rand::RngExt;
use rand_chacha::{ChaCha20Rng, rand_core::SeedableRng};
use rayon::prelude::*;

use super::claim::Quantity;
use super::tally::Tally;
use crate::error::Error;

/// A promise put to the test, one trial at a time.
pub trait Audit: Sync {
    /// Everything, secrets included. Only the audit sees it.
    type World;
    /// What the attacker is shown. It must not hold a way back to the world.
    type View;
    /// What the attacker says.
    type Answer;

    /// Draws a world.
    ///
    /// # Errors
    /// What the mechanism refuses.
    fn world(&self, rng: &mut SimRng) -> Result<Self::World, Error>;

    /// Runs the mechanism on a world.
    ///
    /// # Errors
    /// What the mechanism refuses.
    fn view(&self, world: &Self::World, rng: &mut SimRng) -> Result<Self::View, Error>;

    /// The same question about people outside the data: an attacker who succeeds there succeeds
    /// without them.
    fn outsiders(&self, world: &Self::World, rng: &mut SimRng) -> Self::World;

    /// Compares an answer with a world: a number for each quantity of the scenario, or `None`
    /// where this trial says nothing of it. Shares take 0 and 1; infinities and NaN end the run.
    /// Trials must be independent; numbers of one trial need not be.
    fn measure(&self, world: &Self::World, answer: &Self::Answer, measured: &mut [Option<f64>]);
}

/// An audit of one hidden bit, drawn by a fair coin: whether a person is in the data, or which of
/// two rows is theirs.
pub trait BitAudit: Sync {
    /// What the attacker is shown.
    type View;
    /// What the attacker says.
    type Answer;

    /// Runs the mechanism on the world of this bit.
    ///
    /// # Errors
    /// What the mechanism refuses.
    fn view(&self, bit: bool, rng: &mut SimRng) -> Result<Self::View, Error>;

    /// As [`Audit::measure`].
    fn measure(&self, bit: bool, answer: &Self::Answer, measured: &mut [Option<f64>]);
}

/// A [`BitAudit`] as an [`Audit`]: its world is the bit, and for people outside the data the coin
/// is tossed again.
#[derive(Clone, Debug)]
pub struct HiddenBit<B>(
    /// The audit of the bit.
    pub B,
);

impl<B: BitAudit> Audit for HiddenBit<B> {
    type World = bool;
    type View = B::View;
    type Answer = B::Answer;

    fn world(&self, rng: &mut SimRng) -> Result<bool, Error> {
        Ok(rng.random())
    }

    fn view(&self, bit: &bool, rng: &mut SimRng) -> Result<B::View, Error> {
        self.0.view(*bit, rng)
    }

    fn outsiders(&self, _: &bool, rng: &mut SimRng) -> bool {
        rng.random()
    }

    fn measure(&self, bit: &bool, answer: &B::Answer, measured: &mut [Option<f64>]) {
        self.0.measure(*bit, answer, measured);
    }
}

/// Somebody who answers from a view alone. Functions of a view and a generator are attackers.
pub trait Attacker<View>: Sync {
    /// What is said.
    type Answer;

    /// An answer.
    fn answer(&self, view: &View, rng: &mut SimRng) -> Self::Answer;
}

impl<View, Answer, F: Fn(&View, &mut SimRng) -> Answer + Sync> Attacker<View> for F {
    type Answer = Answer;

    fn answer(&self, view: &View, rng: &mut SimRng) -> Answer {
        self(view, rng)
    }
}

/// A generator for the mechanism's own release path, from the stream of a trial: what attackers
/// test is the code that releases, and that code takes no less. Nothing that it draws leaves a
/// simulation.
#[must_use]
pub fn release_rng(rng: &mut SimRng) -> ChaCha20Rng {
    ChaCha20Rng::from_seed(rng.random())
}

/// Trials that are folded together before threads meet. It depends on their number alone, so that
/// sums do not depend on the threads; a few trials are costly ones, and each may have a thread of
/// its own.
fn chunk_of(trials: u64) -> u64 {
    (trials / 64).clamp(1, 256)
}

/// Runs `trials` trials of an audit: a tally for each quantity, the same at any number of
/// threads. `stream` tells runs of one seed apart.
///
/// # Errors
/// The first error of a trial; [`Error::NotANumber`].
pub fn run_trials<G, A>(
    audit: &G,
    quantities: &[Quantity],
    attacker: &A,
    trials: u64,
    seed: u64,
    stream: &str,
) -> Result<Vec<Tally>, Error>
where
    G: Audit,
    A: Attacker<G::View, Answer = G::Answer>,
{
    in_trials(audit, (trials, seed), stream, &empty_tallies(quantities), |world, view, rng, tallies| {
        add_answer(audit, world, &attacker.answer(view, rng), quantities, tallies)
    })
}

/// Tallies of three answers to the same releases.
pub(super) struct SharedTrials {
    /// The attacker's answers about the people in the data.
    pub(super) attacker: Vec<Tally>,
    /// The same answers, compared with people outside the data.
    pub(super) outsiders: Vec<Tally>,
    /// Answers without the release.
    pub(super) blind: Vec<Tally>,
}

/// Like [`run_trials`], with the same tallies of the attacker. Drawing a world and releasing it is
/// most of the cost of a trial, and the three intervals hold at once whether or not they come from
/// the same trials.
pub(super) fn run_together<G, A, B>(
    audit: &G,
    quantities: &[Quantity],
    attacker: &A,
    blind: &B,
    draws: (u64, u64),
    stream: &str,
) -> Result<SharedTrials, Error>
where
    G: Audit,
    A: Attacker<G::View, Answer = G::Answer>,
    B: Attacker<G::View, Answer = G::Answer>,
{
    let (count, empty) = (quantities.len(), empty_tallies(quantities));
    let start = [&empty[..], &empty, &empty].concat();
    let mut tallies = in_trials(audit, draws, stream, &start, |world, view, rng, tallies| {
        let (of_attacker, others) = tallies.split_at_mut(count);
        let (of_outsiders, of_blind) = others.split_at_mut(count);
        // The attacker draws first, and so answers as it does alone.
        let answer = attacker.answer(view, rng);
        let guess = blind.answer(view, rng);
        let outsiders = audit.outsiders(world, rng);
        add_answer(audit, world, &answer, quantities, of_attacker)?;
        add_answer(audit, &outsiders, &answer, quantities, of_outsiders)?;
        add_answer(audit, world, &guess, quantities, of_blind)
    })?;
    let blind = tallies.split_off(2 * count);
    let outsiders = tallies.split_off(count);
    Ok(SharedTrials { attacker: tallies, outsiders, blind })
}

fn empty_tallies(quantities: &[Quantity]) -> Vec<Tally> {
    quantities.iter().map(|quantity| Tally::around(quantity.claim())).collect()
}

/// Draws a world and releases it in every trial. `trial` adds to tallies that begin as `start`.
fn in_trials<G: Audit>(
    audit: &G,
    (trials, seed): (u64, u64),
    stream: &str,
    start: &[Tally],
    trial: impl Fn(&G::World, &G::View, &mut SimRng, &mut [Tally]) -> Result<(), Error> + Sync,
) -> Result<Vec<Tally>, Error> {
    in_chunks(trials, start, &|tallies, mut numbers| {
        numbers.try_for_each(|number| {
            let mut rng = SimRng::for_trial(seed, stream, number);
            let world = audit.world(&mut rng)?;
            let view = audit.view(&world, &mut rng)?;
            trial(&world, &view, &mut rng, tallies)
        })
    })
}

/// Adds the measurements of an answer about a world.
fn add_answer<G: Audit>(
    audit: &G,
    world: &G::World,
    answer: &G::Answer,
    quantities: &[Quantity],
    tallies: &mut [Tally],
) -> Result<(), Error> {
    let mut measured = vec![None; quantities.len()];
    audit.measure(world, answer, &mut measured);
    for ((tally, number), quantity) in tallies.iter_mut().zip(measured).zip(quantities) {
        match number {
            Some(number) if !number.is_finite() => {
                return Err(Error::NotANumber { of: quantity.name().to_owned() });
            }
            Some(number) => tally.add(number),
            None => {}
        }
    }
    Ok(())
}

/// What adds the trials of these numbers to tallies.
type Chunk<'a> = dyn Fn(&mut [Tally], Range<u64>) -> Result<(), Error> + Sync + 'a;

/// Folds `trials` trials in chunks, and the chunks in order; each begins with the tallies `start`.
/// Compiled once: threads for each scenario of their own are half of what a compiler does here.
pub(super) fn in_chunks(trials: u64, start: &[Tally], chunk: &Chunk) -> Result<Vec<Tally>, Error> {
    let size = chunk_of(trials);
    let chunks: Vec<Vec<Tally>> = (0..trials.div_ceil(size))
        .into_par_iter()
        .map(|number| {
            let mut tallies = start.to_vec();
            chunk(&mut tallies, number * size..trials.min((number + 1) * size))?;
            Ok(tallies)
        })
        .collect::<Result<_, Error>>()?;
    let mut total = start.to_vec();
    for tallies in chunks {
        total.iter_mut().zip(&tallies).for_each(|(total, tally)| total.merge(tally));
    }
    Ok(total)
}

#[cfg(test)]
mod tests {
    use disclosure::privacy_core::param::Probability;

    use super::super::claim::Claim;
    use super::super::loss::coin_toss;
    use super::*;

    /// Says the truth in three of four trials.
    struct Response;

    impl BitAudit for Response {
        type View = bool;
        type Answer = bool;

        fn view(&self, bit: bool, rng: &mut SimRng) -> Result<bool, Error> {
            Ok(bit == rng.random_bool(0.75))
        }

        fn measure(&self, bit: bool, answer: &bool, measured: &mut [Option<f64>]) {
            measured[0] = Some(f64::from(bit == *answer));
            measured[1] = answer.then_some(1.0);
        }
    }

    fn repeats(view: &bool, _: &mut SimRng) -> bool {
        *view
    }

    /// The interval of the share of right guesses.
    fn right_guesses(tallies: &[Tally]) -> [f64; 2] {
        tallies[0].share_interval(Probability::new(1e-9).unwrap())
    }

    #[test]
    fn the_attacker_is_the_same_in_company_and_the_others_are_not_it() {
        let claim = Claim::at_most(0.75).unwrap();
        let quantities = ["right guesses", "said"].map(|name| Quantity::share(name, claim).unwrap());
        let audit = HiddenBit(Response);
        let alone = run_trials(&audit, &quantities, &repeats, 10_000, 5, "company").unwrap();
        let shared = run_together(&audit, &quantities, &repeats, &coin_toss, (10_000, 5), "company").unwrap();
        assert_eq!(format!("{:?}", shared.attacker), format!("{alone:?}"));
        assert!(right_guesses(&shared.attacker)[0] > 0.7);
        for tallies in [&shared.outsiders, &shared.blind] {
            let [low, high] = right_guesses(tallies);
            assert!(low < 0.5 && 0.5 < high && high < 0.55, "{low} to {high}");
        }
        assert_eq!([shared.outsiders.len(), shared.blind.len()], [2, 2]);
    }
}
