//! A set of entities as bytes, for engines that keep or send partial results.
//!
//! ```text
//! "LCF1"                                    4 bytes
//! cap                                       u32
//! members, or 2^32 - 1 when saturated       u32
//! each member, strictly ascending           u64
//! ```
//!
//! Integers are little endian. One set has one encoding, so equal sets are equal bytes. Members
//! are keyed hashes, and a set stores neither its secret nor its kind of entity: a program that
//! stores sets by themselves keeps the digest of their filter beside them
//! ([`LowCountFilter::digest`](crate::LowCountFilter::digest)). Whole tables carry it
//! ([`LabelledTable::to_bytes`](crate::LabelledTable::to_bytes)).

use crate::entity::entity_set::EntitySet;
use crate::error::Error;
use crate::law::error::MAX_CAP;

const MAGIC: [u8; 4] = *b"LCF1";
const SATURATED: u32 = u32::MAX;
/// No law has a larger cap: see [`ThresholdTable`](crate::ThresholdTable).
const LARGEST_CAP: u32 = MAX_CAP as u32;

impl EntitySet {
    /// The set as bytes: 12, and 8 per member.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&self.cap().to_le_bytes());
        self.write_members(&mut bytes);
        bytes
    }

    /// The set that all of these bytes encode.
    ///
    /// # Errors
    /// [`Error::NotAState`] unless [`to_bytes`](Self::to_bytes) writes exactly these bytes for
    /// some set.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        parse(bytes).ok_or(Error::NotAState)
    }

    /// How many members, and each of them.
    pub(crate) fn write_members(&self, bytes: &mut Vec<u8>) {
        let members = self.members();
        let count = if self.is_saturated() { SATURATED } else { members.len() as u32 };
        bytes.extend_from_slice(&count.to_le_bytes());
        members.iter().for_each(|member| bytes.extend_from_slice(&member.to_le_bytes()));
    }
}

fn parse(bytes: &[u8]) -> Option<EntitySet> {
    let mut reader = Reader(bytes);
    let (magic, cap) = (reader.array()?, reader.u32()?);
    if magic != MAGIC || !(1..=LARGEST_CAP).contains(&cap) {
        return None;
    }
    let set = reader.members(cap)?;
    reader.is_empty().then_some(set)
}

/// Bytes that are read from the front; nothing where they end too early.
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn take(&mut self, length: u64) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(usize::try_from(length).ok()?)?;
        self.0 = rest;
        Some(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*taken)
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    /// What [`EntitySet::write_members`] wrote for some set of this cap.
    pub(crate) fn members(&mut self, cap: u32) -> Option<EntitySet> {
        let count = self.u32()?;
        if count == SATURATED {
            return Some(EntitySet::saturated(cap));
        }
        if count >= cap {
            return None;
        }
        let (mut set, mut before) = (EntitySet::new(cap), None);
        for _ in 0..count {
            let member = self.u64()?;
            if before.replace(member).is_some_and(|before| before >= member) {
                return None;
            }
            set.insert(member);
        }
        Some(set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(cap: u32, hashes: &[u64]) -> EntitySet {
        let mut set = EntitySet::new(cap);
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
            assert!(EntitySet::from_bytes(&set.to_bytes()).unwrap() == set);
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
            assert_eq!(EntitySet::from_bytes(&bytes).unwrap_err(), Error::NotAState, "{bytes:?}");
        }
    }
}
