//! Exact noise: draws a second, beside the reference that it equals in law.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use privacy_core::noise::{DiscreteGaussian, DiscreteLaplace, Rational, ReferenceGaussian, WideGaussian};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

/// Seed of every stream here.
const SEED: [u8; 32] = [42; 32];
/// Draws an iteration.
const DRAWS: usize = 10_000;

fn gaussian(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("noise/gaussian");
    group.throughput(Throughput::Elements(DRAWS as u64));
    for sigma in [1_u128, 10, 1_000, 1_000_000, 1_000_000_000] {
        let sigma2 = Rational::new(sigma * sigma, 1).expect("the denominator is 1");
        let (fast, reference) = (DiscreteGaussian::new(sigma2), ReferenceGaussian::new(sigma2));
        let (fast, reference) = (fast.expect("in range"), reference.expect("in range"));
        let mut values = vec![0_i64; DRAWS];
        group.bench_function(BenchmarkId::new("block", format!("sigma={sigma}")), |bench| {
            let mut rng = ChaCha20Rng::from_seed(SEED);
            bench.iter(|| {
                values.fill(0);
                fast.add_to(&mut values, &mut rng)
            });
        });
        group.bench_function(BenchmarkId::new("reference", format!("sigma={sigma}")), |bench| {
            let mut rng = ChaCha20Rng::from_seed(SEED);
            bench.iter(|| (0..DRAWS).fold(0_i64, |sum, _| sum ^ reference.sample(&mut rng)));
        });
    }
    group.finish();
}

/// Beyond 64 bits.
fn wide(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("noise/gaussian");
    group.throughput(Throughput::Elements(DRAWS as u64));
    for doublings in [0, 20, 70, 110] {
        let law = WideGaussian::new(Rational::ONE, doublings).expect("gamma is below 2^112");
        let mut cells = vec![0_i128; DRAWS];
        group.bench_function(BenchmarkId::new("wide", format!("gamma=2^{doublings}")), |bench| {
            let mut rng = ChaCha20Rng::from_seed(SEED);
            bench.iter(|| {
                cells.fill(0);
                law.add_to(&mut cells, &mut rng)
            });
        });
    }
    group.finish();
}

fn laplace(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("noise/laplace");
    group.throughput(Throughput::Elements(DRAWS as u64));
    for scale in [1_u128, 100, 1_000_000] {
        let law = DiscreteLaplace::new(Rational::new(scale, 1).expect("the denominator is 1")).expect("in range");
        group.bench_function(BenchmarkId::new("reference", format!("scale={scale}")), |bench| {
            let mut rng = ChaCha20Rng::from_seed(SEED);
            bench.iter(|| (0..DRAWS).fold(0_i64, |sum, _| sum ^ law.sample(&mut rng)));
        });
    }
    group.finish();
}

/// What a table costs before its first draw.
fn setup(criterion: &mut Criterion) {
    let sigma2 = Rational::new(123_456_789, 16).expect("the denominator is not 0");
    criterion.bench_function("noise/gaussian/setup", |bench| bench.iter(|| DiscreteGaussian::new(sigma2)));
}

criterion_group!(benches, gaussian, wide, laplace, setup);
criterion_main!(benches);
