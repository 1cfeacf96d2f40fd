//! What can be wrong with a schema, a row, a report or a file, and what to change.

use privacy_core::domain::DomainError;

/// Why a schema is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// A 1 must be more likely where the truth is 1, by [`LEAST_GAP`](crate::Channel::LEAST_GAP).
    /// Raise `q` above `p`, or give a larger epsilon.
    #[error("a report would carry no information: the true answer must be more likely than any other answer")]
    Uninformative,
    /// Randomised response is for two values. Use generalised response, unary encoding or local
    /// hashing for more.
    #[error("feature {feature:?} has {values} values, but its protocol requires 2")]
    NotBinary {
        /// Name of the feature.
        feature: String,
        /// How many values it has.
        values: usize,
    },
    /// There is nothing to ask about a feature with a single value. Give it another value, or
    /// leave it out.
    #[error("feature {feature:?} has only one value")]
    OneValue {
        /// Name of the feature.
        feature: String,
    },
    /// Local hashing needs at least 2 buckets, and at most 2^30.
    #[error("local hashing requires 2 to 2^30 buckets, got {got}")]
    Buckets {
        /// How many were asked for.
        got: u32,
    },
    /// A subset has at least one value and not all. Leave the size out for the best one.
    #[error("a subset of {values} values has 1 to {} of them, got {got}", values - 1)]
    SubsetSize {
        /// How many values the feature has.
        values: u32,
        /// How many a report was to name.
        got: u32,
    },
    /// Two features have one name. Rename one.
    #[error("two features are named {name:?}")]
    DuplicateFeature {
        /// The name.
        name: String,
    },
    /// Two support columns have one name: a feature `a` with a value `b=c` and a feature `a=b` with
    /// a value `c`. Rename a feature.
    #[error("two columns are named {name:?}")]
    DuplicateColumn {
        /// The name.
        name: String,
    },
    /// A feature has no name.
    #[error("feature number {} has no name", position + 1)]
    NoName {
        /// Position in the schema, from 0; the message counts from 1.
        position: usize,
    },
    /// A schema needs at least one feature.
    #[error("the schema has no feature")]
    NoFeature,
    /// More than 65,536 support columns. Leave values out, or merge them.
    #[error("the schema has more than {limit} support columns")]
    TooManyColumns {
        /// The limit.
        limit: usize,
    },
    /// One coin decides for all features of a joint symbol, and a parity is of any two. Give every
    /// feature of the schema the protocol `joint`, or `parity`, with one epsilon, or none.
    #[error(
        "feature {feature:?} is not answered together with the others: the protocols joint and parity must be used \
         for all features"
    )]
    NotJoint {
        /// Name of the first feature that differs from the one before.
        feature: String,
    },
    /// Parities are of 2 to 361 features, and features and pairs are both asked about.
    #[error("parities require 2 to 361 features, and the probability of a single feature must be above 0 and below 1")]
    Parities,
    /// A person reports at least one feature and at most all of them; of parities at most two.
    #[error("a person can report 1 to {features} features, got {got}")]
    FeaturesPerPerson {
        /// How many features there are.
        features: usize,
        /// How many were to be reported.
        got: usize,
    },
}

/// A name that no support column has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ColumnError {
    /// No feature has this name.
    #[error("no feature is named {feature:?}")]
    UnknownFeature {
        /// The name that was asked for.
        feature: String,
    },
    /// The feature has no such value.
    #[error("feature {feature:?} has no value {value:?}")]
    UnknownValue {
        /// The feature.
        feature: String,
        /// The value that was asked for.
        value: String,
    },
    /// The first value of a binary feature has no column of its own: those who do not have the
    /// second value have it.
    #[error("value {value:?} of feature {feature:?} has no column; use the other value")]
    NoColumn {
        /// The feature.
        feature: String,
        /// The value that was asked for.
        value: String,
    },
}

/// A row that the client refuses. Messages name the feature, never the answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RowError {
    /// A row has one value for each feature.
    #[error("a row has {expected} values, one for each feature, got {got}")]
    Length {
        /// How many features there are.
        expected: usize,
        /// How many values were given.
        got: usize,
    },
    /// A value is not one of the feature's. Values are positions in the list of the schema,
    /// from 0.
    #[error("the value of feature {feature:?} is not one of its {values}")]
    NoSuchValue {
        /// Name of the feature.
        feature: String,
        /// How many values it has.
        values: usize,
    },
    /// A row was memoized under another schema, so its permanent bits have another law. Remember
    /// it again: that costs epsilon once more.
    #[error("the permanent response was made with another schema")]
    OtherSchema,
    /// A person has another answer to a RAPPOR feature than the one that their reports are about.
    /// Say what becomes of it: [`ChangedAnswer`](crate::ChangedAnswer).
    #[error("the answer to feature {feature:?} differs from that of earlier rounds")]
    AnswerChanged {
        /// Name of the feature.
        feature: String,
    },
    /// One round has one report about a person. Give each person one row.
    #[error("the person already has a row in this round")]
    TwiceInARound,
    /// A person reports after being recalled, once, with the same row and rule.
    #[error("the person was not recalled for this report")]
    NotInThisRound,
}

/// A report that no client of this schema makes. Messages name positions, never contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// Reports of one schema have one width.
    #[error("a report has {expected} bytes, got {got}")]
    Width {
        /// What the schema says.
        expected: usize,
        /// What was given.
        got: usize,
    },
    /// Bits after the last field are zero.
    #[error("a bit of the padding is set")]
    Padding,
    /// A symbol or bucket is beyond the last one.
    #[error("feature number {} has no such symbol", feature + 1)]
    Symbol {
        /// Position of the feature, from 0; the message counts from 1.
        feature: usize,
    },
    /// A report of a parity schema is about one question that there is.
    #[error("it answers no question of the schema, or several")]
    Question,
    /// With sampled features, a report covers as many as the schema says.
    #[error("a report must cover {expected} features, but this one covers another number")]
    Coverage {
        /// What the schema says.
        expected: usize,
    },
    /// The field of a feature that a report does not cover is zero.
    #[error("feature number {} is not covered, but its field is not zero", feature + 1)]
    NotCovered {
        /// Position of the feature, from 0; the message counts from 1.
        feature: usize,
    },
}

/// Bytes that are not the file that was expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// The file is of another kind. Give schemas to clients, reports to
    /// `aggregate`, states to `merge` and `estimate`.
    #[error("it is not a file of {expected}")]
    OtherKind {
        /// What it should be.
        expected: &'static str,
    },
    /// The file was written by another version of this format.
    #[error("it has version {got} of the format, but this program reads version {expected}")]
    Version {
        /// What this program reads.
        expected: u16,
        /// What the file says.
        got: u16,
    },
    /// The file belongs to another schema: other features, values, protocols or probabilities.
    #[error("it was made with another schema")]
    OtherSchema,
    /// Something is missing at the end, or there is too much of it.
    #[error("it has {got} bytes, but should have {expected}")]
    Length {
        /// What its header asks for.
        expected: u64,
        /// What there is.
        got: u64,
    },
    /// A byte has changed since it was written.
    #[error("it is damaged: its checksum does not match")]
    Damaged,
    /// A reserved byte of the header is not zero. Another program wrote it, or a later version of
    /// this one that gives the byte a meaning.
    #[error("a reserved byte of its header is not zero")]
    Reserved,
    /// Reports of this schema have another width than the header says.
    #[error("its header states {got} bytes per report, but reports of this schema have {expected}")]
    ReportBytes {
        /// Bytes of a report of the schema.
        expected: u32,
        /// What the header says.
        got: u32,
    },
    /// The bytes are sound, and the schema that they hold is not.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// The bytes are sound, and the values of a feature are not.
    #[error(transparent)]
    Values(#[from] DomainError),
}
