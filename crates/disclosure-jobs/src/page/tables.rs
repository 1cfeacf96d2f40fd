//! A table of a release as a section: a chart or a cross table, and every number with its error in
//! a folded table.

use disclosure_report::number::{count, short, with_error};
use disclosure_report::{Amount, Bar, Bars, Block, Cell, Column, Lines, Section, Series, Table, Tone};

use super::cross::cross_table;
use super::sheet::{Line, Sheet};
use super::words::{capitalized, plural};

/// Most bars of one chart; longer tables are drawn as curves.
const MOST_BARS: usize = 40;

/// The section of a table. `unit` is what its numbers count.
pub(super) fn section(heading: String, sheet: &Sheet, unit: &str, file: &str) -> Section {
    let chart = chart(sheet, unit);
    let summary = format!("Every number: {} in {file}", plural(sheet.line_count, "line", "lines"));
    // One number that nothing else shows is not folded away.
    let is_open = chart.is_none() && sheet.line_count == 1;
    let table = Block::Folded { summary, is_open, blocks: vec![table(sheet, file).into()] };
    chart.into_iter().chain([table]).fold(Section::new(heading), Section::with)
}

/// A folded table without a chart, for numbers that another chart shows already.
pub(super) fn folded(heading: &str, sheet: &Sheet, file: &str) -> Block {
    let remark = sheet.common_remark().map(|remark| Block::Text(format!("{remark}.")));
    let blocks = remark.into_iter().chain([table(sheet, file).into()]).collect();
    let summary = format!("{heading}: {}", plural(sheet.line_count, "line", "lines"));
    Block::Folded { summary, is_open: false, blocks }
}

fn chart(sheet: &Sheet, unit: &str) -> Option<Block> {
    sheet.number?;
    if sheet.lines.len() < 2 {
        return None;
    }
    let (title, axis) = (title(sheet, unit)?, axis(sheet, unit));
    if let Some(table) = cross_table(sheet, &title) {
        return Some(table.into());
    }
    if sheet.lines.len() <= MOST_BARS {
        let bars = sheet.lines.iter().map(bar).collect();
        return Some(Bars { title, axis, bars }.into());
    }
    // A curve through withheld numbers would show values that nobody published.
    let is_complete = sheet.lines.iter().all(|line| line.value.is_some());
    (sheet.names.len() == 1 && is_complete).then(|| curves(title, sheet, unit).into())
}

fn title(sheet: &Sheet, unit: &str) -> Option<String> {
    let by = (!sheet.names.is_empty()).then(|| sheet.names.join(" × "))?;
    let shown = match sheet.is_truncated() {
        true => format!(", the first {} of {} lines", count(sheet.lines.len() as f64), count(sheet.line_count as f64)),
        false => String::new(),
    };
    Some(format!("{} by {by}{shown}", capitalized(unit)))
}

fn axis(sheet: &Sheet, unit: &str) -> String {
    let has_noise = sheet.lines.iter().any(|line| line.sd.is_some_and(|sd| sd > 0.0));
    match (has_intervals(sheet), has_noise) {
        (true, _) => format!("{unit}, with a 95 % interval for each number separately"),
        (false, true) => format!("{unit}; error bars are one standard deviation of the noise on either side"),
        (false, false) => unit.to_owned(),
    }
}

fn has_intervals(sheet: &Sheet) -> bool {
    sheet.lines.iter().any(|line| line.interval.is_some())
}

/// A long table as curves: its numbers, and the ends of their intervals.
fn curves(title: String, sheet: &Sheet, unit: &str) -> Lines {
    let mut all = vec![series(sheet, "the number", |line| line.value)];
    if has_intervals(sheet) {
        all.push(series(sheet, "lower end of its 95 % interval", |line| line.interval.map(|ends| ends[0])));
        all.push(series(sheet, "upper end of its 95 % interval", |line| line.interval.map(|ends| ends[1])));
    }
    Lines { title, across: "line of the table".to_owned(), up: unit.to_owned(), is_logarithmic: false, series: all }
}

fn series(sheet: &Sheet, name: &str, number: fn(&Line) -> Option<f64>) -> Series {
    let points = sheet.lines.iter().enumerate();
    let points = points.filter_map(|(index, line)| Some((index as f64 + 1.0, number(line)?))).collect();
    Series { name: name.to_owned(), points }
}

fn bar(line: &Line) -> Bar {
    let amount = match (line.value, line.interval, line.sd) {
        (None, ..) => Amount::Withheld,
        (Some(value), Some([low, high]), _) => Amount::Estimate { value, low, high },
        (Some(value), None, Some(sd)) if sd > 0.0 => Amount::Estimate { value, low: value - sd, high: value + sd },
        (Some(value), ..) => Amount::Exact(value),
    };
    let label = if line.labels.is_empty() { "everyone".to_owned() } else { line.labels.join(" · ") };
    Bar { label, amount, shown: number_with_error(line) }
}

/// A number with its error, to the digits that the error supports.
pub(super) fn number_with_error(line: &Line) -> String {
    let Some(value) = line.value else { return line.status.clone().unwrap_or_else(|| "withheld".to_owned()) };
    match (half_width(line), line.sd) {
        (Some(error), _) if error > 0.0 => format!("{} ± {}", with_error(value, error), with_error(error, error)),
        (None, Some(sd)) if sd > 0.0 => format!("{} (sd {})", with_error(value, sd), with_error(sd, sd)),
        _ => exact(value),
    }
}

pub(super) fn half_width(line: &Line) -> Option<f64> {
    line.interval.map(|[low, high]| (high - low) / 2.0)
}

/// A number without error: with all digits if it is whole.
fn exact(value: f64) -> String {
    if value.fract() == 0.0 { count(value) } else { short(value) }
}

/// Which columns the table of a sheet has.
struct Layout {
    has_error: bool,
    has_intervals: bool,
    has_status: bool,
    has_remarks: bool,
}

impl Layout {
    fn of(sheet: &Sheet) -> Self {
        Self {
            // Exact numbers alone need no column of zeros.
            has_error: sheet.has_error && sheet.lines.iter().any(|line| line.sd.is_some_and(|sd| sd > 0.0)),
            has_intervals: has_intervals(sheet),
            has_status: sheet.lines.iter().any(|line| line.status.is_some()),
            has_remarks: sheet.lines.iter().any(|line| line.remark.is_some()) && sheet.common_remark().is_none(),
        }
    }

    fn columns(&self, sheet: &Sheet, number: &str) -> Vec<Column> {
        let mut columns: Vec<Column> = sheet.names.iter().map(Column::words).collect();
        columns.push(Column::numbers(number));
        columns.extend(self.has_error.then(|| Column::numbers("sd")));
        columns.extend(["95 % from", "to"].into_iter().filter(|_| self.has_intervals).map(Column::numbers));
        columns.extend(self.has_status.then(|| Column::words("status")));
        columns.extend(self.has_remarks.then(|| Column::words("reason")));
        columns
    }

    fn row(&self, line: &Line) -> Vec<Cell> {
        let mut cells: Vec<Cell> = line.labels.iter().map(|label| Cell::from(label.as_str())).collect();
        cells.push(line.value.map_or_else(|| Cell::toned(Tone::Faint, "withheld"), |value| digits(line, value).into()));
        if self.has_error {
            cells.push(line.sd.map_or_else(String::new, |sd| with_error(sd, sd)).into());
        }
        if self.has_intervals {
            let ends = [0, 1].map(|end| line.interval.map_or_else(String::new, |ends| digits(line, ends[end])));
            cells.extend(ends.map(Cell::from));
        }
        cells.extend(self.has_status.then(|| status(line)));
        cells.extend(self.has_remarks.then(|| Cell::from(line.remark.clone().unwrap_or_default())));
        cells
    }
}

/// A number of a line, to the digits that the error of the line supports.
pub(super) fn digits(line: &Line, number: f64) -> String {
    let error = half_width(line).or(line.sd).unwrap_or(0.0);
    if error > 0.0 { with_error(number, error) } else { exact(number) }
}

fn table(sheet: &Sheet, file: &str) -> Table {
    let Some(number) = sheet.number else { return texts(sheet, file) };
    let layout = Layout::of(sheet);
    Table {
        caption: format!("File {file}"),
        columns: layout.columns(sheet, number),
        row_names: sheet.names.len(),
        rows: sheet.lines.iter().map(|line| layout.row(line)).collect(),
        left_out: left_out(sheet, file),
        is_compact: false,
    }
}

fn status(line: &Line) -> Cell {
    match line.status.as_deref() {
        Some("suppressed") => Cell::toned(Tone::Warning, "suppressed"),
        other => Cell::from(other.unwrap_or_default()),
    }
}

/// A table in which no column is known to hold a number.
fn texts(sheet: &Sheet, file: &str) -> Table {
    let rows = sheet.lines.iter().map(|line| line.labels.iter().map(|text| Cell::from(text.as_str())).collect());
    Table {
        caption: format!("File {file}"),
        columns: sheet.names.iter().map(Column::words).collect(),
        row_names: 0,
        rows: rows.collect(),
        left_out: left_out(sheet, file),
        is_compact: false,
    }
}

fn left_out(sheet: &Sheet, file: &str) -> Option<String> {
    let [shown, all] = [sheet.lines.len(), sheet.line_count].map(|lines| count(lines as f64));
    sheet.is_truncated().then(|| format!("The first {shown} of {all} lines; all of them are in {file}."))
}
