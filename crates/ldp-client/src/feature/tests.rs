//! Limits of what is accepted, at the number where they change.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use super::*;

fn eps(value: f64) -> Epsilon {
    Epsilon::new(value).unwrap()
}

fn chance(numerator: u128) -> FixedProbability {
    FixedProbability::from_numerator(numerator).unwrap()
}

#[test]
fn a_subset_has_a_value_and_lacks_one() {
    for (size, values, is_accepted) in [(0, 5, false), (1, 5, true), (4, 5, true), (5, 5, false), (6, 5, false)] {
        assert_eq!(check_size(size, values).is_ok(), is_accepted, "{size} of {values}");
        assert_eq!(check_subset(size, chance((1 << 64) - 1), values).is_ok(), is_accepted, "{size} of {values}");
    }
    assert!(Protocol::subset_selection(eps(1.0), 5, Some(5)).is_err());
    assert!(Protocol::subset_selection(eps(1.0), 5, Some(4)).is_ok());
}

/// Without the truth a value is in a set of `w` of `d` with chance `w / d`.
#[test]
fn a_subset_that_says_something_has_the_truth_more_often_than_by_chance() {
    for (size, by_chance) in [(1, 1 << 62), (2, 1 << 63), (3, 3 << 62)] {
        assert_eq!(check_subset(size, chance(by_chance), 4), Err(SchemaError::Uninformative), "{size}");
        assert_eq!(check_subset(size, chance(by_chance + 1), 4), Ok(()), "{size}");
    }
    assert_eq!(Protocol::subset_selection(eps(1e-30), 4, Some(2)), Err(SchemaError::Uninformative));
}

#[test]
fn a_symbol_that_says_something_is_the_truth_more_often_than_by_chance() {
    for (symbols, by_chance) in [(2, 1 << 63), (4, 1 << 62), (8, 1 << 61)] {
        assert_eq!(check_truth(chance(by_chance), symbols), Err(SchemaError::Uninformative), "{symbols}");
        assert_eq!(check_truth(chance(by_chance + 1), symbols), Ok(()), "{symbols}");
    }
    assert_eq!(Protocol::generalised_response(eps(1e-30), 4), Err(SchemaError::Uninformative));
    assert_eq!(Protocol::local_hashing(eps(1e-30), Some(4)), Err(SchemaError::Uninformative));
}

#[test]
fn local_hashing_has_one_bucket_more_than_the_odds_of_the_truth() {
    for (odds, expected) in [(2.0_f64, 3), (3.0, 4), (20.0, 21)] {
        let protocol = Protocol::local_hashing(eps(odds.ln()), None).unwrap();
        assert!(matches!(protocol, Protocol::LocalHashing { buckets, .. } if buckets == expected), "{protocol:?}");
    }
}

#[test]
fn the_size_of_a_subset_is_the_best_of_all() {
    for (epsilon, values) in [(0.1, 2), (0.1, 9), (0.5, 7), (1.0, 20), (1.0, 21), (3.0, 200)] {
        let sum_of_variances = |size: u32| {
            let truth = truth_of_subsets(eps(epsilon), size, values);
            let channel = Protocol::SubsetSelection { size, truth }.channel(values as usize).unwrap();
            channel.alpha() + f64::from(values) * channel.beta()
        };
        let least = (1..values).map(sum_of_variances).fold(f64::INFINITY, f64::min);
        let chosen = sum_of_variances(best_subset(eps(epsilon), values));
        assert!(chosen <= least * (1.0 + 1e-9), "{epsilon} {values}: {chosen} {least}");
    }
}

#[test]
fn what_every_report_supports_is_known_of_three_protocols() {
    let bit = BitNoise::symmetric(eps(1.0)).unwrap();
    let joint = Protocol::JointSymbol { keep: chance(1 << 62) };
    for (protocol, values, supported) in [
        (Protocol::generalised_response(eps(1.0), 4).unwrap(), 4, Some(1)),
        (Protocol::subset_selection(eps(1.0), 5, Some(2)).unwrap(), 5, Some(2)),
        (joint, 3, Some(1)),
        (joint, 2, None),
        (Protocol::RandomisedResponse(bit), 2, None),
        (Protocol::UnaryEncoding(bit), 4, None),
        (Protocol::local_hashing(eps(1.0), None).unwrap(), 4, None),
    ] {
        assert_eq!(protocol.supported(values), supported, "{protocol:?}");
    }
    let feature =
        Feature::new(Attribute::codes("a", 5).unwrap(), Protocol::subset_selection(eps(1.0), 5, Some(2)).unwrap());
    assert_eq!(feature.unwrap().supported(), Some(2));
}
