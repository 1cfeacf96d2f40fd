//! What a change must pass, in order. Everything in the release profile: what one step has
//! compiled, the next one uses.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::tidy;
use crate::workspace::{Error, Workspace};

/// A step of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Step {
    heading: &'static str,
    /// The words of the command, `cargo` left out.
    arguments: &'static str,
    environment: Option<(&'static str, &'static str)>,
    /// Whether it compiles the feature `lapack`.
    needs_open_blas: bool,
}

const fn step(heading: &'static str, arguments: &'static str) -> Step {
    Step { heading, arguments, environment: None, needs_open_blas: false }
}

const STEPS: &[Step] = &[
    step("Format", "fmt --all --check"),
    // All targets, benches among them. With all features and with none: each line is in one of the
    // two, and a third pass would cost minutes.
    Step {
        needs_open_blas: true,
        ..step("Lints, all features", "clippy --release --workspace --all-targets --all-features -- -D warnings")
    },
    step("Lints, no features", "clippy --release --workspace --all-targets --no-default-features -- -D warnings"),
    // `cargo test --release --workspace` comes before this list; here is what it leaves out.
    Step {
        needs_open_blas: true,
        ..step("Tests, LAPACK", "test --release --package privacy-core-tests --features lapack --test lapack")
    },
    step(
        "Tests, decisions of other programs",
        "test --release --package lcf-tests --features compat --test incumbents",
    ),
    // Alone, since members of a workspace switch each other's features on.
    step("frechet-release without features", "check --release --package frechet-release --no-default-features"),
    step("resplan without features", "check --release --package resplan --no-default-features"),
    // The engines compile for longer than all of this (docs/decisions/0017): here, what needs none
    // of them; the rest is `cargo xtask engines`.
    step(
        "Engines, format",
        "fmt --manifest-path crates/privacy-sql/Cargo.toml --package privacy-sql --package privacy-sql-columns --package privacy-sql-statements --check",
    ),
    step("Engines, lock file", "update --workspace --locked --manifest-path crates/privacy-sql/Cargo.toml"),
    step("Engines, statements on PostgreSQL", "xtask engines --statements"),
    // A workspace of its own, so that nothing else compiles SQLite.
    step("Noisy tables of a SQLite database", "run --manifest-path examples/sqlite/Cargo.toml"),
    step("WebAssembly client", "xtask wasm"),
    step("The workbench in a browser", "xtask web"),
    step("Bridge to mbi", "xtask mbi"),
    // What the last commit changed: survivors are shown, and people judge them.
    step("Mutants of the last change", "xtask mutants --changed HEAD~1 --seconds 240 --longest-test 5"),
    step("Dependencies and their licences", "xtask supply --check"),
    step(
        "Python package, format",
        "fmt --manifest-path crates/disclosure-python/Cargo.toml --package disclosure-python --package disclosure-arrow --check",
    ),
    step("Python package", "xtask python"),
    // Both packages at once, with the features of the step before: what that has compiled is used.
    step(
        "Columns of Arrow",
        "test --locked --manifest-path crates/disclosure-python/Cargo.toml --target-dir target/python/build --package disclosure-python --package disclosure-arrow --features disclosure-python/fixed-generator",
    ),
    step("Attackers, smoke tier", "xtask validate --tier smoke"),
    step("Attackers, seeded faults", "xtask validate --tier smoke --seeded-faults"),
    Step {
        environment: Some(("RUSTDOCFLAGS", "-D warnings")),
        ..step("Documentation", "doc --release --workspace --no-deps")
    },
];

/// Runs `tidy` and all steps; stops at the first failure.
pub(crate) fn run(root: &Path) -> Result<(), Error> {
    let (steps, skipped) = plan(has_open_blas(), std::env::var("CI").is_ok_and(|ci| ci == "true"))?;
    heading("Tidy, fixtures included");
    crate::report(&tidy::all(&Workspace::load(root)?)?)?;
    run_all(&steps, |step| succeeds(step, root))?;
    for step in skipped {
        println!("\nSKIPPED, since OpenBLAS is missing: {}", shown(&step));
    }
    Ok(())
}

/// The steps to run, and those to skip: none in CI.
fn plan(has_open_blas: bool, in_ci: bool) -> Result<(Vec<Step>, Vec<Step>), Error> {
    if in_ci && !has_open_blas {
        return Err(Error::NoOpenBlas);
    }
    Ok(STEPS.iter().cloned().partition(|step| has_open_blas || !step.needs_open_blas))
}

fn run_all(steps: &[Step], mut succeeds: impl FnMut(&Step) -> bool) -> Result<(), Error> {
    let mut durations = Vec::with_capacity(steps.len());
    for step in steps {
        heading(step.heading);
        println!("$ {}", shown(step));
        let start = Instant::now();
        if !succeeds(step) {
            return Err(Error::Step { command: shown(step) });
        }
        durations.push((step.heading, start.elapsed()));
    }
    print_durations(&durations);
    Ok(())
}

/// Where the time went: the longest step first.
fn print_durations(durations: &[(&str, Duration)]) {
    let mut durations = durations.to_vec();
    durations.sort_by_key(|&(_, duration)| std::cmp::Reverse(duration));
    heading("Durations");
    for (heading, duration) in durations {
        println!("{:>6.0} s  {heading}", duration.as_secs_f64());
    }
}

fn heading(words: &str) {
    println!("\n== {words}");
}

/// The command as a reader types it.
fn shown(step: &Step) -> String {
    let variable = step.environment.map(|(name, value)| format!("{name}=\"{value}\" "));
    format!("{}cargo {}", variable.unwrap_or_default(), step.arguments)
}

fn succeeds(step: &Step, root: &Path) -> bool {
    let mut command = program(step);
    command.envs(step.environment).current_dir(root).stdin(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// The process of a step: Cargo, or this program for one of its own commands.
fn program(step: &Step) -> Command {
    let (mut command, arguments) = match (step.arguments.strip_prefix("xtask "), std::env::current_exe()) {
        (Some(own), Ok(this)) => (Command::new(this), own),
        _ => (Command::new(crate::workspace::cargo()), step.arguments),
    };
    command.args(arguments.split(' '));
    command
}

/// Whether the linker finds OpenBLAS, which is what matters in the end.
fn has_open_blas() -> bool {
    let mut linker = Command::new("cc");
    linker.args(["-shared", "-x", "c", "/dev/null", "-lopenblas", "-o", "/dev/null"]);
    linker
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_open_blas_its_steps_are_skipped_at_home_and_an_error_in_ci() {
        let (steps, skipped) = plan(false, false).unwrap();
        assert!(skipped.len() == 2 && skipped.iter().all(|step| step.needs_open_blas));
        assert!(steps.iter().all(|step| !step.needs_open_blas));
        assert_eq!(steps.len() + skipped.len(), STEPS.len());
        assert!(matches!(plan(false, true), Err(Error::NoOpenBlas)));
        for in_ci in [false, true] {
            assert_eq!(plan(true, in_ci).unwrap(), (STEPS.to_vec(), vec![]));
        }
    }

    #[test]
    fn the_first_failure_stops_the_list_and_is_named() {
        let mut ran = 0;
        let failed = run_all(STEPS, |step| {
            ran += 1;
            step.heading != "Documentation"
        });
        let error = failed.unwrap_err().to_string();
        assert_eq!(error, "failed: RUSTDOCFLAGS=\"-D warnings\" cargo doc --release --workspace --no-deps");
        assert_eq!(STEPS[ran - 1].heading, "Documentation");
        assert!(run_all(STEPS, |_| true).is_ok());
    }

    #[test]
    fn our_own_commands_are_this_programs_and_all_others_are_those_of_cargo() {
        let (own, cargo) = (program(&step("", "xtask wasm")), program(&step("", "doc --no-deps")));
        assert_eq!(own.get_program(), std::env::current_exe().unwrap());
        assert_eq!(own.get_args().collect::<Vec<_>>(), ["wasm"]);
        assert_ne!(cargo.get_program(), own.get_program());
        assert_eq!(cargo.get_args().collect::<Vec<_>>(), ["doc", "--no-deps"]);
    }

    #[test]
    fn a_step_succeeds_when_cargo_does() {
        let root = crate::workspace::root();
        assert!(succeeds(&step("", "--version"), &root));
        assert!(!succeeds(&step("", "no-such-command"), &root));
    }
}
