//! The exact privacy curve of continuous Gaussian noise.
//!
//! `c` privacy cost, `mu = sqrt(c)`; `near = epsilon / mu - mu / 2`, `far = near + mu`; `phi` the
//! normal density, `Phi` its integral, `R` Mills' ratio. The curve (Balle and Wang 2018, theorem
//! 8; Dong, Roth and Su 2022, corollary 2.13) is
//!
//! ```text
//! delta = Phi(-near) - e^epsilon Phi(-far)                                                   (1)
//!       = phi(near) [R(near) - R(far)]                                                       (2)
//!       = phi(near) Integral_0^inf exp(-near t - t^2 / 2) (1 - e^(-mu t)) dt                 (3)
//! ```
//!
//! (1) cancels nearly everywhere. (2) loses less than two bits where `R(far) < R(near) / 2`;
//! elsewhere the integrand of (3) is positive and one fixed rule integrates it. `near` is carried
//! to twice the working precision, because its square is an exponent.
//!
//! # Guarantee
//! That of the continuous mechanism, for the neighbours and the unit of the sensitivity in the
//! cost. It does not hold for discrete Gaussian noise of the same parameter: take the cost of
//! [`discrete`](super::discrete) there, or [`zcdp`](super::zcdp).
//!
//! # Numerics
//! The curve is known to 2^-44, checked in `tests/numbers_accounting.rs` from 1 - 1e-300 down to
//! e^(-4e11); every answer is moved to its safe side by that much. Cost: below a microsecond for
//! a point, some 20 points for an inverse.

use super::{AccountingError, LEAST, PrivacyCost};
use crate::param::{Delta, Epsilon};
use crate::round::{add_up, exp_up, ln_down, ln_up, mul_up, sqrt_up, two_product, two_sum};
use crate::special::{DECAY, INV_SQRT_2_PI, Scaled, bracket_root, density, integrate_exp, mills};

/// Relative error of the curve, at most: 2^-44, ten times the largest that was seen on 700 random
/// points.
const CURVE_ERROR: f64 = 256.0 * f64::EPSILON;

/// Where the curve stops falling: delta is below e^(-5e11) there, and the remainder of the square
/// of `near` is still known to far below [`CURVE_ERROR`].
const FARTHEST: f64 = 1e6;

/// Half the width to which an inverse is found, in the logarithm of the unknown.
const INVERSE_WIDTH: f64 = 1e-14;

/// The delta that holds at `epsilon`: at least the exact one, by at most 1e-12 of it.
///
/// # Errors
/// [`AccountingError::Vacuous`] when that is not below 1.
pub fn delta(cost: PrivacyCost, epsilon: Epsilon) -> Result<Delta, AccountingError> {
    let Scaled { factor, exponent } = curve(cost.get(), epsilon.get());
    let bound = mul_up(mul_up(factor, 1.0 + CURVE_ERROR), exp_up(-exponent));
    Delta::new(bound.max(LEAST)).map_err(|_| AccountingError::Vacuous { epsilon })
}

/// Natural logarithm of the delta that holds at `epsilon`, finite where that delta underflows: at
/// least the exact one, and never below -5e11. Above it by at most 8e-14 and three units in the
/// last place of the answer, which are more than that from about -120 on.
#[must_use]
pub fn ln_delta(cost: PrivacyCost, epsilon: Epsilon) -> f64 {
    ln_bound(cost.get(), epsilon.get())
}

/// The least epsilon that holds at `delta`: at least the exact one, by at most 1e-12 of it where
/// delta is below 0.1.
///
/// The smallest number there is when `delta` alone suffices.
///
/// # Errors
/// [`AccountingError::NoEpsilon`] when it is too large for a number.
pub fn epsilon(cost: PrivacyCost, delta: Delta) -> Result<Epsilon, AccountingError> {
    let (c, target) = (cost.get(), ln_down(delta.get()));
    if ln_bound(c, LEAST) <= target {
        return Ok(Epsilon::new(LEAST)?);
    }
    // The classical bound rho + 2 sqrt(rho ln(1 / delta)), Bun and Steinke (2016), is above the
    // answer.
    let classical = add_up(0.5 * c, sqrt_up(mul_up(mul_up(2.0, c), -target)));
    if classical > 0.5 * f64::MAX {
        return Err(AccountingError::NoEpsilon { delta });
    }
    // Seldom far above it: the whole range of numbers is searched only where it is.
    let low = if ln_bound(c, 1e-3 * classical) > target { 1e-3 * classical } else { LEAST };
    let (low, high) = (libm::log(low), libm::log(2.0 * classical));
    let root = bracket_root(low, high, INVERSE_WIDTH, |u| target - ln_bound(c, libm::exp(u)));
    Ok(Epsilon::new(libm::exp(root.above))?)
}

/// The largest cost under which `epsilon` and `delta` hold: at most the exact one, by at most
/// 1e-12 of it where delta is below 0.1.
///
/// # Errors
/// [`AccountingError::TooStrict`] when it is below about 1e-307.
pub fn cost(epsilon: Epsilon, delta: Delta) -> Result<PrivacyCost, AccountingError> {
    let (e, target) = (epsilon.get(), ln_down(delta.get()));
    // Two costs that hold: half of what the classical bound of zCDP allows, and one so small that
    // delta alone suffices, since delta <= Phi(mu / 2) - Phi(-mu / 2) <= mu / sqrt(2 pi).
    let root_of_rho = e / ((e - target).sqrt() + (-target).sqrt());
    let safe = (root_of_rho * root_of_rho).max(6.0 * delta.get() * delta.get());
    if safe < LEAST {
        return Err(AccountingError::TooStrict { epsilon, delta });
    }
    // At near = -9 delta is within 1e-17 of 1, above every number below 1.
    let mu_too_large = 9.0 + (81.0 + 2.0 * e.min(0.25 * f64::MAX)).sqrt();
    let (low, high) = (libm::log(safe), 2.0 * libm::log(mu_too_large));
    let root = bracket_root(low, high.max(low), INVERSE_WIDTH, |u| ln_bound(libm::exp(u), e) - target);
    Ok(PrivacyCost::new(libm::exp(root.below))?)
}

/// An upper bound of `ln delta`.
fn ln_bound(cost: f64, epsilon: f64) -> f64 {
    let Scaled { factor, exponent } = curve(cost, epsilon);
    add_up(add_up(ln_up(factor.max(LEAST)), CURVE_ERROR), -exponent)
}

/// The curve, to [`CURVE_ERROR`].
fn curve(cost: f64, epsilon: f64) -> Scaled {
    let mu = cost.sqrt();
    let mu_rest = (-mu).mul_add(mu, cost) / (2.0 * mu);
    let (gap, gap_rest) = two_sum(epsilon, -0.5 * cost);
    let quotient = gap / mu;
    let quotient_rest = ((-quotient).mul_add(mu, gap) + gap_rest - quotient * mu_rest) / mu;
    // Delta falls with near, so that stopping short of it is safe. A quotient beside the last
    // point may be on either side of it: its remainder tells.
    let is_beyond = quotient == f64::INFINITY || quotient - FARTHEST + quotient_rest >= 0.0;
    let (near, near_rest) = if is_beyond { (FARTHEST, 0.0) } else { (quotient, quotient_rest) };
    let far = near + mu;
    let (mills_near, mills_far) = (mills(near), mills(far));
    if near < 0.0 && 2.0 * mills_far < mills_near {
        return Scaled { factor: 1.0 - density(near) * (mills(-near) + mills_far), exponent: 0.0 }; // (1)
    }
    let difference = if 2.0 * mills_far < mills_near {
        mills_near - mills_far // (2)
    } else {
        let end = 2.0 * DECAY / (near + (near * near + 2.0 * DECAY).sqrt());
        integrate_exp(end, |t| t * (near + 0.5 * t), |t| -libm::expm1(-mu * t)) // (3)
    };
    let (square, square_rest) = two_product(near, near);
    let correction = libm::exp(-(0.5 * square_rest + near * near_rest));
    Scaled { factor: INV_SQRT_2_PI * difference * correction, exponent: 0.5 * square }
}

#[cfg(all(test, feature = "noise"))]
mod tests;
