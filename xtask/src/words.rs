//! Words that must not stay: unfinished code, and paths of somebody's machine.

use std::path::Path;

use crate::tidy::Breach;
use crate::workspace::{self, Error, shown};

/// In pieces, so that this file does not contain them.
const UNFINISHED: &[&str] = &[concat!("todo", "!"), concat!("unimplemented", "!"), concat!("dbg", "!")];
const MACHINES: &[&str] = &["work", "home", "root", "Users"];

pub(crate) fn breaches(root: &Path) -> Result<Vec<Breach>, Error> {
    let mut found = Vec::new();
    for file in workspace::files(root)? {
        let extension = file.extension().unwrap_or_default();
        let is_code = extension == "rs";
        if is_code || extension == "md" || extension == "toml" || file.ends_with(".ci/run") {
            let place = shown(&file, root);
            found.extend(
                of_text(&workspace::read(&file)?, is_code)
                    .into_iter()
                    .map(|(line, problem)| Breach::new(format!("{place}:{line}"), problem)),
            );
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
