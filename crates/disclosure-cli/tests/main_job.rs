//! The main job of the guide: the answer on its first screen, what it promises and writes, and its
//! details. `readme.rs` runs it, as a newcomer does.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::{Bench, Run, fixture, key, mode};

/// What the main job said on a terminal of 80 columns, and wrote into `out`. The first screen: at
/// most 40 lines, with the verdict, what leaves, the cost and the targets. The rest is behind
/// `--details`.
pub(crate) fn its_first_screen_is_the_answer_and_every_part_promises(bench: &Bench, run: &Run) {
    the_first_screen_is_the_answer(run);
    every_part_says_what_it_promises(bench);
}

fn the_first_screen_is_the_answer(run: &Run) {
    // A slow machine says besides how far it is.
    let end = run.err.find("Wrote").unwrap();
    let lines: Vec<&str> = run.out.lines().chain(run.err[end..].lines()).collect();
    assert!(lines.len() <= 40, "{} lines:\n{}{}", lines.len(), run.out, run.err);
    let widest = lines.iter().map(|line| line.chars().count()).max().unwrap();
    assert!(widest <= 80, "{widest} columns:\n{}{}", run.out, run.err);
    for words in ["every target is met", "-zCDP", "budget", "withheld", "label-accuracy-attacked", "noisy-rmse"] {
        assert!(run.out.contains(words), "{words}: {}", run.out);
    }
    assert!(run.err.contains("out/release can be published") && run.err.contains("--details"), "{}", run.err);
    assert!(!run.out.contains("selfLR"), "{}", run.out);
}

fn every_part_says_what_it_promises(bench: &Bench) {
    let manifest: Value = serde_json::from_str(&bench.read("out/manifest.json")).unwrap();
    assert_eq!(manifest["schema"], "disclosure.run/1");
    let promises = manifest["parts"].as_array().unwrap();
    let names: BTreeSet<(&str, &str)> =
        promises.iter().map(|part| (part["name"].as_str().unwrap(), part["kind"].as_str().unwrap())).collect();
    for promise in [
        ("exact", "guarantee"),
        ("filtered", "guarantee"),
        ("filtered", "calibration"),
        ("noisy", "guarantee"),
        ("together", "guarantee"),
        ("screen", "proxy"),
        ("screen", "measured"),
    ] {
        assert!(names.contains(&promise), "{promise:?}");
    }
    for part in promises {
        for field in ["promise", "against", "unit"] {
            assert!(!part[field].as_str().unwrap().is_empty(), "{part}");
        }
        assert!(!part["not_covered"].as_array().unwrap().is_empty(), "{part}");
    }
    let budget = &manifest["budget"];
    let spent = budget["spent_rho"].as_f64().unwrap();
    assert!(spent > 0.0 && spent <= budget["rho"].as_f64().unwrap());
    assert!(manifest["targets"].as_array().unwrap().iter().all(|target| target["met"] == true));
    let names: Vec<&str> =
        manifest["targets"].as_array().unwrap().iter().map(|target| target["name"].as_str().unwrap()).collect();
    let all = "label-accuracy-predicted label-accuracy-attacked exact-policy cells-pinned policy-together groups-pinned \
               noisy-rmse";
    assert_eq!(names.join(" "), all);
    for (document, schema) in [
        ("release/release.json", "disclosure.run-release/1"),
        ("release/exact/release.json", "disclosure.frechet-release/1"),
        ("release/noisy/release.json", "disclosure.release/1"),
        ("review/screen.json", "disclosure.screen-table/1"),
        ("review/audit.json", "disclosure.frechet-audit/1"),
        ("review/plan.json", "disclosure.frechet-plan/1"),
        ("review/filter-audit.json", "disclosure.lcf-audit/1"),
        ("review/attack.json", "disclosure.run-attack/1"),
    ] {
        let document: Value = serde_json::from_str(&bench.read(&format!("out/{document}"))).unwrap();
        assert_eq!(document["schema"], schema);
    }
}

/// Of a pipeline that was released into `out`.
#[cfg(unix)]
fn files_for_the_owner_are_theirs_alone(bench: &Bench) {
    assert_eq!(mode(&bench.path("out/review")), 0o700);
    for file in ["out/manifest.json", "out/review/audit.json", "out/review/attack.json", "key.registry"] {
        assert_eq!(mode(&bench.path(file)), 0o600, "{file}");
    }
    // What may leave can be read as any new file.
    let umask = mode(&bench.path("out")) & 0o044;
    assert_eq!(mode(&bench.path("out/release/release.json")) & 0o044, umask);
    let run = bench.run(&["report", "out", "-o", "page.html"]);
    assert_eq!((run.code, mode(&bench.path("page.html"))), (0, 0o600), "{}", run.err);
    let titanic = fixture("jobs/frechet-titanic.toml");
    let run = bench.run(&["frechet", "bounds", titanic.to_str().unwrap(), "--certificates", "proofs.json"]);
    assert_eq!((run.code, mode(&bench.path("proofs.json"))), (0, 0o600), "{}", run.err);
}

/// With less that is known of a person and smaller groups of columns, so that its attackers take a
/// quarter of the time.
#[test]
fn details_are_behind_a_flag_and_fit_the_terminal() {
    let bench = Bench::new();
    let job = std::fs::read_to_string(fixture("jobs/survey.toml")).unwrap();
    let (known, group_by) = ("known = [\"educ\", \"income\", \"age\"]", "group_by = [\"age\", \"income\"]");
    assert!(job.contains(known) && job.contains(group_by));
    let job = job.replace(known, "known = [\"educ\"]").replace(group_by, "group_by = [\"income\"]");
    let data = format!("\"{}/", fixture("data").display());
    let job = bench.write("job.toml", &job.replace("\"../data/", &data));
    let key = key(&bench);
    let run = bench.run_narrow(&["run", &job, "--secret-file", &key, "--register", "-o", "out", "--details"]);
    assert_eq!(run.code, 0, "{}\n{}", run.out, run.err);
    assert!(run.out.contains("selfLR") && run.out.contains("against"), "{}", run.out);
    assert!(run.out.lines().all(|line| line.chars().count() <= 80), "{}", run.out);
    #[cfg(unix)]
    files_for_the_owner_are_theirs_alone(&bench);
}
