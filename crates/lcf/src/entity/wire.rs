//! A set of entities as bytes, for engines that keep or send partial results.
//!
//! ```text
//! "LCF2"                                    4 bytes
//! cap                                       u32
//! members, or 2^32 - 1 when saturated       u32
//! each member, strictly ascending           u64
//! seal under the secret                     16 bytes, of the digest of the filter and all of this
//! ```
//!
//! Integers are little endian. One set has one encoding, so equal sets are equal bytes. A set
//! that says "saturated" is believed without a member, so a set is read only if it was
//! sealed for the same filter, under its secret.

use crate::entity::entity_set::EntitySet;
use crate::error::Error;
use crate::filter::low_count_filter::LowCountFilter;
use crate::law::error::MAX_CAP;

const MAGIC: [u8; 4] = *b"LCF2";
const SATURATED: u32 = u32::MAX;
/// No law has a larger cap: see [`ThresholdTable`](crate::ThresholdTable). Sets that are held whole
/// have one of their own.
const LARGEST_CAP: u32 = MAX_CAP as u32;

impl EntitySet {
    /// The set as bytes, sealed for a filter: 28, and 8 per member.
    #[must_use]
    pub fn to_bytes(&self, filter: &LowCountFilter) -> Vec<u8> {
        let mut bytes = self.content();
        let seal = filter.seal(&with_digest(filter, &bytes));
        bytes.extend_from_slice(&seal);
        bytes
    }

    /// The set that all of these bytes encode.
    ///
    /// # Errors
    /// [`Error::NotSealed`] for a set that was not written for this filter, under its secret;
    /// [`Error::NotAState`] unless [`to_bytes`](Self::to_bytes) writes exactly these bytes for
    /// some set.
    pub fn from_bytes(bytes: &[u8], filter: &LowCountFilter) -> Result<Self, Error> {
        let (content, seal) = bytes.split_last_chunk().ok_or(Error::NotAState)?;
        let set = parse(content).ok_or(Error::NotAState)?;
        if filter.has_sealed(&with_digest(filter, content), seal) { Ok(set) } else { Err(Error::NotSealed) }
    }

    fn content(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&self.cap().to_le_bytes());
        self.write_members(&mut bytes);
        bytes
    }

    /// How many members, and each of them.
    pub(crate) fn write_members(&self, bytes: &mut Vec<u8>) {
        let members = self.members();
        let count = if self.is_saturated() { SATURATED } else { members.len() as u32 };
        bytes.extend_from_slice(&count.to_le_bytes());
        members.iter().for_each(|member| bytes.extend_from_slice(&member.to_le_bytes()));
    }
}

/// What the seal of a set is of.
fn with_digest(filter: &LowCountFilter, content: &[u8]) -> Vec<u8> {
    [&filter.digest(), content].concat()
}

fn parse(bytes: &[u8]) -> Option<EntitySet> {
    let mut reader = Reader(bytes);
    let (magic, cap) = (reader.array()?, reader.u32()?);
    if magic != MAGIC || !(1..=LARGEST_CAP).contains(&cap) && cap != EntitySet::WHOLE {
        return None;
    }
    let set = reader.members(cap)?;
    reader.is_empty().then_some(set)
}

/// Bytes that are read from the front; nothing where they end too early.
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl<'a> Reader<'a> {
    /// The content of bytes that begin with `magic` and the digest of the filter, and end with
    /// their seal under its secret, which is returned as well.
    pub(crate) fn of_sealed(
        bytes: &'a [u8],
        magic: [u8; 4],
        filter: &LowCountFilter,
    ) -> Result<(Self, [u8; 16]), Error> {
        let (sealed, seal) = bytes.split_last_chunk().ok_or(Error::NotAState)?;
        let mut reader = Self(sealed);
        let (begin, digest) = (reader.array().ok_or(Error::NotAState)?, reader.array().ok_or(Error::NotAState)?);
        match (begin == magic, digest == filter.digest()) {
            (false, _) => Err(Error::NotAState),
            (true, false) => Err(Error::OtherFilter),
            (true, true) if !filter.has_sealed(sealed, seal) => Err(Error::NotSealed),
            (true, true) => Ok((reader, *seal)),
        }
    }

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
    use privacy_core::prf::Secret;

    use super::*;
    use crate::filter::description::{ColumnRule, DrawMode, EntityColumn};
    use crate::law::{HardThreshold, ThresholdTable};

    fn of(cap: u32, hashes: &[u64]) -> EntitySet {
        let mut set = EntitySet::new(cap);
        hashes.iter().for_each(|&hash| set.insert(hash));
        set
    }

    fn filter(secret: u8) -> LowCountFilter {
        let thresholds = ThresholdTable::new(HardThreshold::at_least(2).unwrap());
        let columns = vec![EntityColumn { kind: "user".into(), thresholds }];
        let secret = Secret::new(&[secret; 32]).unwrap();
        LowCountFilter::new(columns, ColumnRule::WorkingColumn, DrawMode::Query, &secret).unwrap()
    }

    #[test]
    fn a_set_of_another_secret_or_changed_on_the_way_is_not_believed() {
        let (filter, other) = (filter(7), filter(8));
        let bytes = of(15, &[3]).to_bytes(&filter);
        assert_eq!(EntitySet::from_bytes(&bytes, &other).unwrap_err(), Error::NotSealed);
        let claims = [&of(1, &[5]).content()[..], &bytes[bytes.len() - 16..]].concat();
        assert_eq!(EntitySet::from_bytes(&claims, &filter).unwrap_err(), Error::NotSealed);
        assert_eq!(EntitySet::from_bytes(&bytes[..15], &filter).unwrap_err(), Error::NotAState);
    }

    #[test]
    fn bytes_are_as_the_format_says() {
        let bytes = of(15, &[0x0102, 3]).content();
        assert_eq!(bytes, b"LCF2\x0f\0\0\0\x02\0\0\0\x03\0\0\0\0\0\0\0\x02\x01\0\0\0\0\0\0");
        assert_eq!(of(1, &[5]).content(), b"LCF2\x01\0\0\0\xff\xff\xff\xff");
    }

    #[test]
    fn sets_come_back_from_their_bytes() {
        let filter = filter(7);
        for set in [of(15, &[]), of(15, &[u64::MAX, 0, 7]), of(2, &[1, 2]), of(500, &(0..400).collect::<Vec<_>>())] {
            assert!(EntitySet::from_bytes(&set.to_bytes(&filter), &filter).unwrap() == set);
        }
    }

    #[test]
    fn bytes_that_no_set_has_are_refused() {
        let good = of(3, &[5, 9]).content();
        let changed = |at: usize, to: u8| {
            let mut bytes = good.clone();
            bytes[at] = to;
            bytes
        };
        let mut cases = vec![changed(3, b'1'), changed(4, 2), changed(4, 0), changed(6, 2), changed(8, 1)];
        cases.extend([changed(8, 3), changed(12, 9), changed(12, 10), [&good[..], &[0]].concat()]);
        cases.extend((0..good.len()).map(|length| good[..length].to_vec()));
        cases.push(b"LCF2\x03\0\0\0\xff\xff\xff\xff\0".to_vec());
        cases.push(b"LCF2\x03\0\0\0\xfe\xff\xff\xff".to_vec());
        for bytes in cases {
            assert!(parse(&bytes).is_none(), "{bytes:?}");
        }
    }
}
