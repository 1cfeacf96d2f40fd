//! A scenario: a claim, the game about it, who plays, and the twin that must fall.

use disclosure::core::param::Probability;

use super::claim::{Measurement, Quantity};
use super::tally::{Tally, part};
use super::traits::{Against, Attacker, Game, play_against};
use super::verdict::{About, Finding, Plays};
use crate::error::Error;

/// A claim that can be judged, whatever its mechanism: what a list of scenarios holds.
pub trait Judged: Send + Sync {
    /// Its words.
    fn about(&self) -> &About;

    /// Plays all four games of `trials` trials each, and judges. `error_rate` is the probability that any of its intervals misses.
    ///
    /// # Errors
    /// [`Error::NoTrial`], and what a game refuses.
    fn judge(&self, trials: u64, seed: u64, error_rate: Probability) -> Result<Finding, Error>;
}

/// The share of `error_rate` for each of four plays, once there is a trial.
pub(super) fn quarter(trials: u64, error_rate: Probability) -> Result<Probability, Error> {
    if trials == 0 { Err(Error::NoTrial) } else { Ok(part(error_rate, 4)) }
}

/// The game, its broken twin and its players. A scenario without a twin cannot be written.
#[derive(Clone, Debug)]
pub struct Scenario<G, A, B> {
    /// Its words.
    pub about: About,
    /// The game about the promise.
    pub game: G,
    /// The same game about a promise that is broken on purpose.
    pub broken: G,
    /// Who attacks.
    pub attacker: A,
    /// Who guesses without looking at the release.
    pub blind: B,
}

impl<G, A, B> Judged for Scenario<G, A, B>
where
    G: Game + Send,
    A: Attacker<G::View, Answer = G::Answer> + Send,
    B: Attacker<G::View, Answer = G::Answer> + Send,
{
    fn about(&self) -> &About {
        &self.about
    }

    fn judge(&self, trials: u64, seed: u64, error_rate: Probability) -> Result<Finding, Error> {
        let rate = quarter(trials, error_rate)?;
        let quantities = self.game.quantities();
        let stream = |play: &str| format!("{}: {play}", self.about.id);
        let worst = |tallies: Result<Vec<Tally>, Error>| Measurement::worst(&quantities, &tallies?, rate);
        let attacked =
            |against, game, play: &str| worst(play_against(against, game, &self.attacker, trials, seed, &stream(play)));
        let plays = Plays {
            attacker: attacked(Against::People, &self.game, "attacker")?,
            broken: attacked(Against::People, &self.broken, "broken twin")?,
            control: attacked(Against::Control, &self.game, "control")?,
            blind: worst(play_against(Against::People, &self.game, &self.blind, trials, seed, &stream("blind")))?,
        };
        let unit = if quantities.iter().all(Quantity::is_share) { "share" } else { "mean" };
        Ok(Finding::new(&self.about, unit, plays, trials))
    }
}
