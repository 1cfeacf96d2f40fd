//! `docs/api.md`: what every crate offers, a line an item, written from the sources.
//!
//! What stands above the mark is written by hand and stays; what is below follows from the code,
//! so that a change of a public name shows in the page where names are judged.

pub(crate) mod crates;
mod items;
mod names;
pub(crate) mod text;

use std::path::Path;

use crate::tidy::Breach;
use crate::workspace::{self, Error};

const PAGE: &str = "docs/api.md";
const MARK: &str = "<!-- From here on written by `cargo xtask api`. -->\n";

/// Writes the page anew below its mark; returns whether that changed it.
pub(crate) fn write(root: &Path) -> Result<bool, Error> {
    let before = page(root)?;
    let after = after(&before, root)?;
    if before != after {
        let path = root.join(PAGE);
        std::fs::write(&path, &after).map_err(|source| Error::File { path, source })?;
    }
    Ok(before != after)
}

/// A stale page, and names that break a rule.
pub(crate) fn breaches(root: &Path) -> Result<Vec<Breach>, Error> {
    let mut found = Vec::new();
    let before = page(root)?;
    if after(&before, root)? != before {
        found.push(Breach::new(PAGE, "is not what the sources say: run `cargo xtask api`, and judge what changed"));
    }
    for library in crates::libraries(root)? {
        found.extend(names::breaches(&library));
    }
    Ok(found)
}

fn page(root: &Path) -> Result<String, Error> {
    let path = root.join(PAGE);
    if path.is_file() { workspace::read(&path) } else { Ok(String::new()) }
}

fn after(before: &str, root: &Path) -> Result<String, Error> {
    let by_hand = before.split_once(MARK).map_or("# What each crate offers\n\n", |(head, _)| head);
    let mut page = format!("{by_hand}{MARK}");
    for library in crates::libraries(root)? {
        page.push_str(&format!("\n## {}\n\n", library.name));
        items::list(&library, &mut page);
    }
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn workspace(source: &str) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("crates/lcf/src")).unwrap();
        fs::create_dir(root.path().join("docs")).unwrap();
        fs::write(root.path().join("crates/lcf/src/lib.rs"), source).unwrap();
        root
    }

    #[test]
    fn items_are_listed_where_they_are_named_with_what_their_types_can_do() {
        let root = workspace("mod a;\npub mod b;\npub use a::{B, c};\npub use other::D;\nmod tests { pub struct B; }");
        let write = |path: &str, text: &str| fs::write(root.path().join("crates/lcf/src").join(path), text).unwrap();
        fs::create_dir(root.path().join("crates/lcf/src/a")).unwrap();
        write("a.rs", "mod inner;\npub use inner::B;\n/// Sees.\npub fn c() {}\npub fn unseen() {}");
        write("a/inner.rs", "/// A B.\npub struct B;\nimpl B {\n/// New.\npub fn new() -> Self { B }\nfn own() {}\n}");
        write("b.rs", "//! All of b.\n\nparameter!(\n/// An E. More.\nE, 1);");
        let page = after("", root.path()).unwrap();
        let listed = page.split_once("## lcf\n\n").unwrap().1;
        let wanted = "- `struct B`: A B.\n  - `fn new() -> Self`: New.\n- `fn c()`: Sees.\n- `D`: from `other::D`\n\
                      - `mod b`: All of b.\n- `struct b::E`: An E.\n";
        assert_eq!(listed, wanted);
    }

    #[test]
    fn the_page_keeps_its_head_and_follows_the_sources() {
        let root =
            workspace("/// Adds. And more.\npub fn add(a: u64, b: &[u64]) -> u64 { a }\npub(crate) fn hidden() {}");
        fs::write(root.path().join(PAGE), format!("# Scenario\n{MARK}old")).unwrap();
        assert_eq!(breaches(root.path()).unwrap().len(), 1);
        assert!(write(root.path()).unwrap() && !write(root.path()).unwrap());
        let page = fs::read_to_string(root.path().join(PAGE)).unwrap();
        let wanted = "\n## lcf\n\n- `fn add(a: u64, b: &[u64]) -> u64`: Adds.\n";
        assert_eq!(page, format!("# Scenario\n{MARK}{wanted}"));
        assert_eq!(breaches(root.path()).unwrap(), []);
        fs::write(root.path().join("crates/lcf/src/lib.rs"), "").unwrap();
        assert_eq!(breaches(root.path()).unwrap().len(), 1);
    }
}
