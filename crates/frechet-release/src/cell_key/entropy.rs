//! The law of largest entropy among those with mean 0 and a given variance.
//!
//! ```text
//! (5)  p(v) = exp(a v + b v^2) / Z   on the support,  sum v p(v) = 0,  sum v^2 p(v) = V
//! ```
//!
//! `a` and `b` minimise the convex `ln Z(a, b) - b V` (the dual of the entropy program), by
//! Newton's method with backtracking. Deviations are measured in units of the largest, so that
//! both coordinates have the same scale.

/// Newton steps; some ten are needed.
const STEPS: usize = 200;
/// Largest error of mean and variance, in units of the largest deviation.
const NEAR: f64 = 1e-12;

/// Probabilities on a support in increasing order; `None` where no law with full support has this
/// variance.
pub(super) fn largest_entropy(support: &[i64], variance: f64) -> Option<Vec<f64>> {
    let (low, high) = variances(support)?;
    if !(low < variance && variance < high) {
        return None;
    }
    let unit = support.iter().map(|v| v.unsigned_abs()).max()? as f64;
    let points: Vec<f64> = support.iter().map(|&v| v as f64 / unit).collect();
    let wanted = variance / (unit * unit);
    let mut at = (0.0, 0.0);
    for _ in 0..STEPS {
        let law = law(&points, at);
        let [first, second, third, fourth] = [1, 2, 3, 4].map(|power| moment(&points, &law, power));
        let slope = (first, second - wanted);
        if slope.0.abs().max(slope.1.abs()) < NEAR {
            return Some(law);
        }
        let (aa, ab, bb) = (second - first * first, third - first * second, fourth - second * second);
        let determinant = aa * bb - ab * ab;
        let step = ((bb * slope.0 - ab * slope.1) / determinant, (aa * slope.1 - ab * slope.0) / determinant);
        at = descend(&points, wanted, at, slope, step)?;
    }
    None
}

/// Variances that laws of mean 0 on a support can have: those of the two points next to 0 and of
/// the two outermost ones. `None` where 0 is not between two points.
pub(super) fn variances(support: &[i64]) -> Option<(f64, f64)> {
    let (first, last) = (*support.first()?, *support.last()?);
    let below = *support.iter().rfind(|&&v| v < 0)?;
    let above = *support.iter().find(|&&v| v > 0)?;
    let least = if support.contains(&0) { 0 } else { -below * above };
    Some((least as f64, (-first * last) as f64))
}

fn moment(points: &[f64], law: &[f64], power: i32) -> f64 {
    points.iter().zip(law).map(|(x, p)| p * x.powi(power)).sum()
}

/// The point a step away, or as far towards it as the function falls.
fn descend(points: &[f64], wanted: f64, at: (f64, f64), slope: (f64, f64), step: (f64, f64)) -> Option<(f64, f64)> {
    let (here, fall) = (dual(points, wanted, at), slope.0 * step.0 + slope.1 * step.1);
    let mut share = 1.0;
    while share > 1e-12 {
        let next = (at.0 - share * step.0, at.1 - share * step.1);
        // Where rounding is all that is left of the difference, the full step is taken.
        if dual(points, wanted, next) <= here - 1e-4 * share * fall + 1e-15 * here.abs().max(1.0) {
            return Some(next);
        }
        share *= 0.5;
    }
    None
}

/// `ln Z(a, b) - b V`.
fn dual(points: &[f64], wanted: f64, (a, b): (f64, f64)) -> f64 {
    let exponents: Vec<f64> = points.iter().map(|x| a * x + b * x * x).collect();
    let largest = exponents.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    largest + exponents.iter().map(|e| (e - largest).exp()).sum::<f64>().ln() - b * wanted
}

fn law(points: &[f64], (a, b): (f64, f64)) -> Vec<f64> {
    let exponents: Vec<f64> = points.iter().map(|x| a * x + b * x * x).collect();
    let largest = exponents.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = exponents.iter().map(|e| (e - largest).exp()).collect();
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moments(support: &[i64], law: &[f64]) -> (f64, f64) {
        let of = |power: i32| support.iter().zip(law).map(|(&v, p)| p * (v as f64).powi(power)).sum::<f64>();
        (of(1), of(2))
    }

    #[test]
    fn mean_and_variance_are_met_wherever_they_can_be() {
        for support in [vec![-1, 2, 3, 4, 5], vec![-2, 1, 2, 3, 4, 5], (-5..=5).collect(), (-40..=40).collect()] {
            let (low, high) = variances(&support).unwrap();
            for share in [0.02, 0.3, 0.5, 0.9, 0.98] {
                let variance = low + share * (high - low);
                let law = largest_entropy(&support, variance).unwrap();
                let (mean, second) = moments(&support, &law);
                assert!(
                    mean.abs() < 1e-9 && (second - variance).abs() < 1e-8,
                    "{support:?} {variance}: {mean} {second}"
                );
            }
            for beyond in [low, high, high + 1.0, f64::NAN] {
                assert_eq!(largest_entropy(&support, beyond), None, "{support:?} {beyond}");
            }
        }
        assert_eq!(largest_entropy(&[1, 2], 1.0), None, "a mean of 0 takes both signs");
    }

    /// With three points, mean and variance leave one law: `p(-1) = 2 p(2) + 3 p(3)` and so on.
    #[test]
    fn three_points_have_one_law() {
        let law = largest_entropy(&[-1, 2, 3], 2.5).unwrap();
        for (got, want) in law.iter().zip([17.0 / 24.0, 1.0 / 6.0, 1.0 / 8.0]) {
            assert!((got - want).abs() < 1e-10, "{law:?}");
        }
    }

    /// No law with the same moments has more entropy: moved along the directions that keep them,
    /// it falls.
    #[test]
    fn no_law_of_the_same_moments_has_more_entropy() {
        let entropy = |law: &[f64]| -law.iter().map(|p| p * p.ln()).sum::<f64>();
        let law = largest_entropy(&(-3..=3).collect::<Vec<i64>>(), 2.0).unwrap();
        // Third differences keep sum, mean and second moment.
        for start in 0..4 {
            for by in [1e-3, -1e-3] {
                let mut other = law.clone();
                for (place, factor) in [1.0, -3.0, 3.0, -1.0].into_iter().enumerate() {
                    other[start + place] += by * factor;
                }
                assert!(entropy(&other) < entropy(&law));
            }
        }
    }
}
