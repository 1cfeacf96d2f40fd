//! The cut-off table: a law of the threshold as integers, which alone decide.
//!
//! `n` distinct entities, `u` a draw uniform on the 64-bit integers, `c(n)` the cut-off:
//!
//! ```text
//! reported iff n >= cap, or u < c(n);      c(n) = P(reported) 2^64 to the nearest
//! ```
//!
//! Nothing here depends on a platform: the tables are made with arithmetic of IEEE 754 and pure Rust functions, and decisions
//! compare integers.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::law::{Chance, ThresholdLaw};

/// The decisions of a threshold law for every number of entities: one table, one draw.
///
/// # Guarantee
/// Groups of fewer than [`floor`](Self::floor) entities, which is at least 2, are never reported, whatever is drawn.
///
/// # Calibration
/// For a uniform draw the probability of a report is that of the law, [`chance`](Self::chance), within `2^-64`.
#[derive(Clone, PartialEq)]
pub struct Cutoffs {
    law: ThresholdLaw,
    table: Box<[u64]>,
    chances: Box<[Chance]>,
}

impl Cutoffs {
    /// The table of a law. At most 2^16 entries of 24 bytes, some 50 ns each.
    #[must_use]
    pub fn new(law: impl Into<ThresholdLaw>) -> Self {
        let law = law.into();
        let (table, chances): (Vec<u64>, Vec<Chance>) = law.table().into_iter().unzip();
        Self { law, table: table.into(), chances: chances.into() }
    }

    /// The law that the table is of.
    #[must_use]
    pub const fn law(&self) -> &ThresholdLaw {
        &self.law
    }

    /// The smallest number of entities that is always reported. A set of distinct entities need not be remembered beyond it.
    #[must_use]
    pub const fn cap(&self) -> u64 {
        self.table.len() as u64
    }

    /// The smallest number of entities that may be reported; at least 2.
    #[must_use]
    pub fn floor(&self) -> u64 {
        self.table.iter().take_while(|&&cutoff| cutoff == 0).count() as u64
    }

    /// Whether a group of so many distinct entities is reported, given its draw. Compares integers.
    #[must_use]
    pub fn is_reported(&self, distinct: u64, draw: u64) -> bool {
        match self.table.get(usize::try_from(distinct).unwrap_or(usize::MAX)) {
            Some(&cutoff) => draw < cutoff,
            None => true,
        }
    }

    /// The cut-offs of `0, 1, ..., cap - 1` entities.
    #[must_use]
    pub const fn table(&self) -> &[u64] {
        &self.table
    }

    /// How likely a group of so many distinct entities is reported under the law.
    ///
    /// # Numerics
    /// Relative error of both tails below 1e-12 while above 1e-300, also where the other one rounds to 1.
    #[must_use]
    pub fn chance(&self, distinct: u64) -> Chance {
        let entry = self.chances.get(usize::try_from(distinct).unwrap_or(usize::MAX));
        entry.copied().unwrap_or(Chance::ALWAYS)
    }

    /// SHA-256 of the table: two filters with one digest decide alike on the same draws. It depends on nothing but the law.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        let mut hash = Sha256::new();
        hash.update(b"lcf cutoffs 1\0");
        hash.update((self.table.len() as u64).to_le_bytes());
        self.table.iter().for_each(|cutoff| hash.update(cutoff.to_le_bytes()));
        hash.finalize().into()
    }
}

impl fmt::Debug for Cutoffs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cutoffs").field("law", &self.law).field("cap", &self.cap()).finish_non_exhaustive()
    }
}
