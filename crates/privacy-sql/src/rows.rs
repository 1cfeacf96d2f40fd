//! Batches as the text of a file, for readers of text: what they do with a CSV file, they do with
//! these rows.

use std::io::{self, Read};

use disclosure_jobs::JobError;
use privacy_data::{DataError, Defect};
use privacy_sql_columns::Texts;

use crate::error::EngineError;
use crate::source::NextBatch;

/// Reads batches as CSV: a header, then a line a row, every field in quotes.
pub(crate) struct CsvOfBatches<'a> {
    next: NextBatch<'a>,
    names: Vec<String>,
    text: String,
    at: usize,
}

impl<'a> CsvOfBatches<'a> {
    /// A reader of columns with these names.
    pub(crate) fn new(names: &[&str], next: NextBatch<'a>) -> Self {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let mut text = String::new();
        for (place, name) in names.iter().enumerate() {
            push_field(&mut text, place, name);
        }
        text.push('\n');
        Self { next, names, text, at: 0 }
    }

    /// Fills the text with the next batch; `false` behind the last.
    fn fill(&mut self) -> Result<bool, JobError> {
        self.text.clear();
        self.at = 0;
        let Some(batch) = (self.next)()? else { return Ok(false) };
        let columns = batch.columns().iter().zip(&self.names).map(|(column, name)| Texts::new(column, name));
        let columns = columns.collect::<Result<Vec<_>, JobError>>()?;
        let mut field = String::new();
        for row in 0..batch.num_rows() {
            for (place, column) in columns.iter().enumerate() {
                field.clear();
                column.write(row, &mut field);
                push_field(&mut self.text, place, &field);
            }
            self.text.push('\n');
        }
        Ok(true)
    }
}

fn push_field(text: &mut String, place: usize, field: &str) {
    if place > 0 {
        text.push(',');
    }
    text.push('"');
    for (piece, part) in field.split('"').enumerate() {
        if piece > 0 {
            text.push_str("\"\"");
        }
        text.push_str(part);
    }
    text.push('"');
}

impl Read for CsvOfBatches<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.text.len() {
            if !self.fill().map_err(|error| io::Error::other(EngineError::from(error)))? {
                return Ok(0);
            }
        }
        let rest = &self.text.as_bytes()[self.at..];
        let bytes = rest.len().min(buffer.len());
        buffer[..bytes].copy_from_slice(&rest[..bytes]);
        self.at += bytes;
        Ok(bytes)
    }
}

/// What a reader of text found: the failure of the engine where that ended the text, else what is
/// wrong with a row. Rows are counted from 1, where a file has a header on its line 1.
pub(crate) fn of_text(error: DataError) -> JobError {
    if let Defect::Read(source) = error.defect()
        && let Some(own) = source.get_ref().and_then(|source| source.downcast_ref::<EngineError>())
    {
        return own.to_job();
    }
    error.into()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::array::{ArrayRef, Int64Array, StringArray};
    use datafusion::arrow::record_batch::RecordBatch;
    use privacy_data::{CsvOptions, Dialect, TextRows};

    use super::*;

    fn batch() -> RecordBatch {
        let words: ArrayRef = Arc::new(StringArray::from(vec![Some("a\"b,\r\nc"), None]));
        let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1, -2]));
        RecordBatch::try_from_iter([("w\"", words), ("n", numbers)]).unwrap()
    }

    #[test]
    fn rows_read_back_as_they_were() {
        let mut batches = vec![batch(), batch()];
        let reader = CsvOfBatches::new(&["w\"", "n"], Box::new(move || Ok(batches.pop())));
        let options = CsvOptions { dialect: Dialect::STANDARD, ..CsvOptions::default() };
        let mut rows = TextRows::new(reader, ["n", "w\""], &options).unwrap();
        let mut found = Vec::new();
        while let Some(row) = rows.advance().unwrap() {
            found.push((row.field(0).to_owned(), row.field(1).to_owned()));
        }
        let expected = [("1".to_owned(), "a\"b,\r\nc".to_owned()), ("-2".to_owned(), String::new())];
        assert_eq!(found, [&expected[..], &expected[..]].concat());
    }

    #[test]
    fn the_failure_of_the_engine_is_that_of_the_reader() {
        let failing = || -> Result<Option<RecordBatch>, JobError> { Err(JobError::new("E0338", "changed")) };
        let reader = CsvOfBatches::new(&["a"], Box::new(failing));
        let mut rows = TextRows::new(reader, ["a"], &CsvOptions::default());
        let error = match &mut rows {
            Ok(rows) => rows.advance().map(|_| ()).unwrap_err(),
            Err(_) => rows.map(|_| ()).unwrap_err(),
        };
        assert!(of_text(error).has_code("E0338"));
    }
}
