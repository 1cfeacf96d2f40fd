//! JJ files: an instance of cell suppression, as tau-ARGUS and the R package sdcTable write it.
//!
//! ```text
//! 0                                                    a mark
//! 4                                                    how many cells
//! 0 20 20 s 0 40 0 0 0                                 number, count, cost, status, least, most, protection below, above, sliding
//! ...
//! 2                                                    how many relations
//! 0 3 : 0 (-1) 1 (1) 2 (1)                             sum, how many terms, and each: number (sign)
//! ```
//!
//! Words are parted by spaces or tabs. Status `s` and `z` are published, `u` is suppressed
//! because it is sensitive, `x` and `m` to protect others. Counts are whole. Amounts have a stated
//! number of decimals, and are held as whole numbers of their last decimal.

use std::fmt;
use std::io::{self, Write};
use std::str::FromStr;

/// What everybody knows of a cell that is suppressed, and what its protection asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JjStatus {
    /// `s` or `z`: published.
    Published,
    /// `u`: sensitive, and suppressed.
    Primary,
    /// `x` or `m`: suppressed to protect others.
    Secondary,
}

/// A cell of a JJ file, in whole counts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct JjCell {
    /// Its count.
    pub count: u64,
    /// Whether it goes out.
    pub status: JjStatus,
    /// The least count that is known to be possible.
    pub least: u64,
    /// The largest.
    pub most: u64,
    /// Protection below the count, above it, and from end to end.
    pub protection: [u64; 3],
}

/// Cells whose counts, taken with their signs, add up to `sum`.
#[derive(Clone, PartialEq, Eq)]
pub struct JjRelation {
    /// The sum.
    pub sum: i64,
    /// The number of each cell, and whether it is taken away.
    pub terms: Vec<(usize, bool)>,
}

/// A JJ file.
#[derive(Clone, PartialEq, Eq)]
pub struct JjFile {
    /// In the order of their numbers.
    pub cells: Vec<JjCell>,
    /// In the order of the file.
    pub relations: Vec<JjRelation>,
}

/// Sizes may be shown, counts may not.
impl fmt::Debug for JjFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JjFile").field("cells", &self.cells.len()).field("relations", &self.relations.len()).finish()
    }
}

/// What is wrong in a JJ file, and on which line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {defect}")]
pub struct JjError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub defect: JjDefect,
}

/// What can be wrong in a JJ file. No count is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JjDefect {
    /// Something is missing, or more than was expected. Write the file again with the tool that
    /// made it.
    #[error("expected {expected}")]
    Expected {
        /// What should stand there.
        expected: &'static str,
    },
    /// A number is no whole count from 0 to 2^53, or no number. Audit a table of counts, and give
    /// finite bounds.
    #[error("{what} is not an integer from 0 to 2^53")]
    NotACount {
        /// Which number of the line.
        what: &'static str,
    },
    /// A number is below 0, above 2^53 units, or has more decimals than it was said. Say more
    /// decimals, and give finite bounds.
    #[error("{what} must be a number of at least 0, with at most {decimals} decimals and at most 2^53 units")]
    NotAnAmount {
        /// Which number of the line.
        what: &'static str,
        /// The decimals.
        decimals: u8,
    },
    /// A sum is not whole, or beyond 2^53.
    #[error("the sum of a relation is not an integer within 2^53")]
    NotASum,
    /// A status other than `s`, `z`, `u`, `x`, `m`. Others say nothing about whether a cell goes
    /// out.
    #[error("the status is not one of s, z, u, x and m")]
    Status,
    /// A sign is neither 1 nor -1.
    #[error("a cell of a relation has a sign other than (1) and (-1)")]
    Sign,
    /// A relation names a cell that is not in the file.
    #[error("a relation names a cell that is not in the file")]
    NoSuchCell,
    /// A relation has more or fewer terms than it says.
    #[error("the relation does not have the stated number of terms")]
    Terms,
    /// Cells are numbered from 0 in the order of their lines.
    #[error("cells must be numbered 0, 1, 2, ... in the order of their lines")]
    Order,
    /// The file is not UTF-8, or has a zero byte.
    #[error("the file is not plain text")]
    NotText,
}

/// The largest count.
const MOST: u64 = 1 << 53;

/// Reads a JJ file. One pass; memory in proportion to the file, whatever sizes it claims.
///
/// # Errors
/// [`JjError`].
pub fn read_jj(text: &[u8]) -> Result<JjFile, JjError> {
    read_in_units(text, None)
}

/// Reads a JJ file of amounts with at most `decimals` decimals, at most 9: all its numbers are then
/// whole units of `10^-decimals`.
///
/// # Errors
/// [`JjError`].
///
/// # Panics
/// If there are more than 9 decimals.
pub fn read_jj_amounts(text: &[u8], decimals: u8) -> Result<JjFile, JjError> {
    assert!(decimals <= 9, "at most 9 decimals");
    read_in_units(text, Some(decimals))
}

/// Counts, or amounts with their decimals.
type Decimals = Option<u8>;

fn read_in_units(text: &[u8], decimals: Decimals) -> Result<JjFile, JjError> {
    let at = |line, defect| JjError { line, defect };
    if let Some(place) = text.iter().position(|&byte| byte == 0) {
        let line = 1 + text[..place].iter().filter(|&&byte| byte == b'\n').count();
        return Err(at(line, JjDefect::NotText));
    }
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let text = std::str::from_utf8(text).map_err(|_| at(1, JjDefect::NotText))?;
    let mut lines = Lines { lines: text.lines().enumerate(), last: 0 };
    lines.one("0 on the first line: this is not a JJ file", |word| word == "0")?;
    let cells = lines.size("how many cells there are")?;
    let cells: Vec<JjCell> = (0..cells)
        .map(|number| lines.next("a cell", |words| cell(words, number, decimals)))
        .collect::<Result<_, _>>()?;
    let relations = lines.size("how many relations there are")?;
    let relations: Vec<JjRelation> = (0..relations)
        .map(|_| lines.next("a relation", |words| relation(words, cells.len(), decimals)))
        .collect::<Result<_, _>>()?;
    lines.end()?;
    Ok(JjFile { cells, relations })
}

/// The lines that are not blank.
struct Lines<'a, I: Iterator<Item = (usize, &'a str)>> {
    lines: I,
    last: usize,
}

impl<'a, I: Iterator<Item = (usize, &'a str)>> Lines<'a, I> {
    fn line(&mut self) -> Option<(usize, &'a str)> {
        let (place, line) = self.lines.find(|(_, line)| !line.trim().is_empty())?;
        self.last = place + 1;
        Some((place + 1, line))
    }

    /// Reads the next line; its words, with brackets and colons as words of their own.
    fn next<T>(
        &mut self,
        expected: &'static str,
        read: impl FnOnce(&[&'a str]) -> Result<T, JjDefect>,
    ) -> Result<T, JjError> {
        let missing = JjError { line: self.last + 1, defect: JjDefect::Expected { expected } };
        let (line, text) = self.line().ok_or(missing)?;
        read(&words(text)).map_err(|defect| JjError { line, defect })
    }

    fn one(&mut self, expected: &'static str, is_right: impl Fn(&str) -> bool) -> Result<&'a str, JjError> {
        self.next(expected, |words| match words {
            [word] if is_right(word) => Ok(*word),
            _ => Err(JjDefect::Expected { expected }),
        })
    }

    fn size(&mut self, expected: &'static str) -> Result<usize, JjError> {
        let word = self.one(expected, |word| usize::from_str(word).is_ok())?;
        usize::from_str(word).map_err(|_| JjError { line: self.last, defect: JjDefect::Expected { expected } })
    }

    fn end(&mut self) -> Result<(), JjError> {
        let expected = "the end of the file after the last relation";
        match self.line() {
            None => Ok(()),
            Some((line, _)) => Err(JjError { line, defect: JjDefect::Expected { expected } }),
        }
    }
}

fn words(line: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for word in line.split_ascii_whitespace() {
        let mut rest = word;
        while let Some(place) = rest.find(['(', ')', ':']) {
            let (before, mark) = rest.split_at(place);
            words.extend((!before.is_empty()).then_some(before));
            words.push(&mark[..1]);
            rest = &mark[1..];
        }
        words.extend((!rest.is_empty()).then_some(rest));
    }
    words
}

fn cell(words: &[&str], number: usize, decimals: Decimals) -> Result<JjCell, JjDefect> {
    let &[own, value, cost, status, least, most, below, above, sliding] = words else {
        let expected = "9 words: number, count, cost, status, least, most, and three protection levels";
        return Err(JjDefect::Expected { expected });
    };
    if usize::from_str(own) != Ok(number) {
        return Err(JjDefect::Order);
    }
    f64::from_str(cost).ok().filter(|cost| cost.is_finite()).ok_or(JjDefect::NotACount { what: "the cost" })?;
    let status = match status {
        "s" | "z" => JjStatus::Published,
        "u" => JjStatus::Primary,
        "x" | "m" => JjStatus::Secondary,
        _ => return Err(JjDefect::Status),
    };
    Ok(JjCell {
        count: count(value, "the count", decimals)?,
        status,
        least: count(least, "the least count", decimals)?,
        most: count(most, "the largest count", decimals)?,
        protection: [
            count(below, "the protection below", decimals)?,
            count(above, "the protection above", decimals)?,
            count(sliding, "the sliding protection", decimals)?,
        ],
    })
}

fn relation(words: &[&str], cells: usize, decimals: Decimals) -> Result<JjRelation, JjDefect> {
    let [sum, size, ":", terms @ ..] = words else {
        return Err(JjDefect::Expected { expected: "a sum, how many terms, a colon, and the terms" });
    };
    let sum = units(sum, decimals).ok_or(JjDefect::NotASum)?;
    if usize::from_str(size) != Ok(terms.len() / 4) || terms.len() % 4 != 0 {
        return Err(JjDefect::Terms);
    }
    let term = |words: &[&str]| match *words {
        [cell, "(", sign, ")"] => {
            let cell = usize::from_str(cell).ok().filter(|&cell| cell < cells).ok_or(JjDefect::NoSuchCell)?;
            match whole(sign) {
                Some(1) => Ok((cell, false)),
                Some(-1) => Ok((cell, true)),
                _ => Err(JjDefect::Sign),
            }
        }
        _ => Err(JjDefect::Expected { expected: "terms such as 12 (-1)" }),
    };
    Ok(JjRelation { sum, terms: terms.chunks(4).map(term).collect::<Result<_, _>>()? })
}

fn count(word: &str, what: &'static str, decimals: Decimals) -> Result<u64, JjDefect> {
    let number = units(word, decimals).and_then(|number| u64::try_from(number).ok());
    number.ok_or(match decimals {
        None => JjDefect::NotACount { what },
        Some(decimals) => JjDefect::NotAnAmount { what, decimals },
    })
}

/// A number in units within 2^53. Plain decimals are read digit by digit, so that large amounts
/// stay exact.
fn units(word: &str, decimals: Decimals) -> Option<i64> {
    let Some(decimals) = decimals.map(usize::from) else { return whole(word) };
    let (whole_part, fraction) = word.split_once('.').unwrap_or((word, ""));
    let fraction = fraction.trim_end_matches('0');
    let digits = whole_part.strip_prefix('-').unwrap_or(whole_part);
    if digits.is_empty() || !digits.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit()) {
        return scientific(word, decimals);
    }
    let zeros = decimals.checked_sub(fraction.len())?;
    let number = format!("{whole_part}{fraction}{}", "0".repeat(zeros)).parse::<i64>().ok()?;
    (number.unsigned_abs() <= MOST).then_some(number)
}

/// `1e6` and `2.5E3`, where a float holds the units exactly.
fn scientific(word: &str, decimals: usize) -> Option<i64> {
    let is_plain = word.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    let number = f64::from_str(word).ok().filter(|_| is_plain)?;
    let number = number * 10_f64.powi(i32::try_from(decimals).ok()?);
    (number.fract() == 0.0 && number.abs() <= MOST as f64).then_some(number as i64)
}

impl JjFile {
    /// Writes the file, with amounts of this many decimals; 0 for counts. The cost of a cell is its
    /// amount. [`read_jj_amounts`] reads it back.
    ///
    /// # Errors
    /// As the writer.
    pub fn write(&self, decimals: u8, mut out: impl Write) -> io::Result<()> {
        writeln!(out, "0\n{}", self.cells.len())?;
        for (number, cell) in self.cells.iter().enumerate() {
            let status = match cell.status {
                JjStatus::Published => "s",
                JjStatus::Primary => "u",
                JjStatus::Secondary => "m",
            };
            let [below, above, sliding] = cell.protection.map(|units| amount_text(units, decimals));
            let [count, least, most] = [cell.count, cell.least, cell.most].map(|units| amount_text(units, decimals));
            writeln!(out, "{number} {count} {count} {status} {least} {most} {below} {above} {sliding}")?;
        }
        writeln!(out, "{}", self.relations.len())?;
        for relation in &self.relations {
            write!(out, "{} {} :", decimal_text(relation.sum, decimals), relation.terms.len())?;
            for &(cell, is_taken) in &relation.terms {
                write!(out, " {cell} ({})", if is_taken { -1 } else { 1 })?;
            }
            writeln!(out)?;
        }
        Ok(())
    }
}

/// An amount in units as a number with decimals.
fn amount_text(units: u64, decimals: u8) -> String {
    decimal_text(i64::try_from(units).unwrap_or(i64::MAX), decimals)
}

/// An amount as it is written: `1234.50` for 123450 units with two decimals.
#[must_use]
pub fn decimal_text(units: i64, decimals: u8) -> String {
    let places = usize::from(decimals);
    if places == 0 {
        return units.to_string();
    }
    let digits = format!("{:0width$}", units.unsigned_abs(), width = places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    format!("{}{whole}.{fraction}", if units < 0 { "-" } else { "" })
}

/// A whole number within 2^53, however it is written: 5, 5.0, 5e0.
fn whole(word: &str) -> Option<i64> {
    let is_plain = word.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    let number = f64::from_str(word).ok().filter(|_| is_plain)?;
    (number.fract() == 0.0 && number.abs() <= MOST as f64).then_some(number as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str =
        "0\n3\n0 20 20 s 0 40 0 0 0\n1 8 8 u 0 40 1 1.0 2\n2 12 1e1 x 0 4e1 0 0 0\n1\n0 3 : 0 (-1) 1 (1) 2 ( 1 )\n";

    fn defect(text: &str) -> (usize, JjDefect) {
        let error = read_jj(text.as_bytes()).expect_err("a defect");
        (error.line, error.defect)
    }

    #[test]
    fn a_small_file_is_read_whole_and_in_order() {
        let file = read_jj(SMALL.as_bytes()).expect("a JJ file");
        let counts: Vec<u64> = file.cells.iter().map(|cell| cell.count).collect();
        assert_eq!(counts, [20, 8, 12]);
        let cell = file.cells[1];
        assert_eq!((cell.status, cell.least, cell.most, cell.protection), (JjStatus::Primary, 0, 40, [1, 1, 2]));
        assert_eq!(file.cells[2].status, JjStatus::Secondary);
        assert_eq!(file.relations[0].terms, [(0, true), (1, false), (2, false)]);
        let windows = SMALL.replace('\n', "\r\n");
        assert!(read_jj(windows.as_bytes()).is_ok_and(|other| other == file));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        use JjDefect as D;
        let with = |from: &str, to: &str| defect(&SMALL.replacen(from, to, 1));
        assert!(matches!(defect(""), (1, D::Expected { .. })));
        assert!(matches!(with("0\n3", "1\n3"), (1, D::Expected { .. })));
        assert!(matches!(with("\n3\n", "\nthree\n"), (2, D::Expected { .. })));
        assert!(matches!(with("\n3\n", "\n18446744073709551615\n"), (6, D::Expected { .. })));
        assert_eq!(with("1 8 8 u", "2 8 8 u"), (4, D::Order));
        assert_eq!(with("1 8 8 u", "1 8.5 8 u"), (4, D::NotACount { what: "the count" }));
        assert_eq!(with("1 8 8 u", "1 -8 8 u"), (4, D::NotACount { what: "the count" }));
        assert_eq!(with("1 8 8 u", "1 1e300 8 u"), (4, D::NotACount { what: "the count" }));
        assert_eq!(with("1 8 8 u", "1 8 nan u"), (4, D::NotACount { what: "the cost" }));
        assert_eq!(with("u 0 40", "u 0 inf"), (4, D::NotACount { what: "the largest count" }));
        assert_eq!(with("1 8 8 u", "1 8 8 w"), (4, D::Status));
        assert_eq!(with("0 3 :", "0.5 3 :"), (7, D::NotASum));
        assert_eq!(with("0 3 :", "0 4 :"), (7, D::Terms));
        assert_eq!(with("0 (-1)", "0 (-2)"), (7, D::Sign));
        assert_eq!(with("0 (-1)", "3 (-1)"), (7, D::NoSuchCell));
        assert!(matches!(defect(&format!("{SMALL}5\n")), (8, D::Expected { .. })));
        assert!(matches!(defect(SMALL.trim_end_matches("0 3 : 0 (-1) 1 (1) 2 ( 1 )\n")), (7, D::Expected { .. })));
        assert_eq!(read_jj(b"0\n\0").expect_err("a zero byte"), JjError { line: 2, defect: D::NotText });
    }

    #[test]
    fn amounts_are_read_in_units_and_written_back() {
        let text = SMALL
            .replace("0 20 20 s", "0 20.5 20 s")
            .replace("1 8 8 u 0 40", "1 8.25 8 u 0 4e1")
            .replace("2 12 ", "2 12.25 ");
        let file = read_jj_amounts(text.as_bytes(), 2).expect("a JJ file of amounts");
        assert_eq!(file.cells.iter().map(|cell| cell.count).collect::<Vec<_>>(), [2050, 825, 1225]);
        assert_eq!((file.cells[1].most, file.cells[1].protection), (4000, [100, 100, 200]));
        let mut written = Vec::new();
        file.write(2, &mut written).expect("memory takes it");
        assert_eq!(read_jj_amounts(&written, 2), Ok(file));
        // A decimal more than was said, and a count that is no count.
        let defect = read_jj_amounts(text.as_bytes(), 1).expect_err("two decimals").defect;
        assert_eq!(defect, JjDefect::NotAnAmount { what: "the count", decimals: 1 });
        assert_eq!(
            read_jj(text.as_bytes()).expect_err("counts are whole").defect,
            JjDefect::NotACount { what: "the count" }
        );
        let large = "0\n1\n0 90071992547.40992 1 s 0 90071992547.40992 0 0 0\n0\n";
        assert_eq!(read_jj_amounts(large.as_bytes(), 5).expect("2^53 units").cells[0].count, 1 << 53);
    }

    #[test]
    fn no_error_shows_a_count() {
        let counts = ["79190", "31070", "48120"];
        let small = SMALL.replace("0 20 20", "0 79190 20").replace("1 8 8", "1 31070 8").replace("2 12 ", "2 48120 ");
        assert!(counts.iter().all(|count| small.contains(count)));
        for place in 0..small.len() {
            let mut text = small.as_bytes().to_vec();
            for byte in *b"x9( \n" {
                text[place] = byte;
                if let Err(error) = read_jj(&text) {
                    let said = error.to_string();
                    assert!(!counts.iter().any(|count| said.contains(&count[1..4])), "{said}");
                }
            }
        }
    }
}
