//! A scenario: a claim, the game about it, who plays, and the twin that must fall.

use disclosure::core::param::Probability;

use super::interval::{Tally, clopper_pearson};
use super::traits::{Against, Attacker, Game, play_against};
use super::verdict::{Claim, Kind, Verdict};
use crate::error::Error;

/// The words of a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// A path such as `screen/estimate/random-settings`; also tells its random streams apart.
    pub id: String,
    /// The mechanism.
    pub mechanism: &'static str,
    /// What is claimed, in words.
    pub claim: String,
    /// The kind of the promise.
    pub kind: Kind,
    /// Where the claim is made.
    pub source: String,
    /// The attacker's name.
    pub attacker: &'static str,
    /// What is wrong with the broken twin.
    pub broken: &'static str,
}

/// A claim that can be judged, whatever its mechanism: what a list of scenarios holds.
pub trait Judged: Sync {
    /// Its words.
    fn about(&self) -> &About;

    /// Plays all four games of `trials` trials each, and judges. `error_rate` is the probability that any of its four intervals
    /// misses its rate.
    ///
    /// # Errors
    /// [`Error::NoTrial`], and what a game refuses.
    fn judge(&self, trials: u64, seed: u64, error_rate: Probability) -> Result<Finding, Error>;
}

/// The game, its broken twin and its players. A scenario without a twin cannot be written.
#[derive(Clone, Debug)]
pub struct Scenario<G, A, B> {
    /// Its words.
    pub about: About,
    /// The share of trials that should succeed.
    pub claim: Claim,
    /// The game about the promise.
    pub game: G,
    /// The same game about a promise that is broken on purpose.
    pub broken: G,
    /// Who attacks.
    pub attacker: A,
    /// Who guesses without looking at the release.
    pub blind: B,
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Finding {
    /// The words of the scenario.
    pub about: About,
    /// The claimed rate of success.
    pub claimed: [f64; 2],
    /// The attacker's rate of success, with confidence.
    pub measured: [f64; 2],
    /// The same answers held against people outside the data.
    pub control: [f64; 2],
    /// The rate of success of the blind attacker.
    pub blind: [f64; 2],
    /// The attacker's rate of success against the broken twin.
    pub broken: [f64; 2],
    /// What it says of the claim.
    pub verdict: Verdict,
    /// Whether the broken twin was contradicted.
    pub is_twin_exposed: bool,
    /// Trials of each play.
    pub trials: u64,
}

impl<G, A, B> Judged for Scenario<G, A, B>
where
    G: Game,
    A: Attacker<G::View, Answer = G::Answer>,
    B: Attacker<G::View, Answer = G::Answer>,
{
    fn about(&self) -> &About {
        &self.about
    }

    fn judge(&self, trials: u64, seed: u64, error_rate: Probability) -> Result<Finding, Error> {
        if trials == 0 {
            return Err(Error::NoTrial);
        }
        let quarter = Probability::new(0.25 * error_rate.get()).map_err(|_| Error::BadClaim { name: "error rate" })?;
        let id = &self.about.id;
        let interval = |tally: Tally| clopper_pearson(tally, quarter);
        let attacked = |against, game, play: &str| {
            play_against(against, game, &self.attacker, trials, seed, &format!("{id}: {play}")).map(interval)
        };
        let measured = attacked(Against::People, &self.game, "attacker")?;
        let broken = attacked(Against::People, &self.broken, "broken twin")?;
        let control = attacked(Against::Control, &self.game, "control")?;
        let blind = play_against(Against::People, &self.game, &self.blind, trials, seed, &format!("{id}: blind"))?;
        Ok(Finding {
            about: self.about.clone(),
            claimed: self.claim.ends(),
            measured,
            control,
            blind: interval(blind),
            broken,
            verdict: Verdict::of(self.claim, measured, broken),
            is_twin_exposed: self.claim.is_contradicted_by(broken),
            trials,
        })
    }
}
