//! Both sides of two neighbouring binomial tails, fast where the threshold is small.
//!
//! `n` trials, `q` probability, `m` threshold: `P(X >= m)` and `P(X >= m + 1)`, each with its
//! complement, so that no side is ever `1 - ` the other when it is the small one. Small `m`: the
//! mass at 0 is `exp(n log1p(-q))`, the others follow by ratios `(n - k) / (k + 1) q / (1 - q)`;
//! the upper side is summed from `m` where it is the small one.

use privacy_core::binomial::Binomial;
use privacy_core::param::Probability;

/// Thresholds up to this are summed term by term.
pub(crate) const SMALL: u64 = 48;
/// Means from which at most [`SMALL`] successes do not happen: below 1e-180.
const CERTAIN: f64 = 600.0;

/// A probability with its complement, both to full precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Chance {
    pub(crate) yes: f64,
    pub(crate) no: f64,
}

impl Chance {
    pub(crate) const SURE: Self = Self { yes: 1.0, no: 0.0 };

    /// The mixture with weight `share` on `self`.
    pub(crate) fn mix(self, share: f64, other: Self) -> Self {
        Self { yes: share * self.yes + (1.0 - share) * other.yes, no: share * self.no + (1.0 - share) * other.no }
    }

    pub(crate) fn variance(self) -> f64 {
        self.yes * self.no
    }
}

/// `P(X >= m)` and `P(X >= m + 1)` for `X` binomial with `trials` and `q`, to a relative 1e-13 on
/// either side.
pub(crate) fn two_tails(trials: u64, q: f64, m: u64) -> [Chance; 2] {
    let mean = trials as f64 * q;
    if m > SMALL || q > 0.5 {
        return by_library(trials, q, m);
    }
    if mean > CERTAIN {
        return [Chance::SURE; 2];
    }
    by_terms(trials as f64, q, m)
}

/// Exponents whose power of e is below the smallest `f64`.
const NOTHING: f64 = 746.0;

fn by_library(trials: u64, q: f64, m: u64) -> [Chance; 2] {
    // Chernoff: far from the mean one side is nothing, whatever the law between.
    let (mean, apart) = (trials as f64 * q, m as f64 - trials as f64 * q);
    if apart < -1.0 && (apart + 1.0) * (apart + 1.0) > NOTHING * 2.0 * mean {
        return [Chance::SURE; 2];
    }
    if apart > 0.0 && apart * apart > NOTHING * 2.0 * (mean + apart / 3.0) {
        return [Chance { yes: 0.0, no: 1.0 }; 2];
    }
    let q = Probability::new(q.clamp(0.0, 1.0)).expect("clamped to a probability");
    let law = Binomial::new(trials, q).expect("rows are at most 2^53");
    [m, m + 1].map(|m| match m.checked_sub(1) {
        None => Chance::SURE,
        Some(below) => Chance { yes: law.at_least(m), no: law.at_most(below) },
    })
}

fn by_terms(n: f64, q: f64, m: u64) -> [Chance; 2] {
    let ratio = q / (1.0 - q);
    let mut mass = libm::exp(n * libm::log1p(-q));
    let mut below = 0.0;
    let mut k = 0.0;
    for _ in 0..m {
        below += mass;
        mass *= (n - k).max(0.0) / (k + 1.0) * ratio;
        k += 1.0;
    }
    // Sums of rounded terms may end a little above 1.
    let (below, at_most) = (f64::min(below, 1.0), f64::min(below + mass, 1.0));
    if at_most < 0.5 {
        return [Chance { yes: 1.0 - below, no: below }, Chance { yes: 1.0 - at_most, no: at_most }];
    }
    // `m` is at least the median here: terms fall at once, by a factor that only gets smaller.
    let (mut above, mut term) = (0.0, mass);
    while term > 1e-17 * above && k < n {
        term *= (n - k) / (k + 1.0) * ratio;
        k += 1.0;
        above += term;
    }
    [Chance { yes: (above + mass).min(1.0), no: below }, Chance { yes: above, no: at_most }]
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::relative_error;
    use testkit::tails::binomial_tails;

    #[test]
    fn both_sides_agree_with_plain_sums() {
        for trials in [1, 2, 7, 149, 9_999, 1_000_000] {
            for q in [1e-12, 1e-4, 0.003, 0.1, 0.33, 0.5, 0.7, 1.0] {
                for m in [1, 2, 3, 9, 30, 60] {
                    let found = two_tails(trials, q, m);
                    for (chance, m) in found.iter().zip(m..) {
                        if m > trials {
                            assert_eq!(*chance, Chance { yes: 0.0, no: 1.0 });
                            continue;
                        }
                        let (no, yes) = (binomial_tails(trials, q, m - 1).0, binomial_tails(trials, q, m).1);
                        for (got, want) in [(chance.yes, yes), (chance.no, no)] {
                            let close = relative_error(got, want) < 1e-9 || want < 1e-170 && got < 1e-170;
                            assert!(close, "n {trials} q {q} m {m}: {got:e} {want:e}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn the_two_ways_agree_where_they_meet() {
        for trials in [40, 149, 99_999] {
            for mean in [1e-9, 0.01, 1.0, 3.0, 20.0, 44.0] {
                for m in [0, 1, 2, 5, 20, 48] {
                    let q = mean / trials as f64;
                    if q > 0.5 {
                        continue;
                    }
                    for (fast, slow) in by_terms(trials as f64, q, m).iter().zip(by_library(trials, q, m)) {
                        for (a, b) in [(fast.yes, slow.yes), (fast.no, slow.no)] {
                            assert!(relative_error(a, b) < 2e-13 || a == b, "n {trials} q {q} m {m}: {a:e} {b:e}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn nothing_is_lost_at_the_ends() {
        assert_eq!(two_tails(10, 0.2, 0)[0], Chance::SURE);
        assert_eq!(two_tails(10, 0.0, 1)[0], Chance { yes: 0.0, no: 1.0 });
        assert_eq!(two_tails(10, 1.0, 10)[0], Chance::SURE);
        assert_eq!(two_tails(10, 1.0, 10)[1], Chance { yes: 0.0, no: 1.0 });
        assert_eq!(two_tails(1_000_000, 0.4, 3), [Chance::SURE; 2]);
    }
}
