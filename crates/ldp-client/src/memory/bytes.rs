//! A memory as bytes.
//!
//! ```text
//! 0   4   "LDPP"
//! 4   2   version of the format, 1
//! 6   2   zero
//! 8   8   people
//! 16  32  digest of the schema
//! 48      each person, names in increasing order of their bytes:
//!         length of the name 4, name in UTF-8, reports made 8; for each RAPPOR feature the number
//!         of answers drawn for 4 and each answer 4, the first one first; then the permanent bits of
//!         all, in that order, least bit first; zeros to the next byte
//! end-32  SHA-256 of everything before
//! ```
//!
//! Integers are little endian. The checksum reveals damage, not forgery. Nothing is allocated by
//! what a header says.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use super::{Remembered, ResponseMemory};
use crate::bits::write_bit;
use crate::client::Client;
use crate::error::FormatError;
use crate::wire::{check_reserved, header_field, open_header};

const MAGIC: &[u8; 4] = b"LDPP";
/// Version of the format.
const VERSION: u16 = 1;
const HEADER_BYTES: usize = 48;
const CHECKSUM_BYTES: usize = 32;

impl ResponseMemory {
    /// The bytes of its file: as confidential as the answers. A round that is under way is not in
    /// them.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend([0; 2]);
        bytes.extend((self.people.len() as u64).to_le_bytes());
        bytes.extend(self.digest);
        for (name, person) in &self.people {
            bytes.extend((name.len() as u32).to_le_bytes());
            bytes.extend(name.as_bytes());
            person.write(&mut bytes);
        }
        let checksum: [u8; CHECKSUM_BYTES] = Sha256::digest(&bytes).into();
        bytes.extend(checksum);
        bytes
    }

    /// Reads the bytes of a file that was written under the schema of this client.
    ///
    /// # Errors
    /// [`FormatError::OtherKind`], [`FormatError::Version`], [`FormatError::Length`],
    /// [`FormatError::Reserved`], [`FormatError::Damaged`], [`FormatError::OtherSchema`]. No
    /// message shows anything of a person.
    pub fn from_bytes(bytes: &[u8], client: &Client) -> Result<Self, FormatError> {
        let header = open_header(bytes, MAGIC, "a memory of responses", VERSION, HEADER_BYTES)?;
        let least = HEADER_BYTES + CHECKSUM_BYTES;
        if bytes.len() < least {
            return Err(FormatError::Length { expected: least as u64, got: bytes.len() as u64 });
        }
        check_reserved(header, 6)?;
        let (content, checksum) = bytes.split_at(bytes.len() - CHECKSUM_BYTES);
        if Sha256::digest(content)[..] != *checksum {
            return Err(FormatError::Damaged);
        }
        let mut memory = Self::new(client);
        if header_field::<32>(header, 16) != memory.digest {
            return Err(FormatError::OtherSchema);
        }
        let values: Vec<u32> = memory.features.iter().map(|&feature| client.fields()[feature].values).collect();
        let mut content = Content { rest: &content[HEADER_BYTES..] };
        memory.people = content.people(u64::from_le_bytes(header_field(header, 8)), &values)?;
        Ok(memory)
    }
}

impl Remembered {
    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.reports.to_le_bytes());
        for answers in &self.drawn {
            bytes.extend((answers.len() as u32).to_le_bytes());
            answers.iter().for_each(|(value, _)| bytes.extend(value.to_le_bytes()));
        }
        let bits = self.drawn.iter().flatten().flat_map(|(_, bits)| bits);
        let (start, length) = (bytes.len(), bits.clone().count());
        bytes.resize(start + length.div_ceil(8), 0);
        bits.enumerate().for_each(|(i, &bit)| write_bit(&mut bytes[start..], i, bit));
    }
}

/// Content that is read from its start.
struct Content<'a> {
    rest: &'a [u8],
}

impl<'a> Content<'a> {
    /// Everybody, when the RAPPOR features have these numbers of values.
    fn people(&mut self, count: u64, values: &[u32]) -> Result<BTreeMap<String, Remembered>, FormatError> {
        let mut people = BTreeMap::new();
        for _ in 0..count {
            let length = self.number()? as usize;
            let name = std::str::from_utf8(self.take(length)?).map_err(|_| FormatError::Damaged)?;
            // One memory has one content: names are increasing.
            if people.last_key_value().is_some_and(|(last, _): (&String, _)| last.as_str() >= name) {
                return Err(FormatError::Damaged);
            }
            people.insert(name.to_owned(), self.person(values)?);
        }
        if self.rest.is_empty() { Ok(people) } else { Err(FormatError::Damaged) }
    }

    fn person(&mut self, values: &[u32]) -> Result<Remembered, FormatError> {
        let reports = u64::from_le_bytes(header_field(self.take(8)?, 0));
        let answers = values.iter().map(|&values| self.answers(values)).collect::<Result<Vec<_>, _>>()?;
        let bits: usize = answers.iter().zip(values).map(|(drawn, &values)| drawn.len() * values as usize).sum();
        let bytes = self.take(bits.div_ceil(8))?;
        let mut bits = (0..8 * bytes.len()).map(|i| bytes[i / 8] >> (i % 8) & 1 == 1);
        let drawn = answers.into_iter().zip(values).map(|(drawn, &values)| {
            drawn.into_iter().map(|value| (value, bits.by_ref().take(values as usize).collect())).collect()
        });
        let drawn = drawn.collect();
        if bits.any(|bit| bit) { Err(FormatError::Damaged) } else { Ok(Remembered { reports, drawn }) }
    }

    /// The answers that a feature was drawn for: at least one, and none twice.
    fn answers(&mut self, values: u32) -> Result<Vec<u32>, FormatError> {
        let count = self.number()?;
        if !(1..=values).contains(&count) {
            return Err(FormatError::Damaged);
        }
        let mut answers = Vec::new();
        for _ in 0..count {
            let answer = self.number()?;
            if answer >= values || answers.contains(&answer) {
                return Err(FormatError::Damaged);
            }
            answers.push(answer);
        }
        Ok(answers)
    }

    fn number(&mut self) -> Result<u32, FormatError> {
        Ok(u32::from_le_bytes(header_field(self.take(4)?, 0)))
    }

    fn take(&mut self, bytes: usize) -> Result<&'a [u8], FormatError> {
        let (taken, rest) = self.rest.split_at_checked(bytes).ok_or(FormatError::Damaged)?;
        self.rest = rest;
        Ok(taken)
    }
}
