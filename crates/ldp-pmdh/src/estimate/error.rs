//! Why there is no estimate.

/// A question that the counts, the columns or the machine cannot answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EstimateError {
    /// A full table over this many columns does not fit a machine. Take fewer columns at once;
    /// sets of a few columns go over any number of columns.
    #[error("{columns} columns were requested at once; at most {most} are possible")]
    TooManyColumns {
        /// Columns asked for.
        columns: usize,
        /// Most that are possible.
        most: usize,
    },
    /// The result would take more memory than allowed. Take fewer columns, or allow more.
    #[error("this requires {bytes:.3e} bytes of memory; the limit is {most:.3e}")]
    TooLarge {
        /// Bytes that it takes.
        bytes: f64,
        /// Bytes that are allowed.
        most: f64,
    },
    /// A full table over `n` columns has `2^n` numbers.
    #[error("{got} numbers were given, but {expected} are needed")]
    WrongLength {
        /// Numbers needed.
        expected: usize,
        /// Numbers given.
        got: usize,
    },
    /// The variance of a sample needs two reports, an estimate one. Wait for more reports.
    #[error("at least {needed} reports that cover the set are needed")]
    TooFewReports {
        /// Least number of reports.
        needed: u64,
    },
    /// There are more sets than are listed at once. Ask for a smaller order, or list the sets
    /// that matter.
    #[error("more than {most} sets of up to {order} columns")]
    TooManySets {
        /// The largest number of columns.
        order: usize,
        /// Most sets that are listed.
        most: usize,
    },
    /// The call was stopped.
    #[error("stopped before the end")]
    Stopped,
    /// There is no such column. Columns count from 0, in the order of the schema.
    #[error("column {column} does not exist; the schema has {columns}")]
    UnknownColumn {
        /// The column asked for.
        column: usize,
        /// Columns of the schema.
        columns: usize,
    },
    /// A column set lists a column twice, or two values of one feature, of which nobody has both.
    /// List each feature once.
    #[error("a set lists feature {feature} twice")]
    RepeatedFeature {
        /// The feature, counted from 0.
        feature: usize,
    },
    /// The counts were kept only up to a smaller order. Aggregate with a larger `order`, or with
    /// `order = "full"`; a covariance of two sets needs the order of their union.
    #[error("the stored counts do not contain co-occurrences of {order} columns")]
    OrderNotKept {
        /// Columns that were asked for together.
        order: usize,
    },
    /// A report of a parity schema is about one feature or two. Ask for sets of one or two columns.
    #[error("parity reports cover one or two features, but the set has {columns}")]
    BeyondPairs {
        /// Columns of the set.
        columns: usize,
    },
    /// A joint symbol has too many combinations of values for a report to say anything about one.
    /// Raise epsilon, or draw fewer features for each person.
    #[error("a report carries no information about {columns} columns together")]
    NothingToRead {
        /// Columns of the set.
        columns: usize,
    },
    /// Variances of a block are at least 0, and not all of them 0. Take those of the estimates.
    #[error("a variance is negative, or all are 0")]
    NotAVariance,
    /// Nobody was asked about both sets, so nothing is known about their truths together. Ask for
    /// the super-population, or sample the features of the two sets together.
    #[error("no report covers both sets")]
    NeverTogether,
}
