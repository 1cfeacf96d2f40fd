//! Why a screening request is invalid, and what to change.

/// Why a screening request is invalid, and what to change.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A table has at least two rows, and at most 2^53, so that counts are exact. Check the
    /// number of rows.
    #[error("the number of rows must be from 2 to 2^53, got {rows}")]
    Rows {
        /// The number of rows that was given.
        rows: u64,
    },
    /// Without a known column every query is the same one. Name at least one column, and at most
    /// 500.
    #[error("there must be from 1 to 500 known columns, got {columns}")]
    Columns {
        /// How many columns were given.
        columns: usize,
    },
    /// A column has at least one value, and at most 2^32.
    #[error("a column must have from 1 to 2^32 values, got {cardinality}")]
    Cardinality {
        /// The number of values that was given.
        cardinality: u64,
    },
    /// Frequencies and class shares are finite, at least 0, not all 0, and at most 65,536 of
    /// them.
    #[error("{what}: shares must be finite, at least 0 and not all 0, and at most {most} of them")]
    Shares {
        /// Whose shares.
        what: &'static str,
        /// The most that are taken.
        most: usize,
    },
    /// The target has from 1 to 256 classes. Merge rare ones.
    #[error("there must be from 1 to 256 classes, got {classes}")]
    ClassCount {
        /// How many classes were given.
        classes: usize,
    },
    /// A threshold above 2^32 suppresses everything a table could hold. Lower it.
    #[error("suppress_below must be at most 2^32, got {below}")]
    Threshold {
        /// The threshold that was given.
        below: u64,
    },
    /// Noise beyond a million on either side is out of range. Lower it.
    #[error("noise must be at most 1000000, got {half_width}")]
    Noise {
        /// The half-width that was given.
        half_width: u64,
    },
    /// No query is left: `max_order` is 0 and the empty query is left out. Raise `max_order`.
    #[error("there is no query: max_order is 0, and the empty query is excluded")]
    NoQuery,
    /// Levels of a statement are strictly between 0 and 1.
    #[error("{name} must be above 0 and below 1, got {got}")]
    Level {
        /// Which one.
        name: &'static str,
        /// The number that was given.
        got: f64,
    },
    /// The work is larger than the limits. Name fewer columns, lower `max_order`, or raise the
    /// limit.
    #[error("{what}: {needed:.3e} needed, the limit is {limit:.3e}")]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How much the question needs.
        needed: f64,
        /// How much the limits allow.
        limit: f64,
    },
    /// The stop flag of the limits was set.
    #[error("stopped before the end")]
    Stopped,
    /// Every column of a table has one code for each row, and codes are below the column's
    /// cardinality.
    #[error("column {column} of the table does not fit its {rows} rows and its cardinality")]
    TableShape {
        /// Position of the column, from 0; the number of columns stands for the target.
        column: usize,
        /// Rows of the table.
        rows: usize,
    },
}
