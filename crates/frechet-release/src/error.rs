//! Why a question about a table has no answer.

/// What cannot be modelled, or contradicts itself. Messages name rows, axes and parameters, never a count.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A table has too many cells to be held. Use fewer axes, or coarser ones.
    #[error("the table has more than {limit} cells")]
    TooManyCells {
        /// The most that are held.
        limit: usize,
    },
    /// Cells and the sums over their axes are more than [`Limits::super_cells`](crate::Limits::super_cells).
    /// Raise the limit, or use fewer axes.
    #[error("the cells and their sums are {got}, the limit is {limit}")]
    TooManySuperCells {
        /// How many there are.
        got: usize,
        /// The limit.
        limit: usize,
    },
    /// More independent rows than [`Limits::rows`](crate::Limits::rows). Raise the limit, or publish less.
    #[error("the linear programs would have {got} rows, the limit is {limit}")]
    TooManyRows {
        /// How many rows there are.
        got: usize,
        /// The limit.
        limit: usize,
    },
    /// A published table belongs to another domain. Make it over attributes of the domain of the unknown table.
    #[error("a table of shape {got:?} was given where the domain has {expected:?}")]
    Shape {
        /// The shape that the domain says.
        expected: Vec<usize>,
        /// The shape of the table.
        got: Vec<usize>,
    },
    /// A class or region names an axis or a level that does not exist.
    #[error("axis {axis} has no level {level} here")]
    NoSuchLevel {
        /// The axis, from 0.
        axis: usize,
        /// The level, from 0.
        level: usize,
    },
    /// A class needs one level for each of its axes.
    #[error("a class over {axes} axes was given {levels} levels")]
    LevelCount {
        /// Axes of the class.
        axes: usize,
        /// Levels given.
        levels: usize,
    },
    /// A row's lower end is above its upper end, or below zero.
    #[error("row {row:?} has no number between its ends")]
    EmptyRow {
        /// Name of the row.
        row: String,
    },
    /// A number is above 2^53. Count in larger units.
    #[error("row {row:?} has a number above 2^53")]
    TooLarge {
        /// Name of the row.
        row: String,
    },
    /// Each cell is bounded, but all together could hold more than 2^62. Count in larger units, or publish a total of
    /// fewer cells.
    #[error("the cells could hold more than 2^62 together")]
    TooLargeTogether,
    /// Nothing bounds the cells: no capacities and a cell that is in no row. Publish a total, or give the composition.
    #[error("a cell is in no row and has no capacity, so it has no upper bound")]
    Unbounded,
    /// No table of whole numbers satisfies these rows together, though it satisfies all of them but any one.
    /// Check their numbers: they are not of one population.
    #[error("these rows contradict each other: {}", rows.join("; "))]
    Inconsistent {
        /// Names of the rows in conflict.
        rows: Vec<String>,
        /// Positions of the rows.
        positions: Vec<usize>,
        /// Whether a table of real numbers satisfies them: the conflict is one of whole numbers.
        only_whole_numbers: bool,
        /// Whether every row is known to be needed for the conflict; `false` when the search for a smaller set
        /// reached its limit.
        irreducible: bool,
    },
    /// No table was found, and none was excluded, within the limits. Raise them.
    #[error("the search ended at its limit before it found a table or a contradiction")]
    Undecided,
    /// The fiber has more tables than the limit. Raise it, or sample.
    #[error("the fiber has more than {limit} tables, or they take too many steps to list")]
    FiberTooLarge {
        /// The limit.
        limit: u64,
    },
    /// The table does not satisfy the published rows.
    #[error("the table does not satisfy row {row:?}")]
    NotInFiber {
        /// Name of the first row that it breaks, or "capacity".
        row: String,
    },
    /// A parameter of a policy is out of its range.
    #[error("{name} must be {range}")]
    Policy {
        /// The parameter.
        name: &'static str,
        /// The range, in words.
        range: &'static str,
    },
    /// A hierarchy file cannot be read.
    #[error(transparent)]
    Hierarchy(#[from] crate::hierarchy::HierarchyError),
}
