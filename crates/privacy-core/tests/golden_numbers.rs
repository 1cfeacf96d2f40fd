//! The special functions, the binomial and the normal law against grids computed independently.
//!
//! Each test prints the largest relative error by region:
//! `cargo test --release -p privacy-core-tests golden_numbers -- --nocapture`.
#![allow(clippy::print_stdout, reason = "tests report what they measure")]

use std::collections::BTreeMap;

use privacy_core::binomial::Binomial;
use privacy_core::param::Probability;
use privacy_core::{normal, special};
use testkit::{fixtures, hex_f64, relative_error};

/// What the project promises; most functions are held to less below.
const PROMISED: f64 = 1e-12;
/// Values below this have fewer digits than `f64` has.
const SMALLEST: f64 = 1e-300;

/// Rows of a fixture; the first line names the columns.
fn rows(file: &str) -> Vec<Vec<String>> {
    let text = fixtures::text(&format!("core/{file}"));
    text.lines().skip(1).map(|line| line.split_whitespace().map(str::to_owned).collect()).collect()
}

fn decimal(text: &str) -> f64 {
    text.parse().unwrap()
}

/// Largest error and number of points by function and region.
#[derive(Default)]
struct Worst(BTreeMap<String, (f64, usize)>);

impl Worst {
    #[track_caller]
    fn check(&mut self, region: impl Into<String>, got: f64, want: f64, allowed: f64, case: &[String]) {
        let error = relative_error(got, want);
        let entry = self.0.entry(region.into()).or_default();
        *entry = (entry.0.max(error), entry.1 + 1);
        assert!(error <= allowed, "{error:e} at {case:?}: got {got:e}, want {want:e}");
    }

    fn report(&self, points: usize) {
        for (region, (error, count)) in &self.0 {
            println!("{region}: {error:.1e} ({count} points)");
        }
        assert_eq!(self.0.values().map(|v| v.1).sum::<usize>(), points);
    }
}

fn probability(p: f64) -> Probability {
    Probability::new(p).unwrap()
}

#[test]
fn binomial_mass_and_tails_agree_with_the_grid() {
    let (mut worst, mut points) = (Worst::default(), 0);
    for row in rows("binom.txt") {
        let (n, p, k): (u64, _, u64) = (row[0].parse().unwrap(), hex_f64(&row[1]), row[2].parse().unwrap());
        let law = Binomial::new(n, probability(p)).unwrap();
        let size = if n <= 1000 {
            "n <= 1e3"
        } else if n <= 1_000_000 {
            "n <= 1e6"
        } else {
            "n <= 1e9"
        };
        let columns = [
            ("pmf", law.pmf(k), law.ln_pmf(k), decimal(&row[3])),
            ("at_most", law.at_most(k), law.ln_at_most(k), decimal(&row[4])),
            ("at_least", law.at_least(k + 1), law.ln_at_least(k + 1), decimal(&row[5])),
        ];
        for (name, got, ln, want) in columns {
            if want >= SMALLEST {
                worst.check(format!("binomial {name}, {size}"), got, want, PROMISED, &row);
                points += 1;
                // The logarithm of a number near 1 has lost its digits.
                if want < 0.5 {
                    worst.check(format!("binomial ln_{name}, {size}"), ln, want.ln(), 1e-14, &row);
                    points += 1;
                }
            } else {
                assert!(got <= 1.001 * SMALLEST && ln <= SMALLEST.ln() + 0.001, "{name} {row:?}");
            }
        }
    }
    worst.report(points);
}

#[test]
fn normal_tails_agree_with_the_grid() {
    let (mut worst, mut points) = (Worst::default(), 0);
    for row in rows("normal.txt") {
        let x = hex_f64(&row[0]);
        let region = if x.abs() <= 8.0 { "|x| <= 8" } else { "|x| > 8" };
        let columns = [
            ("at_most", normal::at_most(x), normal::ln_at_most(x), decimal(&row[1])),
            ("at_least", normal::at_least(x), normal::ln_at_least(x), decimal(&row[2])),
        ];
        for (name, got, ln, want) in columns {
            if want >= SMALLEST {
                worst.check(format!("normal {name}, {region}"), got, want, 1e-15, &row);
                points += 1;
                if want < 0.5 {
                    worst.check(format!("normal ln_{name}, {region}"), ln, want.ln(), 1e-15, &row);
                    points += 1;
                }
            }
        }
    }
    worst.report(points);
}

#[test]
fn normal_quantiles_agree_with_the_grid() {
    let (mut worst, grid) = (Worst::default(), rows("normal_quantile.txt"));
    for row in &grid {
        let q = hex_f64(&row[0]);
        let region = if q < 1e-10 { "q < 1e-10" } else { "q >= 1e-10" };
        let want = decimal(&row[1]);
        worst.check(format!("normal quantile, {region}"), normal::quantile(probability(q)), want, 4e-15, row);
        let upper = normal::upper_quantile(probability(q));
        worst.check(format!("normal upper_quantile, {region}"), -upper, want, 4e-15, row);
        worst.check(format!("erfc_inv, {region}"), -special::erfc_inv(2.0 * q), want / 2f64.sqrt(), 4e-15, row);
    }
    worst.report(3 * grid.len());
}

#[test]
fn ln_gamma_agrees_with_the_grid() {
    let (mut worst, grid) = (Worst::default(), rows("ln_gamma.txt"));
    for row in &grid {
        let x = hex_f64(&row[0]);
        let region = if x < 0.5 {
            "x < 0.5"
        } else if x < 3.0 {
            "0.5 <= x < 3"
        } else {
            "x >= 3"
        };
        worst.check(format!("ln_gamma, {region}"), special::ln_gamma(x), decimal(&row[1]), 1e-15, row);
    }
    worst.report(grid.len());
}

#[test]
fn error_functions_agree_with_the_grid() {
    let (mut worst, mut points) = (Worst::default(), 0);
    for row in rows("error.txt") {
        let x = hex_f64(&row[0]);
        let region = if x < 0.0 { "x < 0" } else { "x >= 0" };
        let (complement, scaled, ln) = (decimal(&row[1]), decimal(&row[2]), decimal(&row[3]));
        if complement >= SMALLEST {
            worst.check(format!("erfc, {region}"), special::erfc(x), complement, 1e-15, &row);
            points += 1;
        }
        worst.check(format!("erfcx, {region}"), special::erfcx(x), scaled, if x < 0.0 { 4e-14 } else { 1e-15 }, &row);
        worst.check(format!("ln_erfc, {region}"), special::ln_erfc(x), ln, 1e-15, &row);
        points += 2;
    }
    worst.report(points);
}

#[test]
fn the_incomplete_beta_function_agrees_with_the_grid() {
    let (mut worst, mut points) = (Worst::default(), 0);
    for row in rows("beta.txt").into_iter().chain(rows("beta_skewed.txt")) {
        let (a, b, x) = (decimal(&row[0]), decimal(&row[1]), hex_f64(&row[2]));
        let (lower, upper) = (decimal(&row[3]), decimal(&row[4]));
        let size = match (a.max(b), a.min(b)) {
            (..=1e4, _) => "a, b <= 1e4",
            (_, ..=100.0) => "one <= 100, the other <= 1e9",
            _ => "a, b <= 1e9",
        };
        for (name, got, want) in [
            ("beta_reg", special::beta_reg(a, b, x), lower),
            ("beta_reg_upper", special::beta_reg_upper(a, b, x), upper),
        ] {
            if want >= SMALLEST {
                worst.check(format!("{name}, {size}"), got, want, PROMISED, &row);
                points += 1;
            }
        }
    }
    worst.report(points);
}
