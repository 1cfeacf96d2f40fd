//! What readers of other formats take from here: the category of a field as a file of text would
//! have it, rows that grow by columns of codes, and rows of texts.

use privacy_core::Domain;
use privacy_core::table::MAX_TOTAL;

use crate::coder::canonical_integer;
use crate::dialect::DecimalMark;
use crate::error::{DataError, Defect};
use crate::microdata::{Microdata, RowsError};
use crate::record::Record;
use crate::schema::Schema;
use crate::texts::TextRow;

impl Schema {
    /// The code of the category of an attribute that a field falls into, as
    /// [`read_csv`](crate::read_csv) would code it; numbers have a decimal point. An empty field
    /// is a missing value.
    ///
    /// # Errors
    /// [`Defect`]: what is wrong with the field, without its value.
    ///
    /// # Panics
    /// If `attribute` is not of the domain.
    pub fn code(&self, attribute: usize, field: &[u8]) -> Result<u32, Defect> {
        self.coders()[attribute].code(field, DecimalMark::Point)
    }
}

/// How many people a field of a count column says that a row stands for: digits alone, without a
/// leading zero.
///
/// # Errors
/// [`Defect::NotACount`].
pub fn count_of_field(field: &[u8]) -> Result<u64, Defect> {
    canonical_integer(field).ok_or(Defect::NotACount)
}

/// A row of texts from another format, given on as one of a file is.
pub struct TextRowBuffer {
    record: Record,
    fields: Vec<usize>,
    names: Vec<String>,
    max_field_bytes: usize,
}

/// Shows the columns: no fields.
impl std::fmt::Debug for TextRowBuffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TextRowBuffer").field("columns", &self.names).finish_non_exhaustive()
    }
}

impl TextRowBuffer {
    /// Rows of columns with these names. A field has at most as many bytes.
    #[must_use]
    pub fn new(names: Vec<String>, max_field_bytes: usize) -> Self {
        let fields = (0..names.len()).collect();
        Self { record: Record::default(), fields, names, max_field_bytes }
    }

    /// The row with these fields, one a column; `number` counts rows from 1. A row is where it
    /// would be in a file without line breaks in its fields: one line below the header.
    ///
    /// # Errors
    /// [`DataError`] for a NUL and for a field that is too long, as of a file.
    ///
    /// # Panics
    /// If `write` does not append one field for each column.
    pub fn row(&mut self, number: u64, mut write: impl FnMut(usize, &mut String)) -> Result<TextRow<'_>, DataError> {
        self.record.clear(number.saturating_add(1));
        let mut text = String::from_utf8(std::mem::take(&mut self.record.bytes)).expect("an empty text");
        for column in 0..self.names.len() {
            let start = text.len();
            write(column, &mut text);
            self.record.ends.push(text.len());
            let defect = match &text[start..] {
                field if field.len() > self.max_field_bytes => Defect::FieldTooLong { limit: self.max_field_bytes },
                field if field.as_bytes().contains(&0) => Defect::NulByte,
                _ => continue,
            };
            return Err(DataError::at_field(number.saturating_add(1), column + 1, defect).of(&self.names[column]));
        }
        self.record.bytes = text.into_bytes();
        Ok(TextRow::of(&self.record, &self.fields, &self.names))
    }
}

impl Microdata {
    /// No row yet, of this domain; with weights if the rows have a count column.
    #[must_use]
    pub fn without_rows(domain: Domain, is_weighted: bool) -> Self {
        Self::empty(domain, is_weighted)
    }

    /// Adds rows behind the others, `columns[attribute][row]`, each with its weight if the rows
    /// have weights.
    ///
    /// # Errors
    /// As [`Microdata::from_codes`] and [`Microdata::with_weights`]; no row is added then.
    pub fn extend_codes(&mut self, columns: &[Vec<u32>], weights: Option<&[u64]>) -> Result<(), RowsError> {
        let domain = self.domain();
        if columns.len() != domain.len() {
            return Err(RowsError::ColumnCount { expected: domain.len(), got: columns.len() });
        }
        let rows = columns.first().map_or(0, Vec::len);
        for (position, (codes, attribute)) in columns.iter().zip(domain.attributes()).enumerate() {
            if codes.len() != rows {
                return Err(RowsError::Length { column: position, expected: rows, got: codes.len() });
            }
            let cardinality = attribute.cardinality();
            if let Some(row) = codes.iter().position(|&code| code as usize >= cardinality) {
                return Err(RowsError::CodeOutOfRange { row, attribute: attribute.name().to_owned(), cardinality });
            }
        }
        let expected = if self.weights().is_some() { rows } else { 0 };
        let weights = weights.unwrap_or_default();
        if weights.len() != expected {
            return Err(RowsError::WeightCount { expected, got: weights.len() });
        }
        let added = match self.weights() {
            Some(_) => weights.iter().try_fold(0_u64, |sum, &weight| sum.checked_add(weight)),
            None => Some(rows as u64),
        };
        let total = added.and_then(|added| self.total().checked_add(added)).filter(|&total| total <= MAX_TOTAL);
        total.ok_or(RowsError::TotalTooLarge)?;
        for (column, codes) in self.columns_mut().iter_mut().zip(columns) {
            codes.iter().for_each(|&code| column.push(code));
        }
        (0..rows).for_each(|row| self.finish_row(weights.get(row).copied().unwrap_or(1)));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use privacy_core::Provenance;

    use super::*;
    use crate::schema::AttributeSpec;

    #[test]
    fn fields_are_coded_as_those_of_a_file() {
        let schema = Schema::new(vec![AttributeSpec::of_labels("x", ["a", "b"])], Provenance::Public).unwrap();
        assert_eq!(schema.code(0, b"b").unwrap(), 1);
        assert_eq!([&b""[..], b"c"].map(|field| schema.code(0, field).unwrap_err().code()), ["E0315", "E0316"]);
        assert_eq!(count_of_field(b"12").unwrap(), 12);
        assert_eq!(count_of_field(b"-1").unwrap_err().code(), "E0321");
    }

    #[test]
    fn rows_of_texts_are_those_of_a_file() {
        let mut rows = TextRowBuffer::new(vec!["a".into(), "b".into()], 4);
        let mut fields = |number, texts: [&str; 2]| -> Result<(u64, Vec<String>), &'static str> {
            let row = rows.row(number, |column, text| text.push_str(texts[column])).map_err(|error| error.code())?;
            Ok((row.line(), row.fields().map(str::to_owned).collect()))
        };
        assert_eq!(fields(1, ["x", ""]), Ok((2, vec!["x".into(), String::new()])));
        assert_eq!(fields(2, ["é,\"", "\n"]), Ok((3, vec!["é,\"".into(), "\n".into()])));
        assert_eq!(fields(3, ["x", "a\0"]), Err("E0305"));
        assert_eq!(fields(4, ["12345", ""]), Err("E0324"));
        assert_eq!(fields(5, ["", "1234"]), Ok((6, vec![String::new(), "1234".into()])));
    }

    #[test]
    fn rows_grow_and_what_does_not_fit_adds_none() {
        let domain = Domain::of_cardinalities(&[2, 300]).unwrap();
        let mut rows = Microdata::without_rows(domain.clone(), false);
        rows.extend_codes(&[vec![0, 1], vec![299, 7]], None).unwrap();
        for (columns, weights, code) in [
            (vec![vec![0]], None, "E0331"),
            (vec![vec![0], vec![]], None, "E0332"),
            (vec![vec![0], vec![300]], None, "E0333"),
            (vec![vec![0], vec![0]], Some(&[1][..]), "E0334"),
        ] {
            assert_eq!(rows.extend_codes(&columns, weights).unwrap_err().code(), code);
        }
        rows.extend_codes(&[vec![1], vec![5]], None).unwrap();
        let whole = Microdata::from_codes(domain.clone(), vec![vec![0, 1, 1], vec![299, 7, 5]]).unwrap();
        assert!((0..2).all(|attribute| rows.codes(attribute).eq(whole.codes(attribute))));
        assert_eq!((rows.rows(), rows.total()), (3, 3));
        let mut weighted = Microdata::without_rows(domain, true);
        weighted.extend_codes(&[vec![1], vec![5]], Some(&[9])).unwrap();
        assert_eq!((weighted.rows(), weighted.total(), weighted.weights()), (1, 9, Some(&[9][..])));
        let error = weighted.extend_codes(&[vec![1], vec![5]], Some(&[MAX_TOTAL])).unwrap_err();
        assert_eq!((error.code(), weighted.rows()), ("E0335", 1));
    }
}
