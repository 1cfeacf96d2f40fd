//! Attacks on a sticky threshold, in closed form: what the odds of one decision do not cover.
//!
//! `p`, `q = 1 - p` the probabilities that a group of `N` is reported and suppressed, `p'`, `q'`
//! those of `N + 1`; `e` the probability that the attacker errs.
//!
//! **Sticky equality.** Query a set of people with and without the victim. If the victim is in
//! neither, both queries have one set of entities, one draw, one answer. Otherwise the answers
//! differ with probability `d = p q' + q p'`, independently for every pair of queries, so
//!
//! ```text
//! (10)  (1 - d)^m <= e      after m = ceil(ln e / ln(1 - d)) pairs
//! ```
//!
//! **Fresh draws.** An attacker who can add entities, or waits while the data grow, gets a new
//! draw for every set, and averages. With prior one half the best guess after `m` draws errs with
//! probability at most `exp(-C m) / 2` (Chernoff), so
//!
//! ```text
//! (11)  C = -ln min over 0 <= s <= 1 of (p^s p'^(1-s) + q^s q'^(1-s))
//!       m = ceil(ln(1 / (2 e)) / C)
//! ```

use privacy_core::param::Probability;

use crate::law::probability::ReportingProbability;
use crate::law::threshold_table::ThresholdTable;

/// The number of queries with which an attacker decides about one entity in a group of `n` or
/// `n + 1`.
///
/// A calibration: closed forms for the two attacks of this module. Others are not covered.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Attacks {
    /// The smaller size, `N`.
    pub n: u64,
    /// Probability that two answers, with and without the victim, differ when the victim is in
    /// the group. When the victim is not, they are equal for certain.
    pub sticky_equality: f64,
    /// Pairs of queries until the error is as small as asked for; `None` if answers never differ,
    /// or if it takes 2^53 pairs.
    pub pairs: Option<u64>,
    /// Fresh draws until the error is as small as asked for; `None` if draws reveal nothing, or
    /// if it takes 2^53.
    pub fresh_draws: Option<u64>,
}

impl ThresholdTable {
    /// How many queries bring the error down to `error`, in groups of `n` or `n + 1`. About 10
    /// us.
    #[must_use]
    pub fn attacks(&self, n: u64, error: Probability) -> Attacks {
        let (fewer, more) = (self.decision_probability(n), self.decision_probability(n.saturating_add(1)));
        let differ = difference(fewer, more);
        // ln(1 - differ) is minus infinity at 1: one pair is enough.
        let pairs = whole(libm::log(error.get()) / libm::log1p(-differ));
        let draws = whole(-libm::log(2.0 * error.get()) / chernoff_information(fewer, more));
        Attacks { n, sticky_equality: differ, pairs, fresh_draws: draws }
    }
}

impl ThresholdTable {
    /// The size at which a pair of answers with and without a victim differs most often: the
    /// worst case of (10). The smallest such size. `O(cap)`.
    #[must_use]
    pub fn worst_sticky_size(&self) -> u64 {
        let mut worst = (0, 0.0);
        for n in 0..self.cap() {
            let differ = difference(self.decision_probability(n), self.decision_probability(n + 1));
            if differ > worst.1 {
                worst = (n, differ);
            }
        }
        worst.0
    }
}

impl ThresholdTable {
    /// The largest probability that two answers under a [difference guard](crate::DifferenceGuard)
    /// differ, for groups that differ by one entity and no third group: it does not answer for
    /// sizes below the floor and from the cap on, so it is that of the floor, or of the cap less
    /// one.
    #[must_use]
    pub fn edge_detection(&self) -> f64 {
        let least = self.decision_probability(self.floor()).reported;
        least.max(self.decision_probability(self.cap() - 1).suppressed)
    }
}

/// `d = p q' + q p'`: the probability that two answers differ, for sizes `N` and `N + 1`.
fn difference(fewer: ReportingProbability, more: ReportingProbability) -> f64 {
    fewer.reported * more.suppressed + fewer.suppressed * more.reported
}

/// Rounded up, at least one; `None` where there is no such number below 2^53.
fn whole(number: f64) -> Option<u64> {
    let up = number.ceil().max(1.0);
    (number < 9_007_199_254_740_992.0).then_some(up as u64)
}

/// `C` of (11). The sum is convex in `s`, so its derivative is bisected.
fn chernoff_information(fewer: ReportingProbability, more: ReportingProbability) -> f64 {
    // One decision is rare for both sizes or for neither. Its logarithms are taken as they are;
    // those of the other decision come from 1 minus the rare one, which keeps their digits where
    // they are near 0.
    let (rare, common) = if fewer.reported + more.reported <= 1.0 {
        (
            [fewer.reported, more.reported],
            [ln_rest(fewer.reported, fewer.suppressed), ln_rest(more.reported, more.suppressed)],
        )
    } else {
        (
            [fewer.suppressed, more.suppressed],
            [ln_rest(fewer.suppressed, fewer.reported), ln_rest(more.suppressed, more.reported)],
        )
    };
    // Where one size never leads to the rare decision, the sum is smallest at an end of [0, 1].
    if rare[0] == 0.0 {
        return -common[1];
    }
    if rare[1] == 0.0 {
        return -common[0];
    }
    let rare = rare.map(libm::log);
    let (mut low, mut high) = (0.0, 1.0);
    // 60 halvings leave an interval of 2^-60, below the spacing of f64 near one half.
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if slope(rare, middle) + slope(common, middle) < 0.0 { low = middle } else { high = middle }
    }
    let s = 0.5 * (low + high);
    -libm::log1p(libm::exp(power(rare, s)) + libm::expm1(power(common, s)))
}

/// Logarithm of `p^s p'^(1-s)`, from the logarithms of `p` and `p'`.
fn power(logs: [f64; 2], s: f64) -> f64 {
    s * logs[0] + (1.0 - s) * logs[1]
}

/// Derivative of `p^s p'^(1-s)` by `s`.
fn slope(logs: [f64; 2], s: f64) -> f64 {
    libm::exp(power(logs, s)) * (logs[0] - logs[1])
}

/// Logarithm of the likelier tail, from the smaller one.
fn ln_rest(rare: f64, common: f64) -> f64 {
    if rare < 0.5 { libm::log1p(-rare) } else { libm::log(common) }
}
