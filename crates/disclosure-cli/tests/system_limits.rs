//! Limits that a system sets for a process: a release either comes to its end, or ends in an error
//! that says what it cost.

use std::process::Command;

use crate::another_user::{as_user, bench};
use crate::support::Bench;

/// Runs a release under a limit of the shell, and gives its exit code, its words and its charges.
fn release(bench: &Bench, limit: &str) -> (Option<i32>, String, usize) {
    let _ = std::fs::remove_file(bench.path("ledger"));
    let words = "resplan release spec.toml rows.csv -o out --ledger ledger --new-ledger --rho 1";
    let script = format!("{{ {limit}; }} && exec ./disclosure {words}");
    let mut command: Command = as_user(bench, "/bin/sh".as_ref());
    let output = command.args(["-c", &script]).output().unwrap();
    let charges = std::fs::read_to_string(bench.path("ledger")).map_or(0, |text| text.matches("{\"spend\"").count());
    (output.status.code(), String::from_utf8(output.stderr).unwrap(), charges)
}

/// A shell calls it -u or -p.
#[test]
fn a_limit_on_processes_ends_no_release() {
    for processes in 1..4 {
        let bench = bench();
        let (code, said, charges) =
            release(&bench, &format!("ulimit -u {processes} 2> /dev/null || ulimit -p {processes}"));
        assert_eq!((code, charges, bench.path("out").is_dir()), (Some(0), 1, true), "{processes}: {said}");
    }
}

#[test]
fn a_limit_on_the_size_of_files_is_an_error_that_says_what_was_charged() {
    let bench = bench();
    let (code, said, charges) = release(&bench, "ulimit -f 4");
    assert!(code == Some(1) && said.contains("E0103") && said.contains("was charged to"), "{code:?}: {said}");
    assert_eq!((charges, bench.path("out").exists()), (1, false));
    assert!(bench.names().iter().all(|name| !name.ends_with(".partial")), "{:?}", bench.names());
}
