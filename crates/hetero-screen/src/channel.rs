//! A Gaussian channel from a label to what is seen of it: how often the best guess is right, and
//! what is left to know.
//!
//! `L` evidence. Two classes: the log odds are `ln(pi_1 / pi_0) +- L / 2 + sqrt(L) z`, `z`
//! standard normal. More: a score for each class, `s = sqrt(L / 2)` more for the true one, plus a
//! standard normal each; the posterior is `pi_c exp(s x_c)`.

use privacy_core::normal;
use privacy_core::param::Probability;

/// Half of the range of integration, and the number of points: the trapezoid rule for analytic
/// integrands.
const REACH: f64 = 9.0;
const POINTS: u32 = 144;
/// Quasi-random points times classes, for the spread of a posterior over more than two classes.
const WORK: usize = 4096;

/// `E[f(z)]` for a standard normal `z`.
fn mean_over_normal(f: impl Fn(f64) -> f64) -> f64 {
    let step = 2.0 * REACH / f64::from(POINTS);
    let points = (0..=POINTS).map(|i| f64::from(i) * step - REACH);
    points.map(|z| normal::density(z) * f(z)).sum::<f64>() * step
}

/// The probability that the most probable class is the true one.
pub(crate) fn accuracy(shares: &[f64], evidence: f64) -> f64 {
    let blind = shares.iter().copied().fold(0.0, f64::max);
    let of_classes = (0..shares.len()).map(|class| shares[class] * right(shares, evidence, class));
    of_classes.sum::<f64>().clamp(blind, 1.0)
}

/// The same for a row of this class.
pub(crate) fn right(shares: &[f64], evidence: f64, class: usize) -> f64 {
    let odds = |other: f64| libm::log(shares[class] / other);
    if evidence < 1e-12 {
        // The first of the most frequent classes is guessed.
        let ahead = |(c, &other): (usize, &f64)| c == class || odds(other) > 0.0 || (odds(other) == 0.0 && class < c);
        return f64::from(u8::from(shares.iter().enumerate().all(ahead)));
    }
    if let [a, b] = *shares {
        let (spread, other) = (evidence.sqrt(), if class == 0 { b } else { a });
        return normal::at_most(0.5 * spread + odds(other) / spread);
    }
    let s = (0.5 * evidence).sqrt();
    mean_over_normal(|z| {
        let others = shares.iter().enumerate().filter(|(c, _)| *c != class);
        others.map(|(_, &other)| normal::at_most(z + s + odds(other) / s)).product()
    })
}

/// [`right`] for many amounts of evidence: between nodes, linear in the root of the evidence.
pub(crate) struct AccuracyTable {
    shares: Vec<f64>,
    nodes: Vec<Vec<f64>>,
}

impl AccuracyTable {
    const STEP: f64 = 0.05;
    const NODES: u32 = 800;

    pub(crate) fn new(shares: &[f64]) -> Self {
        let nodes = if shares.len() < 2 {
            Vec::new()
        } else {
            (0..shares.len())
                .map(|class: usize| {
                    (0..=Self::NODES).map(|node| right(shares, (f64::from(node) * Self::STEP).powi(2), class)).collect()
                })
                .collect()
        };
        Self { shares: shares.to_vec(), nodes }
    }

    pub(crate) fn accuracy(&self, evidence: f64) -> f64 {
        if self.nodes.is_empty() { 1.0 } else { accuracy(&self.shares, evidence) }
    }

    pub(crate) fn right(&self, class: usize, evidence: f64) -> f64 {
        let Some(nodes) = self.nodes.get(class) else { return 1.0 };
        let place = evidence.sqrt() / Self::STEP;
        let node = place as usize;
        match nodes.get(node..node + 2) {
            Some([low, high]) => low + (high - low) * place.fract(),
            _ => 1.0,
        }
    }
}

/// What is left to know about each class: `E[p_r (1 - p_r)]` of the posterior.
pub(crate) fn remaining(shares: &[f64], evidence: f64, points: &Points) -> Vec<f64> {
    if let [a, b] = *shares {
        let (odds, spread) = (libm::log(a / b), evidence.sqrt());
        let left = |mean: f64| {
            mean_over_normal(|z| {
                let logit = mean + spread * z;
                1.0 / ((1.0 + libm::exp(logit)) * (1.0 + libm::exp(-logit)))
            })
        };
        let v = a * left(odds + 0.5 * evidence) + b * left(odds - 0.5 * evidence);
        return vec![v; 2];
    }
    let s = (0.5 * evidence).sqrt();
    let (mut left, mut weights) = (vec![0.0; shares.len()], vec![0.0; shares.len()]);
    let odds: Vec<f64> = shares.iter().map(|&share| libm::log(share)).collect();
    for (r, share) in shares.iter().enumerate() {
        for point in points.rows(shares.len()) {
            let score = |c: usize| s * (point[c] + if c == r { s } else { 0.0 }) + odds[c];
            weights.iter_mut().enumerate().for_each(|(c, weight)| *weight = score(c));
            let most = weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            weights.iter_mut().for_each(|weight| *weight = libm::exp(*weight - most));
            let total: f64 = weights.iter().sum();
            for (left, weight) in left.iter_mut().zip(&weights) {
                let p = weight / total;
                *left += share * p * (1.0 - p);
            }
        }
    }
    let rows = points.rows(shares.len()).count() as f64;
    left.iter().map(|sum| sum / rows).collect()
}

/// Points that are spread like independent normals, a row of as many numbers as there are classes
/// each.
pub(crate) struct Points(Vec<f64>);

impl Points {
    /// Multiples of the powers of the root of `x^(d + 1) = x + 1` modulo 1 (Roberts 2018),
    /// through the quantile function.
    pub(crate) fn new(classes: usize) -> Self {
        if classes < 3 {
            return Self(Vec::new());
        }
        let mut root = 2.0_f64;
        for _ in 0..64 {
            root = libm::pow(1.0 + root, 1.0 / (classes as f64 + 1.0));
        }
        let rows = (WORK / classes).max(16);
        Self(
            (0..rows * classes)
                .map(|i: usize| {
                    let (row, class) = (i / classes, i % classes);
                    let u = (0.5 + (row + 1) as f64 * libm::pow(root, -(class as f64 + 1.0))).fract();
                    normal::quantile(Probability::new(u.clamp(1e-12, 1.0 - 1e-12)).expect("inside the unit interval"))
                })
                .collect(),
        )
    }

    /// The points as rows.
    pub(crate) fn rows(&self, classes: usize) -> impl Iterator<Item = &[f64]> {
        self.0.chunks_exact(classes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_classes_as_two_and_as_a_pair_among_more_agree() {
        // A third class that never occurs changes nothing: the scores of the two differ by a
        // normal of variance 2.
        for evidence in [0.1, 1.0, 4.0, 20.0] {
            for share in [0.5, 0.7, 0.95] {
                let two = accuracy(&[share, 1.0 - share], evidence);
                let three = accuracy(&[share, 1.0 - share - 1e-13, 1e-13], evidence);
                assert!((two - three).abs() < 1e-6, "{evidence} {share}: {two} {three}");
            }
        }
    }

    #[test]
    fn nothing_is_known_without_evidence_and_everything_with_much() {
        for shares in [vec![0.5, 0.5], vec![0.6, 0.3, 0.1], vec![0.2; 5]] {
            let points = Points::new(shares.len());
            let blind = shares.iter().copied().fold(0.0, f64::max);
            assert_eq!(accuracy(&shares, 0.0), blind);
            assert!(accuracy(&shares, 1e4) > 1.0 - 1e-9);
            for (left, share) in remaining(&shares, 0.0, &points).iter().zip(&shares) {
                assert!((left - share * (1.0 - share)).abs() < 1e-12);
            }
            assert!(remaining(&shares, 1e4, &points).iter().all(|left| *left < 1e-9));
        }
    }

    #[test]
    fn points_have_the_moments_of_normals() {
        let points = Points::new(4);
        let rows = points.rows(4).count() as f64;
        for class in 0..4 {
            let sum = |power: i32| points.rows(4).map(|row| row[class].powi(power)).sum::<f64>() / rows;
            assert!(sum(1).abs() < 0.02 && (sum(2) - 1.0).abs() < 0.03, "{class}: {} {}", sum(1), sum(2));
        }
    }
}
