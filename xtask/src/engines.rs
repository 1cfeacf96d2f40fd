//! The tests of the engines, in the workspace of `crates/privacy-sql`: Parquet and Arrow files, a
//! PostgreSQL server and a cluster of Ballista that the tests start for themselves, and files of
//! DuckDB.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;

use crate::workspace::Error;

#[derive(Args)]
pub(crate) struct EnginesArgs {
    /// Only the statements for PostgreSQL, which compile in seconds: this is what CI runs
    #[arg(long)]
    statements: bool,
}

const MANIFEST: &str = "crates/privacy-sql/Cargo.toml";
/// A database behind sqlx, which nothing else compiles.
const SQLX: &str = "examples/sqlx/Cargo.toml";
/// Makes a missing server an error, once it is known to be there.
const REQUIRED: &str = "DISCLOSURE_REQUIRE_POSTGRES";
/// Makes a missing library an error, once it is known to be there.
const LIBRARY_REQUIRED: &str = "DISCLOSURE_REQUIRE_DUCKDB";
/// Where the library of DuckDB is.
const LIBRARY: &str = "DISCLOSURE_DUCKDB_LIBRARY";
/// The package of npm that has the library for Linux and nothing to compile.
const PACKAGE: &str = "@duckdb/node-bindings-linux-x64@1.5.6-r.1";

/// What the tests find on this machine.
struct Engines {
    has_server: bool,
    /// The library of DuckDB; where the system has it, nothing has to name it.
    library: Option<PathBuf>,
}

/// The cluster, which the crate does not have by default.
const CLUSTER: [&str; 2] = ["--features", "ballista"];
/// The statements for PostgreSQL, which need no engine.
const STATEMENTS: [&str; 2] = ["--package", "privacy-sql-statements"];
/// The crate itself, and what it does with the columns of batches. The latter compiles for minutes
/// without an engine as well, since it reads identifiers and codes as jobs do.
const ROWS: [&str; 4] = ["--package", "privacy-sql", "--package", "privacy-sql-columns"];

/// Checks the form and the lints of the crate, and runs its tests and examples. Installs PostgreSQL
/// where this is root and has apt-get, and the library of DuckDB below target/ where there is npm;
/// says what was not tested.
pub(crate) fn run(root: &Path, args: &EnginesArgs) -> Result<(), Error> {
    let has_server = has_server() || (install() && has_server());
    if args.statements {
        let engines = Engines { has_server, library: None };
        engines.cargo(root, MANIFEST, "test", &STATEMENTS)?;
        engines.say_whether_a_server_was_missing();
        return Ok(());
    }
    let engines = Engines { has_server, library: library(root) };
    engines.check_all(root)?;
    engines.say_whether_a_server_was_missing();
    if engines.library.is_none() {
        println!("\nSKIPPED, unless the system has libduckdb: DuckDB. Set {LIBRARY}, or install npm on Linux");
    }
    if cfg!(not(unix)) {
        println!("\nSKIPPED, since they send signals of Unix: the tests of the cluster");
    }
    println!("\nNot started here: the containers and units of examples/cluster (its README says how they were tested)");
    Ok(())
}

impl Engines {
    /// Every step, in order; stops at the first failure.
    fn check_all(&self, root: &Path) -> Result<(), Error> {
        self.cargo(root, MANIFEST, "fmt", &[&ROWS[..], &STATEMENTS, &["--check"]].concat())?;
        self.cargo(root, MANIFEST, "test", &STATEMENTS)?;
        // One set of features, so that everything is compiled once.
        self.cargo(root, MANIFEST, "test", &[&ROWS[..], &CLUSTER].concat())?;
        for example in ["count_source", "datafusion_session"] {
            self.cargo(root, MANIFEST, "run", &[&CLUSTER[..], &["--example", example]].concat())?;
        }
        let strictly = ["--", "-D", "warnings"];
        let all = ["--workspace", "--all-targets"];
        self.cargo(root, MANIFEST, "clippy", &[&all[..], &CLUSTER, &strictly].concat())?;
        self.cargo(root, MANIFEST, "clippy", &[&["--no-default-features"][..], &strictly].concat())?;
        self.cargo(root, SQLX, "fmt", &["--check"])?;
        self.cargo(root, SQLX, "run", &[])
    }

    fn say_whether_a_server_was_missing(&self) {
        if !self.has_server {
            println!(
                "\nSKIPPED, since PostgreSQL is missing (apt-get install postgresql): its tests ran against no server"
            );
        }
    }

    fn cargo(&self, root: &Path, manifest: &str, command: &str, arguments: &[&str]) -> Result<(), Error> {
        let program = crate::workspace::cargo();
        let shown = format!("cargo {command} --manifest-path {manifest} {}", arguments.join(" "));
        println!("\n$ {shown}");
        let mut step = Command::new(program);
        step.args([command, "--manifest-path", manifest]).args(arguments).current_dir(root).stdin(Stdio::null());
        if self.has_server {
            step.env(REQUIRED, "1");
        }
        if let Some(library) = &self.library {
            step.env(LIBRARY, library).env(LIBRARY_REQUIRED, "1");
        }
        if step.status().is_ok_and(|status| status.success()) { Ok(()) } else { Err(Error::Step { command: shown }) }
    }
}

/// The library of DuckDB: what the environment names, else that of a package below target/, which
/// is fetched once.
fn library(root: &Path) -> Option<PathBuf> {
    if let Some(named) = std::env::var_os(LIBRARY) {
        return Some(named.into());
    }
    let folder = root.join("target/duckdb");
    let library = folder.join("node_modules/@duckdb/node-bindings-linux-x64/libduckdb.so");
    if !library.is_file() && cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        println!("\n$ npm install {PACKAGE}");
        let _ = std::fs::create_dir_all(&folder);
        let mut npm = Command::new("npm");
        npm.args(["install", "--ignore-scripts", "--no-save", "--no-audit", "--prefix"]).arg(&folder).arg(PACKAGE);
        succeeds(&mut npm);
    }
    library.is_file().then_some(library)
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
