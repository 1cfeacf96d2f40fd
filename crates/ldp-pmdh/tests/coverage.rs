//! How often intervals cover: single columns by enumeration of every count, sets by simulation.

use ldp_pmdh::estimate::{ConfidenceInterval, ConfidenceLevel, Estimator, Population};
use ldp_pmdh::{BitNoise, Counts, Feature, Protocol, Schema};
use privacy_core::Attribute;
use privacy_core::binomial::Binomial;
use privacy_core::param::{Epsilon, Probability};
use privacy_core::rng::SimRng;
use rand_core::Rng as _;

/// What 95 % intervals shall cover at least.
const LEAST: f64 = 0.93;
const POPULATIONS: [Population; 2] = [Population::Fixed, Population::Super];

/// Reports of a few columns by which of them they support.
struct Histogram(Vec<u64>);

impl Counts for Histogram {
    fn reports(&self) -> u64 {
        self.0.iter().sum()
    }

    fn count(&self, columns: &[usize], _: &[usize]) -> Option<u64> {
        let wanted = columns.iter().fold(0, |mask, column| mask | 1 << column);
        Some(self.0.iter().enumerate().filter(|(mask, _)| mask & wanted == wanted).map(|(_, count)| count).sum())
    }
}

fn probability(value: f64) -> Probability {
    Probability::new(value).unwrap()
}

fn schema(noise: BitNoise, columns: usize) -> Schema {
    let feature = |i: usize| {
        let attribute = Attribute::codes(format!("f{i}"), 2).unwrap();
        Feature::new(attribute, Protocol::RandomisedResponse(noise)).unwrap()
    };
    Schema::new((0..columns).map(feature).collect()).unwrap()
}

fn symmetric(epsilon: f64) -> BitNoise {
    BitNoise::symmetric(Epsilon::new(epsilon).unwrap()).unwrap()
}

/// The masses of `trials` coins, and the count of the first of them: what is left out has mass
/// below 1e-12 on either side.
fn masses(trials: u64, success: f64) -> (u64, Vec<f64>) {
    let law = Binomial::new(trials, probability(success)).unwrap();
    let (first, last) = (law.quantile(probability(1e-12)), law.upper_quantile(probability(1e-12)));
    (first, (first..=last).map(|k| law.pmf(k)).collect())
}

/// The law of the number of reports that have the column, when `with` of `people` do.
fn fixed_law(schema: &Schema, people: u64, with: u64) -> (u64, Vec<f64>) {
    let channel = schema.columns()[0].channel;
    let (one, other) = (masses(with, channel.q()), masses(people - with, channel.p()));
    let mut law = vec![0.0; one.1.len() + other.1.len() - 1];
    for (i, a) in one.1.iter().enumerate() {
        law[i..].iter_mut().zip(&other.1).for_each(|(sum, b)| *sum += a * b);
    }
    (one.0 + other.0, law)
}

/// An interval of one column: what is tested, or what was printed before.
type Rule = fn(&Schema, Population, u64, u64) -> ConfidenceInterval;

fn printed(schema: &Schema, population: Population, people: u64, count: u64) -> ConfidenceInterval {
    let counts = Histogram(vec![people - count, count]);
    Estimator::new(schema, &counts).for_population(population).estimate(&[0]).unwrap().interval
}

/// The negative control: an estimate and 1.96 of its unbiased standard errors.
fn normal(schema: &Schema, population: Population, people: u64, count: u64) -> ConfidenceInterval {
    let counts = Histogram(vec![people - count, count]);
    let estimator = Estimator::new(schema, &counts).for_population(population);
    let (estimate, variance) = (estimator.estimate(&[0]).unwrap(), estimator.covariance(&[0], &[0]).unwrap());
    ConfidenceInterval::around(estimate.count, variance.max(0.0).sqrt(), ConfidenceLevel::NINETY_FIVE)
}

/// Coverage at each share of people, all counts enumerated.
fn coverages(rule: Rule, schema: &Schema, population: Population, people: u64, shares: &[f64]) -> Vec<f64> {
    // An interval depends on the count alone: each is computed once for all shares.
    let mut intervals = vec![None; people as usize + 1];
    let channel = schema.columns()[0].channel;
    let coverage = |&share: &f64| {
        let with = (share * people as f64).round();
        let (first, law) = match population {
            Population::Fixed => fixed_law(schema, people, with as u64),
            Population::Super => masses(people, channel.report_probability(share)),
        };
        let truth = if population == Population::Fixed { with } else { share * people as f64 };
        let mut covered = 0.0;
        for (count, mass) in (first..).zip(law) {
            let interval: &mut Option<ConfidenceInterval> = &mut intervals[count as usize];
            let interval = interval.get_or_insert_with(|| rule(schema, population, people, count));
            // The true share of a population is a rounded double.
            let is_covered =
                interval.low <= truth + 1e-9 * people as f64 && truth <= interval.high + 1e-9 * people as f64;
            covered += if is_covered { mass } else { 0.0 };
        }
        covered
    };
    shares.iter().map(coverage).collect()
}

const SHARES: [f64; 15] = [0.0, 0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999, 1.0];

/// The smallest coverage over numbers of people, populations and shares.
fn worst(rule: Rule, noise: BitNoise, people: &[u64]) -> f64 {
    let (schema, mut worst) = (schema(noise, 1), 1.0_f64);
    for &people in people {
        for population in POPULATIONS {
            let least = coverages(rule, &schema, population, people, &SHARES).into_iter().fold(1.0, f64::min);
            worst = worst.min(least);
        }
    }
    worst
}

#[test]
fn intervals_of_one_column_cover_on_both_sides_by_enumeration() {
    for epsilon in [0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0] {
        let least = worst(printed, symmetric(epsilon), &[30, 100, 200, 1000]);
        assert!(least >= 0.945, "epsilon {epsilon}: {least}");
    }
    for epsilon in [0.5, 2.0, 5.0, 8.0] {
        // Bits of a block: a 1 stays with one half.
        let block = BitNoise::optimised_unary(Epsilon::new(epsilon).unwrap()).unwrap();
        let least = worst(printed, block, &[30, 200]);
        assert!(least >= 0.945, "block, epsilon {epsilon}: {least}");
    }
    // Many people: rare shares are where the normal law is worst.
    let schema = schema(symmetric(8.0), 1);
    for population in POPULATIONS {
        let rare = coverages(printed, &schema, population, 100_000, &[0.0, 1e-5, 1e-4, 0.9999, 1.0]);
        assert!(rare.iter().all(|&coverage| coverage >= 0.945), "{population:?}: {rare:?}");
    }
}

#[test]
fn normal_intervals_would_not_cover_where_nearly_all_reports_agree() {
    // (epsilon, people, share, coverage of the normal interval at most)
    for (epsilon, people, share, most) in [(7.0, 1000, 1.0, 0.65), (5.0, 200, 1.0, 0.8), (5.0, 200, 0.99, 0.9)] {
        let schema = schema(symmetric(epsilon), 1);
        let old = coverages(normal, &schema, Population::Super, people, &[share])[0];
        let new = coverages(printed, &schema, Population::Super, people, &[share])[0];
        assert!(old < most && new >= 0.945, "{epsilon} {people} {share}: {old}, {new}");
    }
    assert!(worst(normal, symmetric(7.0), &[30]) < 0.5);
}

/// How many of `trials` coins show a 1.
fn draw(trials: u64, success: f64, rng: &mut SimRng) -> u64 {
    if trials == 0 || success <= 0.0 {
        return 0;
    }
    let uniform = (rng.next_u64() >> 11) as f64 * 2.0_f64.powi(-53);
    Binomial::new(trials, probability(success.min(1.0))).unwrap().quantile(probability(uniform))
}

/// As many people as there are, in cells of these shares.
fn drawn(people: u64, cells: &[f64], rng: &mut SimRng) -> Vec<u64> {
    let (mut left, mut share_left) = (people, 1.0);
    let mut counts = vec![0; cells.len()];
    for (count, &share) in counts.iter_mut().zip(cells) {
        *count = if share >= share_left { left } else { draw(left, share / share_left, rng) };
        (left, share_left) = (left - *count, share_left - share);
    }
    counts
}

/// Reports of people in cells: every bit goes through the noise.
fn reported(mut cells: Vec<u64>, noise: (f64, f64), rng: &mut SimRng) -> Vec<u64> {
    for bit in 0..cells.len().trailing_zeros() {
        for without in (0..cells.len()).filter(|mask| mask >> bit & 1 == 0) {
            let with = without | 1 << bit;
            let (stays, becomes) = (draw(cells[with], noise.1, rng), draw(cells[without], noise.0, rng));
            let ones = stays + becomes;
            (cells[without], cells[with]) = (cells[without] + cells[with] - ones, ones);
        }
    }
    cells
}

/// Shares of the cells of some columns, each of which a share of people has.
fn cells(pattern: &str, columns: usize, share: f64) -> Vec<f64> {
    let all = (1 << columns) - 1;
    let of = |mask: usize| match pattern {
        "independent" => (0..columns).map(|i| if mask >> i & 1 == 1 { share } else { 1.0 - share }).product(),
        // A person who lacks the set lacks one column of it.
        "all but one" if mask == all - 1 => 1.0 - share,
        // A person who lacks the set has nothing.
        "nested" if mask == 0 => 1.0 - share,
        _ if mask == all => share,
        _ => 0.0,
    };
    (0..1 << columns).map(of).collect()
}

#[test]
fn intervals_of_pairs_and_triples_cover_on_both_sides() {
    let trials = 150;
    // A coverage of 93 % has fewer than this once in 10^9.
    let least = Binomial::new(trials, probability(LEAST)).unwrap().quantile(probability(1e-9));
    let (mut total, mut settings, mut rng) = (0, 0, SimRng::for_trial(15, "coverage of sets", 0));
    for columns in [2, 3] {
        for epsilon in [0.5, 3.0, 7.0] {
            let schema = schema(symmetric(epsilon), columns);
            let channel = schema.columns()[0].channel;
            let set: Vec<usize> = (0..columns).collect();
            for people in [30, 2000] {
                for (share, pattern) in [0.0, 0.02, 0.98, 1.0].iter().flat_map(|&share| PATTERNS.map(|p| (share, p))) {
                    for population in POPULATIONS {
                        let law = cells(pattern, columns, share);
                        let rows = rounded(people, &law);
                        let truth = match population {
                            Population::Fixed => rows[rows.len() - 1] as f64,
                            Population::Super => law[law.len() - 1] * people as f64,
                        };
                        let mut covered = 0;
                        for _ in 0..trials {
                            let sample = match population {
                                Population::Fixed => rows.clone(),
                                Population::Super => drawn(people, &law, &mut rng),
                            };
                            let counts = Histogram(reported(sample, (channel.p(), channel.q()), &mut rng));
                            let estimator = Estimator::new(&schema, &counts).for_population(population);
                            covered += u64::from(estimator.estimate(&set).unwrap().interval.contains(truth));
                        }
                        let what = (columns, epsilon, people, share, pattern, population);
                        assert!(covered >= least, "{what:?}: {covered} of {trials}");
                        (total, settings) = (total + covered, settings + 1);
                    }
                }
            }
        }
    }
    // All settings together: chance moves their mean by less than half a percent.
    assert!(total as f64 >= 0.95 * (settings * trials) as f64, "{total} of {}", settings * trials);
}

const PATTERNS: [&str; 3] = ["independent", "all but one", "nested"];

/// Whole people in cells, those with nothing as many as are left.
fn rounded(people: u64, cells: &[f64]) -> Vec<u64> {
    let mut counts: Vec<u64> = cells.iter().map(|share| (share * people as f64).round() as u64).collect();
    let others: u64 = counts[1..].iter().sum();
    match people.checked_sub(others) {
        Some(left) => counts[0] = left,
        None => {
            // Rounded up once too often: the cell before the last gives way.
            let before = counts.len() - 2;
            counts[0] = 0;
            counts[before] -= others - people;
        }
    }
    counts
}
