//! The files of scenarios.

use serde::Deserialize;

use crate::error::Error;
use crate::game::Kind;

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
    /// Parameters of the mechanism and of the game.
    pub spec: toml::Table,
    /// Trials of each play.
    pub trials: Trials,
    /// Seed of all random streams.
    pub seed: u64,
    /// The fault of the twin.
    pub broken: String,
    /// Why the smoke tier is expected to be too small, where it is: its `Underpowered` is then no failure.
    pub underpowered_at_smoke: Option<String>,
}

/// Trials of each play, by tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Trials {
    /// For every change.
    pub smoke: u64,
    /// For a release.
    pub full: u64,
}

/// A fault to plant in the promise of a scenario.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Planted {
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
struct PlantedFile {
    fault: Vec<Planted>,
}

/// Reads a file of scenarios. `name` is for messages.
///
/// # Errors
/// [`Error::Scenario`] with the line of what is wrong, or the id that is there twice or is no path of lower-case words.
pub fn read(name: &str, text: &str) -> Result<Vec<Entry>, Error> {
    let refuse = |problem: String| Error::Scenario { id: name.to_owned(), problem };
    let entries = toml::from_str::<ScenarioFile>(text).map_err(|error| refuse(error.to_string()))?.scenario;
    for (number, entry) in entries.iter().enumerate() {
        let id = &entry.id;
        let is_word = |word: &str| {
            !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.".contains(c))
        };
        if id.split('/').count() < 2 || !id.split('/').all(is_word) {
            return Err(refuse(format!("\"{id}\" is no id such as lcf/one-more/mean-8")));
        }
        if entries[..number].iter().any(|other| other.id == *id) {
            return Err(refuse(format!("\"{id}\" is there twice")));
        }
    }
    Ok(entries)
}

/// Reads a file of faults to plant.
///
/// # Errors
/// [`Error::Scenario`] with the line of what is wrong.
pub fn read_planted(name: &str, text: &str) -> Result<Vec<Planted>, Error> {
    let refuse = |error: toml::de::Error| Error::Scenario { id: name.to_owned(), problem: error.to_string() };
    Ok(toml::from_str::<PlantedFile>(text).map_err(refuse)?.fault)
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
        broken = "hard-threshold"
    "#;

    #[test]
    fn an_entry_is_read_whole() {
        let entries = read("a.toml", ENTRY).unwrap();
        assert_eq!((entries[0].id.as_str(), entries[0].kind), ("lcf/one-more/mean-8", Kind::Calibration));
        assert_eq!((entries[0].trials.smoke, entries[0].trials.full), (10, 100));
    }

    #[test]
    fn what_is_unknown_missing_or_twice_is_refused() {
        for (here, there) in [
            ("seed = 1", "seed = 1\nsead = 2"),
            ("seed = 1", ""),
            ("full = 100", "full = 100, more = 3"),
            ("broken = \"hard-threshold\"", ""),
            ("calibration", "calibrated"),
            ("lcf/one-more/mean-8", "lcf"),
            ("lcf/one-more/mean-8", "lcf//mean 8"),
        ] {
            assert!(read("a.toml", &ENTRY.replace(here, there)).is_err(), "{here} -> {there}");
        }
        assert!(read("a.toml", &ENTRY.repeat(2)).unwrap_err().to_string().contains("twice"));
        assert!(read_planted("a.toml", "[[fault]]\nscenario = \"a\"").is_err());
    }
}
