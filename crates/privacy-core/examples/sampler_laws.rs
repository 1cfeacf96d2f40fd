//! Every sampler against its law, at the number of draws that a release of the project asks for,
//! and the same draws against a law whose variance, scale, exponent or probability is 2 % more,
//! which they must not follow:
//! `cargo run --release -p privacy-core --example sampler_laws -- 10000000 [PART OF A NAME]`.
//!
//! The tests and their critical values are those of `testkit::law`: exact p-values of cells, the
//! distance of distribution functions, signs; a right sampler fails with a probability of 1e-9.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a program that prints what it measured")]

use std::process::ExitCode;

use privacy_core::noise::{
    DiscreteGaussian, DiscreteLaplace, Rational, ReferenceGaussian, WideGaussian, bernoulli, bernoulli_exp,
};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use testkit::{LawJudge, masses};

/// What the wrong variance is, of the right one.
const WRONG: f64 = 1.02;

type Judge = LawJudge<ChaCha20Rng>;

fn compare_digits(judge: &mut Judge, name: &str, draw: impl FnMut(&mut ChaCha20Rng) -> i64) {
    judge.compare(name, draw, masses::uniform(32), masses::uniform(33));
}

fn rational(numerator: u128, denominator: u128) -> Rational {
    Rational::new(numerator, denominator).unwrap()
}

fn small_gaussians(judge: &mut Judge) {
    for (n, d) in [(1, 4), (1, 1), (30, 7), (64, 1), (1000, 3), (9_000, 1)] {
        let sigma2 = rational(n, d);
        let (right, wrong) = (sigma2.to_f64(), WRONG * sigma2.to_f64());
        let fast = DiscreteGaussian::new(sigma2).unwrap();
        let name = format!("DiscreteGaussian, sigma^2 = {n}/{d}");
        judge.compare(&name, |rng| fast.sample(rng), masses::gaussian(right), masses::gaussian(wrong));
        let slow = ReferenceGaussian::new(sigma2).unwrap();
        let name = format!("ReferenceGaussian, sigma^2 = {n}/{d}");
        judge.compare(&name, |rng| slow.sample(rng), masses::gaussian(right), masses::gaussian(wrong));
    }
}

/// In cells of a tenth of sigma; then the digits below a cell.
fn large_gaussians(judge: &mut Judge) {
    for sigma in [1_000_i128, 65_536, 999_999_937, (1 << 36) - 1, 1 << 36, (1 << 43) + 12_345, (1 << 50) - 1] {
        let gaussian = DiscreteGaussian::new(rational((sigma as u128).pow(2), 1)).unwrap();
        let (width, name) = (sigma / 10, format!("DiscreteGaussian, sigma = {sigma}"));
        let (law, wrong) = cells(sigma as f64, width);
        judge.compare(&name, |rng| i128::from(gaussian.sample(rng)).div_euclid(width) as i64, law, wrong);
        compare_digits(judge, &format!("{name}, low digits"), |rng| gaussian.sample(rng).rem_euclid(32));
    }
}

fn cells(sigma: f64, width: i128) -> (impl Fn(i64) -> f64, impl Fn(i64) -> f64) {
    (masses::gaussian_cells(sigma, width), masses::gaussian_cells(WRONG.sqrt() * sigma, width))
}

fn wide_gaussians(judge: &mut Judge) {
    for (n, d, doublings) in [(1, 4, 0), (1, 1 << 20, 10), (30, 7, 2), (64, 1, 1)] {
        let gaussian = WideGaussian::new(rational(n, d), doublings).unwrap();
        let variance = n as f64 / d as f64 * 4.0_f64.powi(doublings as i32);
        let name = format!("WideGaussian, sigma^2 = {n}/{d}, doubled {doublings} times");
        let (law, wrong) = (masses::gaussian(variance), masses::gaussian(WRONG * variance));
        judge.compare(&name, |rng| gaussian.sample(rng) as i64, law, wrong);
    }
    for (sigma, doublings) in [(1_000_i128, 1), (1_000_003, 29), (1, 63), (1, 67), (3, 98), (65_535, 96)] {
        let gaussian = WideGaussian::new(rational(sigma.pow(2) as u128, 1), doublings).unwrap();
        let width = (sigma << doublings) / 10;
        let (law, wrong) = cells((sigma << doublings) as f64, width);
        let name = format!("WideGaussian, sigma = {sigma}, doubled {doublings} times");
        judge.compare(&name, |rng| gaussian.sample(rng).div_euclid(width) as i64, law, wrong);
        compare_digits(judge, &format!("{name}, low digits"), |rng| (gaussian.sample(rng) & 31) as i64);
    }
}

fn laplaces(judge: &mut Judge) {
    for (n, d) in [(1, 10), (1, 2), (1, 1), (20, 3), (100, 1), (1_000, 1)] {
        let laplace = DiscreteLaplace::new(rational(n, d)).unwrap();
        let scale = n as f64 / d as f64;
        let (law, wrong) = (masses::laplace(scale), masses::laplace(WRONG * scale));
        judge.compare(&format!("DiscreteLaplace, scale = {n}/{d}"), |rng| laplace.sample(rng), law, wrong);
    }
}

/// From coins that nearly always show heads to one that shows them once in 3,000.
fn coins(judge: &mut Judge) {
    for (n, d) in [(1, 50), (1, 10), (2, 3), (1, 1), (5, 3), (5, 1), (8, 1)] {
        let (gamma, name) = (rational(n, d), format!("bernoulli_exp, gamma = {n}/{d}"));
        let (law, wrong) = (masses::coin((-gamma.to_f64()).exp()), masses::coin((-WRONG * gamma.to_f64()).exp()));
        judge.compare(&name, |rng| bernoulli_exp(gamma, rng).into(), law, wrong);
    }
    let wide = ((2 << 126) + 1, (3 << 126) + 2);
    for (name, (n, d)) in [("1/50", (1, 50)), ("1/3", (1, 3)), ("1/2", (1, 2)), ("2/3 of wide integers", wide)] {
        let chance = rational(n, d);
        let (law, wrong) = (masses::coin(chance.to_f64()), masses::coin(WRONG * chance.to_f64()));
        judge.compare(&format!("bernoulli, {name}"), |rng| bernoulli(chance, rng).unwrap().into(), law, wrong);
    }
}

fn main() -> ExitCode {
    let rng = ChaCha20Rng::from_seed([22; 32]);
    let Some(mut judge) = Judge::of_command_line(rng, std::env::args().skip(1)) else {
        println!("sampler_laws [DRAWS] [PART OF A NAME]");
        return ExitCode::from(2);
    };
    small_gaussians(&mut judge);
    large_gaussians(&mut judge);
    wide_gaussians(&mut judge);
    laplaces(&mut judge);
    coins(&mut judge);
    judge.end()
}
