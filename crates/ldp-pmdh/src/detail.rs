//! What a state keeps of the reports.

/// Most columns of a full table.
pub const MAX_FULL_COLUMNS: usize = 20;

/// What an aggregator keeps of the reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StateDetail {
    /// How often each combination of stored columns came: every set of columns can be estimated.
    /// At most [`MAX_FULL_COLUMNS`] columns.
    Full,
    /// Counts of all sets of at most this many columns, `1..=6`.
    UpTo(usize),
    /// The reports themselves, without their order: every set of columns can be estimated, one at
    /// a time.
    Reports,
}
