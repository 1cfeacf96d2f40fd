//! Screening: closed forms by number of columns, and the coverage of a table.

use benches::SEED;
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use hetero_screen::{
    Classes, CodedColumn, Column, Coverage, RealisedCoverage, Records, ScreenLimits, ScreenSpec, ScreenTargets,
    Suppression, UniformNoise, screen,
};
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

fn spec(rows: u64, cardinalities: impl IntoIterator<Item = u64>, classes: usize, below: u64) -> ScreenSpec {
    let columns = cardinalities.into_iter().map(|d| Column::uniform(d).expect("at least one value")).collect();
    let classes = Classes::equal(classes).expect("at least one class");
    ScreenSpec::new(rows, columns, classes, Suppression::ClassCount(below), UniformNoise::uniform(2)).expect("a spec")
}

fn model(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("screen");
    let cases = [
        ("coverage/columns=30 equal", spec(1000, [4; 30], 2, 3)),
        ("coverage/columns=20 different", spec(1000, 2..22, 3, 2)),
        ("coverage/columns=100 different", spec(2000, 2..102, 2, 3)),
        ("coverage/columns=100, 10 kinds", spec(10_000, (0..100).map(|i| 2 + i % 10), 2, 5)),
    ];
    for (name, spec) in &cases {
        group.bench_function(*name, |bench| {
            bench.iter(|| Coverage::of(spec, &ScreenLimits::default()).expect("in limits"));
        });
    }
    for columns in [4, 8, 12] {
        let spec = spec(500, vec![4; columns], 2, 3);
        group.bench_function(BenchmarkId::new("report/columns", columns), |bench| {
            bench.iter(|| screen(&spec, &ScreenTargets::default(), &ScreenLimits::default()).expect("in limits"));
        });
    }
    group.finish();
}

/// Independent columns of `cardinality` values, and three classes.
fn table(rows: usize, columns: usize, cardinality: u32) -> Records {
    let mut rng = ChaCha20Rng::from_seed(SEED);
    let mut codes = |below: u32| -> Vec<u32> { (0..rows).map(|_| rng.next_u32() % below).collect() };
    let columns: Vec<Vec<u32>> = (0..columns).map(|_| codes(cardinality)).collect();
    let labels = codes(3);
    let cardinality = cardinality as usize;
    let columns: Vec<CodedColumn<'_>> = columns.iter().map(|codes| CodedColumn { codes, cardinality }).collect();
    Records::new(&columns, CodedColumn { codes: &labels, cardinality: 3 }, None).expect("a table")
}

fn realised(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("screen/table");
    group.sample_size(10);
    for values in [2, 4, 10] {
        let records = table(100_000, 10, values);
        let spec = records.model(Suppression::ClassCount(5), UniformNoise::uniform(2)).expect("a spec");
        group.bench_function(BenchmarkId::new("rows=100000/columns=10/values", values), |bench| {
            bench.iter(|| RealisedCoverage::of(&records, &spec, &ScreenLimits::default()).expect("in limits"));
        });
    }
    group.finish();
}

criterion_group!(benches, model, realised);
criterion_main!(benches);
