//! Scenarios of tables of amounts: every promise stands, every negative control and every seeded
//! fault falls.

use std::path::{Path, PathBuf};

use attack_sim::audit::{Finding, Verdict};
use attack_sim::scenarios::{Blueprint, Entry, SeededFault, build, read, read_seeded_faults};
use disclosure::privacy_core::param::Probability;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

fn text(folder: &str) -> String {
    std::fs::read_to_string(root().join(folder).join("magnitude.toml")).unwrap()
}

fn entries() -> Vec<Entry> {
    read("magnitude.toml", &text("scenarios")).unwrap()
}

fn judge(entry: &Entry, seeded_fault: Option<&str>) -> Finding {
    let root = root();
    let blueprint = Blueprint { entry, seeded_fault, root: &root };
    // A few: `cargo xtask validate` judges promises and seeded faults with all trials.
    let trials = entry.trials.smoke.div_ceil(5);
    build(&blueprint).unwrap().run(trials, entry.seed, Probability::new(1e-9).unwrap()).unwrap()
}

#[test]
fn few_trials_contradict_no_promise() {
    for entry in entries() {
        let finding = judge(&entry, None);
        assert_ne!(finding.verdict, Verdict::Contradicted, "{finding:?}");
        let [control, blind] = [finding.runs.outsiders.measured[0], finding.runs.blind.measured[0]];
        assert_eq!([control, blind], [0.0; 2], "{}", entry.id);
    }
}

#[test]
fn few_trials_expose_many_seeded_faults() {
    let faults = read_seeded_faults("magnitude.toml", &text("seeded-faults")).unwrap();
    let is_found = |fault: &&SeededFault| {
        let entry = entries().into_iter().find(|entry| entry.id == fault.scenario).unwrap();
        judge(&entry, Some(&fault.fault)).verdict == Verdict::Contradicted
    };
    let found = faults.iter().filter(is_found).count();
    assert!(3 * found > faults.len(), "{found} of {}", faults.len());
}

#[test]
fn parameters_out_of_range_are_refused() {
    let root = root();
    for (from, to) in [("percent = 10", "percent = 0"), ("together = 1", "together = 3"), ("[4]", "[9]")] {
        let text = text("scenarios").replacen(from, to, 1);
        let entry = read("magnitude.toml", &text).unwrap().remove(0);
        assert!(build(&Blueprint { entry: &entry, seeded_fault: None, root: &root }).is_err(), "{to}");
    }
}
