//! Inverse of the normal tail: M. Wichura, "Algorithm AS 241: the percentage points of the normal
//! distribution" (1988).
//!
//! A rational function of degree 7 in each of three regions, with a relative error of about 1e-16
//! before rounding.

use super::deviance::polynomial;

/// The `x` with `P(X >= x) = tail` for a standard normal `X`; infinite at 0 and 1, NaN outside.
pub(crate) fn upper_probit(tail: f64) -> f64 {
    if tail == 0.0 {
        return f64::INFINITY;
    }
    let from_centre = 0.5 - tail;
    if from_centre.abs() <= 0.425 {
        let r = 0.180625 - from_centre * from_centre;
        return from_centre * polynomial(r, &CENTRE_ABOVE) / polynomial(r, &CENTRE_BELOW);
    }
    if tail > 0.5 {
        return -upper_probit(1.0 - tail); // exact
    }
    let r = (-libm::log(tail)).sqrt();
    if r <= 5.0 {
        polynomial(r - 1.6, &MIDDLE_ABOVE) / polynomial(r - 1.6, &MIDDLE_BELOW)
    } else {
        polynomial(r - 5.0, &FAR_ABOVE) / polynomial(r - 5.0, &FAR_BELOW)
    }
}

const CENTRE_ABOVE: [f64; 8] = [
    3.3871328727963666080,
    1.3314166789178437745e+2,
    1.9715909503065514427e+3,
    1.3731693765509461125e+4,
    4.5921953931549871457e+4,
    6.7265770927008700853e+4,
    3.3430575583588128105e+4,
    2.5090809287301226727e+3,
];
const CENTRE_BELOW: [f64; 8] = [
    1.0,
    4.2313330701600911252e+1,
    6.8718700749205790830e+2,
    5.3941960214247511077e+3,
    2.1213794301586595867e+4,
    3.9307895800092710610e+4,
    2.8729085735721942674e+4,
    5.2264952788528545610e+3,
];
const MIDDLE_ABOVE: [f64; 8] = [
    1.42343711074968357734,
    4.63033784615654529590,
    5.76949722146069140550,
    3.64784832476320460504,
    1.27045825245236838258,
    2.41780725177450611770e-1,
    2.27238449892691845833e-2,
    7.74545014278341407640e-4,
];
const MIDDLE_BELOW: [f64; 8] = [
    1.0,
    2.05319162663775882187,
    1.67638483018380384940,
    6.89767334985100004550e-1,
    1.48103976427480074590e-1,
    1.51986665636164571966e-2,
    5.47593808499534494600e-4,
    1.05075007164441684324e-9,
];
const FAR_ABOVE: [f64; 8] = [
    6.65790464350110377720,
    5.46378491116411436990,
    1.78482653991729133580,
    2.96560571828504891230e-1,
    2.65321895265761230930e-2,
    1.24266094738807843860e-3,
    2.71155556874348757815e-5,
    2.01033439929228813265e-7,
];
const FAR_BELOW: [f64; 8] = [
    1.0,
    5.99832206555887937690e-1,
    1.36929880922735805310e-1,
    1.48753612908506148525e-2,
    7.86869131145613259100e-4,
    1.84631831751005468180e-5,
    1.42151175831644588870e-7,
    2.04426310338993978564e-15,
];
