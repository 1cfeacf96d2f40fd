//! Reading CSV files and counting marginals, on made-up rows of the shape of a census extract.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use privacy_core::{AttrSet, CountSource, Domain, Provenance};
use privacy_data::{AttributeSpec, CsvOptions, Microdata, Schema, read_csv, tabulate_csv};
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

/// Every input comes from this seed.
const SEED: [u8; 32] = *b"privacy-data: benches/data.rs 01";

/// Cardinalities of the fourteen columns of the Adult data set.
const ADULT: [usize; 14] = [85, 9, 100, 16, 7, 15, 6, 5, 2, 100, 100, 99, 42, 2];

/// Rows of the Adult data set.
const ADULT_ROWS: usize = 48_842;

/// Codes that are small more often than large, as those of real columns.
fn columns(cardinalities: &[usize], rows: usize) -> Vec<Vec<u32>> {
    let mut rng = ChaCha20Rng::from_seed(SEED);
    let mut code = |size: usize| {
        let [a, b] = [(); 2].map(|()| rng.next_u32() % size as u32);
        a.min(b)
    };
    cardinalities.iter().map(|&size| (0..rows).map(|_| code(size)).collect()).collect()
}

fn microdata(cardinalities: &[usize], rows: usize) -> Microdata {
    let domain = Domain::of_cardinalities(cardinalities).expect("a short list of small numbers is a domain");
    Microdata::from_codes(domain, columns(cardinalities, rows)).expect("codes are below their cardinalities")
}

/// All marginals of one order, on as many threads as `RAYON_NUM_THREADS` says.
fn tabulate(c: &mut Criterion) {
    let data = microdata(&ADULT, ADULT_ROWS);
    let mut group = c.benchmark_group("tabulate");
    for order in 1..=3 {
        let sets: Vec<AttrSet> = data.domain().all().subsets_of_size(order).collect();
        group.throughput(Throughput::Elements((sets.len() * data.rows()) as u64));
        let id = BenchmarkId::new("adult-like", format!("rows={ADULT_ROWS}/order={order}/sets={}", sets.len()));
        group.bench_function(id, |b| b.iter(|| data.marginals(black_box(&sets))));
    }
    group.finish();
}

/// A file of two columns, read to rows and read to a two-way table.
fn read(c: &mut Criterion) {
    let sizes = [20, 10];
    let attributes = ["a", "b"].iter().zip(sizes).map(|(&name, size)| AttributeSpec::of_size(name, size)).collect();
    let schema = Schema::new(attributes, Provenance::Public).expect("two attributes are a schema");
    let options = CsvOptions::default();
    let mut group = c.benchmark_group("read");
    for rows in [10_000, 100_000, 1_000_000] {
        let codes = columns(&sizes, rows);
        let lines = (0..rows).map(|row| format!("{},{}\n", codes[0][row], codes[1][row]));
        let text = std::iter::once("a,b\n".to_owned()).chain(lines).collect::<String>();
        let sets = [schema.domain().all()];
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(BenchmarkId::new("read_csv", format!("rows={rows}/columns=2")), |b| {
            b.iter(|| read_csv(black_box(text.as_bytes()), &schema, &options));
        });
        group.bench_function(BenchmarkId::new("tabulate_csv", format!("rows={rows}/columns=2/cells=200")), |b| {
            b.iter(|| tabulate_csv(black_box(text.as_bytes()), &schema, &options, &sets));
        });
    }
    group.finish();
}

criterion_group!(benches, tabulate, read);
criterion_main!(benches);
