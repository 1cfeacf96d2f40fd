//! A crate has one program of tests, `tests/all.rs` (docs/decisions/0025), of this crate or of a
//! package in `tests/` (docs/decisions/0026). Cargo looks for no others then: what neither of them
//! names is not compiled, and nobody would miss its tests.

use std::path::Path;

use crate::tidy::Breach;
use crate::workspace::{self, Error, Member, OF_TESTS, shown};

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
            if !is_compiled(&member.name, members) {
                found.push(Breach::new(place, "all.rs is not compiled: name it in a `[[test]]` of a member"));
            }
        } else if modules.len() > 1 {
            found.push(Breach::new(place, "more than one program of tests: name the files in tests/all.rs"));
        }
    }
    Ok(found)
}

/// Whether the crate, or the package of its tests, has the program.
fn is_compiled(name: &str, members: &[Member]) -> bool {
    let tests = format!("{name}{OF_TESTS}");
    members.iter().any(|member| (member.name == name || member.name == tests) && has_program(&member.manifest))
}

fn has_program(manifest: &str) -> bool {
    let manifest: toml::Table = toml::from_str(manifest).unwrap_or_default();
    let programs = manifest.get("test").and_then(toml::Value::as_array);
    programs.is_some_and(|all| all.iter().any(|one| one.get("name").and_then(toml::Value::as_str) == Some("all")))
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

    fn member(name: &str, manifest: &str) -> Member {
        Member { name: name.to_owned(), manifest: manifest.to_owned(), is_publishable: false, dependencies: vec![] }
    }

    #[test]
    fn the_program_is_that_of_the_crate_or_of_a_package_of_its_tests() {
        let [with, without] = ["[[test]]\nname = \"all\"", "[[test]]\nname = \"lapack\""];
        assert!(is_compiled("lcf", &[member("lcf", with)]));
        assert!(is_compiled("lcf", &[member("lcf", ""), member("lcf-tests", with)]));
        for members in [vec![], vec![member("lcf", without)], vec![member("lcf", ""), member("resplan-tests", with)]] {
            assert!(!is_compiled("lcf", &members), "{members:?}");
        }
    }

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
