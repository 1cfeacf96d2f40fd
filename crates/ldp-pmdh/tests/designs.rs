//! Variances and false reports of planned designs, from every report that a person may send.

use ldp_pmdh::planner::{Budget, Design, FrequencyPrior, PlannedDesign, compare};
use testkit::fixtures::relative_error;

const PRIORS: [FrequencyPrior; 3] = [
    FrequencyPrior { frequency: 0.3, pair_frequency: 0.09 },
    FrequencyPrior { frequency: 0.05, pair_frequency: 0.04 },
    FrequencyPrior { frequency: 0.7, pair_frequency: 0.45 },
];

/// What one report says about a pair, to be averaged over people: reports with their probabilities
/// and readings for each of the four kinds of people, neither, the first, the second, both.
struct Readings(Vec<([f64; 4], f64)>);

impl Readings {
    /// The variance of a reading times the people for each one who is asked.
    fn variance(&self, prior: FrequencyPrior, people: f64) -> f64 {
        let FrequencyPrior { frequency: f, pair_frequency: both } = prior;
        let kinds = [1.0 - 2.0 * f + both, f - both, f - both, both];
        let moment = |power: i32| {
            let of_report = |(chances, reading): &([f64; 4], f64)| {
                chances.iter().zip(kinds).map(|(chance, share)| chance * share).sum::<f64>() * reading.powi(power)
            };
            self.0.iter().map(of_report).sum::<f64>()
        };
        assert!((moment(0) - 1.0).abs() < 1e-9 && (moment(1) - both).abs() < 1e-9, "unbiased readings of a law");
        people * (moment(2) - both * both)
    }

    /// (1.13) for one report among very many.
    fn influence(&self, people: f64) -> f64 {
        people * self.0.iter().map(|(_, reading)| reading.max(1.0 - reading)).fold(0.0, f64::max)
    }

    /// Two bits of different features, each with its channel.
    fn of_bits(channels: [[f64; 2]; 2]) -> Self {
        let reports = (0..4).map(|report| {
            let [one, other] = [report & 1, report >> 1];
            let chance = |kind: usize| {
                let bit = |i: usize, bit: usize| {
                    let one = channels[i][kind >> i & 1];
                    if bit == 1 { one } else { 1.0 - one }
                };
                bit(0, one) * bit(1, other)
            };
            let reading = |i: usize, bit: usize| (bit as f64 - channels[i][0]) / (channels[i][1] - channels[i][0]);
            (std::array::from_fn(chance), reading(0, one) * reading(1, other))
        });
        Self(reports.collect())
    }

    /// One bit that says whether the pair is there.
    fn of_cell([p, q]: [f64; 2]) -> Self {
        let report = |bit: f64| {
            let chance = |one: f64| if bit > 0.0 { one } else { 1.0 - one };
            ([p, p, p, q].map(chance), (bit - p) / (q - p))
        };
        Self(vec![report(0.0), report(1.0)])
    }

    /// All sets of `size` of `cells` cells, of which the first quarter has the pair.
    fn of_sets(cells: usize, size: u32, epsilon: f64) -> Self {
        let sets: Vec<u32> = (0..1_u32 << cells).filter(|set| set.count_ones() == size).collect();
        let weight = |set: u32, cell: usize| if set >> cell & 1 == 1 { epsilon.exp() } else { 1.0 };
        let all: f64 = sets.iter().map(|&set| weight(set, 0)).sum();
        let chance = |set: u32, cell: usize| weight(set, cell) / all;
        // How often a cell is named, if it is the true one, and if another is.
        let named = |cell: usize| sets.iter().filter(|&&set| set & 1 == 1).map(|&set| chance(set, cell)).sum::<f64>();
        let (q, p, quarter) = (named(0), named(1), cells / 4);
        let reports = sets.iter().map(|&set| {
            let count = (set & ((1 << quarter) - 1)).count_ones();
            let [with, without] = [chance(set, 0), chance(set, cells - 1)];
            // The cells of a kind are alike up to their order, which the reading does not see.
            ([without, without, without, with], (f64::from(count) - quarter as f64 * p) / (q - p))
        });
        Self(reports.collect())
    }

    /// All reports of a one-hot block, by how many bits of the pair's quarter of the cells are set.
    fn of_block(cells: usize, epsilon: f64) -> Self {
        let (p, q, m) = (1.0 / (1.0 + epsilon.exp()), 0.5, cells / 4);
        let binomial = |n: usize, k: usize| {
            let choose = (0..k).map(|i| (n - i) as f64 / (i + 1) as f64).product::<f64>();
            if k <= n { choose * f64::powi(p, k as i32) * f64::powi(1.0 - p, (n - k) as i32) } else { 0.0 }
        };
        let report = |count: usize| {
            let without = binomial(m, count);
            let with =
                q * if count > 0 { binomial(m - 1, count - 1) } else { 0.0 } + (1.0 - q) * binomial(m - 1, count);
            ([without, without, without, with], (count as f64 - m as f64 * p) / (q - p))
        };
        Self((0..=m).map(report).collect())
    }
}

/// Randomised response, `[p, q]`.
fn response(epsilon: f64) -> [f64; 2] {
    [1.0 / (1.0 + epsilon.exp()), 1.0 / (1.0 + (-epsilon).exp())]
}

/// `[p, q]` of "the true symbol is among these `of` the `symbols`" under generalised response.
fn among(symbols: f64, of: f64, epsilon: f64) -> [f64; 2] {
    let all = epsilon.exp() + symbols - 1.0;
    [of / all, (epsilon.exp() + of - 1.0) / all]
}

fn pairs(n: usize) -> f64 {
    (n * (n - 1)) as f64 / 2.0
}

/// What a pair reads, for all kinds of pairs of a design, and people for each one who is asked.
fn readings(design: Design, features: usize, epsilon: f64) -> Option<(Vec<Readings>, f64)> {
    let share = |per_person: usize| pairs(features) / pairs(per_person);
    Some(match design {
        Design::Bits => (vec![Readings::of_bits([response(epsilon / features as f64); 2])], 1.0),
        Design::SampledBits { per_person } => {
            (vec![Readings::of_bits([response(epsilon / per_person as f64); 2])], share(per_person))
        }
        Design::JointSymbol { per_person } => {
            let cells = f64::from(1_u32 << per_person);
            (vec![Readings::of_cell(among(cells, cells / 4.0, epsilon))], share(per_person))
        }
        Design::JointSubset { size } => (vec![Readings::of_sets(1 << features, size as u32, epsilon)], 1.0),
        Design::JointBlock => (vec![Readings::of_block(1 << features, epsilon)], 1.0),
        Design::SuperFeatures { bits } => (grouped(features, bits, epsilon), 1.0),
        _ => return None,
    })
}

/// Every pair of features, in groups of `bits` one after the other.
fn grouped(features: usize, bits: usize, epsilon: f64) -> Vec<Readings> {
    let size = |group: usize| bits.min(features - group * bits);
    let channel = |group: usize, share: f64| {
        let symbols = f64::from(1_u32 << size(group));
        among(symbols, share * symbols, epsilon * size(group) as f64 / features as f64)
    };
    let all = (0..features).flat_map(|j| (0..j).map(move |i| [i / bits, j / bits]));
    let reading = |[one, other]: [usize; 2]| match one == other {
        true => Readings::of_cell(channel(one, 0.25)),
        false => Readings::of_bits([channel(one, 0.5), channel(other, 0.5)]),
    };
    all.map(reading).collect()
}

fn mean_variance(readings: &[Readings], people: f64, prior: FrequencyPrior) -> f64 {
    readings.iter().map(|of| of.variance(prior, people)).sum::<f64>() / readings.len() as f64
}

#[track_caller]
fn check(planned: &PlannedDesign, features: usize, epsilon: f64, prior: FrequencyPrior) -> bool {
    let Some((readings, people)) = readings(planned.design, features, epsilon) else { return false };
    let what = format!("{:?} of {features} at {epsilon}", planned.design);
    let want = mean_variance(&readings, people, prior);
    assert!(relative_error(planned.variance, want) < 1e-9, "{what}: {} for {want}", planned.variance);
    let want = readings.iter().map(|of| of.influence(people)).fold(0.0, f64::max);
    assert!(relative_error(planned.influence.of_one(), want) < 1e-9, "{what}: {:?} for {want}", planned.influence);
    let is_partial = |per_person: usize| (per_person < features).then_some(per_person);
    let order = match planned.design {
        Design::SampledBits { per_person } => Some(per_person),
        Design::JointSymbol { per_person } => is_partial(per_person),
        _ => None,
    };
    assert_eq!(planned.order, order, "{what}");
    true
}

#[test]
fn planned_variances_and_false_reports_are_those_of_all_reports() {
    for (features, epsilons) in
        [(2, [0.3, 1.0, 4.0]), (3, [0.3, 1.0, 4.0]), (4, [0.2, 1.0, 8.0]), (5, [1.0, 2.0, 6.0]), (7, [0.5, 4.0, 20.0])]
    {
        for epsilon in epsilons {
            for prior in PRIORS {
                let found = compare(features, Budget::Total(epsilon), prior).unwrap();
                let subset = |of: &&PlannedDesign| features <= 4 || !matches!(of.design, Design::JointSubset { .. });
                let checked = found.designs.iter().filter(subset).filter(|of| check(of, features, epsilon, prior));
                assert!(checked.count() >= 3, "{features} {epsilon}");
            }
        }
    }
}

/// The size of the sets and that of the groups are the best of all; sets of one cell are a joint
/// symbol.
#[test]
fn sizes_of_sets_and_of_groups_are_the_best_of_all() {
    let mut seen = [0, 0];
    for (features, epsilons) in
        [(3, [0.1, 0.7, 3.0]), (4, [0.1, 0.7, 2.0]), (7, [0.5, 6.0, 20.0]), (9, [2.0, 9.0, 25.0])]
    {
        for epsilon in epsilons {
            for prior in PRIORS {
                let found = compare(features, Budget::Total(epsilon), prior).unwrap();
                let find = |is: fn(&Design) -> bool| found.designs.iter().find(|planned| is(&planned.design));
                let groups = find(|design| matches!(design, Design::SuperFeatures { .. })).unwrap().variance;
                let all = (2..features).map(|bits| mean_variance(&grouped(features, bits, epsilon), 1.0, prior));
                assert!(relative_error(groups, all.fold(f64::INFINITY, f64::min)) < 1e-9, "{features} {epsilon}");
                seen[0] += 1;
                if features > 4 {
                    continue;
                }
                let cells = 1 << features;
                let variance = |size: u32| Readings::of_sets(cells, size, epsilon).variance(prior, 1.0);
                let best = (1..=cells as u32 / 2).min_by(|&a, &b| variance(a).total_cmp(&variance(b))).unwrap();
                let subset = find(|design| matches!(design, Design::JointSubset { .. })).map(|planned| planned.design);
                let want = (best > 1).then_some(Design::JointSubset { size: best as usize });
                assert_eq!(subset, want, "{features} {epsilon}");
                seen[1] += usize::from(best > 1);
            }
        }
    }
    assert!(seen[0] > 20 && seen[1] > 5, "{seen:?}");
}

/// 2^16 cells are as many columns as a schema has.
#[test]
fn sets_and_blocks_of_sixteen_features_are_planned_and_of_seventeen_not() {
    for (features, is_listed) in [(16, true), (17, false)] {
        let found = compare(features, Budget::Total(1.0), PRIORS[0]).unwrap();
        let has = |is: fn(&Design) -> bool| found.designs.iter().any(|planned| is(&planned.design));
        assert_eq!(has(|design| matches!(design, Design::JointSubset { .. })), is_listed);
        assert_eq!(has(|design| matches!(design, Design::JointBlock)), is_listed);
    }
}
