//! All rows and all reports of three bits, in exact fractions: the theorems and lemmas of the
//! source, and this crate.

use crate::support::fraction::{Fraction, fraction};
use crate::support::paper::{
    Columns, alike, count_covariance, covariance, estimate, has, mean, members, probability, product, subsets,
    three_columns,
};
use ldp_pmdh::Channel;
use ldp_pmdh::estimate::{CountLaw, Covariance, Population, truth_from_counts};

/// Sum over all reports of one row.
fn over_reports(columns: &Columns, x: usize, value: impl Fn(usize) -> Fraction) -> Fraction {
    (0..8).map(|y| probability(columns, x, y) * value(y)).sum()
}

fn pairs() -> impl Iterator<Item = (usize, usize)> {
    (0..8).flat_map(|j| (0..8).map(move |k| (j, k)))
}

#[test]
fn theorems_3_1_to_3_3_are_the_moments_of_the_counts() {
    // Rows are independent, so counts and their covariances add up: one row at a time says it
    // all.
    for columns in [three_columns(), alike(3)] {
        for (x, (j, k)) in (0..8).flat_map(|x| pairs().map(move |pair| (x, pair))) {
            let truth = |set: usize| has(x, set);
            let [one, other, both] = [j, k, j | k].map(|set| over_reports(&columns, x, |y| has(y, set)));
            assert_eq!(mean(&columns, j, &truth), one);
            assert_eq!(count_covariance(&columns, j, k, &truth), both - one * other, "{x} {j} {k}");
        }
    }
}

#[test]
fn theorem_3_5_is_unbiased_and_theorem_3_6_is_unbiased_for_its_covariance() {
    for columns in [three_columns(), alike(3)] {
        for (x, (j, k)) in (0..8).flat_map(|x| pairs().map(move |pair| (x, pair))) {
            let reading = |y: usize, set: usize| estimate(&columns, set, &|s| has(y, s));
            let [one, other] = [j, k].map(|set| over_reports(&columns, x, |y| reading(y, set)));
            assert_eq!((one, other), (has(x, j), has(x, k)));
            let true_covariance = over_reports(&columns, x, |y| reading(y, j) * reading(y, k)) - one * other;
            let estimated = over_reports(&columns, x, |y| covariance(&columns, j, k, &|s| has(y, s)));
            assert_eq!(estimated, true_covariance, "{x} {j} {k}");
        }
    }
}

#[test]
fn the_truth_form_of_theorem_3_6_is_the_same_number_for_any_counts() {
    let columns = three_columns();
    let c = |set: usize| Fraction::from([97, 41, 38, 12, 50, 33, 7, 5][set]);
    let t = |set: usize| estimate(&columns, set, &c);
    for (j, k) in pairs() {
        let (union, both) = (j | k, j & k);
        let term = |a: usize| {
            let d = |i: usize| columns[i].1 - columns[i].0;
            let alpha = product(a, |i| (Fraction::ONE - columns[i].0 - columns[i].0) / d(i));
            let beta = product(both & !a, |i| columns[i].0 * (Fraction::ONE - columns[i].0) / (d(i) * d(i)));
            t((union & !both) | a) * alpha * beta
        };
        let truth_form = subsets(both).map(term).sum::<Fraction>() - t(union);
        assert_eq!(covariance(&columns, j, k, &c), truth_form, "{j} {k}");
    }
}

#[test]
fn the_super_population_covariance_is_unbiased_for_two_people() {
    // Two people drawn from a law over all rows, all their reports: 64 x 64 cases.
    let columns = alike(3);
    let law = |x: usize| fraction([3, 1, 2, 0, 1, 4, 0, 1][x], 12);
    let report = |y: usize| (0..8).map(|x| law(x) * probability(&columns, x, y)).sum::<Fraction>();
    let reading = |y: usize, set: usize| estimate(&columns, set, &|s| has(y, s));
    for (j, k) in pairs().filter(|(j, k)| j <= k) {
        let moment = |f: &dyn Fn(usize) -> Fraction| (0..8).map(|y| report(y) * f(y)).sum::<Fraction>();
        let of_one =
            moment(&|y| reading(y, j) * reading(y, k)) - moment(&|y| reading(y, j)) * moment(&|y| reading(y, k));
        let both = |one: usize, other: usize| {
            let sums = [j, k].map(|set| reading(one, set) + reading(other, set));
            let w = reading(one, j) * reading(one, k) + reading(other, j) * reading(other, k);
            Fraction::from(2) * (w - sums[0] * sums[1] / Fraction::from(2))
        };
        let expected: Fraction =
            (0..8).flat_map(|a| (0..8).map(move |b| (a, b))).map(|(a, b)| report(a) * report(b) * both(a, b)).sum();
        assert_eq!(expected, Fraction::from(2) * of_one, "{j} {k}");
    }
}

#[test]
fn the_crate_computes_the_exact_numbers() {
    for columns in [three_columns(), alike(3)] {
        let channels: Vec<Channel> =
            columns.iter().map(|(p, q)| Channel::new(p.to_f64(), q.to_f64()).unwrap()).collect();
        let rows = [5_i128, 0, 3, 7, 1, 0, 2, 4];
        let t = |set: usize| (0..8).map(|x| Fraction::from(rows[x]) * has(x, set)).sum::<Fraction>();
        let truth: Vec<f64> = (0..8).map(|set| t(set).to_f64()).collect();
        let law = CountLaw::new(&channels, &truth, 1e6).unwrap();
        let mut estimates = truth.clone();
        truth_from_counts(&channels, &mut estimates);
        let fixed = Covariance::new(&channels, &estimates, Population::Fixed, 1e6).unwrap();
        for (j, k) in pairs() {
            let close =
                |got: f64, want: Fraction| assert!((got - want.to_f64()).abs() < 1e-9, "{j} {k}: {got} {want:?}");
            close(law.mean(j), mean(&columns, j, &t));
            close(law.covariance(j, k), count_covariance(&columns, j, k, &t));
            close(estimates[j], estimate(&columns, j, &t));
            close(fixed.of(j, k), covariance(&columns, j, k, &t));
        }
    }
}

/// The entry of `K^(alpha beta)`: 1 for a set of `beta` columns within one of `alpha`.
fn incidence(alpha: u32, beta: u32, j: usize, s: usize) -> Fraction {
    let sizes = j.count_ones() == alpha && s.count_ones() == beta;
    if sizes && s & !j == 0 { Fraction::ONE } else { Fraction::ZERO }
}

fn binomial(n: u32, k: u32) -> Fraction {
    (0..k).map(|i| fraction(i128::from(n - i), i128::from(i + 1))).product()
}

#[test]
fn lemma_3_4_inverts_the_matrix_of_the_counts() {
    let (p, q) = (fraction(1, 10), fraction(4, 5));
    let entry = |j: usize, s: usize, inverse: bool| {
        let (alpha, beta) = (j.count_ones(), s.count_ones());
        let within = incidence(alpha, beta, j, s);
        match (beta > alpha, inverse) {
            (true, _) => Fraction::ZERO,
            (false, false) => within * p.power(alpha - beta) * (q - p).power(beta),
            (false, true) => within * (-p).power(alpha - beta) / (q - p).power(alpha),
        }
    };
    for (j, k) in pairs().filter(|(j, k)| *j > 0 && *k > 0) {
        let product: Fraction = (1..8).map(|s| entry(j, s, false) * entry(s, k, true)).sum();
        assert_eq!(product, if j == k { Fraction::ONE } else { Fraction::ZERO });
    }
}

#[test]
fn lemma_a_1_counts_the_rows_of_a_type_and_lemma_b_1_is_a_sum_of_binomials() {
    let columns = alike(3);
    let rows = [4_i128, 1, 0, 2, 3, 0, 5, 6];
    let t = |set: usize| (0..8).map(|x| Fraction::from(rows[x]) * has(x, set)).sum::<Fraction>();
    let sign = |n: u32| if n.is_multiple_of(2) { Fraction::ONE } else { -Fraction::ONE };
    for (j, &exactly) in rows.iter().enumerate() {
        let of_type: Fraction =
            (0..8_usize).filter(|s| s & j == j).map(|s| sign(s.count_ones() - j.count_ones()) * t(s)).sum();
        assert_eq!(of_type, Fraction::from(exactly));
    }
    for set in 0..8_usize {
        for b in 0..=set.count_ones() {
            let trials: Fraction = subsets(set)
                .filter(|s| s.count_ones() >= b)
                .map(|s| sign(s.count_ones() - b) * binomial(s.count_ones(), b) * t(s))
                .sum();
            let rows_with =
                (0..8).filter(|x: &usize| (x & set).count_ones() == b).map(|x| Fraction::from(rows[x])).sum();
            assert_eq!(trials, rows_with, "{set} {b}");
        }
        for x in 0..8_usize {
            let b = (x & set).count_ones();
            let (p, q) = columns[0];
            let success = over_reports(&columns, x, |y| has(y, set));
            assert_eq!(success, q.power(b) * p.power(set.count_ones() - b));
        }
    }
}

#[test]
fn lemma_c_1_multiplies_incidences_also_where_orders_are_equal() {
    // Five columns; erratum E10: alpha >= beta >= gamma >= 0 will do.
    for (alpha, beta, gamma) in (0..=5).flat_map(|a| (0..=a).flat_map(move |b| (0..=b).map(move |c| (a, b, c)))) {
        for (j, s) in (0..32).flat_map(|j| (0..32).map(move |s| (j, s))) {
            let product: Fraction = (0..32).map(|m| incidence(alpha, beta, j, m) * incidence(beta, gamma, m, s)).sum();
            assert_eq!(product, binomial(alpha - gamma, alpha - beta) * incidence(alpha, gamma, j, s));
        }
    }
    assert_eq!(members(5).collect::<Vec<_>>(), [0, 2]);
}

#[test]
fn the_low_order_forms_of_the_source_are_theorem_3_6() {
    // Equations 41 to 44, and 30 for the counts, with a channel for each column.
    let columns = three_columns();
    let c = |set: usize| Fraction::from([97, 41, 38, 12, 50, 33, 7, 5][set]);
    let (i, j, k) = (columns[0], columns[1], columns[2]);
    let (d, one) = (|(p, q): (Fraction, Fraction)| q - p, Fraction::ONE);
    let (n, ci, cj, ck, cij, cik, cjk, cijk) = (c(0), c(1), c(2), c(4), c(3), c(5), c(6), c(7));
    let slack = |(p, q): (Fraction, Fraction)| one - p - q;
    let single = (i.0 * i.1 * n + slack(i) * ci) / d(i).power(2);
    assert_eq!(covariance(&columns, 1, 1, &c), single);
    let nested = (slack(i) * (cij - j.0 * ci) + i.0 * i.1 * (cj - j.0 * n)) / (d(i).power(2) * d(j));
    assert_eq!(covariance(&columns, 3, 1, &c), nested);
    let (two, both) = (one + one, d(i) * d(j));
    let of_pair = ((one - two * i.0) * (one - two * j.0) - both) * cij
        + j.0 * (j.0 * (one - two * i.0) + both) * ci
        + i.0 * (i.0 * (one - two * j.0) + both) * cj
        + i.0 * j.0 * (i.0 * j.0 - both) * n;
    assert_eq!(covariance(&columns, 3, 3, &c), of_pair / both.power(2));
    let chain = slack(j) * (cijk - k.0 * cij - i.0 * cjk + i.0 * k.0 * cj)
        + j.0 * j.1 * (cik - k.0 * ci - i.0 * ck + i.0 * k.0 * n);
    assert_eq!(covariance(&columns, 3, 6, &c), chain / (d(i) * d(j).power(2) * d(k)));
}
