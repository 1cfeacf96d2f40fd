//! The wheel of the Python package in the release profile: one for every Python, its size, and that
//! it is all that an installation needs.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::python::{PACKAGE, environment, installs, step, succeeds};
use crate::workspace::Error;

/// A wheel that is larger is refused.
const LARGEST: u64 = 12_000_000;
/// Where wheel and source distribution are made.
const OUT: &str = "target/python/wheels";
/// Lints of the package and of the crate that reads columns for it: all that they import is checked
/// once more, which takes 40 seconds, so CI leaves them to a release.
const LINTS: &str = "clippy --locked --package disclosure-python --package disclosure-arrow --all-targets --features \
    disclosure-python/fixed-generator -- -D warnings";
/// A first release in an environment that has nothing but the wheel and what it requires.
const FIRST_RELEASE: &str = "import disclosure
assert not disclosure._core.FIXED_GENERATOR
plan = disclosure.plan(marginals=[['a', 'b']], rho=1.0, neighbours='add-remove', domain={'a': 2, 'b': 3})
release = plan.release({'a': [0, 1, 1], 'b': [2, 0, 1]})
assert release.table('a', 'b').shape == (2, 3) and release.promise['kind'] == 'guarantee'";

/// Checks the lints, builds the wheel, compares its size, installs it where no Rust is found and
/// makes a release; then builds the source distribution, and a wheel from that. The wheel and the
/// source distribution; nothing where the machine cannot make them.
pub(crate) fn run(root: &Path) -> Result<Vec<PathBuf>, Error> {
    let bin = match environment(root) {
        Ok(bin) => bin,
        Err(missing) => {
            println!("\nSKIPPED, since {missing}: no wheel was built");
            return Ok(Vec::new());
        }
    };
    lint(root)?;
    let out = root.join(OUT);
    empty(&out)?;
    let to = out.to_string_lossy();
    step(&bin, root, "maturin", &["build", "--release", "--locked", "--out", &to])?;
    let wheel = only_wheel(&out)?;
    installed(root, &bin, &wheel)?;
    step(&bin, root, "maturin", &["sdist", "--out", &to])?;
    let source = files_ending(&out, ".tar.gz")?;
    let source = source.first().ok_or_else(|| failed("maturin sdist made no source distribution"))?;
    let from_source = out.join("from-source").to_string_lossy().into_owned();
    let words = ["-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-w", &from_source];
    step(&bin, root, "python", &[&words[..], &[&source.to_string_lossy()]].concat())?;
    only_wheel(Path::new(&from_source))?;
    Ok(vec![wheel, source.clone()])
}

fn lint(root: &Path) -> Result<(), Error> {
    println!("$ cargo {LINTS}");
    let mut command = Command::new(crate::workspace::cargo());
    command
        .args(LINTS.split(' '))
        .current_dir(root.join(PACKAGE))
        .env("CARGO_TARGET_DIR", root.join("target/python/build"));
    match command.stdin(Stdio::null()).status() {
        Ok(status) if status.success() => Ok(()),
        _ => Err(failed(&format!("cargo {LINTS} (in {PACKAGE})"))),
    }
}

/// The one wheel of a folder, for every Python from the oldest supported one, and not too large.
fn only_wheel(folder: &Path) -> Result<PathBuf, Error> {
    let wheels = files_ending(folder, ".whl")?;
    let [wheel] = &wheels[..] else {
        return Err(failed(&format!("{} wheels in {}, not one", wheels.len(), folder.display())));
    };
    let name = wheel.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let bytes = std::fs::metadata(wheel).map_err(|source| Error::File { path: wheel.clone(), source })?.len();
    println!("{name}: {:.1} MB", bytes as f64 / 1e6);
    match (name.contains("-cp310-abi3-"), bytes <= LARGEST) {
        (true, true) => Ok(wheel.clone()),
        (false, _) => Err(failed(&format!("{name} is for one Python alone"))),
        (_, false) => Err(failed(&format!("{name} has {bytes} bytes, more than {LARGEST}"))),
    }
}

/// Installs a wheel into a new environment, and makes a release there with an empty PATH.
fn installed(root: &Path, bin: &Path, wheel: &Path) -> Result<(), Error> {
    let home = root.join("target/python/clean");
    let suffix = if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" };
    if !succeeds(Command::new(bin.join("python")).args(["-m", "venv", "--clear"]).arg(&home)) {
        return Err(failed("no clean virtual environment"));
    }
    let python = home.join(suffix);
    if !installs(&python, &wheel.to_string_lossy()) {
        return Err(failed("the wheel was not installed"));
    }
    let mut first = Command::new(&python);
    first.args(["-I", "-c", FIRST_RELEASE]).current_dir(&home).env("PATH", "");
    match first.status() {
        Ok(status) if status.success() => Ok(()),
        _ => Err(failed("a first release from the wheel, in an environment without Rust")),
    }
}

fn empty(folder: &Path) -> Result<(), Error> {
    match std::fs::remove_dir_all(folder) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::File { path: folder.to_owned(), source })
        }
        _ => Ok(()),
    }
}

fn files_ending(folder: &Path, ending: &str) -> Result<Vec<PathBuf>, Error> {
    let error = |source| Error::File { path: folder.to_owned(), source };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(error)? {
        let path = entry.map_err(error)?.path();
        if path.to_string_lossy().ends_with(ending) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn failed(command: &str) -> Error {
    Error::Step { command: command.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wheel_for_one_python_two_wheels_and_a_large_one_are_refused() {
        let folder = std::env::temp_dir().join(format!("xtask-wheel-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        assert!(only_wheel(&folder).is_err());
        let one = folder.join("x-0.1.0-cp311-cp311-linux_x86_64.whl");
        std::fs::write(&one, [0; 8]).unwrap();
        assert!(only_wheel(&folder).is_err());
        let stable = folder.join("x-0.1.0-cp310-abi3-linux_x86_64.whl");
        std::fs::rename(&one, &stable).unwrap();
        assert_eq!(only_wheel(&folder).unwrap(), stable);
        std::fs::write(&one, [0; 8]).unwrap();
        assert!(only_wheel(&folder).is_err());
        std::fs::remove_file(&one).unwrap();
        std::fs::File::create(&stable).unwrap().set_len(LARGEST + 1).unwrap();
        assert!(only_wheel(&folder).is_err());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
