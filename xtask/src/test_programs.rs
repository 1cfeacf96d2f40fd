//! A crate has one program of tests, `tests/all.rs` (docs/decisions/0025). Cargo does not look for
//! others then: a file that it does not name is not compiled, and nobody would miss its tests.

use std::path::Path;

use crate::tidy::Breach;
use crate::workspace::{self, Error, Member, shown};

const ROOT_FILE: &str = "all.rs";

pub(crate) fn breaches(root: &Path, members: &[Member]) -> Result<Vec<Breach>, Error> {
    let mut found = Vec::new();
    for member in members {
        let tests = root.join("crates").join(&member.name).join("tests");
        let path = tests.join(ROOT_FILE);
        let modules = modules(&tests)?;
        let place = shown(&tests, root);
        if path.is_file() {
            found.extend(unnamed(&place, &workspace::read(&path)?, &modules));
        } else if modules.len() > 1 {
            found.push(Breach::new(place, "more than one program of tests: name the files in tests/all.rs"));
        }
    }
    Ok(found)
}

/// The files of tests, and the directories that are modules.
fn modules(tests: &Path) -> Result<Vec<String>, Error> {
    if !tests.is_dir() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for path in workspace::files(tests)? {
        let within = shown(&path, tests);
        let name = within.strip_suffix("/mod.rs").or_else(|| within.strip_suffix(".rs"));
        found.extend(name.filter(|name| !name.contains('/') && within != ROOT_FILE).map(str::to_owned));
    }
    Ok(found)
}

fn unnamed(place: &str, text: &str, modules: &[String]) -> Vec<Breach> {
    let is_named = |name: &&String| text.lines().any(|line| line == format!("mod {name};"));
    let left = modules.iter().filter(|name| !is_named(name));
    left.map(|name| Breach::new(format!("{place}/{name}"), "is not compiled: name it in tests/all.rs")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_tests_that_is_not_named_is_found() {
        let modules = ["golden", "serde", "support"].map(str::to_owned);
        let text = "mod golden;\n#[cfg(feature = \"serde\")]\nmod serde;\n\nmod support;\n";
        assert_eq!(unnamed("tests", text, &modules), []);
        let breaches = unnamed("tests", &text.replace("mod serde;", "// mod serde;"), &modules);
        assert_eq!(breaches.len(), 1, "{breaches:?}");
        assert_eq!(breaches[0].place, "tests/serde");
    }
}
