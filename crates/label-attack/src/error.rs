//! Why a world, a release or an attack cannot be made.

/// Why a table, a release rule or a simulation is refused. Messages name parameters and sizes,
/// never a label or a count of people.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A table without rows or without columns has nothing to reconstruct. Give at least one of
    /// each.
    #[error("a table requires at least one row and one known column, got {rows} rows and {columns} columns")]
    Empty {
        /// Rows asked for.
        rows: usize,
        /// Columns asked for.
        columns: usize,
    },
    /// More known columns than a set of columns can hold. Leave columns out.
    #[error("at most 128 known columns, got {columns}")]
    TooManyColumns {
        /// Columns asked for.
        columns: usize,
    },
    /// Shares of values or classes must be finite, at least 0, and some above 0. Mend the named
    /// list.
    #[error("{of}: shares must be finite and at least 0, and one of them above 0")]
    BadShares {
        /// Which list.
        of: String,
    },
    /// There must be two classes at least, and at most 256: merge rare ones.
    #[error("between 2 and 256 classes, got {classes}")]
    BadClasses {
        /// Classes asked for.
        classes: usize,
    },
    /// There are fewer combinations of values than rows, so rows cannot all differ. Ask for
    /// independent rows.
    #[error("{rows} rows cannot all differ: there are only {combinations} combinations of values")]
    TooFewCombinations {
        /// Rows asked for.
        rows: usize,
        /// Combinations of values.
        combinations: u64,
    },
    /// Columns of one table have as many entries as it has rows. Check how the table was read.
    #[error("column {column} has {got} entries, but the table has {rows} rows")]
    Ragged {
        /// The column, from 0; one past the last is the labels.
        column: usize,
        /// Its entries.
        got: usize,
        /// Rows of the table.
        rows: usize,
    },
    /// A label is not below the number of classes. Check how the table was read.
    #[error("row {row} has a label that is not one of the {classes} classes")]
    UnknownLabel {
        /// The row, from 0.
        row: usize,
        /// How many classes there are.
        classes: usize,
    },
    /// Noise or threshold is above 2^32. Counts of a table that is attacked are smaller.
    #[error("{name} must be at most 2^32, got {got}")]
    TooLarge {
        /// Which parameter.
        name: &'static str,
        /// What was asked for.
        got: u64,
    },
    /// The table would take more memory than
    /// [`AttackLimits::entries`](crate::AttackLimits::entries) allows. Simulate fewer rows.
    #[error("a table of {rows} rows and {columns} columns is above the limit of {limit} entries: simulate fewer rows")]
    TooManyRows {
        /// Rows of the table.
        rows: usize,
        /// Known columns of the table.
        columns: usize,
        /// The limit.
        limit: usize,
    },
    /// The answers of the release would take more memory than
    /// [`AttackLimits::entries`](crate::AttackLimits::entries) allows. Release fewer tables (a
    /// smaller largest order), attack fewer rows, or raise the limit.
    #[error("the release would touch rows up to {estimate:.3e} times, the limit is {limit}: request smaller tables")]
    TooManyEntries {
        /// Rows times released tables, before anything is merged.
        estimate: f64,
        /// The limit.
        limit: usize,
    },
    /// The stop flag of the limits was set.
    #[error("stopped before the end")]
    Stopped,
    /// A simulation runs at least one trial.
    #[error("at least one trial is needed")]
    NoTrial,
}
