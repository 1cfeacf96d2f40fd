//! Drawn tables against the formulas, and a wrong formula that must be noticed.

use crate::support::spec;
use hetero_screen::{Column, Coverage, ScreenLimits, ScreenSpec};
use privacy_core::rng::SimRng;
use rand_core::Rng;
use testkit::ERROR_RATE;
use testkit::tails::binomial_p_value;

const TRIALS: u64 = 40_000;

/// How often the own count of the first row is released, for the query over all columns.
fn released(spec: &ScreenSpec) -> u64 {
    let mut released = 0;
    for trial in 0..TRIALS {
        let mut rng = SimRng::for_trial(5, "own count", trial);
        let mut draw = |weights: &[f64]| {
            let mut u = (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
            weights
                .iter()
                .position(|w| {
                    u -= w;
                    u < 0.0
                })
                .unwrap_or(weights.len() - 1)
        };
        let mut row = || -> Vec<usize> {
            let axes = spec.columns().iter().map(|c| (0..c.cardinality()).map(|v| c.frequency(v)).collect::<Vec<_>>());
            axes.chain([spec.classes().shares().to_vec()]).map(|weights| draw(&weights)).collect()
        };
        let first = row();
        let count = 1 + (1..spec.rows()).filter(|_| row() == first).count() as u64;
        released += u64::from(spec.suppression().releases(count, spec.rows()));
    }
    released
}

/// The probability of that, as the difference of the coverage with and without the longest query.
fn probability(spec: &ScreenSpec) -> f64 {
    let own = |spec: &ScreenSpec| Coverage::of(spec, &ScreenLimits::default()).unwrap().own_class.value;
    own(spec) - own(&spec.clone().with_max_order(spec.columns().len() - 1).unwrap())
}

#[test]
fn own_counts_are_released_as_often_as_thinning_says() {
    let columns = vec![Column::uniform(3).unwrap(), Column::with_frequencies(&[0.6, 0.4]).unwrap()];
    let spec = spec(40, columns, &[0.7, 0.3], 4, 2);
    let released = released(&spec);
    let p_value = |spec: &ScreenSpec| binomial_p_value(TRIALS, probability(spec), released);
    assert!(p_value(&spec) > ERROR_RATE, "{released}");
    assert!(p_value(&spec.clone().with_threshold(5).unwrap()) < ERROR_RATE, "another threshold must be noticed");
    // Averaging match probabilities before the tail (Jensen) must be noticed as well.
    let mean = |column: &Column| (0..column.cardinality()).map(|v| column.frequency(v).powi(2)).sum::<f64>();
    let p: f64 = spec.columns().iter().map(mean).product();
    let wrong: f64 = spec.classes().shares().iter().map(|s| s * testkit::tails::binomial_tails(39, p * s, 3).1).sum();
    assert!(binomial_p_value(TRIALS, wrong, released) < ERROR_RATE, "{wrong}");
}
