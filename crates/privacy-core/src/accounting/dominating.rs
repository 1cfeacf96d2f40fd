//! What a release costs when its whole trade-off curve is known: tighter than zCDP.
//!
//! A release is dominated by a pair of laws when no test can tell neighbouring tables apart better
//! than that pair (Zhu, Dong and Wang 2022, definition 7). Here the pair is that of a Gaussian
//! mechanism of cost `c` (GDP, `mu = sqrt(c)`) and of randomised responses with `e_1, e_2, ...`:
//! every epsilon-DP mechanism is dominated by a randomised response (Kairouz, Oh and Viswanath
//! 2015, theorem 2). Pairs compose: costs `c` add up, and the lists of epsilons are joined, also
//! where a release is chosen with knowledge of earlier ones, for costs that were fixed beforehand.
//!
//! ```text
//! loss of randomised response:  +e with probability 1 / (1 + exp(-e)),  -e otherwise
//! delta(epsilon) = sum over sums l of such losses of P(l) delta_c(epsilon - l)              (13)
//! delta_c(-x)    = 1 - exp(-x) (1 - delta_c(x))                                             (14)
//! ```
//!
//! with `delta_c` the curve of [`gaussian`](super::gaussian). Losses and probabilities are rounded
//! up, so (13) is never low. Above [`MOST_LOSSES`] sums, neighbouring ones are merged at the
//! larger.

use super::{AccountingError, LEAST, PrivacyCost, gaussian};
use crate::param::{Delta, Epsilon};
use crate::round::{add_up, div_up, exp_down, exp_up, mul_up, sub_down, sub_up};
use crate::special::bracket_root;

/// Most sums of losses that are kept apart. Beyond, an epsilon grows by the range of the sums over
/// this number, at most, for each randomised response that follows.
const MOST_LOSSES: usize = 1 << 10;
/// Most randomised responses of one pair.
const MOST_RESPONSES: usize = 1 << 12;
/// Width to which an epsilon is found, relative to a bound of it.
const EPSILON_WIDTH: f64 = 1e-13;

/// A Gaussian mechanism and randomised responses that together tell more of a person than a
/// release does.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Parts", into = "Parts"))]
#[must_use]
pub struct DominatingPair {
    gaussian: f64,
    pure: Vec<f64>,
}

/// A pair as it is stored.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Parts {
    gaussian_cost: f64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pure_epsilons: Vec<f64>,
}

#[cfg(feature = "serde")]
impl From<DominatingPair> for Parts {
    fn from(pair: DominatingPair) -> Self {
        Self { gaussian_cost: pair.gaussian, pure_epsilons: pair.pure }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<Parts> for DominatingPair {
    type Error = crate::param::ParamError;

    fn try_from(parts: Parts) -> Result<Self, Self::Error> {
        let Parts { gaussian_cost, pure_epsilons } = parts;
        let mut pair = Self::default();
        if gaussian_cost != 0.0 {
            pair = pair.compose(&Self::gaussian(PrivacyCost::new(gaussian_cost)?));
        }
        for epsilon in pure_epsilons {
            pair = pair.compose(&Self::pure(Epsilon::new(epsilon)?));
        }
        Ok(pair)
    }
}

impl DominatingPair {
    /// That of a release that is `sqrt(cost)`-GDP: see [`discrete`](super::discrete).
    pub fn gaussian(cost: PrivacyCost) -> Self {
        Self { gaussian: cost.get(), pure: Vec::new() }
    }

    /// That of an `epsilon`-differentially private release.
    pub fn pure(epsilon: Epsilon) -> Self {
        Self { gaussian: 0.0, pure: vec![epsilon.get()] }
    }

    /// That of both releases together.
    pub fn compose(mut self, other: &Self) -> Self {
        self.gaussian = add_up(self.gaussian, other.gaussian);
        self.pure.extend_from_slice(&other.pure);
        self
    }

    /// The cost of the Gaussian mechanism; 0 for none.
    #[must_use]
    pub fn gaussian_cost(&self) -> f64 {
        self.gaussian
    }

    /// The epsilons of the randomised responses.
    #[must_use]
    pub fn pure_epsilons(&self) -> &[f64] {
        &self.pure
    }

    /// The delta that holds at `epsilon`; never low.
    ///
    /// # Errors
    /// [`AccountingError::Vacuous`] when that is not below 1, or when the costs have left the
    /// range of numbers.
    pub fn delta(&self, epsilon: Epsilon) -> Result<Delta, AccountingError> {
        let vacuous = AccountingError::Vacuous { epsilon };
        let losses = self.losses().ok_or(vacuous)?;
        Delta::new(self.delta_of(&losses, epsilon.get()).max(LEAST)).map_err(|_| vacuous)
    }

    /// The least epsilon that holds at `delta`, to 1e-13 of the sum of the parts' epsilons; never
    /// low. The smallest number there is when `delta` alone suffices.
    ///
    /// # Errors
    /// [`AccountingError::NoEpsilon`] when it is too large for a number.
    pub fn epsilon(&self, delta: Delta) -> Result<Epsilon, AccountingError> {
        let none = AccountingError::NoEpsilon { delta };
        let losses = self.losses().ok_or(none)?;
        let holds = |epsilon: f64| self.delta_of(&losses, epsilon) <= delta.get();
        if holds(LEAST) {
            return Ok(Epsilon::new(LEAST)?);
        }
        // Epsilons of the parts add up: the sum holds, whatever the search finds.
        let alone = match PrivacyCost::new(self.gaussian) {
            Ok(cost) => gaussian::epsilon(cost, delta)?.get(),
            Err(_) => 0.0,
        };
        let most = self.pure.iter().copied().fold(alone, add_up);
        let sign = |epsilon: f64| if holds(epsilon) { 1.0 } else { -1.0 };
        let root = bracket_root(0.0, most, EPSILON_WIDTH * most, sign);
        Epsilon::new(root.above).map_err(|_| none)
    }

    /// (13), for an epsilon from 0 on.
    fn delta_of(&self, losses: &[Loss], epsilon: f64) -> f64 {
        losses.iter().fold(0.0, |sum, loss| {
            add_up(sum, mul_up(loss.probability, self.gaussian_delta(sub_down(epsilon, loss.value))))
        })
    }

    /// The curve of the Gaussian mechanism at any epsilon, rounded up; at most 1.
    fn gaussian_delta(&self, epsilon: f64) -> f64 {
        let above = match (PrivacyCost::new(self.gaussian), Epsilon::new(epsilon.abs().max(LEAST))) {
            (Ok(cost), Ok(size)) => gaussian::delta(cost, size).map_or(1.0, Delta::get),
            (Err(_), _) => 0.0, // no Gaussian mechanism: its loss is 0
            (_, Err(_)) => 1.0,
        };
        if epsilon >= 0.0 {
            return above;
        }
        // (14), with the term that is subtracted rounded down.
        sub_up(1.0, (exp_down(epsilon) * sub_down(1.0, above).max(0.0)).next_down().max(0.0)).min(1.0)
    }

    /// The sums of the losses of all randomised responses, in ascending order. `None` when they
    /// are too many, or a cost is not a number any more.
    fn losses(&self) -> Option<Vec<Loss>> {
        if !(self.gaussian.is_finite() && self.pure.len() <= MOST_RESPONSES) {
            return None;
        }
        let mut losses = vec![Loss { value: 0.0, probability: 1.0 }];
        for &epsilon in &self.pure {
            losses = merged(with_response(&losses, epsilon));
        }
        losses.last().is_some_and(|loss| loss.value.is_finite()).then_some(losses)
    }
}

/// A privacy loss and the probability that it occurs.
#[derive(Clone, Copy, Debug)]
struct Loss {
    value: f64,
    probability: f64,
}

/// Every sum with the loss of one more randomised response.
fn with_response(losses: &[Loss], epsilon: f64) -> Vec<Loss> {
    let higher = div_up(1.0, add_up(1.0, exp_down(-epsilon)).next_down().next_down());
    let lower = div_up(exp_up(-epsilon), add_up(1.0, exp_down(-epsilon)).next_down().next_down());
    let shifted = |by: f64, share: f64| {
        losses
            .iter()
            .map(move |loss| Loss { value: add_up(loss.value, by), probability: mul_up(loss.probability, share) })
    };
    let mut sums: Vec<Loss> = shifted(-epsilon, lower).chain(shifted(epsilon, higher)).collect();
    sums.sort_by(|a, b| a.value.total_cmp(&b.value));
    sums
}

/// Losses that are equal are one; where there are too many, those within a step of a grid are the
/// largest of them.
fn merged(losses: Vec<Loss>) -> Vec<Loss> {
    let range = losses.last().map_or(0.0, |last| last.value - losses[0].value);
    let step = if losses.len() > MOST_LOSSES { 2.0 * range / MOST_LOSSES as f64 } else { 0.0 };
    let mut kept: Vec<Loss> = Vec::with_capacity(losses.len().min(MOST_LOSSES));
    // From the largest down: each is the head of those at most a step below it.
    for loss in losses.into_iter().rev() {
        match kept.last_mut() {
            Some(head) if head.value - loss.value <= step => {
                head.probability = add_up(head.probability, loss.probability);
            }
            _ => kept.push(loss),
        }
    }
    kept.reverse();
    kept
}

#[cfg(test)]
mod tests;
