//! One group as bytes: what an engine that groups rows keeps and sends of each group.
//!
//! ```text
//! "LCR1"                                    4 bytes
//! digest of the filter                      32 bytes
//! rows, at least 1                          u64
//! a set for each column of identifiers      members as in a set of entities
//! seal of all of this under the secret      16 bytes
//! ```
//!
//! Integers are little endian. The labels are not in it: an engine has them beside it. A set that
//! says "saturated" is believed without a member, so a state is read only if it was sealed under
//! the secret. Where groups are chosen for entities the sets are held whole, since the choice takes
//! all groups of an entity.

use std::fmt;

use crate::entity::entity_set::EntitySet;
use crate::entity::wire::Reader;
use crate::error::Error;
use crate::filter::low_count_filter::LowCountFilter;

const MAGIC: [u8; 4] = *b"LCR1";

/// The rows and the entities of one group, or of a part of it: as confidential as the data.
///
/// # Example
/// ```
/// # use lcf::{ColumnRule, DrawMode, EntityColumn, GroupLimits, HardThreshold, LowCountFilter, ThresholdTable};
/// # use privacy_core::prf::Secret;
/// use lcf::{EntitySet, GroupState, LabelledGroups};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let secret = Secret::new(&[7; 32])?;
/// # let thresholds = ThresholdTable::new(HardThreshold::at_least(2)?);
/// # let users = vec![EntityColumn { kind: "user".to_owned(), thresholds }];
/// # let filter = LowCountFilter::new(users, ColumnRule::WorkingColumn, DrawMode::Query, &secret)?;
/// let mut users = EntitySet::new(GroupState::cap(&filter));
/// users.extend([filter.hasher(0)?.hash_i64(1), filter.hasher(0)?.hash_i64(2)]);
/// let bytes = GroupState { rows: 3, sets: vec![users] }.to_bytes(&filter)?;
///
/// let mut groups = LabelledGroups::new(["town"], &filter, GroupLimits::default());
/// groups.add_state(["Bonn"], &GroupState::from_bytes(&bytes, &filter)?)?;
/// assert_eq!(groups.into_table().len(), 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct GroupState {
    /// Number of rows.
    pub rows: u64,
    /// Its entities, one set per identifier column.
    pub sets: Vec<EntitySet>,
}

impl GroupState {
    /// The cap that sets of a state have for a filter: that of the filter, or the largest of all
    /// where groups are chosen for entities.
    #[must_use]
    pub fn cap(filter: &LowCountFilter) -> u32 {
        if filter.description().chosen_groups().is_some() { EntitySet::WHOLE } else { filter.cap() }
    }

    /// The state as bytes, sealed for a filter: 64, and 8 per member.
    ///
    /// # Errors
    /// As [`bytes_of`](Self::bytes_of).
    pub fn to_bytes(&self, filter: &LowCountFilter) -> Result<Vec<u8>, Error> {
        Self::bytes_of(self.rows, &self.sets, filter)
    }

    /// The bytes of a state whose rows and sets are elsewhere.
    ///
    /// # Errors
    /// [`Error::SetCount`] and [`Error::OtherCap`] for sets that are not those of this filter;
    /// [`Error::NotAState`] without a row.
    pub fn bytes_of(rows: u64, sets: &[EntitySet], filter: &LowCountFilter) -> Result<Vec<u8>, Error> {
        check(sets, filter.columns(), Self::cap(filter))?;
        if rows == 0 {
            return Err(Error::NotAState);
        }
        let members: usize = sets.iter().map(EntitySet::held).sum();
        let mut bytes = Vec::with_capacity(60 + 4 * sets.len() + 8 * members);
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&filter.digest());
        bytes.extend_from_slice(&rows.to_le_bytes());
        sets.iter().for_each(|set| set.write_members(&mut bytes));
        let seal = filter.seal(&bytes);
        bytes.extend_from_slice(&seal);
        Ok(bytes)
    }

    /// The state that all of these bytes encode, for the filter that it was made for.
    ///
    /// # Errors
    /// [`Error::OtherFilter`] where the secret, the kinds of entities or the laws differ;
    /// [`Error::NotSealed`] for a state that was not written under the secret;
    /// [`Error::NotAState`] unless [`to_bytes`](Self::to_bytes) writes exactly these bytes for
    /// some state.
    pub fn from_bytes(bytes: &[u8], filter: &LowCountFilter) -> Result<Self, Error> {
        let (mut reader, _) = Reader::of_sealed(bytes, MAGIC, filter)?;
        let cap = Self::cap(filter);
        let rows = reader.u64().filter(|&rows| rows > 0).ok_or(Error::NotAState)?;
        let sets: Option<Vec<EntitySet>> = (0..filter.columns()).map(|_| reader.members(cap)).collect();
        let sets = sets.filter(|_| reader.is_empty()).ok_or(Error::NotAState)?;
        Ok(Self { rows, sets })
    }
}

/// Refuses sets that are not one per column, or have another cap.
pub(crate) fn check(sets: &[EntitySet], columns: usize, cap: u32) -> Result<(), Error> {
    if sets.len() != columns {
        return Err(Error::SetCount { expected: columns, got: sets.len() });
    }
    match sets.iter().find(|set| set.cap() != cap) {
        Some(set) => Err(Error::OtherCap { expected: cap, got: set.cap() }),
        None => Ok(()),
    }
}

/// Shows nothing of the group.
impl fmt::Debug for GroupState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GroupState").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use privacy_core::prf::Secret;

    use super::*;
    use crate::filter::description::{ColumnRule, DrawMode, EntityColumn};
    use crate::law::{HardThreshold, ThresholdTable};

    fn filter(secret: u8, least: u32) -> LowCountFilter {
        let thresholds = ThresholdTable::new(HardThreshold::at_least(least).unwrap());
        let columns = vec![EntityColumn { kind: "user".into(), thresholds }];
        let secret = Secret::new(&[secret; 32]).unwrap();
        LowCountFilter::new(columns, ColumnRule::WorkingColumn, DrawMode::Query, &secret).unwrap()
    }

    fn state(rows: u64, cap: u32, members: &[u64]) -> GroupState {
        let mut set = EntitySet::new(cap);
        set.extend(members.iter().copied());
        GroupState { rows, sets: vec![set] }
    }

    #[test]
    fn states_come_back_from_their_bytes_and_no_other_bytes_are_one() {
        let own = filter(7, 5);
        for members in [&[][..], &[3], &[9, 3, u64::MAX], &[1, 2, 3, 4, 5]] {
            let state = state(11, own.cap(), members);
            let bytes = state.to_bytes(&own).unwrap();
            assert!(GroupState::from_bytes(&bytes, &own).unwrap() == state);
            (0..bytes.len()).for_each(|length| assert!(GroupState::from_bytes(&bytes[..length], &own).is_err()));
            for at in 0..bytes.len() {
                let mut changed = bytes.clone();
                changed[at] ^= 1;
                assert!(GroupState::from_bytes(&changed, &own).is_err(), "byte {at}");
            }
        }
    }

    #[test]
    fn a_state_of_another_filter_or_without_a_row_is_refused() {
        let own = filter(7, 5);
        let good = state(1, own.cap(), &[3]);
        let bytes = good.to_bytes(&own).unwrap();
        for other in [filter(8, 5), filter(7, 6)] {
            assert_eq!(GroupState::from_bytes(&bytes, &other).unwrap_err(), Error::OtherFilter);
        }
        assert_eq!(state(0, own.cap(), &[]).to_bytes(&own).unwrap_err(), Error::NotAState);
        assert!(matches!(state(1, 4, &[]).to_bytes(&own).unwrap_err(), Error::OtherCap { expected: 5, got: 4 }));
        let none = GroupState { rows: 1, sets: vec![] };
        assert_eq!(none.to_bytes(&own).unwrap_err(), Error::SetCount { expected: 1, got: 0 });
    }

    #[test]
    fn a_sealed_state_without_a_row_is_none() {
        let own = filter(7, 5);
        let sealed = |rows: u64| {
            let mut bytes = [&MAGIC[..], &own.digest(), &rows.to_le_bytes()].concat();
            EntitySet::new(own.cap()).write_members(&mut bytes);
            let seal = own.seal(&bytes);
            [&bytes[..], &seal].concat()
        };
        assert!(GroupState::from_bytes(&sealed(1), &own).unwrap() == state(1, own.cap(), &[]));
        assert_eq!(GroupState::from_bytes(&sealed(0), &own).unwrap_err(), Error::NotAState);
    }

    #[test]
    fn debug_shows_neither_rows_nor_entities() {
        assert_eq!(format!("{:?}", state(4711, 5, &[4712])), "GroupState { .. }");
    }
}
