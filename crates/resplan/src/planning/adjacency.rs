//! Which tables must look alike: what a person can change.

use privacy_core::accounting::Neighbours;

/// Two tables are neighbours when they differ in one person, who has at most `rows_per_person`
/// rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Adjacency {
    pub(crate) neighbours: Neighbours,
    pub(crate) rows_per_person: u32,
}

impl Adjacency {
    /// As [`total_is_public`].
    pub(crate) fn total_is_public(self) -> bool {
        total_is_public(self.neighbours, self.rows_per_person)
    }
}

/// Whether all neighbouring tables have the same number of rows. If so, the number of rows is
/// public: it costs nothing, and a plan releases it without noise. An attacker on anything else
/// that is published from the same table knows it.
///
/// It is public when single rows are replaced. It is not when a person may have several rows: the
/// person who is added may have more rows than the person who is removed.
///
/// ```
/// use resplan::{Neighbours, total_is_public};
///
/// assert!(total_is_public(Neighbours::Replace, 1));
/// assert!(!total_is_public(Neighbours::Replace, 2));
/// assert!(!total_is_public(Neighbours::AddRemove, 1));
/// ```
#[must_use]
pub fn total_is_public(neighbours: Neighbours, rows_per_person: u32) -> bool {
    neighbours == Neighbours::Replace && rows_per_person == 1
}
