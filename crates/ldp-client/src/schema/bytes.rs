//! A schema as bytes: what a collector hands to every client.
//!
//! ```text
//! 0   4   "LDPQ"
//! 4   2   version of the format, 1
//! 6   2   zero
//! 8       the content
//! end-32  SHA-256 of the content: the digest of the schema
//! ```
//!
//! The content is three numbers - 1, features per person, features - and, for each feature, the
//! texts protocol, name, number of values in decimal and every value, each after its length; for
//! local hashing the number of buckets, for subset selection how many values a report names; then
//! every probability times 2^64 in 16 bytes. Other numbers have 8 bytes. Integers are little
//! endian. The first number is 2 where features are answered together as one symbol, by subset
//! selection or by parities: programs that know nothing of these refuse it.

use privacy_core::Attribute;
use sha2::{Digest, Sha256};

use super::Schema;
use crate::error::{FormatError, SchemaError};
use crate::feature::{Feature, Protocol};
use crate::noise::BitNoise;
use crate::probability::FixedProbability;
use crate::wire::{check_reserved, header_field, open_header};

const MAGIC: &[u8; 4] = b"LDPQ";
/// Version of the format.
const VERSION: u16 = 1;
const HEADER_BYTES: usize = 8;
const DIGEST_BYTES: usize = 32;
/// First number of the content: which questions a schema can ask.
const CONTENT_VERSION: u64 = 1;
/// The same, of schemas with subset selection, parities or a joint symbol.
const SECOND_CONTENT_VERSION: u64 = 2;

impl Schema {
    /// The bytes of its file: everything that a client needs.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let content = self.content();
        let mut bytes = Vec::with_capacity(HEADER_BYTES + content.len() + DIGEST_BYTES);
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend([0; 2]);
        bytes.extend(&content);
        bytes.extend(self.digest());
        bytes
    }

    /// Reads the bytes of a file. Protocols come with the thresholds that are sampled, so epsilon
    /// is what the writer's was.
    ///
    /// # Errors
    /// [`FormatError::OtherKind`], [`FormatError::Version`], [`FormatError::Length`],
    /// [`FormatError::Reserved`], [`FormatError::Damaged`]; [`FormatError::Schema`] and
    /// [`FormatError::Values`] if the bytes are sound and the schema is not.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FormatError> {
        let header = open_header(bytes, MAGIC, "a schema", VERSION, HEADER_BYTES)?;
        let least = HEADER_BYTES + DIGEST_BYTES;
        if bytes.len() < least {
            return Err(FormatError::Length { expected: least as u64, got: bytes.len() as u64 });
        }
        let (content, digest) = bytes[HEADER_BYTES..].split_at(bytes.len() - least);
        check_reserved(header, 6)?;
        if Sha256::digest(content)[..] != *digest {
            return Err(FormatError::Damaged);
        }
        let schema = Content { rest: content }.schema()?;
        // One schema has one content: a number with a leading zero, or bytes at the end, are
        // nobody's schema.
        if schema.content() == content { Ok(schema) } else { Err(FormatError::Damaged) }
    }

    /// What the digest covers.
    pub(super) fn content(&self) -> Vec<u8> {
        let mut content = Vec::new();
        let is_of_second = |feature: &Feature| {
            use Protocol as P;
            matches!(feature.protocol(), P::SubsetSelection { .. } | P::Parity { .. } | P::JointSymbol { .. })
        };
        let is_second = self.features.iter().any(is_of_second);
        let version = if is_second { SECOND_CONTENT_VERSION } else { CONTENT_VERSION };
        for number in [version, self.features_per_person as u64, self.features.len() as u64] {
            content.extend(number.to_le_bytes());
        }
        self.features.iter().for_each(|feature| write_feature(feature, &mut content));
        content
    }
}

fn write_feature(feature: &Feature, content: &mut Vec<u8>) {
    let attribute = feature.attribute();
    write_text(feature.protocol().kind().name(), content);
    write_text(attribute.name(), content);
    write_text(&attribute.cardinality().to_string(), content);
    attribute.labels().iter().for_each(|label| write_text(label, content));
    let probabilities = match feature.protocol() {
        Protocol::RandomisedResponse(bit) | Protocol::UnaryEncoding(bit) => vec![bit.p(), bit.q()],
        Protocol::GeneralisedResponse { truth } | Protocol::JointSymbol { keep: truth } => vec![truth],
        Protocol::LocalHashing { buckets, truth } => {
            content.extend(u64::from(buckets).to_le_bytes());
            vec![truth]
        }
        Protocol::SubsetSelection { size, truth } => {
            content.extend(u64::from(size).to_le_bytes());
            vec![truth]
        }
        Protocol::Parity { noise, alone } => vec![noise.p(), noise.q(), alone],
        Protocol::Rappor { permanent, instantaneous } => {
            vec![permanent.p(), permanent.q(), instantaneous.p(), instantaneous.q()]
        }
    };
    probabilities.iter().for_each(|probability| content.extend(probability.numerator().to_le_bytes()));
}

fn write_text(text: &str, content: &mut Vec<u8>) {
    content.extend((text.len() as u64).to_le_bytes());
    content.extend(text.as_bytes());
}

/// Content that is read from its start. Nothing is allocated by what a number says: every value
/// takes bytes.
struct Content<'a> {
    rest: &'a [u8],
}

impl<'a> Content<'a> {
    fn schema(mut self) -> Result<Schema, FormatError> {
        let version = self.number()?;
        if ![CONTENT_VERSION, SECOND_CONTENT_VERSION].contains(&version) {
            let got = u16::try_from(version).unwrap_or(u16::MAX);
            return Err(FormatError::Version { expected: SECOND_CONTENT_VERSION as u16, got });
        }
        let (per_person, count) = (self.size()?, self.size()?);
        let features = (0..count).map(|_| self.feature()).collect::<Result<Vec<_>, _>>()?;
        let schema = Schema::new(features)?;
        Ok(if per_person == count { schema } else { schema.with_features_per_person(per_person)? })
    }

    fn feature(&mut self) -> Result<Feature, FormatError> {
        let (protocol, name) = (self.text()?, self.text()?);
        let count: usize = self.text()?.parse().map_err(|_| FormatError::Damaged)?;
        let labels = (0..count).map(|_| self.text()).collect::<Result<Vec<_>, _>>()?;
        let protocol = self.protocol(protocol)?;
        Ok(Feature::new(Attribute::new(name, labels)?, protocol)?)
    }

    fn protocol(&mut self, name: &str) -> Result<Protocol, FormatError> {
        Ok(match name {
            "rr" => Protocol::RandomisedResponse(self.noise()?),
            "ue" => Protocol::UnaryEncoding(self.noise()?),
            "grr" => Protocol::GeneralisedResponse { truth: self.probability()? },
            "lh" => {
                let buckets = u32::try_from(self.number()?).map_err(|_| SchemaError::Buckets { got: u32::MAX })?;
                Protocol::LocalHashing { buckets, truth: self.probability()? }
            }
            "ss" => {
                let size = u32::try_from(self.number()?).map_err(|_| FormatError::Damaged)?;
                Protocol::SubsetSelection { size, truth: self.probability()? }
            }
            "parity" => Protocol::Parity { noise: self.noise()?, alone: self.probability()? },
            "joint" => Protocol::JointSymbol { keep: self.probability()? },
            "rappor" => Protocol::Rappor { permanent: self.noise()?, instantaneous: self.noise()? },
            _ => return Err(FormatError::Damaged),
        })
    }

    fn noise(&mut self) -> Result<BitNoise, FormatError> {
        Ok(BitNoise::from_fixed(self.probability()?, self.probability()?)?)
    }

    fn probability(&mut self) -> Result<FixedProbability, FormatError> {
        let numerator = u128::from_le_bytes(header_field(self.take(16)?, 0));
        FixedProbability::from_numerator(numerator).ok_or(FormatError::Damaged)
    }

    fn text(&mut self) -> Result<&'a str, FormatError> {
        let length = self.size()?;
        std::str::from_utf8(self.take(length)?).map_err(|_| FormatError::Damaged)
    }

    fn size(&mut self) -> Result<usize, FormatError> {
        usize::try_from(self.number()?).map_err(|_| FormatError::Damaged)
    }

    fn number(&mut self) -> Result<u64, FormatError> {
        Ok(u64::from_le_bytes(header_field(self.take(8)?, 0)))
    }

    fn take(&mut self, bytes: usize) -> Result<&'a [u8], FormatError> {
        let (taken, rest) = self.rest.split_at_checked(bytes).ok_or(FormatError::Damaged)?;
        self.rest = rest;
        Ok(taken)
    }
}
