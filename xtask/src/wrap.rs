//! Markdown that is written from the sources, in lines that people can read.

/// Most columns of a line of Markdown.
pub(crate) const WIDEST: usize = 100;

/// A paragraph in lines of at most [`WIDEST`] columns.
///
/// Code between backticks stays on one line when it fits there. No line begins with what would
/// make a list, a quotation or a heading of it.
pub(crate) fn paragraph(text: &str) -> String {
    wrapped(text, "", "")
}

/// The same as an item of a list; 0 is the outermost list.
pub(crate) fn list_item(depth: usize, text: &str) -> String {
    let indent = "  ".repeat(depth);
    wrapped(text, &format!("{indent}- "), &format!("{indent}  "))
}

/// `first` stands before the first line, `indent` before the others.
fn wrapped(text: &str, first: &str, indent: &str) -> String {
    let mut lines = vec![first.to_owned()];
    let mut is_empty = true;
    for piece in pieces(text, WIDEST - indent.len()) {
        let last = lines.last_mut().expect("there is a line");
        if is_empty {
            last.push_str(&piece);
        } else if last.chars().count() + 1 + piece.chars().count() > WIDEST {
            lines.push(format!("{indent}{piece}"));
        } else {
            last.push(' ');
            last.push_str(&piece);
        }
        is_empty = false;
    }
    lines.join("\n") + "\n"
}

/// Words, and spans of code that fit on a line, with the punctuation that is attached to them.
fn pieces(text: &str, width: usize) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut is_code = false;
    for word in text.split_whitespace() {
        match found.last_mut() {
            Some(last)
                if is_code && last.chars().count() + 1 + word.chars().count() <= width || begins_a_block(word) =>
            {
                last.push(' ');
                last.push_str(word);
            }
            _ => found.push(word.to_owned()),
        }
        is_code ^= word.matches('`').count() % 2 == 1;
    }
    found
}

/// Whether a line that begins with this word is more to Markdown than the rest of a paragraph.
fn begins_a_block(word: &str) -> bool {
    let is_numbered = word.strip_suffix(['.', ')']).is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()));
    matches!(word, "-" | "+" | "*" | "=") || word.starts_with(['>', '#', '|']) || is_numbered
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_in_time_and_lose_no_word() {
        let text = format!("`fn f(x: u64) -> u64`: {}", "a word ".repeat(60));
        let lines = list_item(1, &text);
        assert!(lines.lines().count() == 5 && lines.lines().all(|line| line.chars().count() <= WIDEST), "{lines}");
        assert!(lines.starts_with("  - `fn f(x: u64) -> u64`: a word"));
        assert!(lines.lines().skip(1).all(|line| line.starts_with("    a") || line.starts_with("    word")));
        assert_eq!(lines.split_whitespace().skip(1).collect::<Vec<_>>(), text.split_whitespace().collect::<Vec<_>>());
    }

    #[test]
    fn code_is_cut_only_when_it_is_longer_than_a_line() {
        let span = format!("`{}z`", "x, ".repeat(10));
        let text = format!("{} {span}", "word ".repeat(17));
        assert_eq!(paragraph(&text).lines().nth(1).unwrap(), span);
        let longer = format!("`{}z`", "x + ".repeat(40));
        let lines = list_item(0, &longer);
        assert!(lines.lines().count() > 1 && lines.lines().all(|line| !line.trim_start().starts_with('+')), "{lines}");
    }
}
