//! What a filter is, without its secret: enough to explain its decisions.

use std::fmt;
use std::num::NonZeroU32;

use privacy_core::prf::Secret;
use sha2::{Digest, Sha256};

use crate::entity::entity_set::EntitySet;
use crate::error::Error;
use crate::law::threshold_table::ThresholdTable;
use crate::number::GroupNumber;

/// Largest number of identifier columns of one filter.
pub const MAX_COLUMNS: usize = 64;

/// One column of identifiers: what they denote, and how many of them a group needs.
#[derive(Clone, Debug, PartialEq)]
pub struct EntityColumn {
    /// The kind of entity that the identifiers denote: `"user"`, `"branch"`. Not the name of the
    /// column: senders and receivers are both users, and the same users give the same draw from
    /// either column.
    pub kind: String,
    /// The thresholds that groups have to pass.
    pub thresholds: ThresholdTable,
}

/// How several identifier columns decide together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum ColumnRule {
    /// The column with the fewest distinct entities decides alone; among equals the one with the
    /// smallest seed. One draw per group.
    #[default]
    #[cfg_attr(feature = "serde", serde(rename = "working-aid", alias = "working-column"))]
    WorkingColumn,
    /// Every column must report. Columns that identify the same people suppress more without
    /// protecting more.
    All,
}

/// What a draw depends on besides the secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum DrawMode {
    /// The set of entities alone: however a group is queried, the answer is the same. A
    /// calibration, not differential privacy: the answers for two groups that differ by one
    /// entity are equal when the entity is in neither, so different answers prove that it is in
    /// one of them.
    #[default]
    Query,
    /// The set of entities and the name of the group: for one table that is published once.
    /// Groups that share entities draw independently, so which groups one table shows has the
    /// [`ReleaseProfile`](crate::ReleaseProfile) of its law, for the number of groups that an
    /// entity counts in ([`GroupsPerEntity`]). This needs a single identifier column: with
    /// several, adding one entity can change which of them decides. Low-effect groups are not
    /// merged, and a rest is not covered. Never use it interactively: an analyst who may rename
    /// groups may average. Use one secret per table.
    Publish,
}

/// In how many groups of a published table an entity counts: the `k` of its promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum GroupsPerEntity {
    /// Every identifier stands in one row, so an entity is in one group: the caller's statement,
    /// true of the entities that [`RowEntities`](crate::RowEntities) makes, and of any table
    /// without a grouping column.
    OneRow,
    /// In this many groups at most. [`LabelledGroups`](crate::LabelledGroups) keeps the groups
    /// that a keyed function puts first, for each entity, and leaves it out of the others: the
    /// same groups whatever the order of the rows and however the table was split.
    AtMost(NonZeroU32),
}

impl GroupsPerEntity {
    /// The number of groups.
    #[must_use]
    pub const fn get(self) -> NonZeroU32 {
        match self {
            Self::OneRow => NonZeroU32::MIN,
            Self::AtMost(groups) => groups,
        }
    }
}

/// A filter without its secret: kinds, thresholds, rule, mode and number. Results carry it, so
/// that they can be explained and stored after the filter is gone.
#[derive(Clone, PartialEq)]
pub struct FilterDescription {
    columns: Vec<EntityColumn>,
    rule: ColumnRule,
    mode: DrawMode,
    groups_per_entity: Option<GroupsPerEntity>,
    number: GroupNumber,
    cap: u32,
    fingerprint: u64,
    digest: [u8; 32],
}

impl FilterDescription {
    pub(crate) fn new(
        columns: Vec<EntityColumn>,
        rule: ColumnRule,
        mode: DrawMode,
        groups_per_entity: Option<GroupsPerEntity>,
        secret: &Secret,
    ) -> Result<Self, Error> {
        let cap = columns.iter().map(|column| column.thresholds.cap()).max().ok_or(Error::NoEntity)?;
        if columns.len() > MAX_COLUMNS {
            return Err(Error::TooManyColumns { limit: MAX_COLUMNS });
        }
        let fingerprint = secret.fingerprint();
        let digest = digest_of(fingerprint, &columns, groups_per_entity, false);
        let cap = u32::try_from(cap).expect("no law has a cap above 2^16");
        let number = GroupNumber::Hidden;
        Ok(Self { columns, rule, mode, groups_per_entity, number, cap, fingerprint, digest })
    }

    /// The same filter with a number beside the groups that it reports.
    pub(crate) fn with_number(&self, number: GroupNumber) -> Result<Self, Error> {
        number.check(self.mode, self.columns.len())?;
        let mut description = Self {
            number,
            digest: digest_of(self.fingerprint, &self.columns, self.groups_per_entity, false),
            ..self.clone()
        };
        description.cap = description.cap_of_laws();
        if number.needs_whole_sets() {
            description.cap = EntitySet::WHOLE;
            description.digest = digest_of(self.fingerprint, &self.columns, self.groups_per_entity, true);
        }
        Ok(description)
    }

    /// The largest cap of all laws.
    fn cap_of_laws(&self) -> u32 {
        let caps = self.columns.iter().map(|column| column.thresholds.cap());
        caps.max().and_then(|cap| u32::try_from(cap).ok()).expect("no law has a cap above 2^16")
    }

    /// Kind and thresholds of every identifier column; at least one.
    #[must_use]
    pub fn columns(&self) -> &[EntityColumn] {
        &self.columns
    }

    /// How the columns decide together.
    #[must_use]
    pub const fn rule(&self) -> ColumnRule {
        self.rule
    }

    /// What draws depend on.
    #[must_use]
    pub const fn mode(&self) -> DrawMode {
        self.mode
    }

    /// In how many groups of a published table an entity counts; none in query mode, and where
    /// nothing is promised.
    #[must_use]
    pub const fn groups_per_entity(&self) -> Option<GroupsPerEntity> {
        self.groups_per_entity
    }

    /// How many groups of an entity are chosen; none where all count.
    pub(crate) const fn chosen_groups(&self) -> Option<NonZeroU32> {
        match self.groups_per_entity {
            Some(GroupsPerEntity::AtMost(groups)) => Some(groups),
            Some(GroupsPerEntity::OneRow) | None => None,
        }
    }

    /// The number beside a reported group.
    #[must_use]
    pub const fn number(&self) -> GroupNumber {
        self.number
    }

    /// What the number beside a group costs in publish mode: an epsilon for each group of an
    /// entity, 0 where no number is shown, and `None` where no epsilon covers it.
    #[must_use]
    pub fn number_epsilon(&self) -> Option<f64> {
        match self.number {
            GroupNumber::Hidden => Some(0.0),
            GroupNumber::Noisy(noise) => noise.epsilon(),
            GroupNumber::Rounded(_) | GroupNumber::Exact(_) => None,
        }
    }

    /// The cap that sets of entities need for this filter: the largest of all laws, and 2^32 - 1
    /// where sets are held whole for the numbers beside groups.
    #[must_use]
    pub const fn cap(&self) -> u32 {
        self.cap
    }

    /// The smallest number of entities, over all columns, that may be reported; at least 2.
    ///
    /// # Panics
    /// Never: a filter has a column.
    #[must_use]
    pub fn floor(&self) -> u64 {
        let floors = self.columns.iter().map(|column| column.thresholds.floor());
        floors.min().expect("a filter has a column")
    }

    /// Distinguishes the secret from others, and reveals nothing about it.
    #[must_use]
    pub const fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Says whether states fit together: SHA-256 of the secret's fingerprint, of kind and
    /// [thresholds](ThresholdTable::digest) of every column, of the number of groups that are
    /// chosen for an entity, and of whether sets are held whole. Rule and mode of drawing do not
    /// change what a state holds.
    #[must_use]
    pub const fn digest(&self) -> [u8; 32] {
        self.digest
    }

    /// Whether one column decides each group: then a group has one draw.
    pub(crate) fn has_one_draw(&self) -> bool {
        self.rule != ColumnRule::All || self.columns.len() == 1
    }
}

fn digest_of(
    fingerprint: u64,
    columns: &[EntityColumn],
    groups: Option<GroupsPerEntity>,
    holds_whole_sets: bool,
) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(b"lcf filter 1\0");
    hash.update(fingerprint.to_le_bytes());
    hash.update((columns.len() as u64).to_le_bytes());
    for column in columns {
        // Lengths keep two lists of kinds from having one digest.
        hash.update((column.kind.len() as u64).to_le_bytes());
        hash.update(&column.kind);
        hash.update(column.thresholds.digest());
    }
    if let Some(GroupsPerEntity::AtMost(groups)) = groups {
        hash.update(b"groups per entity\0");
        hash.update(groups.get().to_le_bytes());
    }
    if holds_whole_sets {
        hash.update(b"whole sets\0");
    }
    hash.finalize().into()
}

/// Shows kinds, laws, rule and mode.
impl fmt::Debug for FilterDescription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FilterDescription")
            .field("columns", &self.columns)
            .field("rule", &self.rule)
            .field("mode", &self.mode)
            .field("groups_per_entity", &self.groups_per_entity)
            .field("number", &self.number)
            .finish_non_exhaustive()
    }
}
