//! Section 4 of the source of `ldp-pmdh`, measured: four independent binary columns, q = 0.8, p =
//! 0.1, 10 to 100,000 people.
//!
//! `cargo run --release -p benches --bin ldp_validation [TRIALS]`
//!
//! The rows of every size are fixed (largest remainders of frequencies 0.5, 0.3, 0.2, 0.1), and
//! reports are simulated again and again. Coverage is that of 95 % intervals for the people who
//! reported: with the unbiased variance alone, and as the crate gives them, conservative where
//! few reports have the whole set.
#![allow(clippy::print_stdout, reason = "a program that prints a table")]

use std::process::ExitCode;

use ldp_pmdh::estimate::{Covariance, Estimator, Population, counts_from_truth};
use ldp_pmdh::{BitNoise, Counts, Feature, Protocol, Schema};
use privacy_core::Attribute;
use privacy_core::linalg::symmetric_eigen;
use privacy_core::param::Probability;
use privacy_core::rng::SimRng;
use privacy_core::subsets::zeta_over_supersets;
use rand_core::Rng;

const FREQUENCIES: [f64; 4] = [0.5, 0.3, 0.2, 0.1];
const SIZES: [u64; 6] = [10, 30, 100, 1000, 10_000, 100_000];
const PAIR: usize = 0b0011;
const ALL: usize = 0b1111;
/// Half width of a 95 % interval in standard errors.
const HALF: f64 = 1.959963984540054;

fn main() -> ExitCode {
    let trials = std::env::args().nth(1).map_or(Some(20_000), |word| word.parse().ok());
    let Some(trials @ 1..) = trials else {
        println!("give a number of trials");
        return ExitCode::FAILURE;
    };
    println!("{trials} trials of each size; t12 and t1234, sd and bias in people");
    println!(
        "{:>7} {:>8} {:>6} {:>8} {:>6} {:>6} {:>6} | {:>8} {:>6} {:>8} {:>6} {:>6} {:>6} {:>6} | {:>7} {:>7}",
        "N",
        "t12 sd",
        "claim",
        "bias/se",
        "skew",
        "raw",
        "Estim.",
        "1234 sd",
        "claim",
        "bias/se",
        "skew",
        "V<0",
        "raw",
        "Estim.",
        "indef",
        "super"
    );
    SIZES.into_iter().for_each(|people| study(people, trials));
    ExitCode::SUCCESS
}

/// Sums over trials for one set.
#[derive(Default)]
struct Sums {
    error: f64,
    square: f64,
    cube: f64,
    variance: f64,
    negative: u64,
    raw: u64,
    estimator: u64,
}

impl Sums {
    fn add(&mut self, error: f64, variance: f64, covers: bool) {
        self.error += error;
        self.square += error * error;
        self.cube += error.powi(3);
        self.variance += variance;
        self.negative += u64::from(variance < 0.0);
        self.raw += u64::from(error.abs() <= HALF * variance.max(0.0).sqrt());
        self.estimator += u64::from(covers);
    }

    fn words(&self, trials: f64, negative: bool) -> String {
        let mean = self.error / trials;
        let variance = self.square / trials - mean * mean;
        let skew = (self.cube / trials - 3.0 * mean * self.square / trials + 2.0 * mean.powi(3)) / variance.powf(1.5);
        let share = |count: u64| count as f64 / trials;
        let below = if negative { format!(" {:>6.3}", share(self.negative)) } else { String::new() };
        format!(
            "{:>8.3} {:>6.3} {:>8.2} {:>6.2}{below} {:>6.3} {:>6.3}",
            variance.sqrt(),
            (variance / (self.variance / trials)).sqrt(),
            mean / (variance / trials).sqrt(),
            skew,
            share(self.raw),
            share(self.estimator),
        )
    }
}

fn study(people: u64, trials: u64) {
    let schema = schema();
    let channels: Vec<_> = schema.columns().iter().map(|column| column.channel).collect();
    let rows = rows(people);
    let mut truth: Vec<f64> = rows.iter().map(|&n| n as f64).collect();
    zeta_over_supersets(&mut truth);
    let (mut pair, mut all, mut indefinite, mut broken) = (Sums::default(), Sums::default(), 0_u64, 0_u64);
    // One eigenvalue problem in this number of trials suffices for a share.
    let every = (trials / 2000).max(1);
    for trial in 0..trials {
        let histogram = reports(&channels, &rows, &mut SimRng::for_trial(1, "validation", people * 1_000_000 + trial));
        let counts = Histogram::new(histogram);
        let estimator = Estimator::new(&schema, &counts).for_population(Population::Fixed);
        for (set, members, sums) in [(PAIR, &[0, 1][..], &mut pair), (ALL, &[0, 1, 2, 3], &mut all)] {
            let estimate = estimator.estimate(members).expect("two people and more");
            let variance = estimator.covariance(members, members).expect("two people and more");
            sums.add(estimate.count - truth[set], variance, estimate.interval.contains(truth[set]));
        }
        if trial % every == 0 {
            let mut estimates: Vec<f64> = counts.supersets.iter().map(|&c| c as f64).collect();
            ldp_pmdh::estimate::truth_from_counts(&channels, &mut estimates);
            let of =
                |population| is_indefinite(&Covariance::new(&channels, &estimates, population, 1e9).expect("small"));
            indefinite += u64::from(of(Population::Fixed));
            broken += u64::from(of(Population::Super));
        }
    }
    let (n, looked) = (trials as f64, trials.div_ceil(every) as f64);
    println!(
        "{people:>7} {} | {} | {:>7.4} {:>7.4}",
        pair.words(n, false),
        all.words(n, true),
        indefinite as f64 / looked,
        broken as f64 / looked
    );
}

fn schema() -> Schema {
    let probability = |p: f64| Probability::new(p).expect("a probability");
    let noise = BitNoise::new(probability(0.1), probability(0.8)).expect("p is below q");
    let feature = |name: &str| {
        let attribute = Attribute::codes(name, 2).expect("two values");
        Feature::new(attribute, Protocol::RandomisedResponse(noise)).expect("two values")
    };
    Schema::new(["1", "2", "3", "4"].map(feature).to_vec()).expect("four names")
}

/// People of every type: largest remainders of the products of the frequencies.
fn rows(people: u64) -> Vec<u64> {
    let share = |row: usize| -> f64 {
        FREQUENCIES.iter().enumerate().map(|(i, f)| if row >> i & 1 == 1 { *f } else { 1.0 - f }).product()
    };
    let wanted: Vec<f64> = (0..16).map(|row| share(row) * people as f64).collect();
    let mut rows: Vec<u64> = wanted.iter().map(|w| (w + 1e-9).floor() as u64).collect();
    let mut order: Vec<usize> = (0..16).collect();
    let remainder = |row: usize| wanted[row] - rows[row] as f64;
    order.sort_by(|&a, &b| remainder(b).total_cmp(&remainder(a)));
    let left = people - rows.iter().sum::<u64>();
    order.into_iter().take(left as usize).for_each(|row| rows[row] += 1);
    rows
}

/// Reports of all people: a multinomial for every type of row, by binomials from the mean law of
/// its reports.
fn reports(channels: &[ldp_pmdh::Channel], rows: &[u64], rng: &mut SimRng) -> Vec<u64> {
    let mut histogram = vec![0; 16];
    for (row, &people) in rows.iter().enumerate().filter(|(_, people)| **people > 0) {
        let mut law = vec![0.0; 16];
        law[row] = 1.0;
        zeta_over_supersets(&mut law);
        counts_from_truth(channels, &mut law);
        privacy_core::subsets::moebius_over_supersets(&mut law);
        if people < 200 {
            (0..people).for_each(|_| histogram[one(&law, rng)] += 1);
        } else {
            many(&law, people, rng, &mut histogram);
        }
    }
    histogram
}

fn one(law: &[f64], rng: &mut SimRng) -> usize {
    let mut left = (rng.next_u64() >> 11) as f64 * 2.0_f64.powi(-53);
    law.iter()
        .position(|share| {
            left -= share;
            left < 0.0
        })
        .unwrap_or(law.len() - 1)
}

fn many(law: &[f64], people: u64, rng: &mut SimRng, histogram: &mut [u64]) {
    use rand_distr::Distribution;
    let (mut left, mut mass) = (people, 1.0);
    for (count, share) in histogram.iter_mut().zip(law) {
        let chance = (share / mass).clamp(0.0, 1.0);
        let drawn = rand_distr::Binomial::new(left, chance).expect("a clamped chance").sample(rng);
        (*count, left, mass) = (*count + drawn, left - drawn, mass - share);
    }
    histogram[law.len() - 1] += left;
}

/// Counts of a full table in memory.
struct Histogram {
    supersets: Vec<u64>,
}

impl Histogram {
    fn new(mut histogram: Vec<u64>) -> Self {
        zeta_over_supersets(&mut histogram);
        Self { supersets: histogram }
    }
}

impl Counts for Histogram {
    fn reports(&self) -> u64 {
        self.supersets[0]
    }

    fn count(&self, columns: &[usize], _: &[usize]) -> Option<u64> {
        Some(self.supersets[columns.iter().fold(0, |mask, column| mask | 1 << column)])
    }
}

fn is_indefinite(covariance: &Covariance) -> bool {
    let matrix = covariance.to_dense(1e9).expect("sixteen sets");
    let eigen = symmetric_eigen(matrix.view()).expect("finite numbers");
    let largest = eigen.values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    eigen.values.iter().any(|&value| value < -1e-9 * largest)
}
