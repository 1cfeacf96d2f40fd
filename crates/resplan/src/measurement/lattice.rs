//! The integers that a residual is measured in, and the parameter of the noise on them.
//!
//! `sigma_B^2` the variance of residual B, `K` the product of its identity attributes' categories,
//! `t` how many others it has: `gamma^2 = sigma_B^2 K^2 4^(20 t)`, with fewer digits than 20 where
//! there are more than four.

use privacy_core::AttrSet;
use privacy_core::noise::{DiscreteGaussian, Rational, WideGaussian};

use crate::error::Error;
use crate::strategy::axes::Axes;
use crate::strategy::axis::Residual;

/// `gamma^2 / 4^doublings = sigma^2 K^2`.
pub(crate) fn scaled_variance(axes: &Axes, set: AttrSet, sigma2: Rational) -> Result<Rational, Error> {
    let identity = axes.measured(set).filter(|axis| matches!(axis.residual(), Residual::Centred));
    let scaled = identity.map(|axis| axis.size() as u128).try_fold(sigma2, |v, k| v.times(k)?.times(k))?;
    Ok(scaled)
}

/// The parameter of the noise on the integers of a residual, `gamma^2`, rounded down.
pub(crate) fn lattice_variance(axes: &Axes, set: AttrSet, sigma2: Rational) -> Result<f64, Error> {
    // Numerator, denominator and quotient are rounded once each.
    let scaled = scaled_variance(axes, set, sigma2)?.to_f64() * (1.0 - 2.0 * f64::EPSILON);
    Ok(scaled * 4_f64.powi(doublings_of(axes, set) as i32))
}

/// How often `sigma^2 K^2` is multiplied by 4.
pub(crate) fn doublings_of(axes: &Axes, set: AttrSet) -> u32 {
    let digits = axes.measured(set).map(|axis| match axis.residual() {
        Residual::Centred => 0,
        Residual::Dense(dense) => dense.digits,
    });
    digits.sum()
}

/// Refuses a variance that exact noise refuses; builds nothing.
pub(crate) fn check_noise(axes: &Axes, set: AttrSet, sigma2: Rational) -> Result<(), Error> {
    let gamma2 = scaled_variance(axes, set, sigma2)?;
    match doublings_of(axes, set) {
        0 => DiscreteGaussian::check(gamma2)?,
        doublings => WideGaussian::check(gamma2, doublings)?,
    }
    Ok(())
}
