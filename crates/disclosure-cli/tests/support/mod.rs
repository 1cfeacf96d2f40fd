//! A workbench for tests of the command: a directory of its own, fixtures, and what a run said.

pub(crate) mod frechet;
pub(crate) mod workbook;

use std::path::{Path, PathBuf};
use std::process::Output;
#[cfg(unix)]
use std::time::{Duration, Instant};

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

/// A file of the repository's fixtures.
pub(crate) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(name)
}

/// A temporary directory to run the command in.
pub(crate) struct Bench {
    directory: TempDir,
}

/// What a run said, and how it ended.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Writes a file and gives its path as a word of the command.
    pub(crate) fn write(&self, name: &str, text: &str) -> String {
        std::fs::write(self.path(name), text).unwrap();
        self.path(name).to_str().unwrap().to_owned()
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Names in the directory, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.directory.path()).unwrap();
        let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub(crate) fn run(&self, words: &[&str]) -> Run {
        self.run_with(words, "")
    }

    /// Runs the command in the directory with this standard input.
    pub(crate) fn run_with(&self, words: &[&str], input: &str) -> Run {
        self.run_within("400", &replacing(words), input)
    }

    /// Runs the command on a terminal of 80 columns; other tests look for whole sentences.
    pub(crate) fn run_narrow(&self, words: &[&str]) -> Run {
        self.run_within("80", words, "")
    }

    fn run_within(&self, columns: &str, words: &[&str], input: &str) -> Run {
        let mut command = Command::cargo_bin("disclosure").unwrap();
        let command = command.current_dir(self.directory.path()).env("COLUMNS", columns).args(words);
        Run::of(&command.write_stdin(input).output().unwrap())
    }

    /// Runs the command and reads its one JSON document.
    pub(crate) fn json(&self, words: &[&str]) -> Value {
        let run = self.run(words);
        assert_eq!(run.code, 0, "{}", run.err);
        serde_json::from_str(&run.out).unwrap()
    }
}

/// A secret that only its owner can read.
pub(crate) fn key(bench: &Bench) -> String {
    let path = bench.write("key", "0123456789abcdef0123456789ABCDEF");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    path
}

/// The permissions of a file.
#[cfg(unix)]
pub(crate) fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

impl Run {
    fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        Self { code: output.status.code().unwrap(), out: text(&output.stdout), err: text(&output.stderr) }
    }
}

/// Longer than any step that a test waits for; none is timed.
#[cfg(unix)]
const LONG: Duration = Duration::from_secs(120);

#[cfg(unix)]
pub(crate) fn wait_for(what: &str, holds: impl Fn() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < LONG, "never {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The words with `--force` for a command that writes a file: tests write one name several times.
fn replacing<'a>(words: &[&'a str]) -> Vec<&'a str> {
    const WRITING: [[&str; 2]; 11] = [
        ["ldp", "encode"],
        ["ldp", "aggregate"],
        ["ldp", "merge"],
        ["lcf", "filter"],
        ["lcf", "group"],
        ["resplan", "plan"],
        ["resplan", "simulate"],
        ["frechet", "bounds"],
        ["frechet", "audit"],
        ["screen", "table"],
        ["screen", "search"],
    ];
    let is_writing =
        matches!(words.first(), Some(&"report" | &"synth")) || WRITING.iter().any(|known| words.starts_with(known));
    words.iter().copied().chain(is_writing.then_some("--force")).collect()
}

/// A spec over two small attributes; `more` is put before the tables.
pub(crate) fn spec(more: &str) -> String {
    format!(
        "up_to = 2\nneighbours = \"add-remove\"\n{more}\n[privacy]\nrho = 0.5\n\n\
         [[attribute]]\nname = \"sex\"\nlabels = [\"f\", \"m\"]\n\n[[attribute]]\nname = \"age\"\nsize = 3\n"
    )
}

/// Rows of that spec.
pub(crate) const ROWS: &str = "sex,age\nf,0\nm,2\nm,1\nf,0\n";

/// A spec over one attribute `x` of these categories and basis, both as they are written; `more`
/// is put before the tables.
pub(crate) fn one_attribute(categories: &str, basis: &str, more: &str) -> String {
    format!(
        "marginals = [[\"x\"]]\nneighbours = \"add-remove\"\n{more}\n[privacy]\npcost = 1.0\n\n\
         [[attribute]]\nname = \"x\"\n{categories}\nbasis = {basis}\n"
    )
}

/// The numbers of one column of a CSV file without quoted commas, from 0.
pub(crate) fn numbers(csv: &str, column: usize) -> Vec<f64> {
    csv.lines().skip(1).map(|line| line.split(',').nth(column).unwrap().parse().unwrap()).collect()
}

/// The texts of the first column.
pub(crate) fn first_column(csv: &str) -> Vec<&str> {
    csv.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect()
}
