//! A table of a release as a section: a picture with intervals, and its numbers folded below.

use disclosure_report::{
    Amount, Bar, Bars, Block, Cell, Column, Lines, Multiples, Panel, Section, Series, Table, Tone,
};

use super::record::several;
use super::sheet::{Line, Sheet};
use crate::display::{count, short, with_error};

/// Bars that are drawn under each other; more are curves.
const MOST_BARS: usize = 40;
/// Small pictures of a table, and bars in each.
const MOST_PANELS: usize = 24;
const MOST_SMALL_BARS: usize = 16;
/// Lines of a table that is unfolded.
const MOST_OPEN: usize = 16;

/// The section of a table. `unit` is what its numbers count.
pub(super) fn section(heading: String, sheet: &Sheet, unit: &str, file: &str) -> Section {
    let mut section = Section::new(heading);
    let chart = chart(sheet, unit);
    let has_chart = chart.is_some();
    section.blocks.extend(chart);
    let table = Block::Table(table(sheet, file));
    section.blocks.push(match has_chart {
        false => table,
        true => Block::Folded {
            summary: format!("The numbers: {}", several(sheet.all, "line", "lines")),
            is_open: sheet.lines.len() <= MOST_OPEN && sheet.names.len() < 2,
            blocks: vec![table],
        },
    });
    section
}

/// A table alone, folded away: for numbers that another picture shows already.
pub(super) fn folded(heading: &str, sheet: &Sheet, file: &str) -> Block {
    let remark = sheet.common_remark().map(|remark| Block::Text(format!("{remark}.")));
    let blocks = remark.into_iter().chain([table(sheet, file).into()]).collect();
    Block::Folded { summary: format!("{heading}: {}", several(sheet.all, "line", "lines")), is_open: false, blocks }
}

fn chart(sheet: &Sheet, unit: &str) -> Option<Block> {
    sheet.number?;
    let has_noise = sheet.lines.iter().any(|line| line.sd.is_some_and(|sd| sd > 0.0));
    let axis = match (sheet.lines.iter().any(|line| line.interval.is_some()), has_noise) {
        (true, _) => format!("{unit}, with 95 % intervals of each number by itself"),
        (false, true) => format!("{unit}; whiskers are one standard deviation of the noise to either side"),
        (false, false) => unit.to_owned(),
    };
    let (last, others) = sheet.names.split_last()?;
    let by = if others.is_empty() { last.clone() } else { format!("{last}, for each {}", others.join(" × ")) };
    let cut = match sheet.is_cut() {
        true => format!(", the first {} of {} lines", count(sheet.lines.len() as f64), count(sheet.all as f64)),
        false => String::new(),
    };
    let title = format!("{} by {by}{cut}", capital(unit));
    if sheet.lines.len() < 2 {
        return None;
    }
    if let Some(panels) = panels(sheet) {
        return Some(Multiples { title, axis, panels }.into());
    }
    if sheet.lines.len() <= MOST_BARS {
        let bars = sheet.lines.iter().map(|line| bar(line, &line.of)).collect();
        return Some(Bars { title, axis, bars }.into());
    }
    // A curve through numbers that are withheld would show what nobody published.
    let is_whole = sheet.lines.iter().all(|line| line.value.is_some());
    (sheet.names.len() == 1 && is_whole).then(|| curves(title, sheet, unit).into())
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// One small picture for each combination of all labels but the last, if they come in blocks of the same length.
fn panels(sheet: &Sheet) -> Option<Vec<Panel>> {
    let last = sheet.names.len().checked_sub(1).filter(|&last| last > 0 && !sheet.is_cut())?;
    let mut panels: Vec<(&[String], Panel)> = Vec::new();
    for line in &sheet.lines {
        let (head, tail) = line.of.split_at(last);
        match panels.last_mut() {
            Some((of, panel)) if *of == head => panel.bars.push(bar(line, tail)),
            _ => panels.push((head, Panel { label: head.join(" · "), bars: vec![bar(line, tail)] })),
        }
    }
    let fits = (2..=MOST_PANELS).contains(&panels.len())
        && panels.iter().all(|(_, panel)| (2..=MOST_SMALL_BARS).contains(&panel.bars.len()));
    fits.then(|| panels.into_iter().map(|(_, panel)| panel).collect())
}

/// A long table over its lines, with the ends of its intervals.
fn curves(title: String, sheet: &Sheet, unit: &str) -> Lines {
    let series = |name: &str, number: fn(&Line) -> Option<f64>| Series {
        name: name.to_owned(),
        points: sheet
            .lines
            .iter()
            .enumerate()
            .filter_map(|(at, line)| Some((at as f64 + 1.0, number(line)?)))
            .collect(),
    };
    let mut all = vec![series("the number", |line| line.value)];
    if sheet.lines.iter().any(|line| line.interval.is_some()) {
        all.push(series("lower end of its 95 % interval", |line| line.interval.map(|ends| ends[0])));
        all.push(series("upper end of its 95 % interval", |line| line.interval.map(|ends| ends[1])));
    }
    Lines { title, across: "line of the table".to_owned(), up: unit.to_owned(), is_logarithmic: false, series: all }
}

fn bar(line: &Line, label: &[String]) -> Bar {
    let amount = match (line.value, line.interval, line.sd) {
        (None, ..) => Amount::Withheld,
        (Some(value), Some([low, high]), _) => Amount::Estimate { value, low, high },
        (Some(value), None, Some(sd)) if sd > 0.0 => Amount::Estimate { value, low: value - sd, high: value + sd },
        (Some(value), ..) => Amount::Exact(value),
    };
    let label = if label.is_empty() { "everybody".to_owned() } else { label.join(" · ") };
    Bar { label, amount, shown: shown(line) }
}

/// A number with its error, in the digits that this deserves.
fn shown(line: &Line) -> String {
    let Some(value) = line.value else { return line.status.clone().unwrap_or_else(|| "withheld".to_owned()) };
    match (half_width(line), line.sd) {
        (Some(error), _) if error > 0.0 => format!("{} ± {}", with_error(value, error), with_error(error, error)),
        (None, Some(sd)) if sd > 0.0 => format!("{} (sd {})", with_error(value, sd), with_error(sd, sd)),
        _ => exact(value),
    }
}

fn half_width(line: &Line) -> Option<f64> {
    line.interval.map(|[low, high]| (high - low) / 2.0)
}

/// A number without error: all its digits, if it is whole.
fn exact(value: f64) -> String {
    if value.fract() == 0.0 { count(value) } else { short(value) }
}

fn table(sheet: &Sheet, file: &str) -> Table {
    let Some(number) = sheet.number else { return texts(sheet, file) };
    let has_intervals = sheet.lines.iter().any(|line| line.interval.is_some());
    let has_status = sheet.lines.iter().any(|line| line.status.is_some());
    let has_remarks = sheet.lines.iter().any(|line| line.remark.is_some()) && sheet.common_remark().is_none();
    let mut columns: Vec<Column> = sheet.names.iter().map(Column::words).collect();
    columns.push(Column::numbers(number));
    columns.extend(sheet.has_error.then(|| Column::numbers("sd")));
    columns.extend(["95 % from", "to"].into_iter().filter(|_| has_intervals).map(Column::numbers));
    columns.extend(has_status.then(|| Column::words("status")));
    columns.extend(has_remarks.then(|| Column::words("why")));
    let row = |line: &Line| {
        let error = half_width(line).or(line.sd).unwrap_or(0.0);
        let digits = |number: f64| if error > 0.0 { with_error(number, error) } else { exact(number) };
        let or_none = |number: Option<f64>| Cell::from(number.map_or_else(String::new, digits));
        let mut cells: Vec<Cell> = line.of.iter().map(|label| Cell::from(label.as_str())).collect();
        cells.push(line.value.map_or_else(|| Cell::toned(Tone::Faint, "withheld"), |value| digits(value).into()));
        cells.extend(sheet.has_error.then(|| Cell::from(line.sd.map_or_else(String::new, |sd| with_error(sd, sd)))));
        let ends = [0, 1].map(|end| line.interval.map(|ends| ends[end]));
        cells.extend(ends.into_iter().filter(|_| has_intervals).map(or_none));
        cells.extend(has_status.then(|| status(line)));
        cells.extend(has_remarks.then(|| Cell::from(line.remark.clone().unwrap_or_default())));
        cells
    };
    let rows = sheet.lines.iter().map(row).collect();
    Table {
        caption: format!("File {file}"),
        columns,
        row_names: sheet.names.len(),
        rows,
        left_out: left_out(sheet, file),
    }
}

fn status(line: &Line) -> Cell {
    match line.status.as_deref() {
        Some("suppressed") => Cell::toned(Tone::Warning, "suppressed"),
        other => Cell::from(other.unwrap_or_default()),
    }
}

/// A table of which no column is known to be its number.
fn texts(sheet: &Sheet, file: &str) -> Table {
    Table {
        caption: format!("File {file}"),
        columns: sheet.names.iter().map(Column::words).collect(),
        row_names: 0,
        rows: sheet.lines.iter().map(|line| line.of.iter().map(|text| Cell::from(text.as_str())).collect()).collect(),
        left_out: left_out(sheet, file),
    }
}

fn left_out(sheet: &Sheet, file: &str) -> Option<String> {
    let [shown, all] = [sheet.lines.len(), sheet.all].map(|lines| count(lines as f64));
    sheet.is_cut().then(|| format!("The first {shown} of {all} lines; all of them are in {file}."))
}
