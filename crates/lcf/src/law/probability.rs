//! The probability of a report, with both tails, and its number of draws.

use super::draws::DRAWS;

/// The probabilities that a group is reported and that it is suppressed. Both tails are kept,
/// because `1 - reported` has no correct digit left where a group is all but certain to be
/// reported.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ReportingProbability {
    /// Probability that the group is reported.
    pub reported: f64,
    /// Probability that the group is suppressed.
    pub suppressed: f64,
}

impl ReportingProbability {
    /// Reported under no draw.
    pub const NEVER: Self = Self { reported: 0.0, suppressed: 1.0 };
    /// Reported under every draw.
    pub const ALWAYS: Self = Self { reported: 1.0, suppressed: 0.0 };
}

/// Cut-offs and probabilities of `0, 1, ..., cap - 1` entities.
pub(crate) fn table_of(
    cap: u64,
    probability: impl Fn(u64) -> ReportingProbability,
) -> Vec<(u64, ReportingProbability)> {
    (0..cap).map(probability).map(|probability| (nearest_cutoff(probability), probability)).collect()
}

/// The number of draws out of `2^64` that report, to the nearest; `2^64` itself is `None`. Taken
/// from the smaller tail, whose digits are all correct.
pub(crate) fn nearest_draws(probability: ReportingProbability) -> Option<u64> {
    if probability.reported <= probability.suppressed {
        return Some((probability.reported * DRAWS).round() as u64);
    }
    match (probability.suppressed * DRAWS).round() as u64 {
        0 => None,
        suppressing => Some(suppressing.wrapping_neg()), // 2^64 - suppressing
    }
}

/// The same as a cut-off. Where every draw would report by rounding, the cut-off is one below: a
/// group that the law may suppress must not become certain.
fn nearest_cutoff(probability: ReportingProbability) -> u64 {
    nearest_draws(probability).unwrap_or(u64::MAX)
}
