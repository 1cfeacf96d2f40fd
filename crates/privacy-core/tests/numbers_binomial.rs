//! Laws of the binomial distribution: exact small cases, identities, limits, a second opinion.

use privacy_core::binomial::{Binomial, BinomialError};
use privacy_core::param::Probability;
use proptest::prelude::*;
use statrs::distribution::{Binomial as TheirBinomial, Discrete, DiscreteCDF};
use testkit::relative_error;

fn probability(p: f64) -> Probability {
    Probability::new(p).unwrap()
}
fn binomial(n: u64, p: f64) -> Binomial {
    Binomial::new(n, probability(p)).unwrap()
}

/// Masses for `p = s / 16`, times 16^n, as integers: exact for `n <= 25`.
fn exact_masses(n: u32, s: u32) -> Vec<u128> {
    let mut ways = vec![1u128];
    for _ in 0..n {
        let more = (0..=ways.len()).map(|k| {
            let stay = ways.get(k).map_or(0, |w| w * u128::from(16 - s));
            stay + if k == 0 { 0 } else { ways[k - 1] * u128::from(s) }
        });
        ways = more.collect();
    }
    ways
}

#[test]
fn every_small_law_with_a_dyadic_probability_is_reproduced() {
    for n in 0..=25u32 {
        for s in 0..=16u32 {
            let (law, masses) = (binomial(n.into(), f64::from(s) / 16.0), exact_masses(n, s));
            let whole = 16f64.powi(n as i32);
            let share = |part: &[u128]| part.iter().sum::<u128>() as f64 / whole;
            for k in 0..=n as usize {
                let case = format!("n = {n}, p = {s}/16, k = {k}");
                let count = k as u64;
                assert!(relative_error(law.pmf(count), share(&masses[k..=k])) < 2e-14, "{case}");
                assert!(relative_error(law.at_most(count), share(&masses[..=k])) < 2e-14, "{case}");
                assert!(relative_error(law.at_least(count), share(&masses[k..])) < 2e-14, "{case}");
            }
        }
    }
}

#[test]
fn a_slightly_wrong_probability_is_distinguished_from_the_right_one() {
    let (right, twin) = (binomial(25, 0.25), binomial(25, 0.25 * (1.0 + 1e-12)));
    let exact = exact_masses(25, 4)[20] as f64 / 16f64.powi(25);
    assert!(relative_error(right.pmf(20), exact) < 2e-14 && relative_error(twin.pmf(20), exact) > 1e-12);
}

#[test]
fn certain_and_impossible_outcomes_are_exact() {
    for n in [0, 1, 2, 1000, Binomial::MAX_TRIALS] {
        let (never, always) = (binomial(n, 0.0), binomial(n, 1.0));
        assert_eq!((never.pmf(0), always.pmf(n)), (1.0, 1.0));
        assert_eq!((never.ln_at_most(0), always.ln_at_least(n)), (0.0, 0.0));
        assert_eq!((never.quantile(probability(1.0)), always.quantile(probability(0.5))), (0, n));
        if n > 0 {
            assert_eq!((never.pmf(n), always.pmf(0), never.at_least(1), always.at_most(n - 1)), (0.0, 0.0, 0.0, 0.0));
            assert_eq!((never.ln_pmf(1), always.ln_at_most(0)), (f64::NEG_INFINITY, f64::NEG_INFINITY));
        }
    }
    let law = binomial(7, 0.3);
    for beyond in [8, 1000, u64::MAX] {
        assert_eq!((law.pmf(beyond), law.at_least(beyond), law.at_most(beyond)), (0.0, 0.0, 1.0));
        assert_eq!(
            (law.ln_pmf(beyond), law.ln_at_least(beyond), law.ln_at_most(beyond)),
            (f64::NEG_INFINITY, f64::NEG_INFINITY, 0.0)
        );
    }
    assert_eq!(
        (law.at_least(0), law.at_most(7), law.quantile(probability(0.0)), law.quantile(probability(1.0))),
        (1.0, 1.0, 0, 7)
    );
    assert_eq!(
        Binomial::new(Binomial::MAX_TRIALS + 1, probability(0.5)),
        Err(BinomialError::TooManyTrials { trials: (1 << 53) + 1 })
    );
}

#[test]
fn extreme_arguments_stay_probabilities_and_return() {
    let sizes =
        [0, 1, 2, 3, 100, 399, 400, 401, 1 << 20, 1_000_000_000, Binomial::MAX_TRIALS - 1, Binomial::MAX_TRIALS];
    let rates = [
        0.0,
        f64::from_bits(1),
        1e-308,
        1e-20,
        1e-12,
        1e-9,
        0.1,
        0.5f64.next_down(),
        0.5,
        0.5f64.next_up(),
        1.0 - 1e-12,
        1.0 - f64::EPSILON / 2.0,
        1.0,
    ];
    for n in sizes {
        for p in rates {
            let law = binomial(n, p);
            let mean = n as f64 * p;
            let near = [-40.0, -3.0, -1.0, 0.0, 1.0, 3.0, 40.0].map(|z| (mean + z * (mean * (1.0 - p)).sqrt()) as u64);
            for k in near.into_iter().chain([0, 1, 2, n / 2, n.saturating_sub(1), n, n + 1]) {
                for (value, ln) in [
                    (law.pmf(k), law.ln_pmf(k)),
                    (law.at_least(k), law.ln_at_least(k)),
                    (law.at_most(k), law.ln_at_most(k)),
                ] {
                    assert!(
                        (0.0..=1.0).contains(&value) && ln <= 0.0,
                        "n = {n}, p = {p:e}, k = {k}: {value:e}, {ln:e}"
                    );
                    assert!(
                        value < 1e-300 || (value.ln() - ln).abs() <= 1e-12,
                        "n = {n}, p = {p:e}, k = {k}: {value:e}, {ln:e}"
                    );
                }
            }
            for q in [0.0, 1e-300, 1e-9, 0.5, 1.0 - 1e-9, 1.0] {
                let (k, upper) = (law.quantile(probability(q)), law.upper_quantile(probability(q)));
                assert!(law.at_most(k) >= q && (k == 0 || law.at_most(k - 1) < q), "n = {n}, p = {p:e}, q = {q}");
                assert!(
                    law.at_least(upper + 1) <= q && (upper == 0 || law.at_least(upper) > q),
                    "n = {n}, p = {p:e}, q = {q}"
                );
            }
        }
    }
}

#[test]
fn quantiles_of_small_laws_are_the_first_that_reach() {
    for n in 0..=12u64 {
        for s in 0..=16 {
            let law = binomial(n, f64::from(s) / 16.0);
            for q in (0..=64).map(|i| f64::from(i) / 64.0) {
                let first = (0..=n).find(|&k| law.at_most(k) >= q).unwrap();
                assert_eq!(law.quantile(probability(q)), first, "n = {n}, p = {s}/16, q = {q}");
                let first = (0..=n).find(|&k| law.at_least(k + 1) <= q).unwrap();
                assert_eq!(law.upper_quantile(probability(q)), first, "n = {n}, p = {s}/16, q = {q}");
            }
        }
    }
}

#[test]
fn failures_far_rarer_than_epsilon_are_kept() {
    let law = Binomial::with_failure(1_000_000, probability(1e-30)).unwrap();
    assert!(relative_error(law.at_most(999_999), 1e-24) < 1e-14);
    assert!(relative_error(law.ln_pmf(1_000_000), -1e-24) < 1e-14);
    let (a, b) = (Binomial::with_failure(10, probability(0.7)).unwrap(), binomial(10, 1.0 - 0.7));
    assert!((0..=10).all(|k| relative_error(a.pmf(k), b.pmf(k)) < 1e-14));
}

/// Laws of any size, with counts within some spreads of the mean.
fn law_and_count() -> impl Strategy<Value = (u64, f64, u64)> {
    (0.0..20.7f64, -27.0..-0.7f64, any::<bool>(), -8.0..8f64).prop_map(|(ln_n, ln_p, mirrored, z)| {
        let (n, rare) = (ln_n.exp() as u64, ln_p.exp());
        let p = if mirrored { 1.0 - rare } else { rare };
        let spread = (n as f64 * p * (1.0 - p)).sqrt();
        (n, p, ((n as f64 * p + z * spread) as u64).min(n))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn both_tails_add_to_one((n, p, k) in law_and_count()) {
        let law = binomial(n, p);
        let below = if k == 0 { 0.0 } else { law.at_most(k - 1) };
        prop_assert!((law.at_least(k) + below - 1.0).abs() <= 1e-15);
    }

    #[test]
    fn neighbouring_tails_differ_by_the_mass((n, p, k) in law_and_count()) {
        let law = binomial(n, p);
        let (pmf, step) = (law.pmf(k), law.at_most(k) - if k == 0 { 0.0 } else { law.at_most(k - 1) });
        prop_assert!((pmf - step).abs() <= 2e-12 * law.at_most(k), "{pmf:e} against {step:e}");
        let step = law.at_least(k) - law.at_least(k + 1);
        prop_assert!((pmf - step).abs() <= 2e-12 * law.at_least(k), "{pmf:e} against {step:e}");
    }

    #[test]
    fn tails_are_monotone((n, p, k) in law_and_count()) {
        let law = binomial(n, p);
        prop_assert!(law.at_least(k + 1) <= law.at_least(k) && law.at_most(k) <= law.at_most(k + 1));
        prop_assert!(law.ln_at_least(k + 1) <= law.ln_at_least(k) && law.ln_at_most(k) <= law.ln_at_most(k + 1));
    }

    #[test]
    fn swapping_success_and_failure_mirrors_the_law((n, p, k) in law_and_count()) {
        let (law, mirror) = (binomial(n, p), Binomial::with_failure(n, probability(p)).unwrap());
        prop_assert_eq!(law.pmf(k), mirror.pmf(n - k));
        prop_assert_eq!(law.at_least(k), mirror.at_most(n - k));
        prop_assert_eq!(law.ln_at_most(k), mirror.ln_at_least(n - k));
    }

    #[test]
    fn a_quantile_is_where_the_tail_passes((n, p, _) in law_and_count(), q in 0.0..=1f64, ln_q in -600.0..0f64) {
        let law = binomial(n, p);
        for q in [q, ln_q.exp()] {
            let (k, upper) = (law.quantile(probability(q)), law.upper_quantile(probability(q)));
            prop_assert!(law.at_most(k) >= q && (k == 0 || law.at_most(k - 1) < q));
            prop_assert!(law.at_least(upper + 1) <= q && (upper == 0 || law.at_least(upper) > q));
        }
    }

    #[test]
    fn the_second_opinion_agrees_where_it_holds(n in 1u64..1000, p in 0.01..0.99f64, z in -4.0..4f64) {
        let (law, theirs) = (binomial(n, p), TheirBinomial::new(p, n).unwrap());
        let k = ((n as f64 * p + z * (n as f64 * p * (1.0 - p)).sqrt()) as u64).min(n);
        prop_assert!(relative_error(law.pmf(k), theirs.pmf(k)) < 1e-10);
        prop_assert!(relative_error(law.at_most(k), theirs.cdf(k)) < 1e-10);
        prop_assert!(relative_error(law.at_least(k + 1), theirs.sf(k)) < 1e-10 || law.at_least(k + 1) < 1e-10);
    }
}
