//! How many reports a question needs.
//!
//! Under a frequency `pi` and a channel, `g = p + d
//! pi` ones are reported; the correlation of two report bits is `phi` times `sqrt(L_i L_j)` with
//! `L = d^2 pi (1 - pi) / (g (1 - g))`, so the test of independence has noncentrality
//! `N phi^2 L_i L_j`.

use privacy_core::normal;
use privacy_core::param::Probability;

use ldp_client::Channel;

/// A question that no number of reports answers.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SampleSizeError {
    /// A frequency, significance or power is a probability above 0 and below 1, power above
    /// significance, and a correlation is between -1 and 1 and not 0.
    #[error("{what} = {got} is out of range")]
    OutOfRange {
        /// What it is.
        what: &'static str,
        /// What was given.
        got: f64,
    },
    /// More than 2^53 reports.
    #[error("this would require more than 2^53 reports")]
    TooMany,
}

/// Reports for a standard error of at most
/// `standard_error`, in frequency, when one report has variance `variance_per_report` (see
/// [`crate::planner`]).
///
/// # Errors
/// [`SampleSizeError`].
pub fn reports_for_error(variance_per_report: f64, standard_error: f64) -> Result<u64, SampleSizeError> {
    for (what, got) in [("variance", variance_per_report), ("standard error", standard_error)] {
        if !(got > 0.0 && got < f64::INFINITY) {
            return Err(SampleSizeError::OutOfRange { what, got });
        }
    }
    whole(variance_per_report / (standard_error * standard_error))
}

/// Reports so that the test of independence of two bits finds a correlation
/// `phi` with probability `power`, at this significance.
///
/// # Errors
/// [`SampleSizeError`].
pub fn reports_for_independence(
    phi: f64,
    first: (Channel, f64),
    second: (Channel, f64),
    significance: f64,
    power: f64,
) -> Result<u64, SampleSizeError> {
    require_inside("frequency", first.1)?;
    require_inside("frequency", second.1)?;
    require_inside("significance", significance)?;
    require_inside("power", power)?;
    if power <= significance {
        return Err(SampleSizeError::OutOfRange { what: "power", got: power });
    }
    if !(phi.abs() > 0.0 && phi.abs() <= 1.0) {
        return Err(SampleSizeError::OutOfRange { what: "correlation", got: phi });
    }
    whole(noncentrality(significance, power) / (phi * phi * retained(first) * retained(second)))
}

/// A number above 0 and below 1.
fn require_inside(what: &'static str, got: f64) -> Result<(), SampleSizeError> {
    if got > 0.0 && got < 1.0 { Ok(()) } else { Err(SampleSizeError::OutOfRange { what, got }) }
}

/// `L`: the share of a column's variance that its reports keep.
fn retained((channel, frequency): (Channel, f64)) -> f64 {
    let reported = channel.report_probability(frequency);
    channel.gap().powi(2) * frequency * (1.0 - frequency) / (reported * (1.0 - reported))
}

/// The `lambda` for which `P(|Z + sqrt lambda| > z) = power`, by bisection on the square root.
fn noncentrality(significance: f64, power: f64) -> f64 {
    let half = Probability::new(0.5 * significance).expect("half of a probability is one");
    let critical = normal::upper_quantile(half);
    let found = |shift: f64| normal::at_least(critical - shift) + normal::at_least(critical + shift);
    // The power grows with the shift, and 40 beyond the critical value is certainty.
    let (mut low, mut high) = (0.0, critical + 40.0);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if found(middle) < power { low = middle } else { high = middle }
    }
    high * high
}

fn whole(reports: f64) -> Result<u64, SampleSizeError> {
    if reports <= 2.0_f64.powi(53) { Ok(reports.ceil().max(1.0) as u64) } else { Err(SampleSizeError::TooMany) }
}
