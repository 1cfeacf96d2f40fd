//! Labelled tables as CSV (RFC 4180, lines end with LF), so that this crate reads back what it
//! wrote.
//!
//! A text is quoted when it must be (separator, quote, line break), when it is empty or has a
//! space at an end, and when it begins with `=`, `+`, `-`, `@`, a tab or a carriage return: what
//! a spreadsheet could take for a formula. Quoting leaves the text as it is. It keeps programs
//! that treat quoted fields as text from computing with a label; it does **not** stop a
//! spreadsheet that evaluates quoted fields, as Excel does when it opens a CSV file by double
//! click. Import the columns as text there. A prefix would stop it, and would also change the
//! labels of the data.

use std::fmt::Write as _;
use std::io::{self, Write};

use privacy_core::{AttrSet, ContingencyTable, Domain};

/// One field of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CsvField<'a> {
    /// A name or label, quoted where needed.
    Text(&'a str),
    /// An integer, never quoted.
    Integer(i128),
    /// A number in the shortest form that reads back as the same `f64`; empty when it is not
    /// finite.
    Real(f64),
}

impl<'a> From<&'a str> for CsvField<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text)
    }
}

impl From<u64> for CsvField<'_> {
    fn from(number: u64) -> Self {
        Self::Integer(number.into())
    }
}

impl From<i64> for CsvField<'_> {
    fn from(number: i64) -> Self {
        Self::Integer(number.into())
    }
}

impl From<f64> for CsvField<'_> {
    fn from(number: f64) -> Self {
        Self::Real(number)
    }
}

/// One line of CSV, with its line feed.
#[must_use]
pub fn csv_line<'a>(fields: impl IntoIterator<Item = CsvField<'a>>) -> String {
    let mut line = String::new();
    push_line(&mut line, fields);
    line
}

/// Adds a line to `text` and returns how many fields it has.
fn push_line<'a>(text: &mut String, fields: impl IntoIterator<Item = CsvField<'a>>) -> usize {
    let mut width = 0;
    for field in fields {
        if width > 0 {
            text.push(',');
        }
        push_field(text, field);
        width += 1;
    }
    text.push('\n');
    width
}

pub(crate) fn push_field(text: &mut String, field: CsvField<'_>) {
    const WRITING: &str = "writing to a string does not fail";
    match field {
        CsvField::Integer(number) => write!(text, "{number}").expect(WRITING),
        CsvField::Real(number) if number.is_finite() => {
            if !push_decimal(text, number) {
                write!(text, "{number:?}").expect(WRITING);
            }
        }
        CsvField::Real(_) => {}
        CsvField::Text(label) if needs_quotes(label) => {
            text.push('"');
            text.push_str(&label.replace('"', "\"\""));
            text.push('"');
        }
        CsvField::Text(label) => text.push_str(label),
    }
}

/// Decimals that numbers of tables have, at most, and ten to that power.
const DECIMALS: usize = 7;
const UNIT: f64 = 1e7;

/// Adds a number of few decimals as `{:?}` would write it, several times faster; says whether it
/// did.
///
/// `n / 10^7` is rounded correctly, so that the decimal reads back as the number if the quotient is
/// the number. Below 10^15 no two decimals of as many digits read as the same number, so that no
/// other is shorter. Where `{:?}` would write an exponent, nothing is added.
fn push_decimal(text: &mut String, number: f64) -> bool {
    let scaled = (number * UNIT).round();
    if !(1e3..1e15).contains(&scaled.abs()) || scaled / UNIT != number {
        return false;
    }
    if scaled < 0.0 {
        text.push('-');
    }
    let mut rest = scaled.abs() as u64;
    let mut digits = [b'0'; 24];
    let mut first = digits.len();
    let mut places = 0;
    let mut is_trailing = true;
    // From the last digit on: zeros at the end of the decimals are left out, but for the first
    // decimal; before the point there is a digit at least.
    while rest > 0 || places <= DECIMALS {
        let digit = b'0' + (rest % 10) as u8;
        rest /= 10;
        is_trailing &= digit == b'0' && places + 1 < DECIMALS;
        if places == DECIMALS {
            first -= 1;
            digits[first] = b'.';
        }
        if places >= DECIMALS || !is_trailing {
            first -= 1;
            digits[first] = digit;
        }
        places += 1;
    }
    text.push_str(std::str::from_utf8(&digits[first..]).expect("digits are ASCII"));
    true
}

fn needs_quotes(label: &str) -> bool {
    label.is_empty()
        || label.starts_with(['=', '+', '-', '@', '\t', '\r', ' ', '\u{feff}'])
        || label.ends_with(' ')
        || label.bytes().any(|byte| matches!(byte, b',' | b'"' | b'\n' | b'\r'))
}

/// A table in the making: a header, and lines as long as it.
#[derive(Clone)]
pub struct CsvTable {
    text: String,
    width: usize,
}

impl CsvTable {
    /// A table of these columns and no line.
    #[must_use]
    pub fn new<'a>(columns: impl IntoIterator<Item = &'a str>) -> Self {
        let mut text = String::new();
        let width = push_line(&mut text, columns.into_iter().map(CsvField::Text));
        Self { text, width }
    }

    /// Adds a line.
    ///
    /// ```
    /// use privacy_data::{CsvField, CsvTable};
    ///
    /// let mut table = CsvTable::new(["party", "count", "sd"]);
    /// table.push([CsvField::Text("left, or nearly"), CsvField::Integer(12), CsvField::Real(2.5)]);
    /// assert_eq!(table.into_text(), "party,count,sd\n\"left, or nearly\",12,2.5\n");
    /// ```
    ///
    /// # Panics
    /// If it has another number of fields than the header.
    pub fn push<'a>(&mut self, fields: impl IntoIterator<Item = CsvField<'a>>) {
        let width = push_line(&mut self.text, fields);
        assert_eq!(width, self.width, "a line has as many fields as the header");
    }

    /// The labelled counts of a table, a line a cell in row-major order: one column an attribute,
    /// then `count_column`.
    ///
    /// # Panics
    /// If the table is not over attributes of `domain`.
    #[must_use]
    pub fn of_counts(domain: &Domain, table: &ContingencyTable, count_column: &str) -> Self {
        let mut csv = Self::new(domain.names(table.attributes()).chain([count_column]));
        for (labels, &count) in cell_labels(domain, table.attributes()).zip(table.cells()) {
            csv.push(labels.into_iter().map(CsvField::Text).chain([count.into()]));
        }
        csv
    }

    /// The text, with a line feed after every line.
    #[must_use]
    pub fn into_text(self) -> String {
        self.text
    }
}

/// Shapes may be shown, labels and counts may not.
impl std::fmt::Debug for CsvTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CsvTable").field("width", &self.width).finish_non_exhaustive()
    }
}

/// A table that is written as it is made: a header, and lines as long as it.
#[derive(Debug)]
pub struct CsvWriter<W> {
    out: W,
    line: String,
    width: usize,
}

impl<W: Write> CsvWriter<W> {
    /// Writes the header.
    ///
    /// # Errors
    /// What `out` reports.
    pub fn new<'a>(out: W, columns: impl IntoIterator<Item = &'a str>) -> io::Result<Self> {
        let mut writer = Self { out, line: String::new(), width: 0 };
        writer.width = writer.write(columns.into_iter().map(CsvField::Text))?;
        Ok(writer)
    }

    /// Writes a line.
    ///
    /// # Errors
    /// What the output reports.
    ///
    /// # Panics
    /// If it has another number of fields than the header.
    pub fn line<'a>(&mut self, fields: impl IntoIterator<Item = CsvField<'a>>) -> io::Result<()> {
        let width = self.write(fields)?;
        assert_eq!(width, self.width, "a line has as many fields as the header");
        Ok(())
    }

    fn write<'a>(&mut self, fields: impl IntoIterator<Item = CsvField<'a>>) -> io::Result<usize> {
        self.line.clear();
        let width = push_line(&mut self.line, fields);
        self.out.write_all(self.line.as_bytes())?;
        Ok(width)
    }
}

/// The labels of every cell of a table over `set`, in row-major order.
///
/// # Panics
/// If `set` is not of this domain.
pub fn cell_labels(domain: &Domain, set: AttrSet) -> impl Iterator<Item = Vec<&str>> {
    combinations(set.iter().map(|a| domain.attributes()[a].labels().iter().collect()).collect())
}

/// Every combination of one text an axis, in row-major order: the last axis fastest.
pub fn combinations(axes: Vec<Vec<&str>>) -> impl Iterator<Item = Vec<&str>> {
    let mut codes = axes.iter().all(|axis| !axis.is_empty()).then(|| vec![0; axes.len()]);
    std::iter::from_fn(move || {
        let current = codes.as_mut()?;
        let labels = axes.iter().zip(&*current).map(|(axis, &code)| axis[code]).collect();
        // The last axis with room goes up by one, those behind it start again.
        match (0..axes.len()).rev().find(|&i| current[i] + 1 < axes[i].len()) {
            Some(axis) => {
                current[axis] += 1;
                current[axis + 1..].fill(0);
            }
            None => codes = None,
        }
        Some(labels)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_could_be_formulas_are_quoted_and_unchanged() {
        for text in ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "", " x", "x ", "a,b", "a\nb"] {
            assert_eq!(csv_line([text.into()]), format!("\"{text}\"\n"));
        }
        assert_eq!(csv_line(["say \"x\"".into(), "a b".into(), "a=b".into()]), "\"say \"\"x\"\"\",a b,a=b\n");
    }

    #[test]
    fn numbers_are_plain_and_read_back() {
        let line = csv_line([CsvField::from(-5_i64), 0.1.into(), f64::NAN.into(), u64::MAX.into(), (-0.5).into()]);
        assert_eq!(line, "-5,0.1,,18446744073709551615,-0.5\n");
    }

    #[test]
    fn decimals_are_those_of_the_shortest_form() {
        let mut quickly = 0;
        for whole in [0_u64, 1, 9, 10, 99, 1_000, 123_456, 99_999_999, 100_000_000, 1 << 52] {
            for part in [0_u64, 1, 10, 5_000_000, 9_999_999, 1_234_567, 1_000, 999, 250_000] {
                for decimals in 0..=9 {
                    let unit = 10_f64.powi(decimals);
                    let number = ((whole as f64 + part as f64 / 1e7) * unit).round() / unit;
                    for number in [number, -number, number.next_up(), number.next_down(), number * 1e-4] {
                        assert_eq!(csv_line([CsvField::Real(number)]), format!("{number:?}\n"));
                        quickly += usize::from(push_decimal(&mut String::new(), number));
                    }
                }
            }
        }
        assert!(quickly > 1_000, "{quickly}");
    }

    #[test]
    fn counts_are_written_a_line_a_cell() {
        let domain = Domain::of_cardinalities(&[2, 1, 2]).unwrap();
        let table = ContingencyTable::from_cells(&domain, domain.all(), vec![1, 2, 3, 4]).unwrap();
        let text = CsvTable::of_counts(&domain, &table, "n").into_text();
        assert_eq!(text, "a0,a1,a2,n\n0,0,0,1\n0,0,1,2\n1,0,0,3\n1,0,1,4\n");
        let total = table.marginal(AttrSet::EMPTY).unwrap();
        assert_eq!(CsvTable::of_counts(&domain, &total, "n").into_text(), "n\n10\n");
    }

    #[test]
    fn what_is_written_at_once_and_line_by_line_is_the_same() {
        let (mut whole, mut bytes) = (CsvTable::new(["a", "b"]), Vec::new());
        let mut lines = CsvWriter::new(&mut bytes, ["a", "b"]).unwrap();
        for (text, number) in [("x, y", 1.5), ("", f64::NAN)] {
            whole.push([text.into(), number.into()]);
            lines.line([text.into(), number.into()]).unwrap();
        }
        assert_eq!(bytes, whole.into_text().into_bytes());
        assert_eq!(combinations(vec![vec![]]).count(), 0);
        assert_eq!(combinations(vec![]).count(), 1);
    }

    #[test]
    #[should_panic(expected = "as many fields as the header")]
    fn a_line_of_another_width_is_a_bug() {
        CsvTable::new(["a", "b"]).push(["x".into()]);
    }
}
