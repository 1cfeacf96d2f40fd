//! A crate has one program of tests, `tests/all.rs` (docs/decisions/0025), of this crate or of a
//! package in `tests/` (docs/decisions/0026). Cargo looks for no others then: what neither of them
//! names is not compiled, and nobody would miss its tests. Nor would anybody miss the tests inside
//! a crate which leaves them to that package.

use std::path::Path;

use serde::Deserialize;

use crate::tidy::Breach;
use crate::workspace::{self, Error, INSIDE, Member, OF_TESTS, shown};

const ROOT_FILE: &str = "all.rs";
const NO_INSIDE: &str = "has `test = false`: name its src/lib.rs in a `[[test]]` `inside` of the package of its tests";

pub(crate) fn breaches(root: &Path, members: &[Member]) -> Result<Vec<Breach>, Error> {
    let mut found = Vec::new();
    for member in members {
        let tests = root.join("crates").join(&member.name).join("tests");
        let path = tests.join(ROOT_FILE);
        let modules = modules(&tests)?;
        let place = shown(&tests, root);
        // Benches are programs, without tests.
        if member.name != "benches" && is_untested(&member.name, members) {
            found.push(Breach::new(&member.name, NO_INSIDE));
        }
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
    members.iter().any(|member| (member.name == name || member.name == tests) && parsed(member).has("all", None))
}

/// Whether nothing compiles the tests inside the crate.
fn is_untested(name: &str, members: &[Member]) -> bool {
    let tests = format!("{name}{OF_TESTS}");
    let is_left = members.iter().any(|member| member.name == name && parsed(member).leaves_tests());
    let has_tests = |member: &Member| member.name == tests && parsed(member).has(INSIDE, Some("../src/lib.rs"));
    is_left && !members.iter().any(has_tests)
}

/// Of a `Cargo.toml`, what is said of tests.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Manifest {
    lib: Library,
    test: Vec<Program>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Library {
    test: Option<bool>,
}

#[derive(Deserialize)]
struct Program {
    name: String,
    path: Option<String>,
}

impl Manifest {
    fn has(&self, name: &str, path: Option<&str>) -> bool {
        self.test.iter().any(|one| one.name == name && (path.is_none() || one.path.as_deref() == path))
    }

    fn leaves_tests(&self) -> bool {
        self.lib.test == Some(false)
    }
}

fn parsed(member: &Member) -> Manifest {
    toml::from_str(&member.manifest).unwrap_or_default()
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
    fn a_crate_that_leaves_its_tests_has_a_package_with_them() {
        let [left, kept] = ["[lib]\ntest = false", "[lib]\nname = \"lcf\""];
        let inside = "[[test]]\nname = \"inside\"\npath = \"../src/lib.rs\"";
        assert!(!is_untested("lcf", &[member("lcf", left), member("lcf-tests", inside)]));
        assert!(!is_untested("lcf", &[member("lcf", kept)]));
        for tests in ["", "[[test]]\nname = \"all\"", "[[test]]\nname = \"inside\"\npath = \"all.rs\""] {
            assert!(is_untested("lcf", &[member("lcf", left), member("lcf-tests", tests)]), "{tests}");
        }
        assert!(is_untested("lcf", &[member("lcf", left), member("resplan-tests", inside)]));
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
