//! A release of the command: a static binary for each target that this machine can build, with its
//! manual, completions, the licences of what is in it, a package for Debian, a container file, the
//! Python wheel, the list of what is in it and digests; each binary tried in an empty root.
//!
//! Nothing of it depends on the folder or the time it is made in. What this machine cannot build or
//! try is said and left out.

mod build;
mod package;
mod trial;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::workspace::{Error, digest};
use crate::{supply, wheel};

/// Both are static: they need a kernel, and no library of a machine.
const TARGETS: [&str; 2] = ["x86_64-unknown-linux-musl", "aarch64-unknown-linux-musl"];
/// The largest binary of a release; what it has is in docs/benchmarks.md.
const MOST_BYTES: u64 = 15_000_000;

#[derive(clap::Args)]
pub(crate) struct DistArgs {
    /// Where the files of the release go; target/dist is where cargo builds them
    #[arg(short, long, value_name = "DIR", default_value = "target/distribution")]
    output: PathBuf,
    /// Only this target, and no wheel
    #[arg(long, value_name = "TARGET", value_parser = TARGETS)]
    only: Option<String>,
    /// Build each binary twice, in two folders, and compare
    #[arg(long)]
    twice: bool,
}

pub(crate) fn run(root: &Path, args: &DistArgs) -> Result<(), Error> {
    let output = root.join(&args.output);
    empty_directory(&output)?;
    let papers = supply::papers(root, supply::COMMAND)?;
    let mut made = Vec::new();
    for target in TARGETS.into_iter().filter(|target| args.only.as_deref().is_none_or(|only| only == *target)) {
        if let Some(what) = build::missing(target) {
            println!("SKIPPED {target}: {what} is missing");
            continue;
        }
        if made.is_empty() && !trial::runs_here(target) {
            println!("SKIPPED {target}: it does not run here without {}, and prints its manual", trial::EMULATOR);
            continue;
        }
        let binary = build::build(root, target, &root.join("target"))?;
        if args.twice {
            build::same_again(root, target, &binary)?;
        }
        let folder = release(root, (target, &binary), &papers, &output, made.first().map(PathBuf::as_path))?;
        made.push(folder);
    }
    if made.is_empty() {
        return Err(failed("cargo xtask dist: no target can be built here"));
    }
    package::container(&output, &made[0])?;
    if args.only.is_none() {
        for file in wheel::run(root)? {
            std::fs::copy(&file, output.join(file.file_name().unwrap_or_default())).map_err(io(&file))?;
        }
        write_papers(&output, supply::WHEEL, &supply::papers(root, supply::WHEEL)?)?;
    }
    write_papers(&output, supply::COMMAND, &papers)?;
    sums(&output)
}

fn write_papers(output: &Path, shipped: supply::Shipped, papers: &supply::Papers) -> Result<(), Error> {
    write(&output.join(format!("{}.cdx.json", shipped.name)), papers.sbom.as_bytes())?;
    write(&output.join(format!("{}.{}", shipped.name, package::OTHERS)), papers.licences.as_bytes())
}

/// The files of one target: the binary, an archive, and a package for Debian. `words` is the folder
/// of a target that runs here, whose manual and completions are those of all.
fn release(
    root: &Path,
    (target, binary): (&str, &Path),
    papers: &supply::Papers,
    output: &Path,
    words: Option<&Path>,
) -> Result<PathBuf, Error> {
    let name = format!("disclosure-{}-{target}", env!("CARGO_PKG_VERSION"));
    let folder = output.join(&name);
    make_directory(&folder)?;
    let bytes = read(binary)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(failed(&format!("{target}: the binary has {} bytes, more than {MOST_BYTES}", bytes.len())));
    }
    std::fs::copy(binary, folder.join("disclosure")).map_err(io(&folder))?;
    for file in ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        write(&folder.join(file), &read(&root.join(file))?)?;
    }
    write(&folder.join(package::OTHERS), papers.licences.as_bytes())?;
    package::words(&folder, target, words)?;
    trial::alone(&folder.join("disclosure"), target)?;
    package::archive(output, &name)?;
    if let Some(deb) = package::debian(output, &folder, target)? {
        trial::installed(&deb, target)?;
    }
    println!("{name}: {} bytes", bytes.len());
    Ok(folder)
}

/// `SHA256SUMS` of every file at the top.
fn sums(output: &Path) -> Result<(), Error> {
    let mut text = String::new();
    let entries = std::fs::read_dir(output).map_err(io(output))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    for file in files.iter().filter(|file| file.is_file()) {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        if name != "SHA256SUMS" {
            text += &format!("{}  {name}\n", digest(file)?);
        }
    }
    write(&output.join("SHA256SUMS"), text.as_bytes())
}

/// Whether a program is there, and does this.
fn runs(program: &str, words: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn step(shell: &str, folder: &Path) -> Result<(), Error> {
    let status = Command::new("sh").args(["-c", shell]).current_dir(folder).stdout(Stdio::null()).status();
    if status.is_ok_and(|status| status.success()) { Ok(()) } else { Err(failed(shell)) }
}

fn failed(command: &str) -> Error {
    Error::Step { command: command.to_owned() }
}

fn io(path: &Path) -> impl FnOnce(std::io::Error) -> Error {
    let path = path.to_owned();
    move |source| Error::File { path, source }
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    std::fs::read(path).map_err(io(path))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    std::fs::write(path, bytes).map_err(io(path))
}

fn make_directory(path: &Path) -> Result<(), Error> {
    std::fs::create_dir_all(path).map_err(io(path))
}

/// A directory without what an earlier run left in it.
fn empty_directory(path: &Path) -> Result<(), Error> {
    if path.exists() {
        std::fs::remove_dir_all(path).map_err(io(path))?;
    }
    make_directory(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_of_the_files_at_the_top_and_of_no_older_list() {
        let place = tempfile::tempdir().unwrap();
        make_directory(&place.path().join("folder")).unwrap();
        write(&place.path().join("b"), b"abc").unwrap();
        write(&place.path().join("a"), b"").unwrap();
        for _ in 0..2 {
            sums(place.path()).unwrap();
        }
        let text = std::fs::read_to_string(place.path().join("SHA256SUMS")).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2);
        assert!(lines[0].ends_with("  a") && lines[1].ends_with("  b"));
        assert!(lines[1].starts_with("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
    }
}
