//! What can be wrong with a state, and what to change.

use ldp_client::FormatError;

/// Why an aggregator cannot be made, or a state cannot be read or merged.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// A full table has one count for every combination of stored columns. StateDetail sets up to
    /// an order, or the reports.
    #[error("a full table has at most {limit} columns, but the schema has {columns}")]
    TooManyColumns {
        /// Most columns.
        limit: usize,
        /// How many the schema has, coverage included.
        columns: usize,
    },
    /// Sets have at least one column and at most 6.
    #[error("the order must be 1 to 6, got {got}")]
    Order {
        /// What was asked for.
        got: usize,
    },
    /// It would take more memory than allowed. StateDetail a lower order, fewer columns, or raise
    /// the limit.
    #[error("this requires {needed:.2e} bytes of memory; the limit is {limit:.2e}")]
    TooLarge {
        /// Bytes needed, as far as known.
        needed: f64,
        /// The limit.
        limit: f64,
    },
    /// Totals stay below 2^53, where doubles count exactly.
    #[error("there are more than 2^53 reports")]
    TooManyReports,
    /// The bytes are not those of a state of this schema.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// One state keeps a full table, the other sets or reports; merge states of one kind.
    #[error("the states store different counts")]
    OtherKeep,
    /// Its counts contradict each other or its schema, so no aggregator of reports wrote it.
    #[error("its counts contradict each other")]
    Inconsistent,
    /// The same file of reports was counted before, in this call or in an earlier one whose state
    /// remembers it. People would be counted twice. Leave it out; two
    /// collectors whose few reports happen to be the same are merged with repeats allowed.
    #[error("the same reports were counted already")]
    Repeated,
}
