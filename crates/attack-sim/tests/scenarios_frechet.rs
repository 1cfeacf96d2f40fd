//! Scenarios of exact release: every promise stands, every twin and every planted fault falls.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::{Path, PathBuf};

use attack_sim::game::{Finding, Verdict};
use attack_sim::scenarios::{Blueprint, Entry, build, read};
use disclosure::core::param::Probability;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

fn entries() -> Vec<Entry> {
    let text = std::fs::read_to_string(root().join("scenarios/frechet.toml")).unwrap();
    read("frechet.toml", &text).unwrap()
}

fn judge(entry: &Entry, planted: Option<&str>, trials: u64) -> Finding {
    let root = root();
    let blueprint = Blueprint { entry, planted, root: &root };
    build(&blueprint).unwrap().judge(trials, entry.seed, Probability::new(1e-9).unwrap()).unwrap()
}

#[test]
fn every_promise_stands_beside_an_exposed_twin() {
    for entry in entries() {
        let start = std::time::Instant::now();
        let finding = judge(&entry, None, entry.trials.smoke);
        println!("{} {:?} {:?}", entry.id, start.elapsed(), finding.plays);
        assert_eq!(finding.verdict, Verdict::NotContradicted, "{finding:?}");
    }
}
