//! Simulated reports have the law of their protocol, support bits and covered features together:
//! every report is listed with its probability from the definition.

use std::collections::BTreeMap;

use ldp_pmdh::{BitNoise, Feature, FixedProbability, Protocol, Schema, Simulator};
use privacy_core::Attribute;
use privacy_core::param::{Epsilon, Probability};
use privacy_core::rng::SimRng;
use testkit::law::assert_law;

const REPORTS: u64 = 20_000;

/// Probabilities of reports, by their support bits as a number.
type Law = BTreeMap<i64, f64>;

fn probability(value: f64) -> Probability {
    Probability::new(value).unwrap()
}

fn noise(p: f64, q: f64) -> BitNoise {
    BitNoise::new(probability(p), probability(q)).unwrap()
}

fn attribute(i: usize, values: usize) -> Attribute {
    Attribute::codes(format!("f{i}"), values).unwrap()
}

fn schema(features: &[(Protocol, usize)]) -> Schema {
    let features = features
        .iter()
        .enumerate()
        .map(|(i, &(protocol, values))| Feature::new(attribute(i, values), protocol).unwrap());
    Schema::new(features.collect()).unwrap()
}

/// Reports of two independent parts: their bits are of different columns.
fn product(one: &Law, other: &Law) -> Law {
    one.iter().flat_map(|(a, p)| other.iter().map(move |(b, r)| (a | b, p * r))).collect()
}

fn mixture(parts: impl IntoIterator<Item = (f64, Law)>) -> Law {
    let mut sum = Law::new();
    for (weight, law) in parts {
        law.into_iter().for_each(|(report, p)| *sum.entry(report).or_default() += weight * p);
    }
    sum
}

fn choose(n: usize, k: usize) -> f64 {
    (0..k).map(|i| (n - i) as f64 / (i + 1) as f64).product()
}

fn bit(column: Option<usize>) -> i64 {
    column.map_or(0, |column| 1 << column)
}

/// The law of the bits of one feature.
fn answer(schema: &Schema, feature: usize, value: usize) -> Law {
    let columns = schema.columns_of(feature);
    let (first, k) = (columns.start, columns.len());
    let sets = || (0..1_usize << k).map(|set| (set as i64) << first).zip(0..);
    let is_in = |set: usize, place: usize| set >> place & 1 == 1;
    match schema.features()[feature].protocol() {
        Protocol::RandomisedResponse(noise) | Protocol::UnaryEncoding(noise) => {
            let chance = |set: usize| {
                let bits = (0..k).map(|place| {
                    // Randomised response has one column, that of value 1.
                    let own = if k == 1 { 1 } else { place };
                    let one = if own == value { noise.q() } else { noise.p() }.to_f64();
                    if is_in(set, place) { one } else { 1.0 - one }
                });
                bits.product()
            };
            sets().map(|(report, set)| (report, chance(set))).collect()
        }
        Protocol::GeneralisedResponse { truth } => {
            let chance = |shown| if shown == value { truth.to_f64() } else { (1.0 - truth.to_f64()) / (k - 1) as f64 };
            (0..k).map(|shown| (bit(Some(first + shown)), chance(shown))).collect()
        }
        Protocol::SubsetSelection { size, truth } => {
            let size = size as usize;
            let chance = |set: usize| match is_in(set, value) {
                true => truth.to_f64() / choose(k - 1, size - 1),
                false => (1.0 - truth.to_f64()) / choose(k - 1, size),
            };
            let named = sets().filter(|(_, set)| set.count_ones() as usize == size);
            named.map(|(report, set)| (report, chance(set))).collect()
        }
        other => panic!("{other:?} is not answered by itself"),
    }
}

/// The law of a whole report.
fn law(schema: &Schema, row: &[u32]) -> Law {
    let (features, columns) = (schema.features(), schema.columns().len());
    let shown = |feature: usize, value: usize| bit(schema.column_of(feature, value));
    let drawn = (0..1_usize << features.len()).filter(|set| set.count_ones() as usize == schema.features_per_person());
    let drawn: Vec<usize> = drawn.collect();
    let share = 1.0 / drawn.len() as f64;
    let of_drawn = |set: usize| {
        let members = || (0..features.len()).filter(move |feature| set >> feature & 1 == 1);
        let coverage: i64 = if schema.is_sampled() { (set as i64) << columns } else { 0 };
        let start = Law::from([(coverage, 1.0)]);
        let Some(keep) = schema.joint_keep() else {
            return members().fold(start, |law, i| product(&law, &answer(schema, i, row[i] as usize)));
        };
        let truth = members().fold(coverage, |report, i| report | shown(i, row[i] as usize));
        let any = members().fold(start, |law, i| {
            let values = features[i].attribute().cardinality();
            product(&law, &(0..values).map(|value| (shown(i, value), 1.0 / values as f64)).collect())
        });
        mixture([(keep.to_f64(), Law::from([(truth, 1.0)])), (1.0 - keep.to_f64(), any)])
    };
    mixture(drawn.iter().map(|&set| (share, of_drawn(set))))
}

/// The law of a report of a parity schema: the answer of question `s` is bit `s`, and that it was
/// asked is the bit as many questions later.
fn parity_law(schema: &Schema, row: &[u32]) -> Law {
    let (parities, d) = (schema.parities().unwrap(), row.len());
    let (Protocol::Parity { noise, alone }, pairs) = (schema.features()[0].protocol(), choose(d, 2)) else { panic!() };
    let singles = (0..d).map(|i| (vec![i], alone.to_f64() / d as f64, row[i]));
    let both = (0..d).flat_map(|j| (0..j).map(move |i| (i, j)));
    let both = both.map(|(i, j)| (vec![i, j], (1.0 - alone.to_f64()) / pairs, u32::from(row[i] != row[j])));
    let reports = singles.chain(both).flat_map(|(set, asked, truth)| {
        let question = parities.question(&set).unwrap();
        let one = if truth == 1 { noise.q().to_f64() } else { noise.p().to_f64() };
        let is_asked = bit(Some(parities.questions() + question));
        [(is_asked | bit(Some(question)), asked * one), (is_asked, asked * (1.0 - one))]
    });
    reports.collect()
}

#[track_caller]
fn check(schema: &Schema, row: &[u32], law: &Law) {
    assert!((law.values().sum::<f64>() - 1.0).abs() < 1e-12, "a law");
    let mut rng = SimRng::for_trial(20_260_314, "laws of simulated reports", u64::from(row[0]));
    let mut simulator = Simulator::new(schema);
    // Reports by their place in the law, side by side; one that is not in it has the place -1.
    let places: BTreeMap<i64, i64> = law.keys().copied().zip(0..).collect();
    let masses: Vec<f64> = law.values().copied().collect();
    let report = |i: u64| {
        // Every other report is the first of a simulator, the others follow one.
        if i.is_multiple_of(2) {
            simulator = Simulator::new(schema);
        }
        let bits = simulator.report(row, &mut rng).iter().enumerate();
        let report = bits.filter(|(_, is_set)| **is_set).map(|(i, _)| 1_i64 << i).sum::<i64>();
        places.get(&report).copied().unwrap_or(-1)
    };
    let reports: Vec<i64> = (0..REPORTS).map(report).collect();
    assert_law(&reports, |place| usize::try_from(place).map_or(0.0, |place| masses.get(place).copied().unwrap_or(0.0)));
}

fn grr(truth: f64) -> Protocol {
    Protocol::GeneralisedResponse { truth: FixedProbability::nearest(probability(truth)) }
}

#[test]
fn answers_of_every_protocol_have_their_law() {
    let subset = Protocol::SubsetSelection { size: 2, truth: FixedProbability::nearest(probability(0.7)) };
    let bit = Protocol::RandomisedResponse(noise(0.2, 0.9));
    let unary = Protocol::UnaryEncoding(noise(0.3, 0.6));
    for (features, rows) in [
        (vec![(bit, 2), (grr(0.4), 4)], [[0, 0], [1, 2]]),
        (vec![(unary, 3), (subset, 5)], [[0, 1], [2, 4]]),
        (vec![(subset, 4), (grr(0.7), 2)], [[3, 1], [0, 0]]),
    ] {
        let schema = schema(&features);
        rows.iter().for_each(|row| check(&schema, row, &law(&schema, row)));
    }
}

#[test]
fn every_set_of_sampled_features_is_as_likely() {
    let bit = Protocol::RandomisedResponse(noise(0.2, 0.9));
    let features = [(bit, 2), (grr(0.6), 3), (bit, 2), (bit, 2)];
    for per_person in [1, 2, 3] {
        let schema = schema(&features).with_features_per_person(per_person).unwrap();
        check(&schema, &[1, 2, 0, 1], &law(&schema, &[1, 2, 0, 1]));
    }
}

#[test]
fn one_coin_decides_for_all_features_of_a_joint_symbol() {
    for per_person in [2, 3] {
        let attributes = [2, 3, 4].into_iter().enumerate().map(|(i, values)| attribute(i, values)).collect();
        let schema = Schema::of_joint_symbol(attributes, per_person, Epsilon::new(2.5).unwrap()).unwrap();
        check(&schema, &[1, 0, 3], &law(&schema, &[1, 0, 3]));
    }
}

#[test]
fn every_parity_is_asked_as_often_as_the_schema_says() {
    let attributes = (0..4).map(|i| attribute(i, 2)).collect();
    let schema = Schema::of_parities(attributes, Epsilon::new(1.2).unwrap(), Some(probability(0.3))).unwrap();
    for row in [[0, 1, 1, 0], [1, 1, 0, 1]] {
        check(&schema, &row, &parity_law(&schema, &row));
    }
}
