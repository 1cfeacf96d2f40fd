//! Prints, as Markdown, how accurate and how fast the special functions are, beside statrs.
//!
//! `cargo run --release -p benches --bin accuracy`. Errors are the largest relative ones over the
//! grids in `fixtures/core`, where the value is above 1e-300; times are the fastest of several
//! passes over the same grid.
#![allow(clippy::print_stdout, reason = "a table on the terminal is what this program is for")]

use std::collections::BTreeMap;
use std::hint::black_box;
use std::panic::catch_unwind;
use std::time::Instant;

use privacy_core::binomial::Binomial;
use privacy_core::param::Probability;
use privacy_core::{normal, special};
use statrs::distribution::{Binomial as TheirBinomial, ContinuousCDF, Discrete, DiscreteCDF, Normal};

const SMALLEST: f64 = 1e-300;
const PASSES: u32 = 20;

type Function = Box<dyn Fn() -> f64 + std::panic::RefUnwindSafe>;

/// One point of a grid: the exact value and the two functions that should give it.
struct Point {
    want: f64,
    own: Function,
    theirs: Function,
}

/// Points by function and region, in the order of the table.
#[derive(Default)]
struct Table(BTreeMap<(&'static str, &'static str), Vec<Point>>);

impl Table {
    fn add(
        &mut self,
        function: &'static str,
        region: &'static str,
        want: f64,
        own: impl Fn() -> f64 + std::panic::RefUnwindSafe + 'static,
        theirs: impl Fn() -> f64 + std::panic::RefUnwindSafe + 'static,
    ) {
        if want.abs() >= SMALLEST {
            let point = Point { want, own: Box::new(own), theirs: Box::new(theirs) };
            self.0.entry((function, region)).or_default().push(point);
        }
    }
}

fn main() {
    std::panic::set_hook(Box::new(|_| ())); // a peer that panics counts as infinitely wrong
    let mut table = Table::default();
    binomial(&mut table);
    normal_law(&mut table);
    gamma(&mut table);
    beta(&mut table);
    println!("| function | region | points | error, privacy-core | error, statrs | ns, privacy-core | ns, statrs |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for ((function, region), points) in &table.0 {
        println!(
            "| {function} | {region} | {} | {:.1e} | {:.1e} | {:.0} | {:.0} |",
            points.len(),
            largest_error(points, |p| &p.own),
            largest_error(points, |p| &p.theirs),
            nanoseconds(points, |p| &p.own),
            nanoseconds(points, |p| &p.theirs),
        );
    }
}

fn largest_error(points: &[Point], side: impl Fn(&Point) -> &Function) -> f64 {
    let error = |point: &Point| {
        let got = catch_unwind(side(point)).unwrap_or(f64::NAN);
        let error = if got == point.want { 0.0 } else { ((got - point.want) / point.want).abs() };
        if error.is_nan() { f64::INFINITY } else { error }
    };
    points.iter().map(error).fold(0.0, f64::max)
}

fn nanoseconds(points: &[Point], side: impl Fn(&Point) -> &Function) -> f64 {
    let pass = || {
        let start = Instant::now();
        for point in points {
            let _ = black_box(catch_unwind(side(point)));
        }
        start.elapsed().as_nanos() as f64 / points.len() as f64
    };
    (0..PASSES).map(|_| pass()).fold(f64::INFINITY, f64::min)
}

fn binomial(table: &mut Table) {
    for row in rows("binom.txt") {
        let (n, p, k) = (row[0] as u64, row[1], row[2] as u64);
        let law = Binomial::new(n, probability(p)).expect("the grid stays below 2^53 trials");
        let theirs = TheirBinomial::new(p, n).expect("the grid holds probabilities");
        let region = match n {
            0..=1_000 => "n <= 1e3",
            1_001..=1_000_000 => "n <= 1e6",
            _ => "n <= 1e9",
        };
        table.add("binomial pmf", region, row[3], move || law.pmf(k), move || theirs.pmf(k));
        table.add("binomial at_most", region, row[4], move || law.at_most(k), move || theirs.cdf(k));
        table.add("binomial at_least", region, row[5], move || law.at_least(k + 1), move || theirs.sf(k));
    }
}

fn normal_law(table: &mut Table) {
    let theirs = Normal::new(0.0, 1.0).expect("the standard normal law");
    for row in rows("normal.txt") {
        let x = row[0];
        let region = if x.abs() <= 8.0 { "abs(x) <= 8" } else { "abs(x) > 8" };
        table.add("normal at_most", region, row[1], move || normal::at_most(x), move || theirs.cdf(x));
        table.add("normal at_least", region, row[2], move || normal::at_least(x), move || theirs.sf(x));
    }
    for row in rows("normal_quantile.txt") {
        let q = probability(row[0]);
        let region = if row[0] < 1e-10 { "q < 1e-10" } else { "q >= 1e-10" };
        let inverse = move || theirs.inverse_cdf(q.get());
        table.add("normal quantile", region, row[1], move || normal::quantile(q), inverse);
    }
    for row in rows("error.txt") {
        let x = row[0];
        table.add("erfc", "-6 to 26", row[1], move || special::erfc(x), move || statrs::function::erf::erfc(x));
    }
}

fn gamma(table: &mut Table) {
    for row in rows("ln_gamma.txt") {
        let x = row[0];
        let region = if (0.5..3.0).contains(&x) { "0.5 to 3" } else { "elsewhere" };
        let theirs = move || statrs::function::gamma::ln_gamma(x);
        table.add("ln_gamma", region, row[1], move || special::ln_gamma(x), theirs);
    }
}

fn beta(table: &mut Table) {
    for row in rows("beta.txt") {
        let (a, b, x) = (row[0], row[1], row[2]);
        let region = if a.max(b) <= 1e4 { "a, b <= 1e4" } else { "a, b <= 1e9" };
        let theirs = move || statrs::function::beta::beta_reg(a, b, x);
        table.add("beta_reg", region, row[3], move || special::beta_reg(a, b, x), theirs);
    }
}

fn probability(p: f64) -> Probability {
    Probability::new(p).expect("the grid holds probabilities")
}

/// The numbers of a fixture, decimal or hexadecimal.
fn rows(file: &str) -> Vec<Vec<f64>> {
    let path = format!("{}/../fixtures/core/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("the fixtures are beside the benches");
    text.lines().skip(1).map(|line| line.split_whitespace().map(number).collect()).collect()
}

/// A decimal number, or a C99 hexadecimal one as the grids write it: `-0x1.8000000000000p-3`.
fn number(word: &str) -> f64 {
    let magnitude = word.trim_start_matches('-');
    let value = match magnitude.strip_prefix("0x").and_then(|hex| hex.split_once('p')) {
        None => magnitude.parse().expect("a decimal number"),
        Some((significand, exponent)) => {
            let (whole, fraction) = significand.split_once('.').unwrap_or((significand, ""));
            let digits = u64::from_str_radix(&format!("{whole}{fraction}"), 16).expect("hexadecimal digits");
            let shift = exponent.parse::<i32>().expect("an exponent") - 4 * fraction.len() as i32;
            digits as f64 * 2f64.powi(shift / 2) * 2f64.powi(shift - shift / 2)
        }
    };
    if word.starts_with('-') { -value } else { value }
}
