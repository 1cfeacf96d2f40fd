//! Auditing differential privacy: how much one person changes what an attacker says.
//!
//! The mechanism runs on one of two neighbouring inputs, and the attacker says which. `p` and
//! `q`: the probability that it says "with" on the input with the person and on the one without.
//! Whatever the attacker, differential privacy bounds what both can be:
//!
//! - `(epsilon, delta)`: `p <= exp(epsilon) q + delta`, and the same with inputs swapped and with
//!   "without" (Kairouz et al. 2015);
//! - `mu`: `Phi^-1(p) - Phi^-1(q) <= mu` (Dong, Roth, Su 2022);
//! - `rho`: `D_a(p || q) <= rho a` for all orders `a > 1`, `D_a` Renyi's divergence of two coins
//!   (Bun, Steinke 2016).
//!
//! The least values with which some `p` and `q` in their intervals agree (Clopper, Pearson) are
//! lower bounds, at the error rate.

use disclosure::privacy_core::normal;
use disclosure::privacy_core::param::Probability;
use disclosure::privacy_core::rng::SimRng;

use super::claim::{Claim, Measurement};
use super::finding::{About, Finding, Runs};
use super::scenario::{Scenario, quarter};
use super::tally::{Tally, part};
use super::trials::{Attacker, in_chunks};
use crate::error::Error;

/// One of two neighbouring inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The person is not in the data, or has the first of two values.
    Without,
    /// The person is in the data, or has the second.
    With,
}

/// A mechanism on two neighbouring inputs.
pub trait NeighbouringInputs: Sync {
    /// What the attacker is shown.
    type View;

    /// Runs the mechanism.
    ///
    /// # Errors
    /// What the mechanism refuses.
    fn view(&self, side: Side, rng: &mut SimRng) -> Result<Self::View, Error>;
}

/// What a guarantee promises of one person.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum PrivacyLoss {
    /// `(epsilon, delta)`; `delta` 0 for pure differential privacy.
    Epsilon {
        /// The claimed bound.
        epsilon: f64,
        /// What it is claimed at.
        delta: f64,
    },
    /// `mu` of Gaussian differential privacy.
    Mu(f64),
    /// `rho` of zero-concentrated differential privacy.
    Rho(f64),
}

impl PrivacyLoss {
    /// What is claimed.
    ///
    /// # Errors
    /// [`Error::BadClaim`] for a number below 0 or NaN.
    pub fn claim(self) -> Result<Claim, Error> {
        let (Self::Epsilon { epsilon: most, .. } | Self::Mu(most) | Self::Rho(most)) = self;
        Claim::at_most(most)
    }

    const fn unit(self) -> &'static str {
        match self {
            Self::Epsilon { .. } => "epsilon",
            Self::Mu(_) => "mu",
            Self::Rho(_) => "rho",
        }
    }

    /// The least loss at which "with" can be said at these rates, `p` at most that of the input
    /// with the person.
    fn least(self, p: f64, q: f64) -> f64 {
        if p > q { self.at_rates(p, q).max(0.0) } else { 0.0 }
    }

    fn at_rates(self, p: f64, q: f64) -> f64 {
        match self {
            Self::Epsilon { delta, .. } => ln_ratio(p - delta, q).max(ln_ratio(1.0 - q - delta, 1.0 - p)),
            Self::Mu(_) => quantile(p) - quantile(q),
            Self::Rho(_) => renyi_slope(p, q).max(renyi_slope(q, p)),
        }
    }

    /// The larger of the least losses in the two directions: rates `p` and `q`, or those with the
    /// inputs swapped.
    fn least_either_way(self, [p, q]: [f64; 2], [p_back, q_back]: [f64; 2]) -> f64 {
        self.least(p, q).max(self.least(p_back, q_back))
    }

    /// The interval of losses that agree with these rates.
    pub(super) fn interval(self, with: [f64; 2], without: [f64; 2]) -> [f64; 2] {
        [
            self.least_either_way([with[0], without[1]], [without[0], with[1]]),
            self.least_either_way([with[1], without[0]], [without[1], with[0]]),
        ]
    }
}

fn ln_ratio(over: f64, under: f64) -> f64 {
    if over <= 0.0 { f64::NEG_INFINITY } else { (over / under).ln() }
}

fn quantile(p: f64) -> f64 {
    Probability::new(p).map_or(f64::NAN, normal::quantile)
}

/// `ln(p^a q^(1 - a))`: what one outcome adds to a divergence of order `a`, as a logarithm.
fn renyi_term(order: f64, p: f64, q: f64) -> f64 {
    if p == 0.0 { f64::NEG_INFINITY } else { order * p.ln() + (1.0 - order) * q.ln() }
}

/// `sup D_a(p || q) / a` over orders above 1, on a grid: any order gives a lower bound.
fn renyi_slope(p: f64, q: f64) -> f64 {
    (0..=64)
        .map(|step: i32| {
            let order = 1.0 + 2.0_f64.powf(f64::from(step) / 4.0 - 8.0);
            let (yes, no) = (renyi_term(order, p, q), renyi_term(order, 1.0 - p, 1.0 - q));
            let most = yes.max(no);
            if most == f64::INFINITY {
                return most; // an outcome of one coin alone
            }
            (most + ((yes - most).exp() + (no - most).exp()).ln()) / (order - 1.0) / order
        })
        .fold(0.0, f64::max)
}

/// A scenario whose measure is a lower bound on a privacy loss.
#[derive(Clone, Debug)]
pub struct LossScenario<N, A, B> {
    /// Its words.
    pub about: About,
    /// The promise.
    pub loss: PrivacyLoss,
    /// The mechanism on two neighbouring inputs.
    pub inputs: N,
    /// The same mechanism with a fault that breaks the promise.
    pub negative_control: N,
    /// The mechanism on two equal inputs: the person is outside the data on both sides.
    pub outsiders: N,
    /// Says whether the person is in the data.
    pub attacker: A,
    /// Says so without looking.
    pub blind: B,
}

impl<N: NeighbouringInputs, A, B> LossScenario<N, A, B> {
    /// A lower bound on the loss for each attacker, from one run with as many trials on each side.
    fn measured<const K: usize>(
        &self,
        run: &str,
        inputs: &N,
        attackers: [BitAttacker<'_, N::View>; K],
        draws: (u64, u64),
        error_rate: Probability,
    ) -> Result<[Measurement; K], Error> {
        let stream = self.about.stream(run);
        let with = says_with(Side::With, inputs, &attackers, draws, &format!("{stream}, with"))?;
        let without = says_with(Side::Without, inputs, &attackers, draws, &format!("{stream}, without"))?;
        let claim = self.loss.claim()?;
        Ok(std::array::from_fn(|index| {
            let rates = [with[index], without[index]].map(|tally| tally.share_interval(error_rate));
            Measurement::new(claim, self.loss.interval(rates[0], rates[1]))
        }))
    }
}

impl<N, A, B> Scenario for LossScenario<N, A, B>
where
    N: NeighbouringInputs + Send,
    A: Attacker<N::View, Answer = bool> + Send,
    B: Attacker<N::View, Answer = bool> + Send,
{
    fn about(&self) -> &About {
        &self.about
    }

    fn run(&self, trials: u64, seed: u64, error_rate: Probability) -> Result<Finding, Error> {
        let rate = part(quarter(trials, error_rate)?, 2);
        let (attacker, draws): (BitAttacker<'_, N::View>, _) = (&self.attacker, (trials, seed));
        // The streams have the names that they had when the first results were recorded: another
        // name draws other numbers.
        let [of_attacker, blind] = self.measured("attacker", &self.inputs, [attacker, &self.blind], draws, rate)?;
        let [negative_control] = self.measured("broken twin", &self.negative_control, [attacker], draws, rate)?;
        let [outsiders] = self.measured("control", &self.outsiders, [attacker], draws, rate)?;
        let runs = Runs { attacker: of_attacker, negative_control, outsiders, blind };
        Ok(Finding::of_loss(&self.about, self.loss.unit(), runs, trials))
    }
}

/// An attacker who says whether the person is in the data.
type BitAttacker<'a, View> = &'a dyn Attacker<View, Answer = bool>;

/// How often each attacker says "with" on one side. They share the views, which are most of the
/// cost of a trial.
fn says_with<N: NeighbouringInputs>(
    side: Side,
    inputs: &N,
    attackers: &[BitAttacker<'_, N::View>],
    (trials, seed): (u64, u64),
    stream: &str,
) -> Result<Vec<Tally>, Error> {
    in_chunks(trials, &vec![Tally::default(); attackers.len()], &|tallies, numbers| {
        for number in numbers {
            let mut rng = SimRng::for_trial(seed, stream, number);
            let view = inputs.view(side, &mut rng)?;
            for (tally, attacker) in tallies.iter_mut().zip(attackers) {
                tally.add(f64::from(attacker.answer(&view, &mut rng)));
            }
        }
        Ok(())
    })
}

/// Tosses a coin: the blind attacker on a bit.
pub fn coin_toss<View>(_: &View, rng: &mut SimRng) -> bool {
    rand::RngExt::random(rng)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_of_known_rates() {
        // Randomised response with p = 3/4, q = 1/4: epsilon = ln 3 exactly.
        let response = PrivacyLoss::Epsilon { epsilon: 1.0, delta: 0.0 };
        assert!((response.least(0.75, 0.25) - 3.0_f64.ln()).abs() < 1e-15);
        assert!((PrivacyLoss::Epsilon { epsilon: 1.0, delta: 0.25 }.least(0.75, 0.25) - 2.0_f64.ln()).abs() < 1e-15);
        // A threshold halfway between N(0, 1) and N(1, 1).
        let (p, q) = (normal::at_least(-0.5), normal::at_least(0.5));
        assert!((PrivacyLoss::Mu(1.0).least(p, q) - 1.0).abs() < 1e-12);
        // rho of N(1, 1) against N(0, 1) is 1/2; what two outcomes show of it is less.
        let rho = PrivacyLoss::Rho(0.5).least(p, q);
        assert!((0.25..=0.5).contains(&rho), "{rho}");
        assert_eq!([renyi_slope(1.0, 0.0), renyi_slope(0.5, 0.0), renyi_slope(0.5, 1.0)], [f64::INFINITY; 3]);
        assert_eq!(PrivacyLoss::Rho(0.5).interval([0.9, 1.0], [0.0, 0.1])[1], f64::INFINITY);
        // The divergence of order near 1 is Kullback's: 0.75 ln 3 - 0.25 ln 3 = 0.549306.
        assert!(renyi_slope(0.75, 0.25) >= 0.5493 - 0.003);
    }

    #[test]
    fn nothing_is_lost_between_equal_rates_and_both_directions_count() {
        for loss in [PrivacyLoss::Epsilon { epsilon: 1.0, delta: 0.0 }, PrivacyLoss::Mu(1.0), PrivacyLoss::Rho(1.0)] {
            assert_eq!(loss.interval([0.4, 0.6], [0.4, 0.6])[0], 0.0);
            let (there, back) = (loss.interval([0.7, 0.8], [0.2, 0.3]), loss.interval([0.2, 0.3], [0.7, 0.8]));
            assert!(there[0] > 0.0 && there == back, "{there:?} {back:?}");
            assert!(there[0] < there[1]);
        }
        let certain = PrivacyLoss::Epsilon { epsilon: 1.0, delta: 0.0 }.interval([0.5, 0.6], [0.0, 0.001]);
        assert!(certain[1] == f64::INFINITY && certain[0] > 6.0);
        assert!(PrivacyLoss::Mu(f64::NAN).claim().is_err());
    }
}
