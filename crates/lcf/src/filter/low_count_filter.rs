//! The filter: who is protected, under which laws, by which rule and with which draws.
//!
//! `S_t` the distinct entities of identifier column `t`, `n_t` their number, `s_t` the XOR of their hashes:
//!
//! ```text
//! working column   argmin over t of (n_t, s_t)                            of the source
//! draw             D(s_t) in query mode, D(s_t xor G(name)) in publish mode; 64 bits, keyed
//! reported         n_t >= cap_t, or draw < cutoff_t(n_t)
//! ```
//!
//! A saturated column has as many entities as every law asks for, so any that is not saturated has fewer: the cap does
//! not change which column works, nor what is decided. Source: "Operation of LCF", Algorithm.

use std::fmt;

use privacy_core::prf::{EntityHasher, GroupHasher, Secret, StickyDraw};
use sha2::{Digest, Sha256};

use crate::entity::entity_set::{EntityCount, EntitySet};
use crate::error::Error;
use crate::filter::decision::{Decision, Reason};
use crate::filter::group_name::GroupName;
use crate::law::threshold_table::ThresholdTable;

/// Most columns of identifiers of one filter.
pub const MAX_COLUMNS: usize = 64;

/// One column of identifiers: whose they are, and how many of them a group needs.
#[derive(Clone, Debug)]
pub struct EntityColumn {
    /// The kind of entity that the identifiers denote: `"user"`, `"branch"`. Not the name of the column: senders and
    /// receivers are both users, and the same users give the same draw from either column.
    pub kind: String,
    /// The law that groups have to pass.
    pub thresholds: ThresholdTable,
}

/// How several columns of identifiers decide together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum ColumnRule {
    /// The column with the fewest distinct entities decides alone; among equals the one with the smallest seed. One
    /// draw a group.
    #[default]
    #[cfg_attr(feature = "serde", serde(rename = "working-aid", alias = "working-column"))]
    WorkingColumn,
    /// Every column must report. Columns that say the same suppress more without protecting more.
    All,
}

/// What a draw depends on besides the secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum DrawMode {
    /// The set of entities alone: however a group is asked for, the answer is the same. A calibration, not differential
    /// privacy: the answers of two groups that differ by one entity are equal when the entity is in neither, so a
    /// difference proves that it is in one.
    #[default]
    Query,
    /// The set of entities and the name of the group: for one table that is published once. Groups that share entities draw
    /// independently, so which groups one table shows has the [`ReleaseProfile`](crate::ReleaseProfile) of its law, for as many
    /// groups as one entity is in. That is with one column of identifiers: with several, one entity more can change
    /// which of them decides. Groups of low effect are not merged, and a rest is not covered. Never interactively:
    /// whoever may rename groups may average. One secret for each.
    Publish,
}

/// Decides which groups are shown.
///
/// # Guarantee
/// No group of fewer entities than [`floor`](Self::floor), which is at least 2, is ever reported.
///
/// # Calibration
/// Whoever has not the secret sees decisions with the probabilities of the laws. Unit: an entity of each column's kind.
pub struct LowCountFilter {
    columns: Vec<Column>,
    rule: ColumnRule,
    draws: StickyDraw,
    /// In publish mode.
    names: Option<GroupHasher>,
    fingerprint: u64,
    cap: u32,
    digest: [u8; 32],
}

struct Column {
    entity: EntityColumn,
    hasher: EntityHasher,
}

/// What one column says by itself.
#[derive(Clone, Copy)]
struct ColumnDecision {
    column: usize,
    distinct: EntityCount,
    seed: u64,
    reason: Reason,
}

impl LowCountFilter {
    /// A filter over these columns of identifiers.
    ///
    /// # Errors
    /// [`Error::NoEntity`] without a column, [`Error::TooManyColumns`] above [`MAX_COLUMNS`].
    ///
    /// # Panics
    /// Never: no law has a cap above 2^16.
    pub fn new(columns: Vec<EntityColumn>, rule: ColumnRule, mode: DrawMode, secret: &Secret) -> Result<Self, Error> {
        let cap = columns.iter().map(|column| column.thresholds.cap()).max().ok_or(Error::NoEntity)?;
        if columns.len() > MAX_COLUMNS {
            return Err(Error::TooManyColumns { limit: MAX_COLUMNS });
        }
        let with_hasher = |entity: EntityColumn| Column { hasher: secret.entity_hasher(&entity.kind), entity };
        Ok(Self {
            digest: digest_of(secret.fingerprint(), &columns),
            columns: columns.into_iter().map(with_hasher).collect(),
            rule,
            draws: secret.sticky_draw(),
            names: (mode == DrawMode::Publish).then(|| secret.group_hasher()),
            fingerprint: secret.fingerprint(),
            cap: u32::try_from(cap).expect("no law has a cap above 2^16"),
        })
    }

    /// How many columns of identifiers there are.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns.len()
    }

    /// The kind and law of a column, from 0.
    #[must_use]
    pub fn column(&self, column: usize) -> &EntityColumn {
        &self.columns[column].entity
    }

    /// The hash function for the identifiers of a column, from 0.
    #[must_use]
    pub fn hasher(&self, column: usize) -> &EntityHasher {
        &self.columns[column].hasher
    }

    /// How the columns decide together.
    #[must_use]
    pub fn rule(&self) -> ColumnRule {
        self.rule
    }

    /// What draws depend on.
    #[must_use]
    pub fn mode(&self) -> DrawMode {
        if self.names.is_some() { DrawMode::Publish } else { DrawMode::Query }
    }

    /// The cap that sets of entities need here: the largest of all laws, so that it changes nothing.
    #[must_use]
    pub fn cap(&self) -> u32 {
        self.cap
    }

    /// The smallest number of entities that may be reported, of any column; at least 2.
    ///
    /// # Panics
    /// Never: a filter has a column.
    #[must_use]
    pub fn floor(&self) -> u64 {
        let floors = self.columns.iter().map(|column| column.entity.thresholds.floor());
        floors.min().expect("a filter has a column")
    }

    /// Tells the secret from others, and nothing about it.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Says whether states fit together: SHA-256 of the secret's fingerprint and of kind and
    /// [cut-offs](ThresholdTable::digest) of every column. ColumnRule and mode of drawing do not change what a state holds.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        self.digest
    }

    /// Decides about one group from its sets of entities, one a column. About 250 ns where a draw is needed.
    ///
    /// # Errors
    /// [`Error::SetCount`] and [`Error::OtherCap`] for sets of another filter, [`Error::NoName`] in publish mode without
    /// the group's name.
    pub fn decide(&self, sets: &[EntitySet], name: Option<&GroupName>) -> Result<Decision, Error> {
        if sets.len() != self.columns.len() {
            return Err(Error::SetCount { expected: self.columns.len(), got: sets.len() });
        }
        if let Some(other) = sets.iter().find(|set| set.cap() != self.cap) {
            return Err(Error::OtherCap { expected: self.cap, got: other.cap() });
        }
        let tweak = match (&self.names, name) {
            (None, _) => 0,
            (Some(names), Some(name)) => names.hash(name.as_bytes()),
            (Some(_), None) => return Err(Error::NoName),
        };
        Ok(match self.rule {
            ColumnRule::WorkingColumn => self.decide_by_working(sets, tweak),
            ColumnRule::All => self.decide_by_all(sets, tweak),
        })
    }

    fn decide_by_working(&self, sets: &[EntitySet], tweak: u64) -> Decision {
        let rank = |&column: &usize| (sets[column].distinct(), sets[column].seed());
        let working = (0..sets.len()).min_by_key(rank).expect("a filter has a column");
        self.vote(working, &sets[working], tweak).into()
    }

    fn decide_by_all(&self, sets: &[EntitySet], tweak: u64) -> Decision {
        let votes = sets.iter().enumerate().map(|(column, set)| self.vote(column, set, tweak));
        let fewest = |vote: &ColumnDecision| (vote.reason.is_reported(), vote.distinct, vote.seed);
        votes.min_by_key(fewest).expect("a filter has a column").into()
    }

    fn vote(&self, column: usize, set: &EntitySet, tweak: u64) -> ColumnDecision {
        let thresholds = &self.columns[column].entity.thresholds;
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

fn digest_of(fingerprint: u64, columns: &[EntityColumn]) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(b"lcf filter 1\0");
    hash.update(fingerprint.to_le_bytes());
    hash.update((columns.len() as u64).to_le_bytes());
    for column in columns {
        hash.update((column.kind.len() as u64).to_le_bytes());
        hash.update(&column.kind);
        hash.update(column.thresholds.digest());
    }
    hash.finalize().into()
}

impl From<ColumnDecision> for Decision {
    fn from(vote: ColumnDecision) -> Self {
        Self { reason: vote.reason, working: vote.column }
    }
}

/// Shows kinds, laws, rule and mode; nothing of the secret.
impl fmt::Debug for LowCountFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns: Vec<&EntityColumn> = self.columns.iter().map(|column| &column.entity).collect();
        let mode = self.mode();
        f.debug_struct("LowCountFilter")
            .field("columns", &columns)
            .field("rule", &self.rule)
            .field("mode", &mode)
            .finish_non_exhaustive()
    }
}
