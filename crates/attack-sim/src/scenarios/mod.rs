//! The scenarios: every promise of every mechanism, who attacks it, and the twin that must fall.
//!
//! A scenario is an [`Entry`] of a TOML file: what is claimed, at which parameters, by how many trials. The name of its attacker
//! decides what is built ([`build`]); the name under `broken` is a [fault](Blueprint::faults) that the twin has. The same names serve
//! to plant faults in the promise itself, which the same attacker must then contradict: that is how the validator is tested.

mod differencing;
mod file;
mod frechet;
mod lcf;
mod ldp;
mod resplan;
pub mod screen;

use std::path::Path;

use serde::de::DeserializeOwned;

pub use file::{Entry, Planted, Trials, read, read_planted};
pub use ldp::LdpError;

use crate::error::Error;
use crate::game::{About, Judged};

/// What a scenario is built from.
#[derive(Clone, Copy, Debug)]
pub struct Blueprint<'a> {
    /// What the file says.
    pub entry: &'a Entry,
    /// The fault to plant in the promise; none to judge the promise itself.
    pub planted: Option<&'a str>,
    /// Where paths of tables start: the directory `fixtures`.
    pub root: &'a Path,
}

type Builder = fn(&Blueprint<'_>) -> Result<Box<dyn Judged>, Error>;

/// The attackers on a mechanism, by name.
type Attackers = &'static [(&'static str, Builder)];

/// All attackers, by the first word of their scenarios' ids.
const MECHANISMS: &[(&str, Attackers)] = &[
    ("screen", screen::ATTACKERS),
    ("ldp", ldp::ATTACKERS),
    ("lcf", lcf::ATTACKERS),
    ("frechet", frechet::ATTACKERS),
    ("resplan", resplan::ATTACKERS),
    ("differencing", differencing::ATTACKERS),
];

/// Builds a scenario.
///
/// # Errors
/// [`Error::Scenario`] for an attacker, a parameter or a fault that is not known, and what the mechanism refuses.
pub fn build(blueprint: &Blueprint<'_>) -> Result<Box<dyn Judged>, Error> {
    let about = blueprint.about();
    let attackers = MECHANISMS.iter().find(|(mechanism, _)| *mechanism == about.mechanism());
    let builder = attackers.and_then(|(_, attackers)| attackers.iter().find(|(name, _)| *name == about.attacker));
    match builder {
        Some((_, build)) => build(blueprint),
        None => Err(blueprint.refuse(format!("no attacker \"{}\" of {}", about.attacker, about.mechanism()))),
    }
}

impl Blueprint<'_> {
    /// The words of the scenario.
    #[must_use]
    pub fn about(&self) -> About {
        let Entry { id, claim, kind, source, attacker, broken, .. } = self.entry;
        About {
            id: id.clone(),
            claim: claim.clone(),
            kind: *kind,
            source: source.clone(),
            attacker: attacker.clone(),
            broken: broken.clone(),
        }
    }

    /// The parameters, in the type of their scenario, which refuses unknown ones.
    ///
    /// # Errors
    /// [`Error::Scenario`] with what is wrong with them.
    pub fn spec<T: DeserializeOwned>(&self) -> Result<T, Error> {
        self.entry.spec.clone().try_into().map_err(|error: toml::de::Error| self.refuse(error.message().to_owned()))
    }

    /// The fault of the promise, if one is planted, and that of the twin.
    ///
    /// # Errors
    /// [`Error::Scenario`] for a name that is no fault of this scenario.
    pub fn faults<T: DeserializeOwned>(&self) -> Result<(Option<T>, T), Error> {
        Ok((self.planted.map(|name| self.fault(name)).transpose()?, self.fault(&self.entry.broken)?))
    }

    fn fault<T: DeserializeOwned>(&self, name: &str) -> Result<T, Error> {
        T::deserialize(serde::de::value::StrDeserializer::<serde::de::value::Error>::new(name))
            .map_err(|error| self.refuse(error.to_string()))
    }

    /// An error about this scenario.
    #[must_use]
    pub fn refuse(&self, problem: String) -> Error {
        Error::Scenario { id: self.entry.id.clone(), problem }
    }
}
