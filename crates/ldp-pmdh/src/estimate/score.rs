//! The confidence interval of one set: every count that the reports do not contradict.
//!
//! `n` reports cover the set, of `N`; `t = sum Z` over them, `tau` a count that is tried, `h` half
//! of the step of `t` when one bit of one report changes.
//!
//! ```text
//! (|t - tau| - h)^2 <= z^2 V(tau)
//! V(tau) = M + b (tau - t) - tau^2 / n - r (tau - tau^2 / n)         r = n / N fixed, 0 super
//! b      = Cov(Z^2, Z) / Var(Z) at the nearest table, M = sum Z^2
//! ```
//!
//! `V(tau)` is the variance of `t` if the count were `tau`: the other counts of `M` move with `t`
//! by the regression `b`. For one column `Z^2 = alpha Z + beta`, so `b = alpha` and this is
//! Wilson's interval with a continuity correction. `docs/math/ldp-pmdh.md` (1.12).

use super::lattice::{Factor, Lattice, TAKEN, fold};
use super::{ConfidenceInterval, ConfidenceLevel, Population};
use ldp_client::Channel;

/// The nearest possible table over the columns of a set: sums of expected powers of `Z` over its
/// rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct NearestTable {
    /// People with the whole set, among those who are covered.
    count: f64,
    second: f64,
    third: f64,
}

/// Variances of an estimate, in people squared.
#[derive(Clone, Copy, Debug)]
pub(super) struct Variances {
    pub(super) fixed: f64,
    pub(super) sup: f64,
}

/// How many people reported, how many of these were asked about the set, and whom an interval is
/// for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coverage {
    pub(super) everyone: f64,
    pub(super) covering: f64,
}

impl Coverage {
    /// `r`: the share of the variance of the rows that is not sampled.
    fn known_rows(self, population: Population) -> f64 {
        if population == Population::Fixed { self.covering / self.everyone } else { 0.0 }
    }

    /// People for each covered one.
    fn scale(self) -> f64 {
        self.everyone / self.covering
    }
}

impl NearestTable {
    /// Of the counts of reports.
    pub(super) fn of(lattice: &Lattice) -> Self {
        let truth = lattice.feasible_truth();
        let factors = |moment: fn(Channel) -> Factor| lattice.channels.iter().map(|&channel| moment(channel)).collect();
        Self {
            count: *truth.last().expect("a table has the count of its whole set"),
            second: fold(truth.clone(), factors(second_moment)),
            third: fold(truth, factors(third_moment)),
        }
    }

    /// Variances of the estimate at this table: (1.4) with `J = K`, and the part of the rows.
    pub(super) fn variances(self, coverage: Coverage) -> Variances {
        let (scale, covering) = (coverage.scale(), coverage.covering);
        let spread = scale * scale * (self.second - self.count * self.count / covering);
        let rows = self.count * (1.0 - self.count / covering);
        Variances { fixed: spread - scale * rows, sup: spread * covering / (covering - 1.0) }
    }

    /// `b`: what the sum of squares grows by when the sum of readings grows by one.
    fn regression(self, whole: f64, covering: f64, known_rows: f64) -> f64 {
        let Self { count, second, third } = self;
        // Of the rows themselves: a person who has the whole set has mean 1 and second moment `whole`.
        let of_rows = [whole * count - second * count / covering, count - count * count / covering];
        let covariance = third - second * count / covering - known_rows * of_rows[0];
        let variance = second - count * count / covering - known_rows * of_rows[1];
        // Without any noise nothing moves but the count itself.
        if variance > 0.0 { covariance / variance } else { whole }
    }
}

/// `E y^2 = beta + alpha x`.
fn second_moment(channel: Channel) -> Factor {
    [channel.beta(), channel.alpha()]
}

/// `E y^3`, at 0 and what a 1 adds.
fn third_moment(channel: Channel) -> Factor {
    let cubes = [false, true].map(|bit| channel.reading(bit).powi(3));
    let mean = |one: f64| one * cubes[1] + (1.0 - one) * cubes[0];
    [mean(channel.p()), mean(channel.q()) - mean(channel.p())]
}

/// What the reports that cover a set say against each count.
#[derive(Clone, Copy, Debug)]
pub(super) struct Score {
    /// `t`.
    total: f64,
    /// `h`.
    half_step: f64,
    /// `V`.
    variance: Parabola,
    coverage: Coverage,
}

impl Score {
    pub(super) fn new(lattice: &Lattice, nearest: NearestTable, coverage: Coverage, population: Population) -> Self {
        let (covering, known_rows) = (coverage.covering, coverage.known_rows(population));
        let total = lattice.fold(&vec![TAKEN; lattice.channels.len()]);
        let whole: f64 = lattice.channels.iter().map(|channel| channel.alpha() + channel.beta()).product();
        let slope = nearest.regression(whole, covering, known_rows);
        let squares = lattice.fold(&lattice.channels.iter().map(|&channel| second_moment(channel)).collect::<Vec<_>>());
        // The larger of two estimates of the same line: with few reports that of the reports may
        // be negative, and that of the nearest table too small where the table was moved far.
        let constant = (squares - slope * total).max(nearest.second - slope * nearest.count);
        let variance = Parabola { constant, linear: slope - known_rows, square: (known_rows - 1.0) / covering };
        Self { total, half_step: 0.5 * step(&lattice.channels), variance, coverage }
    }

    /// Of an estimate in people, half of its step, and its variance if the count were another.
    pub(super) fn of(total: f64, half_step: f64, variance: Parabola, coverage: Coverage) -> Self {
        Self { total, half_step, variance, coverage }
    }

    /// The counts that are not contradicted, in people, within 0 and all.
    pub(super) fn interval(&self, level: ConfidenceLevel) -> ConfidenceInterval {
        let z2 = level.half_width().powi(2);
        let [below, above] = [self.total - self.half_step, self.total + self.half_step];
        // The ends are where the deviation meets its bound; within half a step nothing is
        // contradicted.
        let low = self.variance.meets(below, z2).map_or(below, |[low, _]| low.min(below));
        let high = self.variance.meets(above, z2).map_or(above, |[_, high]| high.max(above));
        ConfidenceInterval { low, high }.within(0.0, self.coverage.covering).times(self.coverage.scale())
    }

    /// Whether even the nearest count between 0 and all is contradicted.
    pub(super) fn is_impossible(&self) -> bool {
        let nearest = self.total.clamp(0.0, self.coverage.covering);
        let deviation = (self.total - nearest).abs() - self.half_step;
        deviation > 0.0 && deviation * deviation > IMPOSSIBLE_BEYOND.powi(2) * self.variance.at(nearest).max(0.0)
    }
}

/// Standard errors beyond which a deviation is impossible: once in a million on one side.
const IMPOSSIBLE_BEYOND: f64 = 4.753_424_308_822_899;

/// The largest change of `Z` by one bit of a report. It is that of the least informative column
/// when all other readings are the largest: those of a 1, unless `p` is above 1/2.
fn step(channels: &[Channel]) -> f64 {
    let readings: f64 = channels.iter().map(|&channel| channel.reading(true).max(-channel.reading(false))).product();
    let largest = channels.iter().map(|channel| 1.0 / (1.0 - channel.p()).max(channel.p())).fold(0.0, f64::max);
    readings * largest
}

/// A variance as a function of the count.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parabola {
    pub(super) constant: f64,
    pub(super) linear: f64,
    /// At most 0.
    pub(super) square: f64,
}

impl Parabola {
    /// Of a share, as one of a count of this number of people.
    pub(super) fn times(self, people: f64) -> Self {
        Self { constant: self.constant * people * people, linear: self.linear * people, square: self.square }
    }

    pub(super) fn at(self, count: f64) -> f64 {
        self.constant + count * (self.linear + count * self.square)
    }

    /// The two counts `tau` with `(start - tau)^2 = z^2 V(tau)`; `None` if the deviation is larger
    /// everywhere.
    fn meets(self, start: f64, z2: f64) -> Option<[f64; 2]> {
        let leading = 1.0 - z2 * self.square;
        let middle = start + 0.5 * z2 * self.linear;
        let root = (middle * middle - leading * (start * start - z2 * self.constant)).sqrt();
        // Not a number below the root: no count is consistent.
        (root >= 0.0).then(|| [(middle - root) / leading, (middle + root) / leading])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `Z` of the report whose bits are those of a number.
    fn product(channels: &[Channel], bits: usize) -> f64 {
        channels.iter().enumerate().map(|(i, channel)| channel.reading(bits >> i & 1 == 1)).product()
    }

    #[test]
    fn a_step_is_the_largest_change_by_one_bit() {
        for flips in [[0.1, 0.9, 0.3, 0.5], [0.7, 0.9, 0.2, 0.8], [0.6, 0.7, 0.55, 0.95], [0.5, 0.6, 0.0, 1.0]] {
            let [p, q, other_p, other_q] = flips;
            let channels = [(p, q), (other_p, other_q), (0.25, 0.75)].map(|(p, q)| Channel::new(p, q).unwrap());
            let reports = (0..8).flat_map(|bits| (0..3).map(move |i| (bits, bits ^ 1 << i)));
            let changes = reports.map(|(one, other)| (product(&channels, one) - product(&channels, other)).abs());
            let (got, want) = (step(&channels), changes.fold(0.0, f64::max));
            assert!((got / want - 1.0).abs() < 1e-12, "{flips:?}: {got} {want}");
        }
    }
}
