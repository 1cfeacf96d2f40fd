//! Reports and specs go through serde and come back; what a constructor refuses, reading refuses.

use std::fmt::Debug;

use ldp_pmdh::derived::{ConfidenceSet, independence};
use ldp_pmdh::estimate::{ConfidenceInterval, Estimate, Estimator, Population};
use ldp_pmdh::feasible::{FeasibleTable, FitLimits, least_squares};
use ldp_pmdh::planner::{Budget, Comparison, FrequencyPrior, PlannedProtocol, compare, compare_protocols};
use ldp_pmdh::{Aggregator, BitNoise, Channel, Feature, Protocol, ProtocolKind, Schema, StateDetail};
use privacy_core::Attribute;
use privacy_core::param::Epsilon;
use serde::Serialize;
use serde::de::DeserializeOwned;

#[track_caller]
fn comes_back<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) -> String {
    let text = serde_json::to_string(value).unwrap();
    assert_eq!(&serde_json::from_str::<T>(&text).unwrap(), value, "{text}");
    text
}

#[test]
fn what_is_asked_comes_back() {
    assert_eq!(comes_back(&ProtocolKind::GeneralisedResponse), "\"grr\"");
    assert_eq!(comes_back(&Budget::PerFeature(1.5)), "{\"per_feature\":1.5}");
    comes_back(&FrequencyPrior { frequency: 0.3, pair_frequency: 0.09 });
    comes_back(&FitLimits { gap: 1e-3, iterations: 7, ..FitLimits::default() });
    comes_back(&Channel::new(0.1, 0.8).unwrap());
    assert_eq!(comes_back(&Population::Fixed), "\"fixed\"");
}

#[test]
fn what_a_constructor_refuses_is_refused_on_the_way_in() {
    for bad in ["{\"p\":0.8,\"q\":0.1}", "{\"p\":0.5,\"q\":0.5}", "{\"p\":0.1,\"q\":0.8,\"r\":0}"] {
        assert!(serde_json::from_str::<Channel>(bad).is_err(), "{bad}");
    }
    assert!(serde_json::from_str::<FrequencyPrior>("{\"frequency\":0.3}").is_err());
}

#[test]
fn what_is_found_comes_back() {
    let prior = FrequencyPrior { frequency: 0.3, pair_frequency: 0.09 };
    comes_back::<Comparison>(&compare(8, Budget::Total(4.0), prior).unwrap());
    compare_protocols(50, 1.0, 0.02).unwrap().iter().for_each(|planned| {
        comes_back::<PlannedProtocol>(planned);
    });
    comes_back(&ConfidenceSet::Outside(ConfidenceInterval { low: -1.0, high: 2.0 }));
    comes_back(&ConfidenceSet::Everything);
    comes_back(&independence(&[40, 10, 10, 40], &[2, 2]).unwrap());
    let channels = [Channel::new(0.1, 0.8).unwrap(); 2];
    let limits = FitLimits { gap: 1e-6, ..FitLimits::default() };
    comes_back::<FeasibleTable>(&least_squares(&channels, &[50.0, 10.0, 10.0, 30.0], &limits));
    let noise = Protocol::RandomisedResponse(BitNoise::symmetric(Epsilon::new(1.0).unwrap()).unwrap());
    let schema = Schema::new(vec![Feature::new(Attribute::codes("a", 2).unwrap(), noise).unwrap()]).unwrap();
    let mut aggregator = Aggregator::new(schema.clone(), StateDetail::UpTo(1), 1e6).unwrap();
    aggregator.push_all(&[0, 1, 1, 0, 1]).unwrap();
    let state = aggregator.finish().unwrap();
    comes_back::<Estimate>(&Estimator::new(&schema, &state).estimate(&[0]).unwrap());
}
