//! Why a question about a table of amounts has no answer.

/// What cannot be modelled, or cannot be protected. Messages name positions and parameters, never
/// an amount.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An axis without a leaf, a parent that is not before its child, or no axis at all.
    #[error("axis {axis} is not a tree whose root comes first")]
    Axis {
        /// The axis, from 0.
        axis: usize,
    },
    /// The table with its totals has too many cells. Use fewer axes, or coarser ones.
    #[error("the table has more than {limit} cells, including totals")]
    TooManyCells {
        /// The most that are held.
        limit: usize,
    },
    /// Relations and cells make a linear program that is too large. Use fewer axes, or coarser
    /// ones.
    #[error("the linear programs would have more than {limit} coefficients")]
    TooLargeProgram {
        /// The most that are held.
        limit: usize,
    },
    /// An amount is below 0. Rules for sums of non-negative amounts do not hold for others.
    #[error("an amount is below 0")]
    Negative,
    /// Amounts add up to more than 2^53 units. Use a larger unit.
    #[error("amounts add up to more than 2^53 units")]
    TooLarge,
    /// A leaf or a cell that does not exist.
    #[error("there is no cell or leaf {index}")]
    NoSuchCell {
        /// Its index, from 0.
        index: usize,
    },
    /// Amounts of a relation do not add up. Correct the table.
    #[error("the amounts violate relation {relation}: the table is not additive there")]
    BrokenRelation {
        /// The relation, from 0.
        relation: usize,
    },
    /// A relation names a cell twice.
    #[error("relation {relation} names a cell twice")]
    RepeatedCell {
        /// The relation, from 0.
        relation: usize,
    },
    /// An amount is not between the bounds that everybody knows.
    #[error("cell {cell} is not within its own bounds")]
    OutsideKnown {
        /// The cell, from 0.
        cell: usize,
    },
    /// A parameter of the rule is out of its range.
    #[error("{parameter} must be {range}")]
    Rule {
        /// The parameter.
        parameter: &'static str,
        /// Its range.
        range: &'static str,
    },
    /// The rule is empty: nothing would be sensitive.
    #[error("the rule needs at least one of p_percent, dominance and min_frequency")]
    EmptyRule,
    /// A sensitive cell cannot be protected, whatever else is withheld: too many cells are kept
    /// published, or everybody knows the amounts too well.
    #[error("cell {cell} cannot be protected as the rule requires, whatever else is withheld")]
    Unprotectable {
        /// The cell, from 0.
        cell: usize,
    },
    /// A sensitive cell is one of those that must be published.
    #[error("cell {cell} is sensitive, but must be published")]
    KeptSensitive {
        /// The cell, from 0.
        cell: usize,
    },
    /// The attacker found something in the planned release, or could not decide. Nothing may be
    /// published.
    #[error("{exposed} sensitive cells are not protected as the rule requires, and {undecided} are undecided")]
    NotProtected {
        /// Cells with an attacker who comes too close.
        exposed: usize,
        /// Cells where a limit was reached.
        undecided: usize,
    },
    /// A linear program reached its limit of steps, or left 64 bits. Raise the limit, or use a
    /// coarser table.
    #[error("a linear program reached its limit of steps")]
    Limit,
    /// The stop flag was set.
    #[error("stopped")]
    Stopped,
}
