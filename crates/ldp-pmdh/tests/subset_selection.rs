//! Subset selection, against the enumeration of every set: the epsilon, the means and the
//! covariances are those of the law itself, and the planner's size is the best of all.

use crate::support::{Reports, assert_reads_its_bytes, moments};
use ldp_pmdh::estimate::{Estimator, column_sets};
use ldp_pmdh::planner::{ProtocolVariant, cell_variance, compare_protocols, subset_selection};
use ldp_pmdh::{Aggregator, BitNoise, Client, Feature, Protocol, ReportError, ReportReader, Schema, StateDetail};
use privacy_core::Attribute;
use privacy_core::param::Epsilon;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use testkit::fixtures::relative_error;
use testkit::law::{assert_law, refute_law};

fn eps(epsilon: f64) -> Epsilon {
    Epsilon::new(epsilon).unwrap()
}

fn feature(values: u32, size: Option<u32>, epsilon: f64) -> Feature {
    let protocol = Protocol::subset_selection(eps(epsilon), values, size).unwrap();
    Feature::new(Attribute::codes("city", values as usize).unwrap(), protocol).unwrap()
}

/// Every set of the size, with its probability when `own` is the true value, from the definition.
fn law(feature: &Feature, own: usize) -> Vec<(usize, f64)> {
    let Protocol::SubsetSelection { size, truth } = feature.protocol() else { panic!("sets") };
    let sets = (0..1_usize << feature.attribute().cardinality()).filter(|set| set.count_ones() == size);
    let sets: Vec<usize> = sets.collect();
    let with = sets.iter().filter(|set| *set >> own & 1 == 1).count() as f64;
    let without = sets.len() as f64 - with;
    let chance =
        |set: usize| if set >> own & 1 == 1 { truth.to_f64() / with } else { (1.0 - truth.to_f64()) / without };
    sets.iter().map(|&set| (set, chance(set))).collect()
}

#[test]
fn epsilon_is_that_of_the_worst_set_over_all_sets_and_values() {
    for (values, size) in [(2, Some(1)), (3, Some(2)), (6, Some(3)), (7, Some(2)), (8, Some(7)), (9, None)] {
        for epsilon in [0.05, 1.0, 4.0] {
            let feature = feature(values, size, epsilon);
            let laws: Vec<_> = (0..values as usize).map(|own| law(&feature, own)).collect();
            assert!(laws.iter().all(|law| (law.iter().map(|(_, p)| p).sum::<f64>() - 1.0).abs() < 1e-12));
            let pairs = laws.iter().flat_map(|a| laws.iter().map(move |b| (a, b)));
            let worst = pairs.flat_map(|(a, b)| a.iter().zip(b).map(|(a, b)| (a.1 / b.1).ln())).fold(0.0, f64::max);
            let claimed = feature.epsilon();
            assert!((claimed - worst).abs() < 1e-9 && claimed <= epsilon, "{values} {epsilon}: {claimed} {worst}");
            assert!(epsilon - claimed < 1e-9, "it spends what was given: {claimed} of {epsilon}");
        }
    }
}

/// Three people, sets of two of four values beside a bit: no estimate is biased, and no covariance,
/// of any two sets of columns, two values of one feature included.
#[test]
fn estimates_and_covariances_are_unbiased_over_all_reports() {
    let bit = BitNoise::symmetric(eps(1.5)).unwrap();
    let smokes = Feature::new(Attribute::codes("smokes", 2).unwrap(), Protocol::RandomisedResponse(bit)).unwrap();
    let schema = Schema::new(vec![feature(4, Some(2), 1.0), smokes]).unwrap();
    let people = [(0, 1), (2, 0), (2, 1)];
    let mut outcomes = vec![(Vec::new(), 1.0)];
    for (city, smokes) in people {
        let one = if smokes == 1 { bit.q().to_f64() } else { bit.p().to_f64() };
        let with = |(reports, probability): &(Vec<Vec<bool>>, f64)| {
            let mut longer = Vec::new();
            for (set, chance) in law(&schema.features()[0], city) {
                for (bit, of_bit) in [(true, one), (false, 1.0 - one)] {
                    let mut row: Vec<bool> = (0..4).map(|value| set >> value & 1 == 1).collect();
                    row.push(bit);
                    longer.push(([&reports[..], &[row]].concat(), probability * chance * of_bit));
                }
            }
            longer
        };
        outcomes = outcomes.iter().flat_map(with).collect();
    }
    assert_eq!(outcomes.len(), 12 * 12 * 12);
    let outcomes: Vec<_> = outcomes.into_iter().map(|(bits, p)| (Reports::of(bits, 2), p)).collect();
    let sets = column_sets(&schema, 2, 100).unwrap();
    assert_eq!(sets.len(), 5 + 4);
    let has = |(city, smokes): &(usize, usize), column: usize| if column < 4 { *city == column } else { *smokes == 1 };
    let truth = |set: &[usize]| people.iter().filter(|row| set.iter().all(|&column| has(row, column))).count() as f64;
    for first in &sets {
        for second in &sets {
            let all = outcomes.iter().map(|(reports, probability)| (reports, *probability));
            let [one, other, product, claimed] = moments(&schema, all, first, second);
            assert!((one - truth(first)).abs() < 1e-10, "{first:?}: {one}");
            assert!((product - one * other - claimed).abs() < 1e-10, "{first:?} {second:?}: {product} {claimed}");
        }
    }
}

/// The client's sets: the law of the definition is accepted, that of another size of noise refuted.
#[test]
fn the_client_draws_the_law_of_the_definition() {
    let schema = Schema::new(vec![feature(5, Some(2), 1.0)]).unwrap();
    let client = Client::new(schema.clone());
    let (mut rng, mut reader) = (ChaCha20Rng::from_seed([61; 32]), ReportReader::new(&schema));
    let mut sample = || {
        let mut stored = [0];
        reader.read(&client.randomise(&[3], &mut rng).unwrap(), &mut stored).unwrap();
        stored[0] as i64
    };
    let samples: Vec<i64> = (0..200_000).map(|_| sample()).collect();
    let of = |epsilon: f64| {
        let law = law(&feature(5, Some(2), epsilon), 3);
        move |shown: i64| law.iter().filter(|(set, _)| *set as i64 == shown).map(|(_, p)| p).sum::<f64>()
    };
    assert_law(&samples, of(1.0));
    refute_law(&samples, of(1.08));
    refute_law(&samples, of(0.92));
}

#[test]
fn sets_of_another_size_are_refused() {
    let schema = Schema::new(vec![feature(5, Some(2), 1.0)]).unwrap();
    assert_reads_its_bytes(&schema);
    for detail in [StateDetail::UpTo(1), StateDetail::Full, StateDetail::Reports] {
        let mut aggregator = Aggregator::new(schema.clone(), detail, 1e6).unwrap();
        for set in 0..32_u8 {
            let expected = if set.count_ones() == 2 { Ok(()) } else { Err(ReportError::Symbol { feature: 0 }) };
            assert_eq!(aggregator.push(&[set]), expected, "{set}");
            let support: Vec<bool> = (0..5).map(|value| set >> value & 1 == 1).collect();
            assert_eq!(aggregator.push_support(&support), expected, "{set}");
        }
        let state = aggregator.finish().unwrap();
        let total: f64 = (0..5).map(|column| Estimator::new(&schema, &state).estimate(&[column]).unwrap().count).sum();
        assert!((total - 20.0).abs() < 1e-9, "{total}");
    }
    for (values, size) in [(5, 0), (5, 5), (2, 2)] {
        assert!(Protocol::subset_selection(eps(1.0), values, Some(size)).is_err(), "{values} {size}");
    }
}

/// Six values at epsilon 0.5: 1.37 times better than what there was; and no other size is better
/// than the one that the planner names, nor another than the one that a schema takes by itself.
#[test]
fn the_planned_size_is_the_best_of_all() {
    let six = compare_protocols(6, 0.5, 1.0 / 6.0).unwrap();
    assert_eq!((six[0].variant, six[0].size), (ProtocolVariant::BestSize, Some(2)));
    let others = six.iter().filter(|planned| planned.variant != ProtocolVariant::BestSize);
    let next = others.map(|planned| planned.variance).fold(f64::INFINITY, f64::min);
    assert!(next / six[0].variance > 1.2, "{}", next / six[0].variance);
    for (values, epsilon, frequency) in
        [(6_u32, 0.5, 0.2), (10, 1.0, 0.01), (50, 2.0, 0.3), (64, 0.1, 0.9), (12, 5.0, 0.1)]
    {
        let of = |size: u32| {
            let channel = subset_selection(f64::from(values), f64::from(size), epsilon).unwrap();
            cell_variance(channel, frequency)
        };
        let best = (1..values).map(of).fold(f64::INFINITY, f64::min);
        let planned = compare_protocols(values.into(), epsilon, frequency).unwrap();
        assert!(relative_error(planned[0].variance.min(best), best) < 1e-12, "{values} {epsilon}");
        assert!(planned[0].variance <= best * (1.0 + 1e-12), "{values} {epsilon}: {} {best}", planned[0].variance);
        let sum = |size: u32| {
            let channel = feature(values, Some(size), epsilon).channel();
            channel.alpha() + f64::from(values) * channel.beta()
        };
        let least = (1..values).map(sum).fold(f64::INFINITY, f64::min);
        let own = feature(values, None, epsilon).channel();
        let own = own.alpha() + f64::from(values) * own.beta();
        assert!(own <= least * (1.0 + 1e-9), "{values} {epsilon}: {own} {least}");
    }
}
