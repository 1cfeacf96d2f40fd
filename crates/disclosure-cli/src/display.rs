//! Tables for people: aligned columns, bars, no more digits than the error allows.

use clap::builder::styling::Style;
pub(crate) use disclosure_jobs::figures::{count, number, percent, short, short_down, short_up, with_error};
use unicode_width::UnicodeWidthStr;

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
}

/// Widest cell that is shown whole.
const WIDEST: usize = 48;

impl Table {
    pub(crate) fn new(columns: impl IntoIterator<Item = (impl Into<String>, Align)>) -> Self {
        let column = |(name, align): (_, Align)| (shorten(&one_line(&Into::<String>::into(name))), align);
        Self { columns: columns.into_iter().map(column).collect(), rows: Vec::new() }
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let last = self.columns.len().saturating_sub(1);
        // The last column has room, and may hold file names to be copied.
        let cell = |(column, cell): (usize, String)| match one_line(&cell) {
            cell if column < last => shorten(&cell),
            cell => cell,
        };
        let row: Vec<String> = cells.into_iter().enumerate().map(cell).collect();
        debug_assert_eq!(row.len(), self.columns.len());
        self.rows.push(row);
    }

    /// The table, indented by two, with a dim rule under its head.
    pub(crate) fn render(&self) -> String {
        let (bold, dim) = (Style::new().bold(), Style::new().dimmed());
        let widths: Vec<usize> = (0..self.columns.len()).map(|c| self.width(c)).collect();
        let head: Vec<String> = self.columns.iter().map(|(name, _)| name.clone()).collect();
        let rule = "─".repeat(widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1));
        let mut text = format!("  {bold}{}{bold:#}\n  {dim}{rule}{dim:#}\n", self.line(&head, &widths));
        for row in &self.rows {
            text.push_str(&format!("  {}\n", self.line(row, &widths)));
        }
        text
    }

    fn width(&self, column: usize) -> usize {
        let cells = self.rows.iter().map(|row| row[column].width());
        cells.chain([self.columns[column].0.width()]).max().unwrap_or(0)
    }

    fn line(&self, cells: &[String], widths: &[usize]) -> String {
        let padded = cells.iter().zip(widths).zip(&self.columns).map(|((cell, &width), (_, align))| {
            let space = " ".repeat(width.saturating_sub(cell.width()));
            if *align == Align::Left { format!("{cell}{space}") } else { format!("{space}{cell}") }
        });
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    }
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

fn shorten(text: &str) -> String {
    if text.width() <= WIDEST {
        return text.to_owned();
    }
    let mut short = String::new();
    for c in text.chars() {
        if short.width() + 2 > WIDEST {
            break;
        }
        short.push(c);
    }
    short + "…"
}

/// A bar of `width` characters at `share` 1, in eighths of a character.
pub(crate) fn bar(share: f64, width: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (share.clamp(0.0, 1.0) * width as f64 * 8.0).round() as usize;
    "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
}

/// A line of a report: a name in a column of `width`, and words that stay on their line.
pub(crate) fn labelled(width: usize, name: &str, words: &str) -> String {
    format!("  {name:<width$}{}\n", one_line(words))
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

    #[test]
    fn bars_are_in_eighths() {
        assert_eq!(
            (bar(0.5, 4), bar(1.0, 2), bar(0.0625, 2), bar(-1.0, 2)),
            ("██".into(), "██".into(), "▏".into(), String::new())
        );
    }
}
