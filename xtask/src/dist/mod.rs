//! A release of the command: a binary for each target that this machine can build, with its manual,
//! completions, the list of what is in it and digests; each tried in an empty directory.
//!
//! Nothing of it depends on the folder or the time it is made in. What this machine cannot build is
//! said and left out.

mod package;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::supply;
use crate::workspace::{Error, digest};

/// Static binaries first; the last is for this machine and its libraries alone.
const TARGETS: [&str; 3] = ["x86_64-unknown-linux-musl", "aarch64-unknown-linux-musl", "x86_64-unknown-linux-gnu"];
/// The largest binary of a release.
const MOST_BYTES: u64 = 15 << 20;

#[derive(clap::Args)]
pub(crate) struct DistArgs {
    /// Where the files of the release go
    #[arg(short, long, value_name = "DIR", default_value = "target/dist")]
    output: PathBuf,
    /// Build each binary twice, in two folders, and compare
    #[arg(long)]
    twice: bool,
}

pub(crate) fn run(root: &Path, args: &DistArgs) -> Result<(), Error> {
    let output = root.join(&args.output);
    make_directory(&output)?;
    let mut made = Vec::new();
    for target in TARGETS {
        if let Some(what) = missing(target) {
            println!("SKIPPED {target}: {what} is missing");
            continue;
        }
        let binary = build(root, target, &root.join("target"))?;
        if args.twice {
            same_again(root, target, &binary)?;
        }
        made.push(release(root, target, &binary, &output)?);
    }
    if made.is_empty() {
        return Err(Error::Step { command: "cargo xtask dist: no target can be built here".to_owned() });
    }
    write(&output.join("disclosure.cdx.json"), supply::sbom(root)?.as_bytes())?;
    write(&output.join("Containerfile"), package::CONTAINERFILE.as_bytes())?;
    sums(&output)
}

/// What a target needs and this machine does not have.
fn missing(target: &str) -> Option<String> {
    let library = Command::new("rustc").args(["--print", "target-libdir", "--target", target]).output();
    let folder = library.ok().and_then(|output| String::from_utf8(output.stdout).ok());
    if !folder.is_some_and(|folder| Path::new(folder.trim()).is_dir()) {
        return Some(format!("its standard library (rustup target add {target})"));
    }
    let is_foreign = !target.starts_with(std::env::consts::ARCH);
    (is_foreign && !runs("aarch64-linux-gnu-gcc", &["--version"])).then(|| "a linker for it".to_owned())
}

fn runs(program: &str, words: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Builds the command without a trace of the folder it is built in.
fn build(root: &Path, target: &str, into: &Path) -> Result<PathBuf, Error> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let home = std::env::var("CARGO_HOME").unwrap_or_else(|_| {
        std::env::home_dir().map_or_else(String::new, |home| home.join(".cargo").display().to_string())
    });
    let flags = format!("--remap-path-prefix={}=/disclosure --remap-path-prefix={home}=/cargo", root.display());
    let words = ["build", "--profile", "dist", "--locked", "--package", "disclosure-cli", "--target", target];
    let mut command = Command::new(cargo);
    command.args(words).current_dir(root).env("RUSTFLAGS", flags).env("CARGO_TARGET_DIR", into);
    // `const-random`, which `ahash` asks for, would otherwise draw new constants at each build.
    command.env("CONST_RANDOM_SEED", "disclosure");
    if target.starts_with("aarch64") {
        command.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_LINKER", "aarch64-linux-gnu-gcc");
    }
    match command.status().is_ok_and(|status| status.success()) {
        true => Ok(into.join(target).join("dist/disclosure")),
        false => Err(Error::Step { command: format!("cargo {}", words.join(" ")) }),
    }
}

/// A second build, from a copy of the sources in another folder, has the same bytes.
fn same_again(root: &Path, target: &str, first: &Path) -> Result<(), Error> {
    let copy = root.join("target/dist-copy");
    let _ = std::fs::remove_dir_all(&copy);
    make_directory(&copy)?;
    let shell = format!("git archive HEAD | tar -x -C {}", copy.display());
    if !Command::new("sh").args(["-c", &shell]).current_dir(root).status().is_ok_and(|status| status.success()) {
        return Err(Error::Step { command: shell });
    }
    let second = build(&copy, target, &copy.join("target"))?;
    if read(first)? != read(&second)? {
        return Err(Error::Step { command: format!("two builds for {target} differ") });
    }
    println!("{target}: two builds in two folders have the same bytes");
    Ok(())
}

/// The files of one target: the binary, an archive, and a package for Debian where it fits.
fn release(root: &Path, target: &str, binary: &Path, output: &Path) -> Result<String, Error> {
    let name = format!("disclosure-{}-{target}", env!("CARGO_PKG_VERSION"));
    let folder = output.join(&name);
    let _ = std::fs::remove_dir_all(&folder);
    make_directory(&folder)?;
    let bytes = read(binary)?;
    if bytes.len() as u64 > MOST_BYTES {
        let size = bytes.len() >> 20;
        return Err(Error::Step { command: format!("{target}: the binary has {size} MiB, at most 15 are wanted") });
    }
    std::fs::copy(binary, folder.join("disclosure")).map_err(|source| Error::File { path: folder.clone(), source })?;
    for file in ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        write(&folder.join(file), &read(&root.join(file))?)?;
    }
    // Another machine's binary does not run here: its words are those of ours.
    if target.starts_with(std::env::consts::ARCH) {
        try_alone(&folder)?;
        package::words(&folder)?;
    }
    package::archive(output, &name)?;
    package::debian(output, &folder, target)?;
    println!("{name}: {} KiB", bytes.len() >> 10);
    Ok(name)
}

/// Runs the binary with nothing around it: an empty directory, no variables, a job from first to
/// last.
fn try_alone(folder: &Path) -> Result<(), Error> {
    let place = folder.with_extension("trial");
    let _ = std::fs::remove_dir_all(&place);
    make_directory(&place)?;
    write(&place.join("job.toml"), package::JOB.as_bytes())?;
    write(&place.join("rows.csv"), package::ROWS.as_bytes())?;
    for words in [
        &["--version"][..],
        &[
            "resplan",
            "release",
            "job.toml",
            "rows.csv",
            "-o",
            "out",
            "--ledger",
            "ledger",
            "--new-ledger",
            "--rho",
            "1",
        ],
        &["report", "out", "-o", "page.html"],
        &["ledger", "show", "ledger"],
    ] {
        let mut command = Command::new(folder.join("disclosure"));
        command.args(words).current_dir(&place).env_clear().stdin(Stdio::null()).stdout(Stdio::null());
        if !command.status().is_ok_and(|status| status.success()) {
            return Err(Error::Step { command: format!("disclosure {}, alone", words.join(" ")) });
        }
    }
    std::fs::remove_dir_all(&place).map_err(|source| Error::File { path: place, source })
}

/// `SHA256SUMS` of every file at the top.
fn sums(output: &Path) -> Result<(), Error> {
    let mut text = String::new();
    let entries = std::fs::read_dir(output).map_err(|source| Error::File { path: output.to_owned(), source })?;
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

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    std::fs::read(path).map_err(|source| Error::File { path: path.to_owned(), source })
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    std::fs::write(path, bytes).map_err(|source| Error::File { path: path.to_owned(), source })
}

fn make_directory(path: &Path) -> Result<(), Error> {
    std::fs::create_dir_all(path).map_err(|source| Error::File { path: path.to_owned(), source })
}
