//! How a table gets into a number of columns of the terminal.
//!
//! In this order, each only if the one before was not enough: heads are broken at spaces; a last
//! column of words is broken at spaces, and one of bars is left out; labels are shortened in the
//! middle, so that all that differ still do; columns of numbers are stacked, behind the first
//! column each.

use std::collections::BTreeSet;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::{Align, wrapped};

/// Space between columns.
const GAP: usize = 2;
/// How far labels are shortened before columns of numbers are stacked.
const SHORTENED: usize = 20;
/// Narrowest column of broken words, and of shortened labels.
const NARROWEST: usize = 12;

/// A column: its head and its cells.
#[derive(Clone, Debug)]
pub(super) struct Column {
    head: String,
    align: Align,
    cells: Vec<String>,
}

/// The lines of a table, or of a part of it, and how wide it is.
pub(super) struct Part {
    pub(super) head: Vec<String>,
    pub(super) rows: Vec<String>,
    pub(super) width: usize,
}

impl Column {
    pub(super) fn new(head: &str, align: Align, cells: Vec<String>) -> Self {
        Self { head: head.to_owned(), align, cells }
    }

    fn cells_width(&self) -> usize {
        self.cells.iter().map(|cell| cell.width()).max().unwrap_or(0)
    }

    /// The width with its head broken at spaces.
    fn least_width(&self) -> usize {
        let words = self.head.split(' ').map(UnicodeWidthStr::width).max().unwrap_or(0);
        self.cells_width().max(words)
    }

    fn has_words(&self) -> bool {
        self.align == Align::Left && self.cells.iter().any(|cell| cell.contains(' '))
    }

    /// Whether the cells are bars.
    fn has_bars(&self) -> bool {
        self.cells.iter().any(|cell| cell.starts_with('█'))
    }
}

/// The widths that nothing has to be done for.
pub(super) fn natural(columns: &[Column]) -> Vec<usize> {
    columns.iter().map(|column| column.cells_width().max(column.head.width())).collect()
}

/// The width of a table whose columns have these widths.
pub(super) fn total(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1)
}

/// The table in parts of at most `room` columns.
pub(super) fn fitted(columns: &[Column], room: usize) -> Vec<Part> {
    let widths = natural(columns);
    if total(&widths) <= room {
        return vec![lines(columns, &widths)];
    }
    let mut columns = columns.to_vec();
    if columns.last().is_some_and(Column::has_bars) {
        columns.pop();
    }
    let (narrow, widths) = narrowed(columns.clone(), room);
    if total(&widths) <= room || columns.len() < 3 {
        return vec![lines(&narrow, &widths)];
    }
    stacked(&columns, room)
}

/// Columns with broken heads, a last column of words in what the others leave, and shortened
/// labels.
fn narrowed(mut columns: Vec<Column>, room: usize) -> (Vec<Column>, Vec<usize>) {
    let mut widths: Vec<usize> = columns.iter().map(Column::least_width).collect();
    narrow_last(&columns, &mut widths, room);
    shorten_labels(&mut columns, &mut widths, room);
    (columns, widths)
}

/// Gives a last column of words what the others leave.
fn narrow_last(columns: &[Column], widths: &mut [usize], room: usize) {
    let excess = total(widths).saturating_sub(room);
    if let (Some(last), Some(width)) = (columns.last(), widths.last_mut())
        && columns.len() > 1
        && last.has_words()
    {
        *width = width.saturating_sub(excess).max(NARROWEST.min(*width));
    }
}

/// Takes from the widest column of labels until the table fits or none can be shortened.
fn shorten_labels(columns: &mut [Column], widths: &mut [usize], room: usize) {
    let last = columns.len() - 1;
    let is_label = |place: usize| columns[place].align == Align::Left && !(place == last && columns[place].has_words());
    let labels: Vec<usize> = (0..columns.len()).filter(|&place| is_label(place)).collect();
    while total(widths) > room {
        let widest =
            labels.iter().copied().filter(|&place| widths[place] > NARROWEST).max_by_key(|&place| widths[place]);
        let Some(widest) = widest else { break };
        widths[widest] -= 1;
    }
    for place in labels {
        columns[place].cells = shortened(&columns[place].cells, widths[place]);
    }
}

/// Texts of at most `width` columns, which differ wherever they did; where there is room for it,
/// each shows all that it does not share with the others.
fn shortened(texts: &[String], width: usize) -> Vec<String> {
    let before: BTreeSet<&String> = texts.iter().collect();
    let differ = |tried: &Vec<String>| tried.iter().collect::<BTreeSet<_>>().len() == before.len();
    let own = own_parts(texts);
    let is_shown = |tried: &Vec<String>| tried.iter().zip(&own).all(|(text, own)| text.contains(own.as_str()));
    let best = candidates(texts, width).find(|tried| differ(tried) && is_shown(tried));
    let found = best.or_else(|| candidates(texts, width).find(differ));
    found.unwrap_or_else(|| numbered(texts, width, width.saturating_sub(1) / 2))
}

/// The ways to shorten all texts alike, better ones first.
fn candidates(texts: &[String], width: usize) -> impl Iterator<Item = Vec<String>> {
    // Half of the room for the end, then less and more of it.
    let half = width.saturating_sub(1) / 2;
    let ends = (0..=half).flat_map(move |shift| [half - shift, half + shift]).filter(move |end| *end < width);
    ends.map(move |end| texts.iter().map(|text| shorten(text, width, end)).collect()).chain(windows(texts, width))
}

/// What is left of each text without the start and the end that all of them share.
fn own_parts(texts: &[String]) -> Vec<String> {
    let all: Vec<Vec<char>> = texts.iter().map(|text| text.chars().collect()).collect();
    let Some(first) = all.first() else { return Vec::new() };
    let shortest = all.iter().map(Vec::len).min().unwrap_or(0);
    let start = (0..shortest).take_while(|&i| all.iter().all(|text| text[i] == first[i])).count();
    let from_end = |text: &[char], i: usize| text[text.len() - 1 - i];
    let end =
        (0..shortest - start).take_while(|&i| all.iter().all(|text| from_end(text, i) == from_end(first, i))).count();
    all.iter().map(|text| text[start..text.len() - end].iter().collect()).collect()
}

/// Texts with their start and one further part, for long ones that differ between start and end:
/// every start of at least a quarter of the room, and every place of the part, counted from the
/// end.
fn windows(texts: &[String], width: usize) -> impl Iterator<Item = Vec<String>> {
    let longest = texts.iter().map(|text| text.width()).max().unwrap_or(0);
    let starts = (width / 4..=width * 3 / 4).rev().filter(move |start| width >= start + 2 + NARROWEST / 2);
    starts.flat_map(move |start| {
        let part = width - start - 2;
        let places = (part..=longest).step_by(2);
        places.map(move |behind| texts.iter().map(|text| window(text, width, start, (behind, part))).collect())
    })
}

/// The start of a text, and the part of it that begins `behind` columns before its end.
fn window(text: &str, width: usize, start: usize, (behind, part): (usize, usize)) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let skipped = text.width().saturating_sub(behind).max(start);
    let head: String = fill(text.chars(), start).collect();
    let before = fill(text.chars(), skipped).count();
    let middle: String = fill(text.chars().skip(before), part).collect();
    head + "…" + &middle + if behind > part { "…" } else { "" }
}

/// Shortened texts, with a number behind those that would be alike.
fn numbered(texts: &[String], width: usize, end: usize) -> Vec<String> {
    let mut taken: Vec<(String, &String)> = Vec::new();
    for text in texts {
        if taken.iter().any(|(_, whole)| *whole == text) {
            continue;
        }
        let mut short = shorten(text, width, end);
        let mut number = 2;
        while taken.iter().any(|(known, _)| *known == short) {
            let mark = format!("~{number}");
            short = shorten(text, width.saturating_sub(mark.width()), end.min(width / 3)) + &mark;
            number += 1;
        }
        taken.push((short, text));
    }
    let short_of = |text: &String| taken.iter().find(|(_, whole)| *whole == text).map(|(short, _)| short.clone());
    texts.iter().map(|text| short_of(text).unwrap_or_default()).collect()
}

/// A text with its middle left out, of which `end` columns are its end.
fn shorten(text: &str, width: usize, end: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let head: String = fill(text.chars(), width.saturating_sub(end + 1)).collect();
    let mut tail: Vec<char> = fill(text.chars().rev(), end).collect();
    tail.reverse();
    head + "…" + &tail.into_iter().collect::<String>()
}

/// As many characters as fill a number of columns.
fn fill(chars: impl Iterator<Item = char>, columns: usize) -> impl Iterator<Item = char> {
    chars.scan(0, move |used, c| {
        *used += c.width().unwrap_or(0);
        (*used <= columns).then_some(c)
    })
}

/// Parts with the columns of labels and as many of the others as fit beside them; with the first
/// column alone where labels take all the room.
fn stacked(columns: &[Column], room: usize) -> Vec<Part> {
    let labels = columns.iter().take_while(|column| column.align == Align::Left).count();
    let all = labels.clamp(1, columns.len() - 1);
    let widest = columns[all..].iter().map(Column::least_width).max().unwrap_or(0);
    let room_for_all = total(&narrow_widths(&columns[..all])) + GAP + widest <= room;
    let keys = &columns[..if room_for_all { all } else { 1 }];
    let mut parts = Vec::new();
    let mut from = keys.len();
    while from < columns.len() {
        let mut taken = total(&narrow_widths(keys)) + GAP + columns[from].least_width();
        let mut to = from + 1;
        while to < columns.len() && taken + GAP + columns[to].least_width() <= room {
            taken += GAP + columns[to].least_width();
            to += 1;
        }
        let part = keys.iter().chain(&columns[from..to]).cloned().collect();
        let (part, widths) = narrowed(part, room);
        parts.push(lines(&part, &widths));
        from = to;
    }
    parts
}

/// The widths that labels have beside numbers, at least.
fn narrow_widths(labels: &[Column]) -> Vec<usize> {
    labels.iter().map(|column| column.least_width().min(SHORTENED)).collect()
}

fn lines(columns: &[Column], widths: &[usize]) -> Part {
    let heads: Vec<Vec<String>> =
        columns.iter().zip(widths).map(|(column, &width)| wrapped(&column.head, width.max(1))).collect();
    let tallest = heads.iter().map(Vec::len).max().unwrap_or(0);
    // Heads stand on the rule.
    let head = (0..tallest).map(|line| {
        let cell =
            |head: &Vec<String>| (line + head.len()).checked_sub(tallest).map_or("", |line| &head[line]).to_owned();
        padded(columns, widths, &heads.iter().map(cell).collect::<Vec<_>>())
    });
    let rows = columns.first().map_or(0, |column| column.cells.len());
    let rows = (0..rows).flat_map(|row| row_lines(columns, widths, row)).collect();
    Part { head: head.collect(), rows, width: total(widths) }
}

/// The lines of one row: more than one where the last column is broken.
fn row_lines(columns: &[Column], widths: &[usize], row: usize) -> Vec<String> {
    let mut cells: Vec<String> = columns.iter().map(|column| column.cells[row].clone()).collect();
    let (Some(last), Some(&width)) = (cells.last_mut(), widths.last()) else { return Vec::new() };
    let mut broken = if last.width() > width { wrapped(last, width) } else { vec![last.clone()] };
    *last = broken.remove(0);
    let first = padded(columns, widths, &cells);
    let indent = total(widths) - width;
    let rest = broken.into_iter().map(|line| format!("{:indent$}{line}", ""));
    [first].into_iter().chain(rest).collect()
}

fn padded(columns: &[Column], widths: &[usize], cells: &[String]) -> String {
    let padded = cells.iter().zip(widths).zip(columns).map(|((cell, &width), column)| {
        let space = " ".repeat(width.saturating_sub(cell.width()));
        if column.align == Align::Left { format!("{cell}{space}") } else { format!("{space}{cell}") }
    });
    padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
}
