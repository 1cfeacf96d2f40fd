//! Scenarios of hetero-screen: what they find, and what they refuse.

use std::path::PathBuf;

use attack_sim::audit::{Finding, Verdict};
use attack_sim::scenarios::{Blueprint, Entry, build, read, read_seeded_faults};
use disclosure::privacy_core::param::Probability;

fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

fn text(directory: &str) -> String {
    std::fs::read_to_string(fixtures().join(directory).join("screen.toml")).unwrap()
}

fn judge(entry: &Entry, seeded_fault: Option<&str>, trials: u64) -> Finding {
    let scenario = build(&Blueprint { entry, seeded_fault, root: &fixtures() }).unwrap();
    scenario.run(trials, entry.seed, Probability::new(1e-7).unwrap()).unwrap()
}

#[test]
fn every_entry_builds_with_and_without_its_faults() {
    let entries = read("screen.toml", &text("scenarios")).unwrap();
    for entry in &entries {
        build(&Blueprint { entry, seeded_fault: None, root: &fixtures() }).unwrap();
    }
    for fault in read_seeded_faults("screen.toml", &text("seeded-faults")).unwrap() {
        let entry = entries.iter().find(|entry| entry.id == fault.scenario).unwrap();
        build(&Blueprint { entry, seeded_fault: Some(&fault.fault), root: &fixtures() }).unwrap();
    }
}

/// A tenth of the trials of the smoke tier: that every scenario runs and contradicts no promise.
/// `cargo xtask validate` judges them, and every seeded fault, with all trials.
#[test]
fn few_trials_contradict_no_prediction() {
    for entry in read("screen.toml", &text("scenarios")).unwrap() {
        if entry.attacker != "solver-on-settings" {
            let finding = judge(&entry, None, entry.trials.smoke.div_ceil(10));
            assert_ne!(finding.verdict, Verdict::Contradicted, "{finding:?}");
        }
    }
}

#[test]
fn the_estimate_is_near_and_orders_releases_on_any_number_of_threads() {
    let entries = read("screen.toml", &text("scenarios")).unwrap();
    let entry = entries.iter().find(|entry| entry.id.ends_with("/estimate")).unwrap();
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| judge(entry, None, 3))
    };
    let finding = on(1);
    assert_ne!(finding.verdict, Verdict::Contradicted, "{finding:?}");
    assert_eq!(finding, on(4));
}

#[test]
fn unknown_attackers_parameters_and_faults_are_refused() {
    let good = text("scenarios");
    let unchanged = read("screen.toml", &good).unwrap();
    for (here, there, named) in [
        ("attacker = \"solver-on-table\"", "attacker = \"solver\"", "no attacker"),
        ("within = 0.75, in_order", "within = 0.75, order", "order"),
        (
            "negative_control = \"ignores-suppression\"",
            "negative_control = \"ignores-everything\"",
            "ignores-everything",
        ),
        ("data/anes96.csv", "data/nothing.csv", "data/nothing.csv"),
        ("target = \"vote\"", "target = \"votes\"", "votes"),
    ] {
        let entries = read("screen.toml", &good.replace(here, there)).unwrap();
        let changed = entries.iter().zip(&unchanged).filter(|(entry, before)| entry != before);
        let refused =
            changed.filter_map(|(entry, _)| build(&Blueprint { entry, seeded_fault: None, root: &fixtures() }).err());
        let messages: Vec<String> = refused.map(|error| error.to_string()).collect();
        assert!(messages.iter().any(|message| message.contains(named)), "{here}: {messages:?}");
    }
}
