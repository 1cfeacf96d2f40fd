//! Whether samplers from different starts agree: the split R-hat statistic.
//!
//! Each sequence of draws is cut in halves, so a sampler that still drifts disagrees with itself.
//! For `m` sequences of `n` counts with means `a_j` and variances `s_j^2`,
//!
//! ```text
//! W = mean of s_j^2,    B = n times the variance of the a_j,    R^2 = (n - 1) / n + B / (n W) .
//! ```
//!
//! `R` is near 1 when the sequences are of one law and long enough to show it.
//!
//! Source: A. Gelman, D. B. Rubin (1992); halves as in Vehtari, Gelman, Simpson, Carpenter,
//! Bürkner (2021), section 3.1.

/// Above this, sequences are taken to disagree (Gelman and Rubin's value).
const MOST: f64 = 1.1;

/// Whether samplers agree about one count, with as many draws from each. `true` says only that no
/// disagreement was seen: all samplers may have missed a part of the fiber.
///
/// Kind: proxy. Linear in the number of draws. Fewer than two draws in each half never converge,
/// unless all counts are equal.
#[must_use]
pub fn has_converged(samples: &[&[i64]]) -> bool {
    let halves: Vec<&[i64]> =
        samples.iter().flat_map(|sample| <[_; 2]>::from(sample.split_at(sample.len() / 2))).collect();
    let Some(n) = halves.iter().map(|half| half.len()).min().filter(|&n| n > 0) else { return false };
    let (means, variances): (Vec<f64>, Vec<f64>) = halves.iter().map(|half| moments(half)).unzip();
    let within = mean(&variances);
    let between = moments_of(&means).1;
    if within == 0.0 || n == 1 {
        return within == 0.0 && between == 0.0;
    }
    let n = n as f64;
    (n - 1.0) / n + between / within <= MOST * MOST
}

fn moments(counts: &[i64]) -> (f64, f64) {
    let counts: Vec<f64> = counts.iter().map(|&count| count as f64).collect();
    moments_of(&counts)
}

/// Mean and variance; the variance of a single number is 0.
fn moments_of(values: &[f64]) -> (f64, f64) {
    let center = mean(values);
    let squares: f64 = values.iter().map(|value| (value - center) * (value - center)).sum();
    (center, squares / (values.len().max(2) - 1) as f64)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_in_two_corners_have_not_settled() {
        let noisy = |around: i64| -> Vec<i64> { (0..200).map(|look| around + (look * 7919) % 13).collect() };
        assert!(has_converged(&[&noisy(50), &noisy(50)]));
        assert!(!has_converged(&[&noisy(50), &noisy(60)]));
        assert!(!has_converged(&[&noisy(1 << 40), &noisy((1 << 40) + 60)]));
    }

    #[test]
    fn a_walk_that_drifts_has_not_settled() {
        let drifting: Vec<i64> = (0..200).collect();
        assert!(!has_converged(&[&drifting, &drifting]));
    }

    #[test]
    fn counts_that_never_move_settle_where_they_are_equal() {
        assert!(has_converged(&[&[3; 10], &[3; 10]]));
        assert!(!has_converged(&[&[3; 10], &[4; 10]]));
        assert!(!has_converged(&[&[], &[]]));
    }
}
