//! Attacks on a sticky threshold, in closed form: what the odds of one decision do not cover.
//!
//! `p`, `q = 1 - p` the chances that a group of `N` is reported and suppressed, `p'`, `q'` those of `N + 1`; `e` the probability
//! that the attacker errs.
//!
//! **Sticky equality.** Ask about a set of people with and without the victim. If the victim is in neither, both questions have
//! one set of entities, one draw, one answer. Otherwise the answers differ with probability `d = p q' + q p'`, anew for every
//! pair of questions, so
//!
//! ```text
//! (10)  (1 - d)^m <= e      after m = ceil(ln e / ln(1 - d)) pairs
//! ```
//!
//! **Fresh draws.** Whoever can add entities of their own, or waits while data grow, gets a new draw for every set, and
//! averages. With prior one half the best guess after `m` draws errs with probability at most `exp(-C m) / 2` (Chernoff), so
//!
//! ```text
//! (11)  C = -ln min over 0 <= s <= 1 of (p^s p'^(1-s) + q^s q'^(1-s)),     m = ceil(ln(1 / (2 e)) / C)
//! ```

use privacy_core::param::Probability;

use crate::law::probability::ReportingProbability;
use crate::law::threshold_table::ThresholdTable;

/// What repeated questions tell an attacker about one entity in a group of `n` or `n + 1`.
///
/// Calibration: closed forms for the attacks above. Others are not covered.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Attacks {
    /// The smaller size, `N`.
    pub n: u64,
    /// Probability that two answers, with and without the victim, differ when the victim is there. Never, when not.
    pub sticky_equality: f64,
    /// Pairs of questions until the error is as wanted; `None` if answers never differ, or only after 2^53 pairs.
    pub pairs: Option<u64>,
    /// Fresh draws that are enough for that error; `None` if draws tell nothing, or only after 2^53.
    pub fresh_draws: Option<u64>,
}

impl ThresholdTable {
    /// How many questions bring the error down to `error`, in groups of `n` or `n + 1`. Some 10 us.
    #[must_use]
    pub fn attacks(&self, n: u64, error: Probability) -> Attacks {
        let (fewer, more) = (self.reporting_probability(n), self.reporting_probability(n.saturating_add(1)));
        let differ = fewer.reported * more.suppressed + fewer.suppressed * more.reported;
        // ln(1 - differ) is minus infinity at 1: one pair is enough.
        let pairs = whole(libm::log(error.get()) / libm::log1p(-differ));
        let draws = whole(-libm::log(2.0 * error.get()) / chernoff_information(fewer, more));
        Attacks { n, sticky_equality: differ, pairs, fresh_draws: draws }
    }
}

/// Rounded up, at least one; `None` where there is no such number below 2^53.
fn whole(number: f64) -> Option<u64> {
    let up = number.ceil().max(1.0);
    (number < 9_007_199_254_740_992.0).then_some(up as u64)
}

/// `C` of (11). The sum is convex in `s`, so its derivative is bisected.
fn chernoff_information(fewer: ReportingProbability, more: ReportingProbability) -> f64 {
    // The rarer decision is small for both sizes or for neither; of the other one the difference from 1 is carried.
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
    // Where one size never leads to the decision, the sum is least at an end.
    if rare[0] == 0.0 {
        return -common[1];
    }
    if rare[1] == 0.0 {
        return -common[0];
    }
    let rare = rare.map(libm::log);
    let power = |logs: [f64; 2], s: f64| s * logs[0] + (1.0 - s) * logs[1];
    let slope = |s: f64| {
        let part = |logs: [f64; 2]| libm::exp(power(logs, s)) * (logs[0] - logs[1]);
        part(rare) + part(common)
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if slope(middle) < 0.0 { low = middle } else { high = middle }
    }
    let s = 0.5 * (low + high);
    -libm::log1p(libm::exp(power(rare, s)) + libm::expm1(power(common, s)))
}

/// Logarithm of the likelier tail, from the smaller one.
fn ln_rest(rare: f64, common: f64) -> f64 {
    if rare < 0.5 { libm::log1p(-rare) } else { libm::log(common) }
}
