//! Some columns of a CSV file as texts, row by row, without a schema and without keeping a row.

use std::io::Read;

use crate::dialect::DecimalMark;
use crate::error::{DataError, Defect};
use crate::read::{CsvOptions, header, missing_column, other_separator};
use crate::records::Records;
use crate::schema::Schema;

/// The named columns of a file, a row at a time: memory does not grow with the file.
///
/// ```
/// use privacy_data::{CsvOptions, TextRows};
///
/// # fn main() -> Result<(), privacy_data::DataError> {
/// let file = "city,user,note\nBonn,7,x\nTrier,,y\n";
/// let mut rows = TextRows::new(file.as_bytes(), ["user", "city"], &CsvOptions::default())?;
/// let mut users = Vec::new();
/// while let Some(row) = rows.advance()? {
///     users.push((row.field(0).to_owned(), row.field(1).to_owned()));
/// }
/// assert_eq!(users, [("7".into(), "Bonn".into()), ("".into(), "Trier".into())]);
/// # Ok(())
/// # }
/// ```
pub struct TextRows<'r> {
    records: Records<'r>,
    /// Position in the file of each column asked for.
    fields: Vec<usize>,
    names: Vec<String>,
    width: usize,
}

/// One row: the fields that were asked for.
pub struct TextRow<'a> {
    record: &'a crate::record::Record,
    fields: &'a [usize],
    names: &'a [String],
    decimal: DecimalMark,
}

impl<'r> TextRows<'r> {
    /// Reads the header and finds the columns, in whatever order they stand; one may be asked for
    /// twice.
    ///
    /// # Errors
    /// [`DataError`]: an empty file, two columns of one name, a column that is not there, a defect
    /// of the first line.
    /// [`CsvOptions::count_column`] is not looked at.
    pub fn new(
        reader: impl Read + 'r,
        columns: impl IntoIterator<Item = impl Into<String>>,
        options: &CsvOptions,
    ) -> Result<Self, DataError> {
        let names: Vec<String> = columns.into_iter().map(Into::into).collect();
        Self::of(Box::new(reader), names, false, options)
    }

    /// The same, and behind the columns asked for every column of the file, by name: two files
    /// with the same columns and rows give the same fields, in whatever order their columns
    /// stand.
    ///
    /// # Errors
    /// As [`TextRows::new`].
    pub fn with_every_column(
        reader: impl Read + 'r,
        columns: impl IntoIterator<Item = impl Into<String>>,
        options: &CsvOptions,
    ) -> Result<Self, DataError> {
        let names: Vec<String> = columns.into_iter().map(Into::into).collect();
        Self::of(Box::new(reader), names, true, options)
    }

    fn of(
        reader: Box<dyn Read + 'r>,
        mut names: Vec<String>,
        every: bool,
        options: &CsvOptions,
    ) -> Result<Self, DataError> {
        let mut records = Records::new(reader, options)?;
        if !records.advance()? {
            return Err(DataError::at_line(1, Defect::EmptyFile));
        }
        let record = records.record();
        let positions = header(record)?;
        let mut fields = names
            .iter()
            .map(|name: &String| {
                let missing = missing_column(name, record);
                let defect = if other_separator(record) { Defect::Separator } else { missing };
                positions.get(name.as_bytes()).copied().ok_or_else(|| DataError::at_line(1, defect).of(name))
            })
            .collect::<Result<Vec<_>, _>>()?;
        if every {
            fields.extend(positions.values());
            names.extend(positions.keys().map(|name| String::from_utf8_lossy(name).into_owned()));
        }
        let width = record.len();
        Ok(Self { records, fields, names, width })
    }

    /// The next row, or `None` behind the last.
    ///
    /// # Errors
    /// [`DataError`] at the first defect, with its line and field, and without any value.
    pub fn advance(&mut self) -> Result<Option<TextRow<'_>>, DataError> {
        if !self.records.advance()? {
            return Ok(None);
        }
        let decimal = self.records.form().decimal;
        let record = self.records.record();
        if record.len() != self.width {
            let defect = Defect::FieldCount { expected: self.width, got: record.len() };
            return Err(DataError::at_line(record.line(), defect));
        }
        Ok(Some(TextRow { record, fields: &self.fields, names: &self.names, decimal }))
    }
}

impl<'a> TextRow<'a> {
    /// A row whose columns are these fields of a record.
    pub(crate) fn of(record: &'a crate::record::Record, fields: &'a [usize], names: &'a [String]) -> Self {
        Self { record, fields, names, decimal: DecimalMark::Point }
    }

    /// The texts of all columns, in the order they were asked for.
    pub fn fields(&self) -> impl Iterator<Item = &'a str> {
        (0..self.fields.len()).map(|column| self.field(column))
    }

    /// The text of a column, by its position among those asked for.
    ///
    /// # Panics
    /// If fewer were asked for.
    #[must_use]
    pub fn field(&self, column: usize) -> &'a str {
        std::str::from_utf8(self.record.field(self.fields[column])).expect("records are UTF-8 once they are read")
    }

    /// The label of the category of an attribute that a column falls into, as
    /// [`read_csv`](crate::read_csv) would code it.
    ///
    /// # Errors
    /// [`DataError`]: what is wrong with the field, and where it is.
    ///
    /// # Panics
    /// If fewer columns were asked for, or `attribute` is not of the domain.
    pub fn label<'s>(&self, column: usize, schema: &'s Schema, attribute: usize) -> Result<&'s str, DataError> {
        let code = schema.coders()[attribute].code(self.field(column).as_bytes(), self.decimal);
        let code = code.map_err(|defect| self.error(column, defect))?;
        Ok(&schema.domain().attributes()[attribute].labels()[code as usize])
    }

    /// The names of all columns, in the same order.
    pub fn names(&self) -> impl Iterator<Item = &'a str> {
        self.names.iter().map(String::as_str)
    }

    /// The physical line on which the row begins.
    #[must_use]
    pub fn line(&self) -> u64 {
        self.record.line()
    }

    /// A defect at a column, by its position among those asked for, with its place.
    ///
    /// # Panics
    /// If fewer were asked for.
    #[must_use]
    pub fn error(&self, column: usize, defect: Defect) -> DataError {
        self.record.error(self.fields[column], defect).of(&self.names[column])
    }
}

/// Shows the columns: no fields.
impl std::fmt::Debug for TextRows<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TextRows").field("columns", &self.names).finish_non_exhaustive()
    }
}

/// Shows the line: no fields.
impl std::fmt::Debug for TextRow<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TextRow").field("line", &self.line()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use privacy_core::Provenance;

    use super::*;
    use crate::schema::AttributeSpec;

    fn code(file: &str, columns: &[&str]) -> (u64, Option<usize>, &'static str) {
        let read = || {
            let mut rows = TextRows::new(file.as_bytes(), columns.iter().copied(), &CsvOptions::default())?;
            while rows.advance()?.is_some() {}
            Ok(())
        };
        let error: DataError = read().unwrap_err();
        (error.line(), error.column(), error.code())
    }

    #[test]
    fn defects_have_their_places() {
        assert_eq!(code("", &["a"]), (1, None, "E0301"));
        assert_eq!(code("a,b\n1,2\n", &["c"]), (1, None, "E0308"));
        assert_eq!(code("a;b\n1\n", &["a"]), (1, None, "E0309"));
        assert_eq!(code("a,a\n1,2\n", &["a"]), (1, Some(2), "E0307"));
        assert_eq!(code("a,b\n1,2\n1\n", &["a"]), (3, None, "E0303"));
        assert_eq!(code("a,b\n\"1\n\",\"x\n", &["a"]), (3, Some(2), "E0310"));
    }

    #[test]
    fn a_header_alone_has_no_rows() {
        let mut rows = TextRows::new(&b"a\n"[..], ["a"], &CsvOptions::default()).unwrap();
        assert!(rows.advance().unwrap().is_none());
    }

    #[test]
    fn fields_have_the_labels_of_a_schema_and_the_decimal_mark_of_the_file() {
        let ages = AttributeSpec::of_bins("age", [0.0, 17.5, 65.0]);
        let schema = Schema::new(vec![ages], Provenance::Public).unwrap();
        let mut rows = TextRows::new(&b"age;x\n17,5;1\n3,25;2\n70;3\n"[..], ["age"], &CsvOptions::default()).unwrap();
        for label in ["17.5 to 65", "0 to under 17.5"] {
            assert_eq!(rows.advance().unwrap().unwrap().label(0, &schema, 0).unwrap(), label);
        }
        let outside = rows.advance().unwrap().unwrap().label(0, &schema, 0).unwrap_err();
        assert_eq!((outside.code(), outside.line()), ("E0320", 4));
    }

    #[test]
    fn debug_shows_no_fields() {
        let mut rows = TextRows::new(&b"a\nsecret\n"[..], ["a"], &CsvOptions::default()).unwrap();
        let row = format!("{:?}", rows.advance().unwrap().unwrap());
        assert!(row.contains('2') && !row.contains("secret"), "{row}");
        assert!(!format!("{rows:?}").contains("secret"));
    }
}
