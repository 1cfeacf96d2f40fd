//! The workbench in a real browser: builds the command and the checks, and runs them with headless
//! Chromium. The pictures and the folders are below target/web.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::workspace::Error;

/// Names under which Chromium is installed.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];
/// A check of accessibility, for the test alone.
const AXE: &str = "axe-core@4";
/// The picture of the documentation.
const PICTURE: &str = "docs/workbench.png";

/// Runs every scenario. Where Chromium is missing it says so, and does nothing. With `picture`,
/// the picture of the documentation is replaced.
pub(crate) fn run(root: &Path, picture: bool) -> Result<(), Error> {
    if !NAMES.iter().any(|name| succeeds(Command::new(name).arg("--version").stdout(Stdio::null()))) {
        println!("\nSKIPPED, since Chromium is missing: the workbench was not tested in a browser");
        return Ok(());
    }
    let out = root.join("target/web");
    std::fs::create_dir_all(&out).map_err(|source| Error::File { path: out.clone(), source })?;
    let command = match std::env::var_os("DISCLOSURE_BIN") {
        Some(built) => PathBuf::from(built),
        None => {
            cargo(root, "build --release --quiet --bin disclosure")?;
            root.join("target/release/disclosure")
        }
    };
    const CHECKS: &str = "build --release --quiet --manifest-path xtask/web/Cargo.toml --target-dir target/web/build";
    cargo(root, CHECKS)?;
    let mut checks = Command::new(out.join("build/release/web-check"));
    checks.arg(command).arg(&out).args(axe(&out)).stdin(Stdio::null());
    if !succeeds(&mut checks) {
        return Err(Error::Step { command: "cargo xtask web".to_owned() });
    }
    if picture {
        let (from, to) = (out.join("workbench.png"), root.join(PICTURE));
        std::fs::copy(from, &to).map_err(|source| Error::File { path: to, source })?;
    }
    Ok(())
}

/// The script of axe-core, where npm can fetch it.
fn axe(out: &Path) -> Option<PathBuf> {
    let script = out.join("node_modules/axe-core/axe.min.js");
    if !script.is_file() {
        let mut npm = Command::new("npm");
        npm.args(["install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"]).arg(out).arg(AXE);
        if !succeeds(npm.stdout(Stdio::null()).stderr(Stdio::null())) {
            println!("\nSKIPPED, since npm could not fetch axe-core: the accessibility of the pages");
            return None;
        }
    }
    Some(script)
}

fn cargo(root: &Path, arguments: &str) -> Result<(), Error> {
    let cargo = crate::workspace::cargo();
    match succeeds(Command::new(cargo).args(arguments.split(' ')).current_dir(root)) {
        true => Ok(()),
        false => Err(Error::Step { command: format!("cargo {arguments}") }),
    }
}

fn succeeds(command: &mut Command) -> bool {
    command.status().is_ok_and(|status| status.success())
}
