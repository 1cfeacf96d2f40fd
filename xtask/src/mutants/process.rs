//! One test in a process of its own, with a limit of time and of memory.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::build::Program;

/// Most address space of a test, in KiB: a loop that never ends may also never stop allocating.
const MOST_MEMORY: u32 = 8 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Passed(Duration),
    Failed,
    TimedOut,
}

/// The names of the tests of a program, those that are ignored left out.
pub(super) fn tests(program: &Program) -> Vec<String> {
    let listed = |words: &[&str]| {
        let output = Command::new(&program.path).args(words).current_dir(&program.package).output();
        let output = output.map(|output| output.stdout).unwrap_or_default();
        let text = String::from_utf8_lossy(&output).into_owned();
        text.lines().filter_map(|line| line.strip_suffix(": test").map(str::to_owned)).collect::<Vec<_>>()
    };
    let ignored = listed(&["--list", "--ignored"]);
    listed(&["--list"]).into_iter().filter(|name| !ignored.contains(name)).collect()
}

pub(super) fn run(program: &Program, test: &str, variable: (&str, &str), limit: Duration) -> End {
    let start = Instant::now();
    let script = format!("ulimit -c 0; ulimit -v {MOST_MEMORY}; exec \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &script, "sh"]).arg(&program.path).args(["--exact", test, "--test-threads", "1"]);
    command.env("CARGO_MANIFEST_DIR", &program.package).env(variable.0, variable.1);
    // A failure is enough: the least example is nobody's to read.
    command.env("PROPTEST_MAX_SHRINK_ITERS", "0").env("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "true");
    command.current_dir(&program.package).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else { return End::Failed };
    let mut pause = Duration::from_millis(1);
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return End::Passed(start.elapsed()),
            Ok(None) if start.elapsed() < limit => std::thread::sleep(pause),
            Ok(None) => {
                let _ = child.kill();
                let _ = child.wait();
                return End::TimedOut;
            }
            _ => return End::Failed,
        }
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}
