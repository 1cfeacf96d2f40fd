//! The Python package: built into a virtual environment below target/, and tested there.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::workspace::Error;

pub(crate) const PACKAGE: &str = "crates/disclosure-python";
/// Python that the package runs on, with what makes a virtual environment.
const CAN_RUN: &str = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))";
/// What builds and tests it. Types are checked by mypy and pyright.
const TOOLS: &str = "maturin pytest pytest-xdist hypothesis numpy pandas polars pyarrow duckdb mypy pyright";
/// Packages that have a bridge: their tests run where they can be had.
const BRIDGES: &str = "dp-accounting opendp mbi>=2,<3";
/// Whether an environment has all of the tools.
const HAS_TOOLS: &str =
    "import maturin, pytest, xdist, hypothesis, numpy, pandas, polars, pyarrow, duckdb, mypy, pyright";

/// Builds the extension with the generator that tests may fix, and runs doctests, tests, mypy and
/// pyright. Where Python or the tools cannot be had it says so, and does nothing.
pub(crate) fn run(root: &Path) -> Result<(), Error> {
    let bin = match environment(root) {
        Ok(bin) => bin,
        Err(missing) => {
            println!("\nSKIPPED, since {missing}: the Python package was neither built nor tested");
            return Ok(());
        }
    };
    let package = root.join(PACKAGE);
    // Fast to compile, fast enough to count: the profile of the package's Cargo.toml.
    step(&bin, root, "maturin", &["develop", "--locked", "--profile", "dev", "--features", "fixed-generator"])?;
    step(&bin, root, "python", &["-m", "pytest", "--numprocesses", "auto", "tests", "--doctest-modules", "python"])?;
    for script in scripts(&package.join("tutorials"))? {
        step(&bin, root, "python", &[&script])?;
    }
    step(&bin, root, "python", &["-m", "mypy"])?;
    step(&bin, root, "pyright", &[])
}

/// The scripts of a folder by their paths below the package; none where there is no folder.
fn scripts(folder: &Path) -> Result<Vec<String>, Error> {
    let failed = |source| Error::File { path: folder.to_owned(), source };
    let mut names = Vec::new();
    if folder.is_dir() {
        for entry in std::fs::read_dir(folder).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name().to_string_lossy().into_owned();
            if Path::new(&name).extension().is_some_and(|extension| extension == "py") {
                names.push(format!("tutorials/{name}"));
            }
        }
    }
    names.sort();
    Ok(names)
}

/// The programs of an environment that has the tools, which is made if it is not there yet.
pub(crate) fn environment(root: &Path) -> Result<PathBuf, String> {
    let home = root.join("target/python/env");
    let bin = programs(&home);
    let python = bin.join("python");
    if succeeds(Command::new(&python).args(["-c", HAS_TOOLS])) {
        return Ok(bin);
    }
    let python = new_environment(&home)?;
    if !installs(&python, TOOLS) {
        return Err(format!("pip could not install {TOOLS}"));
    }
    if !installs(&python, BRIDGES) {
        println!("pip could not install {BRIDGES}: the tests of these bridges are skipped");
    }
    Ok(bin)
}

/// The interpreter of an empty virtual environment, made anew by the Python of the machine.
pub(crate) fn new_environment(home: &Path) -> Result<PathBuf, String> {
    let system = ["python3", "python"].into_iter().find(|name| succeeds(Command::new(name).args(["-c", CAN_RUN])));
    let system = system.ok_or("Python 3.10 or later with venv and pip is missing")?;
    match succeeds(Command::new(system).args(["-m", "venv", "--clear"]).arg(home)) {
        true => Ok(programs(home).join("python")),
        false => Err(format!("{system} made no virtual environment")),
    }
}

/// Where the programs of an environment are.
pub(crate) fn programs(home: &Path) -> PathBuf {
    home.join(if cfg!(windows) { "Scripts" } else { "bin" })
}

/// A program of the environment in the folder of the package.
pub(crate) fn step(bin: &Path, root: &Path, program: &str, arguments: &[&str]) -> Result<(), Error> {
    let shown = format!("{program} {}", arguments.join(" "));
    println!("$ {shown}");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::env::join_paths(std::iter::once(bin.to_owned()).chain(std::env::split_paths(&path)));
    let mut command = Command::new(bin.join(program));
    command.args(arguments).current_dir(root.join(PACKAGE)).stdin(Stdio::null());
    command
        .env("VIRTUAL_ENV", root.join("target/python/env"))
        .env("CARGO_TARGET_DIR", root.join("target/python/build"));
    if let Ok(paths) = paths {
        command.env("PATH", paths);
    }
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        _ => Err(Error::Step { command: format!("{shown} (in {PACKAGE})") }),
    }
}

/// Without bytecode: Python makes that of the modules that tests import, a small part of them.
pub(crate) fn installs(python: &Path, packages: &str) -> bool {
    let install = ["-m", "pip", "install", "--quiet", "--no-compile"];
    succeeds(Command::new(python).args(install).args(packages.split(' ')))
}

pub(crate) fn succeeds(command: &mut Command) -> bool {
    command.stdin(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_those_of_the_folder_in_order_and_none_without_one() {
        let root = crate::workspace::root().join(PACKAGE);
        let found = scripts(&root.join("tests")).unwrap();
        assert!(found.is_sorted() && found.contains(&"tutorials/test_data.py".to_owned()));
        assert_eq!(scripts(&root.join("nowhere")).unwrap(), Vec::<String>::new());
    }
}
