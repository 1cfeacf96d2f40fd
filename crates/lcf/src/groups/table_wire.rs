//! A grouped table as bytes: what was counted today, for tomorrow or for another machine.
//!
//! ```text
//! "LCG2"                                                    4 bytes
//! digest of the filter: secret, kinds, cut-offs, bound      32 bytes
//! grouping columns                                          u64
//!   for each:   length of the name, name                    u64, UTF-8
//!               labels, strictly ascending                  u64, for each: length u64, UTF-8
//! groups, by their labels strictly ascending                u64
//!   for each:   position of its label in every column       u32
//!               rows, at least 1                            u64
//!               a set for each column of identifiers        members as in a set of entities
//!           or, where groups were chosen for entities,
//!               the entities that count in it, ascending    u64, for each: u64
//! seal of all of this under the secret                      16 bytes
//! ```
//!
//! Integers are little endian. Every label belongs to some group, so one table has one encoding:
//! equal tables are equal bytes.
//!
//! A set that says "saturated" is believed without a member, so a table is read only if it
//! was sealed under the secret: [`Sealer`](privacy_core::prf::Sealer), SipHash-2-4 of 128 bits.

use std::sync::Arc;

use crate::entity::entity_set::EntitySet;
use crate::entity::wire::Reader;
use crate::error::Error;
use crate::filter::low_count_filter::LowCountFilter;
use crate::groups::coded_groups::CodedGroups;
use crate::groups::labelled_table::{LabelColumn, LabelledTable};
use crate::groups::labels::set_of;

const MAGIC: [u8; 4] = *b"LCG2";

impl LabelledTable {
    /// The table as bytes. They hold labels, numbers of rows and keyed hashes: as confidential as
    /// the data.
    ///
    /// Store the table before [`LowCountFilter::apply`]: in
    /// [`FilteredTable::table`](crate::FilteredTable::table) low-effect groups are merged
    /// already.
    ///
    /// # Errors
    /// [`Error::OtherFilter`] unless the table was grouped for this filter, which seals it.
    pub fn to_bytes(&self, filter: &LowCountFilter) -> Result<Vec<u8>, Error> {
        if self.filter != filter.digest() {
            return Err(Error::OtherFilter);
        }
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&self.filter);
        put(&mut bytes, self.columns.len());
        for column in &self.columns {
            put_text(&mut bytes, &column.name);
            put(&mut bytes, column.labels.len());
            column.labels.iter().for_each(|label| put_text(&mut bytes, label));
        }
        put(&mut bytes, self.groups.len());
        for group in 0..self.len() {
            self.groups.key(group).iter().for_each(|label| bytes.extend_from_slice(&label.to_le_bytes()));
            bytes.extend_from_slice(&self.groups.rows(group).to_le_bytes());
            match &self.members {
                Some(members) => {
                    put(&mut bytes, members[group].len());
                    members[group].iter().for_each(|entity| bytes.extend_from_slice(&entity.to_le_bytes()));
                }
                None => self.groups.sets(group).iter().for_each(|set| set.write_members(&mut bytes)),
            }
        }
        let seal = filter.seal(&bytes);
        bytes.extend_from_slice(&seal);
        Ok(bytes)
    }

    /// A keyed digest of the table: whether two tables are the same, to anyone who has the secret.
    ///
    /// # Errors
    /// As [`to_bytes`](Self::to_bytes).
    pub fn digest(&self, filter: &LowCountFilter) -> Result<[u8; 16], Error> {
        self.to_bytes(filter).map(|bytes| filter.seal(&bytes))
    }

    /// The table that all of these bytes encode, for the filter that it was grouped for. It takes
    /// at most about ten times their memory.
    ///
    /// # Errors
    /// [`Error::OtherFilter`] where the secret, the kinds of entities or the laws differ;
    /// [`Error::NotSealed`] for a table that was not written under the secret;
    /// [`Error::NotAState`] unless [`to_bytes`](Self::to_bytes) writes exactly these bytes for
    /// some table.
    pub fn from_bytes(bytes: &[u8], filter: &LowCountFilter) -> Result<Self, Error> {
        let (reader, _) = Reader::of_sealed(bytes, MAGIC, filter)?;
        parse(reader, filter).ok_or(Error::NotAState)
    }
}

fn put(bytes: &mut Vec<u8>, number: usize) {
    bytes.extend_from_slice(&(number as u64).to_le_bytes());
}

fn put_text(bytes: &mut Vec<u8>, text: &str) {
    put(bytes, text.len());
    bytes.extend_from_slice(text.as_bytes());
}

/// No memory is reserved for a number that the bytes claim, so that damaged bytes cannot ask for
/// it.
fn parse(mut reader: Reader<'_>, filter: &LowCountFilter) -> Option<LabelledTable> {
    let columns = (0..reader.u64()?).map(|_| column(&mut reader)).collect::<Option<Vec<_>>>()?;
    let mut is_used: Vec<Vec<bool>> = columns.iter().map(|column| vec![false; column.labels.len()]).collect();
    let mut groups = CodedGroups::new(columns.len(), filter.columns());
    let mut members = filter.description().chosen_groups().map(|_| Vec::new());
    for _ in 0..reader.u64()? {
        let key = key(&mut reader, &mut is_used)?;
        if groups.len() > 0 && groups.key(groups.len() - 1) >= key.as_slice() {
            return None;
        }
        let rows = reader.u64().filter(|&rows| rows > 0)?;
        groups.push(&key, rows, sets(&mut reader, filter, members.as_mut())?);
    }
    let is_whole = reader.is_empty() && is_used.iter().flatten().all(|&used| used);
    is_whole.then(|| LabelledTable { columns, groups, members, filter: filter.digest() })
}

fn column(reader: &mut Reader<'_>) -> Option<LabelColumn> {
    let name = text(reader)?.to_owned();
    let mut labels: Vec<Arc<str>> = Vec::new();
    for _ in 0..reader.u64()? {
        let label = text(reader)?;
        if labels.last().is_some_and(|before| &**before >= label) {
            return None;
        }
        labels.push(label.into());
    }
    Some(LabelColumn { name, labels })
}

fn text<'a>(reader: &mut Reader<'a>) -> Option<&'a str> {
    let length = reader.u64()?;
    std::str::from_utf8(reader.take(length)?).ok()
}

/// The labels of a group. They are marked as used: a label without a group is refused, as it is
/// never written.
fn key(reader: &mut Reader<'_>, is_used: &mut [Vec<bool>]) -> Option<Vec<u32>> {
    let mut key = Vec::with_capacity(is_used.len());
    for is_used in is_used {
        let label = reader.u32()?;
        *is_used.get_mut(label as usize)? = true;
        key.push(label);
    }
    Some(key)
}

/// The sets of a group, or the one of the entities that count in it.
fn sets(
    reader: &mut Reader<'_>,
    filter: &LowCountFilter,
    members: Option<&mut Vec<Vec<u64>>>,
) -> Option<Vec<EntitySet>> {
    let Some(members) = members else {
        return (0..filter.columns()).map(|_| reader.members(filter.cap())).collect();
    };
    let of_group = entities(reader)?;
    let set = set_of(&of_group, filter.cap());
    members.push(of_group);
    Some(vec![set])
}

/// Entities, strictly ascending.
fn entities(reader: &mut Reader<'_>) -> Option<Vec<u64>> {
    let mut entities: Vec<u64> = Vec::new();
    for _ in 0..reader.u64()? {
        let entity = reader.u64()?;
        if entities.last().is_some_and(|&before| before >= entity) {
            return None;
        }
        entities.push(entity);
    }
    Some(entities)
}
