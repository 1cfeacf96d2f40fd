//! Epsilon of one report, from the thresholds, never read low.
//!
//! `p`, `q` as numerators over 2^64. Each is the largest log-ratio of the probabilities of one
//! report under two truths:
//!
//! ```text
//! binary response    max(ln q/p, ln (1-p)/(1-q))
//! unary encoding       ln q(1-p) / (p(1-q))        two truths differ in two bits
//! generalised response ln q(d-1) / (1-q)           also local hashing, with g buckets for d values
//! subset selection     ln q(d-w) / ((1-q)w)        w of d values
//! joint symbol         ln (1 + m k / (1-k))        k the chance to keep all values, of m combinations
//! ```
//!
//! Tight: some report and two truths attain them. Infinite where a report can exclude a truth.
//! Sources: Ye, Barg, "Optimal schemes for discrete distribution estimation under locally
//! differential privacy" (2018), subset selection; Wang, Blocki, Li, Jha, "Locally differentially
//! private protocols for frequency estimation" (USENIX Security 2017), sections 4.1 to 4.4;
//! Erlingsson, Pihur, Korolova, "RAPPOR" (CCS 2014), theorems 1 and 2. Tightness:
//! `docs/math/ldp-pmdh.md`, section 1.

use privacy_core::round::{add_down, add_up, div_up, integer_down, integer_up, ln_up, mul_down, mul_up};

use crate::probability::FixedProbability;

/// At least `ln(a / b)`.
fn ln_ratio(a: u128, b: u128) -> f64 {
    if b == 0 { f64::INFINITY } else { ln_up(div_up(integer_up(a), integer_down(b))) }
}

/// One bit of a person.
pub(crate) fn binary(p: FixedProbability, q: FixedProbability) -> f64 {
    let heads = ln_ratio(q.numerator(), p.numerator());
    let tails = ln_ratio(p.complement().numerator(), q.complement().numerator());
    heads.max(tails)
}

/// A one-hot block of at least two bits.
pub(crate) fn unary(p: FixedProbability, q: FixedProbability) -> f64 {
    let heads = ln_ratio(q.numerator(), p.numerator());
    let tails = ln_ratio(p.complement().numerator(), q.complement().numerator());
    add_up(heads, tails)
}

/// One of `symbols` symbols, the true one with probability `q`, each other with the same.
pub(crate) fn symbol(q: FixedProbability, symbols: u32) -> f64 {
    ln_ratio(q.numerator() * u128::from(symbols - 1), q.complement().numerator())
}

/// `size` of `values` values, the true one among them with probability `q`.
pub(crate) fn subset(q: FixedProbability, size: u32, values: u32) -> f64 {
    ln_ratio(q.numerator() * u128::from(values - size), q.complement().numerator() * u128::from(size))
}

/// A combination of values that is kept with chance `keep`, and else uniform over at most `cells`.
pub(crate) fn joint(keep: FixedProbability, cells: f64) -> f64 {
    let others = keep.complement().numerator();
    if others == 0 {
        return f64::INFINITY;
    }
    // The true one comes with keep + (1 - keep) / cells, each other with (1 - keep) / cells.
    let truth = add_up(mul_up(integer_up(keep.numerator()), cells), integer_up(others));
    ln_up(div_up(truth, integer_down(others)))
}

/// A one-hot block of bits that went through two stages, `p* = p1 q2 + (1 - p1) p2` and `q*`
/// alike, each enclosed between two doubles.
pub(crate) fn two_stages(
    permanent: (FixedProbability, FixedProbability),
    instantaneous: (FixedProbability, FixedProbability),
) -> f64 {
    let (p, q) = (composed(permanent.0, instantaneous), composed(permanent.1, instantaneous));
    add_up(ln_wide(q.0, p.0), ln_wide(p.1, q.1))
}

/// An integer of up to 129 bits between two doubles.
type Wide = (f64, f64);

/// Probability of a 1, and of a 0, over 2^128, after the second stage, when the first shows a 1
/// with this chance.
fn composed(one: FixedProbability, (p, q): (FixedProbability, FixedProbability)) -> (Wide, Wide) {
    let sum = |on_one: FixedProbability, on_zero: FixedProbability| {
        let (a, b) = (one.numerator(), on_one.numerator());
        let (c, d) = (one.complement().numerator(), on_zero.numerator());
        let below = add_down(mul_down(integer_down(a), integer_down(b)), mul_down(integer_down(c), integer_down(d)));
        (below, add_up(mul_up(integer_up(a), integer_up(b)), mul_up(integer_up(c), integer_up(d))))
    };
    (sum(q, p), sum(q.complement(), p.complement()))
}

fn ln_wide(a: Wide, b: Wide) -> f64 {
    if b.0 == 0.0 { f64::INFINITY } else { ln_up(div_up(a.1, b.0)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privacy_core::param::Probability;
    use proptest::prelude::*;

    fn chance(p: f64) -> FixedProbability {
        FixedProbability::nearest(Probability::new(p).unwrap())
    }

    #[test]
    fn the_papers_example_is_ln_8_a_bit_and_more_as_a_block() {
        let (p, q) = (chance(0.1), chance(0.8));
        assert!((binary(p, q) - 8_f64.ln()).abs() < 1e-14);
        assert!((unary(p, q) - 36_f64.ln()).abs() < 1e-14);
    }

    #[test]
    fn what_excludes_a_truth_is_infinite() {
        assert_eq!(binary(FixedProbability::NEVER, chance(0.5)), f64::INFINITY);
        assert_eq!(binary(chance(0.5), FixedProbability::ALWAYS), f64::INFINITY);
        assert_eq!(unary(FixedProbability::NEVER, chance(0.5)), f64::INFINITY);
        assert_eq!(symbol(FixedProbability::ALWAYS, 3), f64::INFINITY);
        let certain = (FixedProbability::NEVER, FixedProbability::ALWAYS);
        assert_eq!(two_stages(certain, certain), f64::INFINITY);
    }

    #[test]
    fn a_second_stage_without_noise_changes_nothing() {
        let (p, q) = (chance(0.2), chance(0.7));
        let certain = (FixedProbability::NEVER, FixedProbability::ALWAYS);
        for both in [two_stages((p, q), certain), two_stages(certain, (p, q))] {
            assert!((both - unary(p, q)).abs() < 1e-14);
        }
    }

    /// The largest log-ratio of any report under any two truths; `laws[truth][report]`.
    fn worst(laws: &[Vec<f64>]) -> f64 {
        let pairs = laws.iter().flat_map(|a| laws.iter().map(move |b| (a, b)));
        pairs.flat_map(|(a, b)| a.iter().zip(b).map(|(a, b)| (a / b).ln())).fold(0.0, f64::max)
    }

    /// All reports of a one-hot block of three bits.
    fn block(p: f64, q: f64) -> Vec<Vec<f64>> {
        let of = |truth: usize, report: u32| -> f64 {
            let bit = |i: usize| {
                let one = if i == truth { q } else { p };
                if report >> i & 1 == 1 { one } else { 1.0 - one }
            };
            (0..3).map(bit).product()
        };
        (0..3).map(|truth| (0..8).map(|report| of(truth, report)).collect()).collect()
    }

    #[test]
    fn every_protocol_is_as_bad_as_its_worst_report_and_no_worse() {
        for (p, q) in [(0.1, 0.8), (0.4, 0.45), (0.001, 0.5), (0.3, 0.999)] {
            let (a, b) = (chance(p), chance(q));
            let symbols = |truth: usize| (0..4).map(|s| if s == truth { q } else { (1.0 - q) / 3.0 }).collect();
            let kept = |truth: usize| {
                (0..12).map(|cell| (1.0 - q) / 12.0 + if cell == truth { q } else { 0.0 }).collect::<Vec<_>>()
            };
            // Of five values the sets of two: 4 with the truth, 6 without.
            let pairs = |truth: usize| -> Vec<f64> {
                let sets = (0_usize..32).filter(|set| set.count_ones() == 2);
                sets.map(|set| if set >> truth & 1 == 1 { q / 4.0 } else { (1.0 - q) / 6.0 }).collect()
            };
            let through = |one: f64| one * 0.9 + (1.0 - one) * 0.2;
            let cases = [
                (binary(a, b), worst(&[vec![1.0 - p, p], vec![1.0 - q, q]])),
                (unary(a, b), worst(&block(p, q))),
                (symbol(b, 4), worst(&(0..4).map(symbols).collect::<Vec<_>>())),
                (subset(b, 2, 5), worst(&(0..5).map(pairs).collect::<Vec<_>>())),
                (joint(b, 12.0), worst(&(0..12).map(kept).collect::<Vec<_>>())),
                (two_stages((a, b), (chance(0.2), chance(0.9))), worst(&block(through(p), through(q)))),
            ];
            for (claimed, found) in cases {
                assert!(claimed > found - 1e-12 && claimed < found + 1e-12, "{claimed} {found} at {p} {q}");
            }
        }
    }

    #[test]
    fn epsilon_is_never_below_that_of_exact_fractions() {
        // ln 3 for q = 3/4, p = 1/4: the nearest double is 1.0986122886681098, the real value
        // just above it.
        let (p, q) = (chance(0.25), chance(0.75));
        assert!(binary(p, q) >= 1.098_612_288_668_109_8);
        assert!(symbol(chance(0.75), 2) >= 1.098_612_288_668_109_8);
        assert!(binary(p, q) < 1.098_612_288_668_112);
    }

    /// `ln(a / b)` with every step rounded up.
    fn ln_above(a: u128, b: u128) -> f64 {
        ln_up(div_up(integer_up(a), integer_down(b)))
    }

    /// `(a b + c d, a b + c d)`, below and above.
    fn enclosed([a, b, c, d]: [u128; 4]) -> (f64, f64) {
        let below = add_down(mul_down(integer_down(a), integer_down(b)), mul_down(integer_down(c), integer_down(d)));
        (below, add_up(mul_up(integer_up(a), integer_up(b)), mul_up(integer_up(c), integer_up(d))))
    }

    proptest! {
        /// Probabilities of 64 bits, of which no double has all: a step that is rounded down shows
        /// in the last bit.
        #[test]
        fn every_step_is_rounded_up(chances: [u64; 4], symbols in 3_u32..1000) {
            let chances = chances.map(|threshold| FixedProbability::from_threshold(threshold | 1));
            let ([p, q, r, s], [a, b, c, d]) =
                (chances.map(FixedProbability::numerator), chances.map(|one| one.complement().numerator()));
            let (heads, tails) = (ln_above(q, p), ln_above(a, b));
            prop_assert_eq!(binary(chances[0], chances[1]), heads.max(tails));
            prop_assert_eq!(unary(chances[0], chances[1]), add_up(heads, tails));
            prop_assert_eq!(symbol(chances[1], symbols), ln_above(q * u128::from(symbols - 1), b));
            let sets = ln_above(q * u128::from(symbols - 2), b * 2);
            prop_assert_eq!(subset(chances[1], 2, symbols), sets);
            let cells = f64::from(symbols) + 0.1;
            let truth = add_up(mul_up(integer_up(q), cells), integer_up(b));
            prop_assert_eq!(joint(chances[1], cells), ln_up(div_up(truth, integer_down(b))));
            // A 1 and a 0 after both stages, when the first shows a 1 with p or with q.
            let ones = [[p, s, a, r], [q, s, b, r]].map(enclosed);
            let zeros = [[p, d, a, c], [q, d, b, c]].map(enclosed);
            let both = add_up(ln_up(div_up(ones[1].1, ones[0].0)), ln_up(div_up(zeros[0].1, zeros[1].0)));
            prop_assert_eq!(two_stages((chances[0], chances[1]), (chances[2], chances[3])), both);
        }
    }
}
