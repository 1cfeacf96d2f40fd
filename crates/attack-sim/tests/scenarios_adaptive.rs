//! The scenarios of adaptive releases: they stand, and their negative controls fall.

use std::path::Path;

use attack_sim::Error;
use attack_sim::audit::{Scenario, Verdict};
use attack_sim::scenarios::{Blueprint, Entry, build, read};
use disclosure::privacy_core::param::Probability;

const SCENARIOS: &str = include_str!("../../../fixtures/scenarios/adaptive.toml");

fn built(entry: &Entry, seeded_fault: Option<&str>) -> Result<Box<dyn Scenario>, Error> {
    build(&Blueprint { entry, seeded_fault, root: Path::new("fixtures") })
}

#[test]
fn few_trials_contradict_no_promise() {
    for entry in read("adaptive.toml", SCENARIOS).unwrap() {
        let rate = Probability::new(1e-9).unwrap();
        let finding = built(&entry, None).unwrap().run(60, entry.seed, rate).unwrap();
        assert_ne!(finding.verdict, Verdict::Contradicted, "{finding:?}");
    }
}

/// Six rounds share rho 2, and choices have 15 % of it.
#[test]
fn the_first_choice_is_held_to_its_own_part_of_the_budget() {
    let entries = read("adaptive.toml", SCENARIOS).unwrap();
    let entry = entries.iter().find(|entry| entry.attacker == "first-choice").unwrap();
    let finding = built(entry, None).unwrap().run(2, entry.seed, Probability::new(1e-9).unwrap()).unwrap();
    let claimed = finding.runs.attacker.claimed[1];
    assert!((claimed - 0.15 * 2.0 / 6.0).abs() < 1e-6, "{claimed}");
}

#[test]
fn what_does_not_fit_is_refused() {
    for entry in read("adaptive.toml", SCENARIOS).unwrap() {
        assert!(built(&entry, Some("no-such-fault")).is_err(), "{}", entry.id);
        for (key, value) in
            [("colour", toml::Value::from(3)), ("person", vec![0, 0, 2].into()), ("counts", vec![1].into())]
        {
            let mut other = entry.clone();
            other.spec.insert(key.to_owned(), value);
            assert!(built(&other, None).is_err(), "{} {key}", entry.id);
        }
    }
}
