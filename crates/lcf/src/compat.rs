//! Decisions of pg_diffix and SynDiffix, for a comparison before a migration. For tests only:
//! both have the defects that `tests/incumbents.rs` shows, and neither keys the hashes of
//! identifiers.
//!
//! `h` the hash of an identifier, `s` the XOR over the distinct ones, `z` the noise, `n` their
//! number, `b` the bits of the noise:
//!
//! ```text
//! pg_diffix    h = FNV-1a 64 of the integer as u64
//!              b = SHA-256(salt | s)[0..8] xor FNV-1a("suppress")
//!              u1, u2 = low, high half of b / (2^32 - 1)     z = sqrt(-2 ln u1) sin(2 pi u2)
//!              suppressed iff n < max(min, min + gap sd sqrt 2 + sd z)
//! SynDiffix    h = BLAKE2b-64 of the integer as i64
//!              b = SHA-256(salt | s)[0..8] xor BLAKE2b-64("suppress")
//!              u1, u2 = 31 bits of each half / (2^31 - 1), u1 at least 2^-52
//!              suppressed iff n < min or n < min + gap sd + sd z
//! ```
//!
//! Integers are little endian. The noise goes through the logarithm and the sine of the platform,
//! as in the original programs.

use std::collections::BTreeSet;

use blake2::Blake2b;
use blake2::digest::consts::U8;
use sha2::{Digest, Sha256};

/// FNV-1a with 64 bits.
#[must_use]
pub fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}

/// BLAKE2b with a digest of 8 bytes.
#[must_use]
pub fn blake2b64(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(Blake2b::<U8>::digest(bytes).into())
}

/// A normal number from two uniform ones, as both programs make it. Infinite or no number where
/// `u1` is 0.
#[must_use]
pub fn box_muller(u1: f64, u2: f64) -> f64 {
    (-2.0 * u1.ln()).sqrt() * (2.0 * std::f64::consts::PI * u2).sin()
}

fn salted(salt: &[u8], seed: u64) -> u64 {
    let digest: [u8; 32] = Sha256::new().chain_update(salt).chain_update(seed.to_le_bytes()).finalize().into();
    u64::from_le_bytes(std::array::from_fn(|i| digest[i]))
}

/// Low-count filter of pg_diffix (94b4edf).
#[derive(Clone, Debug)]
pub struct PgDiffix {
    /// Smallest number of entities that may be reported.
    pub min_threshold: u32,
    /// Distance of the mean above it, in standard deviations times the root of 2.
    pub gap: f64,
    /// Standard deviation of the noise.
    pub sd: f64,
}

/// The defaults of the extension.
impl Default for PgDiffix {
    fn default() -> Self {
        Self { min_threshold: 3, gap: 2.0, sd: 1.0 }
    }
}

impl PgDiffix {
    /// Hash of a column of 8-byte integers.
    #[must_use]
    pub fn hash_int8(identifier: i64) -> u64 {
        fnv1a(&identifier.to_le_bytes())
    }

    /// Hash of a column of 4-byte integers: of the number without a sign, so -1 is another person
    /// than -1 in 8 bytes.
    #[must_use]
    pub fn hash_int4(identifier: i32) -> u64 {
        fnv1a(&u64::from(identifier as u32).to_le_bytes())
    }

    /// XOR of distinct hashes.
    #[must_use]
    pub fn seed(hashes: &BTreeSet<u64>) -> u64 {
        hashes.iter().fold(0, |seed, hash| seed ^ hash)
    }

    /// The noise of a seed, in standard deviations.
    #[must_use]
    pub fn noise(salt: &[u8], seed: u64) -> f64 {
        let bits = salted(salt, seed) ^ fnv1a(b"suppress");
        let uniform = |half: u32| f64::from(half) / f64::from(u32::MAX);
        box_muller(uniform(bits as u32), uniform((bits >> 32) as u32))
    }

    /// The threshold of a seed.
    #[must_use]
    pub fn threshold(&self, salt: &[u8], seed: u64) -> f64 {
        let least = f64::from(self.min_threshold);
        let threshold = least + self.gap * self.sd * std::f64::consts::SQRT_2 + self.sd * Self::noise(salt, seed);
        threshold.max(least)
    }

    /// Whether a group of entities with these hashes is suppressed.
    #[must_use]
    pub fn is_low_count(&self, salt: &[u8], hashes: &BTreeSet<u64>) -> bool {
        (hashes.len() as f64) < self.threshold(salt, Self::seed(hashes))
    }
}

/// Low-count filter of SynDiffix (a832458), for identifiers that are integers.
#[derive(Clone, Debug)]
pub struct SynDiffix {
    /// Smallest number of entities that may be reported.
    pub low_threshold: u32,
    /// Distance of the mean above it, in standard deviations.
    pub layer_gap: f64,
    /// Standard deviation of the noise.
    pub sd: f64,
}

/// The defaults of the package.
impl Default for SynDiffix {
    fn default() -> Self {
        Self { low_threshold: 3, layer_gap: 2.0, sd: 1.0 }
    }
}

impl SynDiffix {
    /// Hash of an identifier; none for 0, which counts as missing.
    #[must_use]
    pub fn hash(identifier: i64) -> Option<u64> {
        (identifier != 0).then(|| blake2b64(&identifier.to_le_bytes()))
    }

    /// The noise of a seed, in standard deviations.
    #[must_use]
    pub fn noise(salt: &[u8], seed: u64) -> f64 {
        let bits = salted(salt, seed) ^ blake2b64(b"suppress");
        let uniform = |half: u64| (half & 0x7FFF_FFFF) as f64 / f64::from(i32::MAX);
        box_muller(uniform(bits).max(f64::EPSILON), uniform(bits >> 32))
    }

    /// Whether a group of entities with these hashes is suppressed.
    #[must_use]
    pub fn is_low_count(&self, salt: &[u8], hashes: &BTreeSet<u64>) -> bool {
        let least = f64::from(self.low_threshold);
        let seed = hashes.iter().fold(0, |seed, hash| seed ^ hash);
        let threshold = least + self.layer_gap * self.sd + self.sd * Self::noise(salt, seed);
        let distinct = hashes.len() as f64;
        distinct < least || distinct < threshold
    }
}
