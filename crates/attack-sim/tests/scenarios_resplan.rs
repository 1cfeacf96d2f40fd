//! The scenarios of residual planning: they stand, their negative controls fall, and so does
//! every seeded fault.

use std::path::Path;

use attack_sim::Error;
use attack_sim::audit::{Finding, Scenario, Verdict};
use attack_sim::scenarios::{Blueprint, Entry, SeededFault, build, read, read_seeded_faults};
use disclosure::privacy_core::param::Probability;

const SCENARIOS: &str = include_str!("../../../fixtures/scenarios/resplan.toml");
const SEEDED_FAULTS: &str = include_str!("../../../fixtures/seeded-faults/resplan.toml");

fn entries() -> Vec<Entry> {
    read("resplan.toml", SCENARIOS).unwrap()
}

fn entry(id: &str) -> Entry {
    entries().into_iter().find(|entry| entry.id == id).unwrap()
}

fn built(entry: &Entry, seeded_fault: Option<&str>) -> Result<Box<dyn Scenario>, Error> {
    build(&Blueprint { entry, seeded_fault, root: Path::new("fixtures") })
}

fn judge(entry: &Entry, seeded_fault: Option<&str>, trials: u64) -> Finding {
    let rate = Probability::new(1e-9).unwrap();
    built(entry, seeded_fault).unwrap().run(trials, entry.seed, rate).unwrap()
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
        let finding = judge(&entry, None, few(&entry, 80));
        assert_ne!(finding.verdict, Verdict::Contradicted, "{finding:?}");
    }
}

#[test]
fn few_trials_expose_many_seeded_faults() {
    let faults = read_seeded_faults("resplan.toml", SEEDED_FAULTS).unwrap();
    assert!(faults.len() >= 8);
    let is_found = |fault: &&SeededFault| {
        let entry = entry(&fault.scenario);
        judge(&entry, Some(&fault.fault), few(&entry, 20)).verdict == Verdict::Contradicted
    };
    let found = faults.iter().filter(is_found).count();
    assert!(3 * found > faults.len(), "{found} of {}", faults.len());
}

#[test]
fn what_is_unknown_is_refused() {
    for entry in entries() {
        let refused = |entry: &Entry, seeded_fault| matches!(built(entry, seeded_fault), Err(Error::Scenario { .. }));
        assert!(refused(&entry, Some("no-such-fault")), "{}", entry.id);
        let mut other = entry.clone();
        "no-such-fault".clone_into(&mut other.negative_control);
        assert!(refused(&other, None), "{}", entry.id);
        let mut other = entry.clone();
        other.spec.insert("colour".to_owned(), 3.into());
        assert!(refused(&other, None), "{}", entry.id);
        let mut other = entry.clone();
        other.spec["plan"].as_table_mut().unwrap().insert("colour".to_owned(), 3.into());
        assert!(refused(&other, None), "{}", entry.id);
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    // In the spec, or in the plan that it holds.
    let refuse = |id: &str, in_plan: bool, key: &str, value: toml::Value| {
        let mut entry = entry(id);
        let spec = if in_plan { entry.spec["plan"].as_table_mut().unwrap() } else { &mut entry.spec };
        spec.insert(key.to_owned(), value);
        assert!(built(&entry, None).is_err(), "{id} {key}");
    };
    refuse("resplan/dp-auditor/identity-1-way", false, "person", vec![2].into());
    refuse("resplan/dp-auditor/identity-1-way", false, "person", vec![0, 0].into());
    refuse("resplan/dp-auditor/identity-1-way", true, "pcost", 0.0.into());
    refuse("resplan/dp-auditor/identity-1-way", true, "counts", vec![1, 2, 3].into());
    refuse("resplan/dp-auditor/identity-1-way", true, "bases", vec!["identity", "prefix"].into());
    refuse("resplan/dp-auditor/opposite-values", true, "sizes", vec![2, 3].into());
    refuse("resplan/reconstruction/two-way-tables", true, "replace", false.into());
    refuse("resplan/all-rows/one-a-cell", true, "order", 1.into());
    refuse("resplan/coverage/normal-noise", false, "level", 1.5.into());
    refuse("resplan/twin-tables/equal-2-way-tables", false, "twin", vec![4, 2, 3, 6, 4, 3, 5, 3].into());
}

/// One attribute of two categories: the two tables are sqrt(pcost) apart, and the best test has
/// `Phi^-1(p) - Phi^-1(q) = mu` at every threshold.
#[test]
fn the_auditor_is_as_good_as_theory_at_every_threshold() {
    let mut entry = entry("resplan/dp-auditor/identity-1-way");
    for threshold in [0.2, 0.5, 0.8] {
        entry.spec.insert("threshold".to_owned(), threshold.into());
        let finding = judge(&entry, None, 20_000);
        let [low, high] = finding.runs.attacker.measured;
        assert!(2.65 < low && low < 3.0 && 3.0 < high && high < 3.4, "{threshold}: {low} {high}");
        assert!(finding.runs.outsiders.measured[0] == 0.0 && finding.runs.blind.measured[0] == 0.0, "{finding:?}");
    }
}

/// The two rows differ in every attribute, which is the worst replacement: guesses are right as
/// often as they may be.
#[test]
fn a_row_is_guessed_as_often_as_it_may_be() {
    let entry = entry("resplan/reconstruction/three-way-tables");
    let finding = judge(&entry, None, 20_000);
    let ([_, most], [low, high]) = (finding.runs.attacker.claimed, finding.runs.attacker.measured);
    assert!(low < most && most < high, "{low} {high} of {most}");
}

#[test]
fn a_seed_gives_one_finding_at_any_number_of_threads() {
    let finding = |id: &str, trials: u64, threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| judge(&entry(id), None, trials))
    };
    for (id, trials) in [
        ("resplan/dp-auditor/prefix-2-way", 600),
        ("resplan/repeated-draws/two-attributes-of-one-size", 600),
        ("resplan/coverage/normal-noise", 600),
        ("resplan/all-rows/one-a-cell", 600),
        ("resplan/accountant/sparse-3-way", 300),
    ] {
        assert_eq!(finding(id, trials, 1), finding(id, trials, 4), "{id}");
    }
}

#[test]
fn one_attribute_has_nothing_to_be_measured_together_with() {
    let mut entry = entry("resplan/dp-auditor/identity-1-way");
    entry.spec["plan"].as_table_mut().unwrap().insert("together".to_owned(), true.into());
    assert!(built(&entry, None).is_err());
}
