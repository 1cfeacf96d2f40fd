use super::*;
use crate::splitmix::SplitMix;
use crate::tails::binomial_tails;

/// Discrete Laplace: mass proportional to `exp(-|k| / scale)`.
fn laplace(scale: f64) -> impl Fn(i64) -> f64 {
    let q = (-1.0 / scale).exp();
    move |k| (1.0 - q) / (1.0 + q) * q.powf(k.unsigned_abs() as f64)
}

/// The difference of two geometric draws, by inversion in floating point: good enough a sampler
/// for `n` below 1e7.
fn laplace_samples(n: usize, scale: f64, seed: u64) -> Vec<i64> {
    let mut random = SplitMix::new(seed);
    let mut geometric = move || (-scale * random.unit().ln()).floor() as i64;
    (0..n).map(|_| geometric() - geometric()).collect()
}

fn die(sides: i64) -> impl Fn(i64) -> f64 {
    move |k| if (1..=sides).contains(&k) { 1.0 / sides as f64 } else { 0.0 }
}

fn die_samples(n: usize, sides: u64, seed: u64) -> Vec<i64> {
    let mut random = SplitMix::new(seed);
    (0..n).map(|_| 1 + (random.next() % sides) as i64).collect()
}

#[test]
fn a_right_law_is_accepted_and_slightly_wrong_ones_are_refused() {
    for (scale, seed) in [(0.4, 1), (3.0, 2), (250.0, 3)] {
        let samples = laplace_samples(300_000, scale, seed);
        assert_law(&samples, laplace(scale));
        refute_law(&samples, laplace(1.05 * scale));
        refute_law(&samples, laplace(scale / 1.05));
    }
    assert_law(&die_samples(100_000, 6, 4), die(6));
    refute_law(&die_samples(100_000, 6, 4), die(7));
}

#[test]
fn a_law_shifted_by_one_is_refused_at_once() {
    let samples = laplace_samples(1000, 1.0, 5);
    refute_law(&samples, |k| laplace(1.0)(k - 1));
}

#[test]
fn a_value_without_mass_is_impossible() {
    let mut samples = die_samples(1000, 6, 6);
    samples.push(i64::MIN);
    let rejected = check_law(&samples, die(6), ERROR_RATE);
    assert_eq!(rejected, Err(LawRejected::Impossible { value: i64::MIN }));
}

#[test]
fn a_truncated_tail_is_seen_in_its_cell() {
    let samples: Vec<i64> = laplace_samples(100_000, 2.0, 7).into_iter().filter(|k| k.abs() <= 12).collect();
    let rejected = check_law(&samples, laplace(2.0), ERROR_RATE);
    assert!(matches!(rejected, Err(LawRejected::Cell { observed: 0, .. })), "{rejected:?}");
}

#[test]
fn a_thin_drift_is_seen_by_the_distance_alone() {
    // A uniform law on 5000 values, those above the middle a little more likely: no cell stands
    // out.
    let drifted = |above: i64| (0..100_000).map(|i| i % 2500 + if i < above { 2501 } else { 1 }).collect();
    let (sorted, law) = sorted_and_law(drifted(51_000), die(5000));
    assert_eq!(distance(&sorted, &law, ERROR_RATE), Ok(()));
    let (sorted, law) = sorted_and_law(drifted(53_000), die(5000));
    assert_eq!(cells(&sorted, &law, ERROR_RATE), Ok(()));
    assert!(matches!(distance(&sorted, &law, ERROR_RATE), Err(LawRejected::Distance { .. })));
}

#[test]
fn a_biased_sign_is_seen_by_the_signs_alone() {
    let mut random = SplitMix::new(8);
    let flipped = |k: i64| if k < 0 && random.next().is_multiple_of(50) { -k } else { k };
    let biased: Vec<i64> = laplace_samples(120_000, 400.0, 9).into_iter().map(flipped).collect();
    let (sorted, law) = sorted_and_law(biased, laplace(400.0));
    assert_eq!(cells(&sorted, &law, ERROR_RATE), Ok(()));
    assert!(matches!(signs(&sorted, &law, 0.01), Err(LawRejected::Signs { .. })));
}

fn sorted_and_law(mut samples: Vec<i64>, pmf: impl Fn(i64) -> f64) -> (Vec<i64>, Law) {
    samples.sort_unstable();
    let law = Law::around(samples[samples.len() / 2], &pmf);
    (samples, law)
}

#[test]
fn a_right_sampler_is_rejected_no_more_often_than_said() {
    let (trials, rate) = (1000, 0.25);
    let rejected = (0..trials).filter(|&seed| {
        let samples = laplace_samples(400, 1.5, 1000 + seed);
        check_law(&samples, laplace(1.5), rate).is_err()
    });
    let rejected = rejected.count() as u64;
    let (_, at_least) = binomial_tails(trials, rate, rejected);
    assert!(at_least > ERROR_RATE, "{rejected} of {trials}");
    assert!(rejected > 20, "{rejected} of {trials}: the tests look at nothing");
}

#[test]
fn runs_partition_the_integers_and_hold_the_whole_mass() {
    for (n, scale) in [(10.0, 1.0), (1e3, 2.0), (1e5, 40.0)] {
        let law = Law::around(0, &laplace(scale));
        let runs = law.runs(n);
        assert!(runs.iter().zip(&runs[1..]).all(|(a, b)| a.0 < b.0));
        assert_eq!(runs.last().map(|r| r.0), Some(i64::MAX));
        assert!((runs.iter().map(|r| r.1).sum::<f64>() - 1.0).abs() < 1e-9);
        assert!(runs.len() == 1 || runs.iter().all(|r| n * r.1 >= EXPECTED_IN_A_CELL));
    }
}

#[test]
fn equal_runs_start_after_one_another() {
    let law = Law::around(3, &die(6));
    let runs = law.runs(600.0);
    assert_eq!(runs.iter().map(|r| r.0).collect::<Vec<_>>(), [1, 2, 3, 4, 5, i64::MAX]);
}

#[test]
#[should_panic(expected = "add up to")]
fn masses_that_are_no_law_are_refused() {
    let _ = check_law(&[0, 1], |k| 1.001 * laplace(1.0)(k), ERROR_RATE);
}

#[test]
#[should_panic(expected = "negative or NaN")]
fn a_mass_that_is_nan_is_refused() {
    let _ = check_law(&[0, 1], |_| f64::NAN, ERROR_RATE);
}

#[test]
#[should_panic(expected = "take more of them")]
fn a_control_that_cannot_be_distinguished_is_an_error() {
    refute_law(&laplace_samples(100, 3.0, 10), laplace(3.1));
}

#[test]
#[should_panic(expected = "do not follow the law")]
fn a_wrong_sampler_fails_the_assertion() {
    assert_law(&laplace_samples(100_000, 3.0, 11), laplace(3.3));
}
