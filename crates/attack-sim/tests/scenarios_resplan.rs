//! The scenarios of residual planning: they stand, their twins fall, and so does every planted fault.
#![allow(clippy::unwrap_used, reason = "a test ends where something is missing")]

use std::path::Path;

use attack_sim::game::{Finding, Verdict};
use attack_sim::scenarios::{Blueprint, Entry, build, read, read_planted};
use disclosure::core::param::Probability;

const SCENARIOS: &str = include_str!("../../../fixtures/scenarios/resplan.toml");
const PLANTED: &str = include_str!("../../../fixtures/planted/resplan.toml");

fn entries() -> Vec<Entry> {
    read("resplan.toml", SCENARIOS).unwrap()
}

fn entry(id: &str) -> Entry {
    entries().into_iter().find(|entry| entry.id == id).unwrap()
}

fn judge(entry: &Entry, planted: Option<&str>, trials: u64) -> Finding {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let scenario = build(&Blueprint { entry, planted, root: &root }).unwrap();
    scenario.judge(trials, entry.seed, Probability::new(1e-9).unwrap()).unwrap()
}

#[test]
fn every_promise_stands_beside_a_twin_that_falls() {
    for entry in entries() {
        let started = std::time::Instant::now();
        let finding = judge(&entry, None, entry.trials.smoke);
        if std::env::var_os("SHOW").is_some() {
            let plays = &finding.plays;
            println!(
                "{} {:.2}s {} | {:?} of {:?} {} | broken {:?} {} | control {:?} blind {:?}",
                entry.id, started.elapsed().as_secs_f64(), finding.verdict.name(), plays.attacker.measured, plays.attacker.claimed,
                plays.attacker.of, plays.broken.measured, plays.broken.of, plays.control.measured, plays.blind.measured
            );
            continue;
        }
        assert_eq!(finding.verdict, Verdict::NotContradicted, "{finding:?}");
    }
}

#[test]
fn every_planted_fault_is_found() {
    for planted in read_planted("resplan.toml", PLANTED).unwrap() {
        let entry = entry(&planted.scenario);
        let finding = judge(&entry, Some(&planted.fault), planted.trials.unwrap_or(entry.trials.smoke));
        if std::env::var_os("SHOW").is_some() {
            println!("{} {} {} {:?}", planted.scenario, planted.fault, finding.verdict.name(), finding.plays.attacker);
            continue;
        }
        assert_eq!(finding.verdict, Verdict::Contradicted, "{planted:?} {finding:?}");
    }
}
