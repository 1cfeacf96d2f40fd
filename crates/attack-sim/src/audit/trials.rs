//! What a game is, and who plays it.

use disclosure::core::rng::SimRng;
use rand::RngExt;
use rand_chacha::{ChaCha20Rng, rand_core::SeedableRng};
use rayon::prelude::*;

use super::claim::Quantity;
use super::tally::Tally;
use crate::error::Error;

/// A promise put to the test, one trial at a time.
pub trait Game: Sync {
    /// Everything, secrets included. Only the game sees it.
    type World;
    /// What the attacker is shown. It must not hold a way back to the world.
    type View;
    /// What the attacker says.
    type Answer;

    /// What is measured in every trial, and what is claimed of it. A game and its broken twin measure the same.
    fn quantities(&self) -> Vec<Quantity>;

    /// Makes a world.
    ///
    /// # Errors
    /// What the mechanism refuses.
    fn world(&self, rng: &mut SimRng) -> Result<Self::World, Error>;

    /// Runs the mechanism on a world.
    ///
    /// # Errors
    /// What the mechanism refuses.
    fn view(&self, world: &Self::World, rng: &mut SimRng) -> Result<Self::View, Error>;

    /// The same question about people outside the data: whoever succeeds there succeeds without them.
    fn control(&self, world: &Self::World, rng: &mut SimRng) -> Self::World;

    /// Holds an answer against a world: a number for each of the quantities, or `None` where this trial says nothing of it. Shares
    /// take 0 and 1; a number that is none ends the play. Trials must be independent; numbers of one trial need not be.
    fn measure(&self, world: &Self::World, answer: &Self::Answer, rng: &mut SimRng, measured: &mut [Option<f64>]);
}

/// Somebody who answers from a view alone.
pub trait Attacker<View>: Sync {
    /// What is said.
    type Answer;

    /// An answer.
    fn answer(&self, view: &View, rng: &mut SimRng) -> Self::Answer;
}

/// A generator for the mechanism's own release path, from the stream of a trial: what attackers judge is the code that releases, and
/// that code takes no less. Nothing that it draws leaves a simulation.
#[must_use]
pub fn release_rng(rng: &mut SimRng) -> ChaCha20Rng {
    ChaCha20Rng::from_seed(rng.random())
}

/// Whom the answers of a play are held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Against {
    /// The people in the data.
    People,
    /// People outside.
    Control,
}

/// Trials that are folded together before threads meet. It depends on their number alone, so that sums do not depend on the threads; a
/// few trials are costly ones, and each may have a thread of its own.
fn chunk_of(trials: u64) -> u64 {
    (trials / 64).clamp(1, 256)
}

/// Plays `trials` trials of a game: a tally for each quantity, the same at any number of threads. `stream` tells plays of one seed
/// apart.
///
/// # Errors
/// The first error of a trial; [`Error::NotANumber`].
pub fn play<G, A>(game: &G, attacker: &A, trials: u64, seed: u64, stream: &str) -> Result<Vec<Tally>, Error>
where
    G: Game,
    A: Attacker<G::View, Answer = G::Answer>,
{
    play_against(Against::People, game, attacker, trials, seed, stream)
}

pub(super) fn play_against<G, A>(
    against: Against,
    game: &G,
    attacker: &A,
    trials: u64,
    seed: u64,
    stream: &str,
) -> Result<Vec<Tally>, Error>
where
    G: Game,
    A: Attacker<G::View, Answer = G::Answer>,
{
    let quantities = game.quantities();
    let start = || quantities.iter().map(|quantity| Tally::around(quantity.claim())).collect::<Vec<_>>();
    let trial = |tallies: &mut [Tally], measured: &mut [Option<f64>], trial: u64| -> Result<(), Error> {
        let mut rng = SimRng::for_trial(seed, stream, trial);
        let world = game.world(&mut rng)?;
        let view = game.view(&world, &mut rng)?;
        let answer = attacker.answer(&view, &mut rng);
        let judged = match against {
            Against::People => world,
            Against::Control => game.control(&world, &mut rng),
        };
        measured.fill(None);
        game.measure(&judged, &answer, &mut rng, measured);
        for ((tally, number), quantity) in tallies.iter_mut().zip(measured).zip(&quantities) {
            match *number {
                Some(number) if !number.is_finite() => {
                    return Err(Error::NotANumber { of: quantity.name().to_owned() });
                }
                Some(number) => tally.add(number),
                None => {}
            }
        }
        Ok(())
    };
    in_chunks(trials, start, |tallies, numbers| {
        let mut measured = vec![None; quantities.len()];
        numbers.into_iter().try_for_each(|number| trial(tallies, &mut measured, number))
    })
}

/// Folds `trials` trials in chunks, and the chunks in order.
pub(super) fn in_chunks(
    trials: u64,
    start: impl Fn() -> Vec<Tally> + Sync,
    chunk: impl Fn(&mut [Tally], std::ops::Range<u64>) -> Result<(), Error> + Sync,
) -> Result<Vec<Tally>, Error> {
    let size = chunk_of(trials);
    let chunks: Vec<Vec<Tally>> = (0..trials.div_ceil(size))
        .into_par_iter()
        .map(|number| {
            let mut tallies = start();
            chunk(&mut tallies, number * size..trials.min((number + 1) * size))?;
            Ok(tallies)
        })
        .collect::<Result<_, Error>>()?;
    let mut total = start();
    for tallies in chunks {
        total.iter_mut().zip(&tallies).for_each(|(total, tally)| total.merge(tally));
    }
    Ok(total)
}
