//! Whether durations tell two kinds of work apart.

/// The bar for Welch's t of durations, without its sign: below it, nothing was seen (Reparaz,
/// Balasch, Verbauwhede 2017, "Dude, is my code constant time?").
pub const BAR: f64 = 4.5;

/// Durations of two kinds of work, done in random order.
#[derive(Clone, Debug, Default)]
pub struct Durations([Vec<f64>; 2]);

impl Durations {
    /// Another duration, of the second kind or of the first.
    pub fn push(&mut self, is_second: bool, duration: f64) {
        self.0[usize::from(is_second)].push(duration);
    }

    /// Welch's t: how many standard errors the mean of the second kind is above that of the first.
    /// Durations above the 95th percentile of all are left out: something interrupted them.
    ///
    /// # Panics
    /// Without two durations of each kind below that.
    #[must_use]
    pub fn t(&self) -> f64 {
        let [first, second] = self.moments();
        (second.mean - first.mean) / (first.of_mean + second.of_mean).sqrt()
    }

    /// The means of both kinds.
    ///
    /// # Panics
    /// As [`t`](Self::t).
    #[must_use]
    pub fn means(&self) -> [f64; 2] {
        self.moments().map(|moments| moments.mean)
    }

    fn moments(&self) -> [Moments; 2] {
        let mut all: Vec<f64> = self.0.iter().flatten().copied().collect();
        all.sort_by(f64::total_cmp);
        let cut = all[all.len() * 95 / 100];
        self.0.each_ref().map(|durations| Moments::up_to(cut, durations))
    }
}

/// A mean, and the variance of it.
struct Moments {
    mean: f64,
    of_mean: f64,
}

impl Moments {
    fn up_to(cut: f64, durations: &[f64]) -> Self {
        let below: Vec<f64> = durations.iter().copied().filter(|&duration| duration <= cut).collect();
        assert!(below.len() > 1, "two durations of each kind");
        let count = below.len() as f64;
        let mean = below.iter().sum::<f64>() / count;
        let variance = below.iter().map(|duration| (duration - mean).powi(2)).sum::<f64>() / (count - 1.0);
        Self { mean, of_mean: variance / count }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_in_standard_errors_and_interrupts_are_left_out() {
        let mut durations = Durations::default();
        for step in 0..100 {
            durations.push(step % 2 == 1, f64::from(step % 4));
        }
        // 0 and 2 against 1 and 3, each 25 times: variances 50/49 of the durations.
        assert_eq!(durations.means(), [1.0, 2.0]);
        let exact = 1.0 / (2.0_f64 / 49.0).sqrt();
        assert!((durations.t() - exact).abs() < 1e-12, "{}", durations.t());
        for step in 0..4 {
            durations.push(step % 2 == 1, 1e9);
        }
        assert_eq!(durations.means(), [1.0, 2.0]);
    }
}
