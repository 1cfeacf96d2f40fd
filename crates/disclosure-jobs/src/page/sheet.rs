//! A table of a release, read by its header: columns that label a line, its number, the error of
//! the number, and its status.

use privacy_data::{CsvOptions, TextRow, TextRows, fields_of_line};

use super::error::PageError;

/// Columns with numbers. The first two hold the number itself.
const NUMBERS: [&str; 5] = ["value", "rows", "sd", "ci95_low", "ci95_high"];
/// Columns with words about the number.
const WORDS: [&str; 3] = ["status", "reason", "estimate"];

/// How much of the tables of a release one page may hold.
#[derive(Clone, Copy, Debug)]
pub struct PageLimits {
    /// Largest number of lines shown of one table or list.
    pub max_lines: usize,
    /// Largest number of bytes in the lines of all tables together.
    pub table_bytes: usize,
}

impl Default for PageLimits {
    fn default() -> Self {
        Self { max_lines: 200, table_bytes: 1 << 24 }
    }
}

/// A table as far as the page shows it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sheet {
    /// Names of the columns that say what a line counts.
    pub names: Vec<String>,
    /// Name of the column with the number; `None` if no column is known to hold one.
    pub number: Option<&'static str>,
    /// Whether there is a column with standard deviations.
    pub has_error: bool,
    /// The first lines.
    pub lines: Vec<Line>,
    /// Number of lines in the file, shown or not.
    pub line_count: usize,
}

/// A line of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Line {
    /// The labels, one for each of [`Sheet::names`].
    pub labels: Vec<String>,
    /// The number; `None` if it is withheld.
    pub value: Option<f64>,
    /// Standard deviation of its noise.
    pub sd: Option<f64>,
    /// Ends of its 95 % interval.
    pub interval: Option<[f64; 2]>,
    /// What became of the number, for example `suppressed`.
    pub status: Option<String>,
    /// The reason for the status, or what the number is an estimate of.
    pub remark: Option<String>,
}

/// Positions of the known columns.
struct Positions {
    labels: Vec<usize>,
    numbers: [Option<usize>; 5],
    words: [Option<usize>; 3],
}

impl Sheet {
    /// Reads a table. `file` names it in errors; the bytes of its lines are taken off `limits`.
    pub(super) fn parse(file: &str, bytes: &[u8], limits: &mut PageLimits) -> Result<Self, PageError> {
        let header = header(bytes).map_err(|source| invalid(file, source))?;
        let positions = Positions::of(&header);
        let mut rows = TextRows::new(bytes, &header, &CsvOptions::default()).map_err(|source| invalid(file, source))?;
        let mut sheet = Self::without_lines(&header, &positions);
        while let Some(row) = rows.advance().map_err(|source| invalid(file, source))? {
            sheet.line_count += 1;
            if sheet.line_count > limits.max_lines {
                continue;
            }
            // A cell takes some 64 bytes besides its text.
            let size: usize = (0..header.len()).map(|column| row.field(column).len() + 64).sum();
            limits.table_bytes = limits.table_bytes.checked_sub(size).ok_or_else(|| PageError::TooLarge {
                what: "the lines of all tables together exceed 16 MiB".to_owned(),
            })?;
            let line = positions.line(&row);
            sheet.lines.push(line.ok_or_else(|| PageError::Number { file: file.to_owned(), line: row.line() })?);
        }
        Ok(sheet)
    }

    fn without_lines(header: &[String], positions: &Positions) -> Self {
        let number = positions.numbers.iter().take(2).position(Option::is_some);
        Self {
            names: positions.labels.iter().map(|&column| header[column].clone()).collect(),
            number: number.map(|column| NUMBERS[column]),
            has_error: positions.numbers[2].is_some(),
            ..Self::default()
        }
    }

    /// A remark that all lines share.
    pub(super) fn common_remark(&self) -> Option<&str> {
        let first = self.lines.first()?.remark.as_deref()?;
        self.lines.iter().all(|line| line.remark.as_deref() == Some(first)).then_some(first)
    }

    /// Whether the file has lines that are not shown.
    pub(super) fn is_truncated(&self) -> bool {
        self.lines.len() < self.line_count
    }
}

fn invalid(file: &str, source: privacy_data::DataError) -> PageError {
    PageError::Table { file: file.to_owned(), source }
}

fn header(bytes: &[u8]) -> Result<Vec<String>, privacy_data::DataError> {
    let text = String::from_utf8_lossy(first_record(bytes));
    fields_of_line(text.trim_start_matches('\u{feff}'))
}

impl Positions {
    fn of(header: &[String]) -> Self {
        // Labels precede the number and may have any name, even that of a known column; what is
        // known about the number follows it. Without a number every column is text.
        let Some(number) = header.iter().rposition(|name| NUMBERS[..2].contains(&name.as_str())) else {
            return Self { labels: (0..header.len()).collect(), numbers: [None; 5], words: [None; 3] };
        };
        let is_known = |&column: &usize| [&NUMBERS[..], &WORDS[..]].concat().contains(&header[column].as_str());
        let labels = (0..header.len()).filter(|column| *column < number || !is_known(column)).collect();
        let find = |name: &str| (number..header.len()).find(|&column| header[column] == name);
        Self { labels, numbers: NUMBERS.map(find), words: WORDS.map(find) }
    }

    /// A line; `None` if a column of numbers holds something else.
    fn line(&self, row: &TextRow<'_>) -> Option<Line> {
        let [value, rows, sd, low, high] = self.numbers;
        let [status, reason, estimate] = self.words.map(|column| text(row, column).map(str::to_owned));
        Some(Line {
            labels: self.labels.iter().map(|&column| row.field(column).to_owned()).collect(),
            value: number(row, value.or(rows))?,
            sd: number(row, sd)?,
            interval: number(row, low)?.zip(number(row, high)?).map(|(low, high)| [low, high]),
            status,
            remark: reason.or(estimate),
        })
    }
}

/// The text of a field, unless it is empty.
fn text<'a>(row: &'a TextRow<'_>, column: Option<usize>) -> Option<&'a str> {
    column.map(|column| row.field(column)).filter(|text| !text.is_empty())
}

/// The number in a field: `Some(None)` if it is empty, `None` if it is not a finite number.
fn number(row: &TextRow<'_>, column: Option<usize>) -> Option<Option<f64>> {
    match text(row, column).map(str::parse::<f64>) {
        None => Some(None),
        Some(Ok(number)) if number.is_finite() => Some(Some(number)),
        Some(_) => None,
    }
}

/// The header with the line feed that ends it, which is the first one outside of quotes.
fn first_record(bytes: &[u8]) -> &[u8] {
    let mut is_quoted = false;
    let end = bytes.iter().position(|&byte| {
        is_quoted ^= byte == b'"';
        byte == b'\n' && !is_quoted
    });
    end.map_or(bytes, |end| &bytes[..=end])
}
