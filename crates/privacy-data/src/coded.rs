//! Columns in memory that are coded by a dictionary of texts, as Arrow batches and data frames
//! have them: read under a schema with the checks, the order of errors and the codes of a CSV
//! file, without writing one.
//!
//! A missing value is the empty text, as in a CSV file. Row `r`, from 0, is on line `r + 2`: the
//! line that it would have below a header.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use privacy_core::table::MAX_TOTAL;
use rayon::prelude::*;

use crate::coder::{Coder, canonical_integer};
use crate::dialect::DecimalMark;
use crate::error::{DataError, Defect};
use crate::microdata::{Column, Microdata, RowsError};
use crate::nearest::nearest;
use crate::read::CsvOptions;
use crate::record::Record;
use crate::schema::Schema;
use crate::texts::TextRow;

/// The code of a text that the schema refuses: above every code of a schema.
const REFUSED: u32 = u32::MAX;

/// One column: its distinct texts, and for each row the position of its text.
#[derive(Clone)]
pub struct CodedColumn {
    texts: Vec<String>,
    codes: Column,
}

impl CodedColumn {
    /// The distinct texts, in the order of their codes; some may have no row.
    #[must_use]
    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    /// How many rows there are.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.codes.len()
    }

    /// The text of every row, in order.
    pub fn row_texts(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.rows()).map(|row| self.text(row))
    }

    /// How many rows have each text.
    pub(crate) fn occurrences(&self) -> Vec<u64> {
        let mut times = vec![0; self.texts.len()];
        (0..self.rows()).for_each(|row| times[self.codes.get(row) as usize] += 1);
        times
    }

    fn text(&self, row: usize) -> &str {
        &self.texts[self.codes.get(row) as usize]
    }
}

/// Shapes may be shown, texts may not.
impl std::fmt::Debug for CodedColumn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CodedColumn").finish_non_exhaustive()
    }
}

/// Makes a [`CodedColumn`] chunk after chunk: first the texts of a chunk, then its codes.
///
/// ```
/// use privacy_data::CodedColumnBuilder;
///
/// let mut column = CodedColumnBuilder::default();
/// let codes = ["no", "yes"].map(|text| column.code_of(text));
/// column.extend([0, 1, 1].map(|row: usize| codes[row]));
/// let column = column.finish();
/// assert_eq!((column.rows(), column.texts()), (3, &["no".to_owned(), "yes".to_owned()][..]));
/// ```
#[derive(Default)]
pub struct CodedColumnBuilder {
    /// Texts are data: the hash has a random key.
    places: HashMap<String, u32>,
    texts: Vec<String>,
    codes: Column,
}

impl CodedColumnBuilder {
    /// The code of a text, a new one if the text is.
    ///
    /// # Panics
    /// At the 2^32nd distinct text.
    pub fn code_of(&mut self, text: &str) -> u32 {
        if let Some(&code) = self.places.get(text) {
            return code;
        }
        let code = u32::try_from(self.texts.len()).expect("a column has fewer than 2^32 distinct texts");
        self.places.insert(text.to_owned(), code);
        self.texts.push(text.to_owned());
        self.codes.widen(self.texts.len());
        code
    }

    /// Adds rows by codes that [`code_of`](Self::code_of) gave.
    ///
    /// # Panics
    /// For a code that it did not give.
    pub fn extend(&mut self, codes: impl IntoIterator<Item = u32>) {
        let known = self.texts.len();
        self.codes.extend(codes.into_iter().inspect(|&code| assert!((code as usize) < known, "an unknown code")));
    }

    /// Adds rows by their places in a list of codes that [`code_of`](Self::code_of) gave: without a
    /// check for each row.
    ///
    /// # Panics
    /// For a code that it did not give, or a place that the list does not have.
    pub fn extend_mapped(&mut self, places: impl ExactSizeIterator<Item = usize>, codes: &[u32]) {
        let known = self.texts.len();
        assert!(codes.iter().all(|&code| (code as usize) < known), "an unknown code");
        self.codes.extend_mapped(places, codes);
    }

    /// The text of a code that [`code_of`](Self::code_of) gave.
    #[must_use]
    pub fn text_of(&self, code: u32) -> Option<&str> {
        self.texts.get(code as usize).map(String::as_str)
    }

    /// The column.
    #[must_use]
    pub fn finish(self) -> CodedColumn {
        CodedColumn { texts: self.texts, codes: self.codes }
    }
}

/// Shapes may be shown, texts may not.
impl std::fmt::Debug for CodedColumnBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CodedColumnBuilder").finish_non_exhaustive()
    }
}

/// A table of coded columns under a header. Columns may be coded when they are needed: one that
/// was not [`put`](Self::put) cannot be read.
pub struct CodedTable {
    header: Vec<String>,
    columns: Vec<Option<Arc<CodedColumn>>>,
    rows: usize,
}

impl CodedTable {
    /// A table with this header and this many rows, of which no column is coded yet.
    ///
    /// # Errors
    /// [`Defect::EmptyFile`] without columns, [`Defect::DuplicateColumn`] for a repeated name,
    /// [`Defect::NoRows`].
    pub fn new(header: Vec<String>, rows: usize) -> Result<Self, DataError> {
        if header.is_empty() {
            return Err(DataError::at_line(1, Defect::EmptyFile));
        }
        let mut positions = BTreeMap::new();
        for (position, name) in header.iter().enumerate() {
            if let Some(first) = positions.insert(name.as_str(), position) {
                return Err(DataError::at_field(1, position + 1, Defect::DuplicateColumn { first: first + 1 }));
            }
        }
        if rows == 0 {
            return Err(DataError::at_line(1, Defect::NoRows));
        }
        let columns = header.iter().map(|_| None).collect();
        Ok(Self { header, columns, rows })
    }

    /// The names of the columns.
    #[must_use]
    pub fn header(&self) -> &[String] {
        &self.header
    }

    /// The columns that reading under a schema needs, by their positions.
    ///
    /// # Errors
    /// [`Defect::MissingColumn`] for a name that the header does not have.
    pub fn needed(&self, schema: &Schema, options: &CsvOptions) -> Result<Vec<usize>, DataError> {
        schema.columns().iter().chain(&options.count_column).map(|name| self.position(name)).collect()
    }

    /// The position of a column.
    ///
    /// # Errors
    /// [`Defect::MissingColumn`].
    pub fn position(&self, name: &str) -> Result<usize, DataError> {
        self.header.iter().position(|other| other == name).ok_or_else(|| {
            let found = nearest(name, self.header.iter().map(String::as_str));
            let similar = found.and_then(|found| self.header.iter().position(|name| name == found));
            let defect = Defect::MissingColumn { found: self.header.len(), similar: similar.map(|place| place + 1) };
            DataError::at_line(1, defect).of(name)
        })
    }

    /// Whether the column at a position is coded.
    #[must_use]
    pub fn is_coded(&self, position: usize) -> bool {
        self.columns.get(position).is_some_and(Option::is_some)
    }

    /// Puts the coded column in its place.
    ///
    /// # Errors
    /// [`RowsError::Length`] for a column with another number of rows, [`RowsError::ColumnCount`]
    /// for a position that the header does not have.
    pub fn put(&mut self, position: usize, column: impl Into<Arc<CodedColumn>>) -> Result<(), RowsError> {
        let column = column.into();
        let (expected, got) = (self.rows, column.rows());
        let columns = self.header.len();
        let place =
            self.columns.get_mut(position).ok_or(RowsError::ColumnCount { expected: columns, got: position + 1 })?;
        if expected != got {
            return Err(RowsError::Length { column: position, expected, got });
        }
        *place = Some(column);
        Ok(())
    }

    /// A column that is coded, by its name.
    pub(crate) fn coded(&self, name: &str) -> Result<&CodedColumn, DataError> {
        let position = self.position(name)?;
        let missing = Defect::MissingColumn { found: self.header.len(), similar: None };
        self.columns[position].as_deref().ok_or_else(|| DataError::at_line(1, missing).of(name))
    }

    /// The rows under a schema: the same [`Microdata`] as [`read_csv`](crate::read_csv) makes of
    /// the texts in a file. Numbers have a decimal point.
    ///
    /// # Errors
    /// [`DataError`] at the first row with a defect, with its line and column, and without any
    /// value.
    pub fn read(&self, schema: &Schema, options: &CsvOptions) -> Result<Microdata, DataError> {
        let names = schema.columns();
        let columns = names.iter().map(|name| self.coded(name)).collect::<Result<Vec<_>, _>>()?;
        if let Some(name) = options.count_column.as_ref().filter(|name| names.contains(name)) {
            let field = self.position(name)?;
            return Err(DataError::at_field(1, field + 1, Defect::CountIsAttribute).of(name));
        }
        let attributes = schema.domain().attributes();
        let work: Vec<(&CodedColumn, &Coder, usize)> = (columns.iter().copied())
            .zip(schema.coders())
            .zip(attributes)
            .map(|((column, coder), attribute)| (column, coder, attribute.cardinality()))
            .collect();
        let recoded: Vec<Result<Column, (usize, Defect)>> =
            work.into_par_iter().map(|(column, coder, cardinality)| recode(column, coder, cardinality)).collect();
        let (mut coded, mut first) = (Vec::with_capacity(recoded.len()), None::<(usize, Defect, &str)>);
        for (column, name) in recoded.into_iter().zip(names) {
            match column {
                Ok(column) => coded.push(column),
                // Earlier rows first, and earlier attributes in a row.
                Err((row, defect)) if first.as_ref().is_none_or(|(other, ..)| row < *other) => {
                    first = Some((row, defect, name));
                }
                Err(_) => {}
            }
        }
        let counted = options.count_column.as_deref().map(|name| Ok((self.coded(name)?, name))).transpose()?;
        let until = first.as_ref().map_or(self.rows, |(row, ..)| *row);
        let weights = counted.map(|(column, name)| weights(column, name, until)).transpose()?;
        if let Some((row, defect, name)) = first {
            let field = self.position(name)?;
            return Err(DataError::at_field(line_of(row), field + 1, defect).of(name));
        }
        let (weights, total) = match weights {
            Some((weights, total)) => (Some(weights), total),
            None => (None, self.rows as u64),
        };
        Ok(Microdata::of_columns(schema.domain().clone(), coded, weights, total))
    }

    /// Calls `each` with the texts of these columns, row by row; with `every`, of all coded
    /// columns behind them, in the order of their names.
    ///
    /// # Errors
    /// [`Defect::MissingColumn`], and what `each` returns.
    pub fn for_each_text_row<E: From<DataError>>(
        &self,
        names: &[&str],
        every: bool,
        mut each: impl FnMut(&TextRow<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut wanted: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        if every {
            let mut all: Vec<String> = self.header.clone();
            all.sort_unstable();
            wanted.extend(all);
        }
        let columns = wanted.iter().map(|name| self.coded(name)).collect::<Result<Vec<_>, _>>()?;
        let fields: Vec<usize> = (0..columns.len()).collect();
        let mut record = Record::default();
        for row in 0..self.rows {
            record.clear(line_of(row));
            for column in &columns {
                record.bytes.extend_from_slice(column.text(row).as_bytes());
                record.ends.push(record.bytes.len());
            }
            each(&TextRow::of(&record, &fields, &wanted))?;
        }
        Ok(())
    }
}

/// Shows the shape: no texts, and no names, which are those of the data.
impl std::fmt::Debug for CodedTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CodedTable").field("columns", &self.header.len()).finish_non_exhaustive()
    }
}

/// The line that a row would have in a file with a header.
fn line_of(row: usize) -> u64 {
    row as u64 + 2
}

/// The codes of a column under the schema, or its first row that the schema refuses. A text that
/// no row has may be anything.
fn recode(column: &CodedColumn, coder: &Coder, cardinality: usize) -> Result<Column, (usize, Defect)> {
    let code = |text: &String| coder.code(text.as_bytes(), DecimalMark::Point);
    let codes: Vec<u32> = column.texts.iter().map(|text| code(text).unwrap_or(REFUSED)).collect();
    if codes.contains(&REFUSED) {
        let refused = (0..column.rows()).find(|&row| codes[column.codes.get(row) as usize] == REFUSED);
        let defect = refused.and_then(|row| coder.code(column.text(row).as_bytes(), DecimalMark::Point).err());
        if let Some((row, defect)) = refused.zip(defect) {
            return Err((row, defect));
        }
    }
    Ok(column.codes.recoded(&codes, cardinality))
}

/// How many people each of the first rows stands for, and their sum.
fn weights(column: &CodedColumn, name: &str, rows: usize) -> Result<(Vec<u64>, u64), DataError> {
    let counts: Vec<Option<u64>> = column.texts.iter().map(|text| canonical_integer(text.as_bytes())).collect();
    let (mut weights, mut total) = (Vec::with_capacity(rows), 0_u64);
    for row in 0..rows {
        let weight = counts[column.codes.get(row) as usize]
            .ok_or_else(|| DataError::at_line(line_of(row), Defect::NotACount).of(name))?;
        let sum = total.checked_add(weight).filter(|&sum| sum <= MAX_TOTAL);
        total = sum.ok_or_else(|| DataError::at_line(line_of(row), Defect::TotalTooLarge))?;
        weights.push(weight);
    }
    Ok((weights, total))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{AttributeSpec, MissingPolicy};
    use crate::{Microdata, learn_coded, learn_domain, read_csv};
    use privacy_core::Provenance;

    /// The columns of a text without quotes, as a table in memory has them.
    fn table(text: &str) -> CodedTable {
        let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
        let header = lines.next().unwrap();
        let rows: Vec<Vec<String>> = lines.collect();
        let mut table = CodedTable::new(header.clone(), rows.len()).unwrap();
        for position in 0..header.len() {
            let mut column = CodedColumnBuilder::default();
            // A dictionary may have texts without a row.
            column.code_of("nowhere");
            for row in &rows {
                let code = column.code_of(&row[position]);
                column.extend([code]);
            }
            table.put(position, column.finish()).unwrap();
        }
        table
    }

    /// Code, line and column of a refusal.
    type Refusal = (&'static str, u64, Option<String>);

    fn rows(data: Result<Microdata, DataError>) -> Result<Vec<Vec<u32>>, Refusal> {
        let failed = |error: DataError| (error.code(), error.line(), error.attribute().map(str::to_owned));
        let data = data.map_err(failed)?;
        let mut columns: Vec<Vec<u32>> = (0..data.domain().len()).map(|place| data.codes(place).collect()).collect();
        columns.push(data.weights().map_or_else(Vec::new, |weights| weights.iter().map(|&w| w as u32).collect()));
        columns.push(vec![data.total() as u32]);
        Ok(columns)
    }

    fn schema() -> Schema {
        let missing = AttributeSpec { missing: Some(MissingPolicy::Category), ..AttributeSpec::of_labels("b", ["x"]) };
        let attributes = vec![AttributeSpec::of_bins("a", [0.0, 5.0, 9.5]), missing, AttributeSpec::of_size("c", 300)];
        Schema::new(attributes, Provenance::Public).unwrap()
    }

    #[test]
    fn columns_in_memory_are_read_and_refused_as_their_file_is() {
        let counted = CsvOptions { count_column: Some("n".into()), ..CsvOptions::default() };
        for text in [
            "c,b,a,n\n299,x,1,2\n0,,9.5,0\n",
            "c,b,a,n\n299,x,1,2\n0,y,10,0\n",
            "c,b,a,n\n299,x,1,-\n0,y,10,0\n",
            "c,b,a,n\n299,x,1,1\n300,x,1,-\n",
            "c,b,a,n\n299,x,1,9007199254740992\n3,x,1,1\n",
            "c,b,a\n299,x,1\n",
            "c,b,n\n299,x,1\n",
            "c,b,a,n,z\n299,x,,1,w\n",
        ] {
            for options in [&counted, &CsvOptions::default()] {
                let file = rows(read_csv(text.as_bytes(), &schema(), options));
                assert_eq!(rows(table(text).read(&schema(), options)), file, "{text}");
                assert!(file.is_err() || file.unwrap().len() == 5);
            }
        }
        let role = CsvOptions { count_column: Some("c".into()), ..CsvOptions::default() };
        let text = "c,b,a\n1,x,1\n";
        assert_eq!(rows(table(text).read(&schema(), &role)), rows(read_csv(text.as_bytes(), &schema(), &role)));
    }

    #[test]
    fn what_columns_look_like_is_what_their_file_looks_like() {
        for text in ["a,b,n\n10,x,1\n9,,2\n10,x,1\n", "a,b\n0,2.5\n2,1\n", "a,b,n\nx y,0,3\nb,1,2\n"] {
            for count in [None, Some("n".to_owned())].into_iter().filter(|count| count.is_none() || text.contains('n'))
            {
                let options = CsvOptions { count_column: count, ..CsvOptions::default() };
                let mut memory = table(text);
                memory.columns.iter_mut().flatten().for_each(|column| {
                    // Texts without a row are not learnt.
                    assert_eq!(column.texts()[0], "nowhere");
                });
                let file = learn_domain(text.as_bytes(), &options).map_err(|error| error.code());
                assert_eq!(learn_coded(&memory, &options, &Default::default()).map_err(|error| error.code()), file);
            }
        }
    }

    #[test]
    fn wide_dictionaries_and_rows_of_texts_keep_every_code() {
        let mut column = CodedColumnBuilder::default();
        for number in 0..70_000 {
            let code = column.code_of(&number.to_string());
            column.extend([code]);
        }
        let mut table = CodedTable::new(vec!["z".into(), "a".into()], 70_000).unwrap();
        assert_eq!(table.put(0, CodedColumnBuilder::default().finish()).unwrap_err().code(), "E0332");
        let column = column.finish();
        (0..2).for_each(|place| table.put(place, column.clone()).unwrap());
        let mut seen = 0_u64;
        table
            .for_each_text_row(&["z"], true, |row| {
                let texts: Vec<&str> = row.fields().collect();
                assert!(texts.iter().all(|text| *text == seen.to_string()) && texts.len() == 3);
                assert_eq!((row.line(), row.names().collect::<Vec<_>>()), (seen + 2, vec!["z", "a", "z"]));
                seen += 1;
                Ok::<(), DataError>(())
            })
            .unwrap();
        assert_eq!(seen, 70_000);
        assert!(!format!("{table:?} {column:?}").contains('9'));
    }

    #[test]
    fn headers_that_no_table_has_are_refused() {
        let code = |names: &[&str], rows| {
            CodedTable::new(names.iter().map(|&name| name.to_owned()).collect(), rows).unwrap_err().code()
        };
        assert_eq!([code(&[], 1), code(&["a", "a"], 1), code(&["a"], 0)], ["E0301", "E0307", "E0302"]);
        let table = table("age,b\n1,2\n");
        let error = table.position("agee").unwrap_err();
        assert!(error.code() == "E0308" && error.to_string().contains("column 1"));
    }
}
