//! Why a filter cannot be, or a state does not fit it.

/// What is refused, and why. Messages name parameters and columns by position, never a count or an identifier.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A filter protects somebody: give at least one kind of entity.
    #[error("no kind of entity is protected")]
    NoEntity,
    /// So many columns of identifiers cannot be told apart in a decision. Give fewer.
    #[error("more than {limit} columns of identifiers")]
    TooManyColumns {
        /// The most that are taken.
        limit: usize,
    },
    /// A group comes with another number of sets than the filter has columns of identifiers. Give one set a column.
    #[error("{got} sets of entities for {expected} columns of identifiers")]
    SetCount {
        /// Columns of identifiers.
        expected: usize,
        /// Sets given.
        got: usize,
    },
    /// A set saturates at another cap than the filter's, so it does not say what the filter needs. Make it with
    /// [`LowCountFilter::cap`](crate::LowCountFilter::cap), and merge states of one filter only.
    #[error("a set of entities has the cap {got}, {expected} is needed")]
    OtherCap {
        /// The cap needed.
        expected: u32,
        /// The cap of the set.
        got: u32,
    },
    /// Bytes that are no state: damaged, cut off, or of another program. Write them again.
    #[error("the bytes are no state of groups or of a set of entities")]
    NotAState,
    /// More groups than the limit. Group by fewer or coarser columns, or raise the limit.
    #[error("there are more than {limit} groups")]
    TooManyGroups {
        /// The limit.
        limit: u64,
    },
    /// The state of all groups is larger than the limit. Group by fewer or coarser columns, or raise the limit.
    #[error("the groups take more than {limit} bytes")]
    TooMuchState {
        /// The limit, in bytes.
        limit: u64,
    },
    /// The difference guard compares sets of entities, one a group, so it takes a filter in query mode whose working
    /// column decides. Publish once without it, or use the working rule.
    #[error("the difference guard takes query mode and one deciding column")]
    Unguarded,
    /// Groups, or bytes of them, that were made for another filter: another secret, other kinds of entities or other laws.
    /// Their hashes mean nothing here. Give the filter that they were made for.
    #[error("the groups were made for another filter: its secret, its kinds of entities or its laws differ")]
    OtherFilter,
    /// Tables grouped by other columns do not merge. Group both by the same columns, in the same order.
    #[error("the tables are grouped by other columns")]
    OtherColumns,
    /// Merging groups of low effect breaks the promise of publish mode. Leave it out
    /// ([`TableOptions::of`](crate::TableOptions::of)), or draw in query mode.
    #[error(
        "groups of low effect are not merged in publish mode: its promise is about groups that are decided each by itself"
    )]
    MergedPublication,
    /// In publish mode the draw depends on the group, so a decision needs the group's name.
    #[error("publish mode decides on named groups")]
    NoName,
}
