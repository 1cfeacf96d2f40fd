//! A strict, streaming reader of CSV records (RFC 4180).
//!
//! Own code, where a library would be the rule: the `csv` crate is lenient by design. It ends a
//! file inside quotes without a word, takes `a"b` and `"a"b` as fields, skips blank lines and
//! accepts a lone carriage return. Here each of these is an error with its physical line, since a
//! table that was misread is worse than one that was refused. The `csv` crate is the second
//! opinion in `tests/malformed.rs`: what is accepted here, it reads alike.

use std::io::Read;

use crate::dialect::Form;
use crate::error::{DataError, Defect};
use crate::read::CsvOptions;
use crate::record::{Encoding, Record, line_breaks};

/// Bytes read at once. A field may end this much above its limit before it is refused.
const CHUNK: usize = 1 << 16;

/// Where in a record the reader stands.
#[derive(Clone, Copy, PartialEq)]
enum State {
    FieldStart,
    Unquoted,
    /// Inside quotes; where they opened is known to the reader.
    Quoted,
    /// Behind a quote inside quotes: the closing one, or the first of a pair.
    QuoteInQuoted,
    AfterCarriageReturn,
}

/// Reads one record after the other into the same memory.
///
/// Not generic over what it reads from, which is asked once a chunk: so this loop is compiled, and
/// optimised, here and not in each crate that reads something else.
pub(crate) struct Records<'r> {
    input: Box<dyn Read + 'r>,
    chunk: Vec<u8>,
    at: usize,
    line: u64,
    /// Bytes of the record before the quoted field, and the number of the field.
    opened: (usize, usize),
    encoding: Encoding,
    form: Form,
    limits: Limits,
    record: Record,
}

struct Limits {
    field: usize,
    record: usize,
    columns: usize,
}

impl<'r> Records<'r> {
    /// A reader at the start of the file, behind its byte order mark. What the dialect leaves
    /// open is looked for in the first chunk.
    pub(crate) fn new(input: Box<dyn Read + 'r>, options: &CsvOptions) -> Result<Self, DataError> {
        let limits =
            Limits { field: options.max_field_bytes, record: options.max_record_bytes, columns: options.max_columns };
        let (chunk, record) = (Vec::with_capacity(CHUNK), Record::default());
        let (encoding, form) = (options.encoding, Form::STANDARD);
        let mut records = Self { input, chunk, at: 0, line: 1, opened: (0, 1), encoding, form, limits, record };
        let read = records.fill()?;
        match records.chunk.as_slice() {
            [0xEF, 0xBB, 0xBF, ..] => (records.at, records.encoding) = (3, Encoding::Utf8),
            [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => return Err(DataError::at_line(1, Defect::Utf16)),
            _ => {}
        }
        records.form = options.dialect.form(&records.chunk, read < CHUNK)?;
        if let Some((_, bytes)) = options.dialect.first_line(&records.chunk) {
            (records.at, records.line) = (bytes, 2);
        }
        Ok(records)
    }

    /// How the file is read.
    pub(crate) fn form(&self) -> Form {
        self.form
    }

    /// The record that [`advance`](Self::advance) read last.
    pub(crate) fn record(&self) -> &Record {
        &self.record
    }

    /// Reads the next record; `false` at the end of the file.
    pub(crate) fn advance(&mut self) -> Result<bool, DataError> {
        self.record.clear(self.line);
        let mut state = State::FieldStart;
        loop {
            if self.at == self.chunk.len() && self.fill()? == 0 {
                return self.finish(state);
            }
            match self.step(state)? {
                Some(next) => state = next,
                None => break,
            }
        }
        self.line += 1 + line_breaks(&self.record.bytes);
        self.record.decode(self.encoding)?;
        Ok(true)
    }

    /// Takes at least one byte; `None` when it ends the record.
    fn step(&mut self, state: State) -> Result<Option<State>, DataError> {
        use State::{AfterCarriageReturn, FieldStart, QuoteInQuoted, Quoted, Unquoted};
        let Form { separator, quote, .. } = self.form;
        let next = match (state, self.chunk[self.at]) {
            (AfterCarriageReturn, b'\n') => {
                self.at += 1;
                return Ok(None);
            }
            (AfterCarriageReturn, _) => return Err(self.bare_carriage_return()),
            (_, 0) => return Err(self.here(Defect::NulByte)),
            (Quoted, byte) if Some(byte) == quote => QuoteInQuoted,
            (Quoted, _) => {
                self.take_run(|byte| byte == 0 || Some(byte) == quote)?;
                return Ok(Some(Quoted));
            }
            (FieldStart, byte) if Some(byte) == quote => {
                self.opened = (self.record.bytes.len(), self.record.len() + 1);
                Quoted
            }
            (FieldStart, b'\n' | b'\r') if self.record.len() == 0 => {
                return Err(DataError::at_line(self.line, Defect::BlankLine));
            }
            (_, byte) if byte == separator => self.end_field(FieldStart)?,
            (_, b'\r') => self.end_field(AfterCarriageReturn)?,
            (_, b'\n') => {
                self.at += 1;
                return self.end_field(FieldStart).map(|_| None);
            }
            (QuoteInQuoted, byte) if Some(byte) == quote => {
                self.record.bytes.push(byte);
                self.check_limits()?;
                Quoted
            }
            (QuoteInQuoted, _) => return Err(self.at_opening(Defect::TextAfterQuote)),
            (Unquoted, byte) if Some(byte) == quote => return Err(self.here(Defect::StrayQuote)),
            (FieldStart | Unquoted, _) => {
                self.take_run(|byte| byte == separator || Some(byte) == quote || matches!(byte, b'\n' | b'\r' | 0))?;
                return Ok(Some(Unquoted));
            }
        };
        self.at += 1;
        Ok(Some(next))
    }

    /// What the end of the file means in this state.
    fn finish(&mut self, state: State) -> Result<bool, DataError> {
        match state {
            State::FieldStart if self.record.len() == 0 => return Ok(false),
            State::Quoted => return Err(self.at_opening(Defect::UnclosedQuote)),
            State::AfterCarriageReturn => return Err(self.bare_carriage_return()),
            State::FieldStart | State::Unquoted | State::QuoteInQuoted => {
                self.end_field(State::FieldStart)?;
            }
        }
        self.record.decode(self.encoding)?;
        Ok(true)
    }

    /// Moves bytes into the field up to the first that `stops`, or to the end of the chunk.
    fn take_run(&mut self, stops: impl Fn(u8) -> bool) -> Result<(), DataError> {
        let rest = &self.chunk[self.at..];
        let run = rest.iter().position(|&byte| stops(byte)).unwrap_or(rest.len());
        self.record.bytes.extend_from_slice(&rest[..run]);
        self.at += run;
        self.check_limits()
    }

    fn check_limits(&self) -> Result<(), DataError> {
        let length = self.record.bytes.len();
        if length - self.record.start_of(self.record.len()) > self.limits.field {
            return Err(self.here(Defect::FieldTooLong { limit: self.limits.field }));
        }
        if length > self.limits.record {
            return Err(self.here(Defect::RecordTooLong { limit: self.limits.record }));
        }
        Ok(())
    }

    fn end_field(&mut self, next: State) -> Result<State, DataError> {
        if self.record.len() == self.limits.columns {
            return Err(self.here(Defect::TooManyColumns { limit: self.limits.columns }));
        }
        self.record.ends.push(self.record.bytes.len());
        Ok(next)
    }

    /// An error at a field, from 1, after the given number of bytes of the record.
    fn error(&self, bytes: usize, field: usize, defect: Defect) -> DataError {
        DataError::at_field(self.line + line_breaks(&self.record.bytes[..bytes]), field, defect)
    }

    /// An error at the byte that is being read.
    fn here(&self, defect: Defect) -> DataError {
        self.error(self.record.bytes.len(), self.record.len() + 1, defect)
    }

    /// An error at the carriage return that has ended the last field.
    fn bare_carriage_return(&self) -> DataError {
        self.error(self.record.bytes.len(), self.record.len(), Defect::BareCarriageReturn)
    }

    /// An error of the quoted field, where it opens: what closes it is often the opening quote of
    /// a later field.
    fn at_opening(&self, defect: Defect) -> DataError {
        let (bytes, field) = self.opened;
        self.error(bytes, field, defect)
    }

    /// Reads the next chunk; its length, 0 at the end of the file.
    fn fill(&mut self) -> Result<usize, DataError> {
        self.chunk.clear();
        self.at = 0;
        let read = self.input.by_ref().take(CHUNK as u64).read_to_end(&mut self.chunk);
        read.map_err(|source| self.here(Defect::Read(source)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Dialect;
    use proptest::prelude::*;

    /// Line, field and code of an error.
    type Place = (u64, Option<usize>, &'static str);

    fn read_with(bytes: &[u8], options: &CsvOptions) -> Result<Vec<Vec<String>>, Place> {
        let place = |e: DataError| (e.line(), e.column(), e.code());
        let mut records = Records::new(Box::new(bytes), options).map_err(place)?;
        let mut all = Vec::new();
        while records.advance().map_err(place)? {
            let record = records.record();
            let field = |i| String::from_utf8(record.field(i).to_vec()).unwrap();
            all.push((0..record.len()).map(field).collect());
        }
        Ok(all)
    }

    fn read(bytes: &[u8]) -> Result<Vec<Vec<String>>, Place> {
        read_with(bytes, &CsvOptions::default())
    }

    #[test]
    fn fields_are_kept_exactly_as_they_are() {
        let text = b"a,b c, d\r\n\"x,\"\"y\"\"\n2\",,\"\"\n";
        assert_eq!(read(text).unwrap(), [vec!["a", "b c", " d"], vec!["x,\"y\"\n2", "", ""]]);
        assert_eq!(read(b"a,").unwrap(), [["a", ""]]);
        assert_eq!(read(b"\"a\"").unwrap(), [["a"]]);
        assert_eq!(read("\u{feff}é\n".as_bytes()).unwrap(), [["é"]]);
        assert!(read(b"").unwrap().is_empty());
    }

    #[test]
    fn every_defect_has_its_place() {
        let cases: [(&[u8], u64, Option<usize>, &str); 15] = [
            (b"a\n\"b", 2, Some(1), "E0310"),
            (b"a,\"b\n\nc,d\n", 1, Some(2), "E0310"),
            (b"a\nb,c\"d\n", 2, Some(2), "E0311"),
            (b"\"a\n\"b\n", 1, Some(1), "E0312"),
            (b"\"a\" ,b\n", 1, Some(1), "E0312"),
            (b"a,b\rc\n", 1, Some(2), "E0313"),
            (b"a\r", 1, Some(1), "E0313"),
            (b"a\n\nb\n", 2, None, "E0314"),
            (b"a\n\r\nb\n", 2, None, "E0314"),
            (b"\n", 1, None, "E0314"),
            (b"a\n\"b\n\",\0\n", 3, Some(2), "E0305"),
            (b"a\n\"b\nc\0\"\n", 3, Some(1), "E0305"),
            (b"a\n\"\n\n\",\xff\n", 4, Some(2), "E0304"),
            (b"\xff\xfea\0", 1, None, "E0306"),
            (b"\xfe\xff\0a", 1, None, "E0306"),
        ];
        for (bytes, line, column, code) in cases {
            assert_eq!(read(bytes).unwrap_err(), (line, column, code), "{:?}", bytes.escape_ascii().to_string());
        }
    }

    #[test]
    fn another_separator_leaves_commas_in_their_fields() {
        let text = b"a, b;\"c;d\"\n";
        let dialect = Dialect { separator: Some(b';'), ..Dialect::default() };
        let options = CsvOptions { dialect, ..CsvOptions::default() };
        let mut records = Records::new(Box::new(&text[..]), &options).unwrap();
        assert!(records.advance().unwrap());
        assert_eq!([records.record().field(0), records.record().field(1)], [&b"a, b"[..], b"c;d"]);
    }

    #[test]
    fn latin_1_is_read_when_asked_for_and_a_byte_order_mark_overrules_it() {
        let latin1 = CsvOptions { encoding: Encoding::Latin1, ..CsvOptions::default() };
        assert_eq!(read_with(b"caf\xe9,\x80\n", &latin1).unwrap(), [["café", "€"]]);
        assert_eq!(read_with("\u{feff}é\n".as_bytes(), &latin1).unwrap(), [["é"]]);
    }

    #[test]
    fn limits_hold_for_fields_records_and_columns() {
        let limits = CsvOptions { max_field_bytes: 4, max_record_bytes: 7, max_columns: 3, ..CsvOptions::default() };
        assert!(read_with(b"aaaa,bbb\n", &limits).is_ok());
        assert_eq!(read_with(b"a\naaaaa,b\n", &limits).unwrap_err(), (2, Some(1), "E0324"));
        let quotes = b"\"\"\"\"\"\"\"\"\"\"\"\"\n";
        assert_eq!(read_with(quotes, &limits).unwrap_err(), (1, Some(1), "E0324"), "five quotes, each doubled");
        assert_eq!(read_with(b"aaaa,bbbb\n", &limits).unwrap_err(), (1, Some(2), "E0325"));
        assert_eq!(read_with(b",,,\n", &limits).unwrap_err(), (1, Some(4), "E0326"));
    }

    /// A reader that hands out `step` bytes at a time.
    struct Trickle<'a>(&'a [u8], usize);

    impl Read for Trickle<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let n = self.0.len().min(self.1).min(buffer.len());
            buffer[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }

    proptest! {
        #[test]
        fn records_do_not_depend_on_where_chunks_end(pad in CHUNK - 40..CHUNK, step in 1_usize..5000) {
            let text = format!("{},\"x\"\"y\r\n z\",w\r\n1,\"\",3\n", "p".repeat(pad));
            let all = CsvOptions::default();
            let mut records = Records::new(Box::new(Trickle(text.as_bytes(), step)), &all).unwrap();
            prop_assert!(records.advance().unwrap());
            prop_assert_eq!(records.record().field(0).len(), pad);
            prop_assert_eq!(records.record().field(1), b"x\"y\r\n z");
            prop_assert!(records.advance().unwrap());
            prop_assert_eq!((records.record().line(), records.record().field(2)), (3, &b"3"[..]));
            prop_assert!(!records.advance().unwrap());
        }
    }
}
