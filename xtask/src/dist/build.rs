//! The binary of a target, without a trace of the folder or the time it was built in.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{empty_directory, failed, read, step};
use crate::workspace::Error;

/// The linker that comes with Rust, which links for every architecture. Functions with the same
/// code become one, and addresses that are only known at the start are packed: a twentieth of the
/// size.
const LINKER: &str =
    "-C linker=rust-lld -C linker-flavor=ld.lld -C link-arg=--icf=all -C link-arg=--pack-dyn-relocs=relr";

/// What a target needs and this machine does not have. The linker is Rust's own, and so are the
/// libraries of these targets: another machine's binary needs no other compiler.
pub(super) fn missing(target: &str) -> Option<String> {
    let library = Command::new("rustc").args(["--print", "target-libdir", "--target", target]).output();
    let folder = library.ok().and_then(|output| String::from_utf8(output.stdout).ok());
    let has_library = folder.is_some_and(|folder| Path::new(folder.trim()).is_dir());
    (!has_library).then(|| format!("its standard library (rustup target add {target})"))
}

/// Builds the command for a target, below `into`.
pub(super) fn build(root: &Path, target: &str, into: &Path) -> Result<PathBuf, Error> {
    let cargo = crate::workspace::cargo();
    let home = std::env::var("CARGO_HOME").unwrap_or_else(|_| {
        std::env::home_dir().map_or_else(String::new, |home| home.join(".cargo").display().to_string())
    });
    let flags = format!("--remap-path-prefix={}=/disclosure --remap-path-prefix={home}=/cargo", root.display());
    let words = ["build", "--profile", "dist", "--locked", "--package", "disclosure-cli", "--target", target];
    let mut command = Command::new(cargo);
    command.args(words).current_dir(root).env("CARGO_TARGET_DIR", into);
    command.env("RUSTFLAGS", format!("{flags} {LINKER}"));
    // `const-random`, which `ahash` asks for, would otherwise draw new constants at each build.
    command.env("CONST_RANDOM_SEED", "disclosure");
    match command.status().is_ok_and(|status| status.success()) {
        true => Ok(into.join(target).join("dist/disclosure")),
        false => Err(failed(&format!("cargo {}", words.join(" ")))),
    }
}

/// A second build, from a copy of the sources in another folder, has the same bytes.
pub(super) fn same_again(root: &Path, target: &str, first: &Path) -> Result<(), Error> {
    let copy = root.join("target/dist-copy");
    empty_directory(&copy)?;
    step(&format!("git archive HEAD | tar -x -C {}", copy.display()), root)?;
    let second = build(&copy, target, &copy.join("target"))?;
    if read(first)? != read(&second)? {
        return Err(failed(&format!("two builds for {target} differ")));
    }
    println!("{target}: two builds in two folders have the same bytes");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_without_its_library_is_said() {
        assert_eq!(
            missing(&format!("{}-unknown-linux-none", std::env::consts::ARCH)).map(|said| said.len() > 20),
            Some(true)
        );
    }
}
