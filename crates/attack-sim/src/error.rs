//! Why a world, a release or an attack cannot be made.

/// What is refused. Messages name parameters and sizes, never a label or a count of people.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A table without rows or without columns has nothing to reconstruct. Give at least one of each.
    #[error("a table needs at least one row and one known column, got {rows} rows and {columns} columns")]
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
    /// Shares of values or classes must be finite, at least 0, and some above 0. Mend the named list.
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
    /// There are fewer combinations of values than rows, so rows cannot all differ. Ask for independent rows.
    #[error("{rows} rows cannot all differ: there are only {combinations} combinations of values")]
    TooFewCombinations {
        /// Rows asked for.
        rows: usize,
        /// Combinations of values.
        combinations: u64,
    },
    /// Columns of one table have as many entries as it has rows. Check how the table was read.
    #[error("column {column} has {got} entries where the table has {rows} rows")]
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
    #[error("{name} is at most 2^32, got {got}")]
    TooLarge {
        /// Which parameter.
        name: &'static str,
        /// What was asked for.
        got: u64,
    },
    /// The table would take more memory than [`Limits::entries`](crate::Limits::entries) allows. Simulate fewer rows.
    #[error("a table of {rows} rows and {columns} columns is above the limit of {limit} entries: simulate fewer rows")]
    TooManyRows {
        /// Rows of the table.
        rows: usize,
        /// Known columns of the table.
        columns: usize,
        /// The limit.
        limit: usize,
    },
    /// The answers of the release would take more memory than [`Limits::entries`](crate::Limits::entries) allows.
    /// Release fewer tables (a smaller largest order), attack fewer rows, or raise the limit.
    #[error("the release would touch rows up to {estimate:.3e} times, the limit is {limit}: ask for smaller tables")]
    TooManyEntries {
        /// Rows times released tables, before anything is merged.
        estimate: f64,
        /// The limit.
        limit: usize,
    },
    /// The screening spec describes no world that can be drawn. Its own message says which part.
    #[error(transparent)]
    Screen(#[from] disclosure::screen::Error),
    /// Exact release refuses what a scenario asks of it. Its own message says why.
    #[error(transparent)]
    Frechet(#[from] disclosure::frechet::Error),
    /// The low-count filter refuses what it is asked. Its own message says why.
    #[error(transparent)]
    Lcf(#[from] disclosure::lcf::Error),
    /// Simulation asks for at least one trial.
    #[error("at least one trial is needed")]
    NoTrial,
    /// A claimed number is no number, a claimed rate is no rate, or the ends are swapped.
    #[error("{name} is not a number in its range, or its ends are swapped")]
    BadClaim {
        /// Which number.
        name: &'static str,
    },
    /// A scenario, or a file of them, asks for what there is not. Mend the named place.
    #[error("{id}: {problem}")]
    Scenario {
        /// The scenario or the file.
        id: String,
        /// What is wrong.
        problem: String,
    },
    /// A trial measured infinity or no number, of which no mean can be taken. It is a mistake of the game or of the mechanism.
    #[error("{of}: a trial measured what is no finite number")]
    NotANumber {
        /// The quantity.
        of: String,
    },
    /// A game measures nothing. Name a quantity, and claim something of it.
    #[error("a game has no quantity to measure")]
    NoQuantity,
    /// Laws to be enumerated must be of two inputs at least, over the same outcomes, and sum to 1.
    #[error("laws of outcomes must be of at least two inputs, over the same outcomes, and sum to 1")]
    BadLaw,
    /// Reports cannot be made, counted or read as a scenario asks. Its own message says why.
    #[error(transparent)]
    Ldp(#[from] crate::scenarios::LdpError),
}
