//! The threshold table: a law of the threshold as integers, which alone decide.
//!
//! `n` distinct entities, `u` a draw uniform on the 64-bit integers, `c(n)` the cut-off:
//!
//! ```text
//! reported iff n >= cap, or u < c(n);      c(n) = P(reported) 2^64 to the nearest
//! ```
//!
//! Nothing here depends on the platform: tables are made with IEEE 754 arithmetic and functions
//! in pure Rust, and decisions compare integers.

use std::fmt;

use sha2::{Digest, Sha256};

use super::draws::{ALL_DRAWS, DRAWS};
use super::probability::ReportingProbability;
use super::threshold_law::ThresholdLaw;

/// The decisions of a threshold law for every number of entities: one table, one draw.
///
/// # Guarantee
/// Groups of fewer than [`floor`](Self::floor) entities, which is at least 2, are reported under
/// no draw.
///
/// # Calibration
/// For a uniform draw the probability of a report is that of the law,
/// [`reporting_probability`](Self::reporting_probability), within `2^-64`.
///
/// # Example
/// ```
/// use lcf::{ClampedNormal, ThresholdTable};
/// use privacy_core::param::StdDev;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let thresholds = ThresholdTable::new(ClampedNormal::new(8.0, StdDev::new(1.5)?, 2.0)?);
/// assert_eq!((thresholds.floor(), thresholds.cap()), (3, 15)); // never below 3, always from 15
/// assert_eq!(thresholds.reporting_probability(8).reported, 0.5);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq)]
pub struct ThresholdTable {
    law: ThresholdLaw,
    cutoffs: Box<[u64]>,
    probabilities: Box<[ReportingProbability]>,
}

impl ThresholdTable {
    /// The table of a law. At most 2^16 entries of 24 bytes, some 50 ns each.
    #[must_use]
    pub fn new(law: impl Into<ThresholdLaw>) -> Self {
        let law = law.into();
        let (cutoffs, probabilities): (Vec<u64>, Vec<ReportingProbability>) = law.table().into_iter().unzip();
        Self { law, cutoffs: cutoffs.into(), probabilities: probabilities.into() }
    }

    /// The law that the table was computed from.
    #[must_use]
    pub const fn law(&self) -> &ThresholdLaw {
        &self.law
    }

    /// The smallest number of entities that is reported under every draw. A set of distinct
    /// entities need not be stored beyond it.
    #[must_use]
    pub const fn cap(&self) -> u64 {
        self.cutoffs.len() as u64
    }

    /// The smallest number of entities that some draw reports; at least 2.
    #[must_use]
    pub fn floor(&self) -> u64 {
        // Cut-offs do not decrease, so the zeros come first.
        self.cutoffs.iter().take_while(|&&cutoff| cutoff == 0).count() as u64
    }

    /// Whether a group of `distinct` entities is reported, given its draw. Compares integers.
    #[must_use]
    pub fn is_reported(&self, distinct: u64, draw: u64) -> bool {
        match self.cutoffs.get(usize::try_from(distinct).unwrap_or(usize::MAX)) {
            Some(&cutoff) => draw < cutoff,
            None => true,
        }
    }

    /// The cut-offs of `0, 1, ..., cap - 1` entities: how many draws out of `2^64` report.
    #[must_use]
    pub const fn cutoffs(&self) -> &[u64] {
        &self.cutoffs
    }

    /// The probability that a group of `distinct` entities is reported under the law.
    ///
    /// # Numerics
    /// Relative error of both tails below 1e-12 while above 1e-300, also where the other one
    /// rounds to 1.
    #[must_use]
    pub fn reporting_probability(&self, distinct: u64) -> ReportingProbability {
        let entry = self.probabilities.get(usize::try_from(distinct).unwrap_or(usize::MAX));
        entry.copied().unwrap_or(ReportingProbability::ALWAYS)
    }

    /// The probability that the integers decide for a report of `distinct` entities: the cut-off
    /// over `2^64`. Within `2^-64` of [the law's](Self::reporting_probability), and 0 or 1 where no
    /// draw or every draw reports, however small the law's own tail is: what an attacker sees.
    #[must_use]
    pub fn decision_probability(&self, distinct: u64) -> ReportingProbability {
        match self.cutoffs.get(usize::try_from(distinct).unwrap_or(usize::MAX)) {
            Some(&cutoff) => {
                let suppressing = ALL_DRAWS - u128::from(cutoff);
                ReportingProbability { reported: cutoff as f64 / DRAWS, suppressed: suppressing as f64 / DRAWS }
            }
            None => ReportingProbability::ALWAYS,
        }
    }

    /// SHA-256 of the table: two filters with one digest decide alike on the same draws. It
    /// depends on nothing but the law.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        let mut hash = Sha256::new();
        // The prefix keeps its name: stored states carry digests that were made with it.
        hash.update(b"lcf cutoffs 1\0");
        hash.update((self.cutoffs.len() as u64).to_le_bytes());
        self.cutoffs.iter().for_each(|cutoff| hash.update(cutoff.to_le_bytes()));
        hash.finalize().into()
    }
}

impl fmt::Debug for ThresholdTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThresholdTable").field("law", &self.law).field("cap", &self.cap()).finish_non_exhaustive()
    }
}
