//! From rows to estimates through simulated reports: unbiased, with the errors that are claimed,
//! under every protocol.

use ldp_pmdh::derived::chi_square_at_least;
use ldp_pmdh::estimate::{Estimator, Population};
use ldp_pmdh::{Aggregator, BitNoise, Counts, Feature, Protocol, Schema, Simulator, State, StateDetail};
use privacy_core::binomial::Binomial;
use privacy_core::param::{Epsilon, Probability};
use privacy_core::rng::SimRng;
use privacy_core::{Attribute, normal};

/// Five features, one of each protocol.
fn schema() -> Schema {
    let epsilon = Epsilon::new(1.5).unwrap();
    let probability = |p: f64| Probability::new(p).unwrap();
    let feature =
        |name: &str, values, protocol| Feature::new(Attribute::codes(name, values).unwrap(), protocol).unwrap();
    let (permanent, instantaneous) = (
        BitNoise::new(probability(0.05), probability(0.9)).unwrap(),
        BitNoise::new(probability(0.1), probability(0.85)).unwrap(),
    );
    Schema::new(vec![
        feature("rr", 2, Protocol::RandomisedResponse(BitNoise::symmetric(epsilon).unwrap())),
        feature("ue", 3, Protocol::UnaryEncoding(BitNoise::optimised_unary(epsilon).unwrap())),
        feature("grr", 3, Protocol::generalised_response(epsilon, 3).unwrap()),
        feature("lh", 4, Protocol::local_hashing(epsilon, None).unwrap()),
        feature("rappor", 2, Protocol::Rappor { permanent, instantaneous }),
    ])
    .unwrap()
}

/// 600 people with dependent answers.
fn rows() -> Vec<[u32; 5]> {
    (0..600_u32)
        .map(|i| [i % 2, (i / 2 + i % 2) % 3, (i / 7) % 3, (i % 2 * 2 + i / 100) % 4, u32::from(i % 5 < 2)])
        .collect()
}

fn simulated(schema: &Schema, seed: u64, trial: u64) -> State {
    let mut rng = SimRng::for_trial(seed, "from rows to estimates", trial);
    let mut aggregator = Aggregator::new(schema.clone(), StateDetail::Full, 1e9).unwrap();
    let mut simulator = Simulator::new(schema);
    for row in rows() {
        aggregator.push_support(simulator.report(&row, &mut rng)).unwrap();
    }
    aggregator.finish().unwrap()
}

fn truth(schema: &Schema, set: &[usize]) -> f64 {
    let has = |row: &[u32; 5], column: usize| {
        let column = schema.columns()[column];
        row[column.feature] as usize == column.value
    };
    rows().iter().filter(|row| set.iter().all(|&column| has(row, column))).count() as f64
}

/// One set of each kind: columns of one, two and three features, of all protocols.
fn sets(schema: &Schema) -> Vec<Vec<usize>> {
    let column = |feature, value| schema.column_of(feature, value).unwrap();
    vec![
        vec![column(0, 1)],
        vec![column(1, 2)],
        vec![column(2, 0)],
        vec![column(3, 3)],
        vec![column(4, 1)],
        vec![column(0, 1), column(1, 1)],
        vec![column(2, 2), column(3, 0)],
        vec![column(0, 1), column(2, 1)],
        vec![column(3, 1), column(4, 0)],
        vec![column(0, 1), column(1, 0), column(2, 1)],
    ]
}

/// Over many trials: how far the mean estimate is from the truth in its standard errors, and how
/// many intervals cover.
fn check(schema: &Schema, trials: u64, seed: u64) -> Vec<(f64, f64, u64)> {
    let sets = sets(schema);
    let mut sums = vec![(0.0, 0.0, 0.0, 0); sets.len()];
    for trial in 0..trials {
        let state = simulated(schema, seed, trial);
        let estimator = Estimator::new(schema, &state).for_population(Population::Fixed);
        for (set, (errors, squares, variances, covered)) in sets.iter().zip(&mut sums) {
            let (estimate, wanted) = (estimator.estimate(set).unwrap(), truth(schema, set));
            *errors += estimate.count - wanted;
            *squares += (estimate.count - wanted).powi(2);
            *variances += estimator.covariance(set, set).unwrap();
            *covered += u64::from(estimate.interval.contains(wanted));
        }
    }
    let n = trials as f64;
    sums.into_iter()
        .map(|(errors, squares, variances, covered)| {
            (errors / n / (squares / n / n).sqrt(), squares / variances, covered)
        })
        .collect()
}

/// No statistic as far out as this is accepted: 1e-9 on both sides.
const FAR: f64 = 6.2;

#[test]
fn estimates_are_unbiased_with_the_claimed_variance_under_every_protocol() {
    let trials = 1500;
    let covers = Binomial::new(trials, Probability::new(0.93).unwrap()).unwrap();
    for (number, (bias, ratio, covered)) in check(&schema(), trials, 1).into_iter().enumerate() {
        assert!(bias.abs() < FAR, "set {number}: bias of {bias} standard errors");
        // Squared errors over their variance are chi-square, nearly: a tenth more or less is
        // seen.
        let tail = chi_square_at_least(trials, ratio * trials as f64);
        assert!((1e-9..=1.0 - 1e-9).contains(&tail), "set {number}: variance ratio {ratio}");
        assert!(chi_square_at_least(trials, 1.5 * ratio * trials as f64) < 1e-9, "the sample tells half more variance");
        assert!(covers.at_most(covered) > 1e-9, "set {number}: {covered} of {trials} intervals cover");
    }
}

#[test]
fn estimates_from_sampled_features_are_unbiased_with_the_claimed_variance() {
    let trials = 1500;
    let schema = schema().with_features_per_person(3).unwrap();
    for (number, (bias, ratio, _)) in check(&schema, trials, 2).into_iter().enumerate() {
        assert!(bias.abs() < FAR, "set {number}: bias of {bias} standard errors");
        let tail = chi_square_at_least(trials, ratio * trials as f64);
        assert!((1e-9..=1.0 - 1e-9).contains(&tail), "set {number}: variance ratio {ratio}");
    }
}

#[test]
fn covariances_of_sampled_features_are_those_of_the_estimates() {
    // Pairs that share a feature, share none, and contradict each other; the correlation of the
    // estimates over trials.
    let schema = schema().with_features_per_person(4).unwrap();
    let sets = sets(&schema);
    let other = vec![schema.column_of(0, 1).unwrap(), schema.column_of(2, 2).unwrap()];
    let pairs = [(&sets[0], &sets[5]), (&sets[5], &sets[7]), (&sets[0], &sets[2]), (&sets[7], &other)];
    let trials = 2500;
    let mut products = [(0.0, 0.0, 0.0); 4];
    for trial in 0..trials {
        let state = simulated(&schema, 3, trial);
        let estimator = Estimator::new(&schema, &state).for_population(Population::Fixed);
        for ((one, two), (product, square, predicted)) in pairs.iter().zip(&mut products) {
            let error = |set: &Vec<usize>| estimator.estimate(set).unwrap().count - truth(&schema, set);
            let both = error(one) * error(two);
            *product += both;
            *square += both * both;
            *predicted += estimator.covariance(one, two).unwrap();
        }
    }
    for (number, (product, square, predicted)) in products.into_iter().enumerate() {
        let n = trials as f64;
        let error = (square / n).sqrt() / n.sqrt();
        let gap = (product - predicted) / n;
        assert!(gap.abs() <= FAR * error, "{number}: {} for {}, error {error}", product / n, predicted / n);
    }
    // The sample is large enough to tell the covariance of a column with a pair that has it from
    // none.
    assert!(products[0].0.abs() > FAR * products[0].1.sqrt());
}

#[test]
fn the_super_population_matrix_has_no_negative_direction() {
    let schema = schema();
    for trial in 0..20 {
        let state = simulated(&schema, 4, trial);
        let mut sets = sets(&schema);
        // Values of one feature beside each other.
        sets.extend((0..3).map(|value| vec![schema.column_of(1, value).unwrap()]));
        sets.extend((0..3).map(|value| vec![schema.column_of(2, value).unwrap(), schema.column_of(0, 1).unwrap()]));
        let matrix = Estimator::new(&schema, &state).covariances(&sets).unwrap();
        let eigen = privacy_core::linalg::symmetric_eigen(matrix.view()).unwrap();
        let largest = eigen.values.iter().fold(0.0, |largest: f64, &value| largest.max(value));
        assert!(eigen.values.iter().all(|&value| value > -1e-10 * largest));
    }
}

#[test]
fn small_counts_are_flagged_and_their_intervals_cover() {
    // One in 300 has the rare value: N p^k is small, and raw intervals would miss.
    let probability = |p: f64| Probability::new(p).unwrap();
    let noise = BitNoise::new(probability(0.1), probability(0.8)).unwrap();
    let feature = |name| Feature::new(Attribute::codes(name, 2).unwrap(), Protocol::RandomisedResponse(noise)).unwrap();
    let schema = Schema::new(["a", "b", "c", "d"].map(feature).to_vec()).unwrap();
    let (trials, set) = (1000_u64, [0, 1, 2, 3]);
    let (mut covered, mut flagged, mut raw) = (0_u64, 0_u64, 0_u64);
    for trial in 0..trials {
        let mut rng = SimRng::for_trial(6, "small counts", trial);
        let mut aggregator = Aggregator::new(schema.clone(), StateDetail::UpTo(4), 1e9).unwrap();
        let mut simulator = Simulator::new(&schema);
        for i in 0..60_u32 {
            aggregator
                .push_support(simulator.report(&[u32::from(i < 30); 4].map(|x| x & u32::from(i < 1)), &mut rng))
                .unwrap();
        }
        let state = aggregator.finish().unwrap();
        let estimator = Estimator::new(&schema, &state).for_population(Population::Fixed);
        let estimate = estimator.estimate(&set).unwrap();
        covered += u64::from(estimate.interval.contains(1.0));
        flagged += u64::from(estimate.small_count);
        let se = estimator.covariance(&set, &set).unwrap().max(0.0).sqrt();
        raw += u64::from((estimate.count - 1.0).abs() <= normal::upper_quantile(probability(0.025)) * se);
        assert_eq!(state.count(&set, &[]).unwrap() < 10, estimate.small_count);
    }
    let law = Binomial::new(trials, probability(0.93)).unwrap();
    assert!(flagged > 900 && law.at_most(covered) > 1e-9, "{covered} of {trials}, {flagged} flagged");
    assert!(law.at_most(raw) < 1e-9, "without the rule too few cover: {raw}");
}

/// All reports of people who are asked about one of two bits, one by one, with their
/// probabilities: the mean of the fixed covariance is the covariance.
#[test]
fn the_fixed_covariance_of_sampled_features_is_unbiased_by_enumeration() {
    let noise = BitNoise::new(Probability::new(0.25).unwrap(), Probability::new(0.75).unwrap()).unwrap();
    let feature = |name| Feature::new(Attribute::codes(name, 2).unwrap(), Protocol::RandomisedResponse(noise)).unwrap();
    let schema = Schema::new(vec![feature("a"), feature("b")]).unwrap().with_features_per_person(1).unwrap();
    // Five people, the first three with `a`; exactly three are asked about it.
    let (people, with, asked) = (5_u32, 3, 3);
    let (mut mass, mut mean, mut square, mut estimated) = (0.0, 0.0, 0.0, 0.0);
    for coverage in (0..1_u32 << people).filter(|coverage| coverage.count_ones() == asked) {
        for bits in 0..1_u32 << people {
            // Bits of people who are asked about `b` are those of `b`.
            let mut aggregator = Aggregator::new(schema.clone(), StateDetail::Full, 1e9).unwrap();
            let mut probability = 1.0;
            for person in 0..people {
                let (covers_a, one) = (coverage >> person & 1 == 1, bits >> person & 1 == 1);
                let has = covers_a && person < with;
                probability *= if one == has { 0.75 } else { 0.25 };
                aggregator.push_support(&[covers_a && one, !covers_a && one, covers_a, !covers_a]).unwrap();
            }
            let state = aggregator.finish().unwrap();
            let estimator = Estimator::new(&schema, &state).for_population(Population::Fixed);
            let count = estimator.estimate(&[0]).unwrap().count;
            mass += probability;
            mean += probability * count;
            square += probability * count * count;
            estimated += probability * estimator.covariance(&[0], &[0]).unwrap();
        }
    }
    let (mean, square, estimated) = (mean / mass, square / mass, estimated / mass);
    assert!((mean - f64::from(with)).abs() < 1e-12);
    assert!((estimated / (square - mean * mean) - 1.0).abs() < 1e-12, "{estimated} for {}", square - mean * mean);
}
