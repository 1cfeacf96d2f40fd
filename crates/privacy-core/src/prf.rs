//! A keyed function of the data's identity, for sticky answers: the same set of entities always
//! draws the same number, however it is asked for, and without the secret nobody can distinguish
//! the number from a random one.
//!
//! `s` the [`Secret`], `C(k, i)` the ChaCha20 key stream `i` of key `k` (64-bit counter and
//! stream, from 0), `H(k, m)` SipHash-2-4, `H128` its variant of 128 bits, `|` concatenation;
//! integers are little endian.
//!
//! ```text
//! k_entity     = C(s, 1)[0..16]          k_draw = C(s, 2)[0..32]
//! sub(e, t)    = H(k_entity, e | t 0) | H(k_entity, e | t 1)      e the entity kind in UTF-8; t, 0 and 1 one byte each
//! hash(v)      = H(sub(e, 1), v as i64)      every integer in the range of i64, of any width and sign
//!                H(sub(e, 2), v)             strings, in UTF-8
//!                H(sub(e, 3), v)             bytes
//!                H(sub(e, 4), v as u64)      integers above it
//! draw(seed)   = C(k_draw, seed)[0..8] as u64
//! group(v)     = H(C(s, 3)[0..16], v)        names of groups, for draws that differ from group to group
//! print        = C(s, 4)[0..8] as u64        tells one secret from another
//! rank(u, g)   = H(C(s, 5)[0..16], u as u64 | g as u64)       orders the groups of an entity
//! seal(p, v)   = H128(C(s, 6)[0..16], length of p as u64 | p | v)       for the purpose p; 16 bytes
//! noise(seed)  = C(C(s, 7)[0..32], seed)      a stream of random bits, for samplers of noise
//! record(v, i) = H(C(s, 8)[0..16], v | i as u64)      keys of records, which those of cells add up from
//! ```
//!
//! The suffix of `e` has a fixed length, so no two pairs `(e, t)` share a message. Everything is
//! compared as integers: no floating point, the same bits on every platform.
//!
//! Both keys are needed. Unkeyed hashes let anyone who guesses the members predict the draw, or
//! choose members whose hashes cancel. A seed used as the draw itself would be biased wherever
//! seeds were compared or selected before.
//!
//! Source: Aumasson and Bernstein 2012 (SipHash); Bernstein 2008 (ChaCha).

use std::fmt;
use std::hash::Hasher as _;

use rand_chacha::ChaCha20Rng;
use rand_core::{CryptoRng, Rng, SeedableRng};
use siphasher::sip::SipHasher24;
use siphasher::sip128::{self, Hasher128 as _};
use zeroize::Zeroizing;

/// 32 secret bytes that every sticky answer depends on; wiped from memory when dropped.
///
/// Read it from a file that only the service can read. Keep it as long as the data stays: every
/// new secret is one more independent draw to average over. Use one secret a dataset and purpose.
pub struct Secret(Zeroizing<[u8; 32]>);

/// Why bytes are not accepted as a [`Secret`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SecretError {
    /// A secret has 32 bytes: fewer can be guessed, and of more it would be unclear which ones
    /// count. Make one with the operating system's generator, and give the bytes themselves, not
    /// their hexadecimal digits.
    #[error("a secret has exactly 32 bytes, got {got}")]
    Length {
        /// How many bytes there were.
        got: usize,
    },
}

const ENTITY_STREAM: u64 = 1;
const DRAW_STREAM: u64 = 2;
const GROUP_STREAM: u64 = 3;
const FINGERPRINT_STREAM: u64 = 4;
const RANK_STREAM: u64 = 5;
const SEAL_STREAM: u64 = 6;
const NOISE_STREAM: u64 = 7;
const RECORD_STREAM: u64 = 8;

impl Secret {
    /// The secret made of these 32 bytes. The caller wipes its own copy.
    ///
    /// # Errors
    /// [`SecretError::Length`].
    pub fn new(bytes: &[u8]) -> Result<Self, SecretError> {
        let mut secret = Zeroizing::new([0; 32]);
        if bytes.len() != secret.len() {
            return Err(SecretError::Length { got: bytes.len() });
        }
        secret.copy_from_slice(bytes);
        Ok(Self(secret))
    }

    /// The hash function for identifiers of one kind of entity: `"user"`, `"branch"`.
    ///
    /// The kind is what an identifier denotes, not the column it stands in: senders and receivers
    /// are both users, and the same users must give the same seed from either column.
    #[must_use]
    pub fn entity_hasher(&self, kind: &str) -> EntityHasher {
        let key: Zeroizing<[u8; 16]> = self.derive(ENTITY_STREAM);
        let entity = SipHasher24::new_with_key(&key);
        let half = |form: Form, side: u8| entity.hash(&[kind.as_bytes(), &[form as u8, side]].concat());
        let sub_key = |form| SubKey(Zeroizing::new([half(form, 0), half(form, 1)]));
        EntityHasher {
            integers: sub_key(Form::Integer),
            strings: sub_key(Form::String),
            bytes: sub_key(Form::Bytes),
            large_integers: sub_key(Form::LargeInteger),
        }
    }

    /// The function from seeds to uniform draws.
    #[must_use]
    pub fn sticky_draw(&self) -> StickyDraw {
        StickyDraw(self.derive(DRAW_STREAM))
    }

    /// The function from seeds to the random bits of sticky noise.
    #[must_use]
    pub fn sticky_noise(&self) -> StickyNoise {
        StickyNoise(self.derive(NOISE_STREAM))
    }

    /// The hash function for the names of groups: what makes draws of one set of entities differ
    /// from group to group.
    #[must_use]
    pub fn group_hasher(&self) -> GroupHasher {
        GroupHasher(SubKey::of(&self.derive(GROUP_STREAM)))
    }

    /// The function that puts the groups of an entity in an order: the same for everyone who has
    /// the secret, random to everyone else, and independent from entity to entity.
    #[must_use]
    pub fn group_ranker(&self) -> GroupRanker {
        GroupRanker(SubKey::of(&self.derive(RANK_STREAM)))
    }

    /// The function from records to their keys, which add up to those of cells.
    #[must_use]
    pub fn record_keys(&self) -> RecordKeys {
        RecordKeys(SubKey::of(&self.derive(RECORD_STREAM)))
    }

    /// The function that seals bytes: only who has the secret makes a seal that fits.
    #[must_use]
    pub fn sealer(&self) -> Sealer {
        Sealer(self.derive(SEAL_STREAM))
    }

    /// A number that tells this secret from another and nothing else about it: states that were
    /// hashed under two secrets must not be merged.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        u64::from_le_bytes(*self.derive(FINGERPRINT_STREAM))
    }

    /// The first `N` bytes of a key stream.
    fn derive<const N: usize>(&self, stream: u64) -> Zeroizing<[u8; N]> {
        let mut key = Zeroizing::new([0; N]);
        key_stream(&self.0, stream).fill_bytes(key.as_mut());
        key
    }
}

/// The generator holds a copy of the key on the stack, which is not wiped: it lives for one call.
fn key_stream(key: &[u8; 32], stream: u64) -> ChaCha20Rng {
    let mut generator = ChaCha20Rng::from_seed(*key);
    generator.set_stream(stream);
    generator
}

/// The forms an identifier comes in: the byte that separates their hash functions.
#[derive(Clone, Copy)]
enum Form {
    Integer = 1,
    String = 2,
    Bytes = 3,
    LargeInteger = 4,
}

struct SubKey(Zeroizing<[u64; 2]>);

impl SubKey {
    fn of(key: &[u8; 16]) -> Self {
        let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| key[at + i]));
        Self(Zeroizing::new([word(0), word(8)]))
    }

    fn hash(&self, message: &[u8]) -> u64 {
        SipHasher24::new_with_keys(self.0[0], self.0[1]).hash(message)
    }
}

/// Identifiers of one kind of entity to 64 bits; made by [`Secret::entity_hasher`]. About 12 ns
/// an integer.
///
/// A hash stands for the identifier and must be kept as confidential as it.
pub struct EntityHasher {
    integers: SubKey,
    strings: SubKey,
    bytes: SubKey,
    large_integers: SubKey,
}

impl EntityHasher {
    /// Hash of an integer, of any width: `7_i8` and `7_u64` are the same entity.
    #[must_use]
    pub fn hash_i64(&self, identifier: i64) -> u64 {
        self.integers.hash(&identifier.to_le_bytes())
    }

    /// Hash of an unsigned integer; equal to [`hash_i64`](Self::hash_i64) wherever both take the
    /// number.
    #[must_use]
    pub fn hash_u64(&self, identifier: u64) -> u64 {
        match i64::try_from(identifier) {
            Ok(signed) => self.hash_i64(signed),
            Err(_) => self.large_integers.hash(&identifier.to_le_bytes()),
        }
    }

    /// Hash of a string as it is: no case folding, no Unicode normalisation. `"7"` is not the
    /// entity `7`.
    #[must_use]
    pub fn hash_str(&self, identifier: &str) -> u64 {
        self.strings.hash(identifier.as_bytes())
    }

    /// Hash of a binary identifier, such as the 16 bytes of a UUID.
    #[must_use]
    pub fn hash_bytes(&self, identifier: &[u8]) -> u64 {
        self.bytes.hash(identifier)
    }
}

/// Names of groups to 64 bits; made by [`Secret::group_hasher`].
pub struct GroupHasher(SubKey);

impl GroupHasher {
    /// Hash of the name of a group, in an encoding that no two groups share.
    #[must_use]
    pub fn hash(&self, name: &[u8]) -> u64 {
        self.0.hash(name)
    }
}

/// An entity and a group to 64 bits; made by [`Secret::group_ranker`].
pub struct GroupRanker(SubKey);

impl GroupRanker {
    /// Rank of a group among those of an entity, both by their keyed hashes. The groups with the
    /// smallest ranks are a sample that depends on nothing but the secret, the entity and the
    /// groups: not on the order of rows, nor on how a table was split.
    #[must_use]
    pub fn rank(&self, entity: u64, group: u64) -> u64 {
        let mut message = [0; 16];
        message[..8].copy_from_slice(&entity.to_le_bytes());
        message[8..].copy_from_slice(&group.to_le_bytes());
        self.0.hash(&message)
    }
}

/// Records to 64 bits; made by [`Secret::record_keys`].
pub struct RecordKeys(SubKey);

impl RecordKeys {
    /// The key of records with this content, by a number: of one of them, or of several together.
    #[must_use]
    pub fn key(&self, content: &[u8], number: u64) -> u64 {
        // The number has a fixed length, so no two records share a message.
        self.0.hash(&[content, &number.to_le_bytes()].concat())
    }
}

/// Bytes to a keyed digest of 128 bits; made by [`Secret::sealer`].
pub struct Sealer(Zeroizing<[u8; 16]>);

impl Sealer {
    /// The seal of bytes for a purpose: a seal for one purpose fits no other. Without the secret
    /// a forged one fits with probability 2^-128.
    #[must_use]
    pub fn seal(&self, purpose: &str, content: &[u8]) -> [u8; 16] {
        let mut hasher = sip128::SipHasher24::new_with_key(&self.0);
        hasher.write(&(purpose.len() as u64).to_le_bytes());
        hasher.write(purpose.as_bytes());
        hasher.write(content);
        hasher.finish128().as_bytes()
    }

    /// Whether a seal fits. The time that it takes does not depend on where a wrong one differs.
    #[must_use]
    pub fn fits(&self, purpose: &str, content: &[u8], seal: &[u8; 16]) -> bool {
        let differing = self.seal(purpose, content).iter().zip(seal).fold(0, |bits, (a, b)| bits | (a ^ b));
        std::hint::black_box(differing) == 0
    }
}

/// The function from seeds to uniform draws; made by [`Secret::sticky_draw`].
pub struct StickyDraw(Zeroizing<[u8; 32]>);

impl StickyDraw {
    /// The draw of a seed: uniform on the 64-bit integers to anyone without the secret, always
    /// the same with it. An event of probability `p` happens when the draw is below `p 2^64`.
    /// About 220 ns.
    #[must_use]
    pub fn draw(&self, seed: u64) -> u64 {
        key_stream(&self.0, seed).next_u64()
    }
}

/// Random bits of a seed, for the samplers of [`noise`](crate::noise); made by
/// [`Secret::sticky_noise`].
pub struct StickyNoise(Zeroizing<[u8; 32]>);

impl StickyNoise {
    /// The generator of a seed: to anyone without the secret its bits are random and those of
    /// another seed independent of them; with the secret they are always the same.
    #[must_use]
    pub fn generator(&self, seed: u64) -> impl CryptoRng + use<> {
        key_stream(&self.0, seed)
    }
}

macro_rules! debug_shows_only_the_type {
    ($($type:ident)*) => {$(
        /// Shows nothing of the key.
        impl fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($type)).finish_non_exhaustive()
            }
        }
    )*};
}
debug_shows_only_the_type!(Secret EntityHasher GroupHasher GroupRanker RecordKeys Sealer StickyDraw StickyNoise);

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|b| format!("{b:02x}")).collect()
    }

    #[test]
    fn derived_keys_are_the_golden_ones() {
        let golden = testkit::fixtures::json("lcf/prf_vectors.json");
        let secret = Secret::new(&std::array::from_fn::<u8, 32, _>(|i| i as u8)).unwrap();
        assert_eq!(hex(&*secret.0), golden["salt_hex"].as_str().unwrap());
        assert_eq!(hex(&*secret.derive::<16>(ENTITY_STREAM)), golden["k_aid"].as_str().unwrap());
        assert_eq!(hex(&*secret.derive::<32>(DRAW_STREAM)), golden["k_thr"].as_str().unwrap());
    }

    #[test]
    fn streams_beyond_the_golden_ones_are_those_of_the_published_algorithms() {
        // ChaCha20 and SipHash-2-4 in plain Python, from their papers.
        let secret = Secret::new(&std::array::from_fn::<u8, 32, _>(|i| i as u8)).unwrap();
        assert_eq!(hex(&*secret.derive::<16>(GROUP_STREAM)), "697a41f898efe39ca1b05b75f501ec0c");
        assert_eq!(hex(&secret.fingerprint().to_le_bytes()), "6a4870f88c1d249f");
        let names = secret.group_hasher();
        assert_eq!((names.hash(b""), names.hash(b"group")), (0x4624_4cb9_b9b5_db43, 0xdd27_b33a_6aa6_d0e8));
        assert_eq!(secret.group_ranker().rank(7, 9), 0x8497_c83b_c2fa_c29e);
        assert_eq!(secret.sticky_noise().generator(9).next_u64(), 0xeada_7b8b_cf69_e318);
        let records = secret.record_keys();
        assert_eq!((records.key(b"line", 0), records.key(b"line", 1)), (0x4c6d_a87a_1091_31e2, 0xccf4_c6dd_5b4a_1818));
        assert_eq!(hex(&secret.sealer().seal("table", b"content")), "bb16d376f30b93ac86934e8ce6c34f2a");
    }

    #[test]
    fn a_seal_fits_its_bytes_and_its_purpose_alone() {
        let sealer = Secret::new(&[7; 32]).unwrap().sealer();
        let seal = sealer.seal("table", b"content");
        assert!(sealer.fits("table", b"content", &seal));
        assert!(!sealer.fits("table", b"contenu", &seal) && !sealer.fits("tablec", b"ontent", &seal));
        assert!(!Secret::new(&[8; 32]).unwrap().sealer().fits("table", b"content", &seal));
        (0..16).for_each(|at| {
            let mut other = seal;
            other[at] ^= 1;
            assert!(!sealer.fits("table", b"content", &other), "{at}");
        });
    }

    #[test]
    fn sub_keys_of_kinds_and_forms_differ() {
        let secret = Secret::new(&[7; 32]).unwrap();
        let kinds = ["", "a", "b", "a\u{1}", "a\u{1}\u{0}"].map(|kind| secret.entity_hasher(kind));
        let keys = kinds.iter().flat_map(|k| [&k.integers, &k.strings, &k.bytes, &k.large_integers]);
        let distinct: std::collections::BTreeSet<[u64; 2]> = keys.map(|key| *key.0).collect();
        assert_eq!(distinct.len(), 20);
    }
}
