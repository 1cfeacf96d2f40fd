//! Protocols for one feature at one epsilon.

use super::variance::{
    best_subset_size, best_unary, cell_variance, generalised_response, local_hashing, optimised_unary,
    randomised_response, subset_selection, symmetric_unary,
};
use super::{PlanError, check_epsilon};
use crate::estimate::Influence;
use ldp_client::{Channel, ProtocolKind};

/// How a protocol spends its epsilon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum ProtocolVariant {
    /// One bit for two values.
    #[cfg_attr(feature = "serde", serde(rename = "one bit"))]
    OneBit,
    /// One symbol for each value.
    #[cfg_attr(feature = "serde", serde(rename = "generalised response"))]
    GeneralisedResponse,
    /// A block whose bits have half of epsilon each.
    #[cfg_attr(feature = "serde", serde(rename = "symmetric"))]
    Symmetric,
    /// A block that is best for rare values.
    #[cfg_attr(feature = "serde", serde(rename = "optimised"))]
    Optimised,
    /// The block that is best for the expected frequency.
    #[cfg_attr(feature = "serde", serde(rename = "for this frequency"))]
    ForFrequency,
    /// Local hashing with `e^epsilon + 1` buckets, the best number.
    #[cfg_attr(feature = "serde", serde(rename = "e^epsilon + 1 buckets"))]
    BestBuckets,
    /// Sets of this many values, the best number for the expected frequency.
    #[cfg_attr(feature = "serde", serde(rename = "best size"))]
    BestSize,
}

impl ProtocolVariant {
    /// Its words, as in documents.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::OneBit => "one bit",
            Self::GeneralisedResponse => "generalised response",
            Self::Symmetric => "symmetric",
            Self::Optimised => "optimised",
            Self::ForFrequency => "for this frequency",
            Self::BestBuckets => "e^epsilon + 1 buckets",
            Self::BestSize => "best size",
        }
    }
}

/// A protocol for one feature.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct PlannedProtocol {
    /// The protocol, as in schemas.
    pub protocol: ProtocolKind,
    /// Which of its kind.
    pub variant: ProtocolVariant,
    /// P(0 becomes 1) of a value's support bit.
    pub p: f64,
    /// P(1 stays 1).
    pub q: f64,
    /// Variance of the frequency of the value times the number of reports.
    pub variance: f64,
    /// Bits of a report.
    pub bits: u64,
    /// Values that a report of subset selection names.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub size: Option<u64>,
    /// By how many people one false report moves a count: `max(q, 1 - p) / (q - p)`.
    pub one_false_report: f64,
}

/// The protocols for a feature with this many values, best first for a value of this frequency;
/// of equal ones the shorter report.
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
    let count = values as f64;
    let buckets = (epsilon.exp().round() + 1.0).clamp(2.0, 2.0_f64.powi(30));
    let candidates = [
        (ProtocolVariant::GeneralisedResponse, generalised_response(count, epsilon)?, symbol_bits(count)),
        (ProtocolVariant::Symmetric, symmetric_unary(epsilon)?, values),
        (ProtocolVariant::Optimised, optimised_unary(epsilon)?, values),
        (ProtocolVariant::ForFrequency, best_unary(epsilon, frequency)?, values),
        // A report of local hashing carries the seed of its hash.
        (ProtocolVariant::BestBuckets, local_hashing(buckets, epsilon)?, 64 + symbol_bits(buckets)),
    ];
    let mut protocols: Vec<_> =
        candidates.into_iter().map(|(variant, channel, bits)| planned(variant, channel, bits, frequency)).collect();
    // A set of one value is generalised response; support columns are one for each value.
    let size = best_subset_size(count, epsilon, frequency);
    if size > 1.0 {
        let channel = subset_selection(count, size, epsilon)?;
        let of_size = planned(ProtocolVariant::BestSize, channel, values, frequency);
        protocols.push(PlannedProtocol { size: Some(size as u64), ..of_size });
    }
    if values == 2 {
        protocols.push(planned(ProtocolVariant::OneBit, randomised_response(epsilon)?, 1, frequency));
    }
    protocols.sort_by(|a, b| a.variance.total_cmp(&b.variance).then(a.bits.cmp(&b.bits)));
    Ok(protocols)
}

fn planned(variant: ProtocolVariant, channel: Channel, bits: u64, frequency: f64) -> PlannedProtocol {
    use ProtocolVariant as V;
    let protocol = match variant {
        V::OneBit => ProtocolKind::RandomisedResponse,
        V::GeneralisedResponse => ProtocolKind::GeneralisedResponse,
        V::Symmetric | V::Optimised | V::ForFrequency => ProtocolKind::UnaryEncoding,
        V::BestBuckets => ProtocolKind::LocalHashing,
        V::BestSize => ProtocolKind::SubsetSelection,
    };
    let variance = cell_variance(channel, frequency);
    let one_false_report = Influence::of_channels(&[channel], 1.0).of_one();
    PlannedProtocol { protocol, variant, p: channel.p(), q: channel.q(), variance, bits, size: None, one_false_report }
}

/// Bits that write one of this many symbols.
fn symbol_bits(symbols: f64) -> u64 {
    (symbols.log2().ceil() as u64).max(1)
}
