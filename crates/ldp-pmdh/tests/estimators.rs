//! How many reports an estimate and a covariance take, when they stop, and the covariance of
//! features that are sampled.

use crate::support::{Reports, assert_close};
use ldp_pmdh::estimate::{EstimateError, Estimator, Population};
use ldp_pmdh::{BitNoise, Counts, Feature, Protocol, Schema};
use privacy_core::Attribute;
use privacy_core::param::Probability;
use privacy_core::stop::StopFlag;

const POPULATIONS: [Population; 2] = [Population::Fixed, Population::Super];

/// Three bits, of which a person reports this number.
fn schema(per_person: usize) -> Schema {
    let [p, q] = [0.125, 0.75].map(|value| Probability::new(value).unwrap());
    let noise = Protocol::RandomisedResponse(BitNoise::new(p, q).unwrap());
    let feature = |i| Feature::new(Attribute::codes(format!("f{i}"), 2).unwrap(), noise).unwrap();
    Schema::new((0..3).map(feature).collect()).unwrap().with_features_per_person(per_person).unwrap()
}

/// Reports of two of the three features: which one is left out, the bits, and how many.
fn reports(all: &[(usize, [u8; 3], usize)]) -> Reports {
    let each = || all.iter().flat_map(|&(left_out, bits, count)| std::iter::repeat_n((left_out, bits), count));
    let bits = each().map(|(left_out, bits)| (0..3).map(|i| bits[i] == 1 && i != left_out).collect());
    let covers = each().map(|(left_out, _)| (0..3).map(|i| i != left_out).collect());
    Reports { bits: bits.collect(), covers: covers.collect() }
}

#[test]
fn an_estimate_takes_two_reports_that_cover_the_set() {
    let schema = schema(2);
    for (covering, expected) in [(2, None), (1, Some(EstimateError::TooFewReports { needed: 2 }))] {
        let counts = reports(&[(2, [1, 1, 0], covering), (0, [0, 1, 1], 7)]);
        assert_eq!(Estimator::new(&schema, &counts).estimate(&[0]).err(), expected);
    }
}

#[test]
fn nothing_is_estimated_once_the_flag_is_set() {
    let (schema, counts) = (schema(2), reports(&[(2, [1, 1, 0], 9)]));
    let stop = StopFlag::new();
    let estimator = Estimator::new(&schema, &counts).with_stop(stop.clone());
    assert!(estimator.estimate(&[0]).is_ok() && estimator.covariance(&[0], &[1]).is_ok());
    stop.set();
    assert_eq!(estimator.estimate(&[0]).err(), Some(EstimateError::Stopped));
    assert_eq!(estimator.covariance(&[0], &[1]), Err(EstimateError::Stopped));
}

/// Of two features that nobody reports together nothing is known about the people who reported;
/// estimates from different people of a population are independent.
#[test]
fn features_that_nobody_reports_together_are_independent_only_for_the_super_population() {
    let schema = schema(2);
    let covariance = |counts: &Reports, population| {
        Estimator::new(&schema, counts).for_population(population).covariance(&[0], &[1])
    };
    for one in [1, 5] {
        let apart = reports(&[(1, [1, 0, 0], one), (0, [0, 1, 1], one)]);
        let found = POPULATIONS.map(|population| covariance(&apart, population));
        assert_eq!(found, [Err(EstimateError::NeverTogether), Ok(0.0)]);
    }
    for counts in [reports(&[(1, [1, 0, 0], 5)]), reports(&[(0, [0, 1, 1], 5)])] {
        let found = POPULATIONS.map(|population| covariance(&counts, population));
        assert_eq!(
            found,
            [Err(EstimateError::TooFewReports { needed: 1 }), Err(EstimateError::TooFewReports { needed: 1 })]
        );
    }
    let once = reports(&[(1, [1, 0, 0], 5), (0, [0, 1, 1], 5), (2, [1, 1, 0], 1)]);
    let found = POPULATIONS.map(|population| covariance(&once, population));
    assert_eq!(
        found,
        [Err(EstimateError::TooFewReports { needed: 2 }), Err(EstimateError::TooFewReports { needed: 2 })]
    );
}

/// (1.8) for two different features: their randomisations are independent, and what is left is that
/// people are drawn.
#[test]
fn the_covariance_of_sampled_features_is_that_of_drawing_people() {
    let schema = schema(2);
    let counts =
        reports(&[(2, [1, 1, 0], 30), (2, [0, 1, 0], 12), (2, [0, 0, 0], 9), (1, [1, 0, 1], 20), (0, [0, 1, 0], 25)]);
    let reading = |bit: bool| (f64::from(u8::from(bit)) - 0.125) / 0.625;
    let together: Vec<[f64; 2]> = counts
        .bits
        .iter()
        .zip(&counts.covers)
        .filter(|(_, covers)| covers[0] && covers[1])
        .map(|(bits, _)| [reading(bits[0]), reading(bits[1])])
        .collect();
    let (n, first, second, all) = (51.0, 71.0, 76.0, 96.0);
    assert_eq!((together.len(), counts.reports()), (51, 96));
    let mean = |of: fn(&[f64; 2]) -> f64| together.iter().map(of).sum::<f64>() / n;
    let of_people = n / (n - 1.0) * (mean(|z| z[0] * z[1]) - mean(|z| z[0]) * mean(|z| z[1]));
    for (population, known) in POPULATIONS.into_iter().zip([1.0 / all, 0.0]) {
        let found = Estimator::new(&schema, &counts).for_population(population).covariance(&[0], &[1]).unwrap();
        let want = all * all * (n / (first * second) - known) * of_people;
        assert_close(found, want, &format!("{population:?}"));
    }
}

/// Counts of single columns.
struct Singles;

impl Counts for Singles {
    fn reports(&self) -> u64 {
        60
    }

    fn count(&self, columns: &[usize], _: &[usize]) -> Option<u64> {
        match columns.len() {
            0 => Some(60),
            1 => Some(20),
            _ => None,
        }
    }
}

/// Given the people, different features are randomised independently, and no count of both is
/// needed.
#[test]
fn the_fixed_covariance_of_different_features_takes_counts_of_single_columns() {
    let schema = schema(3);
    let covariance = |population| Estimator::new(&schema, &Singles).for_population(population).covariance(&[0], &[1]);
    assert_eq!(covariance(Population::Fixed), Ok(0.0));
    assert_eq!(covariance(Population::Super), Err(EstimateError::OrderNotKept { order: 2 }));
}
