//! Suppression patterns of other tools, from the outside.

use crate::support::frechet::json;
use crate::support::{Bench, fixture};
use serde_json::Value;

fn pattern(name: &str) -> String {
    fixture(name).to_str().unwrap().to_owned()
}

fn cell(report: &Value, cell: u64) -> &Value {
    report["cells"].as_array().unwrap().iter().find(|found| found["cell"] == cell).unwrap()
}

#[test]
fn a_pattern_that_gives_a_sensitive_cell_away_ends_in_exit_code_4_and_says_which() {
    let bench = Bench::new();
    let run = bench.run(&["frechet", "audit", "--jj", &pattern("frechet/wp22_two_in_every_line.jj"), "--json"]);
    assert_eq!(run.code, 4, "{}", run.err);
    assert!(run.err.contains("E0414"), "{}", run.err);
    let report = json(&run);
    assert_eq!(report["schema"], "disclosure.frechet-pattern/1");
    assert_eq!((report["primary"]["all"].as_i64(), report["primary"]["exposed"].as_i64()), (Some(6), Some(1)));
    let exposed = cell(&report, 3);
    assert_eq!((exposed["is_pinned"].as_bool(), exposed["protected"].as_str()), (Some(true), Some("no")));
    assert_eq!((exposed["lower"].as_i64(), exposed["upper"].as_i64()), (Some(1), Some(1)));
    let words = bench.run(&["frechet", "audit", "--jj", &pattern("frechet/wp22_two_in_every_line.jj")]);
    assert!(words.out.contains("guarantee") && words.out.contains("known exactly"), "{}", words.out);
}

#[test]
fn a_pattern_that_protects_ends_well_and_what_proves_it_can_be_checked() {
    let bench = Bench::new();
    let words = ["frechet", "audit", "--jj", &pattern("frechet/wp22_optimal.jj"), "--json", "--certificates", "p.json"];
    let report = bench.json(&words);
    assert_eq!((report["target_met"].as_bool(), report["primary"]["protected"].as_i64()), (Some(true), Some(6)));
    assert_eq!(bench.run(&["frechet", "verify", "p.json"]).code, 0);
}

#[test]
fn a_pattern_of_another_tool_leaves_a_third_of_its_sensitive_cells_known_exactly() {
    let bench = Bench::new();
    let run = bench.run(&["frechet", "audit", "--jj", &pattern("frechet/gausssuppression_10x10x10.jj"), "--json"]);
    let report = json(&run);
    assert_eq!((report["primary"]["all"].as_i64(), report["primary"]["pinned"].as_i64()), (Some(114), Some(37)));
    assert_eq!(report["primary"]["unknown"], 0);
}

#[test]
fn work_is_limited_in_steps_and_what_is_left_is_not_decided() {
    let bench = Bench::new();
    let file = pattern("frechet/wp22_optimal.jj");
    let run = bench.run(&["frechet", "audit", "--jj", &file, "--json", "--all-steps", "1"]);
    assert_eq!(run.code, 4, "{}", run.err);
    let report = json(&run);
    assert!(report["primary"]["unknown"].as_i64() > Some(0) && report["primary"]["exposed"] == 0, "{report}");
    let few = bench.run(&["frechet", "audit", "--jj", &file, "--json", "--steps", "1", "--nodes", "0"]);
    assert_eq!(few.code, 4, "the counts of the file are the first table: {}", few.err);
    assert!(json(&few)["primary"]["unknown"].as_i64() > Some(0));
    let job = fixture("jobs/frechet-admissions.toml");
    assert_eq!(bench.run(&["frechet", "audit", job.to_str().unwrap(), "--all-steps", "9"]).code, 2);
}

#[test]
fn hostile_files_are_refused_with_a_line_and_without_a_count() {
    let bench = Bench::new();
    let good = std::fs::read_to_string(fixture("frechet/wp22_two_in_every_line.jj")).unwrap();
    let first = "0 15 15 s 0 135 0 0 0";
    assert!(good.contains(first));
    let cases = [
        ("", "E0364", "line 1"),
        ("1\n", "E0364", "line 1"),
        ("0\n99999999999999\n", "E0364", "line 3"),
        (&good[..good.len() / 2], "E0364", "line"),
        (&good.replace(first, "0 15.5 15 s 0 135 0 0 0"), "E0365", "line 3"),
        (&good.replace(first, "0 15 15 s 0 inf 0 0 0"), "E0365", "line 3"),
        (&good.replace(first, "0 15 15 q 0 135 0 0 0"), "E0364", "line 3"),
        (&good.replace(first, "0 14 14 s 0 135 0 0 0"), "E0367", "relation"),
        (&good.replace(first, "0 15 15 s 16 135 0 0 0"), "E0367", "cell 0"),
        (&good.replace(first, "7 15 15 s 0 135 0 0 0"), "E0366", "line 3"),
        (&good.replace("4 (-1)", "400 (-1)"), "E0366", "line"),
        (&good.replace("4 (-1)", "4 (-3)"), "E0366", "line"),
        (&good.replace("4 (-1) 0 (1)", "4 (-1) 4 (1)"), "E0366", "twice"),
    ];
    for (text, code, place) in cases {
        let file = bench.write("hostile.jj", text);
        let run = bench.run(&["frechet", "audit", "--jj", &file, "--certificates", "p.json"]);
        assert_eq!(run.code, 3, "{code}: {}", run.err);
        assert!(run.err.contains(code) && run.err.contains(place), "{code}: {}", run.err);
        assert!(run.out.is_empty() && !run.err.contains("135") && !run.err.contains("15.5"), "{}", run.err);
        assert_eq!(bench.names(), ["hostile.jj"], "nothing is written");
    }
    let both = bench.run(&["frechet", "audit", "job.toml", "--jj", "hostile.jj"]);
    assert_eq!((both.code, both.out.as_str()), (2, ""));
}
