//! Optimal partition selection: the law that reports every size of group with the largest
//! probability that (epsilon, delta)-differential privacy allows.
//!
//! `E`, `D` epsilon and delta of all groups of an entity together, `k` the number of groups it
//! counts in, `t` the pre-threshold in entities. The share of one group is `e` and `d`, or `m` and
//! `d`, such that `k` of them together are (E, D): (14) and (15).
//!
//! ```text
//! pi(0) = 0,   pi(n) = min(exp(e) pi(n-1) + d,  1 - exp(-e) (1 - pi(n-1) - d),  1)          (4)
//!        or    pi(n) = d + (1 - d) Phi(Phi^-1(pi(n-1) / (1 - d)) + m)                       (4')
//! P(reported) = 0 for n < t,  pi(n - t + 1) for n >= t
//! ```
//!
//! A number beside each group that is shown takes its part of the same (E, D): its epsilon is part
//! of the share of one group (18), and the decision gets the rest.
//!
//! (4) takes the bounds of an (e, d) decision with equality, (4') those of a decision that is
//! m-Gaussian but for a probability d. For one group the share is all of it, and (4) is optimal.
//! For several, shares are searched on a grid, basic composition `E / k, D / k` among them, and
//! the one whose threshold has the least mean wins. Noise on the number with a threshold, as in
//! other libraries, is a Gaussian decision as well, so at the same share it reports no size with
//! a larger probability than (4').
//!
//! Here `pi(n)` is a whole number of draws out of `2^64`, each step rounded down from the one
//! before, so that the integers themselves satisfy (8), not only the real numbers that they
//! stand for.
//!
//! Source: Desfontaines, Voss, Gipson, Mandayam (PoPETs 2022), theorem 2; pre-thresholding as in
//! Google's libraries. (4') is the same argument with the trade-off function of Dong, Roth, Su
//! (2022) in place of the two lines of (e, d).

use std::num::NonZeroU32;

use privacy_core::accounting::{gaussian, zcdp};
use privacy_core::normal;
use privacy_core::param::{Delta, Epsilon, Probability};
use privacy_core::round::{
    add_down, div_down, exp_down, exp_up, integer_down, integer_up, mul_down, mul_up, sub_down, sub_up,
};

use super::composition;
use super::draws::{ALL_DRAWS, DRAWS};
use super::error::{LawError, MAX_CAP};
use super::probability::ReportingProbability;

/// The law that reports most groups under (epsilon, delta)-differential privacy, with one draw
/// per group and release. Neighbours: one entity added or removed. Unit: an entity in at most
/// `groups_per_entity` groups.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Fields"))]
pub struct OptimalSelection {
    epsilon: Epsilon,
    delta: Delta,
    groups_per_entity: NonZeroU32,
    pre_threshold: u32,
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "is_zero"))]
    number_epsilon: f64,
    #[cfg_attr(feature = "serde", serde(skip_serializing))]
    share: SelectionShare,
}

#[cfg(feature = "serde")]
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_zero(number_epsilon: &f64) -> bool {
    *number_epsilon == 0.0
}

/// What the decision about one group may cost, so that those of all groups of an entity keep the
/// promise together.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum SelectionShare {
    /// (epsilon, delta): the recurrence (4).
    Pure {
        /// Epsilon of one decision.
        epsilon: f64,
        /// Delta of one decision.
        delta: f64,
    },
    /// Mu of Gaussian differential privacy but for a probability delta: the recurrence (4').
    Gaussian {
        /// Mu of one decision.
        mu: f64,
        /// Delta of one decision.
        delta: f64,
    },
}

/// The parameters as they are stored.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct Fields {
    epsilon: Epsilon,
    delta: Delta,
    groups_per_entity: NonZeroU32,
    pre_threshold: u32,
    #[serde(default)]
    number_epsilon: f64,
}

#[cfg(feature = "serde")]
impl TryFrom<Fields> for OptimalSelection {
    type Error = LawError;

    fn try_from(fields: Fields) -> Result<Self, LawError> {
        let law = Self::new(fields.epsilon, fields.delta, fields.groups_per_entity, fields.pre_threshold)?;
        if fields.number_epsilon == 0.0 { Ok(law) } else { law.beside_number(fields.number_epsilon) }
    }
}

impl OptimalSelection {
    /// Optimal for this epsilon and delta, which all groups of an entity share; groups of fewer
    /// than `pre_threshold` entities are never reported.
    ///
    /// # Errors
    /// [`LawError::BelowTwo`]; [`LawError::TableTooLong`] for a small epsilon with a small delta.
    pub fn new(
        epsilon: Epsilon,
        delta: Delta,
        groups_per_entity: NonZeroU32,
        pre_threshold: u32,
    ) -> Result<Self, LawError> {
        if pre_threshold < 2 {
            return Err(LawError::BelowTwo { name: "pre_threshold", got: pre_threshold });
        }
        // With a small epsilon and delta the recurrence climbs slowly: it has to end within the
        // longest table.
        let room = (MAX_CAP + 1).saturating_sub(u64::from(pre_threshold)) as usize;
        let share = best_of(shares(epsilon, delta, groups_per_entity, 0.0), room).ok_or(LawError::TableTooLong)?;
        Ok(Self { epsilon, delta, groups_per_entity, pre_threshold, number_epsilon: 0.0, share })
    }

    /// The law for groups that are shown with a number of this epsilon: decisions and numbers of
    /// all groups of an entity together keep the same epsilon and delta.
    ///
    /// # Errors
    /// [`LawError::NumberTooCostly`] where the numbers leave nothing for the decisions;
    /// [`LawError::TableTooLong`].
    pub fn beside_number(self, number_epsilon: f64) -> Result<Self, LawError> {
        let shares = match number_epsilon >= 0.0 {
            true => shares(self.epsilon, self.delta, self.groups_per_entity, number_epsilon),
            false => Vec::new(),
        };
        if shares.is_empty() {
            return Err(LawError::NumberTooCostly);
        }
        let share = best_of(shares, self.room()).ok_or(LawError::TableTooLong)?;
        Ok(Self { number_epsilon, share, ..self })
    }

    /// Epsilon of the number beside a group; 0 where no number is shown.
    #[must_use]
    pub const fn number_epsilon(&self) -> f64 {
        self.number_epsilon
    }

    /// The longest table that is left above the pre-threshold.
    fn room(&self) -> usize {
        (MAX_CAP + 1).saturating_sub(u64::from(self.pre_threshold)) as usize
    }

    /// The same law with a given share of one group, whatever all groups cost together: to
    /// compare ways of composing.
    ///
    /// # Errors
    /// [`LawError::TableTooLong`].
    pub fn with_share(self, share: SelectionShare) -> Result<Self, LawError> {
        share.mean_threshold(self.room(), f64::INFINITY).map(|_| Self { share, ..self }).ok_or(LawError::TableTooLong)
    }

    /// What the decision about one group costs.
    #[must_use]
    pub const fn share(&self) -> SelectionShare {
        self.share
    }

    /// The best share of one group that the conversion of zero-concentrated differential privacy
    /// allows, with the recurrence (4'); none where no table of it is short enough.
    #[must_use]
    pub fn zcdp_share(&self) -> Option<SelectionShare> {
        best_of(zcdp_shares(self.epsilon, self.delta, self.groups_per_entity, self.number_epsilon), self.room())
    }

    /// The share of one group by basic composition: `epsilon / k`, less that of the number, and
    /// `delta / k`; none where the number takes all of it.
    #[must_use]
    pub fn basic_share(&self) -> Option<SelectionShare> {
        basic(self.epsilon, self.delta, self.groups_per_entity, self.number_epsilon)
    }

    /// Epsilon of all groups of an entity together.
    #[must_use]
    pub const fn epsilon(&self) -> Epsilon {
        self.epsilon
    }

    /// Delta of all groups of an entity together.
    #[must_use]
    pub const fn delta(&self) -> Delta {
        self.delta
    }

    /// The number of groups that one entity may be in.
    #[must_use]
    pub const fn groups_per_entity(&self) -> NonZeroU32 {
        self.groups_per_entity
    }

    /// Groups of fewer entities are never reported.
    #[must_use]
    pub const fn pre_threshold(&self) -> u32 {
        self.pre_threshold
    }

    pub(super) fn table(&self) -> Vec<(u64, ReportingProbability)> {
        let suppressed = (0..self.pre_threshold).map(|_| (0, ReportingProbability::NEVER));
        suppressed.chain(self.share.draws().map(|draws| (draws, share_of_draws(draws)))).collect()
    }
}

fn basic(epsilon: Epsilon, delta: Delta, groups: NonZeroU32, number: f64) -> Option<SelectionShare> {
    let groups = f64::from(groups.get());
    let epsilon = less(div_down(epsilon.get(), groups), number)?;
    Some(SelectionShare::Pure { epsilon, delta: div_down(delta.get(), groups) })
}

/// What a number leaves of the epsilon of a line.
fn less(line: f64, number: f64) -> Option<f64> {
    if number == 0.0 {
        return Some(line);
    }
    // A little less, so that a profile, which rounds the sum up, finds no more than delta.
    let left = sub_down(line, number) * (1.0 - 1e-9);
    (left > 0.0).then_some(left)
}

/// The share whose threshold has the least mean; the last of equal ones.
fn best_of(shares: Vec<SelectionShare>, room: usize) -> Option<SelectionShare> {
    // The last ones are those of many groups, which make the others short work.
    let mut best = (f64::INFINITY, None);
    for share in shares.into_iter().rev() {
        if let Some(mean) = share.mean_threshold(room, best.0) {
            best = (mean, Some(share));
        }
    }
    best.1
}

/// Steps of the grids that shares are searched on.
const PURE_STEPS: u32 = 8;
/// Parts of delta that the Gaussian curve may take; the rest is for decisions that prove an
/// entity.
const GAUSSIAN_PARTS: [f64; 6] = [0.3, 0.5, 0.65, 0.8, 0.9, 0.97];

/// Shares of one group that keep the promise for all groups together, basic composition first.
fn shares(epsilon: Epsilon, delta: Delta, groups: NonZeroU32, number: f64) -> Vec<SelectionShare> {
    let mut shares: Vec<SelectionShare> = basic(epsilon, delta, groups, number).into_iter().collect();
    if groups == NonZeroU32::MIN {
        return shares;
    }
    let (all, k) = (epsilon.get(), f64::from(groups.get()));
    for step in 1..PURE_STEPS {
        // Between E / k and E, with equal ratios.
        let share = all * libm::pow(k, f64::from(step) / f64::from(PURE_STEPS) - 1.0);
        let rest = composition::pure(all, share, groups);
        let delta = composition::each(delta.get(), groups, rest);
        let decision = less(share, number);
        shares.extend(decision.zip(delta).map(|(epsilon, delta)| SelectionShare::Pure { epsilon, delta }));
    }
    // A little less than delta, so that a profile, which rounds mu up, finds no more than delta.
    let delta = delta.get() * (1.0 - 1e-5);
    for part in GAUSSIAN_PARTS {
        let curve = Delta::new(part * delta).ok().and_then(|part| gaussian::cost(epsilon, part).ok());
        let Some(cost) = curve else { continue };
        let Some(mu) = mu_beside(cost.get() / k, composition::mu_of_number(number)) else { continue };
        let line = composition::mu_of_line(mu, number);
        let delta = composition::each(delta, groups, composition::gaussian(epsilon, line, groups));
        shares.extend(delta.map(|delta| SelectionShare::Gaussian { mu, delta }));
    }
    shares
}

/// The mu of a decision whose line may have this mu squared, beside a number; rounded down.
fn mu_beside(line_squared: f64, number: f64) -> Option<f64> {
    let left = line_squared - number * number * (1.0 + 1e-12);
    (left > 0.0).then(|| libm::sqrt(left) * (1.0 - 1e-12))
}

/// As the Gaussian ones of [`shares`], with the curve of zCDP: `k m^2 / 2` is the rho of all, and
/// `n^2 / 2` that of a number of epsilon `n`.
fn zcdp_shares(epsilon: Epsilon, delta: Delta, groups: NonZeroU32, number: f64) -> Vec<SelectionShare> {
    let share = |part: f64| {
        let curve = Delta::new(part * delta.get()).ok()?;
        let rho = zcdp::rho(epsilon, curve).ok()?;
        let mu = mu_beside(2.0 * rho.get() / f64::from(groups.get()), number)?;
        let delta = composition::each(delta.get(), groups, curve.get())?;
        Some(SelectionShare::Gaussian { mu, delta })
    };
    GAUSSIAN_PARTS.into_iter().filter_map(share).collect()
}

impl SelectionShare {
    /// `pi(1), pi(2), ...` in draws out of `2^64`, up to the last one below `2^64`.
    fn draws(self) -> Box<dyn Iterator<Item = u64>> {
        match self {
            Self::Pure { epsilon, delta } => {
                let step = Step { grow: exp_down(epsilon), shrink: exp_up(-epsilon), delta: delta * DRAWS };
                Box::new(std::iter::successors(step.after(0), move |&draws| step.after(draws)))
            }
            Self::Gaussian { mu, delta } => {
                let step = GaussianStep { mu, delta };
                Box::new(std::iter::successors(step.after(0), move |&draws| step.after(draws)))
            }
        }
    }

    /// The mean of the threshold without a pre-threshold; none where it is `most` or more, or the
    /// table has `room` entries or more.
    fn mean_threshold(self, room: usize, most: f64) -> Option<f64> {
        let (mut mean, mut sizes) = (0.0, 0);
        for draws in self.draws().take(room) {
            mean += (ALL_DRAWS - u128::from(draws)) as f64 / DRAWS;
            sizes += 1;
            if mean >= most {
                return None;
            }
        }
        (sizes < room).then_some(mean)
    }
}

/// One step of (4'), in draws.
#[derive(Clone, Copy, Debug)]
struct GaussianStep {
    mu: f64,
    delta: f64,
}

/// Steps are rounded by this part of their result, or of what it leaves, which covers the errors of
/// `Phi` and its inverse: each below 1e-12, and a step at most triples them.
const STEP_SLACK: f64 = 1e-11;

impl GaussianStep {
    /// The draws that report one entity more, or `None` where all do.
    fn after(self, draws: u64) -> Option<u64> {
        let spared = self.delta * DRAWS;
        let left = sub_up(integer_up(ALL_DRAWS - u128::from(draws)), spared);
        if left <= 0.0 {
            return None;
        }
        let whole = DRAWS - spared;
        // The quantile from the smaller tail, which has its digits.
        let at = if (draws as f64) < 0.5 * whole {
            normal::quantile(Probability::new(draws as f64 / whole).ok()?)
        } else {
            -normal::quantile(Probability::new((left / whole).min(1.0)).ok()?)
        };
        let (reporting, suppressing) = (normal::at_most(at + self.mu), normal::at_least(at + self.mu));
        let next = if reporting < suppressing {
            ((spared + whole * reporting) * (1.0 - STEP_SLACK)).floor() as u64
        } else {
            let least = (whole * suppressing * (1.0 + STEP_SLACK)).ceil().max(1.0);
            (ALL_DRAWS - (least as u128).min(ALL_DRAWS)) as u64
        };
        // Where rounding swallows the step, the same number of draws is allowed too.
        Some(next.max(draws))
    }
}

/// The probabilities that a number of reporting draws stands for.
fn share_of_draws(draws: u64) -> ReportingProbability {
    let suppressing = ALL_DRAWS - u128::from(draws);
    ReportingProbability { reported: draws as f64 / DRAWS, suppressed: suppressing as f64 / DRAWS }
}

/// One step of the recurrence, in draws.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// At most `exp(e)`.
    grow: f64,
    /// At least `exp(-e)`.
    shrink: f64,
    /// At most `d`.
    delta: f64,
}

impl Step {
    /// The draws that report one entity more, or `None` where all do.
    fn after(self, draws: u64) -> Option<u64> {
        let suppressing = ALL_DRAWS - u128::from(draws);
        // 1 - pi - d of (4). Rounded up, since suppressing too few draws is what would break the
        // promise.
        let left = sub_up(integer_up(suppressing), self.delta);
        if left <= 0.0 {
            return None;
        }
        let least_suppressing = mul_up(self.shrink, left).ceil();
        let most_reporting = add_down(mul_down(self.grow, integer_down(u128::from(draws))), self.delta).floor();
        // At least one draw suppresses: a size that is not certain must not become so by
        // rounding. A cast of a number above 2^128 saturates, and then the minimum takes the
        // other bound.
        let by_complement = ALL_DRAWS - (least_suppressing as u128).clamp(1, ALL_DRAWS);
        // For an epsilon so small that rounding swallows the step, the same number of draws is
        // allowed too.
        Some((by_complement.min(most_reporting as u128) as u64).max(draws))
    }
}

#[cfg(test)]
mod tests;
