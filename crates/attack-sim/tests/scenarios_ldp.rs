//! The scenarios of `ldp-pmdh`: promises stand, negative controls fall, and every seeded fault is
//! found.

use std::path::Path;

use attack_sim::Error;
use attack_sim::audit::{Finding, Kind, Verdict};
use attack_sim::scenarios::{Blueprint, Entry, SeededFault, build, read, read_seeded_faults};
use disclosure::privacy_core::param::Probability;

fn entries() -> Vec<Entry> {
    read("ldp.toml", include_str!("../../../fixtures/scenarios/ldp.toml")).unwrap()
}

fn seeded_faults() -> Vec<SeededFault> {
    read_seeded_faults("ldp.toml", include_str!("../../../fixtures/seeded-faults/ldp.toml")).unwrap()
}

fn entry(id: &str) -> Entry {
    entries().into_iter().find(|entry| entry.id == id).unwrap()
}

fn judged(entry: &Entry, seeded_fault: Option<&str>, trials: u64) -> Result<Finding, Error> {
    let blueprint = Blueprint { entry, seeded_fault, root: Path::new("../../fixtures") };
    build(&blueprint)?.run(trials, entry.seed, Probability::new(1e-9).unwrap())
}

/// A share of the trials of the smoke tier: an 80th shows that every scenario runs and contradicts
/// no promise, a 20th exposes many seeded faults. `cargo xtask validate` judges all of them with
/// all trials.
fn few(entry: &Entry, share: u64) -> u64 {
    entry.trials.smoke.div_ceil(share)
}

#[test]
fn few_trials_contradict_no_promise() {
    for entry in entries() {
        let finding = judged(&entry, None, few(&entry, 80)).unwrap();
        assert_ne!(finding.verdict, Verdict::Contradicted, "{finding:?}");
        if finding.unit == "epsilon" {
            // Nobody loses anything by a release without them, or to somebody who does not look.
            let [control, blind] = [&finding.runs.outsiders, &finding.runs.blind];
            assert!(control.measured[0] == 0.0 && blind.measured[0] == 0.0, "{finding:?}");
        }
    }
}

#[test]
fn few_trials_expose_many_seeded_faults() {
    let faults = seeded_faults();
    let is_found = |fault: &&SeededFault| {
        let entry = entry(&fault.scenario);
        judged(&entry, Some(&fault.fault), few(&entry, 20)).unwrap().verdict == Verdict::Contradicted
    };
    let found = faults.iter().filter(is_found).count();
    assert!(3 * found > faults.len(), "{found} of {}", faults.len());
}

#[test]
fn what_is_unknown_is_refused() {
    for id in [
        "ldp/likelihood-ratio/rr",
        "ldp/distinguisher/rr",
        "ldp/repeated-worlds/order-three",
        "ldp/any-split/four-collectors",
    ] {
        let good = entry(id);
        assert!(judged(&good, Some("no-such-fault"), 1).unwrap_err().to_string().contains(id), "{id}");
        let mut unknown = good.clone();
        unknown.spec.insert("more".to_owned(), 1.into());
        assert!(judged(&unknown, None, 1).unwrap_err().to_string().contains("more"), "{id}");
        let mut feature = good.clone();
        let features = feature.spec["schema"]["features"].as_array_mut().unwrap();
        features[0].as_table_mut().unwrap().insert("more".to_owned(), 1.into());
        assert!(judged(&feature, None, 1).is_err(), "{id}");
        let mut attacker = good.clone();
        attacker.attacker = "nobody".to_owned();
        assert!(judged(&attacker, None, 1).unwrap_err().to_string().contains("nobody"), "{id}");
    }
}

#[test]
fn what_makes_no_sense_is_refused_before_anything_is_played() {
    let changed = |id: &str, field: &str, value: &str| {
        let mut entry = entry(id);
        let value = format!("x = {value}").parse::<toml::Table>().unwrap().remove("x").unwrap();
        entry.spec.insert(field.to_owned(), value);
        judged(&entry, None, 1)
    };
    for (id, field, value) in [
        ("ldp/likelihood-ratio/rr", "reports", "0"),
        ("ldp/likelihood-ratio/rr", "reports", "40"),
        ("ldp/likelihood-ratio/rr", "remembers", "true"),
        ("ldp/distinguisher/rr", "with", "[2]"),
        ("ldp/distinguisher/rr", "with", "[1, 0]"),
        ("ldp/repeated-worlds/order-three", "sets", "[[[0, 0]]]"),
        ("ldp/repeated-worlds/order-three", "sets", "[[[9, 1]]]"),
        ("ldp/repeated-worlds/order-three", "people", "[]"),
        ("ldp/repeated-worlds/order-three", "coverage", "[0.9, 0.1]"),
        ("ldp/any-split/four-collectors", "collectors", "0"),
        ("ldp/any-split/four-collectors", "keep", "[\"some\"]"),
    ] {
        assert!(changed(id, field, value).is_err(), "{id} {field}");
    }
}

#[test]
fn enumeration_finds_the_whole_epsilon_and_nothing_beyond() {
    let is_tight = |entry: &Entry| entry.attacker == "likelihood-ratio" && !entry.id.ends_with("forever");
    for entry in entries().iter().filter(|entry| is_tight(entry)) {
        let finding = judged(entry, None, 1).unwrap();
        let (claimed, [low, high]) = (finding.runs.attacker.claimed[1], finding.runs.attacker.measured);
        assert!(low <= claimed && claimed < high + 1e-12 && high - low < 1e-12, "{finding:?}");
    }
    // Four reports from one permanent stage tell less than the stage itself, and more than one
    // report.
    let [forever, once] = [4, 1].map(|reports| {
        let mut entry = entry("ldp/likelihood-ratio/rappor-forever");
        entry.spec.insert("reports".to_owned(), reports.into());
        judged(&entry, None, 1).unwrap().runs.attacker
    });
    assert!(once.measured[1] < 1.5 && forever.measured[0] > 2.0 && forever.measured[1] < forever.claimed[1]);
}

/// Warner's response with `e^epsilon = e`: the best distinguisher repeats the bit.
#[test]
fn the_distinguisher_reaches_nineteen_twentieths_of_a_known_epsilon() {
    let finding = judged(&entry("ldp/distinguisher/rr"), None, 200_000).unwrap();
    let [low, high] = finding.runs.attacker.measured;
    assert!((0.95..=1.0).contains(&low) && high > 1.0, "{finding:?}");
}

#[test]
fn findings_do_not_depend_on_the_number_of_threads() {
    for (id, trials) in [
        ("ldp/distinguisher/whole-schema", 3000),
        ("ldp/repeated-worlds/census-or-sample", 600),
        ("ldp/any-split/four-collectors", 300),
    ] {
        let entry = entry(id);
        let [one, four] = [1, 4].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| judged(&entry, None, trials).unwrap())
        });
        assert_eq!(one, four);
    }
}

#[test]
fn kinds_are_those_of_the_promises() {
    for entry in entries() {
        let is_law = matches!(entry.attacker.as_str(), "repeated-worlds" | "false-reports" | "false-groups");
        let expected = if is_law { Kind::Calibration } else { Kind::Guarantee };
        assert_eq!(entry.kind, expected, "{}", entry.id);
    }
    assert!(seeded_faults().len() >= 7);
}
