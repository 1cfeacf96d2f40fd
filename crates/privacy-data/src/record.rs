//! One record of a CSV file: its fields in one stretch of memory, and its physical line.

use crate::error::{DataError, Defect};

/// How the bytes of a file spell text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Encoding {
    /// UTF-8, with or without a byte order mark.
    #[default]
    Utf8,
    /// Latin-1 as the web reads it, that is Windows-1252: every byte is a character.
    /// A file with the byte order mark of UTF-8 is read as UTF-8 all the same.
    Latin1,
}

/// Fields of one record, as UTF-8.
#[derive(Debug, Default)]
pub(crate) struct Record {
    pub(crate) bytes: Vec<u8>,
    pub(crate) ends: Vec<usize>,
    line: u64,
}

impl Record {
    /// How many fields there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The physical line on which the record begins.
    pub(crate) fn line(&self) -> u64 {
        self.line
    }

    /// Bytes before a field; of the field that comes next, when `field` is the length.
    pub(crate) fn start_of(&self, field: usize) -> usize {
        if field == 0 { 0 } else { self.ends[field - 1] }
    }

    /// One field, from 0.
    pub(crate) fn field(&self, field: usize) -> &[u8] {
        &self.bytes[self.start_of(field)..self.ends[field]]
    }

    /// The physical line on which a field begins: earlier fields may hold line breaks.
    fn line_of(&self, field: usize) -> u64 {
        self.line + line_breaks(&self.bytes[..self.start_of(field)])
    }

    /// An error at a field of this record, from 0.
    pub(crate) fn error(&self, field: usize, defect: Defect) -> DataError {
        DataError::at_field(self.line_of(field), field + 1, defect)
    }

    /// Forgets all fields; the next record begins on this line.
    pub(crate) fn clear(&mut self, line: u64) {
        self.bytes.clear();
        self.ends.clear();
        self.line = line;
    }

    /// Refuses or converts what is not UTF-8 yet.
    pub(crate) fn decode(&mut self, encoding: Encoding) -> Result<(), DataError> {
        if self.bytes.is_ascii() {
            return Ok(());
        }
        match encoding {
            Encoding::Utf8 => match (0..self.len()).find(|&i| std::str::from_utf8(self.field(i)).is_err()) {
                Some(field) => Err(self.error(field, Defect::NotUtf8)),
                None => Ok(()),
            },
            Encoding::Latin1 => {
                let mut decoded = Self { line: self.line, ..Self::default() };
                for field in 0..self.len() {
                    let (text, _) = encoding_rs::WINDOWS_1252.decode_without_bom_handling(self.field(field));
                    decoded.bytes.extend_from_slice(text.as_bytes());
                    decoded.ends.push(decoded.bytes.len());
                }
                *self = decoded;
                Ok(())
            }
        }
    }
}

/// How many physical lines end within these bytes.
pub(crate) fn line_breaks(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|&&byte| byte == b'\n').count() as u64
}
