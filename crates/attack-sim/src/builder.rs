//! From an entry of a file to a scenario: what all scenarios have in common is done here, once.

use std::path::Path;

use disclosure::privacy_core::rng::SimRng;
use serde::de::DeserializeOwned;
use serde::de::value::{Error as NameError, StrDeserializer};

use crate::audit::{
    About, Audit, BitAudit, HiddenBit, LossScenario, NeighbouringInputs, PrivacyLoss, Quantity, Scenario,
    TrialScenario, coin_toss,
};
use crate::error::Error;
use crate::files::Entry;

/// A scenario, or why its entry describes none.
pub type Built = Result<Box<dyn Scenario>, Error>;

/// The attackers on a mechanism, by name.
pub(crate) type Attackers = &'static [(&'static str, fn(&Blueprint<'_>) -> Built)];

/// What a scenario is built from.
#[derive(Clone, Copy, Debug)]
pub struct Blueprint<'a> {
    /// The entry of the file.
    pub entry: &'a Entry,
    /// The fault to put into the promise; none to test the promise itself.
    pub seeded_fault: Option<&'a str>,
    /// Where paths of tables start: the directory `fixtures`.
    pub root: &'a Path,
}

impl Blueprint<'_> {
    /// Identifier, claim, source and names.
    #[must_use]
    pub fn about(&self) -> About {
        let Entry { id, claim, kind, source, attacker, negative_control, .. } = self.entry;
        About {
            id: id.clone(),
            claim: claim.clone(),
            kind: *kind,
            source: source.clone(),
            attacker: attacker.clone(),
            fault: negative_control.clone(),
        }
    }

    /// The parameters, in the type of their scenario, which refuses unknown ones.
    ///
    /// # Errors
    /// [`Error::Scenario`] with what is wrong with them.
    pub fn spec<T: DeserializeOwned>(&self) -> Result<T, Error> {
        // Through JSON, whose reader is less code for each of the hundred types than that of TOML.
        // JSON has no infinite numbers: they would be read as missing.
        if !self.entry.spec.values().all(is_finite) {
            return Err(self.refuse("a number is not finite"));
        }
        let spec = serde_json::to_value(&self.entry.spec).and_then(serde_json::from_value);
        spec.map_err(|error| self.refuse(error.to_string()))
    }

    /// A scenario of independent trials. `audit` makes the audit of the promise, or of one with a
    /// fault, whose names are the type `F`: it is called once for the promise and once for the
    /// negative control.
    ///
    /// # Errors
    /// [`Error::Scenario`] for a name that is not a fault of this scenario, and what `audit`
    /// refuses.
    pub fn trials<F, G>(
        &self,
        quantities: Vec<Quantity>,
        audit: impl Fn(Option<F>) -> Result<G, Error>,
        attacker: impl Fn(&G::View, &mut SimRng) -> G::Answer + Send + Sync + 'static,
        blind: impl Fn(&G::View, &mut SimRng) -> G::Answer + Send + Sync + 'static,
    ) -> Built
    where
        F: DeserializeOwned,
        G: Audit + Send + 'static,
    {
        let [promise, negative_control] = self.faults()?;
        let (audit, negative_control) = (audit(promise)?, audit(negative_control)?);
        Ok(Box::new(TrialScenario { about: self.about(), quantities, audit, negative_control, attacker, blind }))
    }

    /// The same for audits of one hidden bit.
    ///
    /// # Errors
    /// As [`Blueprint::trials`].
    pub fn bit_trials<F, B>(
        &self,
        quantities: Vec<Quantity>,
        audit: impl Fn(Option<F>) -> Result<B, Error>,
        attacker: impl Fn(&B::View, &mut SimRng) -> B::Answer + Send + Sync + 'static,
        blind: impl Fn(&B::View, &mut SimRng) -> B::Answer + Send + Sync + 'static,
    ) -> Built
    where
        F: DeserializeOwned,
        B: BitAudit + Send + 'static,
    {
        self.trials(quantities, |fault| audit(fault).map(HiddenBit), attacker, blind)
    }

    /// A scenario that measures a privacy loss. `inputs` makes the mechanism on two neighbouring
    /// inputs, with a fault or without; its second argument says whether the person is in the
    /// data on one side: they are not for the run about people outside.
    ///
    /// # Errors
    /// As [`Blueprint::trials`].
    pub fn privacy_loss<F, N>(
        &self,
        loss: PrivacyLoss,
        inputs: impl Fn(Option<F>, bool) -> Result<N, Error>,
        attacker: impl Fn(&N::View, &mut SimRng) -> bool + Send + Sync + 'static,
    ) -> Built
    where
        F: DeserializeOwned + Copy,
        N: NeighbouringInputs + Send + 'static,
    {
        let [promise, negative_control] = self.faults()?;
        Ok(Box::new(LossScenario {
            about: self.about(),
            loss,
            inputs: inputs(promise, true)?,
            negative_control: inputs(negative_control, true)?,
            outsiders: inputs(promise, false)?,
            attacker,
            blind: coin_toss,
        }))
    }

    /// The seeded fault of the promise, if there is one, and the fault of the negative control.
    ///
    /// # Errors
    /// [`Error::Scenario`] for a name that is not a fault of this scenario.
    pub fn faults<F: DeserializeOwned>(&self) -> Result<[Option<F>; 2], Error> {
        let seeded = self.seeded_fault.map(|name| self.fault(name)).transpose()?;
        Ok([seeded, Some(self.fault(&self.entry.negative_control)?)])
    }

    fn fault<F: DeserializeOwned>(&self, name: &str) -> Result<F, Error> {
        F::deserialize(StrDeserializer::<NameError>::new(name)).map_err(|error| self.refuse(error))
    }

    /// An error about this scenario.
    #[must_use]
    pub fn refuse(&self, problem: impl std::fmt::Display) -> Error {
        Error::Scenario { id: self.entry.id.clone(), problem: problem.to_string() }
    }
}

/// Whether all numbers of a value are finite.
fn is_finite(value: &toml::Value) -> bool {
    match value {
        toml::Value::Float(number) => number.is_finite(),
        toml::Value::Array(values) => values.iter().all(is_finite),
        toml::Value::Table(table) => table.values().all(is_finite),
        _ => true,
    }
}
