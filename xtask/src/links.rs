//! Links between the documents of the repository lead somewhere.

use std::path::{Component, Path, PathBuf};

use crate::tidy::Breach;
use crate::workspace::{self, Error, shown};

pub(crate) fn breaches(root: &Path) -> Result<Vec<Breach>, Error> {
    let mut found = Vec::new();
    for document in workspace::files(root)?.iter().filter(|file| file.extension().is_some_and(|e| e == "md")) {
        for target in targets(&workspace::read(document)?) {
            if !leads_somewhere(&target, document, root) {
                found.push(Breach::new(shown(document, root), format!("the link to {target} leads nowhere")));
            }
        }
    }
    Ok(found)
}

/// Whether a target is a file or directory of the repository, or none of our business: the web, an anchor on the same
/// page, an item of a crate (in a README that is also the documentation of the crate).
fn leads_somewhere(target: &str, document: &Path, root: &Path) -> bool {
    let path = target.split('#').next().unwrap_or_default();
    if path.is_empty() || path.contains("://") || path.starts_with("mailto:") || path.contains("::") {
        return true;
    }
    let directory = document.parent().unwrap_or(root);
    let Some(resolved) = resolve(&directory.join(path)) else { return false };
    !Path::new(path).is_absolute() && resolved.starts_with(root) && resolved.exists()
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
    let mut found = Vec::new();
    let mut fence: Option<&str> = None;
    for line in markdown.lines() {
        let start = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| start.starts_with(mark));
        if mark.is_some() && (fence.is_none() || fence == mark) {
            fence = if fence.is_none() { mark } else { None };
        } else if fence.is_none() {
            // Every other part of a line cut at its backticks is code.
            let text: Vec<&str> = line.split('`').step_by(2).collect();
            found.extend(targets_of_line(&text.join("`")));
        }
    }
    found
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

    #[test]
    fn targets_are_found_outside_of_code_only() {
        let markdown = "See [a](a.md) and [b](b.md#part \"title\"), ![c](<c.svg>) but not `[d](d.md)`.\n\
                        ```text\n[e](e.md)\n```\n[f]: f.md\n[`g`](g.md)\n~~~\n```\n[h](h.md)\n~~~\n[i](i.md)";
        assert_eq!(targets(markdown), ["a.md", "b.md#part", "c.svg", "f.md", "g.md", "i.md"]);
    }

    #[test]
    fn links_that_lead_nowhere_are_breaches() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("docs/math")).unwrap();
        fs::write(root.path().join("README.md"), "[math](docs/math/) [web](https://example.org/x.md) [here](#here)")
            .unwrap();
        fs::write(root.path().join("docs/math/a.md"), "[up](../../README.md#x) [item](crate::round::up)").unwrap();
        assert_eq!(breaches(root.path()).unwrap(), []);
        for bad in ["b.md", "../README.md", "../../../README.md", "/README.md", "../../../../../../../../../x"] {
            fs::write(root.path().join("docs/math/a.md"), format!("[x]({bad})")).unwrap();
            let found = breaches(root.path()).unwrap();
            assert_eq!(found.len(), 1, "{bad}");
            assert_eq!(found[0].place, "docs/math/a.md");
        }
    }
}
