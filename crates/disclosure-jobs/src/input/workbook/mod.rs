//! One sheet of a workbook (XLSX) as text.

mod parts;

use std::collections::BTreeMap;
use std::io::{Cursor, Read};
use std::path::Path;

use calamine::{DataRef, Reader, Xlsx};
use privacy_data::{CsvField, csv_line};

use crate::error::JobError;
use crate::panics::contained;
use parts::{CheckedParts, check_parts};

/// Largest workbook, as a file.
const MAX_FILE: u64 = 1 << 28;

/// Text of a sheet that is held in any case. Each unpacked byte may add two to it: a row of one
/// cell gets a separator for every other column, and a sheet of such rows would grow without end.
const SMALL_TEXT: u64 = 1 << 23;

/// Widest sheet: as many columns as a table has.
const MAX_COLUMNS: u32 = 1 << 12;

type Book = Xlsx<Cursor<Vec<u8>>>;

/// The text of a sheet.
#[derive(Debug)]
pub(super) struct Sheet {
    pub(super) text: Vec<u8>,
    /// How many sheets the workbook has.
    pub(super) sheets: usize,
}

/// The rows of a sheet as CSV, the first sheet without a name. The header is row 1, so that a row
/// of the sheet is a line of the text; line breaks within cells are refused for that reason.
///
/// Numbers are written as they are stored (`12`, `0.5`), dates as `2024-12-31`, truth values as
/// `TRUE` and `FALSE`.
///
/// # Errors
/// E0104 for bytes that cannot be read, E0328 for a file that is no workbook, a sheet that is not
/// there, or a cell that is no value, E0324 for a text that is too long, E0661 above 256 MiB, 2 GiB
/// unpacked, or `max_mib` mebibytes of text, and for a part that is made to swell.
pub(super) fn sheet_as_csv(
    name: &Path,
    reader: impl Read,
    sheet: Option<&str>,
    max_mib: u64,
) -> Result<Sheet, JobError> {
    let mut bytes = Vec::new();
    reader.take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(|source| JobError::reading(name, &source))?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(too_large("the workbook is larger than 256 MiB").within(name));
    }
    let text = contained(|| check_parts(bytes).and_then(|parts| rows_of(parts, sheet, max_mib)));
    text.unwrap_or_else(|| Err(refused("the workbook is damaged"))).map_err(|error| error.within(name))
}

fn refused(message: impl Into<String>) -> JobError {
    JobError::new("E0328", message)
}

/// A workbook beyond what sheets have: no limit of the job can be raised for it.
fn too_large(message: impl Into<String>) -> JobError {
    JobError::new("E0661", message).next("save the sheet again, alone, or export it as CSV")
}

fn rows_of(parts: CheckedParts, sheet: Option<&str>, max_mib: u64) -> Result<Sheet, JobError> {
    let most_bytes = SMALL_TEXT + 2 * parts.unpacked;
    let mut book: Book = calamine::open_workbook_from_rs(Cursor::new(parts.bytes))
        .map_err(|_| refused("the file is not a workbook (XLSX), or is damaged"))?;
    let names = book.sheet_names();
    let sheet = match sheet {
        Some(sheet) if names.iter().any(|name| name == sheet) => sheet.to_owned(),
        Some(_) => return Err(refused(format!("none of the {} sheets of the workbook has this name", names.len()))),
        None => names.first().cloned().ok_or_else(|| refused("the workbook has no sheet"))?,
    };
    let mut cells = book.worksheet_cells_reader(&sheet).map_err(damaged_sheet)?;
    let mut rows = Rows { max_mib, most_bytes, ..Rows::default() };
    while let Some(cell) = cells.next_cell().map_err(damaged_sheet)? {
        let (row, column) = cell.get_position();
        let value = value_of(cell.get_value()).ok_or_else(|| {
            refused(format!("row {}, column {}: the cell contains an error instead of a value", row + 1, column + 1))
        })?;
        if !value.is_empty() {
            rows.push(row, column, value)?;
        }
    }
    Ok(Sheet { text: rows.finish()?, sheets: names.len() })
}

fn damaged_sheet<E>(_: E) -> JobError {
    refused("the sheet is damaged")
}

/// The text of a cell; `None` for an error such as `#N/A`.
fn value_of(cell: &DataRef<'_>) -> Option<String> {
    Some(match cell {
        DataRef::Int(value) => value.to_string(),
        DataRef::Float(value) => value.to_string(),
        DataRef::String(text) | DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => text.clone(),
        DataRef::SharedString(text) => (*text).to_owned(),
        DataRef::Bool(value) => if *value { "TRUE" } else { "FALSE" }.to_owned(),
        DataRef::DateTime(moment) if moment.is_datetime() => date(moment.to_ymd_hms_milli()),
        DataRef::DateTime(moment) => moment.as_f64().to_string(),
        DataRef::Error(_) => return None,
        DataRef::Empty => String::new(),
    })
}

/// A date, with its time of day unless that is midnight.
fn date((year, month, day, hour, minute, second, milli): (u16, u8, u8, u8, u8, u8, u16)) -> String {
    let day = format!("{year:04}-{month:02}-{day:02}");
    match (hour, minute, second, milli) {
        (0, 0, 0, 0) => day,
        (_, _, _, 0) => format!("{day}T{hour:02}:{minute:02}:{second:02}"),
        _ => format!("{day}T{hour:02}:{minute:02}:{second:02}.{milli:03}"),
    }
}

/// Lines of CSV, of cells that come row by row.
#[derive(Default)]
struct Rows {
    text: Vec<u8>,
    /// The limit of the job, in mebibytes.
    max_mib: u64,
    /// The limit of sheets of this size, in bytes.
    most_bytes: u64,
    row: u32,
    /// The cells of the row that are not empty, by column.
    cells: BTreeMap<u32, String>,
    width: u32,
}

impl Rows {
    fn push(&mut self, row: u32, column: u32, value: String) -> Result<(), JobError> {
        if column >= MAX_COLUMNS {
            return Err(refused(format!("row {}: the sheet is wider than {MAX_COLUMNS} columns", row + 1)));
        }
        if value.contains(['\n', '\r']) {
            return Err(refused(format!("row {}, column {}: the cell contains a line break", row + 1, column + 1)));
        }
        if row < self.row {
            return Err(refused("the rows of the sheet are out of order"));
        }
        while self.row < row {
            self.end_row()?;
        }
        match self.cells.insert(column, value) {
            None => Ok(()),
            Some(_) => Err(refused(format!("row {}, column {}: the sheet has the cell twice", row + 1, column + 1))),
        }
    }

    /// Writes the row; the first one, which is the header, says how wide the others are.
    fn end_row(&mut self) -> Result<(), JobError> {
        let Some((last, _)) = self.cells.last_key_value() else {
            return Err(refused(format!("row {} is empty; remove it (the header must be row 1)", self.row + 1)));
        };
        let width = last + 1;
        if self.row == 0 {
            self.width = width;
        }
        if width > self.width {
            let message = format!("row {} is wider than the header, which is row 1", self.row + 1);
            return Err(refused(message));
        }
        let mut column = 0;
        for (next, value) in &self.cells {
            separate(&mut self.text, next - column);
            column = *next;
            self.text.extend_from_slice(csv_line([CsvField::from(value.as_str())]).trim_end_matches('\n').as_bytes());
        }
        separate(&mut self.text, self.width - width);
        self.text.push(b'\n');
        self.check_size()?;
        self.cells.clear();
        self.row += 1;
        Ok(())
    }

    fn check_size(&self) -> Result<(), JobError> {
        let bytes = self.text.len() as u64;
        if bytes > self.max_mib.saturating_mul(1 << 20) {
            return Err(JobError::new("E0661", format!("the data are larger than {} MiB", self.max_mib)));
        }
        if bytes > self.most_bytes {
            return Err(too_large("nearly all cells of the sheet are empty"));
        }
        Ok(())
    }

    /// The text; empty rows at the end of the sheet are no rows.
    fn finish(mut self) -> Result<Vec<u8>, JobError> {
        if !self.cells.is_empty() {
            self.end_row()?;
        }
        Ok(self.text)
    }
}

/// As many separators, with nothing between them.
fn separate(text: &mut Vec<u8>, separators: u32) {
    text.resize(text.len() + separators as usize, b',');
}
