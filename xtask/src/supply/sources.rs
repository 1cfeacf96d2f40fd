//! Lines of Rust in a folder, and those of them with `unsafe`.

use std::path::Path;

/// Lines of the files of a folder, and how many have the word `unsafe` outside a comment. A rough
/// measure: macros and tests count, what is generated does not.
pub(super) fn count(folder: &Path) -> (usize, usize) {
    let Ok(entries) = std::fs::read_dir(folder) else { return (0, 0) };
    let mut total = (0, 0);
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        let (lines, unsafe_lines) = if path.is_dir() {
            count(&path)
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            of_text(&std::fs::read_to_string(&path).unwrap_or_default())
        } else {
            (0, 0)
        };
        total = (total.0 + lines, total.1 + unsafe_lines);
    }
    total
}

fn of_text(text: &str) -> (usize, usize) {
    (text.lines().count(), text.lines().filter(|line| is_unsafe(line)).count())
}

fn is_unsafe(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    code.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "unsafe")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_names_are_not_unsafe() {
        let text =
            "// unsafe\n#![forbid(unsafe_code)]\nunsafe fn f() {}\nlet x = unsafe { g() };\n\n/// unsafe\nsafe();\n";
        assert_eq!(of_text(text), (7, 2));
    }
}
