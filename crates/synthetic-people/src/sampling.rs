//! Systematic samples, and random orders.

use privacy_core::rng::below;
use rand_core::Rng;

/// `rows` rows over cells with these probabilities, up to a common factor: each gets its share
/// rounded up or down, on average its share. `start` is uniform in [0, 1).
pub(crate) fn shares(rows: usize, probabilities: &[f64], start: f64) -> Vec<usize> {
    let sum: f64 = probabilities.iter().sum();
    let last = probabilities.iter().rposition(|p| *p > 0.0);
    let (mut running, mut given) = (0.0, 0_usize);
    let shares = probabilities.iter().enumerate().map(|(cell, p)| {
        running += p;
        // The last cell that is possible takes what rounding left; those behind it get none.
        let upto = match last {
            Some(last) if cell < last => ((rows as f64 * (running / sum) + start).floor() as usize).min(rows),
            _ => rows,
        };
        let share = if *p > 0.0 || last.is_none() { upto.saturating_sub(given) } else { 0 };
        given += share;
        share
    });
    shares.collect()
}

/// Uniform in [0, 1).
pub(crate) fn uniform<R: Rng + ?Sized>(rng: &mut R) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// A random order (Fisher and Yates).
pub(crate) fn shuffle<R: Rng + ?Sized, T>(values: &mut [T], rng: &mut R) {
    for last in (1..values.len()).rev() {
        values.swap(last, below(last + 1, rng));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_rounded_up_or_down_and_add_up() {
        let p = [0.2, 0.0, 0.31, 0.49, 0.0];
        for rows in [0, 1, 7, 1000] {
            let mut sums = [0.0; 5];
            for step in 0..1000 {
                let got = shares(rows, &p, (f64::from(step) + 0.5) / 1000.0);
                assert_eq!(got.iter().sum::<usize>(), rows);
                for (cell, (&got, p)) in got.iter().zip(p).enumerate() {
                    assert!((got as f64 - rows as f64 * p).abs() < 1.0 + 1e-9, "{rows} {cell}");
                    sums[cell] += got as f64 / 1000.0;
                }
            }
            for (sum, p) in sums.iter().zip(p) {
                assert!((sum - rows as f64 * p).abs() < 2e-3, "{rows}: {sum}");
            }
        }
    }
}
