//! The command is killed, with no chance to clean up: what it leaves is whole or absent and paid
//! for, and the next run removes the rest. What a live command is writing stays.

use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use crate::support::{Bench, ROWS, spec, wait_for};

fn start(bench: &Bench, words: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_disclosure"));
    let command = command.current_dir(bench.path("")).args(words);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// A bench with a job, its data and a ledger.
fn bench() -> Bench {
    let bench = Bench::new();
    bench.write("spec.toml", &spec(""));
    bench.write("rows.csv", ROWS);
    let run = bench.run(&["ledger", "open", "ledger", "--rho", "100", "--neighbours", "add-remove"]);
    assert_eq!(run.code, 0, "{}", run.err);
    bench
}

fn charges(bench: &Bench) -> usize {
    bench.json(&["ledger", "show", "ledger", "--json"])["releases"].as_array().unwrap().len()
}

fn leftovers(bench: &Bench) -> Vec<String> {
    bench.names().into_iter().filter(|name| name.ends_with(".partial") || name.ends_with(".lock")).collect()
}

/// Whether a partial output is all that is left: a lock of the ledger comes and goes before it.
fn is_partial_alone(left: &[String]) -> bool {
    matches!(left, [name] if name.ends_with(".partial"))
}

const RELEASE: [&str; 7] = ["resplan", "release", "spec.toml", "rows.csv", "--ledger", "ledger", "-o"];

#[test]
fn what_a_killed_command_leaves_is_whole_and_the_next_run_removes_the_rest() {
    let bench = bench();
    let started = Instant::now();
    assert_eq!(bench.run(&[&RELEASE[..], &["first"]].concat()).code, 0);
    let (duration, kills) = (started.elapsed(), 12);
    let mut paid = charges(&bench);
    for kill in 0..kills {
        let mut child = start(&bench, &[&RELEASE[..], &["out"]].concat());
        std::thread::sleep(duration * kill / kills);
        child.kill().unwrap();
        child.wait().unwrap();
        let now = charges(&bench);
        assert!(now == paid || now == paid + 1, "a charge is whole or absent");
        if bench.path("out").exists() {
            // Every file is the one that the record names.
            let run = bench.run(&["report", "out", "-o", "page.html"]);
            assert_eq!((run.code, now), (0, paid + 1), "{}", run.err);
            std::fs::remove_dir_all(bench.path("out")).unwrap();
        }
        let run = bench.run(&[&RELEASE[..], &["out"]].concat());
        assert_eq!((run.code, leftovers(&bench)), (0, Vec::new()), "{}", run.err);
        std::fs::remove_dir_all(bench.path("out")).unwrap();
        paid = now + 1;
        assert_eq!(charges(&bench), paid);
    }
}

#[test]
fn what_a_live_command_is_writing_stays_and_what_a_killed_one_wrote_goes() {
    let bench = bench();
    let waiting = ["resplan", "release", "spec.toml", "-", "--ledger", "ledger", "-o", "out"];
    let mut killed = start(&bench, &waiting);
    wait_for("a partial directory", || is_partial_alone(&leftovers(&bench)));
    killed.kill().unwrap();
    killed.wait().unwrap();
    let of_killed = leftovers(&bench);
    assert_eq!(of_killed.len(), 1);
    let mut live = start(&bench, &waiting);
    wait_for("another one in its place", || {
        let left = leftovers(&bench);
        is_partial_alone(&left) && left != of_killed
    });
    let of_live = leftovers(&bench);
    let run = bench.run(&[&RELEASE[..], &["out"]].concat());
    assert_eq!((run.code, leftovers(&bench)), (0, of_live), "{}", run.err);
    // The live one finds the place taken, and takes its own things away.
    live.stdin.take().unwrap().write_all(ROWS.as_bytes()).unwrap();
    assert!(!live.wait().unwrap().success());
    assert_eq!(leftovers(&bench), Vec::<String>::new());
    assert_eq!(bench.run(&["report", "out", "-o", "page.html"]).code, 0);
}

/// Memory holds rows and secrets: a crash must not write it to a disk.
#[cfg(target_os = "linux")]
#[test]
fn a_crash_leaves_no_image_of_the_memory() {
    use std::os::unix::process::ExitStatusExt;
    let bench = bench();
    // As far as this system allows a core file at all.
    let script = "ulimit -c unlimited; exec \"$0\" resplan release spec.toml - -o out";
    let mut child = Command::new("sh");
    let child = child.args(["-c", script, env!("CARGO_BIN_EXE_disclosure")]).current_dir(bench.path(""));
    let child = child.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = child.spawn().unwrap();
    let limits = format!("/proc/{}/limits", child.id());
    let core = || {
        let text = std::fs::read_to_string(&limits).unwrap();
        let line = text.lines().find(|line| line.starts_with("Max core file size")).unwrap().to_owned();
        line.split_whitespace().nth(4).unwrap().to_owned()
    };
    let name = format!("/proc/{}/comm", child.id());
    // The shell before it may have no limit either.
    wait_for("without a core", || std::fs::read_to_string(&name).unwrap() == "disclosure\n" && core() == "0");
    let crash = Command::new("kill").args(["-ABRT", &child.id().to_string()]).status().unwrap();
    assert!(crash.success());
    let ended = child.wait().unwrap();
    assert!(ended.signal() == Some(6) && !ended.core_dumped(), "{ended}");
}
