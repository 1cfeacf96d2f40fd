//! How sure a share of successes is.
//!
//! `n` independent trials, `k` successes, `a` error rate. Clopper and Pearson (1934): the interval of all rates at which neither
//! `P(X >= k)` nor `P(X <= k)` is below `a / 2`. It holds the rate with probability at least `1 - a`, for every `n`.

use disclosure::core::param::Probability;
use disclosure::core::special::beta_reg_inv;

/// Successes among independent trials.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many succeeded.
    pub successes: u64,
    /// How many there were.
    pub trials: u64,
}

/// The rates `[low, high]` that agree with a tally at this error rate; everything for no trial.
///
/// # Numerics
/// That of [`beta_reg_inv`]: 1e-12.
#[must_use]
pub fn clopper_pearson(tally: Tally, error_rate: Probability) -> [f64; 2] {
    let (k, n, tail) = (tally.successes.min(tally.trials) as f64, tally.trials as f64, 0.5 * error_rate.get());
    let low = if k == 0.0 { 0.0 } else { beta_reg_inv(k, n - k + 1.0, tail) };
    // By symmetry, so that the upper end is found from a small tail too.
    let high = if k == n { 1.0 } else { 1.0 - beta_reg_inv(n - k, k + 1.0, tail) };
    [low, high]
}

#[cfg(test)]
mod tests {
    use super::*;
    use disclosure::core::binomial::Binomial;

    #[test]
    fn the_ends_are_where_the_tails_reach_the_error_rate() {
        let rate = Probability::new(0.01).unwrap();
        for (successes, trials) in [(1, 10), (7, 10), (500, 1000), (3, 100_000)] {
            let [low, high] = clopper_pearson(Tally { successes, trials }, rate);
            let law = |p| Binomial::new(trials, Probability::new(p).unwrap()).unwrap();
            assert!((law(low).at_least(successes) / 0.005 - 1.0).abs() < 1e-9);
            assert!((law(high).at_most(successes) / 0.005 - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn no_and_only_successes_reach_the_ends() {
        let rate = Probability::new(0.05).unwrap();
        // P(no success in 10) = 0.025 at 0.3084971078...
        let [low, high] = clopper_pearson(Tally { successes: 0, trials: 10 }, rate);
        assert!(low == 0.0 && (high - 0.308_497_107_8).abs() < 1e-9);
        let [low, high] = clopper_pearson(Tally { successes: 10, trials: 10 }, rate);
        assert!(high == 1.0 && (low - (1.0 - 0.308_497_107_8)).abs() < 1e-9);
        assert_eq!(clopper_pearson(Tally::default(), rate), [0.0, 1.0]);
    }
}
