//! Scenarios and seeded faults as they are written in TOML.

use serde::Deserialize;

use crate::audit::Kind;
use crate::error::Error;

/// A scenario as it is written. Unknown fields are refused.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Entry {
    /// `mechanism/attacker/setting`; also tells random streams apart.
    pub id: String,
    /// What is claimed, in words.
    pub claim: String,
    /// The kind of the promise.
    pub kind: Kind,
    /// Where the claim is made.
    pub source: String,
    /// Who attacks.
    pub attacker: String,
    /// Parameters of the mechanism and of the audit.
    pub spec: toml::Table,
    /// Trials of each run.
    pub trials: Trials,
    /// Seed of all random streams.
    pub seed: u64,
    /// The fault of the negative control. Also read under its former name, `broken`.
    #[serde(alias = "broken")]
    pub negative_control: String,
    /// Why the smoke tier is expected to be too small, where it is: its `Underpowered` is then no
    /// failure.
    pub underpowered_at_smoke: Option<String>,
}

/// Trials of each run, by tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Trials {
    /// For every change.
    pub smoke: u64,
    /// For a release.
    pub full: u64,
}

/// A fault to put into the promise of a scenario, which its attacker must then contradict.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SeededFault {
    /// The scenario.
    pub scenario: String,
    /// The fault.
    pub fault: String,
    /// What it does, and where such a thing happened.
    pub about: String,
    /// Trials that expose it; those of the smoke tier where nothing is said.
    pub trials: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScenarioFile {
    scenario: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SeededFaultFile {
    fault: Vec<SeededFault>,
}

/// Reads a file of scenarios. `name` is for messages.
///
/// # Errors
/// [`Error::Scenario`] with the line of what is wrong, or the identifier that is used twice or is
/// not a path of lower-case words.
pub fn read(name: &str, text: &str) -> Result<Vec<Entry>, Error> {
    let entries = toml::from_str::<ScenarioFile>(text).map_err(|error| refused(name, error))?.scenario;
    for (number, entry) in entries.iter().enumerate() {
        let id = &entry.id;
        if id.split('/').count() < 2
            || !id.split('/').all(|word: &str| {
                !word.is_empty()
                    && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.".contains(c))
            })
        {
            return Err(refused(name, format!("\"{id}\" is not an identifier such as lcf/one-more/mean-8")));
        }
        if entries[..number].iter().any(|other| other.id == *id) {
            return Err(refused(name, format!("\"{id}\" is used twice")));
        }
    }
    Ok(entries)
}

/// Reads a file of seeded faults.
///
/// # Errors
/// [`Error::Scenario`] with the line of what is wrong.
pub fn read_seeded_faults(name: &str, text: &str) -> Result<Vec<SeededFault>, Error> {
    Ok(toml::from_str::<SeededFaultFile>(text).map_err(|error| refused(name, error))?.fault)
}

/// An error about a file.
fn refused(name: &str, problem: impl std::fmt::Display) -> Error {
    Error::Scenario { id: name.to_owned(), problem: problem.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRY: &str = r#"
        [[scenario]]
        id = "lcf/one-more/mean-8"
        claim = "a claim"
        kind = "calibration"
        source = "a source"
        attacker = "one-more"
        spec = { mean = 8.0 }
        trials = { smoke = 10, full = 100 }
        seed = 1
        negative_control = "hard-threshold"
    "#;

    #[test]
    fn an_entry_is_read_whole() {
        let entries = read("a.toml", ENTRY).unwrap();
        assert_eq!((entries[0].id.as_str(), entries[0].kind), ("lcf/one-more/mean-8", Kind::Calibration));
        assert_eq!((entries[0].trials.smoke, entries[0].trials.full), (10, 100));
        assert_eq!(read("a.toml", &ENTRY.replace("negative_control", "broken")).unwrap(), entries);
    }

    #[test]
    fn what_is_unknown_missing_or_twice_is_refused() {
        for (here, there) in [
            ("seed = 1", "seed = 1\nsead = 2"),
            ("seed = 1", ""),
            ("full = 100", "full = 100, more = 3"),
            ("negative_control = \"hard-threshold\"", ""),
            ("seed = 1", "seed = 1\nbroken = \"hard-threshold\""),
            ("calibration", "calibrated"),
            ("lcf/one-more/mean-8", "lcf"),
            ("lcf/one-more/mean-8", "lcf//mean 8"),
        ] {
            assert!(read("a.toml", &ENTRY.replace(here, there)).is_err(), "{here} -> {there}");
        }
        assert!(read("a.toml", &ENTRY.repeat(2)).unwrap_err().to_string().contains("twice"));
        assert!(read_seeded_faults("a.toml", "[[fault]]\nscenario = \"a\"").is_err());
    }
}
