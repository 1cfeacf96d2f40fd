//! What trials add up to, and how sure it is.
//!
//! `n` independent trials, `k` successes, `a` error rate. Clopper and Pearson (1934): the
//! interval of all rates at which neither `P(X >= k)` nor `P(X <= k)` is below `a / 2`. It holds
//! the rate with probability at least `1 - a`, for every `n`.
//!
//! Means of other numbers have the interval of the central limit theorem, `mean +- z s / sqrt(n)`
//! with `P(|Z| > z) = a`: right as `n` grows, and everything below 100 trials.

use disclosure::privacy_core::normal;
use disclosure::privacy_core::param::Probability;
use disclosure::privacy_core::special::beta_reg_inv;

use super::claim::Claim;

/// Below this number of values nothing is said of a mean.
const FEWEST: u64 = 100;

/// Independent numbers, added up around a number that they should be near.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    center: f64,
    count: u64,
    sum: f64,
    squares: f64,
}

impl Tally {
    /// Nothing yet. Squares are added around the middle of the claim, so that none cancel.
    #[must_use]
    pub fn around(claim: Claim) -> Self {
        let [low, high] = claim.ends();
        let center = if high < f64::INFINITY { f64::midpoint(low, high) } else { low };
        Self { center, ..Self::default() }
    }

    /// One number more.
    pub fn add(&mut self, number: f64) {
        let away = number - self.center;
        self.count += 1;
        self.sum += away;
        self.squares += away * away;
    }

    /// All numbers of another tally around the same number.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.sum += other.sum;
        self.squares += other.squares;
    }

    /// How many numbers there were.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Their mean; NaN of none.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.center + self.sum / self.count as f64
    }

    /// How many were 1, where all were 0 or 1.
    #[must_use]
    pub fn successes(&self) -> u64 {
        (self.center * self.count as f64 + self.sum).round() as u64
    }

    /// The means that agree with these numbers at this error rate.
    ///
    /// # Numerics
    /// The error rate is reached as the number of numbers grows: skewed numbers need more of
    /// them.
    #[must_use]
    pub fn mean_interval(&self, error_rate: Probability) -> [f64; 2] {
        if self.count < FEWEST {
            return [f64::NEG_INFINITY, f64::INFINITY];
        }
        let count = self.count as f64;
        let away = self.sum / count;
        let variance = (self.squares / count - away * away).max(0.0) * count / (count - 1.0);
        let half = normal::upper_quantile(part(error_rate, 2)) * (variance / count).sqrt();
        [self.center + away - half, self.center + away + half]
    }

    /// The shares of 1 that agree with these numbers, all 0 or 1, at this error rate.
    #[must_use]
    pub fn share_interval(&self, error_rate: Probability) -> [f64; 2] {
        clopper_pearson(self.successes(), self.count, error_rate)
    }
}

/// One of `parts` equal parts of an error rate.
pub(super) fn part(error_rate: Probability, parts: usize) -> Probability {
    Probability::new(error_rate.get() / parts.max(1) as f64).expect("a part of a probability is one")
}

/// The rates `[low, high]` that agree with this number of successes and trials at this error
/// rate; everything for no trial.
///
/// # Numerics
/// That of [`beta_reg_inv`]: 1e-12.
#[must_use]
pub fn clopper_pearson(successes: u64, trials: u64, error_rate: Probability) -> [f64; 2] {
    let (k, n, tail) = (successes.min(trials) as f64, trials as f64, 0.5 * error_rate.get());
    let low = if k == 0.0 { 0.0 } else { beta_reg_inv(k, n - k + 1.0, tail) };
    // By symmetry, so that the upper end is found from a small tail too.
    let high = if k == n { 1.0 } else { 1.0 - beta_reg_inv(n - k, k + 1.0, tail) };
    [low, high]
}

#[cfg(test)]
mod tests {
    use super::*;
    use disclosure::privacy_core::binomial::Binomial;

    #[test]
    fn the_ends_are_where_the_tails_reach_the_error_rate() {
        let rate = Probability::new(0.01).unwrap();
        for (successes, trials) in [(1, 10), (7, 10), (500, 1000), (3, 100_000)] {
            let [low, high] = clopper_pearson(successes, trials, rate);
            let law = |p| Binomial::new(trials, Probability::new(p).unwrap()).unwrap();
            assert!((law(low).at_least(successes) / 0.005 - 1.0).abs() < 1e-9);
            assert!((law(high).at_most(successes) / 0.005 - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn no_and_only_successes_reach_the_ends() {
        let rate = Probability::new(0.05).unwrap();
        // P(no success in 10) = 0.025 at 0.3084971078...
        let [low, high] = clopper_pearson(0, 10, rate);
        assert!(low == 0.0 && (high - 0.308_497_107_8).abs() < 1e-9);
        let [low, high] = clopper_pearson(10, 10, rate);
        assert!(high == 1.0 && (low - (1.0 - 0.308_497_107_8)).abs() < 1e-9);
        assert_eq!(clopper_pearson(0, 0, rate), [0.0, 1.0]);
    }

    #[test]
    fn tallies_count_ones_and_give_means_around_any_center() {
        let rate = Probability::new(0.01).unwrap();
        let fill = |claim: Claim| {
            let mut tally = Tally::around(claim);
            (0..1000).for_each(|number| tally.add(f64::from(number % 4 == 0)));
            tally
        };
        let (here, there) = (fill(Claim::exactly(0.25).unwrap()), fill(Claim::at_most(1e3).unwrap()));
        assert_eq!((here.successes(), there.successes(), here.count()), (250, 250, 1000));
        for tally in [here, there] {
            let [low, high] = tally.mean_interval(rate);
            assert!((f64::midpoint(low, high) - 0.25).abs() < 1e-9);
            // 2.575829... standard errors of sqrt(0.25 * 0.75 / 999).
            assert!((high - low - 2.0 * 2.575_829_303_5 * (0.1875_f64 / 999.0).sqrt()).abs() < 1e-9);
        }
        let nothing = Tally::default();
        assert_eq!(nothing.mean_interval(rate), [f64::NEG_INFINITY, f64::INFINITY]);
        assert_eq!(nothing.share_interval(rate), [0.0, 1.0]);
    }
}
