//! Why a filter is invalid, or a state does not fit it.

/// Why a filter, a state or a table is refused. Messages name parameters and columns by position,
/// never a number of people or an identifier.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A filter protects somebody: give at least one kind of entity.
    #[error("no kind of entity is protected")]
    NoEntity,
    /// The filter has more identifier columns than a decision can tell apart. Give fewer.
    #[error("more than {limit} columns of identifiers")]
    TooManyColumns {
        /// The largest number of columns.
        limit: usize,
    },
    /// The filter has no identifier column at this position. Columns are counted from 0.
    #[error("there is no column of identifiers {column}: the filter has {columns}, counted from 0")]
    NoColumn {
        /// The position that was given.
        column: usize,
        /// Number of identifier columns of the filter.
        columns: usize,
    },
    /// A row has fewer or more labels than the table has grouping columns. Give one label per
    /// column.
    #[error("a row does not have exactly {expected} labels, one per grouping column")]
    LabelCount {
        /// Number of grouping columns.
        expected: usize,
    },
    /// A group comes with another number of sets than the filter has identifier columns. Give one
    /// set per column.
    #[error("{got} sets of entities for {expected} columns of identifiers")]
    SetCount {
        /// Number of identifier columns.
        expected: usize,
        /// Sets given.
        got: usize,
    },
    /// A set saturates at another cap than is needed, so it does not say what the filter needs.
    /// Make it with [`LowCountFilter::cap`](crate::LowCountFilter::cap), and merge states of one
    /// filter only.
    #[error("a set of entities has the cap {got}; the filter requires {expected}")]
    OtherCap {
        /// The cap needed.
        expected: u32,
        /// The cap of the set.
        got: u32,
    },
    /// The bytes are not a state: damaged, cut off, or written by another program. Write them
    /// again.
    #[error("the bytes are not a stored state of groups or of a set of entities")]
    NotAState,
    /// More groups than the limit. Group by fewer or coarser columns, or raise the limit.
    #[error("there are more than {limit} groups")]
    TooManyGroups {
        /// The limit.
        limit: u64,
    },
    /// The state of all groups is larger than the limit. Group by fewer or coarser columns, or
    /// raise the limit.
    #[error("the groups take more than {limit} bytes")]
    TooMuchState {
        /// The limit, in bytes.
        limit: u64,
    },
    /// An identifier of a column of integers is not an integer. Repair the row, or read the
    /// column as text.
    #[error("an identifier is not an integer")]
    NotAnInteger,
    /// No form was declared for a column whose identifiers are spelled in several ways, so one
    /// entity could be several. Declare the form: integers, or texts where every spelling is an
    /// entity, and list the words that stand for nobody.
    #[error("the identifiers of a column without a form are spelled in several ways")]
    MixedSpellings,
    /// The difference guard compares sets of entities, one per group, so it takes a filter in
    /// query mode whose working column decides. Publish once without it, or use the working rule.
    #[error("the difference guard requires query mode and a single deciding column")]
    Unguarded,
    /// The groups were made for another filter: another secret, other kinds of entities or other
    /// laws. Their hashes mean nothing here. Give the filter that they were made for.
    #[error(
        "the groups were made for another filter: its secret key, kinds of entities or threshold distributions differ"
    )]
    OtherFilter,
    /// Tables grouped by other columns do not merge. Group both by the same columns, in the same
    /// order.
    #[error("the tables are grouped by other columns")]
    OtherColumns,
    /// An entity may be in many groups of a table, and each of them tells something about it:
    /// nothing bounds what the table tells. Make the filter with
    /// [`publishing`](crate::LowCountFilter::publishing), which takes the largest number of
    /// groups.
    #[error("publication requires a bound on the number of groups per entity, which this filter does not have")]
    UnboundedPublication,
    /// The state was not sealed under the secret of this filter: damaged, or made by somebody
    /// else, whose word about the sets of entities cannot be taken. Make it again.
    #[error("the seal of the state does not match: it is damaged, or was made with another secret key")]
    NotSealed,
    /// A request under other terms than the secret was registered with: each variant would be a
    /// fresh draw. Use the registered terms, or another secret for other data.
    #[error("{name} differs from what was registered with the secret key")]
    OtherTerms {
        /// The term that differs.
        name: String,
    },
    /// Another table was published under this secret: answers that changed would prove who came or
    /// went. Publish under a new secret; what both tell adds up.
    #[error("another table was published with this secret key")]
    SecondPublication,
    /// Merging low-effect groups breaks the promise of publish mode. Leave it out
    /// ([`TableOptions::of`](crate::TableOptions::of)), or draw in query mode.
    #[error(
        "low-effect groups are not merged in publish mode: its guarantee covers only groups that are decided separately"
    )]
    MergedPublication,
    /// A number beside a group takes a base of 2 to 1000 and a scale of at least 0.5, in query
    /// mode of at most 100 and with a base, since a sticky number that is not rounded shows one
    /// entity more as such.
    #[error("the base or the scale of the counts of groups is out of range")]
    NumberNoise,
    /// Rounding has no (epsilon, delta). Publish noisy numbers without a base, or none.
    #[error("counts cannot be rounded in publish mode: rounding has no epsilon")]
    RoundedPublication,
    /// With several columns of identifiers it is not clear whose number protects whom. Hide the
    /// number, or use one column.
    #[error("a count of entities requires a single column of identifiers")]
    NumberOfSeveral,
    /// In publish mode the draw depends on the group, so a decision needs the group's name.
    #[error("a decision in publish mode requires the name of the group")]
    NoName,
    /// The stop flag of the limits or options was set. Nothing was decided.
    #[error("stopped before the groups were decided")]
    Stopped,
}
