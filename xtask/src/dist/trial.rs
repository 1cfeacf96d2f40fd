//! A binary with nothing around it: a root that holds the binary and an empty directory, a user
//! without rights who can write there alone, no network, no variables; a job from first to last.

use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::Path;
use std::process::{Command, Stdio};

use super::{empty_directory, failed, io, make_directory, runs, step, write};
use crate::workspace::Error;

/// A user without rights.
const NOBODY: u32 = 65534;
/// Runs binaries of another machine; static, so that it needs nothing of a root either.
pub(super) const EMULATOR: &str = "/usr/bin/qemu-aarch64-static";

/// A job for the trial of a binary.
const JOB: &str = "\
up_to = 1
neighbours = \"add-remove\"
[privacy]
rho = 0.5
[[attribute]]
name = \"sex\"
labels = [\"f\", \"m\"]
";
const ROWS: &str = "sex\nf\nm\nm\n";

const STEPS: [&str; 5] = [
    "man",
    "completions bash",
    "resplan release job.toml rows.csv -o out --ledger ledger --new-ledger --rho 1",
    "report out -o page.html",
    "ledger show ledger",
];

/// Whether binaries of a target run on this machine, emulated or not.
pub(super) fn runs_here(target: &str) -> bool {
    is_own(target) || Path::new(EMULATOR).is_file()
}

/// Whether a target is that of this machine.
pub(super) fn is_own(target: &str) -> bool {
    target.starts_with(std::env::consts::ARCH)
}

/// Tries a static binary in a root of its own.
pub(super) fn alone(binary: &Path, target: &str) -> Result<(), Error> {
    let place = binary.with_extension("trial");
    empty_directory(&place)?;
    std::fs::copy(binary, place.join("disclosure")).map_err(io(binary))?;
    tried(&place, "/disclosure", target)?;
    std::fs::remove_dir_all(&place).map_err(io(&place))
}

/// Unpacks a package in a root of its own, and tries what it brought.
pub(super) fn installed(deb: &Path, target: &str) -> Result<(), Error> {
    let place = deb.with_extension("trial");
    empty_directory(&place)?;
    step(&format!("dpkg-deb --extract {} {}", deb.display(), place.display()), Path::new("/"))?;
    for file in ["usr/share/man/man1/disclosure.1.gz", "usr/share/doc/disclosure/copyright"] {
        if !place.join(file).is_file() {
            return Err(failed(&format!("{} brings no {file}", deb.display())));
        }
    }
    tried(&place, "/usr/bin/disclosure", target)?;
    std::fs::remove_dir_all(&place).map_err(io(&place))
}

/// Starts the container of the image `disclosure`: a job from first to last, with a read-only root
/// and no network. What starts none here is said.
pub(super) fn contained(output: &Path) -> Result<(), Error> {
    let place = output.join("container.trial");
    empty_directory(&place)?;
    let root = Root::of(&place)?;
    let starts = STARTS.iter().find(|start| root.starts(start, "--version"));
    match starts {
        None => println!("SKIPPED the container's start: podman builds the image, and cannot start one here"),
        Some(_) if !root.is_ours => println!("SKIPPED the job in a container: only root gives its user a directory"),
        Some(start) => {
            for line in STEPS {
                if !root.starts(start, line) {
                    return Err(failed(&format!("disclosure {line}, in a container")));
                }
            }
            println!("disclosure in a container: {} commands with a read-only root", STEPS.len());
        }
    }
    std::fs::remove_dir_all(&place).map_err(io(&place))
}

fn tried(place: &Path, program: &str, target: &str) -> Result<(), Error> {
    let mut words: Vec<String> = vec![program.to_owned()];
    if !is_own(target) {
        if !runs_here(target) {
            println!("SKIPPED the trial of {target}: {EMULATOR} is missing");
            return Ok(());
        }
        std::fs::copy(EMULATOR, place.join("emulator")).map_err(io(place))?;
        words.insert(0, "/emulator".to_owned());
    }
    let root = Root::of(place)?;
    if !root.command().args(&words).arg("--version").status().is_ok_and(|status| status.success()) {
        return Err(failed(&format!("disclosure --version, in a root of its own, for {target}")));
    }
    for line in STEPS {
        let status = root.command().args(&words).args(line.split(' ')).stdout(Stdio::null()).status();
        if !status.is_ok_and(|status| status.success()) {
            return Err(failed(&format!("disclosure {line}, in a root of its own, for {target}")));
        }
    }
    Ok(())
}

/// How podman starts a container: with its own runtime, or where that one knows no groups of
/// processes of this kind, with another.
const STARTS: [&str; 2] = ["run", "--runtime runc --cgroup-manager cgroupfs run"];
/// Limits that are not above those of a process here: not everybody may raise them.
const CONTAINED: &str = "--rm --read-only --network none --ulimit nofile=1024:1024 --ulimit nproc=1024:1024";

/// A directory as the root of a process.
struct Root<'a> {
    place: &'a Path,
    /// Whether we may become any user; else we stay ourselves, in a namespace of users.
    is_ours: bool,
}

impl<'a> Root<'a> {
    /// Gives the user without rights the directory `/data`, with a job and its rows.
    fn of(place: &'a Path) -> Result<Self, Error> {
        let data = place.join("data");
        make_directory(&data)?;
        write(&data.join("job.toml"), JOB.as_bytes())?;
        write(&data.join("rows.csv"), ROWS.as_bytes())?;
        let is_ours = std::fs::metadata(place).is_ok_and(|found| found.uid() == 0);
        if is_ours {
            for path in [&data, &data.join("job.toml"), &data.join("rows.csv")] {
                chown(path, Some(NOBODY), Some(NOBODY)).map_err(io(path))?;
            }
        }
        // What spends a budget wants a directory that nobody else can change.
        std::fs::set_permissions(&data, PermissionsExt::from_mode(0o700)).map_err(io(&data))?;
        Ok(Self { place, is_ours })
    }

    /// Whether a container of the image, with `/data`, does this.
    fn starts(&self, start: &str, line: &str) -> bool {
        let volume = format!("--volume={}:/data", self.place.join("data").display());
        let before = ["--storage-driver vfs", start, CONTAINED].into_iter().flat_map(|words| words.split(' '));
        let after = ["disclosure", line].into_iter().flat_map(|words| words.split(' '));
        runs("podman", &before.chain([volume.as_str()]).chain(after).collect::<Vec<_>>())
    }

    /// `unshare` with these words before the program and its own.
    fn command(&self) -> Command {
        let mut command = Command::new("/usr/bin/unshare");
        match self.is_ours {
            true => command.args(["--setgid", &NOBODY.to_string(), "--setuid", &NOBODY.to_string()]),
            false => command.args(["--user", "--map-root-user"]),
        };
        command.args(["--mount", "--net", "--wd", "/data", "--root"]).arg(self.place);
        command.env_clear().stdin(Stdio::null());
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_root_has_the_job_and_a_directory_that_nobody_else_reads() {
        let place = tempfile::tempdir().unwrap();
        let root = Root::of(place.path()).unwrap();
        let data = place.path().join("data");
        assert_eq!(std::fs::metadata(&data).unwrap().mode() & 0o777, 0o700);
        assert_eq!(std::fs::read_to_string(data.join("job.toml")).unwrap(), JOB);
        let words: Vec<String> = root.command().get_args().map(|word| word.to_string_lossy().into_owned()).collect();
        assert!(words.contains(&"--net".to_owned()) && words.ends_with(&[place.path().display().to_string()]));
    }
}
