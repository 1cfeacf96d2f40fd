//! The permanent stages of many people, kept from one round of reports to the next.
//!
//! `epsilon_f` is what a RAPPOR feature costs for ever, `k_f` for how many answers of a person its
//! permanent stage was drawn. All reports about that person, in any number of rounds, cost at most
//!
//! ```text
//! sum over RAPPOR features k_f epsilon_f  +  reports * epsilon of the other features
//! ```
//!
//! With `k_f = 1` this holds whatever the answers become, since later reports are about the first
//! one. With `k_f > 1` it holds between two histories of answers that change, and return, in the
//! same rounds: *when* an answer changes is not protected.
//! Source: Erlingsson, Pihur, Korolova, "RAPPOR" (CCS 2014), section 3 and theorem 1.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use privacy_core::round::{add_up, mul_up};
use rand_core::CryptoRng;

use crate::client::Client;
use crate::error::RowError;
use crate::feature::Protocol;
use crate::schema::Schema;

mod bytes;

/// What becomes of a person whose answer is another than in earlier rounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum ChangedAnswer {
    /// The round is refused.
    #[default]
    Refuse,
    /// Later reports are about the first answer: the epsilon of one permanent stage bounds them
    /// all, whatever the answers become, and estimates are about first answers.
    KeepFirst,
    /// The permanent stage of a new answer is drawn, and that of an earlier one is used again, as
    /// RAPPOR does. Every new answer costs epsilon again, and reports show when an answer changed.
    DrawAgain,
}

/// What a person's reports are made from.
#[derive(Clone, PartialEq, Eq, Default)]
struct Remembered {
    /// Reports that were made.
    reports: u64,
    /// For each RAPPOR feature, the answers that were drawn for, the first one first, and the
    /// permanent bits of each.
    drawn: Vec<Vec<(u32, Vec<bool>)>>,
}

/// The permanent stages of the RAPPOR features of many people, by name.
///
/// A round is [`begin_round`](Self::begin_round), [`recall`](Self::recall) for everybody, storing
/// [`to_bytes`](Self::to_bytes) where they last, and only then [`report`](Self::report): a stage
/// that is lost after its reports have left is drawn, and paid for, again. As confidential as the
/// answers.
///
/// Names are compared as they are: a person under two names has two permanent stages.
#[derive(Clone, PartialEq, Eq)]
pub struct ResponseMemory {
    digest: [u8; 32],
    /// Positions of the RAPPOR features.
    features: Vec<usize>,
    people: BTreeMap<String, Remembered>,
    /// Who is in this round.
    round: BTreeSet<String>,
}

/// Shows nobody.
impl fmt::Debug for ResponseMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponseMemory").finish_non_exhaustive()
    }
}

impl ResponseMemory {
    /// A memory of nobody.
    #[must_use]
    pub fn new(client: &Client) -> Self {
        Self {
            digest: client.digest(),
            features: rappor_features(client.schema()),
            people: BTreeMap::new(),
            round: BTreeSet::new(),
        }
    }

    /// How many people are remembered.
    #[must_use]
    pub fn people(&self) -> usize {
        self.people.len()
    }

    /// Most reports about one person.
    #[must_use]
    pub fn most_reports(&self) -> u64 {
        self.people.values().map(|person| person.reports).max().unwrap_or(0)
    }

    /// Whether the permanent stage of somebody was drawn for a second answer: see the module.
    #[must_use]
    pub fn has_drawn_again(&self) -> bool {
        self.people.values().flat_map(|person| &person.drawn).any(|answers| answers.len() > 1)
    }

    /// What all reports about one person cost, of the person whose cost most: rounded up.
    ///
    /// # Guarantee
    /// Local differential privacy, of all reports together. Unit: one person, with all rounds.
    /// Neighbours: two histories of answers of that person; if
    /// [`has_drawn_again`](Self::has_drawn_again), two that change in the same rounds.
    #[must_use]
    pub fn epsilon(&self, schema: &Schema) -> f64 {
        let each = schema.epsilon_of_others();
        let of_person = |person: &Remembered| {
            // Zero reports of a feature of infinite epsilon cost nothing, not NaN.
            let others = if person.reports == 0 || each == 0.0 { 0.0 } else { mul_up(person.reports as f64, each) };
            self.features.iter().zip(&person.drawn).fold(others, |sum, (&feature, answers)| {
                let epsilon = schema.features()[feature].epsilon_forever().unwrap_or(0.0);
                add_up(sum, mul_up(answers.len() as f64, epsilon))
            })
        };
        self.people.values().map(of_person).fold(0.0, f64::max)
    }

    /// Begins a round, in which everybody reports at most once.
    pub fn begin_round(&mut self) {
        self.round.clear();
    }

    /// Takes a person into the round: draws the permanent stage of anyone who is new, and decides
    /// about changed answers of RAPPOR features. Whether the person was new.
    ///
    /// # Errors
    /// [`RowError::OtherSchema`], [`RowError::Length`], [`RowError::NoSuchValue`];
    /// [`RowError::TwiceInARound`]; [`RowError::AnswerChanged`] under [`ChangedAnswer::Refuse`].
    /// Nothing changed then.
    pub fn recall<R: CryptoRng + ?Sized>(
        &mut self,
        client: &Client,
        person: &str,
        row: &[u32],
        changed: ChangedAnswer,
        rng: &mut R,
    ) -> Result<bool, RowError> {
        self.check(client, row)?;
        if self.round.contains(person) {
            return Err(RowError::TwiceInARound);
        }
        let known = self.people.get(person);
        let is_new = known.is_none();
        let mut remembered = known.cloned().unwrap_or_default();
        remembered.drawn.resize(self.features.len(), Vec::new());
        for (answers, &feature) in remembered.drawn.iter_mut().zip(&self.features) {
            let value = row[feature];
            if answers.iter().any(|(drawn, _)| *drawn == value) {
                continue;
            }
            match changed {
                _ if answers.is_empty() => {}
                ChangedAnswer::KeepFirst => continue,
                ChangedAnswer::DrawAgain => {}
                ChangedAnswer::Refuse => {
                    let feature = client.schema().features()[feature].attribute().name().to_owned();
                    return Err(RowError::AnswerChanged { feature });
                }
            }
            answers.push((value, client.draw_permanent(feature, value, &mut &mut *rng)));
        }
        remembered.reports += 1;
        self.people.insert(person.to_owned(), remembered);
        self.round.insert(person.to_owned());
        Ok(is_new)
    }

    /// Appends the report of a person of this round, made from the same row and by the same rule
    /// about changed answers as in [`recall`](Self::recall).
    ///
    /// # Guarantee
    /// That of [`epsilon`](Self::epsilon), for all reports of all rounds.
    ///
    /// # Errors
    /// As [`recall`](Self::recall); [`RowError::NotInThisRound`] for a person who was not recalled,
    /// or has reported.
    pub fn report<R: CryptoRng + ?Sized>(
        &mut self,
        client: &Client,
        person: &str,
        row: &[u32],
        changed: ChangedAnswer,
        reports: &mut Vec<u8>,
        rng: &mut R,
    ) -> Result<(), RowError> {
        self.check(client, row)?;
        let remembered = self.people.get(person).filter(|_| self.round.contains(person));
        let remembered = remembered.ok_or(RowError::NotInThisRound)?;
        let mut permanent = vec![Vec::new(); row.len()];
        for (answers, &feature) in remembered.drawn.iter().zip(&self.features) {
            let drawn = answers.iter().find(|(value, _)| *value == row[feature]);
            let used = match changed {
                ChangedAnswer::KeepFirst => answers.first(),
                ChangedAnswer::Refuse | ChangedAnswer::DrawAgain => drawn,
            };
            permanent[feature].clone_from(&used.ok_or(RowError::NotInThisRound)?.1);
        }
        client.append_memoized(row, &permanent, reports, &mut &mut *rng);
        self.round.remove(person);
        Ok(())
    }

    fn check(&self, client: &Client, row: &[u32]) -> Result<(), RowError> {
        if client.digest() == self.digest { client.check(row) } else { Err(RowError::OtherSchema) }
    }
}

impl Schema {
    /// Whether a feature has a permanent stage, which later reports need.
    #[must_use]
    pub fn has_permanent_stage(&self) -> bool {
        !rappor_features(self).is_empty()
    }

    /// What all reports about a person cost, however many, when every permanent stage is drawn
    /// once; infinite if a feature has none, since its reports add up.
    ///
    /// # Guarantee
    /// Local differential privacy of all reports together, whatever the answers become. Unit: all
    /// answers of one person, in all rounds. Rounded up.
    #[must_use]
    pub fn epsilon_forever(&self) -> f64 {
        let forever = self.features().iter().map(|feature| feature.epsilon_forever().unwrap_or(f64::INFINITY));
        // All of them: with sampled features every feature is reported about in some round.
        forever.fold(0.0, add_up)
    }

    /// What one report tells about the features that have one stage: those that a person reports
    /// of them cost most.
    #[must_use]
    pub fn epsilon_of_others(&self) -> f64 {
        // What is answered together is no sum of what it tells about each feature.
        if self.joint_keep().is_some() || self.parities().is_some() {
            return self.epsilon_per_report();
        }
        let others = self.features().iter().filter(|feature| feature.epsilon_forever().is_none());
        let mut costs: Vec<f64> = others.map(crate::feature::Feature::epsilon).collect();
        costs.sort_by(|a, b| b.total_cmp(a));
        costs.iter().take(self.features_per_person()).copied().fold(0.0, add_up)
    }
}

/// Positions of the features with a permanent stage.
fn rappor_features(schema: &Schema) -> Vec<usize> {
    let all = schema.features().iter().enumerate();
    all.filter(|(_, feature)| matches!(feature.protocol(), Protocol::Rappor { .. })).map(|(place, _)| place).collect()
}

#[cfg(test)]
mod tests;
