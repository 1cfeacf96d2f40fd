//! Rows that nothing tells apart: the most that any solver can get right.
//!
//! A row shares all its features with `G - 1` others, `G = 1 + Bin(R - 1, p)`, `p` the match
//! probability of all columns. Of such rows a solver can at best know how many have which label,
//! and is right for the most frequent: `E[max_r n_r / G]`, (10), with `n` multinomial. Two
//! classes: by binomial tails. More: by the coefficients of `prod_r sum_(k <= t) (pi_r x)^k / k!`
//! for small groups, by normal scores for large ones.

use privacy_core::binomial::Binomial;
use privacy_core::param::Probability;

use crate::channel::Points;
use crate::sizes::for_each_size;
use crate::spec::ScreenSpec;
use crate::subsets::column_kinds;

/// Groups of more than two classes up to this size are counted exactly.
const COUNTED: usize = 32;
/// Bins of `ln p` for columns with frequencies of values.
const STEP: f64 = 0.2;
/// Nobody shares all features below this: `ln p` by bins ends here.
const ALONE: f64 = 60.0;

/// Expected accuracy of a solver that knows the labels of every set of rows with identical
/// features, but not whose they are.
///
/// Kind: **proxy**, the model's; for an actual table see [`TableScreen`](crate::TableScreen).
#[must_use]
pub fn ceiling(spec: &ScreenSpec) -> f64 {
    let shares: Vec<f64> = spec.classes().shares().iter().copied().filter(|&share| share > 0.0).collect();
    let largest = LargestShare::new(shares);
    let others = spec.rows() - 1;
    let of_matches = full_matches(spec).into_iter().map(|(rows, p)| rows * largest.expected(others, p));
    let expected: f64 = of_matches.sum();
    // The most frequent label is never behind the most frequent class; normal scores may be, by
    // their error.
    expected.max(spec.classes().largest_share()).min(1.0)
}

/// Shares of rows, by the probability that another row has all their values.
fn full_matches(spec: &ScreenSpec) -> Vec<(f64, f64)> {
    let kinds = column_kinds(spec);
    let uniform: f64 = kinds
        .iter()
        .filter(|kind| kind.kernel.len() == 1)
        .map(|kind| kind.columns as f64 * libm::log(kind.kernel[0].frequency))
        .sum();
    if kinds.iter().all(|kind| kind.kernel.len() == 1) {
        return vec![(1.0, libm::exp(uniform))];
    }
    // Columns with frequencies of values: the law of `-ln p` over the rows, column by column.
    // Equal columns only shift it.
    let bins = (ALONE / STEP) as usize + 2;
    let mut rows = vec![0.0; bins];
    spread(&mut rows, 1.0, -uniform);
    for kind in kinds.iter().filter(|kind| kind.kernel.len() > 1) {
        for _ in 0..kind.columns {
            let before = std::mem::replace(&mut rows, vec![0.0; bins]);
            for (bin, share) in before.iter().enumerate().filter(|(_, share)| **share > 0.0) {
                for value in &kind.kernel {
                    spread(&mut rows, share * value.share, bin as f64 * STEP - libm::log(value.frequency));
                }
            }
        }
    }
    rows.iter()
        .enumerate()
        .map(|(bin, &share)| (share, libm::exp(-(bin as f64) * STEP)))
        .filter(|(share, _)| *share > 0.0)
        .collect()
}

/// Adds a share between the two nearest bins, so that the mean of `x` stays exact whatever the
/// step.
fn spread(bins: &mut [f64], share: f64, x: f64) {
    let place = x.min(ALONE) / STEP;
    let (bin, next) = (place as usize, place.fract());
    bins[bin] += share * (1.0 - next);
    bins[bin + 1] += share * next;
}

/// `E[max_r n_r] / G` for multinomial `n` of total `G`.
struct LargestShare {
    shares: Vec<f64>,
    counted: Vec<f64>,
    points: Points,
}

impl LargestShare {
    fn new(shares: Vec<f64>) -> Self {
        let points = Points::new(shares.len());
        let counted = if shares.len() > 2 { counted(&shares) } else { Vec::new() };
        Self { shares, counted, points }
    }

    /// (10): the mean over the number of other rows with the same features.
    fn expected(&self, others: u64, p: f64) -> f64 {
        let mut sum = 0.0;
        for_each_size(others, p, |size, mass| sum += mass * self.at(size + 1));
        sum.min(1.0)
    }

    fn at(&self, size: u64) -> f64 {
        match *self.shares {
            [_] => 1.0,
            [share, _] => of_two(size, share),
            _ if size as usize <= COUNTED && size < 1 << 32 => self.counted[size as usize - 1],
            _ => self.by_normal(size as f64),
        }
    }

    /// `n_r = G pi_r + sqrt(G) (sqrt(pi_r) z_r - pi_r sum_s sqrt(pi_s) z_s)`.
    fn by_normal(&self, size: f64) -> f64 {
        let (sum, rows) = self.points.rows(self.shares.len()).fold((0.0, 0.0), |(sum, rows), row| {
            // Subtracting the common part makes the counts add up to G, as a multinomial's do.
            let common: f64 = row.iter().zip(&self.shares).map(|(z, share)| share.sqrt() * z).sum();
            let counts = row
                .iter()
                .zip(&self.shares)
                .map(|(z, share)| size * share + size.sqrt() * (share.sqrt() * z - share * common));
            (sum + counts.fold(0.0, f64::max) / size, rows + 1.0)
        });
        sum / rows
    }
}

/// `E[max(n, G - n)] / G`, `n` binomial: `E[n; n >= h] = G pi P(Bin(G - 1, pi) >= h - 1)`.
fn of_two(size: u64, share: f64) -> f64 {
    // The first class wins from `half` on, the second where it has more than the first: a tie is
    // counted once.
    let half = size.div_ceil(2);
    let second = size - half + 1;
    share * law_of_others(size, share).at_least(half - 1)
        + (1.0 - share) * law_of_others(size, 1.0 - share).at_least(second - 1)
}

/// How many of the other rows of a group have a class of this share.
fn law_of_others(size: u64, share: f64) -> Binomial {
    Binomial::new(size - 1, Probability::new(share).expect("a share")).expect("rows are at most 2^53")
}

/// `E[max_r n_r] / G` for `G` up to [`COUNTED`]:
/// `P(max <= t) = G! [x^G] prod_r sum_(k <= t) (pi_r x)^k / k!`.
fn counted(shares: &[f64]) -> Vec<f64> {
    let mut expected: Vec<f64> = (1..=COUNTED).map(|size| size as f64).collect();
    let factorials: Vec<f64> = (0..=COUNTED)
        .scan(1.0, |f, k| {
            if k > 0 {
                *f *= k as f64;
            }
            Some(*f)
        })
        .collect();
    // E[max] = G - sum over t < G of P(max <= t): start from G, and take the probabilities away
    // one threshold after the other.
    for most in 0..COUNTED {
        let mut ways = vec![0.0; COUNTED + 1];
        ways[0] = 1.0;
        for share in shares {
            let before = ways.clone();
            for (total, ways) in ways.iter_mut().enumerate() {
                // A product of power series, of which only the terms up to `most` of each factor
                // count.
                *ways = (0..=most.min(total))
                    .map(|k| before[total - k] * libm::pow(*share, k as f64) / factorials[k])
                    .sum();
            }
        }
        for size in most + 1..=COUNTED {
            expected[size - 1] -= factorials[size] * ways[size];
        }
    }
    expected.iter().zip(1..).map(|(most, size)| most / f64::from(size)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_of_few_is_counted() {
        // Two fair coins: both alike with 1/2, so 3/4 of them are right.
        assert!((of_two(2, 0.5) - 0.75).abs() < 1e-15);
        assert!((of_two(1, 0.3) - 1.0).abs() < 1e-15);
        let thirds = counted(&[1.0 / 3.0; 3]);
        assert!((thirds[1] - (1.0 / 3.0 + 2.0 / 3.0 * 0.5)).abs() < 1e-14);
        // Three rows: all different 2/9 (1/3), all alike 1/9 (1), else 6/9 (2/3).
        assert!((thirds[2] - (2.0 / 27.0 + 1.0 / 9.0 + 4.0 / 9.0)).abs() < 1e-14);
    }

    #[test]
    fn the_three_ways_agree_where_they_meet() {
        for share in [0.5, 0.8] {
            let two = LargestShare::new(vec![share, 1.0 - share - 1e-12, 1e-12]);
            for size in [1_u64, 2, 5, 17, 32] {
                assert!((two.counted[size as usize - 1] - of_two(size, share)).abs() < 1e-9, "{size}");
            }
            assert!((two.by_normal(400.0) - of_two(400, share)).abs() < 3e-3);
        }
        let three = LargestShare::new(vec![0.5, 0.3, 0.2]);
        assert!((three.by_normal(32.0) - three.at(32)).abs() < 6e-3);
    }
}
