//! The tutorials as a reader follows them: files and commands of each in one directory, in their
//! order, and the lines of output that they quote.

use std::path::Path;
use std::process::{Command, Stdio};

fn repository() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// The language and the text of each block of code.
fn blocks(text: &str) -> Vec<(&str, &str)> {
    let parts = text.split("\n```").skip(1).step_by(2);
    parts.map(|block| block.split_once('\n').unwrap()).collect()
}

/// Runs the commands of a block; what they print. They stop at the first that fails.
fn run(commands: &str, directory: &Path) -> String {
    let programs = Path::new(env!("CARGO_BIN_EXE_disclosure")).parent().unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let output = Command::new("sh")
        .args(["-ec", commands])
        .current_dir(directory)
        .env("PATH", path)
        .env("COLUMNS", "80")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{commands}: {error}");
    assert_width(&error, commands);
    // Thousands are separated by narrow spaces, which nobody types.
    String::from_utf8(output.stdout).unwrap().replace('\u{202f}', " ")
}

/// Asserts that no line is wider than a terminal of 80 columns.
fn assert_width(text: &str, commands: &str) {
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "{commands}\nprints a line of {} columns: {line}", line.chars().count());
    }
}

/// Follows a tutorial, and asserts that every line that it quotes was printed.
fn follow(name: &str) {
    let text = std::fs::read_to_string(repository().join("docs/tutorials").join(name)).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let fixtures = std::fs::canonicalize(repository().join("fixtures")).unwrap();
    std::os::unix::fs::symlink(fixtures, directory.path().join("fixtures")).unwrap();
    let (mut printed, mut commands) = (String::new(), 0);
    for (language, block) in blocks(&text) {
        match language {
            "toml" => {
                let file = block.lines().next().unwrap().strip_prefix("# ").unwrap();
                std::fs::write(directory.path().join(file), block).unwrap();
            }
            "sh" => {
                let said = run(block, directory.path());
                // Other programs print files as they are.
                if block.lines().all(|line| line.starts_with("disclosure ") && !line.contains("--json")) {
                    assert_width(&said, block);
                }
                printed += &said;
                commands += block.lines().filter(|line| line.starts_with("disclosure ")).count();
            }
            "text" => {
                for line in block.lines().filter(|line| !line.trim().is_empty()) {
                    assert!(printed.lines().any(|said| said == line), "{name} quotes {line:?}: {printed}");
                }
            }
            other => panic!("{name}: a block of {other:?}"),
        }
    }
    assert!(commands >= 4, "{name}: {commands} commands");
}

#[test]
fn a_first_release_works_as_written() {
    follow("first-release.md");
}

#[test]
fn which_tables_may_go_out_exactly_works_as_written() {
    follow("exact-tables.md");
}

#[test]
fn questions_without_end_work_as_written() {
    follow("questions.md");
}

#[test]
fn nobody_trusted_works_as_written() {
    follow("nobody-trusted.md");
}

#[test]
fn every_tutorial_is_followed() {
    let files = std::fs::read_dir(repository().join("docs/tutorials")).unwrap();
    let mut names: Vec<String> = files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    // `cargo xtask web` goes through the pages of the one in the browser. The two about engines are
    // for another program, with data of the reader's own.
    for elsewhere in ["in-the-browser.md", "large-table.md", "postgresql.md"] {
        let place = names.iter().position(|name| name == elsewhere);
        names.remove(place.unwrap());
    }
    assert_eq!(names, ["README.md", "exact-tables.md", "first-release.md", "nobody-trusted.md", "questions.md"]);
}
