//! Confidence intervals of one number.

use privacy_core::normal;
use privacy_core::param::Probability;
use privacy_core::special::beta_reg_inv;

use ldp_client::Channel;

/// Two ends, in the unit of the estimate.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ConfidenceInterval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// How often an interval shall cover the truth, above 0 and below 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConfidenceLevel(f64);

/// A confidence level outside its range.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("a confidence level is above 0 and below 1, got {got}")]
#[non_exhaustive]
pub struct ConfidenceLevelError {
    /// The level that was given.
    pub got: f64,
}

impl ConfidenceLevel {
    /// 95 %.
    pub const NINETY_FIVE: Self = Self(0.95);

    /// A level, such as 0.95.
    ///
    /// # Errors
    /// Unless it is above 0 and below 1.
    pub fn new(level: f64) -> Result<Self, ConfidenceLevelError> {
        if level > 0.0 && level < 1.0 { Ok(Self(level)) } else { Err(ConfidenceLevelError { got: level }) }
    }

    /// The level.
    #[must_use]
    pub fn get(self) -> f64 {
        self.0
    }

    /// The mass of each tail.
    pub(crate) fn tail(self) -> f64 {
        0.5 * (1.0 - self.0)
    }

    /// Half width of a normal interval in standard errors: 1.96 for 95 %.
    ///
    /// # Panics
    /// Never: a tail is a probability.
    #[must_use]
    pub fn half_width(self) -> f64 {
        normal::upper_quantile(Probability::new(self.tail()).expect("a tail of a level is below one half"))
    }
}

impl ConfidenceInterval {
    /// The normal interval around an estimate.
    #[must_use]
    pub fn around(value: f64, standard_error: f64, level: ConfidenceLevel) -> Self {
        let half = level.half_width() * standard_error;
        Self { low: value - half, high: value + half }
    }

    /// The interval of a multiple.
    pub(crate) fn times(self, factor: f64) -> Self {
        Self { low: self.low * factor, high: self.high * factor }
    }

    /// The part within two ends.
    pub(crate) fn within(self, least: f64, most: f64) -> Self {
        Self { low: self.low.clamp(least, most), high: self.high.clamp(least, most) }
    }

    /// Whether a number lies within, ends included.
    #[must_use]
    pub fn contains(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }
}

/// All `x` that an estimate does not contradict when its variance at `x` is
/// `variance + slope (x - center)`, as Wilson's interval:
/// `(value - x)^2 <= z^2 (variance + slope (x - center))`.
pub(crate) fn score(value: f64, center: f64, variance: f64, slope: f64, level: ConfidenceLevel) -> ConfidenceInterval {
    let (z2, off) = (level.half_width().powi(2), value - center);
    let middle = off + 0.5 * z2 * slope;
    // The ends are the roots of (off - y)^2 = z^2 (variance + slope y) in y = x - center.
    let square = middle * middle - off * off + z2 * variance;
    // No root: the estimate contradicts every count, as a negative variance can make it. The
    // normal interval then says where it is.
    if square < 0.0 {
        return ConfidenceInterval::around(value, variance.max(0.0).sqrt(), level);
    }
    ConfidenceInterval { low: center + middle - square.sqrt(), high: center + middle + square.sqrt() }
}

/// The interval of Clopper and Pearson for the probability of `successes` among `trials`: covers
/// at least at its level.
#[must_use]
pub(crate) fn clopper_pearson(successes: u64, trials: u64, level: ConfidenceLevel) -> ConfidenceInterval {
    let (k, n) = (successes as f64, trials as f64);
    // Ends are quantiles of beta laws: P(X >= k) at `low` and P(X <= k) at `high` are a tail
    // each.
    let low = if successes == 0 { 0.0 } else { beta_reg_inv(k, n - k + 1.0, level.tail()) };
    let high = if successes == trials { 1.0 } else { beta_reg_inv(k + 1.0, n - k, 1.0 - level.tail()) };
    ConfidenceInterval { low, high }
}

/// The interval of a frequency from that of the probability of a one in the reports: through
/// `(g - p) / d`, within 0 and 1.
#[must_use]
pub(crate) fn frequency_interval(
    channel: Channel,
    successes: u64,
    trials: u64,
    level: ConfidenceLevel,
) -> ConfidenceInterval {
    let reported = clopper_pearson(successes, trials, level);
    // The map is increasing, so ends go to ends; frequencies that cannot be are cut off without
    // loss of coverage.
    ConfidenceInterval { low: frequency(channel, reported.low), high: frequency(channel, reported.high) }
}

/// The frequency at which a report bit is 1 with this probability, within 0 and 1.
fn frequency(channel: Channel, reported: f64) -> f64 {
    ((reported - channel.p()) / channel.gap()).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use privacy_core::binomial::Binomial;

    #[test]
    fn levels_that_are_none_are_refused() {
        assert!([0.0, 1.0, -0.5, f64::NAN].into_iter().all(|level| ConfidenceLevel::new(level).is_err()));
        assert!((ConfidenceLevel::NINETY_FIVE.half_width() - 1.959_963_984_540_054).abs() < 1e-14);
    }

    #[test]
    fn exact_intervals_cover_at_least_at_their_level() {
        // By enumeration: for every probability the mass of the counts whose interval covers it.
        let (trials, level) = (40, ConfidenceLevel::new(0.9).unwrap());
        for step in 1..200 {
            let truth = f64::from(step) / 200.0;
            let law = Binomial::new(trials, Probability::new(truth).unwrap()).unwrap();
            let covering = (0..=trials).filter(|&k| clopper_pearson(k, trials, level).contains(truth));
            let coverage: f64 = covering.map(|k| law.pmf(k)).sum();
            assert!(coverage >= 0.9 - 1e-12, "{truth}: {coverage}");
        }
    }

    #[test]
    fn frequencies_stay_between_none_and_all() {
        let channel = Channel::new(0.1, 0.8).unwrap();
        let none = frequency_interval(channel, 0, 50, ConfidenceLevel::NINETY_FIVE);
        assert_eq!(none.low, 0.0);
        let all = frequency_interval(channel, 50, 50, ConfidenceLevel::NINETY_FIVE);
        assert_eq!(all.high, 1.0);
        assert!(none.high < all.low);
    }
}
