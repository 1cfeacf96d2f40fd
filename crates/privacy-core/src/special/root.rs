//! One bounded root finder for every inverse: ITP (I. Oliveira and R. Takahashi, 2020).
//!
//! Interpolation, truncation, projection: as fast as the secant method where the function is
//! smooth, never more than four steps slower than bisection. No derivative, no start value, no
//! failure to converge.

/// Steps that the search may lose against bisection at worst; with fewer it can seldom leave the
/// middle.
const SLACK: f64 = 4.0;

/// Where a non-decreasing function changes sign.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bracket {
    /// The function is negative here, or `low` was returned untouched.
    pub(crate) below: f64,
    /// The function is at least zero here, or `high` was returned untouched.
    pub(crate) above: f64,
}

/// Narrows `[low, high]` around the sign change of the non-decreasing `f` to a width of
/// `2 * tolerance`, or to neighbours.
///
/// `f` is taken to be negative at `low` and not at `high`; both ends of the answer other than
/// those were evaluated. At most `log2((high - low) / tolerance) + 7` evaluations.
pub(crate) fn bracket_root(low: f64, high: f64, tolerance: f64, f: impl Fn(f64) -> f64) -> Bracket {
    let (mut below, mut above) = (low, high);
    let (mut value_below, mut value_above) = (f(low).min(-f64::MIN_POSITIVE), f(high).max(0.0));
    let width = high - low;
    let bisections = libm::log2(width / (2.0 * tolerance)).ceil().max(0.0) + SLACK;
    let mut reach = tolerance * libm::exp2(bisections); // how far from the middle a step may still fall
    while above - below > 2.0 * tolerance {
        let middle = below + 0.5 * (above - below);
        if middle <= below || middle >= above {
            break;
        }
        let secant = (value_above * below - value_below * above) / (value_above - value_below);
        let secant = if secant.is_finite() { secant } else { middle };
        let towards = (middle - secant).signum();
        // At least the tolerance, so that the far end moves too once the secant has converged.
        let nudge = (0.2 / width * (above - below) * (above - below)).max(tolerance);
        let truncated = if nudge <= (middle - secant).abs() { secant + towards * nudge } else { middle };
        let radius = (reach - 0.5 * (above - below)).max(0.0);
        let guess = if (truncated - middle).abs() <= radius { truncated } else { middle - towards * radius };
        let guess = if guess > below && guess < above { guess } else { middle };
        let value = f(guess);
        if value >= 0.0 {
            (above, value_above) = (guess, value);
        } else {
            (below, value_below) = (guess, value);
        }
        reach *= 0.5;
    }
    Bracket { below, above }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn finds_the_sign_change_within_the_promised_number_of_evaluations() {
        let steps: [fn(f64) -> f64; 5] = [
            |x| x.powi(3) - 0.001,
            |x| if x < 0.3 { -1.0 } else { 1e-300 },
            |x| (x - 0.9).powi(21),
            |x| libm::exp(700.0 * x) - 2.0,
            |x| if x < 0.7 { f64::NEG_INFINITY } else { f64::INFINITY },
        ];
        for f in steps {
            let calls = Cell::new(0);
            let counted = |x| {
                calls.set(calls.get() + 1);
                f(x)
            };
            let Bracket { below, above } = bracket_root(-1.0, 3.0, 1e-12, counted);
            assert!(f(below) < 0.0 && f(above) >= 0.0 && above - below <= 2e-12);
            assert!(calls.get() <= 48, "{} evaluations", calls.get());
        }
    }

    #[test]
    fn ends_between_neighbours_when_the_tolerance_is_finer_than_the_numbers() {
        let Bracket { below, above } = bracket_root(1.0, 2.0, 1e-30, |x| x * x - 2.0);
        assert_eq!(below.next_up(), above);
    }
}
