//! Many lines of CSV of one form, several times faster than field by field: labels are quoted once,
//! decimals are written from integers, and the output gets pieces of many lines.
//!
//! What is written is the same, byte by byte, as through [`CsvWriter`](crate::CsvWriter).

use std::io::{self, Write};

use crate::writer::{CsvField, push_field};

/// Bytes that are gathered before the output gets them.
const PIECE: usize = 1 << 16;

/// Lines in the making, and where they go. The output is asked once for many lines, so that the
/// loops are compiled here and not for each kind of output.
pub struct CsvLines<'a> {
    out: Box<dyn Write + 'a>,
    text: Vec<u8>,
}

impl<'a> CsvLines<'a> {
    /// Nothing is written yet, not even a header.
    pub fn new(out: impl Write + 'a) -> Self {
        Self { out: Box::new(out), text: Vec::with_capacity(PIECE + (PIECE >> 2)) }
    }

    /// Adds a text as it is: fields that were made by [`csv_fields`], with their commas.
    pub fn push(&mut self, text: &str) {
        self.text.extend_from_slice(text.as_bytes());
    }

    /// Adds a number and a comma.
    pub fn push_number(&mut self, number: f64, decimals: Decimals) {
        decimals.push(&mut self.text, number);
        self.text.push(b',');
    }

    /// Ends a line with a text that has its line feed.
    ///
    /// # Errors
    /// What the output reports.
    pub fn end(&mut self, text: &str) -> io::Result<()> {
        self.push(text);
        if self.text.len() >= PIECE { self.write() } else { Ok(()) }
    }

    /// Adds a line for each row of coded columns. Each column has a text for each code: those of
    /// the last column with their line feed, the others with their comma.
    ///
    /// # Errors
    /// What the output reports.
    ///
    /// # Panics
    /// If a column has no text for one of its codes, or is shorter than the last one.
    pub fn rows(&mut self, columns: &[(&[u32], Vec<String>)]) -> io::Result<()> {
        let Some(((last, ends), others)) = columns.split_last() else { return Ok(()) };
        for (row, &code) in last.iter().enumerate() {
            for (codes, texts) in others {
                self.push(&texts[codes[row] as usize]);
            }
            self.end(&ends[code as usize])?;
        }
        Ok(())
    }

    /// Writes what is left.
    ///
    /// # Errors
    /// What the output reports.
    pub fn finish(mut self) -> io::Result<()> {
        self.write()
    }

    fn write(&mut self) -> io::Result<()> {
        self.out.write_all(&self.text)?;
        self.text.clear();
        Ok(())
    }
}

/// Where lines go may hold anything, and lines are data.
impl std::fmt::Debug for CsvLines<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CsvLines").finish_non_exhaustive()
    }
}

/// Fields as a line has them, quoted where needed, with commas between them and after the last.
#[must_use]
pub fn csv_fields<'a>(fields: impl IntoIterator<Item = CsvField<'a>>) -> String {
    let mut text = String::new();
    for field in fields {
        push_field(&mut text, field);
        text.push(',');
    }
    text
}

/// How many decimals numbers are rounded to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decimals {
    /// `None`: numbers are written as they are.
    places: Option<usize>,
    /// Ten to this power.
    unit: f64,
}

/// Most decimals: ten to this power is exact.
const MOST_PLACES: u32 = 15;
/// Every whole number below it has a decimal of its own, which is the shortest that reads back.
const MOST: f64 = 1e15;
/// Smallest number that is written without an exponent.
const LEAST: f64 = 1e-4;

impl Decimals {
    /// Numbers as they are.
    pub const ALL: Self = Self { places: None, unit: 1.0 };

    /// This number of decimals, 15 at most.
    #[must_use]
    pub fn new(places: u32) -> Self {
        let places = places.min(MOST_PLACES);
        Self { places: Some(places as usize), unit: 10_f64.powi(places as i32) }
    }

    /// The number with these decimals; the number itself where it is too large to be rounded.
    #[must_use]
    pub fn round(self, number: f64) -> f64 {
        let scaled = (number * self.unit).round() / self.unit;
        match self.places {
            // `+ 0.0` turns a negative zero into zero.
            Some(_) if scaled.is_finite() => scaled + 0.0,
            _ => number,
        }
    }

    /// Adds the rounded number as `{:?}` writes it; nothing if it is not finite.
    fn push(self, text: &mut Vec<u8>, number: f64) {
        let scaled = (number * self.unit).round();
        match self.places {
            // n / 10^places is rounded correctly, so that the decimal n / 10^places reads back as
            // the rounded number; no other decimal of at most 15 digits does.
            Some(places) if (LEAST * self.unit).max(1.0) <= scaled.abs() && scaled.abs() < MOST => {
                if scaled < 0.0 {
                    text.push(b'-');
                }
                push_decimal(text, scaled.abs() as u64, places);
            }
            _ => {
                let mut plain = String::new();
                push_field(&mut plain, CsvField::Real(self.round(number)));
                text.extend_from_slice(plain.as_bytes());
            }
        }
    }
}

/// "00" to "99".
const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[b'0'; 2]; 100];
    let mut number = 0;
    while number < 100 {
        pairs[number] = [b'0' + (number / 10) as u8, b'0' + (number % 10) as u8];
        number += 1;
    }
    pairs
};

/// Adds `number / 10^places` without zeros at its end, but with one digit on either side of the
/// point at least.
fn push_decimal(text: &mut Vec<u8>, number: u64, places: usize) {
    let mut digits = [b'0'; 32];
    let mut first = digits.len();
    let mut rest = number;
    while rest > 0 {
        first -= 2;
        digits[first..first + 2].copy_from_slice(&PAIRS[(rest % 100) as usize]);
        rest /= 100;
    }
    let point = digits.len() - places;
    // Pairs may have a zero in front; before the point there is a digit.
    if first < point && digits[first] == b'0' {
        first += 1;
    }
    text.extend_from_slice(&digits[first.min(point - 1)..point]);
    let decimals = digits[point..].iter().rposition(|&digit| digit != b'0').map_or(0, |last| last + 1);
    text.push(b'.');
    match decimals {
        0 => text.push(b'0'),
        _ => text.extend_from_slice(&digits[point..point + decimals]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::csv_line;

    #[test]
    fn numbers_are_those_of_the_other_writer() {
        let mut seen = 0;
        for places in 0..=15 {
            let decimals = Decimals::new(places);
            for whole in [0.0_f64, 1.0, 9.0, 10.0, 99.0, 100.0, 12_345.0, 999_999.0, 1e8, 1e12, 1e15, 1e17] {
                for part in [0.0, 0.1, 0.5, 0.05, 0.999_999_9, 0.123_456_789, 1e-4, 1e-5, 1e-9, 0.25] {
                    for number in [whole + part, -whole - part, (whole + part).next_up()] {
                        let mut text = Vec::new();
                        decimals.push(&mut text, number);
                        let expected = csv_line([CsvField::Real(decimals.round(number))]);
                        assert_eq!(String::from_utf8(text).unwrap(), expected.trim_end(), "{number:?} {places}");
                        seen += 1;
                    }
                }
            }
        }
        assert!(seen > 5_000);
        let mut text = Vec::new();
        [f64::NAN, f64::INFINITY].into_iter().for_each(|number| Decimals::ALL.push(&mut text, number));
        Decimals::ALL.push(&mut text, 0.1);
        assert_eq!(text, b"0.1");
    }

    #[test]
    fn lines_have_the_bytes_of_the_other_writer() {
        let mut bytes = Vec::new();
        let mut lines = CsvLines::new(&mut bytes);
        let label = csv_fields([CsvField::Text("a, b"), CsvField::Text("c")]);
        for number in 0..10_000 {
            lines.push(&label);
            lines.push_number(f64::from(number) / 7.0, Decimals::new(3));
            lines.end("noised\n").unwrap();
        }
        lines.finish().unwrap();
        let expected: String = (0..10_000)
            .map(|number| {
                let value = Decimals::new(3).round(f64::from(number) / 7.0);
                csv_line([CsvField::Text("a, b"), CsvField::Text("c"), value.into(), CsvField::Text("noised")])
            })
            .collect();
        assert_eq!(String::from_utf8(bytes).unwrap(), expected);
    }

    #[test]
    fn rows_of_codes_have_the_bytes_of_the_other_writer() {
        let texts = |ends: &str| ["a, b", "c"].map(|text| csv_line([CsvField::Text(text)]).replace('\n', ends));
        let codes: [Vec<u32>; 2] =
            [(0..40_000).map(|row| row % 2).collect(), (0..40_000).map(|row| row / 7 % 2).collect()];
        let columns = [(&codes[0][..], texts(",").to_vec()), (&codes[1][..], texts("\n").to_vec())];
        let mut bytes = Vec::new();
        let mut lines = CsvLines::new(&mut bytes);
        lines.rows(&columns).unwrap();
        lines.finish().unwrap();
        let label = |code: u32| CsvField::Text(["a, b", "c"][code as usize]);
        let pairs = codes[0].iter().zip(&codes[1]);
        let expected: String = pairs.map(|(&one, &other)| csv_line([label(one), label(other)])).collect();
        assert_eq!(String::from_utf8(bytes).unwrap(), expected);
    }
}
