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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test ends where something is missing")]

    use privacy_core::param::StdDev;
    use privacy_core::prf::Secret;

    use super::*;
    use crate::{ClampedNormal, ColumnRule, DrawMode, EntityColumn, ThresholdTable};

    #[test]
    fn two_bits_say_what_an_answer_was() {
        for (byte, is_reported, is_anchor) in [(0, false, false), (1, true, false), (2, false, true), (3, true, true)] {
            assert_eq!(Answer { is_reported, is_anchor }.to_byte(), byte);
            let read = Answer::from_byte(byte).unwrap();
            assert_eq!((read.is_reported, read.is_anchor), (is_reported, is_anchor));
        }
        assert!(Answer::from_byte(4).is_none() && Answer::from_byte(255).is_none());
    }

    /// Sealed bytes that no guard writes: an older program may have, with the same secret.
    #[test]
    fn sealed_bytes_of_another_form_are_refused() {
        let thresholds = ThresholdTable::new(ClampedNormal::new(8.0, StdDev::new(1.5).unwrap(), 2.0).unwrap());
        let column = EntityColumn { kind: "user".into(), thresholds };
        let secret = Secret::new(&[11; 32]).unwrap();
        let filter = LowCountFilter::new(vec![column], ColumnRule::All, DrawMode::Query, &secret).unwrap();
        let read = |head: &[u8; 17], answers: &[(u64, u8)]| {
            let mut bytes = [&MAGIC[..], &filter.digest(), head].concat();
            bytes.extend_from_slice(&(answers.len() as u64).to_le_bytes());
            for (seed, flags) in answers {
                bytes.extend_from_slice(&seed.to_le_bytes());
                bytes.push(*flags);
            }
            bytes.extend_from_slice(&0_u64.to_le_bytes());
            let seal = filter.seal(&bytes);
            bytes.extend_from_slice(&seal);
            DifferenceGuard::from_bytes(&bytes, &filter).map(|guard| guard.len())
        };
        let (none, one) = ([0; 17], [1; 17]);
        assert_eq!(read(&none, &[(3, 1), (7, 2)]).unwrap(), 2);
        assert!(read(&one, &[]).is_ok());
        let mut seal_of_nothing = none;
        seal_of_nothing[9] = 1;
        let mut twice = one;
        twice[0] = 2;
        for (head, answers) in [
            (&seal_of_nothing, &[][..]),
            (&twice, &[]),
            (&none, &[(3, 4)]),
            (&none, &[(3, 1), (3, 1)]),
            (&none, &[(7, 1), (3, 1)]),
        ] {
            assert!(matches!(read(head, answers), Err(Error::NotAState)), "{head:?} {answers:?}");
        }
    }
}
