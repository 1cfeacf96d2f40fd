//! The filter: who is protected, under which laws, by which rule and with which draws.
//!
//! `S_t` the distinct entities of identifier column `t`, `n_t` their number, `s_t` the XOR of
//! their hashes:
//!
//! ```text
//! working column   argmin over t of (n_t, s_t)                            of the source
//! draw             D(s_t) in query mode, D(s_t xor G(name)) in publish mode; 64 bits, keyed
//! reported         n_t >= cap_t, or draw < cutoff_t(n_t)
//! ```
//!
//! A saturated column has as many entities as every law asks for, so a column that is not
//! saturated has fewer: the cap changes neither which column works nor what is decided. Source:
//! "Operation of LCF", Algorithm.

use std::fmt;
use std::sync::Arc;

use privacy_core::prf::{EntityHasher, GroupHasher, GroupRanker, Sealer, Secret, StickyDraw, StickyNoise};

use super::decision::{Decision, Reason};
use super::description::{ColumnRule, DrawMode, EntityColumn, FilterDescription, GroupsPerEntity};
use super::group_name::GroupName;
use crate::entity::entity_set::{EntityCount, EntitySet};
use crate::error::Error;
use crate::number::GroupNumber;
use crate::number::group_number::Numbers;

/// Decides which groups are reported.
///
/// # Guarantee
/// No group of fewer entities than [`floor`](Self::floor), which is at least 2, is ever reported.
///
/// # Calibration
/// Anyone without the secret sees decisions with the probabilities of the laws. Unit: an entity
/// of each column's kind.
pub struct LowCountFilter {
    description: Arc<FilterDescription>,
    /// One per identifier column.
    hashers: Vec<EntityHasher>,
    draws: StickyDraw,
    noise: StickyNoise,
    names: Arc<GroupHasher>,
    ranks: Arc<GroupRanker>,
    sealer: Sealer,
}

/// What the seals of states are for.
const STATE: &str = "lcf state";

/// The decision of one column by itself.
#[derive(Clone, Copy)]
struct ColumnDecision {
    column: usize,
    distinct: EntityCount,
    seed: u64,
    reason: Reason,
}

impl LowCountFilter {
    /// A filter over these identifier columns. In publish mode it promises no (epsilon, delta):
    /// for one column, use [`publishing`](Self::publishing).
    ///
    /// Every argument is part of the draws, so the holder of the secret chooses them, once: the
    /// [terms](FilterDescription::terms) of the filter go into a [`Registry`](crate::Registry), and
    /// a program that lets analysts word their queries compares before it decides. Without that,
    /// 116 kinds of one column tell 7 entities from 8.
    ///
    /// # Errors
    /// [`Error::NoEntity`] without a column, [`Error::TooManyColumns`] above
    /// [`MAX_COLUMNS`](crate::MAX_COLUMNS).
    pub fn new(columns: Vec<EntityColumn>, rule: ColumnRule, mode: DrawMode, secret: &Secret) -> Result<Self, Error> {
        Ok(Self::described(FilterDescription::new(columns, rule, mode, None, secret)?, secret))
    }

    /// A filter in publish mode for tables in which an entity counts in at most `groups` groups.
    ///
    /// # Guarantee
    /// Which groups of one table [`apply`](Self::apply) reports is
    /// (epsilon, delta)-differentially private: the
    /// [profile](crate::ThresholdTable::release_profile) of the column's thresholds for that
    /// number of groups, against anyone without the secret. Neighbours: one entity added or
    /// removed, with all its rows. Unit: an entity of the column's kind.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn publishing(column: EntityColumn, groups: GroupsPerEntity, secret: &Secret) -> Result<Self, Error> {
        let rule = ColumnRule::WorkingColumn;
        let description = FilterDescription::new(vec![column], rule, DrawMode::Publish, Some(groups), secret)?;
        Ok(Self::described(description, secret))
    }

    fn described(description: FilterDescription, secret: &Secret) -> Self {
        Self {
            hashers: description.columns().iter().map(|column| secret.entity_hasher(&column.kind)).collect(),
            draws: secret.sticky_draw(),
            noise: secret.sticky_noise(),
            names: Arc::new(secret.group_hasher()),
            ranks: Arc::new(secret.group_ranker()),
            sealer: secret.sealer(),
            description: Arc::new(description),
        }
    }

    /// The same filter with a number beside the groups that it reports; without this call no
    /// number is shown. Groups are made for one number: those of another one are refused where
    /// their sets hold less.
    ///
    /// # Errors
    /// [`Error::NumberOfSeveral`] for numbers of entities with several columns;
    /// [`Error::RoundedPublication`] for rounded ones in publish mode; [`Error::NumberNoise`] for
    /// sticky ones that are not rounded, or of which the noise has a scale above 100.
    pub fn with_number(self, number: GroupNumber) -> Result<Self, Error> {
        let description = Arc::new(self.description.with_number(number)?);
        Ok(Self { description, ..self })
    }

    /// The number of a reported group; `name` in publish mode.
    pub(crate) fn number_of(
        &self,
        decision: &Decision,
        rows: u64,
        sets: &[EntitySet],
        name: Option<&GroupName>,
    ) -> Option<u64> {
        let floor = self.description.columns()[decision.working].thresholds.floor();
        let numbers = Numbers { number: self.description.number(), noise: &self.noise, floor };
        numbers.shown(rows, &sets[0], name.map(|name| self.names.hash(name.as_bytes())))
    }

    /// Kinds, thresholds, rule, mode and number, without the secret.
    #[must_use]
    pub fn description(&self) -> &FilterDescription {
        &self.description
    }

    pub(crate) fn shared_description(&self) -> Arc<FilterDescription> {
        Arc::clone(&self.description)
    }

    pub(crate) fn shared_names(&self) -> Arc<GroupHasher> {
        Arc::clone(&self.names)
    }

    pub(crate) fn shared_ranks(&self) -> Arc<GroupRanker> {
        Arc::clone(&self.ranks)
    }

    /// The seal of a state of this filter.
    pub(crate) fn seal(&self, state: &[u8]) -> [u8; 16] {
        self.sealer.seal(STATE, state)
    }

    /// Whether the holder of the secret sealed this state.
    pub(crate) fn has_sealed(&self, state: &[u8], seal: &[u8; 16]) -> bool {
        self.sealer.fits(STATE, state, seal)
    }

    /// The number of identifier columns.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.hashers.len()
    }

    /// The kind and thresholds of a column, from 0.
    ///
    /// # Errors
    /// [`Error::NoColumn`].
    pub fn column(&self, column: usize) -> Result<&EntityColumn, Error> {
        self.description.columns().get(column).ok_or(Error::NoColumn { column, columns: self.columns() })
    }

    /// The hash function for the identifiers of a column, from 0.
    ///
    /// # Errors
    /// [`Error::NoColumn`].
    pub fn hasher(&self, column: usize) -> Result<&EntityHasher, Error> {
        self.hashers.get(column).ok_or(Error::NoColumn { column, columns: self.columns() })
    }

    /// How the columns decide together.
    #[must_use]
    pub fn rule(&self) -> ColumnRule {
        self.description.rule()
    }

    /// What draws depend on.
    #[must_use]
    pub fn mode(&self) -> DrawMode {
        self.description.mode()
    }

    /// The cap that sets of entities need for this filter: the largest of all laws, so that it
    /// changes no decision.
    #[must_use]
    pub fn cap(&self) -> u32 {
        self.description.cap()
    }

    /// The smallest number of entities, over all columns, that may be reported; at least 2.
    #[must_use]
    pub fn floor(&self) -> u64 {
        self.description.floor()
    }

    /// Distinguishes the secret from others, and reveals nothing about it.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        self.description.fingerprint()
    }

    /// Says whether states fit together, as [`FilterDescription::digest`].
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        self.description.digest()
    }

    /// Decides about one group from its sets of entities, one per identifier column. About 250 ns
    /// where a draw is needed.
    ///
    /// It decides about the sets that it is given: in publish mode the number of groups that an
    /// entity counts in is bounded where rows become groups, in
    /// [`LabelledGroups`](crate::LabelledGroups).
    ///
    /// # Errors
    /// [`Error::SetCount`] and [`Error::OtherCap`] for sets that say less than this filter needs,
    /// [`Error::NoName`] in publish mode without the group's name.
    pub fn decide(&self, sets: &[EntitySet], name: Option<&GroupName>) -> Result<Decision, Error> {
        if sets.len() != self.columns() {
            return Err(Error::SetCount { expected: self.columns(), got: sets.len() });
        }
        // A set with a larger cap knows more than is needed, which changes no decision.
        if let Some(short) = sets.iter().find(|set| set.cap() < self.cap()) {
            return Err(Error::OtherCap { expected: self.cap(), got: short.cap() });
        }
        let tweak = match (self.mode(), name) {
            (DrawMode::Query, _) => 0,
            (DrawMode::Publish, Some(name)) => self.names.hash(name.as_bytes()),
            (DrawMode::Publish, None) => return Err(Error::NoName),
        };
        Ok(match self.rule() {
            ColumnRule::WorkingColumn => self.decide_by_working_column(sets, tweak),
            ColumnRule::All => self.decide_by_all(sets, tweak),
        })
    }

    fn decide_by_working_column(&self, sets: &[EntitySet], tweak: u64) -> Decision {
        let ranked = (0..sets.len()).min_by_key(|&column| (sets[column].distinct(), sets[column].seed()));
        let working = ranked.expect("a filter has a column");
        self.decide_column(working, &sets[working], tweak).into()
    }

    fn decide_by_all(&self, sets: &[EntitySet], tweak: u64) -> Decision {
        let decisions = sets.iter().enumerate().map(|(column, set)| self.decide_column(column, set, tweak));
        // A suppressing column comes before every reporting one, then the fewest entities.
        let deciding = decisions.min_by_key(|one| (one.reason.is_reported(), one.distinct, one.seed));
        deciding.expect("a filter has a column").into()
    }

    fn decide_column(&self, column: usize, set: &EntitySet, tweak: u64) -> ColumnDecision {
        let thresholds = &self.description.columns()[column].thresholds;
        let (distinct, seed) = (set.distinct(), set.seed().unwrap_or(0));
        let reason = match distinct {
            EntityCount::Exactly(0) => Reason::NoEntity,
            EntityCount::Exactly(n) if u64::from(n) < thresholds.floor() => Reason::BelowFloor,
            EntityCount::Exactly(n) if u64::from(n) < thresholds.cap() => {
                match thresholds.is_reported(n.into(), self.draws.draw(seed ^ tweak)) {
                    true => Reason::ReportedByDraw,
                    false => Reason::SuppressedByDraw,
                }
            }
            EntityCount::Exactly(_) | EntityCount::AtLeast(_) => Reason::Certain,
        };
        ColumnDecision { column, distinct, seed, reason }
    }
}

impl From<ColumnDecision> for Decision {
    fn from(decision: ColumnDecision) -> Self {
        Self { reason: decision.reason, working: decision.column }
    }
}

/// Shows kinds, laws, rule and mode; nothing of the secret.
impl fmt::Debug for LowCountFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LowCountFilter")
            .field("columns", &self.description.columns())
            .field("rule", &self.rule())
            .field("mode", &self.mode())
            .finish_non_exhaustive()
    }
}
