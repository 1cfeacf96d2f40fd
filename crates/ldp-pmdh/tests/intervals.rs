//! Intervals and standard errors of one set against their definition (1.12): sums over all reports
//! and rows, the table by norm-sub, and the ends of an interval by bisection.

use crate::support::{assert_close, norm_sub};
use ldp_pmdh::estimate::{ConfidenceLevel, Estimate, Estimator, Population};
use ldp_pmdh::{BitNoise, Channel, Counts, Feature, FixedProbability, Protocol, Schema};
use privacy_core::param::{Epsilon, Probability};
use privacy_core::{Attribute, normal};

const POPULATIONS: [Population; 2] = [Population::Fixed, Population::Super];

/// Reports that cover the set, by which of its columns they support, and how many do not cover it.
struct Covered {
    columns: Vec<usize>,
    histogram: Vec<u64>,
    others: u64,
}

impl Counts for Covered {
    fn reports(&self) -> u64 {
        self.histogram.iter().sum::<u64>() + self.others
    }

    fn count(&self, columns: &[usize], covering: &[usize]) -> Option<u64> {
        let place = |column| self.columns.iter().position(|own| own == column);
        let wanted = columns.iter().try_fold(0, |mask, column| Some(mask | 1 << place(column)?))?;
        let supported = self.histogram.iter().enumerate().filter(|(mask, _)| mask & wanted == wanted);
        let others = if covering.is_empty() { self.others } else { 0 };
        Some(supported.map(|(_, count)| count).sum::<u64>() + others)
    }
}

fn probability(value: f64) -> Probability {
    Probability::new(value).unwrap()
}

fn bits(p: f64, q: f64) -> Protocol {
    Protocol::RandomisedResponse(BitNoise::new(probability(p), probability(q)).unwrap())
}

/// A schema of these protocols and numbers of values; of one feature more, if features are sampled.
fn schema(protocols: &[(Protocol, usize)], is_sampled: bool) -> Schema {
    let spare = is_sampled.then_some((bits(0.25, 0.75), 2));
    let features = protocols.iter().copied().chain(spare).enumerate().map(|(i, (protocol, values))| {
        Feature::new(Attribute::codes(format!("f{i}"), values).unwrap(), protocol).unwrap()
    });
    let schema = Schema::new(features.collect()).unwrap();
    if is_sampled { schema.with_features_per_person(protocols.len()).unwrap() } else { schema }
}

/// The sums that (1.12) is made of.
struct Oracle {
    everyone: f64,
    covering: f64,
    total: f64,
    squares: f64,
    half_step: f64,
    /// People of the nearest table by row, and powers of `Z` of a person of each row: `E Z`,
    /// `E Z^2`, `E Z^3`.
    people: Vec<f64>,
    powers: Vec<[f64; 3]>,
}

impl Oracle {
    fn of(channels: &[Channel], histogram: &[u64], everyone: f64) -> Self {
        let masks = 0..histogram.len();
        let is_set = |mask: usize, i: usize| mask >> i & 1 == 1;
        let product = |factor: &dyn Fn(usize) -> f64| (0..channels.len()).map(factor).product::<f64>();
        let z = |report: usize| product(&|i| channels[i].reading(is_set(report, i)));
        let chance = |row: usize, report: usize| {
            product(&|i| {
                let one = if is_set(row, i) { channels[i].q() } else { channels[i].p() };
                if is_set(report, i) { one } else { 1.0 - one }
            })
        };
        let sum = |of: &dyn Fn(usize) -> f64| masks.clone().map(|b| histogram[b] as f64 * of(b)).sum::<f64>();
        let unbiased = |row: usize| {
            sum(&|report| {
                product(&|i| {
                    let one = channels[i].reading(is_set(report, i));
                    if is_set(row, i) { one } else { 1.0 - one }
                })
            })
        };
        let powers = |row: usize| [1, 2, 3].map(|k| masks.clone().map(|b| chance(row, b) * z(b).powi(k)).sum());
        let steps = masks.clone().flat_map(|b| (0..channels.len()).map(move |i| (z(b) - z(b ^ 1 << i)).abs()));
        Self {
            everyone,
            covering: histogram.iter().sum::<u64>() as f64,
            total: sum(&z),
            squares: sum(&|report| z(report).powi(2)),
            half_step: 0.5 * steps.fold(0.0, f64::max),
            people: norm_sub(masks.clone().map(unbiased).collect()),
            powers: masks.clone().map(powers).collect(),
        }
    }

    /// The mean over the people of the nearest table.
    fn mean(&self, of: impl Fn(&[f64; 3]) -> f64) -> f64 {
        self.people.iter().zip(&self.powers).map(|(people, powers)| people / self.covering * of(powers)).sum()
    }

    /// `V(tau)`: of the lines through the reports and through the nearest table, the larger.
    fn variance(&self, population: Population, tau: f64) -> f64 {
        let known = if population == Population::Fixed { self.covering / self.everyone } else { 0.0 };
        let [z, square, cube] = [0, 1, 2].map(|k| self.mean(|powers| powers[k]));
        // Moments of one report, less the known part of the moments among rows.
        let covariance = cube - square * z - known * (self.mean(|of| of[1] * of[0]) - square * z);
        let variance = square - z * z - known * (self.mean(|of| of[0] * of[0]) - z * z);
        let slope = covariance / variance;
        let lines = [(self.squares, self.total), (self.covering * square, self.covering * z)];
        let line = lines.map(|(squares, at)| squares + slope * (tau - at)).into_iter().fold(f64::MIN, f64::max);
        line - tau * tau / self.covering - known * (tau - tau * tau / self.covering)
    }

    /// The end of the interval above the estimate (`side` 1) or below it (-1), in people.
    fn end(&self, population: Population, level: ConfidenceLevel, side: f64) -> f64 {
        let is_contradicted = |away: f64| {
            let bound = level.half_width().powi(2) * self.variance(population, self.total + side * away);
            (away - self.half_step).powi(2) > bound
        };
        let (mut within, mut beyond) = (self.half_step, self.half_step + 1e6 * self.covering);
        assert!(!is_contradicted(within) && is_contradicted(beyond));
        for _ in 0..120 {
            let middle = 0.5 * (within + beyond);
            *(if is_contradicted(middle) { &mut beyond } else { &mut within }) = middle;
        }
        (self.total + side * within).clamp(0.0, self.covering) * self.everyone / self.covering
    }

    /// (1.8) with the nearest table: the part of the randomisation, and that of the rows.
    fn variances(&self) -> [f64; 2] {
        let [share, square] = [0, 1].map(|k| self.mean(|powers| powers[k]));
        let (randomised, rows) = (square - share, share - share * share);
        let [n, all] = [self.covering, self.everyone];
        let fixed = randomised / n + (1.0 / n - 1.0 / all) * rows;
        [fixed, (randomised + rows) / (n - 1.0)].map(|variance| variance * all * all)
    }

    fn is_impossible(&self, population: Population) -> bool {
        let nearest = self.total.clamp(0.0, self.covering);
        let away = (self.total - nearest).abs() - self.half_step;
        let beyond = normal::upper_quantile(probability(1e-6));
        away > beyond * self.variance(population, nearest).max(0.0).sqrt() && away > 0.0
    }
}

/// Counts over the columns of value 1 of every feature but a spare one.
fn covered(schema: &Schema, histogram: &[u64], others: u64) -> Covered {
    let columns = (0..histogram.len().ilog2() as usize).map(|i| schema.column_of(i, 1).unwrap());
    Covered { columns: columns.collect(), histogram: histogram.to_vec(), others }
}

fn estimate(schema: &Schema, counts: &Covered, population: Population, level: ConfidenceLevel) -> Estimate {
    let estimator = Estimator::new(schema, counts).for_population(population).at_level(level);
    assert_eq!(estimator.reports(), counts.reports());
    estimator.estimate(&counts.columns).unwrap()
}

fn oracle(schema: &Schema, counts: &Covered) -> Oracle {
    let channels: Vec<Channel> = counts.columns.iter().map(|&column| schema.columns()[column].channel).collect();
    Oracle::of(&channels, &counts.histogram, counts.reports() as f64)
}

/// Protocols with the number of values, and a histogram of reports about a set of one value each.
type Case = (Vec<(Protocol, usize)>, Vec<u64>);

fn cases() -> Vec<Case> {
    let grr = Protocol::GeneralisedResponse { truth: FixedProbability::nearest(probability(0.7)) };
    let subset = Protocol::SubsetSelection { size: 2, truth: FixedProbability::nearest(probability(0.8)) };
    let unary = Protocol::UnaryEncoding(BitNoise::optimised_unary(Epsilon::new(1.5).unwrap()).unwrap());
    let (lopsided, sharp) = (bits(0.1, 0.6), bits(0.02, 0.97));
    vec![
        (vec![(lopsided, 2)], vec![260, 140]),
        (vec![(grr, 3)], vec![41, 19]),
        (vec![(subset, 6)], vec![300, 301]),
        // Nobody has it, and everybody.
        (vec![(lopsided, 2)], vec![290, 10]),
        (vec![(sharp, 2)], vec![1, 79]),
        (vec![(lopsided, 2), (grr, 3)], vec![170, 90, 60, 80]),
        (vec![(sharp, 2), (unary, 4)], vec![150, 40, 70, 90]),
        // A cell of the table below 0.
        (vec![(lopsided, 2), (sharp, 2)], vec![240, 3, 20, 70]),
        // The same, with few reports that have the set, and people who have it in the nearest table.
        (vec![(sharp, 2), (sharp, 2)], vec![300, 20, 1, 8]),
        // An unbiased variance below 0, though ten reports have the set.
        (vec![(bits(0.1, 0.9), 2), (bits(0.1, 0.9), 2)], vec![1000, 0, 0, 10]),
        (vec![(sharp, 2), (lopsided, 2), (grr, 4)], vec![120, 95, 60, 70, 50, 45, 41, 66]),
        (vec![(sharp, 2), (sharp, 2), (grr, 3)], vec![3000, 5, 20, 1, 70, 0, 2, 4]),
    ]
}

#[test]
fn an_interval_holds_every_count_that_is_not_contradicted() {
    for (protocols, histogram) in cases() {
        for (others, is_sampled) in [(0, false), (77, true), (901, true)] {
            let schema = schema(&protocols, is_sampled);
            let counts = covered(&schema, &histogram, others);
            let oracle = oracle(&schema, &counts);
            for population in POPULATIONS {
                for level in [0.95, 0.5, 0.9999].map(|level| ConfidenceLevel::new(level).unwrap()) {
                    let found = estimate(&schema, &counts, population, level);
                    let what = format!("{protocols:?} {histogram:?} {others} {population:?}");
                    assert_close(found.count, oracle.total * oracle.everyone / oracle.covering, &what);
                    assert_close(found.interval.low, oracle.end(population, level, -1.0), &what);
                    assert_close(found.interval.high, oracle.end(population, level, 1.0), &what);
                    assert_eq!(found.reports as f64, oracle.covering, "{what}");
                }
            }
        }
    }
}

/// Unbiased variances are checked in fractions elsewhere; where they are not trusted, the standard
/// errors are those of the nearest table or these, whichever is larger.
#[test]
fn standard_errors_of_small_counts_are_not_below_those_of_the_nearest_table() {
    let mut smalls = 0;
    for (protocols, histogram) in cases() {
        for (others, is_sampled) in [(0, false), (77, true)] {
            let schema = schema(&protocols, is_sampled);
            let counts = covered(&schema, &histogram, others);
            let there = oracle(&schema, &counts).variances();
            let found = estimate(&schema, &counts, Population::Super, ConfidenceLevel::NINETY_FIVE);
            let raw = POPULATIONS.map(|population| {
                let estimator = Estimator::new(&schema, &counts).for_population(population);
                estimator.covariance(&counts.columns, &counts.columns).unwrap()
            });
            let [all, set] = [histogram.iter().sum::<u64>(), *histogram.last().unwrap()];
            let is_small = set < 10 || all - set < 10 || raw[0] <= 0.0;
            assert_eq!(found.small_count, is_small, "{protocols:?} {histogram:?}");
            let found = [found.se_fixed_population, found.se_super_population];
            for ((found, raw), there) in found.into_iter().zip(raw).zip(there) {
                let want = if is_small { raw.max(there) } else { raw };
                smalls += usize::from(want > raw);
                assert_close(found, want.max(0.0).sqrt(), &format!("{protocols:?} {histogram:?} {others}"));
            }
        }
    }
    assert!(smalls >= 6, "{smalls}");
}

/// For one column the reports with it are a binomial number with the chance `p + d f`, and the
/// interval is the one that textbooks print for that (Newcombe 1998, method 4).
#[test]
fn an_interval_of_one_column_is_wilsons_with_a_continuity_correction() {
    let z = ConfidenceLevel::NINETY_FIVE.half_width();
    for (p, q) in [(0.25, 0.75), (0.1, 0.6), (0.01, 0.99)] {
        let schema = schema(&[(bits(p, q), 2)], false);
        let n = 250.0;
        for ones in [80, 100, 130] {
            let counts = covered(&schema, &[250 - ones, ones], 0);
            let found = estimate(&schema, &counts, Population::Super, ConfidenceLevel::NINETY_FIVE);
            let share = ones as f64 / n;
            let end = |side: f64| {
                let root = z * z + side * 2.0 - 1.0 / n + 4.0 * share * (n * (1.0 - share) - side);
                (2.0 * n * share + z * z + side * (1.0 + z * root.sqrt())) / (2.0 * (n + z * z))
            };
            let [low, high] = [end(-1.0), end(1.0)].map(|end| n * ((end - p) / (q - p)).clamp(0.0, 1.0));
            assert_close(found.interval.low, low, "the lower end");
            assert_close(found.interval.high, high, "the upper end");
        }
    }
}

#[test]
fn an_estimate_is_impossible_beyond_what_randomisation_does_once_in_a_million_times() {
    for (p, q) in [(0.25, 0.75), (0.4, 0.8), (0.15, 0.6)] {
        for (others, is_sampled) in [(0, false), (150, true)] {
            let schema = schema(&[(bits(p, q), 2)], is_sampled);
            for population in POPULATIONS {
                let mut found = Vec::new();
                for ones in 0..=200 {
                    let counts = covered(&schema, &[200 - ones, ones], others);
                    let estimate = estimate(&schema, &counts, population, ConfidenceLevel::NINETY_FIVE);
                    assert_eq!(estimate.impossible, oracle(&schema, &counts).is_impossible(population), "{p} {ones}");
                    found.push(estimate.impossible);
                }
                assert!(found[0] && !found[100] && found[200], "too few reports, as many as expected, too many");
            }
        }
    }
}

/// Nine or ten reports that have the set, or that lack it.
#[test]
fn a_count_is_small_below_ten_reports_on_either_side() {
    let schema = schema(&[(bits(0.1, 0.9), 2)], false);
    for (histogram, is_small) in [([90, 10], false), ([91, 9], true), ([10, 90], false), ([9, 91], true)] {
        let counts = covered(&schema, &histogram, 0);
        let found = estimate(&schema, &counts, Population::Super, ConfidenceLevel::NINETY_FIVE);
        assert_eq!(found.small_count, is_small, "{histogram:?}");
    }
}

/// A column without noise is counted: of the people who reported nothing is unknown. With noise on
/// one side only, something is.
#[test]
fn only_a_count_without_noise_of_all_who_reported_is_exact() {
    for (p, q, is_exact) in [(0.0, 1.0, true), (0.0, 0.8, false), (0.2, 1.0, false)] {
        for (others, is_sampled) in [(0, false), (70, true)] {
            let schema = schema(&[(bits(p, q), 2)], is_sampled);
            let counts = covered(&schema, &[5, 60], others);
            for population in POPULATIONS {
                let found = estimate(&schema, &counts, population, ConfidenceLevel::NINETY_FIVE);
                assert_eq!(found.small_count, !(p == 0.0 && q == 1.0), "{p} {q}");
                let is_point = found.interval.low == found.count && found.interval.high == found.count;
                let want = is_exact && !is_sampled && population == Population::Fixed;
                assert_eq!(is_point, want, "{p} {q} {is_sampled} {population:?}");
            }
        }
    }
}
