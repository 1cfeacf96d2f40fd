//! Rows as `COPY ... (FORMAT binary)` sends them, to batches of texts.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, StringBuilder};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::arrow::record_batch::RecordBatch;
use disclosure_jobs::JobError;

/// What a stream begins with, before eight bytes of flags and of a length.
const MAGIC: &[u8] = b"PGCOPY\n\xff\r\n\0";

/// Rows of a batch.
const BATCH: usize = 8192;

/// Takes chunks, and gives batches.
pub(crate) struct CopyReader {
    names: Vec<String>,
    builders: Vec<StringBuilder>,
    rows: usize,
    /// Bytes of a row whose end was not received yet.
    pending: Vec<u8>,
    has_header: bool,
    is_ended: bool,
}

/// A stream that is cut off, or is not of texts.
fn damaged() -> JobError {
    JobError::new("E0339", "the server sent rows that cannot be read")
}

impl CopyReader {
    pub(crate) fn new(names: &[&str]) -> Self {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let builders = names.iter().map(|_| StringBuilder::new()).collect();
        Self { names, builders, rows: 0, pending: Vec::new(), has_header: false, is_ended: false }
    }

    /// Adds bytes; a batch once enough rows are there.
    ///
    /// # Errors
    /// E0339 for what is no stream of as many texts, E0304 for a text that is not UTF-8.
    pub(crate) fn add(&mut self, chunk: &[u8]) -> Result<Option<RecordBatch>, JobError> {
        let mut pending = std::mem::take(&mut self.pending);
        let used = if pending.is_empty() {
            let used = self.take_rows(chunk)?;
            pending.extend_from_slice(&chunk[used..]);
            0
        } else {
            pending.extend_from_slice(chunk);
            self.take_rows(&pending)?
        };
        pending.drain(..used);
        self.pending = pending;
        if self.rows >= BATCH { self.batch().map(Some) } else { Ok(None) }
    }

    /// The rows that are left.
    ///
    /// # Errors
    /// E0339 for a stream that ends before its end.
    pub(crate) fn finish(&mut self) -> Result<Option<RecordBatch>, JobError> {
        if !self.is_ended || !self.pending.is_empty() {
            return Err(damaged());
        }
        if self.rows > 0 { self.batch().map(Some) } else { Ok(None) }
    }

    /// Takes whole rows from the start of the bytes, and says how many bytes they were.
    fn take_rows(&mut self, bytes: &[u8]) -> Result<usize, JobError> {
        let mut used = 0;
        if !self.has_header {
            let Some(header) = bytes.get(..MAGIC.len() + 8) else { return Ok(0) };
            let extension = &header[MAGIC.len() + 4..];
            if !header.starts_with(MAGIC) || extension != [0; 4] {
                return Err(damaged());
            }
            self.has_header = true;
            used = header.len();
        }
        loop {
            let rest = &bytes[used..];
            if self.is_ended {
                return if rest.is_empty() { Ok(used) } else { Err(damaged()) };
            }
            let Some((fields, _)) = rest.split_first_chunk::<2>() else { return Ok(used) };
            match i16::from_be_bytes(*fields) {
                -1 => {
                    self.is_ended = true;
                    used += 2;
                }
                fields if usize::try_from(fields) == Ok(self.names.len()) => {
                    match row_length(rest, self.names.len())? {
                        None => return Ok(used),
                        Some(length) => {
                            self.take_row(&rest[2..length])?;
                            used += length;
                        }
                    }
                }
                _ => return Err(damaged()),
            }
        }
    }

    fn take_row(&mut self, mut row: &[u8]) -> Result<(), JobError> {
        for builder in &mut self.builders {
            let (length, rest) = row.split_first_chunk::<4>().ok_or_else(damaged)?;
            let Ok(length) = usize::try_from(i32::from_be_bytes(*length)) else {
                builder.append_null();
                row = rest;
                continue;
            };
            let (field, rest) = rest.split_at_checked(length).ok_or_else(damaged)?;
            let text = std::str::from_utf8(field);
            builder.append_value(text.map_err(|_| JobError::new("E0304", "a text of the database is not UTF-8"))?);
            row = rest;
        }
        self.rows += 1;
        Ok(())
    }

    fn batch(&mut self) -> Result<RecordBatch, JobError> {
        self.rows = 0;
        let fields: Vec<Field> = self.names.iter().map(|name| Field::new(name, DataType::Utf8, true)).collect();
        let columns = self.builders.iter_mut().map(|builder| -> ArrayRef { Arc::new(builder.finish()) }).collect();
        RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).map_err(|_| damaged())
    }
}

/// The length of the row that these bytes begin with; `None` if its end is not among them.
fn row_length(bytes: &[u8], fields: usize) -> Result<Option<usize>, JobError> {
    let mut at = 2;
    for _ in 0..fields {
        let Some(length) = bytes.get(at..at + 4).and_then(|length| length.first_chunk::<4>()) else { return Ok(None) };
        at += 4;
        match i32::from_be_bytes(*length) {
            -1 => {}
            length => at += usize::try_from(length).map_err(|_| damaged())?,
        }
    }
    Ok((at <= bytes.len()).then_some(at))
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::{Array, AsArray};

    use super::*;

    fn stream(rows: &[[Option<&str>; 2]]) -> Vec<u8> {
        let mut bytes = [MAGIC, &[0; 8]].concat();
        for row in rows {
            bytes.extend_from_slice(&2_i16.to_be_bytes());
            for field in row {
                let length = field.map_or(-1, |field| field.len() as i32);
                bytes.extend_from_slice(&length.to_be_bytes());
                bytes.extend_from_slice(field.unwrap_or_default().as_bytes());
            }
        }
        bytes.extend_from_slice(&(-1_i16).to_be_bytes());
        bytes
    }

    /// The fields of all rows, of a stream that arrives in pieces of this many bytes.
    fn fields(bytes: &[u8], piece: usize) -> Result<Vec<Option<String>>, JobError> {
        let mut reader = CopyReader::new(&["a", "b"]);
        let mut batches = Vec::new();
        for chunk in bytes.chunks(piece) {
            batches.extend(reader.add(chunk)?);
        }
        batches.extend(reader.finish()?);
        let mut found = Vec::new();
        for batch in batches {
            for row in 0..batch.num_rows() {
                for column in batch.columns() {
                    let texts = column.as_string::<i32>();
                    found.push((!texts.is_null(row)).then(|| texts.value(row).to_owned()));
                }
            }
        }
        Ok(found)
    }

    #[test]
    fn rows_do_not_depend_on_where_chunks_end() {
        let rows = [[Some("x"), None], [Some(""), Some("é\0\"'")], [None, Some("long text")]];
        let bytes = stream(&rows);
        let expected: Vec<Option<String>> = rows.concat().into_iter().map(|field| field.map(str::to_owned)).collect();
        for piece in [1, 2, 3, 7, 20, bytes.len()] {
            assert_eq!(fields(&bytes, piece).unwrap(), expected, "{piece}");
        }
        let many = stream(&vec![[Some("x"), Some("y")]; 3 * BATCH + 1]);
        assert_eq!(fields(&many, 1000).unwrap().len(), 2 * (3 * BATCH + 1));
        assert_eq!(fields(&stream(&[]), 1000).unwrap(), []);
    }

    #[test]
    fn a_stream_that_is_cut_off_is_an_error_and_never_fewer_rows() {
        let bytes = stream(&[[Some("x"), None], [Some("y"), Some("z")]]);
        for kept in 0..bytes.len() {
            assert!(fields(&bytes[..kept], 1000).is_err(), "{kept}");
        }
        for wrong in [&b"PGCOPX\n\xff\r\n\0\0\0\0\0\0\0\0\0"[..], &[&bytes[..], b"x"].concat()] {
            assert!(fields(wrong, 1000).unwrap_err().has_code("E0339"));
        }
        let mut latin = stream(&[[Some("xy"), None]]);
        let at = latin.windows(2).position(|window| window == b"xy").unwrap();
        latin[at] = 0xe9;
        assert!(fields(&latin, 1000).unwrap_err().has_code("E0304"));
    }
}
