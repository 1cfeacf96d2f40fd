//! The binomial distribution: mass, tails computed as tails, their logarithms, and quantiles.
//!
//! `n` trials; `p <= 1/2` the probability of the rarer outcome, `q = 1 - p`; `k` how often it
//! occurs. A law with `p > 1/2` is that of the other outcome, whose probability `1 - p` is exact
//! there. Equation numbers are those of `docs/math/special-functions.md`.
//!
//! Mass: Loader's saddle point form (2000), equation (3). Tails: the mass times a sum of ratios
//! where terms fall fast, equation (7), or times one integral by a fixed rule where the law is
//! nearly normal, equation (6): nothing iterates without a bound.

use crate::param::Probability;
use crate::round::two_product;
use crate::special::{FALLS_FAST, INV_SQRT_2_PI, NEARLY_NORMAL, Scaled, Tail};
use crate::special::{deviance_of_difference, stirling_error, tail_integral, upper_probit};

/// Number of successes in independent trials.
///
/// # Numerics
/// Relative error of `pmf`, `at_least` and `at_most` below 1e-12 wherever the value is above
/// 1e-300, for up to 1e9 trials; logarithms are as accurate, and finite where the value
/// underflows. A tail costs below a microsecond, a quantile some four tails.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Binomial {
    trials: u64,
    /// Probability of the rarer outcome, at most 1/2.
    rare: f64,
    /// Whether the rarer outcome is success.
    rare_is_success: bool,
}

/// Why there is no such binomial law.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BinomialError {
    /// Numbers of trials above 2^53 are not all exact as `f64`.
    #[error("a binomial distribution has at most 2^53 trials, got {trials}")]
    TooManyTrials {
        /// The refused number.
        trials: u64,
    },
}

impl Binomial {
    /// Largest number of trials, 2^53.
    pub const MAX_TRIALS: u64 = 1 << 53;

    /// The number of successes in `trials` trials that each succeed with probability `success`.
    ///
    /// # Errors
    /// [`BinomialError::TooManyTrials`] above 2^53 trials.
    pub fn new(trials: u64, success: Probability) -> Result<Self, BinomialError> {
        Self::of_outcome(trials, success, true)
    }

    /// As [`Binomial::new`], given the probability of failure: for successes so likely that
    /// `1 - failure` rounds.
    ///
    /// # Errors
    /// [`BinomialError::TooManyTrials`] above 2^53 trials.
    pub fn with_failure(trials: u64, failure: Probability) -> Result<Self, BinomialError> {
        Self::of_outcome(trials, failure, false)
    }

    fn of_outcome(trials: u64, probability: Probability, is_success: bool) -> Result<Self, BinomialError> {
        if trials > Self::MAX_TRIALS {
            return Err(BinomialError::TooManyTrials { trials });
        }
        let p = probability.get();
        let (rare, rare_is_success) = if p > 0.5 { (1.0 - p, !is_success) } else { (p, is_success) };
        Ok(Self { trials, rare, rare_is_success })
    }

    /// Number of trials.
    #[must_use]
    pub const fn trials(&self) -> u64 {
        self.trials
    }

    /// `P(X = k)`.
    #[must_use]
    pub fn pmf(&self, k: u64) -> f64 {
        self.mass_of_successes(k).value()
    }

    /// Natural logarithm of `P(X = k)`; minus infinity where that is 0.
    #[must_use]
    pub fn ln_pmf(&self, k: u64) -> f64 {
        self.mass_of_successes(k).ln()
    }

    /// `P(X >= k)`.
    #[must_use]
    pub fn at_least(&self, k: u64) -> f64 {
        self.upper_tail(k).value()
    }

    /// Natural logarithm of `P(X >= k)`; minus infinity where that is 0.
    #[must_use]
    pub fn ln_at_least(&self, k: u64) -> f64 {
        self.upper_tail(k).ln()
    }

    /// `P(X <= k)`.
    #[must_use]
    pub fn at_most(&self, k: u64) -> f64 {
        self.lower_tail(k).value()
    }

    /// Natural logarithm of `P(X <= k)`; minus infinity where that is 0.
    #[must_use]
    pub fn ln_at_most(&self, k: u64) -> f64 {
        self.lower_tail(k).ln()
    }

    /// The smallest `k` with `at_most(k) >= probability`.
    ///
    /// Close to 1 a probability has few digits left: [`Binomial::upper_quantile`] takes the small
    /// one.
    #[must_use]
    pub fn quantile(&self, probability: Probability) -> u64 {
        let probability = probability.get();
        self.smallest(-upper_probit(probability), |k| self.at_most(k) >= probability)
    }

    /// The smallest `k` with `P(X > k) <= probability`: above it begins the critical region of
    /// that size.
    #[must_use]
    pub fn upper_quantile(&self, probability: Probability) -> u64 {
        let probability = probability.get();
        self.smallest(upper_probit(probability), |k| self.at_least(k + 1) <= probability)
    }

    fn mass_of_successes(&self, k: u64) -> Scaled {
        match (k <= self.trials, self.rare_is_success) {
            (false, _) => Scaled::ZERO,
            (true, true) => self.mass(k),
            (true, false) => self.mass(self.trials - k),
        }
    }

    fn upper_tail(&self, k: u64) -> Tail {
        match (k <= self.trials, self.rare_is_success) {
            (false, _) => Tail::NOTHING,
            (true, true) => self.rare_at_least(k),
            (true, false) => self.rare_at_most(self.trials - k),
        }
    }

    fn lower_tail(&self, k: u64) -> Tail {
        if k == u64::MAX { Tail::EVERYTHING } else { self.upper_tail(k + 1).complement() }
    }

    // From here on `k`, at most `n`, counts the rarer outcome.

    fn rare_at_least(&self, k: u64) -> Tail {
        match k.checked_sub(1) {
            None => Tail::EVERYTHING,
            Some(_) if self.is_above_mean(k) => Tail::Direct(self.tail_above(k)),
            Some(rest) => Tail::Complement(self.tail_below(rest)),
        }
    }

    fn rare_at_most(&self, k: u64) -> Tail {
        if k == self.trials { Tail::EVERYTHING } else { self.rare_at_least(k + 1).complement() }
    }

    fn is_above_mean(&self, k: u64) -> bool {
        k as f64 > self.trials as f64 * self.rare
    }

    fn is_nearly_normal(&self) -> bool {
        self.trials as f64 * self.rare * (1.0 - self.rare) >= NEARLY_NORMAL
    }

    /// `P(K = k)`, equation (3): `n p` and `n q` are carried to twice the working precision.
    fn mass(&self, k: u64) -> Scaled {
        let (n, p, successes, failures) = (self.trials as f64, self.rare, k as f64, (self.trials - k) as f64);
        if k == 0 {
            return Scaled { factor: 1.0, exponent: -n * libm::log1p(-p) };
        }
        if k == self.trials {
            return Scaled { factor: 1.0, exponent: -n * libm::log(p) };
        }
        let (mean, mean_rest) = two_product(n, p);
        let excess = (successes - mean) - mean_rest;
        let other_mean = (n - mean) - mean_rest;
        Scaled {
            factor: INV_SQRT_2_PI * (n / failures / successes).sqrt(),
            exponent: deviance_of_difference(successes, mean, excess)
                + deviance_of_difference(failures, other_mean, -excess)
                + (stirling_error(successes) + stirling_error(failures) - stirling_error(n)),
        }
    }

    /// `P(K >= k)` for `k` above the mean.
    fn tail_above(&self, k: u64) -> Scaled {
        let (n, p, q) = (self.trials as f64, self.rare, 1.0 - self.rare);
        let (numerator, denominator, odds) = (n - k as f64, k as f64 + 1.0, p / q);
        self.mass(k).times(if self.is_nearly_normal() && numerator * odds >= FALLS_FAST * denominator {
            let excess = (-p).mul_add(n + 1.0, k as f64);
            k as f64 * q * tail_integral(excess, n + 1.0, p, -1.0)
        } else {
            sum_of_ratios(numerator, denominator, odds)
        })
    }

    /// `P(K <= k)` for `k` at most the mean.
    fn tail_below(&self, k: u64) -> Scaled {
        let (n, p, q) = (self.trials as f64, self.rare, 1.0 - self.rare);
        let (numerator, denominator, odds) = (k as f64, n - k as f64 + 1.0, q / p);
        self.mass(k).times(if self.is_nearly_normal() && numerator * odds >= FALLS_FAST * denominator {
            let shortfall = p.mul_add(n + 1.0, -(k as f64 + 1.0));
            (n - k as f64) * p * tail_integral(shortfall, n + 1.0, p, 1.0)
        } else {
            sum_of_ratios(numerator, denominator, odds)
        })
    }

    /// The smallest `k` with `holds(k)`, which is monotone and holds at `n`: gallop from a guess,
    /// then bisect.
    fn smallest(&self, normal_quantile: f64, holds: impl Fn(u64) -> bool) -> u64 {
        let guess = self.cornish_fisher(normal_quantile).min(self.trials);
        let (mut low, mut high, mut step) = (0, self.trials, 1); // the answer is in [low, high]
        if holds(guess) {
            high = guess;
            while low < high {
                let candidate = high.saturating_sub(step);
                if !holds(candidate) {
                    low = candidate + 1;
                    break;
                }
                high = candidate;
                step *= 2;
            }
        } else {
            low = guess + 1;
            while low < high {
                let candidate = high.min(low + step - 1);
                if holds(candidate) {
                    high = candidate;
                    break;
                }
                low = candidate + 1;
                step *= 2;
            }
        }
        while low < high {
            let middle = low + (high - low) / 2;
            if holds(middle) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low
    }

    /// A first guess of the quantile, given that of the normal law (Cornish-Fisher, two terms).
    fn cornish_fisher(&self, z: f64) -> u64 {
        let (n, p) = (self.trials as f64, self.rare);
        let (mean, skew) = if self.rare_is_success { (n * p, 1.0 - 2.0 * p) } else { (n - n * p, 2.0 * p - 1.0) };
        // A cast takes NaN and what is below zero to zero, and saturates above.
        (mean + (n * p * (1.0 - p)).sqrt() * z + skew * (z * z - 1.0) / 6.0) as u64
    }
}

/// `1 + r_0 + r_0 r_1 + ...` with `r_i = odds (numerator - i) / (denominator + i)`, all below 1
/// and falling to 0.
///
/// Where the law is not nearly normal, or `r_0 < 0.6`, some 150 terms at most.
fn sum_of_ratios(numerator: f64, denominator: f64, odds: f64) -> f64 {
    let (mut numerator, mut denominator, mut term, mut sum) = (numerator, denominator, 1.0, 1.0);
    while numerator > 0.0 && term > 0.25 * f64::EPSILON * sum {
        term *= odds * numerator / denominator;
        sum += term;
        numerator -= 1.0;
        denominator += 1.0;
    }
    sum
}
