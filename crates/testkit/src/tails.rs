//! Tails of the binomial by brute force: slow, plain, and without code shared with what it
//! judges.
//!
//! `n` trials, `p` probability of a success, `m` the mode. With `r(m) = 1`, all weights follow
//! from the ratio `r(k + 1) / r(k) = (n - k) p / ((k + 1) (1 - p))`; a tail is a sum of weights
//! over the sum of all. Weights fall below the smallest double about 38 standard deviations from
//! the mode, and a tail that far counts as 0.

/// `(P(X <= k), P(X >= k))` for `X` binomial; relative error below 1e-9 for `n` up to 1e8, and
/// for tails above 1e-300.
///
/// # Panics
/// If `k > n` or `p` is not a probability.
#[must_use]
pub fn binomial_tails(n: u64, p: f64, k: u64) -> (f64, f64) {
    assert!(k <= n && (0.0..=1.0).contains(&p), "k at most n, p a probability");
    let mode = (((n + 1) as f64 * p) as u64).min(n);
    let (mut below, mut at, mut above) = (0.0, 0.0, 0.0);
    let mut add = |j: u64, weight: f64| match j.cmp(&k) {
        std::cmp::Ordering::Less => below += weight,
        std::cmp::Ordering::Equal => at += weight,
        std::cmp::Ordering::Greater => above += weight,
    };
    let (mut j, mut weight) = (mode, 1.0);
    while weight > 0.0 {
        add(j, weight);
        // At the last value there is no next one, and the ratio may be 0 / 0 there.
        weight = if j < n { weight * ratio_above(n, p, j) } else { 0.0 };
        j += 1;
    }
    (j, weight) = (mode, 1.0);
    while j > 0 && weight > 0.0 {
        weight *= ratio_below(n, p, j);
        j -= 1;
        add(j, weight);
    }
    let total = below + at + above;
    ((below + at) / total, (at + above) / total)
}

/// `r(j + 1) / r(j)`.
fn ratio_above(n: u64, p: f64, j: u64) -> f64 {
    (n - j) as f64 * p / ((j + 1) as f64 * (1.0 - p))
}

/// `r(j - 1) / r(j)`.
fn ratio_below(n: u64, p: f64, j: u64) -> f64 {
    j as f64 * (1.0 - p) / ((n - j + 1) as f64 * p)
}

/// The two-sided exact p-value: twice the smaller tail, at most 1. Under the law it is at most
/// `a` with probability at most `a`, for every `a`.
///
/// # Panics
/// As [`binomial_tails`].
#[must_use]
pub fn binomial_p_value(n: u64, p: f64, k: u64) -> f64 {
    let (at_most, at_least) = binomial_tails(n, p, k);
    (2.0 * at_most.min(at_least)).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::relative_error;

    #[test]
    fn small_tails_are_the_rational_ones() {
        // Binomial(4, 1/4): weights 81, 108, 54, 12, 1 of 256.
        let weights = [81.0, 108.0, 54.0, 12.0, 1.0];
        for k in 0..=4_usize {
            let (at_most, at_least) = binomial_tails(4, 0.25, k as u64);
            let want = (weights[..=k].iter().sum::<f64>() / 256.0, weights[k..].iter().sum::<f64>() / 256.0);
            assert!(relative_error(at_most, want.0) < 1e-14 && relative_error(at_least, want.1) < 1e-14, "k = {k}");
        }
        assert_eq!(binomial_p_value(4, 0.25, 1), 1.0);
        assert!(relative_error(binomial_p_value(4, 0.25, 4), 2.0 / 256.0) < 1e-14);
    }

    #[test]
    fn certain_and_impossible_outcomes_have_their_tails() {
        assert_eq!(binomial_tails(7, 0.0, 0), (1.0, 1.0));
        assert_eq!(binomial_tails(7, 0.0, 1), (1.0, 0.0));
        assert_eq!(binomial_tails(7, 1.0, 7), (1.0, 1.0));
        assert_eq!(binomial_tails(7, 1.0, 6), (0.0, 1.0));
        assert_eq!(binomial_tails(0, 0.3, 0), (1.0, 1.0));
    }

    #[test]
    fn large_tails_agree_with_golden_values() {
        // From the golden grid of the binomial law, 25 digits at 320-bit precision.
        let mut cases = 0;
        for line in crate::fixtures::text("core/binom.txt").lines().filter(|l| !l.starts_with('#')) {
            let field: Vec<&str> = line.split_whitespace().collect();
            let (n, p, k): (u64, f64, u64) =
                (field[0].parse().unwrap(), crate::hex_f64(field[1]), field[2].parse().unwrap());
            let at_most: f64 = field[4].parse().unwrap();
            if n <= 1_000_000 && at_most > 1e-300 {
                let error = relative_error(binomial_tails(n, p, k).0, at_most);
                assert!(error < 1e-9, "n = {n}, p = {p}, k = {k}: {error:e}");
                cases += 1;
            }
        }
        assert!(cases > 100, "{cases} cases");
    }
}
