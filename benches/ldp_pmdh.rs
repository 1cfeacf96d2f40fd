//! Reports: bits a second through clients, kernels and aggregators.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ldp_pmdh::{Aggregator, BitNoise, Client, Feature, Kernel, Protocol, Schema, StateDetail};
use privacy_core::Attribute;
use privacy_core::param::Epsilon;
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

const SEED: [u8; 32] = [62; 32];
/// Reports of an iteration.
const REPORTS: usize = 10_000;

fn binary(count: usize) -> Schema {
    let noise = BitNoise::symmetric(Epsilon::new(1.0).expect("positive")).expect("a moderate epsilon");
    let feature = |i: usize| {
        let attribute = Attribute::codes(format!("b{i}"), 2).expect("two values");
        Feature::new(attribute, Protocol::RandomisedResponse(noise)).expect("two values")
    };
    Schema::new((0..count).map(feature).collect()).expect("few features")
}

fn one_of_each() -> Vec<(&'static str, Schema)> {
    let epsilon = Epsilon::new(2.0).expect("positive");
    let of = |protocol| {
        let attribute = Attribute::codes("value", 16).expect("values");
        Schema::new(vec![Feature::new(attribute, protocol).expect("16 values")]).expect("one feature")
    };
    let unary = BitNoise::optimised_unary(epsilon).expect("a moderate epsilon");
    vec![
        ("rr", binary(16)),
        ("ue", of(Protocol::UnaryEncoding(unary))),
        ("grr", of(Protocol::generalised_response(epsilon, 16).expect("a moderate epsilon"))),
        ("lh", of(Protocol::local_hashing(epsilon, None).expect("a moderate epsilon"))),
    ]
}

/// Sixteen binary answers, or one of sixteen values.
fn clients(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("ldp/client");
    group.throughput(Throughput::Elements(REPORTS as u64));
    for (name, schema) in one_of_each() {
        let rows = vec![1; REPORTS * schema.features().len()];
        let client = Client::new(schema);
        let mut rng = ChaCha20Rng::from_seed(SEED);
        group.bench_function(name, |bench| bench.iter(|| client.randomise_rows(&rows, &mut rng)));
    }
    group.finish();
}

fn aggregators(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("ldp/aggregate");
    group.throughput(Throughput::Elements(REPORTS as u64));
    for (name, schema) in one_of_each() {
        let rows = vec![1; REPORTS * schema.features().len()];
        let reports = Client::new(schema.clone()).randomise_rows(&rows, &mut ChaCha20Rng::from_seed(SEED));
        let reports = reports.expect("rows of the schema");
        for (kept, keep) in [("full", StateDetail::Full), ("pairs", StateDetail::UpTo(2))] {
            group.bench_function(BenchmarkId::new(name, kept), |bench| {
                bench.iter(|| {
                    let mut aggregator = Aggregator::new(schema.clone(), keep, 1e9).expect("16 columns");
                    aggregator.push_all(&reports).expect("reports of this client");
                    aggregator.finish()
                });
            });
        }
    }
    group.finish();
}

/// AND and popcount of all pairs of a block of 512 words a column.
fn kernels(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("ldp/pairs");
    const WORDS: usize = 512;
    let mut rng = ChaCha20Rng::from_seed(SEED);
    for columns in [64, 256, 1000] {
        let bits: Vec<u64> = (0..columns * WORDS).map(|_| rng.next_u64()).collect();
        let pairs = columns * (columns - 1) / 2;
        let mut counts = vec![0; pairs];
        group.throughput(Throughput::Elements((pairs * WORDS) as u64));
        for kernel in Kernel::available() {
            let id = BenchmarkId::new(kernel.name(), format!("columns={columns}"));
            group.bench_function(id, |bench| bench.iter(|| kernel.add_pairs(&bits, &bits, WORDS, &mut counts)));
        }
    }
    group.finish();
}

criterion_group!(benches, clients, aggregators, kernels);
criterion_main!(benches);
