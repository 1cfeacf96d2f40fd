//! Links between the documents of the repository lead somewhere, to their headings as well; so do
//! names of pages in code.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use crate::tidy::Breach;
use crate::workspace::{self, Error, shown};

pub(crate) fn breaches(root: &Path) -> Result<Vec<Breach>, Error> {
    let mut found = Vec::new();
    for file in workspace::files(root)? {
        let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        if ["md", "rs", "toml"].contains(&extension) {
            let text = workspace::read(&file)?;
            let mut problems = unknown_pages(&text, root);
            if extension == "md" {
                problems.extend(of_document(&text, &file, root)?);
            }
            found.extend(problems.into_iter().map(|problem| Breach::new(shown(&file, root), problem)));
        }
    }
    Ok(found)
}

fn of_document(text: &str, document: &Path, root: &Path) -> Result<Vec<String>, Error> {
    let mut found = Vec::new();
    for target in targets(text) {
        if let Some(problem) = problem(&target, document, root)? {
            found.push(format!("the link to {target} leads {problem}"));
        }
    }
    Ok(found)
}

/// What is wrong with a target that should be a file, a directory or a heading of the repository.
/// The web is not our business, nor is an item of a crate (in a README that is also the
/// documentation of the crate).
fn problem(target: &str, document: &Path, root: &Path) -> Result<Option<&'static str>, Error> {
    if target.contains("://") || target.starts_with("mailto:") || target.contains("::") {
        return Ok(None);
    }
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let directory = document.parent().unwrap_or(root);
    let resolved = if path.is_empty() { Some(document.to_path_buf()) } else { resolve(&directory.join(path)) };
    let is_ours = |file: &PathBuf| !Path::new(path).is_absolute() && file.starts_with(root) && file.exists();
    let Some(file) = resolved.filter(is_ours) else { return Ok(Some("nowhere")) };
    if anchor.is_empty() || file.extension().is_none_or(|extension| extension != "md") {
        return Ok(None);
    }
    Ok((!anchors(&workspace::read(&file)?).contains(anchor)).then_some("to no heading"))
}

/// The anchors of a page: its headings as GitHub names them.
fn anchors(markdown: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for line in prose(markdown) {
        let title = line.trim_start_matches('#');
        if title.len() < line.len() && title.starts_with(' ') {
            let anchor = anchor(title.trim());
            // A heading that repeats gets a number.
            let numbered = (1..).map(|n| format!("{anchor}-{n}")).find(|again| !found.contains(again));
            found.insert(if found.contains(&anchor) { numbered.expect("there is always one more") } else { anchor });
        }
    }
    found
}

fn anchor(title: &str) -> String {
    let kept = title.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Pages of `docs/` that are named in the text, of whatever kind, and are not there.
fn unknown_pages(text: &str, root: &Path) -> Vec<String> {
    let is_path = |c: char| c.is_ascii_alphanumeric() || "/._-:".contains(c);
    let words = text.split(|c| !is_path(c)).filter(|word| word.starts_with("docs/") && word.ends_with(".md"));
    let unknown = words.filter(|word| !root.join(word).is_file());
    unknown.map(|word| format!("names {word}, which is not there")).collect()
}

/// The path without `.` and `..`, as a web server reads it: links are not followed.
fn resolve(path: &Path) -> Option<PathBuf> {
    let mut resolved = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir if !resolved.pop() => return None,
            Component::ParentDir | Component::CurDir => {}
            other => resolved.push(other),
        }
    }
    Some(resolved)
}

/// The targets of `[text](target)` and `[name]: target`, outside of code.
fn targets(markdown: &str) -> Vec<String> {
    // Every other part of a line cut at its backticks is code.
    let without_code = |line: &str| line.split('`').step_by(2).collect::<Vec<_>>().join("`");
    prose(markdown).into_iter().flat_map(|line| targets_of_line(&without_code(line))).collect()
}

/// The lines outside of blocks of code.
fn prose(markdown: &str) -> Vec<&str> {
    let mut fence: Option<&str> = None;
    let is_prose = |line: &&str| {
        let start = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| start.starts_with(mark));
        let is_fence = mark.is_some() && (fence.is_none() || fence == mark);
        if is_fence {
            fence = if fence.is_none() { mark } else { None };
        }
        !is_fence && fence.is_none()
    };
    markdown.lines().filter(is_prose).collect()
}

fn targets_of_line(line: &str) -> Vec<String> {
    let inline = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let definition = line.trim_start().strip_prefix('[').and_then(|rest| rest.split_once("]:")).map(|(_, rest)| rest);
    let titled = inline.chain(definition);
    titled
        .filter_map(|target| target.split_whitespace().next())
        .map(|t| t.trim_matches(['<', '>']).to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// In pieces, so that this file does not name it.
    const PAGE: &str = concat!("docs", "/math/a.md");

    #[test]
    fn targets_are_found_outside_of_code_only() {
        let markdown = "See [a](a.md) and [b](b.md#part \"title\"), ![c](<c.svg>) but not `[d](d.md)`.\n\
                        ```text\n[e](e.md)\n```\n[f]: f.md\n[`g`](g.md)\n~~~\n```\n[h](h.md)\n~~~\n[i](i.md)";
        assert_eq!(targets(markdown), ["a.md", "b.md#part", "c.svg", "f.md", "g.md", "i.md"]);
    }

    /// The breaches of a tree with two pages, after one of them was written anew.
    fn after(page: &str) -> Vec<Breach> {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("docs/math")).unwrap();
        fs::write(
            root.path().join("README.md"),
            "# A crate: `x_y` & more\n[math](docs/math/) [web](https://a.org/x.md)",
        )
        .unwrap();
        fs::write(root.path().join(PAGE), page).unwrap();
        breaches(root.path()).unwrap()
    }

    #[test]
    fn links_that_lead_nowhere_are_breaches() {
        assert_eq!(after("[up](../../README.md) [item](crate::round::up)"), []);
        for bad in ["b.md", "../README.md", "../../../README.md", "/README.md", "../../../../../../../../../x"] {
            let found = after(&format!("[x]({bad})"));
            assert_eq!(found.len(), 1, "{bad}");
            assert_eq!(found[0].place, PAGE);
        }
    }

    #[test]
    fn links_to_headings_that_are_not_there_are_breaches() {
        let page = "## Low, *very* low\n## Twice\n## Twice\n```text\n# no heading\n```\n#no heading\n";
        for good in ["#low-very-low", "#twice", "#twice-1", "../../README.md#a-crate-x_y--more"] {
            assert_eq!(after(&format!("{page}[x]({good})")), [], "{good}");
        }
        for bad in ["#low", "#twice-2", "#no-heading", "../../README.md#x", "#Twice"] {
            let found = after(&format!("{page}[x]({bad})"));
            assert_eq!(found.len(), 1, "{bad}");
            assert!(found[0].problem.ends_with("to no heading"), "{}", found[0]);
        }
    }

    #[test]
    fn pages_that_are_named_and_not_there_are_breaches() {
        assert_eq!(after(&format!("See `{PAGE}`, section 2, and other:docs/b.md.")), []);
        let found = after(concat!("See `docs", "/math/b.md`."));
        assert_eq!(found.len(), 1);
        assert!(found[0].problem.contains("/math/b.md"), "{}", found[0]);
    }
}
