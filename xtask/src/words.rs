//! Words that must not stay: unfinished code, paths of somebody's machine, turns of phrase that
//! no native speaker would write, and lines that are too long to read.

use std::path::Path;

use crate::tidy::Breach;
use crate::workspace::{self, Error, shown};
use crate::wrap::WIDEST;

/// In pieces, so that this file does not contain them.
const UNFINISHED: &[&str] = &[concat!("todo", "!"), concat!("unimplemented", "!"), concat!("dbg", "!")];
const MACHINES: &[&str] = &["work", "home", "root", "Users"];

/// Turns of phrase that were once all over the sources, and what to write. In pieces, as above.
const PHRASES: &[(&str, &str)] = &[
    (concat!("is ", "none"), "say what it is not, with its noun: \"is not a valid date\""),
    (concat!("has not ", "the"), "\"without the\", or \"does not have the\""),
    (concat!("so ", "many"), "say how many, or \"this number of\""),
    (concat!("who", "ever"), "\"anyone who\""),
    (concat!("to", "ld"), "\"disclosed\", \"published\", \"printed\" or \"reported\""),
    (concat!("there is ", "not"), "\"there is no\", or \"does not exist\""),
];

/// A record of a run: its table names quantities as the scenarios did on that day.
const RECORD: &str = "docs/validation.md";

/// What begins the part of a page that is written from the sources, where the sources are judged.
const MARK: &str = "<!-- From here on written by";

pub(crate) fn breaches(root: &Path) -> Result<Vec<Breach>, Error> {
    let mut found = Vec::new();
    for file in workspace::files(root)? {
        let extension = file.extension().unwrap_or_default();
        let is_code = extension == "rs";
        if is_code || extension == "md" || extension == "toml" || file.ends_with(".ci/run") {
            let (place, text) = (shown(&file, root), workspace::read(&file)?);
            let mut problems = of_text(&text, is_code);
            if is_code {
                problems.extend(phrases(&text));
                problems.extend(long_comments(&text));
            } else if extension == "md" {
                problems.extend(long_lines(&text));
                if place != RECORD {
                    problems.extend(phrases(by_hand(&text)));
                }
            } else if extension == "toml" {
                problems.extend(phrases(&text));
            }
            let at_line = |(line, problem)| Breach::new(format!("{place}:{line}"), problem);
            found.extend(problems.into_iter().map(at_line));
        }
    }
    Ok(found)
}

fn of_text(text: &str, is_code: bool) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if let Some(word) = UNFINISHED.iter().find(|word| is_code && holds(line, word)) {
            found.push((number, format!("{word} is for unfinished work: finish it, or open an issue")));
        }
        if let Some(top) = MACHINES.iter().find(|top| holds(line, &format!("/{top}/"))) {
            found.push((number, format!("/{top}/... is a path of one machine: write a relative one")));
        }
    }
    found
}

/// The part of a page that people write.
fn by_hand(page: &str) -> &str {
    page.split_once(MARK).map_or(page, |(head, _)| head)
}

/// Turns of phrase that give the old language away, as whole words in any case.
fn phrases(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let lower = line.to_lowercase();
        for (phrase, instead) in PHRASES.iter().filter(|(phrase, _)| holds_words(&lower, phrase)) {
            found.push((number, format!("\"{phrase}\": write {instead}")));
        }
    }
    found
}

/// Whether a phrase stands in a line as whole words. A name of code counts: it is read as well.
fn holds_words(line: &str, phrase: &str) -> bool {
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    line.match_indices(phrase).any(|(at, _)| {
        !is_letter(line[..at].chars().next_back()) && !is_letter(line[at + phrase.len()..].chars().next())
    })
}

/// Lines of Markdown that are too long. Tables, code, indented formulas and what has no space to
/// break at stay as they are.
fn long_lines(text: &str) -> Vec<(usize, String)> {
    let mut is_code = false;
    // A page of derivations begins with a comment: modules with their digests.
    let listed = if text.starts_with("<!--") { text.lines().take_while(|line| *line != "-->").count() } else { 0 };
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.lines()).skip(listed) {
        let start = line.trim_start();
        if start.starts_with("```") {
            is_code = !is_code;
        } else if !is_code && !start.starts_with('|') && !line.starts_with("    ") && is_too_long(line, start) {
            found.push((number, format!("a line of Markdown ends before column {WIDEST}")));
        }
    }
    found
}

/// Doc comments that are too long, with the same exceptions.
fn long_comments(text: &str) -> Vec<(usize, String)> {
    let mut is_code = false;
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let start = line.trim_start();
        let Some(words) = start.strip_prefix("///").or_else(|| start.strip_prefix("//!")) else {
            is_code = false;
            continue;
        };
        let words = words.trim_start();
        if words.starts_with("```") {
            is_code = !is_code;
        } else if !is_code && !words.starts_with('|') && is_too_long(line, words) {
            found.push((number, format!("a doc comment ends before column {WIDEST}")));
        }
    }
    found
}

fn is_too_long(line: &str, words: &str) -> bool {
    line.chars().count() > WIDEST && words.trim().contains(' ')
}

/// Whether a word stands in a line and begins there, not in the middle of a longer word or path.
fn holds(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || "_-./~*".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn lines(text: &str, is_code: bool) -> Vec<usize> {
        of_text(text, is_code).into_iter().map(|(line, _)| line).collect()
    }

    #[test]
    fn unfinished_code_is_a_breach() {
        for word in UNFINISHED {
            assert_eq!(lines(&format!("fn f() {{\n    {word}(\"x\")\n}}"), true), [2]);
            assert_eq!(lines(&format!("`{word}` in prose"), false), [0; 0]);
        }
        assert_eq!(lines("my_dbg!(x); not_a_todo!()", true), [0; 0]);
    }

    #[test]
    fn paths_of_a_machine_are_breaches_everywhere() {
        for top in MACHINES {
            assert_eq!(lines(&format!("\n\nread \"/{top}/me/x\""), true), [3]);
            assert_eq!(lines(&format!("see (/{top}/me/x)"), false), [1]);
            assert_eq!(lines(&format!("https://example.org/{top}/x and docs/{top}/x and ../{top}/y"), false), [0; 0]);
        }
    }

    #[test]
    fn turns_of_phrase_are_breaches_as_whole_words() {
        for (phrase, _) in PHRASES {
            for line in [format!("x {phrase} y"), format!("{}.", phrase.to_uppercase()), format!("f({phrase}, 1)")] {
                assert_eq!(phrases(&format!("\n{line}")).len(), 1, "{line}");
            }
            assert_eq!(phrases(&format!("a{phrase} {phrase}b")), []);
        }
    }

    #[test]
    fn long_lines_are_breaches_outside_of_tables_and_code() {
        let long = "word ".repeat(30);
        let numbers = |found: Vec<(usize, String)>| found.into_iter().map(|(line, _)| line).collect::<Vec<_>>();
        let page = format!("{long}\n| {long} |\n```\n{long}\n```\n{long}\n{}", "x".repeat(150));
        assert_eq!(numbers(long_lines(&page)), [1, 6]);
        let code =
            format!("/// {long}\nlet x = 1; // {long}\n//! | {long}\n/// ```\n/// {long}\n/// ```\n    /// {long}");
        assert_eq!(numbers(long_comments(&code)), [1, 7]);
    }

    #[test]
    fn files_of_the_tree_are_read_and_those_of_a_build_are_not() {
        let root = tempfile::tempdir().unwrap();
        for directory in ["src", "target"] {
            fs::create_dir(root.path().join(directory)).unwrap();
            fs::write(root.path().join(directory).join("a.rs"), format!("\n{}()", UNFINISHED[0])).unwrap();
        }
        let found = breaches(root.path()).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].place, "src/a.rs:2");
    }
}
