//! Tails, quantiles and accounting; statrs beside `privacy-core` where it has the function.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use privacy_core::accounting::{PrivacyCost, gaussian, zcdp};
use privacy_core::binomial::Binomial;
use privacy_core::param::{Delta, Epsilon, Probability};
use privacy_core::{normal, special};
use statrs::distribution::{Binomial as TheirBinomial, ContinuousCDF, Discrete, DiscreteCDF, Normal};

const PROBABILITIES: [f64; 2] = [0.5, 1e-3];
const TRIALS: [u64; 4] = [20, 1_000, 1_000_000, 1_000_000_000];
/// How many spreads above the mean the tail begins.
const DISTANCE: f64 = 3.0;

fn probability(p: f64) -> Probability {
    Probability::new(p).expect("constants of this file are probabilities")
}

fn binomial(c: &mut Criterion) {
    let mut group = c.benchmark_group("binomial");
    for p in PROBABILITIES {
        for n in TRIALS {
            let law = Binomial::new(n, probability(p)).expect("at most 2^53 trials");
            let theirs = TheirBinomial::new(p, n).expect("a probability");
            let (mean, spread) = (n as f64 * p, (n as f64 * p * (1.0 - p)).sqrt());
            let k = (mean + DISTANCE * spread) as u64;
            let id = |function: &str| BenchmarkId::new(function, format!("n={n}/p={p}"));
            group.bench_function(id("pmf/privacy-core"), |b| b.iter(|| law.pmf(black_box(k))));
            group.bench_function(id("pmf/statrs"), |b| b.iter(|| theirs.pmf(black_box(k))));
            group.bench_function(id("tail/privacy-core"), |b| b.iter(|| law.at_least(black_box(k))));
            group.bench_function(id("tail/statrs"), |b| b.iter(|| theirs.sf(black_box(k))));
            let tail = probability(1e-9);
            group.bench_function(id("upper_quantile/privacy-core"), |b| b.iter(|| law.upper_quantile(black_box(tail))));
        }
    }
    group.finish();
}

fn normal_law(c: &mut Criterion) {
    let mut group = c.benchmark_group("normal");
    let theirs = Normal::new(0.0, 1.0).expect("the standard normal law");
    for x in [0.5, 3.0, 20.0] {
        let id = |function: &str| BenchmarkId::new(function, format!("x={x}"));
        group.bench_function(id("at_least/privacy-core"), |b| b.iter(|| normal::at_least(black_box(x))));
        group.bench_function(id("at_least/statrs"), |b| b.iter(|| theirs.sf(black_box(x))));
        group.bench_function(id("ln_at_least/privacy-core"), |b| b.iter(|| normal::ln_at_least(black_box(x))));
        let p = probability(normal::at_most(-x));
        group.bench_function(id("quantile/privacy-core"), |b| b.iter(|| normal::quantile(black_box(p))));
        group.bench_function(id("quantile/statrs"), |b| b.iter(|| theirs.inverse_cdf(black_box(p.get()))));
    }
    group.finish();
}

fn special_functions(c: &mut Criterion) {
    let mut group = c.benchmark_group("special");
    for x in [0.3, 5.5, 1e6] {
        let id = |function: &str| BenchmarkId::new(function, format!("x={x}"));
        group.bench_function(id("ln_gamma/privacy-core"), |b| b.iter(|| special::ln_gamma(black_box(x))));
        group.bench_function(id("ln_gamma/statrs"), |b| b.iter(|| statrs::function::gamma::ln_gamma(black_box(x))));
    }
    for (a, b) in [(2.5, 0.5), (30.0, 70.0), (1e5, 2e5)] {
        let x = a / (a + b) * 0.98;
        let id = |function: &str| BenchmarkId::new(function, format!("a={a}/b={b}"));
        group.bench_function(id("beta_reg/privacy-core"), |t| t.iter(|| special::beta_reg(a, b, black_box(x))));
        group.bench_function(id("beta_reg/statrs"), |t| {
            t.iter(|| statrs::function::beta::beta_reg(a, b, black_box(x)));
        });
        group.bench_function(id("beta_reg_inv/privacy-core"), |t| {
            t.iter(|| special::beta_reg_inv(a, b, black_box(0.01)));
        });
    }
    group.finish();
}

fn accounting(c: &mut Criterion) {
    let mut group = c.benchmark_group("accounting");
    let epsilon = Epsilon::new(1.0).expect("positive");
    let delta = Delta::new(1e-9).expect("between 0 and 1");
    for c in [1e-4, 0.1, 10.0] {
        let cost = PrivacyCost::new(c).expect("positive");
        let id = |function: &str| BenchmarkId::new(function, format!("cost={c}"));
        group.bench_function(id("gaussian/delta"), |b| b.iter(|| gaussian::delta(black_box(cost), epsilon)));
        group.bench_function(id("gaussian/epsilon"), |b| b.iter(|| gaussian::epsilon(black_box(cost), delta)));
        group.bench_function(id("zcdp/delta"), |b| b.iter(|| zcdp::delta(black_box(cost.rho()), epsilon)));
        group.bench_function(id("zcdp/epsilon"), |b| b.iter(|| zcdp::epsilon(black_box(cost.rho()), delta)));
    }
    group.bench_function("gaussian/cost/epsilon=1", |b| b.iter(|| gaussian::cost(black_box(epsilon), delta)));
    group.bench_function("zcdp/rho/epsilon=1", |b| b.iter(|| zcdp::rho(black_box(epsilon), delta)));
    group.finish();
}

criterion_group!(benches, binomial, normal_law, special_functions, accounting);
criterion_main!(benches);
