//! The seeded hash of local hashing: SipHash-2-4 of the value under the seed of the report.
//!
//! The seed is public and fresh for every report: epsilon does not rest on the hash, only the
//! variances do, which take it for ideal. `(hash * buckets) >> 64` is within `buckets / 2^64` of
//! uniform. Source: Aumasson and Bernstein 2012 (SipHash); Wang, Blocki, Li, Jha 2017 (local
//! hashing).

use siphasher::sip::SipHasher24;

/// The bucket of a value under a seed.
pub(crate) fn bucket(seed: u64, value: u32, buckets: u32) -> u32 {
    let hash = SipHasher24::new_with_keys(seed, 0).hash(&value.to_le_bytes());
    ((u128::from(hash) * u128::from(buckets)) >> 64) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_pinned() {
        // A change would misread every stored report.
        assert_eq!([0, 1, 2, 3].map(|value| bucket(7, value, 1000)), [102, 553, 689, 442]);
    }

    #[test]
    fn two_values_meet_in_a_bucket_as_often_as_under_an_ideal_hash() {
        let meetings = (0..100_000_u64).filter(|&seed| bucket(seed, 3, 4) == bucket(seed, 11, 4)).count();
        // Binomial(100000, 1/4): sd 137, and 7 of them.
        assert!(meetings.abs_diff(25_000) < 7 * 137, "{meetings}");
    }
}
