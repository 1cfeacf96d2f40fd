//! The regularised incomplete beta function and its inverse; the tail integral that the binomial
//! law shares.
//!
//! `a`, `b` shapes, `N = a + b`; `p <= 1/2` the smaller of `x` and `1 - x`, `q = 1 - p`;
//! `m = N p` and `N q` the means of `a` and `b`; `D = x^a (1-x)^b / B(a, b)`. Equation numbers
//! are those of `docs/math/special-functions.md`.

use super::deviance::{deviance_of_difference, expm1mx_near_zero, log1pmx_near_zero};
use super::gamma::stirling_error;
use super::mills::INV_SQRT_2_PI;
use super::quadrature::{DECAY, integrate_exp};
use super::root::bracket_root;
use super::scaled::{Scaled, Tail};
use crate::round::two_sum;

/// The tail integral needs a law that is nearly normal: variance `N p q` at least this...
pub(crate) const NEARLY_NORMAL: f64 = 100.0;
/// ...and terms that fall slowly. Below this ratio of neighbours a series or a fraction is short.
pub(crate) const FALLS_FAST: f64 = 0.6;

/// Regularised incomplete beta function `I_x(a, b)`: probability that a Beta(a, b) variable is at
/// most `x`.
///
/// For `a, b > 0` finite and `x` in `[0, 1]`, NaN otherwise. Relative error below 1e-12 for
/// `a, b` in `[0.5, 1e9]` wherever the value is above 1e-300, however unequal they are. Cost: below
/// a microsecond, mostly; at most 1,000 steps of a continued fraction, some 140 at the smallest
/// shapes.
#[must_use]
pub fn beta_reg(a: f64, b: f64, x: f64) -> f64 {
    at_most(a, b, x).map_or(f64::NAN, Tail::value)
}

/// `1 - I_x(a, b)`, accurate where it is small. Domain and error as for [`beta_reg`].
#[must_use]
pub fn beta_reg_upper(a: f64, b: f64, x: f64) -> f64 {
    at_most(a, b, x).map_or(f64::NAN, |tail| tail.complement().value())
}

/// The `x` with `I_x(a, b) = probability`; NaN for shapes that are not positive or a probability
/// outside `[0, 1]`.
///
/// Error below 1e-12 of `x` or of `1 - x`, whichever is smaller, where [`beta_reg`] is that
/// accurate and not flat. At most 68 evaluations of it, typically 15 to 25.
#[must_use]
pub fn beta_reg_inv(a: f64, b: f64, probability: f64) -> f64 {
    if !(valid_shape(a) && valid_shape(b) && (0.0..=1.0).contains(&probability)) {
        return f64::NAN;
    }
    if probability == 0.0 || probability == 1.0 {
        return probability;
    }
    // In the log odds of x and the logarithm of the small tail both ends keep their digits.
    let target = libm::log(probability.min(1.0 - probability));
    let gap = |odds: f64| {
        let small = libm::exp(-odds.abs()) / (1.0 + libm::exp(-odds.abs()));
        let tail = at_most_split(a, b, small, odds > 0.0);
        if probability <= 0.5 { tail.ln() - target } else { target - tail.complement().ln() }
    };
    let root = bracket_root(-745.0, 745.0, 1e-15, gap);
    let odds = 0.5 * (root.below + root.above);
    let small = libm::exp(-odds.abs()) / (1.0 + libm::exp(-odds.abs()));
    if odds > 0.0 { 1.0 - small } else { small }
}

fn valid_shape(shape: f64) -> bool {
    shape > 0.0 && shape < f64::INFINITY
}

fn at_most(a: f64, b: f64, x: f64) -> Option<Tail> {
    if !(valid_shape(a) && valid_shape(b) && (0.0..=1.0).contains(&x)) {
        None
    } else if x > 0.5 {
        Some(at_most_split(a, b, 1.0 - x, true)) // exact
    } else {
        Some(at_most_split(a, b, x, false))
    }
}

/// `I_x(a, b)` for `x = p`, or for `x = 1 - p` when `mirrored`: either way `p` is exact, as is
/// all that follows from it.
fn at_most_split(a: f64, b: f64, p: f64, mirrored: bool) -> Tail {
    if mirrored {
        return at_most_split(b, a, p, false).complement();
    }
    if p == 0.0 {
        return Tail::NOTHING;
    }
    let shapes = Shapes::new(a, b, p);
    // From the mean outwards, whichever way that is.
    if shapes.excess >= 0.0 { Tail::Direct(shapes.below()) } else { Tail::Complement(shapes.above()) }
}

/// Shapes and a point, with what must be known to more than working precision.
struct Shapes {
    a: f64,
    b: f64,
    p: f64,
    /// `N = a + b`.
    total: f64,
    /// `a - N p = N q - b`.
    excess: f64,
    /// `D`.
    power: Scaled,
}

impl Shapes {
    fn new(a: f64, b: f64, p: f64) -> Self {
        let (total, total_rest) = two_sum(a, b);
        let mean = total * p;
        let mean_rest = total.mul_add(p, -mean) + total_rest * p;
        let excess = (a - mean) - mean_rest;
        let other_mean = (total - mean) + (total_rest - mean_rest);
        let power = Scaled {
            factor: INV_SQRT_2_PI * a.sqrt() * (b / total).sqrt(),
            exponent: deviance_of_difference(a, mean, excess)
                + deviance_of_difference(b, other_mean, -excess)
                + (stirling_error(a) + stirling_error(b) - stirling_error(total)),
        };
        Self { a, b, p, total, excess, power }
    }

    /// `I_p(a, b)` for `p` at most the mean.
    fn below(&self) -> Scaled {
        let q = 1.0 - self.p;
        self.power.times(if self.is_nearly_normal(self.b * self.p, self.a * q) {
            tail_integral(self.excess, self.total, self.p, -1.0)
        } else {
            fraction(self.a, self.b, [self.p, q], self.excess) / self.a
        })
    }

    /// `I_q(b, a)` for `p` at least the mean.
    fn above(&self) -> Scaled {
        let q = 1.0 - self.p;
        self.power.times(if self.is_nearly_normal(self.a * q, self.b * self.p) {
            tail_integral(-self.excess, self.total, self.p, 1.0)
        } else {
            fraction(self.b, self.a, [q, self.p], -self.excess) / self.b
        })
    }

    fn is_nearly_normal(&self, next: f64, this: f64) -> bool {
        self.total * self.p * (1.0 - self.p) >= NEARLY_NORMAL && next >= FALLS_FAST * this
    }
}

/// The tail of a beta law over `D`, equation (6): `Integral_0^inf exp(-phi(w)) dw`,
/// `phi(w) = excess w + N [log1pmx(y) + p expm1mx(v)]`, `v = sign w`, `y = p (e^v - 1)`.
///
/// `sign` is -1 for the tail in which the event of probability `p <= 1/2` is too frequent, +1 for
/// the one in which it is too rare; `excess` is by how much, at least -1. Needs `N p q >= 100`.
/// 25 evaluations of `phi`.
pub(crate) fn tail_integral(excess: f64, total: f64, p: f64, sign: f64) -> f64 {
    let curvature = total * p * (1.0 - p);
    let phi = |w: f64| {
        let v = sign * w;
        let beyond = expm1mx_near_zero(v);
        excess * w + total * (log1pmx_near_zero(p * (v + beyond)) + p * beyond)
    };
    // Where the parabola has fallen far enough, then one Newton step: phi is convex, so it lands
    // on the far side.
    let guess = 2.0 * DECAY / (excess + (excess * excess + 2.0 * curvature * DECAY).sqrt());
    let growth = sign * guess + expm1mx_near_zero(sign * guess);
    let slope = excess + sign * total * p * (1.0 - p) * growth / (1.0 + p * growth);
    let end = guess + (DECAY - phi(guess)) / slope;
    integrate_exp(end, phi, |_| 1.0)
}

/// The continued fraction of `a B(a, b) I_x(a, b) / (x^a y^b)`, `y = 1 - x`, for `x` at most the
/// mean: equation (9), `1 / (B_0 + A_1 / (B_1 + A_2 / (B_2 + ...)))`; `excess = a - (a + b) x`.
///
/// Two steps of (8) at once. There `1 - (a + b) x / (a + 1)` cancels where one shape is large and
/// `x` near 1; here that is `(1 + excess) / (a + 1)`, and no difference of large numbers is left.
/// Evaluated forwards by the modified Lentz method (Thompson and Barnett 1986).
fn fraction(a: f64, b: f64, [x, y]: [f64; 2], excess: f64) -> f64 {
    const MOST_STEPS: u32 = 1_000;
    let away_from_zero = |v: f64| if v.abs() < 1e-300 { 1e-300 } else { v };
    let first = (1.0 + excess) / (a + 1.0);
    let (mut lower, mut upper, mut value) = (0.0, first, first);
    for step in 1..=MOST_STEPS {
        let n = f64::from(step);
        let after = a + 2.0 * n;
        // n (b - n) x / ((a + 2n - 1)(a + 2n)): below 0 from n > b on, and never below -1/4.
        let even = n * (b - n) * x / ((after - 1.0) * after);
        let odd = ((a + n) * (1.0 + excess + n * (y + 2.0)) + n * (n + 1.0)) / (after * (after + 1.0));
        let over = (a + n - 1.0) * (a + b + n - 1.0) * x / ((after - 2.0) * (after - 1.0)) * even;
        let under = odd + even;
        lower = 1.0 / away_from_zero(under + over * lower);
        upper = away_from_zero(under + over / upper);
        let change = upper * lower;
        value *= change;
        if (change - 1.0).abs() <= 0.5 * f64::EPSILON {
            break;
        }
    }
    1.0 / value
}
