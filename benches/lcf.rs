//! Deciding, hashing, and grouping a table: the curve over the columns that are grouped by.

use std::hint::black_box;

use benches::{LcfRows, lcf_filter, lcf_rows};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use lcf::{EntitySet, GroupLimits, Groups, RowGroup};

const ROWS: usize = 1_000_000;

fn decisions(c: &mut Criterion) {
    let filter = lcf_filter();
    let hasher = filter.hasher(0).expect("the filter has this column");
    c.bench_function("lcf/hash/integer", |b| b.iter(|| hasher.hash_i64(black_box(4711))));
    c.bench_function("lcf/hash/24-bytes", |b| b.iter(|| hasher.hash_str(black_box("alice.example@mail.test1"))));
    for entities in [1_u64, 8, 20] {
        let mut set = EntitySet::new(filter.cap());
        (0..entities).for_each(|entity| set.insert(hasher.hash_u64(entity)));
        let sets = [set];
        c.bench_function(&format!("lcf/decide/entities={entities}"), |b| {
            b.iter(|| filter.decide(black_box(&sets), None));
        });
    }
}

fn groups(c: &mut Criterion) {
    let (rows, filter) = (lcf_rows(ROWS), lcf_filter());
    let hasher = filter.hasher(0).expect("the filter has this column");
    let mut group = c.benchmark_group("lcf/groups");
    group.sample_size(20).throughput(Throughput::Elements(ROWS as u64));
    for (columns, key) in [(2, LcfRows::two as fn(&LcfRows, usize) -> u64), (3, LcfRows::three)] {
        group.bench_function(format!("columns={columns}"), |b| {
            b.iter(|| {
                let mut groups = Groups::new(&filter, GroupLimits::default());
                let identify =
                    |row: usize, group: &mut RowGroup<'_>| group.insert_with(0, || hasher.hash_i64(rows.people[row]));
                groups.extend((0..ROWS).map(|row| key(&rows, row)), identify).expect("within the limits");
                groups.len()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, decisions, groups);
criterion_main!(benches);
