//! `disclosure screen simulate`, and `screen search --confirm`.

use crate::support::{Bench, fixture};

/// 40 people, two known columns: attacked in milliseconds.
fn small(more: &str) -> String {
    format!("rows = 40\ncardinalities = [3, 4]\nclasses = 2\nsuppress_below = 2\nnoise = 1\n{more}")
}

#[test]
fn measured_accuracies_stand_between_chance_and_ceiling_beside_the_predictions() {
    let bench = Bench::new();
    let spec = bench.write("spec.toml", &small(""));
    let report = bench.json(&["screen", "simulate", &spec, "--trials", "4", "--seed", "7", "--json"]);
    assert_eq!(report["schema"], "disclosure.screen-simulate/1");
    assert_eq!(report["promise"]["kind"], "measured");
    let mean = |value: &serde_json::Value| value["mean"].as_f64().unwrap();
    let (blind, ceiling) = (mean(&report["blind_accuracy"]), mean(&report["ceiling_accuracy"]));
    let attackers = report["attackers"].as_array().unwrap();
    assert_eq!(
        attackers.iter().map(|a| a["evidence"].as_str().unwrap()).collect::<Vec<_>>(),
        ["released", "with-suppressed"]
    );
    for attacker in attackers {
        let accuracy = mean(&attacker["accuracy"]);
        assert!(blind < accuracy && accuracy <= ceiling + 1e-12, "{blind} {accuracy} {ceiling}");
        assert!(attacker["methods"].as_array().unwrap().len() >= 4);
    }
    assert!(report["estimate"]["accuracy"].as_f64().unwrap() > 0.5 && report["expected_accuracy"].is_number());
    assert_eq!((&report["trials"], &report["seed"]), (&4.into(), &7.into()));
}

#[test]
fn a_seed_repeats_and_one_trial_has_no_error() {
    let bench = Bench::new();
    let spec = bench.write("spec.toml", &small(""));
    let run = |seed| bench.run(&["screen", "simulate", &spec, "--trials", "1", "--seed", seed, "--json"]).out;
    assert_eq!(run("1"), run("1"));
    assert_ne!(run("1"), run("2"));
    let report: serde_json::Value = serde_json::from_str(&run("1")).unwrap();
    assert!(report["blind_accuracy"]["standard_error"].is_null());
}

#[test]
fn an_attack_that_exceeds_the_target_ends_in_4_after_the_report() {
    let bench = Bench::new();
    let spec = bench.write("spec.toml", &small("target_accuracy = 0.51\n"));
    let run = bench.run(&["screen", "simulate", &spec, "--trials", "2", "--seed", "1"]);
    assert_eq!(run.code, 4);
    assert!(run.err.contains("E0415") && run.out.contains("a solver reconstructed"), "{}{}", run.out, run.err);
    assert!(run.out.contains("best") && run.out.contains("more than guessing"), "{}", run.out);
    assert!(run.out.find("measured").unwrap() < run.out.find("share of correct labels").unwrap());
}

#[test]
fn a_real_table_is_attacked_with_its_own_rows() {
    let bench = Bench::new();
    let (spec, data) = (fixture("jobs/screen-voters.toml"), fixture("data/anes96.csv"));
    let (spec, data) = (spec.to_str().unwrap(), data.to_str().unwrap());
    let report = bench.json(&["screen", "simulate", spec, data, "--trials", "1", "--seed", "1", "--json"]);
    assert_eq!(report["release"]["rows"], 944);
    assert!(report["computed_from"].as_str().unwrap().contains("keep this"));
    assert!(report["attackers"][1]["accuracy"]["mean"].as_f64().unwrap() > 0.9);
}

#[test]
fn releases_that_are_too_large_are_refused_before_they_are_made() {
    let bench = Bench::new();
    let spec = |rows: u64, columns: &str, classes: &str| {
        let text =
            format!("rows = {rows}\ncardinalities = {columns}\nclasses = {classes}\nsuppress_below = 3\nnoise = 2\n");
        bench.write("spec.toml", &text)
    };
    let simulate =
        |spec: &str, trials: &str| bench.run(&["screen", "simulate", spec, "--trials", trials, "--seed", "1"]);
    let wide = format!("[{}]", vec!["2"; 20].join(", "));
    let run = simulate(&spec(1000, &wide, "2"), "1");
    assert!(run.code == 6 && run.err.contains("E0635"), "{}", run.err);
    let run = simulate(&spec(1_000_000_000_000, "[2, 2]", "2"), "1");
    assert!(run.code == 6 && run.err.contains("E063"), "{}", run.err);
    let run = simulate(&spec(1000, "[2, 2]", "2"), "100000000");
    assert!(run.code == 6 && run.err.contains("E0636") && run.err.contains("at most"), "{}", run.err);
    let run = simulate(&spec(100, "[2, 2]", "1"), "1");
    assert!(run.code == 2 && run.err.contains("E0257"), "{}", run.err);
}

#[test]
fn a_search_is_confirmed_by_attacks_when_asked() {
    let bench = Bench::new();
    let spec = bench.write("spec.toml", &small("target_accuracy = 0.75\n"));
    let run = bench.run(&["screen", "search", &spec, "--confirm", "2", "--seed", "3", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let confirmation = &report["smallest_suppress_below"]["confirmation"];
    let (released, suppressed) = (&confirmation["released"]["mean"], &confirmation["with_suppressed"]["mean"]);
    let strongest = &confirmation["strongest"];
    let [mean, error] = ["mean", "standard_error"].map(|name| strongest[name].as_f64().unwrap());
    assert!(mean >= released.as_f64().unwrap().max(suppressed.as_f64().unwrap()));
    assert_eq!(confirmation["keeps_target_accuracy"].as_bool().unwrap(), mean + 2.0 * error <= 0.75);
    let plain = bench.run(&["screen", "search", &spec, "--json"]);
    let report: serde_json::Value = serde_json::from_str(&plain.out).unwrap();
    assert!(report["smallest_suppress_below"]["confirmation"].is_null());
    let run = bench.run(&["screen", "search", &spec, "--confirm", "2"]);
    assert!(run.code == 2 && run.err.contains("--seed"), "{}", run.err);
}
