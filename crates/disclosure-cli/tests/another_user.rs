//! The command as a user whom permissions stop: they do not stop root, so where the tests run as
//! root, a copy of the command runs as somebody else.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::{Bench, ROWS, spec, wait_for};

/// Any user but root.
const SOMEBODY: u32 = 12_345;

/// A program that starts as a user who is not root, in a bench that is theirs.
pub(crate) fn as_user(bench: &Bench, program: &Path) -> Command {
    let home = bench.path("");
    let mut command = Command::new(program);
    command.current_dir(&home);
    if fs::metadata(&home).unwrap().uid() == 0 {
        give(&home);
    }
    match fs::metadata(&home).unwrap().uid() {
        SOMEBODY => command.uid(SOMEBODY).gid(SOMEBODY),
        _ => &mut command,
    };
    command
}

/// Gives a directory to somebody with all that is in it.
fn give(place: &Path) {
    chown(place, Some(SOMEBODY), Some(SOMEBODY)).unwrap();
    if place.is_dir() {
        fs::read_dir(place).unwrap().for_each(|entry| give(&entry.unwrap().path()));
    }
}

/// A bench with a job and rows, and the command where every user can start it.
pub(crate) fn bench() -> Bench {
    let bench = Bench::new();
    bench.write("spec.toml", &spec(""));
    bench.write("rows.csv", ROWS);
    // By a process of its own: a program that another test starts meanwhile would hold the copy open
    // for writing, and it could not be run.
    let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_disclosure")).arg(bench.path("disclosure")).status();
    assert!(copied.unwrap().success());
    bench
}

fn run(bench: &Bench, words: &[&str]) -> (Option<i32>, String) {
    let output = as_user(bench, &bench.path("disclosure")).args(words).output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_directory_that_cannot_be_made_durable_is_refused_before_the_charge() {
    let bench = bench();
    fs::create_dir(bench.path("held")).unwrap();
    let opened = run(&bench, &["ledger", "open", "ledger", "--rho", "1", "--neighbours", "add-remove"]);
    assert_eq!(opened.0, Some(0), "{}", opened.1);
    let before = fs::read(bench.path("ledger")).unwrap();
    let mode = |mode| fs::set_permissions(bench.path("held"), fs::Permissions::from_mode(mode)).unwrap();
    let release =
        || run(&bench, &["resplan", "release", "spec.toml", "rows.csv", "--ledger", "ledger", "-o", "held/out"]);
    // Its owner can write to it and not read it, so nothing in it can be made durable.
    mode(0o311);
    let (code, said) = release();
    assert!(code == Some(1) && said.contains("error[E0103]"), "{code:?}: {said}");
    assert_eq!(fs::read(bench.path("ledger")).unwrap(), before, "not charged");
    mode(0o755);
    assert_eq!(fs::read_dir(bench.path("held")).unwrap().count(), 0);
    let (code, said) = release();
    assert!(code == Some(0) && fs::read(bench.path("ledger")).unwrap() != before, "{said}");
}

/// The files of a process that is not dumpable belong to root, and nobody else of its user reads
/// its memory.
#[cfg(target_os = "linux")]
#[test]
fn other_programs_of_the_user_do_not_read_its_memory() {
    let bench = bench();
    let owner_once = |program: &Path, words: &[&str], holds: fn(u32) -> bool| {
        let mut command = as_user(&bench, program);
        command.args(words).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let environment = format!("/proc/{}/environ", child.id());
        wait_for("the owner that it has to have", || holds(fs::metadata(&environment).unwrap().uid()));
        // It waits for its input.
        assert!(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
    };
    owner_once(Path::new("/bin/cat"), &[], |owner| owner != 0);
    let words = ["resplan", "release", "spec.toml", "-", "-o", "out", "--ledger", "ledger"];
    owner_once(&bench.path("disclosure"), &words, |owner| owner == 0);
}
