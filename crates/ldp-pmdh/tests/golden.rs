//! Values computed independently in exact fractions, at 1e-11 of the largest entry.

use crate::support::{Reports, assert_all_close, channels, number, numbers, triangle};
use ldp_pmdh::estimate::{
    CountLaw, Covariance, EstimateError, Estimator, Population, cells_from_reports, constrain_sum, truth_from_counts,
};
use ldp_pmdh::{BitNoise, Channel, Feature, FixedProbability, Protocol, Schema};
use privacy_core::Attribute;
use privacy_core::subsets::zeta_over_supersets;
use serde_json::Value;
use testkit::fixtures::json;

const TOLERANCE: f64 = 1e-11;

/// Every entry of the upper triangle.
fn entries(sets: usize, value: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    (0..sets).flat_map(|i| (i..sets).map(move |j| (i, j))).map(|(i, j)| value(i, j)).collect()
}

fn check(channels: &[Channel], case: &Value, name: &str) {
    let sets = 1 << channels.len();
    let (truth, observed) = (numbers(&case["t"]), &case["observed"]);
    let mut rows = numbers(&case["truth_rows"]);
    zeta_over_supersets(&mut rows);
    assert_all_close(&rows, &truth, 0.0, &format!("{name}: t"));

    let law = CountLaw::new(channels, &truth, 1e9).unwrap();
    assert_all_close(&(0..sets).map(|s| law.mean(s)).collect::<Vec<_>>(), &numbers(&case["E_c"]), TOLERANCE, "E c");
    let want = triangle(&case["Cov_c"]);
    assert_all_close(&entries(sets, |i, j| law.covariance(i, j)), &entries(sets, want), TOLERANCE, "Cov c");
    let given = Covariance::new(channels, &truth, Population::Fixed, 1e9).unwrap();
    let want = triangle(&case["Cov_that_given_truth"]);
    assert_all_close(&entries(sets, |i, j| given.of(i, j)), &entries(sets, want), TOLERANCE, "Cov given the truth");

    let histogram = numbers(&observed["h"]);
    let mut counts = histogram.clone();
    zeta_over_supersets(&mut counts);
    assert_all_close(&counts, &numbers(&observed["c"]), 0.0, &format!("{name}: c"));
    truth_from_counts(channels, &mut counts);
    assert_all_close(&counts, &numbers(&observed["mu"]), TOLERANCE, &format!("{name}: mu"));
    let mut cells = histogram.clone();
    cells_from_reports(channels, &mut cells);
    assert_all_close(&cells, &numbers(&observed["rows_est"]), TOLERANCE, &format!("{name}: cells"));
    check_observed(channels, &counts, observed, name);
    check_sets(channels, &histogram, observed, name);
}

/// Both covariances of the estimates.
fn check_observed(channels: &[Channel], estimates: &[f64], observed: &Value, name: &str) {
    let sets = estimates.len();
    let fixed = Covariance::new(channels, estimates, Population::Fixed, 1e9).unwrap();
    let want = triangle(&observed["Sigma_thm36"]);
    assert_all_close(&entries(sets, |i, j| fixed.of(i, j)), &entries(sets, want), TOLERANCE, &format!("{name}: fixed"));
    let sup = Covariance::new(channels, estimates, Population::Super, 1e9);
    if estimates[0] < 2.0 {
        assert!(matches!(sup, Err(EstimateError::TooFewReports { needed: 2 })) && observed["Sigma_superpop"].is_null());
        return;
    }
    let sup = sup.unwrap();
    let want = triangle(&observed["Sigma_superpop"]);
    let (got, want) = (entries(sets, |i, j| sup.of(i, j)), entries(sets, want));
    if want.iter().all(|&w| w == 0.0) {
        // All reports are alike: nothing is left of differences of numbers of the size of N.
        assert!(got.iter().all(|g| g.abs() < TOLERANCE * estimates[0]), "{name}: super");
    } else {
        assert_all_close(&got, &want, TOLERANCE, &format!("{name}: super"));
    }
    let dense = sup.to_dense(1e9).unwrap();
    assert_all_close(&entries(sets, |i, j| dense[(i, j)]), &entries(sets, |i, j| sup.of(i, j)), 0.0, "dense");
}

/// Binary features with these channels, as nearly as 64 bits hold them.
fn binary_schema(channels: &[Channel]) -> Schema {
    let feature = |(i, channel): (usize, &Channel)| {
        let chance = |p: f64| FixedProbability::nearest(privacy_core::param::Probability::new(p).unwrap());
        let noise = BitNoise::from_fixed(chance(channel.p()), chance(channel.q())).unwrap();
        Feature::new(Attribute::codes(format!("f{i}"), 2).unwrap(), Protocol::RandomisedResponse(noise)).unwrap()
    };
    Schema::new(channels.iter().enumerate().map(feature).collect()).unwrap()
}

/// The same numbers through sets of columns.
fn check_sets(channels: &[Channel], histogram: &[f64], observed: &Value, name: &str) {
    let people: f64 = histogram.iter().sum();
    if !(2.0..=2000.0).contains(&people) {
        return; // Counted report by report: the small ones will do.
    }
    let reports = Reports::of_histogram(&histogram.iter().map(|&h| h as u64).collect::<Vec<_>>(), channels.len());
    let schema = binary_schema(channels);
    let members = |mask: usize| (0..channels.len()).filter(|i| mask >> i & 1 == 1).collect::<Vec<_>>();
    let sets: Vec<Vec<usize>> = (0..histogram.len()).map(members).collect();
    let mu = numbers(&observed["mu"]);
    for (population, key) in [(Population::Fixed, "Sigma_thm36"), (Population::Super, "Sigma_superpop")] {
        let estimator = Estimator::new(&schema, &reports).for_population(population);
        let counts: Vec<f64> = sets.iter().map(|set| estimator.estimate(set).unwrap().count).collect();
        assert_all_close(&counts, &mu, TOLERANCE, &format!("{name}: sets"));
        let matrix = estimator.covariances(&sets).unwrap();
        let got = entries(sets.len(), |i, j| matrix[(i, j)]);
        let mut want = entries(sets.len(), triangle(&observed[key]));
        // All reports alike: a matrix of zeros has no size of its own.
        let size = if want.iter().all(|&w| w == 0.0) { people } else { 0.0 };
        want.push(size);
        assert_all_close(&[got, vec![size]].concat(), &want, TOLERANCE, &format!("{name}: {key}"));
    }
}

#[test]
fn counts_estimates_and_both_covariances_are_the_exact_ones() {
    let mut checked = 0;
    for file in ["paper4", "het5", "edge"] {
        let golden = json(&format!("ldp/{file}.json"));
        for case in golden["cases"].as_array().unwrap() {
            let channels = channels(if case.get("p").is_some() { case } else { &golden });
            check(&channels, case, &format!("{file} {} {}", case["what"], case["N"]));
            checked += 1;
        }
    }
    assert!(checked >= 10, "{checked}");
}

#[test]
fn a_block_whose_sum_is_known_is_the_exact_least_squares() {
    let golden = json("ldp/onehot.json");
    let channel = channels(&serde_json::json!({"p": [golden["p"]], "q": [golden["q"]]}))[0];
    let people = number(&golden["N"]);
    let counts: Vec<f64> = numbers(&golden["c"]).iter().map(|c| (c - people * channel.p()) / channel.gap()).collect();
    assert_all_close(&counts, &numbers(&golden["t_unconstrained"]), TOLERANCE, "t");
    let variances: Vec<f64> = counts.iter().map(|t| (channel.alpha() - 1.0) * t + channel.beta() * people).collect();
    assert_all_close(&variances, &numbers(&golden["var_unconstrained"]), TOLERANCE, "V");
    let block = constrain_sum(&counts, &variances, people).unwrap();
    assert_all_close(&block.counts, &numbers(&golden["t_gls_sum_constraint"]), TOLERANCE, "GLS");
    for (row, want) in golden["cov_gls"].as_array().unwrap().iter().enumerate() {
        assert_all_close(&block.covariance.row(row).to_vec(), &numbers(want), TOLERANCE, "covariance");
    }
    assert!((block.counts.iter().sum::<f64>() - people).abs() < 1e-11 * people);
    // Erratum E4: equation 27 estimates the number of people, and its counts add up to that.
    let eq27 = numbers(&golden["t_eq27_N_estimated"]);
    assert!((eq27.iter().sum::<f64>() - number(&golden["Nhat_eq27"])).abs() < 1e-9);
    assert!((eq27.iter().sum::<f64>() - people).abs() > 5.0);
}

/// The schema of the mixed case: three symbols, a one-hot block of two, one bit.
fn mixed_schema(golden: &Value) -> Schema {
    let probability = |value: &Value| privacy_core::param::Probability::new(number(value)).unwrap();
    let features = golden["features"].as_array().unwrap().iter().enumerate().map(|(i, feature)| {
        let noise = || BitNoise::new(probability(&feature["p"]), probability(&feature["q"])).unwrap();
        let (protocol, values) = match feature["kind"].as_str().unwrap() {
            "GRR" => (Protocol::generalised_response_with_truth(probability(&feature["q"])), 3),
            "UE" => (Protocol::UnaryEncoding(noise()), 2),
            _ => (Protocol::RandomisedResponse(noise()), 2),
        };
        Feature::new(Attribute::codes(format!("f{i}"), values).unwrap(), protocol).unwrap()
    });
    Schema::new(features.collect()).unwrap()
}

#[test]
fn protocols_mix_with_their_exact_covariance() {
    let golden = json("ldp/mixed.json");
    let schema = mixed_schema(&golden);
    let row = |report: &Value| {
        let symbol = report[0].as_u64().unwrap();
        let mut bits: Vec<bool> = (0..3).map(|value| value == symbol).collect();
        bits.extend(report[1].as_array().unwrap().iter().map(|bit| bit == 1));
        bits.push(report[2] == 1);
        bits
    };
    let reports = Reports::of(golden["reports"].as_array().unwrap().iter().map(row).collect(), 3);
    let cells: Vec<Vec<usize>> = golden["cells"]
        .as_array()
        .unwrap()
        .iter()
        .map(|cell| vec![cell[0].as_u64().unwrap() as usize, 3 + cell[1].as_u64().unwrap() as usize])
        .collect();
    let estimator = Estimator::new(&schema, &reports).for_population(Population::Fixed);
    let counts: Vec<f64> = cells.iter().map(|cell| estimator.estimate(cell).unwrap().count).collect();
    assert_all_close(&counts, &numbers(&golden["t_hat"]), TOLERANCE, "t");
    let covariance = estimator.covariances(&cells).unwrap();
    for (row, want) in golden["cov_hat_unbiased"].as_array().unwrap().iter().enumerate() {
        assert_all_close(&covariance.row(row).to_vec(), &numbers(want), TOLERANCE, "covariance");
    }
}

#[test]
fn a_set_takes_one_value_of_each_feature() {
    let golden = json("ldp/mixed.json");
    let (schema, reports) = (mixed_schema(&golden), Reports::of(vec![vec![false; 6]; 3], 3));
    let estimator = Estimator::new(&schema, &reports);
    assert_eq!(estimator.estimate(&[0, 1]), Err(EstimateError::RepeatedFeature { feature: 0 }));
    assert_eq!(estimator.estimate(&[5, 5]), Err(EstimateError::RepeatedFeature { feature: 2 }));
    assert_eq!(estimator.estimate(&[6]), Err(EstimateError::UnknownColumn { column: 6, columns: 6 }));
    let nobody = Reports::of(Vec::new(), 3);
    assert_eq!(Estimator::new(&schema, &nobody).estimate(&[0]), Err(EstimateError::TooFewReports { needed: 2 }));
}
