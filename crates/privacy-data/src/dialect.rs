//! How a text file separates, quotes and spells its fields: as declared, or as its head looks.
//!
//! A separator is looked for only where nothing was declared, and a comma that fits is always
//! taken. Another one is taken when it alone splits every line of the head into the same number
//! of fields, two or more. What was found is said by [`Form::describe`]: a table that was misread
//! is worse than one that was refused.

use crate::error::{DataError, Defect};

/// The separators that are looked for, in this order.
const SEPARATORS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// Lines of the head that are looked at.
const LINES: usize = 64;

/// The mark between the whole and the fractional part of a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DecimalMark {
    /// `1.5`
    #[default]
    Point,
    /// `1,5`
    Comma,
}

/// What is declared about the form of a text file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// The separator of fields, one byte of ASCII; looked for in the head of the file when `None`.
    pub separator: Option<u8>,
    /// The quote around fields, one byte of ASCII; `None` when no field is quoted.
    pub quote: Option<u8>,
    /// The mark in numbers; looked for when `None` and the separator is not a comma.
    pub decimal: Option<DecimalMark>,
}

/// Separator and decimal mark as the head of the file shows them, the quote `"`.
impl Default for Dialect {
    fn default() -> Self {
        Self { separator: None, quote: Some(b'"'), decimal: None }
    }
}

impl Dialect {
    /// RFC 4180: commas, quotes `"`, points. Nothing is looked for.
    pub const STANDARD: Self = Self { separator: Some(b','), quote: Some(b'"'), decimal: Some(DecimalMark::Point) };

    /// The form of the file that begins with these bytes. `whole` says that they are all of it;
    /// else a last line without its end is not looked at.
    ///
    /// ```
    /// use privacy_data::{DecimalMark, Dialect};
    ///
    /// let form = Dialect::default().form(b"region;share\nnorth;0,25\nsouth;0,75\n", true)?;
    /// assert_eq!((form.separator, form.decimal), (b';', DecimalMark::Comma));
    /// # Ok::<(), privacy_data::DataError>(())
    /// ```
    ///
    /// # Errors
    /// [`DataError`] at line 1 for a file that is no text (a workbook, a Parquet file, ...), and
    /// for a separator and a quote that cannot be declared apart.
    pub fn form(&self, head: &[u8], whole: bool) -> Result<Form, DataError> {
        if let Some(format) = format_of(head) {
            return Err(DataError::at_line(1, Defect::OtherFormat { format }));
        }
        self.check()?;
        let first = self.first_line(head);
        let said = first.map(|(separator, _)| separator);
        let lines = lines(&head[first.map_or(0, |(_, bytes)| bytes)..], self.quote, whole);
        let separator = self.separator.or(said).unwrap_or_else(|| separator_of(&lines, self.quote));
        let found_separator = self.separator.is_none() && separator != b',';
        let found = match self.decimal {
            None if separator != b',' => decimal_of(&lines, separator, self.quote),
            _ => None,
        };
        let decimal = self.decimal.or(found).unwrap_or_default();
        Ok(Form { separator, quote: self.quote, decimal, found_separator, found_decimal: found.is_some() })
    }

    /// The line `sep=;` with which spreadsheets say how fields are separated, where it does not
    /// contradict what is declared: the separator, and its bytes with those before it.
    pub(crate) fn first_line(&self, head: &[u8]) -> Option<(u8, usize)> {
        let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
        let (&separator, rest) = text.strip_prefix(b"sep=")?.split_first()?;
        let rest = rest.strip_prefix(b"\r").unwrap_or(rest).strip_prefix(b"\n")?;
        let is_one = !ends_or_leaves_ascii(separator) && self.separator.is_none_or(|own| own == separator);
        is_one.then_some((separator, head.len() - rest.len()))
    }

    fn check(&self) -> Result<(), DataError> {
        let clash = self.separator.is_some() && self.separator == self.quote;
        if clash || self.separator.into_iter().chain(self.quote).any(ends_or_leaves_ascii) {
            return Err(DataError::at_line(1, Defect::Dialect));
        }
        Ok(())
    }
}

/// How a file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// The separator of fields.
    pub separator: u8,
    /// The quote around fields, if any.
    pub quote: Option<u8>,
    /// The mark in numbers.
    pub decimal: DecimalMark,
    found_separator: bool,
    found_decimal: bool,
}

impl Form {
    /// Commas, quotes `"`, points; nothing found.
    pub(crate) const STANDARD: Self = Self {
        separator: b',',
        quote: Some(b'"'),
        decimal: DecimalMark::Point,
        found_separator: false,
        found_decimal: false,
    };

    /// What was found in the file and not declared; `None` for a file with commas.
    #[must_use]
    pub fn describe(&self) -> Option<String> {
        let separator = match self.separator {
            b';' => "semicolons",
            b'\t' => "tabs",
            b'|' => "bars",
            // Said by the file itself, which is no surprise.
            _ => return self.found_decimal.then(|| "decimal commas".into()),
        };
        match (self.found_separator, self.found_decimal) {
            (true, true) => Some(format!("fields separated by {separator}, decimal commas")),
            (true, false) => Some(format!("fields separated by {separator}")),
            (false, true) => Some("decimal commas".into()),
            (false, false) => None,
        }
    }
}

/// Whether a byte cannot stand between fields: a line break, a NUL, part of a longer character.
fn ends_or_leaves_ascii(byte: u8) -> bool {
    !byte.is_ascii() || matches!(byte, 0 | b'\r' | b'\n')
}

/// The format of a file that is not text, by its first bytes.
fn format_of(head: &[u8]) -> Option<&'static str> {
    const MAGIC: [(&[u8], &str); 14] = [
        (b"PAR1", "a Parquet file"),
        (b"ARROW1", "an Arrow file"),
        (b"ORC", "an ORC file"),
        (b"Obj\x01", "an Avro file"),
        (b"\x1f\x8b", "a gzip file"),
        (b"\x28\xb5\x2f\xfd", "a Zstandard file"),
        (b"PK\x03\x04", "a ZIP file or a workbook (XLSX, ODS)"),
        (b"\xd0\xcf\x11\xe0", "an old workbook (XLS)"),
        (b"SQLite format 3\0", "a SQLite database"),
        (b"$FL2", "an SPSS file"),
        (b"<stata_dta>", "a Stata file"),
        (b"\x89HDF", "an HDF5 file"),
        (b"%PDF", "a PDF file"),
        (b"BZh", "a bzip2 file"),
    ];
    // ORC and BZh could begin a header: only with a byte behind them that no text has.
    let binary = head.iter().take(512).any(|&byte| byte == 0 || byte == 1 || byte == 0x7f);
    let Some(named) = MAGIC.iter().find(|(magic, _)| head.starts_with(magic)) else { return markup(head) };
    let text_like = matches!(named.0, b"ORC" | b"BZh" | b"PAR1" | b"ARROW1" | b"$FL2" | b"%PDF");
    (!text_like || binary).then_some(named.1)
}

/// The format of a text that is no table, by how it begins.
fn markup(head: &[u8]) -> Option<&'static str> {
    const BEGINNINGS: [(&[u8], &str); 6] = [
        (b"{\"", "a JSON file"),
        (b"[{", "a JSON file"),
        (b"[[", "a JSON file"),
        (b"<!doctype html", "an HTML page"),
        (b"<html", "an HTML page"),
        (b"<?xml", "an XML file"),
    ];
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    // A brace and its first key are often on two lines.
    let brace = text.strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
    if brace.is_some_and(|rest| rest.starts_with(b"\"") && rest.len() + 1 < text.len()) {
        return Some("a JSON file");
    }
    let is_head = |magic: &[u8]| text.get(..magic.len()).is_some_and(|start| start.eq_ignore_ascii_case(magic));
    BEGINNINGS.iter().find(|(magic, _)| is_head(magic)).map(|(_, name)| *name)
}

/// The first lines, without their ends; a line break inside quotes ends none.
fn lines(head: &[u8], quote: Option<u8>, whole: bool) -> Vec<&[u8]> {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let (mut lines, mut start, mut quoted) = (Vec::new(), 0, false);
    for (at, &byte) in head.iter().enumerate() {
        quoted ^= Some(byte) == quote;
        if byte == b'\n' && !quoted {
            let line = &head[start..at];
            lines.push(line.strip_suffix(b"\r").unwrap_or(line));
            start = at + 1;
            if lines.len() == LINES {
                return lines;
            }
        }
    }
    if whole && start < head.len() {
        lines.push(&head[start..]);
    }
    lines
}

/// The fields of a line, with their quotes.
fn fields(line: &[u8], separator: u8, quote: Option<u8>) -> impl Iterator<Item = &[u8]> {
    let mut quoted = false;
    line.split(move |&byte| {
        quoted ^= Some(byte) == quote;
        byte == separator && !quoted
    })
}

/// The number of fields of every line, if it is the same in all and at least two.
fn common_width(lines: &[&[u8]], separator: u8, quote: Option<u8>) -> Option<usize> {
    let mut widths = lines.iter().map(|line| fields(line, separator, quote).count());
    let first = widths.next().filter(|&width| width > 1)?;
    widths.all(|width| width == first).then_some(first)
}

/// A comma, unless it does not fit and exactly one other separator does.
fn separator_of(lines: &[&[u8]], quote: Option<u8>) -> u8 {
    let fits: Vec<u8> =
        SEPARATORS.into_iter().filter(|&candidate| common_width(lines, candidate, quote).is_some()).collect();
    match fits[..] {
        [only] => only,
        _ => b',',
    }
}

/// A decimal comma, when fields look like one and none has a decimal point. Three digits behind
/// every comma could be thousands: then nothing is found.
fn decimal_of(lines: &[&[u8]], separator: u8, quote: Option<u8>) -> Option<DecimalMark> {
    let mut certain = false;
    for field in lines.iter().skip(1).flat_map(|line| fields(line, separator, quote)) {
        if digits_around(field, b'.').is_some() {
            return None;
        }
        certain |= digits_around(field, b',').is_some_and(|behind| behind != 3);
    }
    certain.then_some(DecimalMark::Comma)
}

/// The digits behind the mark, for a field of digits with one such mark in it.
fn digits_around(field: &[u8], mark: u8) -> Option<usize> {
    let field = field.strip_prefix(b"-").unwrap_or(field);
    let at = field.iter().position(|&byte| byte == mark)?;
    let (whole, behind) = (&field[..at], &field[at + 1..]);
    let is_number = [whole, behind].iter().all(|part| !part.is_empty() && part.iter().all(u8::is_ascii_digit));
    is_number.then_some(behind.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(head: &str) -> Form {
        Dialect::default().form(head.as_bytes(), true).unwrap()
    }

    #[test]
    fn the_first_line_of_a_spreadsheet_says_the_separator() {
        let file = b"\xef\xbb\xbfsep=;\r\na;b\r\n1,5;x\r\n";
        let form = Dialect::default().form(file, true).unwrap();
        assert_eq!((form.separator, form.decimal), (b';', DecimalMark::Comma));
        assert_eq!(Dialect::default().first_line(file), Some((b';', 10)));
        let declared = Dialect { separator: Some(b','), ..Dialect::default() };
        assert_eq!(declared.first_line(file), None, "what is declared is not contradicted");
        for other in [&b"sep=\n"[..], b"sep=;", b"sep=;;\n", b"sep,x\n"] {
            assert_eq!(Dialect::default().first_line(other), None);
        }
    }

    #[test]
    fn texts_that_are_no_tables_are_named() {
        for (text, name) in [
            (&b"[{\"a\": 1}]"[..], Some("a JSON file")),
            (b"{\n  \"a\": 1\n}", Some("a JSON file")),
            (b"\xef\xbb\xbf<!DOCTYPE html><table>", Some("an HTML page")),
            (b"<?xml version=\"1.0\"?>", Some("an XML file")),
            (b"[a],{b}\n", None),
            (b"<5,x\n", None),
        ] {
            assert_eq!(format_of(text), name);
        }
    }

    #[test]
    fn a_separator_is_found_only_where_a_comma_does_not_fit() {
        let cases: [(&str, u8); 9] = [
            ("a,b\n1,2\n", b','),
            ("a;b\n1;2\n", b';'),
            ("\u{feff}a\tb\r\n1\t2\r\n", b'\t'),
            ("a|b\n1|2\n", b'|'),
            ("a;b\n1,5;2,5\n", b';'),
            ("a,b;c\nx,y;z\n", b','),
            ("a\n1\n", b','),
            ("a;b\n1\n", b','),
            ("\"x;y\";b\n\"u\nv\";2\n", b';'),
        ];
        for (head, separator) in cases {
            assert_eq!(form(head).separator, separator, "{head:?}");
        }
        // Two that fit equally well are not guessed between.
        assert_eq!(form("a;b|c\n1;2|3\n").separator, b',');
        let declared = Dialect { separator: Some(b'|'), ..Dialect::default() };
        assert_eq!(declared.form(b"a;b|c\n", true).unwrap().separator, b'|');
    }

    #[test]
    fn a_line_that_is_cut_off_is_not_looked_at() {
        let head = b"a;b\n1;2\n3";
        assert_eq!(Dialect::default().form(head, false).unwrap().separator, b';');
        assert_eq!(Dialect::default().form(head, true).unwrap().separator, b',');
    }

    #[test]
    fn a_decimal_comma_is_found_when_nothing_else_can_be_meant() {
        let comma = |head: &str| form(head).decimal == DecimalMark::Comma;
        assert!(comma("a;b\n1,5;x\n") && comma("a;b\n-1,50;x\n12,345;y\n"));
        assert!(!comma("a;b\n12,345;x\n"), "thousands, or three decimals");
        assert!(!comma("a;b\n1,5;1.5\n"), "both marks");
        assert!(!comma("a,b\n\"1,5\",x\n"), "a file with commas has points");
        assert!(!comma("1,5;b\nx;y\n"), "the header is no number");
    }

    #[test]
    fn what_was_found_is_said_and_what_was_declared_is_not() {
        assert_eq!(form("a;b\n1,5;2\n").describe().unwrap(), "fields separated by semicolons, decimal commas");
        assert_eq!(form("a\tb\n1\t2\n").describe().unwrap(), "fields separated by tabs");
        assert_eq!(form("a,b\n1,2\n").describe(), None);
        let declared = Dialect { separator: Some(b';'), ..Dialect::default() };
        assert_eq!(declared.form(b"a;b\n1,5;2\n", true).unwrap().describe().unwrap(), "decimal commas");
        assert_eq!(Dialect::STANDARD.form(b"a;b\n1;2\n", true).unwrap().describe(), None);
    }

    #[test]
    fn other_formats_are_named() {
        let cases: [(&[u8], &str); 5] = [
            (b"PAR1\x15\x04\x15\0", "a Parquet file"),
            (b"PK\x03\x04\x14", "a ZIP file or a workbook (XLSX, ODS)"),
            (b"\x1f\x8b\x08", "a gzip file"),
            (b"SQLite format 3\0", "a SQLite database"),
            (b"$FL2@(#) SPSS\0", "an SPSS file"),
        ];
        for (head, name) in cases {
            let error = Dialect::default().form(head, true).unwrap_err();
            assert!(error.to_string().contains(name) && error.code() == "E0327", "{error}");
        }
        for text in ["ORC,b\n1,2\n", "PAR1,b\n1,2\n", "BZh,b\n1,2\n"] {
            assert!(Dialect::default().form(text.as_bytes(), true).is_ok(), "{text}");
        }
    }

    #[test]
    fn separators_and_quotes_that_mean_something_else_are_refused() {
        for (separator, quote) in [(b'"', Some(b'"')), (b'\n', None), (0, None), (0xe9, None), (b';', Some(b'\r'))] {
            let dialect = Dialect { separator: Some(separator), quote, decimal: None };
            assert_eq!(dialect.form(b"a\n", true).unwrap_err().code(), "E0230");
        }
    }
}
