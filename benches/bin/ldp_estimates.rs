//! From counts to estimates of `ldp-pmdh`: what the transform, all covariances and fitted tables
//! cost.
//!
//! `cargo run --release -p benches --bin ldp_estimates`. Times are the fastest of several passes
//! on one thread.
#![allow(clippy::print_stdout, reason = "a program that prints a table")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use ldp_pmdh::Channel;
use ldp_pmdh::estimate::{Covariance, Population, truth_from_counts};
use ldp_pmdh::feasible::{FitLimits, least_squares, maximum_likelihood};
use privacy_core::subsets::zeta_over_supersets;

const PASSES: u32 = 7;

fn main() {
    println!("| columns | estimates | covariances | dense matrix | least squares | likelihood |");
    println!("| --- | --- | --- | --- | --- | --- |");
    for columns in [4, 8, 10, 12, 16, 20] {
        let (channels, reports) = (channels(columns), histogram(columns));
        let mut counts = reports.clone();
        zeta_over_supersets(&mut counts);
        let mut cells = vec![columns.to_string()];
        let mut truth = counts.clone();
        cells.push(fastest(|| {
            truth.copy_from_slice(&counts);
            let start = Instant::now();
            truth_from_counts(&channels, black_box(&mut truth));
            start.elapsed()
        }));
        let new = || Covariance::new(&channels, black_box(&truth), Population::Super, 1e10);
        cells.push(if columns <= 12 { fastest(|| timed(new)) } else { "–".to_owned() });
        let dense = |covariance: &Covariance| fastest(|| timed(|| covariance.to_dense(1e10)));
        cells.push(if columns <= 12 { new().map_or("–".to_owned(), |c| dense(&c)) } else { "–".to_owned() });
        let limits = FitLimits::default();
        for fit in [least_squares, maximum_likelihood] {
            cells.push(if columns <= 10 {
                let iterations = fit(&channels, &reports, &limits).iterations;
                format!("{} ({iterations})", fastest(|| timed(|| fit(&channels, black_box(&reports), &limits))))
            } else {
                "–".to_owned()
            });
        }
        println!("| {} |", cells.join(" | "));
    }
}

fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    black_box(work());
    start.elapsed()
}

/// The fastest of several passes, in words.
fn fastest(mut pass: impl FnMut() -> Duration) -> String {
    let seconds = (0..PASSES).map(|_| pass().as_secs_f64()).fold(f64::INFINITY, f64::min);
    match seconds {
        0.0..1e-3 => format!("{:.1} µs", seconds * 1e6),
        _ => format!("{:.2} ms", seconds * 1e3),
    }
}

fn channels(columns: usize) -> Vec<Channel> {
    vec![Channel::new(0.25, 0.75).expect("p is below q"); columns]
}

/// Reports from a fixed recurrence (Knuth's MMIX).
fn histogram(columns: usize) -> Vec<f64> {
    let mut state = 0x5EED_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 54) as f64
    };
    (0..1 << columns).map(|_| next()).collect()
}
