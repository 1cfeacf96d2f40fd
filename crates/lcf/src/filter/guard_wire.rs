//! The answers of a difference guard as bytes, from one program to the next.
//!
//! ```text
//! "LCA1"                                                     4 bytes
//! digest of the filter: secret, kinds, cut-offs              32 bytes
//! whether there are bytes before these, and their seal       u8, 16 bytes
//! answers, by seed ascending                                 u64
//!   for each:  seed, and reported + 2 anchor                 u64, u8
//! anchors without one member, by seed ascending              u64
//!   for each:  seed, and reported                            u64, u8
//! seal of all of this under the secret                       16 bytes
//! ```
//!
//! Integers are little endian. Who restores older bytes gets draws that were given away anew, so
//! the holder of the secret notes the seal of the newest ones elsewhere
//! ([`Registry::record_answers`](crate::Registry::record_answers)), and
//! [`DifferenceGuard::continues`] compares. The seal before is there for a program that ended
//! after it wrote the bytes and before it noted their seal.

use crate::entity::wire::Reader;
use crate::error::Error;
use crate::filter::guard::{Answer, DifferenceGuard, History};
use crate::filter::low_count_filter::LowCountFilter;

const MAGIC: [u8; 4] = *b"LCA1";

impl DifferenceGuard {
    /// The answers as bytes, sealed: 9 per answer, and 9 `cap` per anchor at most. They hold XORs
    /// of keyed hashes: as confidential as the data.
    #[must_use]
    pub fn to_bytes(&self, filter: &LowCountFilter) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&filter.digest());
        bytes.push(u8::from(self.history.read_from.is_some()));
        bytes.extend_from_slice(&self.history.read_from.unwrap_or_default());
        put(&mut bytes, self.answers.iter().map(|(&seed, answer)| (seed, answer.to_byte())).collect());
        put(&mut bytes, self.without_one.iter().map(|(&seed, &is_reported)| (seed, is_reported.into())).collect());
        let seal = filter.seal(&bytes);
        bytes.extend_from_slice(&seal);
        bytes
    }

    /// The guard that all of these bytes encode.
    ///
    /// # Errors
    /// [`Error::OtherFilter`] where the secret, the kinds of entities or the laws differ;
    /// [`Error::NotSealed`] for bytes that were changed; [`Error::NotAState`] unless
    /// [`to_bytes`](Self::to_bytes) writes exactly these bytes for some guard.
    pub fn from_bytes(bytes: &[u8], filter: &LowCountFilter) -> Result<Self, Error> {
        let (reader, seal) = Reader::of_sealed(bytes, MAGIC, filter)?;
        parse(reader, seal).ok_or(Error::NotAState)
    }

    /// Whether these are the answers whose [seal](Self::seal_of) was noted last, `None` if none
    /// was, or the next ones after them.
    #[must_use]
    pub fn continues(&self, noted: Option<[u8; 16]>) -> bool {
        let History { read_from, before } = self.history;
        noted == read_from || read_from.is_some() && noted == before
    }

    /// The seal of the bytes of a guard, to be noted where an older copy of them cannot replace
    /// it; `None` for bytes without one.
    #[must_use]
    pub fn seal_of(bytes: &[u8]) -> Option<[u8; 16]> {
        bytes.last_chunk().copied()
    }
}

impl Answer {
    fn to_byte(self) -> u8 {
        u8::from(self.is_reported) | u8::from(self.is_anchor) << 1
    }

    fn from_byte(byte: u8) -> Option<Self> {
        (byte < 4).then_some(Self { is_reported: byte & 1 == 1, is_anchor: byte & 2 == 2 })
    }
}

fn put(bytes: &mut Vec<u8>, mut entries: Vec<(u64, u8)>) {
    entries.sort_unstable();
    bytes.extend_from_slice(&(entries.len() as u64).to_le_bytes());
    for (seed, flags) in entries {
        bytes.extend_from_slice(&seed.to_le_bytes());
        bytes.push(flags);
    }
}

fn parse(mut reader: Reader<'_>, seal: [u8; 16]) -> Option<DifferenceGuard> {
    let [has_before] = reader.array()?;
    let before = reader.array()?;
    if has_before > 1 || has_before == 0 && before != [0; 16] {
        return None;
    }
    let mut guard = DifferenceGuard::new();
    guard.history = History { read_from: Some(seal), before: (has_before == 1).then_some(before) };
    for (seed, flags) in entries(&mut reader)? {
        guard.answers.insert(seed, Answer::from_byte(flags)?);
    }
    for (seed, flags) in entries(&mut reader)? {
        guard.without_one.insert(seed, [false, true].get(usize::from(flags)).copied()?);
    }
    reader.is_empty().then_some(guard)
}

/// Entries, strictly ascending. No memory is reserved for a number that the bytes claim.
fn entries(reader: &mut Reader<'_>) -> Option<Vec<(u64, u8)>> {
    let mut entries: Vec<(u64, u8)> = Vec::new();
    for _ in 0..reader.u64()? {
        let (seed, [flags]) = (reader.u64()?, reader.array()?);
        if entries.last().is_some_and(|&(before, _)| before >= seed) {
            return None;
        }
        entries.push((seed, flags));
    }
    Some(entries)
}
