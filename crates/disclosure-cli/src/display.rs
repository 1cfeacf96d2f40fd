//! Tables for people: aligned columns, bars, no more digits than the error allows.

use std::io::IsTerminal;
use std::sync::OnceLock;

use clap::builder::styling::Style;
pub(crate) use disclosure_jobs::figures::{count, number, percent, short, short_down, short_up, with_error};
use terminal_size::{Width, terminal_size};
use unicode_width::UnicodeWidthStr;

mod layout;
pub(crate) mod refusal;

/// Where a column's text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// A table in the making.
pub(crate) struct Table {
    columns: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
    /// Whether the last column holds notes, which may be listed below the table.
    has_notes: bool,
}

impl Table {
    pub(crate) fn new(columns: impl IntoIterator<Item = (impl Into<String>, Align)>) -> Self {
        let column = |(name, align): (_, Align)| (one_line(&Into::<String>::into(name)), align);
        Self { columns: columns.into_iter().map(column).collect(), rows: Vec::new(), has_notes: false }
    }

    /// The last column holds notes: where lines would be too long, each note is listed once below
    /// the table, with the number of its rows.
    pub(crate) fn with_notes(self) -> Self {
        Self { has_notes: true, ..self }
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let row: Vec<String> = cells.into_iter().map(|cell| one_line(&cell)).collect();
        debug_assert_eq!(row.len(), self.columns.len());
        self.rows.push(row);
    }

    /// The table within the width of the terminal, indented by two, with a dim rule under its head.
    pub(crate) fn render(&self) -> String {
        self.render_within(terminal_width())
    }

    fn render_within(&self, width: usize) -> String {
        let room = width.saturating_sub(INDENT);
        let columns = self.texts();
        if layout::total(&layout::natural(&columns)) > room && self.has_notes {
            let (table, notes) = self.without_notes();
            return table.render_within(width) + &notes_below(&notes, width);
        }
        layout::fitted(&columns, room).iter().map(part_lines).collect::<Vec<_>>().join("\n")
    }

    fn texts(&self) -> Vec<layout::Column> {
        let cells = |column: usize| self.rows.iter().map(|row| row[column].clone()).collect();
        let columns = self.columns.iter().enumerate();
        columns.map(|(place, (head, align))| layout::Column::new(head, *align, cells(place))).collect()
    }

    /// The table with a number in place of each note, and the notes with the numbers of their rows.
    fn without_notes(&self) -> (Self, Vec<(String, usize)>) {
        let mut notes: Vec<(String, usize)> = Vec::new();
        let mut table = Self { columns: self.columns.clone(), rows: self.rows.clone(), has_notes: false };
        for note in table.rows.iter_mut().filter_map(|row| row.last_mut()).filter(|note| !note.is_empty()) {
            let known = notes.iter().position(|(known, _)| known == note);
            let place = known.unwrap_or_else(|| {
                notes.push((note.clone(), 0));
                notes.len() - 1
            });
            notes[place].1 += 1;
            *note = format!("[{}]", place + 1);
        }
        if let Some((head, _)) = table.columns.last_mut() {
            *head = "note".to_owned();
        }
        (table, notes)
    }
}

fn notes_below(notes: &[(String, usize)], width: usize) -> String {
    let lines = notes.iter().enumerate().map(|(place, (note, rows))| {
        let times = if *rows == 1 { String::new() } else { format!("{rows} rows: ") };
        hanging(&format!("  [{}] ", place + 1), &format!("{times}{note}"), width)
    });
    format!("\n{}", lines.collect::<String>())
}

/// The lines of one part of a table.
fn part_lines(part: &layout::Part) -> String {
    let (bold, dim) = (Style::new().bold(), Style::new().dimmed());
    let head = part.head.iter().map(|line| format!("  {bold}{line}{bold:#}\n")).collect::<String>();
    let rule = format!("  {dim}{}{dim:#}\n", "─".repeat(part.width));
    head + &rule + &part.rows.iter().map(|line| format!("  {line}\n")).collect::<String>()
}

/// How far lines stand in.
const INDENT: usize = 2;

/// Columns of the terminal: what `COLUMNS` says, else what the terminal says, else 80.
pub(crate) fn terminal_width() -> usize {
    static WIDTH: OnceLock<usize> = OnceLock::new();
    *WIDTH.get_or_init(|| {
        let said = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
        let seen = || {
            let (Width(columns), _) = std::io::stdout().is_terminal().then(terminal_size)??;
            Some(usize::from(columns))
        };
        said.or_else(seen).unwrap_or(80).clamp(40, 400)
    })
}

/// A text whose lines are no wider than the terminal: what is too wide is broken at spaces, and
/// goes on below its own start.
pub(crate) fn fit(text: &str) -> String {
    let width = terminal_width();
    text.split_inclusive('\n').map(|line| fit_line(line, width)).collect()
}

fn fit_line(line: &str, width: usize) -> String {
    let (words, end) = line.strip_suffix('\n').map_or((line, ""), |words| (words, "\n"));
    if visible(words) <= width {
        return line.to_owned();
    }
    let indent = words.len() - words.trim_start_matches(' ').len();
    let text = hanging(&" ".repeat(indent), words.trim_start_matches(' '), width);
    text.trim_end_matches('\n').to_owned() + end
}

/// Columns that a text with escape sequences takes.
fn visible(text: &str) -> usize {
    anstream::adapter::strip_str(text).to_string().width()
}

/// Words behind a start, in lines of at most `width` columns that stand below their own first word.
pub(crate) fn hanging(start: &str, words: &str, width: usize) -> String {
    let indent = start.width();
    let lines = wrapped(words, width.saturating_sub(indent).max(20));
    let first = lines.first().map_or("", String::as_str);
    let rest = lines.iter().skip(1).map(|line| format!("{:indent$}{line}\n", ""));
    format!("{}\n", format!("{start}{first}").trim_end()) + &rest.collect::<String>()
}

/// Lines of at most `width` columns, broken at spaces; a longer word stands alone.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if visible(line) + 1 + visible(word) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Control characters, and those that hide or reorder their neighbours, as `?`: a label must not
/// steer the terminal nor mislead its reader. Line feeds stay.
pub(crate) fn printable(text: &str) -> String {
    let misleads = |c: char| {
        let format =
            matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
        format || (c.is_control() && c != '\n')
    };
    text.chars().map(|c| if misleads(c) { '?' } else { c }).collect()
}

/// A text that stays on its line.
pub(crate) fn one_line(text: &str) -> String {
    printable(text).replace('\n', "?")
}

/// A bar of `width` characters at `share` 1, in eighths of a character.
pub(crate) fn bar(share: f64, width: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (share.clamp(0.0, 1.0) * width as f64 * 8.0).round() as usize;
    "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
}

/// A part of a report: a name in a column of `width`, and words beside it.
pub(crate) fn labelled(width: usize, name: &str, words: &str) -> String {
    hanging(&format!("  {name:<width$}"), &one_line(words), terminal_width())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_labels_cannot_steer_the_terminal() {
        let mut table = Table::new([("a", Align::Left), ("n", Align::Right)]);
        table.row(["\u{1b}[31mx".into(), "1".into()]);
        table.row(["é".into(), "100".into()]);
        let text = anstream::adapter::strip_str(&table.render()).to_string();
        assert_eq!(text, "  a         n\n  ───────────\n  ?[31mx    1\n  é       100\n");
    }

    /// The widest line of a text without its escape sequences.
    fn widest(text: &str) -> usize {
        text.lines().map(visible).max().unwrap_or(0)
    }

    #[test]
    fn a_table_fits_and_its_rows_stay_distinct() {
        let mut table = Table::new([("attribute and label", Align::Left), ("n", Align::Right), ("what", Align::Left)]);
        let long = |end: &str| format!("occupation of the main earner of the household: clerk, grade {end}, full time");
        for end in ["I", "II", "III"] {
            table.row([long(end), "12".into(), "withheld because the total less its other parts would give it".into()]);
        }
        for width in [60, 80, 100] {
            let text = table.render_within(width);
            assert!(widest(&text) <= width, "{width}: {text}");
            let text = anstream::adapter::strip_str(&text).to_string();
            let labels: std::collections::BTreeSet<&str> =
                text.lines().filter_map(|line| line.split_once("  12").map(|(label, _)| label)).collect();
            assert_eq!(labels.len(), 3, "{text}");
            assert!(text.contains('…') || width >= 100, "{text}");
        }
        assert!(table.render_within(400).contains("would give it"));
    }

    #[test]
    fn labels_that_differ_in_their_middle_show_it() {
        let mut table = Table::new([("class", Align::Left), ("n", Align::Right)]);
        for grade in ["one", "two", "six"] {
            let label = format!("occupation of the main earner: clerk, grade {grade}, employed full time all year");
            table.row([label, "1".into()]);
        }
        let text = table.render_within(44);
        assert!(widest(&text) <= 44 && ["one", "two", "six"].iter().all(|grade| text.contains(grade)), "{text}");
        assert!(!text.contains('~'), "{text}");
    }

    #[test]
    fn many_columns_of_numbers_are_stacked() {
        let heads = (0..12).map(|column| (format!("measure {column}"), Align::Right));
        let mut table = Table::new([("class".to_owned(), Align::Left)].into_iter().chain(heads));
        table.row(["a".to_owned()].into_iter().chain((0..12).map(|column| format!("123456.{column}"))));
        let text = table.render_within(60);
        assert!(widest(&text) <= 60, "{text}");
        assert!((0..12).all(|column| text.contains(&format!("123456.{column}"))), "{text}");
    }

    #[test]
    fn a_repeated_note_is_one_line_with_a_count() {
        let mut table = Table::new([("class", Align::Left), ("why", Align::Left)]).with_notes();
        let note = "the rate stays within 5 % and 95 % in every table consistent with the release";
        (0..139).for_each(|class| table.row([format!("class {class}"), note.to_owned()]));
        table.row(["other".to_owned(), "another note that is too long for the line of a terminal".to_owned()]);
        let text = table.render_within(80);
        assert_eq!(text.matches("in every table").count() + text.matches("139 rows").count(), 2, "{text}");
        assert!(widest(&text) <= 80 && text.contains("[2]"), "{text}");
        assert!(table.render_within(200).contains(note));
    }

    #[test]
    fn long_lines_are_broken_below_their_start() {
        let line = format!("  name      {}\n", "word ".repeat(40));
        let text = fit_line(&line, 80);
        assert!(widest(&text) <= 80 && text.lines().skip(1).all(|line| line.starts_with("  word")), "{text}");
        assert_eq!(hanging("  a  ", "b c", 80), "  a  b c\n");
    }

    #[test]
    fn bars_are_in_eighths() {
        assert_eq!(
            (bar(0.5, 4), bar(1.0, 2), bar(0.0625, 2), bar(-1.0, 2)),
            ("██".into(), "██".into(), "▏".into(), String::new())
        );
    }
}
