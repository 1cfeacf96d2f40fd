//! Formulas of the source that do not hold as printed: the printed one wrong, the corrected one
//! right, both exactly.
//!
//! E1 (order of composition) is a test of `Channel`, E4 (equation 27) one of `tests/golden.rs`,
//! E10 one of `tests/exhaustive.rs`. E7 and E11 exchange letters in the text.

use crate::support::fraction::{Fraction, fraction};
use crate::support::paper::{
    Columns, alike, count_covariance, covariance, estimate, has, mean, probability, product, subsets, three_columns,
};

fn p_and_q() -> (Fraction, Fraction) {
    (fraction(1, 10), fraction(4, 5))
}

fn whole(n: i128) -> Fraction {
    Fraction::from(n)
}

#[test]
fn e2_equation_22_needs_the_set_itself_and_equation_31_two_plus_signs() {
    let (columns, rows) = (alike(3), [0_usize, 3, 5, 7, 7, 2]);
    let t = |set: usize| rows.iter().map(|&x| has(x, set)).sum::<Fraction>();
    let exact: Fraction = rows.iter().map(|&x| (0..8).map(|y| probability(&columns, x, y) * has(y, 3)).sum()).sum();
    let (p, q) = p_and_q();
    let term = |s: usize| t(s) * (q - p).power(s.count_ones()) * p.power(2 - s.count_ones());
    assert_eq!(subsets(3).map(term).sum::<Fraction>(), exact);
    assert_ne!(subsets(3).filter(|&s| s != 3).map(term).sum::<Fraction>(), exact, "proper subsets only, as printed");

    // V(c_ij, c_jk) with i, j, k = columns 0, 1, 2.
    let (n, d, one) = (t(0), q - p, Fraction::ONE);
    let first =
        n * p.power(3) * (one - p) + (t(1) + t(4)) * p.power(2) * d * (one - p) + t(2) * p.power(2) * d * (one - q - p);
    let second = (t(3) + t(6)) * p * d.power(2) * (one - q - p) + t(5) * p * d.power(2) * (one - p);
    let third = t(7) * d.power(3) * (one - q - p);
    let exact = count_covariance(&columns, 3, 6, &t);
    assert_eq!(first + second + third, exact);
    assert_ne!(first * second * third, exact, "a line break that means a product");
}

#[test]
fn e3_local_hashing_supports_k_values_with_the_first_powers_of_the_buckets() {
    // All hash functions of three values into g buckets; the report is the true bucket with
    // probability q.
    for g in [2_usize, 3, 4] {
        let q = fraction(3, 5);
        for (k, with_truth) in [(1, true), (1, false), (2, true), (2, false), (3, true)] {
            let asked = if with_truth { 0..k } else { 1..k + 1 };
            let mut supported = Fraction::ZERO;
            for hash in 0..g.pow(3) {
                let bucket = |value: usize| hash / g.pow(value as u32) % g;
                for report in 0..g {
                    let truthful = report == bucket(0);
                    let chance = if truthful { q } else { (Fraction::ONE - q) / whole(g as i128 - 1) };
                    if asked.clone().all(|value| bucket(value) == report) {
                        supported = supported + chance / whole((g as i128).pow(3));
                    }
                }
            }
            let p1 = if with_truth { q } else { fraction(1, g as i128) };
            let buckets = whole(g as i128);
            assert_eq!(supported, p1 / buckets.power(k as u32 - 1), "{g} {k}");
            assert_ne!(supported, p1 / buckets.power(k as u32), "as printed");
        }
    }
}

#[test]
fn e5_the_covariance_of_the_estimate_is_that_of_the_counts_through_the_inverse_twice() {
    // No law of total variance: Cov(mu | T) = M^-1 Cov(c | T) M^-T, linear in T, so unbiased with
    // T estimated.
    let (columns, rows) = (three_columns(), [1_usize, 6, 7]);
    let t = |set: usize| rows.iter().map(|&x| has(x, set)).sum::<Fraction>();
    for (j, k) in (1..8).flat_map(|j| (1..8).map(move |k| (j, k))) {
        let through = estimate(&columns, j, &|a| estimate(&columns, k, &|b| count_covariance(&columns, a, b, &t)));
        let counts = |set: usize| mean(&columns, set, &t);
        assert_eq!(covariance(&columns, j, k, &counts), through, "{j} {k}");
    }
}

#[test]
fn e6_pairs_given_their_margins_are_not_hypergeometric_when_rows_differ() {
    let columns = alike(2);
    let law = |rows: &[usize]| {
        let (mut mass, mut sum) = (Fraction::ZERO, Fraction::ZERO);
        for reports in 0..4_usize.pow(3) {
            let report = |n: usize| reports >> (2 * n) & 3;
            let chance: Fraction = rows.iter().enumerate().map(|(n, &x)| probability(&columns, x, report(n))).product();
            let count = |set: usize| (0..3).filter(|&n| report(n) & set == set).count() as i128;
            if (count(1), count(2)) == (2, 2) {
                (mass, sum) = (mass + chance, sum + chance * whole(count(3)));
            }
        }
        sum / mass
    };
    assert_eq!(law(&[0, 3, 3]), fraction(1371, 722));
    assert_ne!(law(&[0, 3, 3]), fraction(4, 3), "x y / N, as printed");
    // For rows of one type it is.
    assert_eq!(law(&[1, 1, 1]), fraction(4, 3));
}

#[test]
fn e8_probabilities_of_two_sets_multiply_over_union_and_intersection() {
    let columns = three_columns();
    let p = |set: usize| product(set, |i| columns[i].0);
    for (j, k) in (0..8).flat_map(|j| (0..8).map(move |k| (j, k))) {
        assert_eq!(p(j) * p(k), p(j | k) * p(j & k));
    }
    assert_ne!(p(3) * p(6), p(7) * (Fraction::ONE - p(2)), "as printed");
}

fn binomial(n: u32, k: u32) -> Fraction {
    (0..k).map(|i| fraction(i128::from(n - i), i128::from(i + 1))).product()
}

#[test]
fn e9_the_binomial_of_equation_76_belongs_to_both_terms() {
    let (p, q) = p_and_q();
    let (size, k) = (3_u32, 2_u32);
    let first = |b: u32| q.power(b) * (-p).power(k - b) * p.power(size - k);
    let second = |b: u32| q.power(2 * b) * (-(p * p)).power(k - b) * p.power(2 * (size - k));
    let wanted = (q - p).power(k) * p.power(size - k) * (Fraction::ONE - (q + p).power(k) * p.power(size - k));
    let corrected: Fraction = (0..=k).map(|b| binomial(k, b) * (first(b) - second(b))).sum();
    let printed: Fraction = (0..=k).map(|b| binomial(k, b) * first(b) - second(b)).sum();
    assert_eq!(corrected, wanted);
    assert_ne!(printed, wanted);
}

/// Equation 130 with `sign_q` in the place of its `-q`.
fn equation_130(columns: &Columns, j: usize, k: usize, c: &dyn Fn(usize) -> Fraction, sign_q: Fraction) -> Fraction {
    let (p, q) = columns[0];
    let (union, both) = (j | k, j & k);
    let term = |s: usize| {
        let inside = if both & !s == 0 { Fraction::ONE } else { Fraction::ZERO };
        let powers = (q + p).power((s & both).count_ones()) * sign_q.power((both & !s).count_ones());
        c(s) * p.power(union.count_ones() - s.count_ones()) * (inside - powers)
    };
    subsets(union).filter(|s| union & !both & !s == 0).map(term).sum()
}

#[test]
fn e12_equation_130_is_right_with_minus_q_and_wrong_with_minus_p() {
    let columns = alike(3);
    let c = |set: usize| whole([97, 41, 38, 12, 50, 33, 7, 5][set]);
    let t = |set: usize| estimate(&columns, set, &c);
    let (p, q) = columns[0];
    let mut differ = 0;
    for (j, k) in (0..8).flat_map(|j| (0..8).map(move |k| (j, k))) {
        let wanted = count_covariance(&columns, j, k, &t);
        assert_eq!(equation_130(&columns, j, k, &c, -q), wanted, "{j} {k}");
        differ += u32::from(equation_130(&columns, j, k, &c, -p) != wanted);
    }
    assert!(differ > 20, "{differ}");
}

#[test]
fn e14_small_numbers_bring_no_bias_but_variances_below_zero() {
    // One person with both columns: the variance estimate averages to the variance, and one
    // report in many makes it negative.
    let columns = alike(2);
    let variance = |y: usize| covariance(&columns, 3, 3, &|s| has(y, s));
    let average: Fraction = (0..4).map(|y| probability(&columns, 3, y) * variance(y)).sum();
    let reading = |y: usize| estimate(&columns, 3, &|s| has(y, s));
    let exact = (0..4).map(|y| probability(&columns, 3, y) * reading(y) * reading(y)).sum::<Fraction>() - Fraction::ONE;
    assert_eq!(average, exact);
    assert!(variance(0).to_f64() < 0.0, "no set bit: {:?}", variance(0));
}
