//! The client as WebAssembly: built, put into its package, and tested under Node against the
//! native client.

use std::path::Path;
use std::process::Command;

use crate::workspace::Error;

const TARGET: &str = "wasm32-unknown-unknown";
const PACKAGE: &str = "crates/ldp-client/npm";
const MODULE: &str = "ldp_client.wasm";

/// Builds the module, and runs the tests of the package. Where the target or Node is missing it
/// says so, and does nothing: `.ci/run` has tried to install the target by then.
pub(crate) fn run(root: &Path) -> Result<(), Error> {
    if let Some(what) = missing() {
        println!("\nSKIPPED, since {what} is missing: the WebAssembly client was neither built nor tested");
        return Ok(());
    }
    build(root)?;
    let from = root.join("target").join(TARGET).join("release").join(MODULE);
    let to = root.join(PACKAGE).join(MODULE);
    let bytes = std::fs::copy(&from, &to).map_err(|source| Error::File { path: to, source })?;
    println!("{PACKAGE}/{MODULE}: {bytes} bytes");
    step(Command::new("node").args(["--test"]).current_dir(root.join(PACKAGE)), "node --test")
}

/// What the machine does not have.
fn missing() -> Option<&'static str> {
    if !has_target() {
        return Some("the target wasm32-unknown-unknown (rustup target add wasm32-unknown-unknown)");
    }
    let node = Command::new("node").arg("--version").output();
    if node.is_ok_and(|output| output.status.success()) { None } else { Some("Node") }
}

/// Whether the compiler has the standard library of the target.
fn has_target() -> bool {
    let library = Command::new("rustc").args(["--print", "target-libdir", "--target", TARGET]).output();
    let directory = library.ok().and_then(|output| String::from_utf8(output.stdout).ok());
    directory.is_some_and(|directory| Path::new(directory.trim()).is_dir())
}

fn build(root: &Path) -> Result<(), Error> {
    const ARGUMENTS: &str = "rustc --release --package ldp-client --lib --features wasm --target \
                             wasm32-unknown-unknown --crate-type cdylib";
    let cargo = crate::workspace::cargo();
    let mut command = Command::new(cargo);
    // Small before fast: a report takes microseconds either way.
    command.args(ARGUMENTS.split_whitespace()).current_dir(root).env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "s");
    command.env("CARGO_PROFILE_RELEASE_LTO", "fat").env("CARGO_PROFILE_RELEASE_STRIP", "symbols");
    step(&mut command, ARGUMENTS)
}

fn step(command: &mut Command, shown: &str) -> Result<(), Error> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        _ => Err(Error::Step { command: shown.split_whitespace().collect::<Vec<_>>().join(" ") }),
    }
}
