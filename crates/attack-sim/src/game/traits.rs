//! What a game is, and who plays it.

use disclosure::core::rng::SimRng;
use rayon::prelude::*;

use super::interval::Tally;
use crate::error::Error;

/// A promise put to the test, one trial at a time.
pub trait Game: Sync {
    /// Everything, secrets included. Only the game sees it.
    type World;
    /// What the attacker is shown. It must not hold a way back to the world.
    type View;
    /// What the attacker says.
    type Answer;

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

    /// Whether an answer about a world succeeded. Trials must be independent, so one answer gives one verdict.
    fn succeeds(&self, world: &Self::World, answer: &Self::Answer, rng: &mut SimRng) -> bool;
}

/// Somebody who answers from a view alone.
pub trait Attacker<View>: Sync {
    /// What is said.
    type Answer;

    /// An answer.
    fn answer(&self, view: &View, rng: &mut SimRng) -> Self::Answer;
}

/// Whom the answers of a play are held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Against {
    /// The people in the data.
    People,
    /// People outside.
    Control,
}

/// Plays `trials` trials of a game; the same tally at any number of threads. `stream` tells plays of one seed apart.
///
/// # Errors
/// The first error of a trial.
pub fn play<G, A>(game: &G, attacker: &A, trials: u64, seed: u64, stream: &str) -> Result<Tally, Error>
where
    G: Game,
    A: Attacker<G::View, Answer = G::Answer>,
{
    play_against(Against::People, game, attacker, trials, seed, stream)
}

pub(crate) fn play_against<G, A>(
    against: Against,
    game: &G,
    attacker: &A,
    trials: u64,
    seed: u64,
    stream: &str,
) -> Result<Tally, Error>
where
    G: Game,
    A: Attacker<G::View, Answer = G::Answer>,
{
    let trial = |trial: u64| -> Result<u64, Error> {
        let mut rng = SimRng::for_trial(seed, stream, trial);
        let world = game.world(&mut rng)?;
        let view = game.view(&world, &mut rng)?;
        let answer = attacker.answer(&view, &mut rng);
        let judged = match against {
            Against::People => world,
            Against::Control => game.control(&world, &mut rng),
        };
        Ok(u64::from(game.succeeds(&judged, &answer, &mut rng)))
    };
    let successes = (0..trials).into_par_iter().map(trial).try_reduce(|| 0, |a, b| Ok(a + b))?;
    Ok(Tally { successes, trials })
}
