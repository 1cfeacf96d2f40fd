//! Protocols for one feature at one epsilon.

use super::variance::{
    best_unary, cell_variance, generalised_response, local_hashing, optimised_unary, randomised_response,
    symmetric_unary,
};
use super::{PlanError, check_epsilon};
use ldp_client::Channel;

/// A protocol for one feature.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct PlannedProtocol {
    /// As in schemas: `rr`, `grr`, `ue`, `lh`.
    pub protocol: &'static str,
    /// Which of its kind.
    pub variant: &'static str,
    /// P(0 becomes 1) of a value's support bit.
    pub p: f64,
    /// P(1 stays 1).
    pub q: f64,
    /// Variance of the frequency of the value times the number of reports.
    pub variance: f64,
    /// Bits of a report.
    pub bits: u64,
}

/// The protocols for a feature of so many values, best first for a value of this frequency; of equal ones the shorter report.
///
/// # Errors
/// [`PlanError`].
pub fn compare_protocols(values: u64, epsilon: f64, frequency: f64) -> Result<Vec<PlannedProtocol>, PlanError> {
    if !(2..=1 << 30).contains(&values) {
        return Err(PlanError::Values { got: values });
    }
    check_epsilon(epsilon)?;
    if !(frequency > 0.0 && frequency < 1.0) {
        return Err(PlanError::Frequencies);
    }
    let symbol_bits = |symbols: f64| (symbols.log2().ceil() as u64).max(1);
    let planned = |protocol, variant, channel: Channel, bits| {
        let variance = cell_variance(channel, frequency);
        PlannedProtocol { protocol, variant, p: channel.p(), q: channel.q(), variance, bits }
    };
    let count = values as f64;
    let buckets = (epsilon.exp().round() + 1.0).clamp(2.0, 2.0_f64.powi(30));
    let mut protocols = vec![
        planned("grr", "generalised response", generalised_response(count, epsilon)?, symbol_bits(count)),
        planned("ue", "symmetric", symmetric_unary(epsilon)?, values),
        planned("ue", "optimised", optimised_unary(epsilon)?, values),
        planned("ue", "for this frequency", best_unary(epsilon, frequency)?, values),
        planned("lh", "e^epsilon + 1 buckets", local_hashing(buckets, epsilon)?, 64 + symbol_bits(buckets)),
    ];
    if values == 2 {
        protocols.push(planned("rr", "one bit", randomised_response(epsilon)?, 1));
    }
    protocols.sort_by(|a, b| a.variance.total_cmp(&b.variance).then(a.bits.cmp(&b.bits)));
    Ok(protocols)
}
