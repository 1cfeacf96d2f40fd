//! The variance of a pair's cell as a function of the frequencies.

use ldp_client::Channel;

use super::variance::FrequencyPrior;

/// `share (of_both f_ij + of_one f + constant - f_ij^2)`: every design's, with `f` the share of
/// people with a feature, `f_ij` with two of them, and `share` people for each one who is asked
/// about the pair.
#[derive(Clone, Copy, Debug)]
pub(super) struct PairVariance {
    pub(super) share: f64,
    pub(super) of_both: f64,
    /// At least 0.
    pub(super) of_one: f64,
    pub(super) constant: f64,
}

impl PairVariance {
    /// A pair of columns, each through its channel.
    pub(super) fn of_columns(first: Channel, second: Channel) -> Self {
        let (a1, b1, a2, b2) = (first.alpha(), first.beta(), second.alpha(), second.beta());
        // A value that is reported more often than not has a negative alpha, and no design here.
        Self { share: 1.0, of_both: a1 * a2, of_one: a1 * b2 + b1 * a2, constant: b1 * b2 }
    }

    /// A cell that is read through one channel.
    pub(super) fn of_cell(channel: Channel) -> Self {
        Self { share: 1.0, of_both: channel.alpha(), of_one: 0.0, constant: channel.beta() }
    }

    /// The same where one person in `share` is asked about the pair.
    pub(super) fn shared(self, share: f64) -> Self {
        Self { share, ..self }
    }

    /// The mean over pairs of two kinds, `weight` of the first.
    pub(super) fn mixed(self, other: Self, weight: f64) -> Self {
        let mean = |one: f64, two: f64| weight * one + (1.0 - weight) * two;
        Self {
            share: self.share,
            of_both: mean(self.of_both, other.of_both),
            of_one: mean(self.of_one, other.of_one),
            constant: mean(self.constant, other.constant),
        }
    }

    /// At these frequencies.
    pub(super) fn at(self, prior: FrequencyPrior) -> f64 {
        let FrequencyPrior { frequency: f, pair_frequency: both } = prior;
        self.share * (self.of_both * both + self.of_one * f + self.constant - both * both)
    }

    /// The largest over all frequencies.
    pub(super) fn worst(self) -> f64 {
        // It grows with f, of which f_ij >= 2 f - 1 leaves at most (1 + f_ij) / 2; what is left is
        // a concave parabola in f_ij.
        let both = (0.5 * (self.of_both + 0.5 * self.of_one)).clamp(0.0, 1.0);
        self.at(FrequencyPrior { frequency: 0.5 * (1.0 + both), pair_frequency: both })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_frequencies_are_worse_than_the_worst() {
        let [bit, cell] = [(0.3, 0.7), (0.02, 0.94)].map(|(p, q)| Channel::new(p, q).unwrap());
        let noisy = Channel::new(0.48, 0.52).unwrap();
        for variance in [
            PairVariance::of_columns(bit, bit),
            PairVariance::of_columns(noisy, bit).shared(3.0),
            PairVariance::of_cell(cell).shared(6.0),
            PairVariance::of_cell(cell).mixed(PairVariance::of_columns(bit, cell), 0.25),
        ] {
            let grid = (0..=200).flat_map(|i| (0..=200).map(move |j| (f64::from(i) / 200.0, f64::from(j) / 200.0)));
            let possible = grid.filter(|&(f, both)| both <= f && both >= 2.0 * f - 1.0);
            let found =
                possible.map(|(frequency, pair_frequency)| variance.at(FrequencyPrior { frequency, pair_frequency }));
            let found = found.fold(0.0, f64::max);
            assert!(found <= variance.worst() * (1.0 + 1e-12), "{found} {}", variance.worst());
            assert!(found >= variance.worst() * 0.9999, "{found} {}", variance.worst());
        }
    }
}
