//! Scenarios of exact release: every promise stands, every negative control and every seeded
//! fault falls.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use attack_sim::audit::{Finding, Verdict};
use attack_sim::scenarios::{Blueprint, Entry, SeededFault, build, read, read_seeded_faults};
use disclosure::privacy_core::param::Probability;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

fn entries() -> Vec<Entry> {
    let text = std::fs::read_to_string(root().join("scenarios/frechet.toml")).unwrap();
    read("frechet.toml", &text).unwrap()
}

fn entry(id: &str) -> Entry {
    entries().into_iter().find(|entry| entry.id == id).unwrap()
}

fn seeded_faults() -> Vec<SeededFault> {
    let text = std::fs::read_to_string(root().join("seeded-faults/frechet.toml")).unwrap();
    read_seeded_faults("frechet.toml", &text).unwrap()
}

fn judge(entry: &Entry, seeded_fault: Option<&str>, trials: u64) -> Finding {
    let root = root();
    let blueprint = Blueprint { entry, seeded_fault, root: &root };
    build(&blueprint).unwrap().run(trials, entry.seed, Probability::new(1e-9).unwrap()).unwrap()
}

fn refusal(entry: &Entry, seeded_fault: Option<&str>) -> String {
    let root = root();
    build(&Blueprint { entry, seeded_fault, root: &root }).err().unwrap().to_string()
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
        let [control, blind] = [finding.runs.outsiders.measured[0], finding.runs.blind.measured[0]];
        match finding.runs.attacker.claimed[1] {
            // A guess may be right by chance; never as often as the claim allows.
            most if most > 0.0 && entry.attacker == "beside-noise" => {
                assert!(control.max(blind) < most, "{}", entry.id);
            }
            _ => assert_eq!([control, blind], [0.0; 2], "{}", entry.id),
        }
    }
}

/// The event of the largest likelihood ratio has ratio exp(epsilon) exactly, so the interval
/// holds epsilon and closes on it.
#[test]
fn the_auditor_of_a_drawn_pattern_is_as_good_as_theory() {
    let has_best_event =
        |entry: &Entry| entry.spec.get("event").is_some_and(|event| event.as_str() == Some("likelihood-ratio"));
    let entry = entries().into_iter().find(has_best_event).unwrap();
    let finding = judge(&entry, None, entry.trials.smoke);
    let [low, high] = finding.runs.attacker.measured;
    let epsilon = finding.runs.attacker.claimed[1];
    assert!(0.8 * epsilon < low && low < epsilon && epsilon < high && high < 1.2 * epsilon, "{finding:?}");
}

#[test]
fn few_trials_expose_many_seeded_faults() {
    let faults = seeded_faults();
    let is_found = |fault: &&SeededFault| {
        let entry = entry(&fault.scenario);
        judge(&entry, Some(&fault.fault), few(&entry, 20)).verdict == Verdict::Contradicted
    };
    let found = faults.iter().filter(is_found).count();
    assert!(3 * found > faults.len(), "{found} of {}", faults.len());
}

#[test]
fn seeded_faults_are_distinct_and_many() {
    let faults: BTreeSet<(String, String)> =
        seeded_faults().into_iter().map(|fault| (fault.scenario, fault.fault)).collect();
    assert_eq!(faults.len(), seeded_faults().len());
    assert!(faults.len() >= 20);
}

#[test]
fn what_is_unknown_is_refused() {
    for entry in entries() {
        let mut misspelt = entry.clone();
        misspelt.negative_control = "no-such-fault".into();
        assert!(refusal(&misspelt, None).contains("unknown variant"), "{}", entry.id);
        assert!(refusal(&entry, Some("no-such-fault")).contains("unknown variant"), "{}", entry.id);
        let mut more = entry.clone();
        more.spec.insert("unknown".into(), toml::Value::Boolean(true));
        let refused = refusal(&more, None);
        assert!(refused.contains("unknown field") || refused.contains("a single key"), "{}: {refused}", entry.id);
        let mut infinite = entry.clone();
        infinite.spec.insert("unknown".into(), toml::Value::from(vec![f64::INFINITY]));
        assert!(refusal(&infinite, None).contains("not finite"), "{}", entry.id);
        let mut without = entry.clone();
        without.spec.clear();
        assert!(!refusal(&without, None).is_empty(), "{}", entry.id);
    }
    let mut inside = entry("frechet/linked-tables/random");
    inside.spec["random"].as_table_mut().unwrap().insert("least".into(), toml::Value::Integer(1));
    assert!(refusal(&inside, None).contains("unknown field"));
    let mut nobody = entry("frechet/complement/noise");
    nobody.attacker = "nobody".into();
    assert!(refusal(&nobody, None).contains("no attacker"));
}

#[test]
fn a_setting_that_makes_no_sense_is_refused() {
    let with = |id: &str, field: &str, value: toml::Value| {
        let mut changed = entry(id);
        changed.spec.insert(field.into(), value);
        refusal(&changed, None)
    };
    let list =
        |numbers: &[i64]| toml::Value::Array(numbers.iter().map(|&number| toml::Value::Integer(number)).collect());
    let id = "frechet/dp-auditor/one-cell";
    assert!(with(id, "people", list(&[3, 9, 9])).contains("fits in no cell"), "the person's cell is full");
    assert!(with(id, "counted", list(&[3, 4])).contains("fits in no cell"));
    assert!(with(id, "person", toml::Value::Integer(3)).contains("fits in no cell"));
    assert!(with(id, "exchanged_with", toml::Value::Integer(7)).contains("fits in no cell"));
    assert!(with(id, "shape", list(&[])).contains("axes"));
    assert!(with(id, "shape", list(&[3, 1 << 40])).contains("axes"));
    assert!(with(id, "margins", toml::Value::Array(vec![list(&[200])])).contains("axes"));
    assert!(with(id, "people", list(&[9, 9, 1 << 60])).contains("people"));
    assert!(with(id, "kappa", toml::Value::Integer(1)).contains("no cell has noise"));
    assert!(!with(id, "epsilon", toml::Value::Float(0.0)).is_empty());
    let mut large = entry("frechet/linked-tables/random");
    large.spec["random"].as_table_mut().unwrap().insert("most".into(), toml::Value::Integer(1 << 60));
    assert!(refusal(&large, None).contains("people"));
    let titanic = "frechet/linear-program/titanic";
    assert!(!with(titanic, "table", "data/nowhere.csv".into()).is_empty());
    assert!(!with(titanic, "counted", "Nothing".into()).is_empty());
    assert!(!with("frechet/complement/noise", "protected_by", "nothing".into()).is_empty());
    assert!(refusal(&entry("frechet/complement/noise"), Some("two-in-every-line")).contains("3 x 3"));
}

#[test]
fn findings_do_not_depend_on_the_number_of_threads() {
    for id in ["linear-program/composition", "complement/noise", "linked-tables/random", "dp-auditor/two-margins"] {
        let entry = entry(&format!("frechet/{id}"));
        let finding = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| judge(&entry, None, 600.min(entry.trials.smoke.div_ceil(2))))
        };
        assert_eq!(finding(1), finding(4), "{id}");
    }
}
