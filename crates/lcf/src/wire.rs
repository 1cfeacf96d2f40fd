//! A set of entities as bytes, for partial results that travel or stay until tomorrow.
//!
//! ```text
//! "LCF1"                                    4 bytes
//! cap                                       u32
//! members, or 2^32 - 1 when saturated       u32
//! each member, strictly ascending           u64
//! ```
//!
//! Integers are little endian. One set has one encoding, so equal sets are equal bytes. Members are keyed hashes: bytes of
//! two secrets look alike, and whoever stores them says beside them which secret it was
//! ([`Secret::fingerprint`](privacy_core::prf::Secret::fingerprint)).

use crate::aid_set::AidSet;
use crate::error::Error;
use crate::law::MAX_CAP;

const MAGIC: [u8; 4] = *b"LCF1";
const HEAD: usize = 12;
const SATURATED: u32 = u32::MAX;
/// No law has a larger cap: see [`Cutoffs`](crate::Cutoffs).
const LARGEST_CAP: u32 = MAX_CAP as u32;

impl AidSet {
    /// The set as bytes: 12, and 8 a member.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let members = self.members();
        let count = if self.is_saturated() { SATURATED } else { members.len() as u32 };
        let mut bytes = Vec::with_capacity(HEAD + 8 * members.len());
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&self.cap().to_le_bytes());
        bytes.extend_from_slice(&count.to_le_bytes());
        members.iter().for_each(|member| bytes.extend_from_slice(&member.to_le_bytes()));
        bytes
    }

    /// The set of these bytes, all of them.
    ///
    /// # Errors
    /// [`Error::NotAState`] unless [`to_bytes`](Self::to_bytes) writes exactly these bytes for some set.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        parse(bytes).ok_or(Error::NotAState)
    }
}

fn parse(bytes: &[u8]) -> Option<AidSet> {
    let (head, rest) = bytes.split_first_chunk::<HEAD>()?;
    let word = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    let (cap, count) = (word(4), word(8));
    if head[..4] != MAGIC || !(1..=LARGEST_CAP).contains(&cap) {
        return None;
    }
    if count == SATURATED {
        return rest.is_empty().then(|| AidSet::saturated(cap));
    }
    let (members, left_over) = rest.as_chunks::<8>();
    if count >= cap || members.len() != count as usize || !left_over.is_empty() {
        return None;
    }
    let mut set = AidSet::new(cap);
    let mut before = None;
    for member in members.iter().map(|member| u64::from_le_bytes(*member)) {
        if before.replace(member).is_some_and(|before| before >= member) {
            return None;
        }
        set.insert(member);
    }
    Some(set)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(cap: u32, hashes: &[u64]) -> AidSet {
        let mut set = AidSet::new(cap);
        hashes.iter().for_each(|&hash| set.insert(hash));
        set
    }

    #[test]
    fn bytes_are_as_the_format_says() {
        let bytes = of(15, &[0x0102, 3]).to_bytes();
        assert_eq!(bytes, b"LCF1\x0f\0\0\0\x02\0\0\0\x03\0\0\0\0\0\0\0\x02\x01\0\0\0\0\0\0");
        assert_eq!(of(1, &[5]).to_bytes(), b"LCF1\x01\0\0\0\xff\xff\xff\xff");
    }

    #[test]
    fn sets_come_back_from_their_bytes() {
        for set in [of(15, &[]), of(15, &[u64::MAX, 0, 7]), of(2, &[1, 2]), of(500, &(0..400).collect::<Vec<_>>())] {
            assert!(AidSet::from_bytes(&set.to_bytes()).unwrap() == set);
        }
    }

    #[test]
    fn bytes_that_no_set_has_are_refused() {
        let good = of(3, &[5, 9]).to_bytes();
        let changed = |at: usize, to: u8| {
            let mut bytes = good.clone();
            bytes[at] = to;
            bytes
        };
        let mut cases = vec![changed(3, b'2'), changed(4, 2), changed(4, 0), changed(6, 2), changed(8, 1)];
        cases.extend([changed(8, 3), changed(12, 9), changed(12, 10), [&good[..], &[0]].concat()]);
        cases.extend((0..good.len()).map(|length| good[..length].to_vec()));
        cases.push(b"LCF1\x03\0\0\0\xff\xff\xff\xff\0".to_vec());
        cases.push(b"LCF1\x03\0\0\0\xfe\xff\xff\xff".to_vec());
        for bytes in cases {
            assert_eq!(AidSet::from_bytes(&bytes).unwrap_err(), Error::NotAState, "{bytes:?}");
        }
    }
}
