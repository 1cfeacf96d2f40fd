//! Ctrl-C at any moment: the command ends by itself and soon, says what was spent, and leaves
//! nothing half-written behind.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{Bench, ROWS, spec};
use serde_json::Value;

/// Longer than any step that a test waits for; none is timed.
const LONG: Duration = Duration::from_secs(120);

/// A command under way.
struct Running {
    child: Child,
}

/// How a command ended.
struct Ended {
    code: Option<i32>,
    err: String,
}

impl Running {
    fn start(bench: &Bench, words: &[&str]) -> Self {
        Self::start_by(Command::new(env!("CARGO_BIN_EXE_disclosure")), bench, words)
    }

    fn start_by(mut command: Command, bench: &Bench, words: &[&str]) -> Self {
        let command = command.current_dir(bench.path("")).env("COLUMNS", "400").args(words);
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Self { child: command.spawn().unwrap() }
    }

    fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([&format!("-{name}"), &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }

    /// Waits until something holds, and fails where the command ends before.
    fn wait_for(&mut self, what: &str, holds: impl Fn() -> bool) {
        let started = Instant::now();
        while !holds() {
            assert!(self.child.try_wait().unwrap().is_none(), "ended before {what}");
            assert!(started.elapsed() < LONG, "never {what}");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// How it ended. The standard input stays open, and nobody reads the standard output, until
    /// then.
    fn ended(mut self) -> Ended {
        let started = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(started.elapsed() < LONG, "the signal did not end the command");
            std::thread::sleep(Duration::from_millis(2));
        };
        let mut err = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        Ended { code: status.code(), err }
    }
}

impl Ended {
    /// Asserts that a signal ended the command by its own words.
    fn is_stopped(&self, words: &[&str]) {
        assert_eq!(self.code, Some(130), "{}", self.err);
        for words in ["E0108", "stopped before the end"].iter().chain(words) {
            assert!(self.err.contains(words), "{words}: {}", self.err);
        }
    }
}

fn ledger(bench: &Bench) -> String {
    let path = bench.path("ledger").to_str().unwrap().to_owned();
    let run = bench.run(&["ledger", "open", &path, "--rho", "2", "--neighbours", "add-remove"]);
    assert_eq!(run.code, 0, "{}", run.err);
    path
}

fn spent(bench: &Bench) -> f64 {
    bench.json(&["ledger", "show", "ledger", "--json"])["spent_rho"].as_f64().unwrap()
}

/// A spec whose noise and tables take seconds, and its data.
fn large(bench: &Bench) -> [String; 2] {
    let attribute = |name: &str| format!("[[attribute]]\nname = \"{name}\"\nsize = 200\n");
    let attributes: String = ["a", "b", "c"].map(attribute).concat();
    let text =
        format!("marginals = [[\"a\", \"b\", \"c\"]]\nneighbours = \"add-remove\"\n[privacy]\nrho = 0.5\n{attributes}");
    [bench.write("large.toml", &text), bench.write("large.csv", "a,b,c\n1,2,3\n")]
}

#[test]
fn a_command_that_waits_for_data_stops_and_leaves_nothing() {
    let bench = Bench::new();
    let (job, ledger) = (bench.write("spec.toml", &spec("")), ledger(&bench));
    let before = bench.names();
    for signal in if ignores_hang_up() { &["INT", "TERM"][..] } else { &["INT", "TERM", "HUP"] } {
        let words = ["resplan", "release", &job, "-", "-o", "out", "--ledger", &ledger];
        let mut running = Running::start(&bench, &words);
        running.child.stdin.as_mut().unwrap().write_all(ROWS.as_bytes()).unwrap();
        // The directory is prepared before the data are read.
        running.wait_for("a partial directory", || bench.names() != before);
        running.signal(signal);
        running.ended().is_stopped(&["nothing was written, and no ledger was charged"]);
        assert_eq!(bench.names(), before, "nothing is left");
        assert_eq!(spent(&bench), 0.0);
    }
}

/// Whether these tests, and so what they start, outlive their terminal.
fn ignores_hang_up() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.is_none_or(|mask| u64::from_str_radix(mask.trim(), 16).unwrap() & 1 != 0)
}

#[test]
fn a_command_that_was_started_to_outlive_its_terminal_does() {
    let bench = Bench::new();
    let job = bench.write("spec.toml", &spec(""));
    let before = bench.names();
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' HUP; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_disclosure")]);
    let mut running = Running::start_by(command, &bench, &["resplan", "release", &job, "-", "-o", "out"]);
    running.wait_for("a partial directory", || bench.names() != before);
    running.signal("HUP");
    std::thread::sleep(Duration::from_millis(200));
    running.child.stdin.take().unwrap().write_all(ROWS.as_bytes()).unwrap();
    let ended = running.ended();
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert!(bench.path("out").exists());
}

/// Whether a process handles SIGINT by itself, as far as the system tells.
fn is_listening(process: u32) -> bool {
    let Ok(status) = std::fs::read_to_string(format!("/proc/{process}/status")) else {
        std::thread::sleep(Duration::from_millis(500));
        return true;
    };
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    caught.is_some_and(|mask| u64::from_str_radix(mask.trim(), 16).is_ok_and(|mask| mask & 0b10 != 0))
}

#[test]
fn every_command_that_reads_data_stops_and_leaves_nothing() {
    let bench = Bench::new();
    bench.write("spec.toml", &spec(""));
    bench.write("adaptive.toml", &spec("").replace("up_to = 2", "up_to = 1"));
    let group =
        "aid = [{ column = \"age\", form = \"integer\" }]\nmean = 8.0\nsd = 1.5\nalways_suppress_upper_bound = 2\n";
    bench.write("groups.toml", &format!("group_by = [\"sex\"]\n{group}"));
    bench.write("ldp.toml", "[[feature]]\nname = \"sex\"\nvalues = [\"f\", \"m\"]\nprotocol = \"rr\"\nepsilon = 1.0\n");
    let attributes =
        "[[attribute]]\nname = \"sex\"\nlabels = [\"f\", \"m\"]\n[[attribute]]\nname = \"age\"\nsize = 3\n";
    bench.write(
        "screen.toml",
        &format!("target = \"sex\"\nknown = [\"age\"]\nsuppress_below = 2\nnoise = 1\n{attributes}"),
    );
    bench.write(
        "job.toml",
        &format!("[budget]\nrho = 1.0\nneighbours = \"add-remove\"\n[noisy]\nup_to = 1\n{attributes}"),
    );
    let made = bench.run(&["lcf", "filter", "groups.toml", "-", "--secret-file", "key", "--new-secret"]);
    assert_ne!(made.code, 0, "no rows");
    let before = bench.names();
    for words in [
        "resplan simulate spec.toml - --trials 3 --seed 1 -o measured",
        "adaptive release adaptive.toml - -o out",
        "run job.toml - -o out",
        "lcf filter groups.toml - --secret-file key -o out",
        "lcf group groups.toml - --secret-file key -o out",
        "ldp encode ldp.toml - -o out",
        "screen table screen.toml -",
        "screen simulate screen.toml - --trials 2 --seed 1",
    ] {
        let mut running = Running::start(&bench, &words.split(' ').collect::<Vec<_>>());
        running.child.stdin.as_mut().unwrap().write_all(ROWS.as_bytes()).unwrap();
        let process = running.child.id();
        running.wait_for("a handler", || is_listening(process));
        running.signal("INT");
        running.ended().is_stopped(&["nothing was written, and no ledger was charged"]);
        assert_eq!(bench.names(), before, "{words}: nothing is left");
    }
}

#[test]
fn a_command_that_waits_for_the_ledger_stops_and_leaves_the_lock_of_the_other() {
    let bench = Bench::new();
    let (job, data, ledger) = (bench.write("spec.toml", &spec("")), bench.write("d.csv", ROWS), ledger(&bench));
    let lock = std::fs::File::create(bench.path("ledger.lock")).unwrap();
    lock.lock().unwrap();
    let before = bench.names();
    let running = Running::start(&bench, &["resplan", "release", &job, &data, "-o", "out", "--ledger", &ledger]);
    // It looks at the lock every few milliseconds.
    std::thread::sleep(Duration::from_millis(300));
    running.signal("INT");
    running.ended().is_stopped(&["no ledger was charged"]);
    assert_eq!(bench.names(), before, "the lock is that of another writer");
    drop(lock);
    std::fs::remove_file(bench.path("ledger.lock")).unwrap();
    assert_eq!(spent(&bench), 0.0);
}

#[test]
fn a_release_that_was_paid_for_says_so_when_it_is_stopped() {
    let bench = Bench::new();
    let ([job, data], ledger) = (large(&bench), ledger(&bench));
    let before = bench.names();
    let words = ["resplan", "release", &job, &data, "-o", "out", "--ledger", &ledger, "--json"];
    let mut running = Running::start(&bench, &words);
    let opened = std::fs::metadata(&ledger).unwrap().len();
    running.wait_for("a charge", || std::fs::metadata(&ledger).is_ok_and(|found| found.len() > opened));
    running.signal("INT");
    let ended = running.ended();
    ended.is_stopped(&["nothing was written"]);
    let error: Value = serde_json::from_str(&ended.err).expect("a program reads one document and nothing else");
    assert_eq!((&error["exit_code"], &error["spent"]), (&130.into(), &true.into()));
    let said = format!("rho {} was charged to", spent(&bench));
    assert!(spent(&bench) > 0.49, "the ledger has the charge");
    assert!(error["next"].as_str().unwrap().starts_with(&said), "{said}: {error}");
    assert_eq!(bench.names(), before, "nothing is left");
}

#[test]
fn an_output_that_was_whole_by_then_is_named() {
    let bench = Bench::new();
    let ledger = ledger(&bench);
    // A document of more bytes than a pipe holds: nobody reads it, so the command waits.
    let names: Vec<String> = (0..30).map(|n| format!("attribute-with-a-long-name-{n}")).collect();
    let attributes: String = names.iter().map(|name| format!("[[attribute]]\nname = \"{name}\"\nsize = 2\n")).collect();
    let text = format!("up_to = 2\nneighbours = \"add-remove\"\n[privacy]\nrho = 0.5\n{attributes}");
    let job = bench.write("wide.toml", &text);
    let data = bench.write("wide.csv", &format!("{}\n{}\n", names.join(","), ["1"; 30].join(",")));
    let words = ["resplan", "release", &job, &data, "-o", "out", "--ledger", &ledger, "--json"];
    let mut running = Running::start(&bench, &words);
    running.wait_for("the release", || bench.path("out/release.json").exists());
    std::thread::sleep(Duration::from_millis(300));
    running.signal("INT");
    let ended = running.ended();
    ended.is_stopped(&["already complete: out", "was charged to"]);
    assert_eq!(bench.names(), ["ledger", "out", "wide.csv", "wide.toml"]);
}

/// Wherever it is: reading, screening, auditing or attacking.
#[test]
fn a_pipeline_stops_at_any_moment() {
    let bench = Bench::new();
    let job = long_pipeline(&bench);
    ledger(&bench);
    let before = bench.names();
    for delay in [10, 60, 150, 300, 600, 1_000] {
        let mut running = Running::start(&bench, &["run", &job, "-o", "out"]);
        running.wait_for("a partial directory", || bench.names() != before);
        std::thread::sleep(Duration::from_millis(delay));
        running.signal("INT");
        running.ended().is_stopped(&["nothing was written, and no ledger was charged"]);
        assert_eq!(bench.names(), before, "nothing is left after {delay} ms");
        assert_eq!(spent(&bench), 0.0);
    }
}

/// A job that takes many seconds before it draws anything: a million rows, audits and attacks.
fn long_pipeline(bench: &Bench) -> String {
    let mut rows = String::from("a,b,c,vote\n");
    for row in 0..400_000_u32 {
        let x = row.wrapping_mul(2_654_435_761) >> 8;
        rows += &format!("{},{},{},{}\n", x % 12, (x >> 4) % 11, (x >> 8) % 9, (x >> 12) % 3);
    }
    bench.write("rows.csv", &rows);
    let attribute = |(name, size): (&str, u32)| format!("[[attribute]]\nname = \"{name}\"\nsize = {size}\n");
    let attributes: String = [("a", 12), ("b", 11), ("c", 9), ("vote", 3)].map(attribute).concat();
    bench.write(
        "job.toml",
        &format!(
            "data = \"rows.csv\"\n[budget]\nrho = 0.5\nneighbours = \"add-remove\"\nledger = \"ledger\"\n\
             [screen]\ntarget = \"vote\"\nknown = [\"a\", \"b\", \"c\"]\nsuppress_below = 5\nnoise = 3\nmax_order = 2\n\
             [exact]\nmargins = [[\"a\", \"b\"], [\"b\", \"c\"], [\"a\", \"c\"]]\ntau = 0\nbeta = 0.05\nkappa = 1\n\
             [noisy]\nup_to = 2\n{attributes}"
        ),
    )
}
