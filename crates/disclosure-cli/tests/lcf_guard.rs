//! The difference guard of `lcf filter`, from the outside.

use std::fmt::Write as _;

use crate::support::{Bench, Run};
use serde_json::Value;

const SPEC: &str =
    "group_by = [\"town\"]\naid = [\"patient\"]\nalways_suppress_upper_bound = 2\nmean = 8.0\nsd = 1.5\n";
const GUARDED: &str = "guard = true\n";
const GROUPS: u32 = 120;

/// Towns of eight patients, without the last one where `short`.
fn towns(short: bool) -> String {
    let mut data = "patient,town\n".to_owned();
    for town in 0..GROUPS {
        for patient in 0..8 - u32::from(short) {
            writeln!(data, "{},t{town:03}", 100 * town + patient).unwrap();
        }
    }
    data
}

fn filter(bench: &Bench, spec: &str, data: &str, more: &[&str]) -> Run {
    let key = bench.path("key").to_str().unwrap().to_owned();
    let (spec, data) = (bench.write("spec.toml", spec), bench.write("data.csv", data));
    bench.run(&[&["lcf", "filter", &spec, &data, "--secret-file", &key, "--json"], more].concat())
}

fn guarded(bench: &Bench, data: &str) -> Run {
    filter(bench, &format!("{SPEC}{GUARDED}"), data, &["--new-secret"])
}

fn document(run: &Run) -> Value {
    assert_eq!(run.code, 0, "{}", run.err);
    serde_json::from_str(&run.out).unwrap()
}

/// The towns that are shown.
fn shown(run: &Run) -> Vec<String> {
    let document = document(run);
    let groups = document["groups"].as_array().unwrap().iter();
    groups.map(|group| group["group"]["town"].as_str().unwrap().to_owned()).collect()
}

fn refused(run: &Run) -> (String, i32) {
    let error: Value = serde_json::from_str(run.err.lines().last().unwrap()).unwrap();
    (error["code"].as_str().unwrap().to_owned(), run.code)
}

#[test]
fn a_table_with_one_patient_less_in_every_town_shows_the_towns_of_the_first() {
    let bench = Bench::new();
    let run = guarded(&bench, &towns(false));
    let calibration = document(&run)["promise"]["calibration"].as_str().unwrap().to_owned();
    assert!(calibration.contains("differs by one entity") && calibration.contains("4.30e-4"), "{calibration}");
    let first = shown(&run);
    assert!((20..100).contains(&first.len()), "{}", first.len());
    assert_eq!(shown(&guarded(&bench, &towns(true))), first);
    assert_eq!(shown(&guarded(&bench, &towns(false))), first);
    // Without a guard a fair share of the towns changes sides.
    let bench = Bench::new();
    let free = |data: &str| shown(&filter(&bench, SPEC, data, &["--new-secret"]));
    assert_ne!(free(&towns(false)), free(&towns(true)));
}

#[test]
fn a_secret_has_a_guard_for_good_and_its_answers_may_not_be_lost() {
    let bench = Bench::new();
    guarded(&bench, &towns(false));
    let older = std::fs::read(bench.path("key.answers")).unwrap();
    assert_eq!(refused(&filter(&bench, SPEC, &towns(false), &[])), ("E0408".to_owned(), 4));
    // Nothing new was answered, so nothing is written.
    guarded(&bench, &towns(false));
    assert_eq!(std::fs::read(bench.path("key.answers")).unwrap(), older);
    guarded(&bench, &towns(true));
    std::fs::write(bench.path("key.answers"), &older).unwrap();
    assert_eq!(refused(&guarded(&bench, &towns(true))), ("E0410".to_owned(), 4));
    std::fs::remove_file(bench.path("key.answers")).unwrap();
    assert_eq!(refused(&guarded(&bench, &towns(true))), ("E0410".to_owned(), 4));
}

#[test]
fn the_owner_looks_at_a_group_and_nothing_is_answered() {
    let bench = Bench::new();
    let (spec, data) = (bench.write("spec.toml", &format!("{SPEC}{GUARDED}")), bench.write("data.csv", &towns(false)));
    let key = bench.path("key").to_str().unwrap().to_owned();
    let explain =
        || bench.run(&["lcf", "explain", &spec, &data, "--secret-file", &key, "--new-secret", "--group", "t007"]);
    let before = explain();
    assert_eq!(before.code, 0, "{}", before.err);
    assert!(!bench.path("key.answers").exists());
    let is_shown = shown(&guarded(&bench, &towns(false))).contains(&"t007".to_owned());
    assert_eq!(explain().out, before.out);
    assert_eq!(
        document(&filter(&bench, &format!("{SPEC}{GUARDED}"), &towns(false), &[]))["schema"],
        "disclosure.lcf-filter/2"
    );
    assert_eq!(before.out.contains("not shown"), !is_shown, "{}", before.out);
}

#[test]
fn a_guard_that_would_hide_nothing_is_refused() {
    let bench = Bench::new();
    for more in ["counts = \"rounded\"\n", "counts = \"exact\"\n", "draws = \"publish\"\ngroups_per_entity = 1\n"] {
        let run = filter(&bench, &format!("{SPEC}{GUARDED}{more}"), &towns(false), &["--new-secret"]);
        assert_eq!(refused(&run), ("E0284".to_owned(), 2), "{more}");
    }
    let two = format!("{SPEC}{GUARDED}").replace("[\"patient\"]", "[\"patient\", \"town\"]");
    assert_eq!(refused(&filter(&bench, &two, &towns(false), &["--new-secret"])), ("E0284".to_owned(), 2));
}
