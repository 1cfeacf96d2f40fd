//! The tests of the engines, in the workspace of `crates/privacy-sql`: Parquet and Arrow files,
//! and a PostgreSQL server that the tests start for themselves.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::workspace::Error;

const MANIFEST: &str = "crates/privacy-sql/Cargo.toml";
/// Makes a missing server an error, once it is known to be there.
const REQUIRED: &str = "DISCLOSURE_REQUIRE_POSTGRES";

/// Checks the form and the lints of the crate, and runs its tests. Installs PostgreSQL where this
/// is root and has apt-get; where there is no server it says what was not tested.
pub(crate) fn run(root: &Path) -> Result<(), Error> {
    let has_server = has_server() || (install() && has_server());
    cargo(root, "fmt", &["--check"], has_server)?;
    cargo(root, "test", &[], has_server)?;
    cargo(root, "clippy", &["--all-targets", "--", "-D", "warnings"], has_server)?;
    if !has_server {
        println!(
            "\nSKIPPED, since PostgreSQL is missing (apt-get install postgresql): its tests ran against no server"
        );
    }
    println!("\nNot tested: DuckDB and Ballista, which are not built");
    Ok(())
}

fn cargo(root: &Path, command: &str, arguments: &[&str], has_server: bool) -> Result<(), Error> {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let shown = format!("cargo {command} --manifest-path {MANIFEST} {}", arguments.join(" "));
    println!("\n$ {shown}");
    let mut step = Command::new(program);
    step.args([command, "--manifest-path", MANIFEST]).args(arguments).current_dir(root).stdin(Stdio::null());
    if has_server {
        step.env(REQUIRED, "1");
    }
    if step.status().is_ok_and(|status| status.success()) { Ok(()) } else { Err(Error::Step { command: shown }) }
}

/// Whether the tests will find the program of the server: where Debian keeps it, or on the path.
fn has_server() -> bool {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let kept = versions.map(|version| version.path().join("bin"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = kept.chain(std::env::split_paths(&path)).collect();
    folders.iter().any(|folder| folder.join("initdb").is_file() && folder.join("postgres").is_file())
}

/// Installs the server by the package manager, if it may: nothing else of the machine is changed.
fn install() -> bool {
    let user = Command::new("id").arg("-u").output();
    let is_root = user.is_ok_and(|output| output.stdout == b"0\n");
    if !is_root || !succeeds(Command::new("apt-get").arg("--version")) {
        return false;
    }
    println!("\n$ apt-get install postgresql");
    let apt =
        |arguments: &[&str]| succeeds(Command::new("apt-get").args(arguments).env("DEBIAN_FRONTEND", "noninteractive"));
    apt(&["update", "-qq"]) && apt(&["install", "-y", "-qq", "--no-install-recommends", "postgresql"])
}

fn succeeds(command: &mut Command) -> bool {
    let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
