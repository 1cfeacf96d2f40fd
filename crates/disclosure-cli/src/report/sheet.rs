//! A table of a release, read by its header: columns that name the line, its number, the error of that, what became of it.

use privacy_data::{CsvOptions, TextRow, TextRows, fields_of_line};

use super::directory::Directory;
use super::error::ReportError;

/// Columns with numbers, in the order of [`Place`].
const NUMBERS: [&str; 5] = ["value", "rows", "sd", "ci95_low", "ci95_high"];
/// Columns with words about the number.
const WORDS: [&str; 3] = ["status", "reason", "estimate"];

/// A table, as far as it is shown.
#[derive(Debug, Default)]
pub(super) struct Sheet {
    /// Names of the columns that say what a line counts.
    pub(super) names: Vec<String>,
    /// Name of the column with the number, if there is one.
    pub(super) number: Option<&'static str>,
    pub(super) has_error: bool,
    pub(super) lines: Vec<Line>,
    /// How many lines there are, shown or not.
    pub(super) all: usize,
}

/// A line of a table.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) of: Vec<String>,
    pub(super) value: Option<f64>,
    pub(super) sd: Option<f64>,
    pub(super) interval: Option<[f64; 2]>,
    pub(super) status: Option<String>,
    /// Why, and what the number is an estimate of.
    pub(super) remark: Option<String>,
}

/// Where the known columns stand.
struct Places {
    labels: Vec<usize>,
    numbers: [Option<usize>; 5],
    words: [Option<usize>; 3],
}

impl Sheet {
    /// Reads a table whose bytes were compared with their digest.
    pub(super) fn read(directory: &mut Directory, file: &str, bytes: &[u8]) -> Result<Self, ReportError> {
        let table = |source| ReportError::Table { file: file.to_owned(), source };
        let text = String::from_utf8_lossy(first_record(bytes));
        let header = fields_of_line(text.trim_start_matches('\u{feff}')).map_err(table)?;
        let places = Places::of(&header);
        let mut rows = TextRows::new(bytes, &header, &CsvOptions::default()).map_err(table)?;
        let names = places.labels.iter().map(|&place| header[place].clone()).collect();
        let number = places.numbers.iter().take(2).position(Option::is_some).map(|place| NUMBERS[place]);
        let mut sheet = Self { names, number, has_error: places.numbers[2].is_some(), ..Self::default() };
        while let Some(row) = rows.advance().map_err(table)? {
            sheet.all += 1;
            if sheet.all > directory.max_lines {
                continue;
            }
            let size: usize = (0..header.len()).map(|column| row.field(column).len() + 64).sum();
            directory.room = directory.room.checked_sub(size).ok_or_else(|| ReportError::TooLarge {
                what: "the lines of all tables together have more than 16 MiB".to_owned(),
            })?;
            let line = places.line(&row);
            sheet.lines.push(line.ok_or_else(|| ReportError::Number { file: file.to_owned(), line: row.line() })?);
        }
        Ok(sheet)
    }

    /// A remark that all lines share.
    pub(super) fn common_remark(&self) -> Option<&str> {
        let first = self.lines.first()?.remark.as_deref()?;
        self.lines.iter().all(|line| line.remark.as_deref() == Some(first)).then_some(first)
    }

    /// Whether lines are left out.
    pub(super) fn is_cut(&self) -> bool {
        self.lines.len() < self.all
    }
}

impl Places {
    fn of(header: &[String]) -> Self {
        // Labels stand before the number and may have any name; what is known of it stands after. Without a number all are texts.
        let Some(number) = header.iter().rposition(|name| NUMBERS[..2].contains(&name.as_str())) else {
            return Self { labels: (0..header.len()).collect(), numbers: [None; 5], words: [None; 3] };
        };
        let place = |name: &str| (number..header.len()).find(|&own| header[own] == name);
        let is_known = |own: usize| NUMBERS.contains(&header[own].as_str()) || WORDS.contains(&header[own].as_str());
        let labels = (0..header.len()).filter(|&own| own < number || !is_known(own)).collect();
        Self { labels, numbers: NUMBERS.map(place), words: WORDS.map(place) }
    }

    /// A line; `None` where a number is none.
    fn line(&self, row: &TextRow<'_>) -> Option<Line> {
        let text = |place: Option<usize>| place.map(|place| row.field(place)).filter(|text| !text.is_empty());
        let number = |place: Option<usize>| match text(place).map(str::parse::<f64>) {
            None => Some(None),
            Some(Ok(number)) if number.is_finite() => Some(Some(number)),
            Some(_) => None,
        };
        let [value, rows, sd, low, high] = self.numbers;
        let words = |place: Option<usize>| text(place).map(str::to_owned);
        Some(Line {
            of: self.labels.iter().map(|&place| row.field(place).to_owned()).collect(),
            value: number(value.or(rows))?,
            sd: number(sd)?,
            interval: number(low)?.zip(number(high)?).map(|(low, high)| [low, high]),
            status: words(self.words[0]),
            remark: words(self.words[1]).or_else(|| words(self.words[2])),
        })
    }
}

/// The header, with the line feed that ends it: one that is not within quotes.
fn first_record(bytes: &[u8]) -> &[u8] {
    let mut is_quoted = false;
    let ends = |&byte: &u8| {
        is_quoted ^= byte == b'"';
        byte == b'\n' && !is_quoted
    };
    bytes.iter().position(ends).map_or(bytes, |end| &bytes[..=end])
}
