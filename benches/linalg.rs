//! Dense factorisations behind the door: what they cost, checks included.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use ndarray::Array2;
use privacy_core::linalg::{cholesky, pseudo_inverse, symmetric_eigen};

/// A positive definite matrix from a fixed recurrence (Knuth's MMIX).
fn gram(n: usize) -> Array2<f64> {
    let mut state = 0x5EED_u64;
    let factor = Array2::from_shape_simple_fn((n, n), || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state as i64 >> 11) as f64 / (1_u64 << 52) as f64
    });
    factor.t().dot(&factor) + Array2::<f64>::eye(n)
}

fn factorisations(c: &mut Criterion) {
    let mut group = c.benchmark_group("linalg");
    group.sample_size(20);
    for n in [64, 256, 512] {
        let matrix = gram(n);
        group.bench_with_input(BenchmarkId::new("symmetric_eigen/n", n), &matrix, |b, m| {
            b.iter(|| symmetric_eigen(black_box(m.view())));
        });
        group.bench_with_input(BenchmarkId::new("cholesky/n", n), &matrix, |b, m| {
            b.iter(|| cholesky(black_box(m.view())));
        });
        group.bench_with_input(BenchmarkId::new("pseudo_inverse/n", n), &matrix, |b, m| {
            b.iter(|| pseudo_inverse(black_box(m.view())));
        });
    }
    group.finish();
}

criterion_group!(benches, factorisations);
criterion_main!(benches);
