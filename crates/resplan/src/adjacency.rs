//! Which tables must look alike: what a person can change.

use privacy_core::accounting::Neighbours;

/// Two tables are neighbours when they differ in one person, who has at most `rows_per_person` rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Adjacency {
    pub(crate) neighbours: Neighbours,
    pub(crate) rows_per_person: u32,
}

impl Adjacency {
    /// Whether all neighbours have the same number of rows, so that the total costs nothing and goes out exactly.
    ///
    /// Not when a person may have several rows: the one who comes may have more of them than the one who goes.
    pub(crate) fn total_is_public(self) -> bool {
        self.neighbours == Neighbours::Replace && self.rows_per_person == 1
    }
}
