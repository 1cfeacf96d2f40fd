//! The bridge to mbi (private-pgm): a measurement is exported, and the Python code of
//! docs/formats.md fits the package's model to it, in a virtual environment below target/.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::python::{installs, new_environment, programs, succeeds};
use crate::workspace::Error;

/// The package, with the interface that docs/formats.md is written for.
const PACKAGE: &str = "mbi>=2,<3";
/// Compares the model with the released tables.
const CHECK: &str = "xtask/mbi_check.py";

/// Releases the tables of a job, exports the measurement and lets mbi fit it. Where Python or the
/// package cannot be had it says so, and does nothing.
pub(crate) fn run(root: &Path) -> Result<(), Error> {
    let python = match environment(root) {
        Ok(python) => python,
        Err(missing) => {
            println!("\nSKIPPED, since {missing}: the bridge to mbi was not tested");
            return Ok(());
        }
    };
    let out = root.join("target/mbi/out");
    match std::fs::remove_dir_all(&out) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            return Err(Error::File { path: out, source });
        }
        _ => {}
    }
    let export = "target/mbi/out/residuals.json";
    let release = "resplan release fixtures/jobs/titanic.toml fixtures/data/titanic.csv -o target/mbi/out --quiet";
    disclosure(root, release)?;
    disclosure(root, &format!("resplan answer target/mbi/out/measurement.bin --export-mbi {export}"))?;
    let mut check = Command::new(python);
    check.args([CHECK, "docs/formats.md", export, "target/mbi/out"]).current_dir(root).stdin(Stdio::null());
    step(&mut check, CHECK)
}

/// The interpreter of an environment that has the package, which is made if it is not there yet.
fn environment(root: &Path) -> Result<PathBuf, String> {
    let home = root.join("target/mbi/env");
    let python = programs(&home).join("python");
    if succeeds(Command::new(&python).args(["-c", "import mbi"])) {
        return Ok(python);
    }
    let python = new_environment(&home)?;
    match installs(&python, PACKAGE) {
        true => Ok(python),
        false => Err(format!("pip could not install {PACKAGE}")),
    }
}

fn disclosure(root: &Path, arguments: &str) -> Result<(), Error> {
    let mut command = match std::env::var_os("DISCLOSURE_BIN") {
        Some(built) => Command::new(built),
        None => {
            let mut command = Command::new(crate::workspace::cargo());
            command.args("run --release --quiet --bin disclosure --".split(' '));
            command
        }
    };
    step(command.args(arguments.split(' ')).current_dir(root), &format!("disclosure {arguments}"))
}

fn step(command: &mut Command, shown: &str) -> Result<(), Error> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        _ => Err(Error::Step { command: shown.to_owned() }),
    }
}
