//! The scenarios of the low-count filter and of differencing: promises stand, negative controls
//! fall, seeded faults are found.

use std::path::{Path, PathBuf};

use attack_sim::audit::{Finding, Verdict};
use attack_sim::scenarios::{Blueprint, Entry, SeededFault, build, read, read_seeded_faults};
use disclosure::lcf::{ClampedNormal, ReportingProbability, ThresholdTable};
use disclosure::privacy_core::binomial::Binomial;
use disclosure::privacy_core::param::{Probability, StdDev};
use rayon::prelude::*;

const FAMILIES: [&str; 2] = ["lcf", "differencing"];

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

fn text(directory: &str, family: &str) -> String {
    std::fs::read_to_string(fixtures().join(directory).join(format!("{family}.toml"))).unwrap()
}

fn entries() -> Vec<Entry> {
    FAMILIES.iter().flat_map(|family| read(family, &text("scenarios", family)).unwrap()).collect()
}

fn entry(id: &str) -> Entry {
    entries().into_iter().find(|entry| entry.id == id).unwrap()
}

fn seeded_faults() -> Vec<SeededFault> {
    FAMILIES.iter().flat_map(|family| read_seeded_faults(family, &text("seeded-faults", family)).unwrap()).collect()
}

fn judge(entry: &Entry, seeded_fault: Option<&str>, trials: u64) -> Finding {
    let rate = Probability::new(1e-9).unwrap();
    let scenario = build(&Blueprint { entry, seeded_fault, root: &fixtures() }).unwrap();
    scenario.run(trials, entry.seed, rate).unwrap()
}

/// A share of the trials of the smoke tier: an 80th shows that every scenario runs and contradicts
/// no promise, a 20th exposes many seeded faults. `cargo xtask validate` judges all of them with
/// all trials.
fn few(entry: &Entry, share: u64) -> u64 {
    entry.trials.smoke.div_ceil(share)
}

#[test]
fn few_trials_contradict_no_promise() {
    let contradicted: Vec<Finding> = entries()
        .par_iter()
        .map(|entry| judge(entry, None, few(entry, 80)))
        .filter(|finding| finding.verdict == Verdict::Contradicted)
        .collect();
    assert!(contradicted.is_empty(), "{contradicted:#?}");
}

#[test]
fn few_trials_expose_many_seeded_faults() {
    let faults = seeded_faults();
    let is_found = |fault: &&SeededFault| {
        let entry = entry(&fault.scenario);
        judge(&entry, Some(&fault.fault), few(&entry, 20)).verdict == Verdict::Contradicted
    };
    let found = faults.par_iter().filter(is_found).count();
    assert!(3 * found > faults.len(), "{found} of {}", faults.len());
}

#[test]
fn unknown_parameters_and_faults_are_refused() {
    let refusal = |entry: &Entry, seeded_fault: Option<&str>| {
        build(&Blueprint { entry, seeded_fault, root: &fixtures() }).map(|_| entry.id.clone()).unwrap_err().to_string()
    };
    for entry in entries() {
        let mut unknown = entry.clone();
        unknown.spec.insert("more".to_owned(), 1.into());
        assert!(refusal(&unknown, None).contains("more"));
        let mut misspelt = entry.clone();
        misspelt.negative_control = "no-such-fault".to_owned();
        for message in [refusal(&misspelt, None), refusal(&entry, Some("no-such-fault"))] {
            assert!(message.contains("no-such-fault") && message.starts_with(&entry.id), "{message}");
        }
    }
}

#[test]
fn laws_with_unknown_or_impossible_parameters_are_refused() {
    let mut entry = entry("lcf/one-more/mean-8-sd-1.5-bound-2");
    for law in [
        "clamped-normal = { mean = 8.0, sd = 1.5, always_suppress_upper_bound = 2.0, median = 8.0 }",
        "clamped-normal = { mean = 8.0, sd = 1.5 }",
        "clamped-normal = { mean = 8.0, sd = 1.5, always_suppress_upper_bound = 0.5 }",
        "clamped-normal = { mean = 8.0, sd = -1.5, always_suppress_upper_bound = 2.0 }",
        "normal = { mean = 8.0 }",
        "hard = { at_least = 1 }",
    ] {
        entry.spec = toml::from_str(&format!("law = {{ {law} }}")).unwrap();
        assert!(build(&Blueprint { entry: &entry, seeded_fault: None, root: &fixtures() }).is_err(), "{law}");
    }
}

fn standard(n: u64) -> ReportingProbability {
    ThresholdTable::new(ClampedNormal::new(8.0, StdDev::new(1.5).unwrap(), 2.0).unwrap()).reporting_probability(n)
}

#[test]
fn the_averaging_attacker_is_the_best_there_is() {
    // Right with probability sum max(P(k | 7), P(k | 8)) / 2 over all numbers k of answers that
    // show the group.
    for (id, questions) in [("lcf/fresh-sets/9-draws", 9), ("lcf/fresh-sets/116-draws", 116)] {
        let law = |n| Binomial::new(questions, Probability::new(standard(n).reported).unwrap()).unwrap();
        let likelier = |k| law(7).ln_pmf(k).max(law(8).ln_pmf(k)).exp();
        let best = (0..=questions).map(likelier).sum::<f64>() / 2.0;
        let finding = judge(&entry(id), None, 1000);
        assert!((finding.runs.attacker.claimed[0] - best).abs() < 1e-12, "{best} {finding:?}");
        let [low, high] = finding.runs.attacker.measured;
        assert!(low <= best && best <= high, "{finding:?}");
    }
}

#[test]
fn the_auditor_finds_nearly_all_of_an_epsilon_that_is_reached() {
    // Optimal selection takes its inequality with equality, so that epsilon is 1 at this size.
    let entry = entry("lcf/published/optimal-selection");
    let finding = judge(&entry, None, entry.trials.smoke);
    let [low, high] = finding.runs.attacker.measured;
    assert!(0.9 < low && low < 1.0 && 1.0 < high, "{finding:?}");
    assert_eq!(finding.runs.outsiders.measured[0], 0.0);
    assert_eq!(finding.runs.blind.measured[0], 0.0);
}

#[test]
fn findings_do_not_depend_on_the_number_of_threads() {
    for id in [
        "lcf/one-more/mean-8-sd-1.5-bound-2",
        "lcf/averaging/10-questions",
        "lcf/published/same-people",
        "lcf/profile/one-group",
        "differencing/ladder/mean-8",
        "differencing/rest-row/mean-8",
        "differencing/budgets/in-both",
    ] {
        let entry = entry(id);
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| judge(&entry, None, 600))
        };
        assert_eq!(with(1), with(4), "{id}");
    }
}

#[test]
fn a_fault_that_changes_nothing_here_is_not_found() {
    // Everybody has one row and an identifier: what is done again with a fault is the filter
    // itself, wrong in that step alone.
    let entry = entry("lcf/one-more/mean-8-sd-1.5-bound-2");
    for fault in ["rows-counted", "missing-is-a-person", "rows-in-the-seed", "fresh-noise", "one-byte-key"] {
        let finding = judge(&entry, Some(fault), entry.trials.smoke);
        assert_eq!(finding.verdict, Verdict::NotContradicted, "{fault} {finding:?}");
    }
}
