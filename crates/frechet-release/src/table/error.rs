//! Why a question about a table has no answer.

/// What cannot be modelled, or contradicts itself. Messages name rows, axes and parameters, never
/// a count.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A table has too many cells to be held. Use fewer axes, or coarser ones.
    #[error("the table has more than {limit} cells")]
    TooManyCells {
        /// The most that are held.
        limit: usize,
    },
    /// Cells and the sums over their axes are more than
    /// [`Limits::super_cells`](crate::Limits::super_cells). Raise the limit, or use fewer axes.
    #[error("the cells and their sums are {got}, the limit is {limit}")]
    TooManySuperCells {
        /// How many there are.
        got: usize,
        /// The limit.
        limit: usize,
    },
    /// More independent rows than [`Limits::rows`](crate::Limits::rows). Raise the limit, or
    /// publish less.
    #[error("the linear programs would have {got} rows, the limit is {limit}")]
    TooManyRows {
        /// How many rows there are.
        got: usize,
        /// The limit.
        limit: usize,
    },
    /// A published table belongs to another domain. Make it over attributes of the domain of the
    /// unknown table.
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
    /// A class names an attribute that the domain does not have. Correct the name.
    #[error("the domain has no attribute {name:?}")]
    NoSuchAttribute {
        /// The name.
        name: String,
    },
    /// A class names a label that the attribute does not have. Correct the label.
    #[error("attribute {attribute:?} does not have this label")]
    NoSuchLabel {
        /// The attribute.
        attribute: String,
    },
    /// A class names an attribute twice. Name each attribute once.
    #[error("the class names attribute {name:?} twice")]
    RepeatedAttribute {
        /// The name.
        name: String,
    },
    /// A row's lower end is above its upper end, or below zero.
    #[error("the bounds of row {row:?} leave no number between them")]
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
    /// Each cell is bounded, but all together could hold more than 2^62. Count in larger units,
    /// or publish a total of fewer cells.
    #[error("the cells could hold more than 2^62 together")]
    TooLargeTogether,
    /// Nothing bounds the cells: no capacities and a cell that is in no row. Publish a total, or
    /// give the population table.
    #[error("a cell is in no row and has no capacity, so it has no upper bound")]
    Unbounded,
    /// No table of whole numbers satisfies these rows together; where `irreducible`, all of them
    /// but any one are satisfied by some. Check their numbers: they are not of one population.
    #[error("these rows contradict each other{}: {}", fewer(*irreducible), rows.join("; "))]
    Inconsistent {
        /// Names of the rows in conflict.
        rows: Vec<String>,
        /// Positions of the rows.
        positions: Vec<usize>,
        /// Whether a table of real numbers satisfies them: the conflict is one of whole numbers.
        only_whole_numbers: bool,
        /// Whether every row is known to be needed for the conflict; `false` when the search for
        /// a smaller set reached its limit.
        irreducible: bool,
    },
    /// The two periods are not of one population. Give both the same attributes and labels, and
    /// the population table to both or neither.
    #[error("the two periods differ in attributes, labels or kind of population table")]
    DifferentPopulations,
    /// A count of a linked table is not between the bounds that everybody knows. Correct one or
    /// the other.
    #[error("cell {cell} is not within its own bounds")]
    OutsideKnown {
        /// The cell, from 0.
        cell: usize,
    },
    /// A link names a cell twice.
    #[error("relation {link} names cell {cell} twice")]
    RepeatedCell {
        /// The link, from 0.
        link: usize,
        /// The cell, from 0.
        cell: usize,
    },
    /// The counts of a link do not add up to its sum. Correct the table: it is not additive.
    #[error("the counts do not satisfy relation {link}: the table is not additive there")]
    BrokenRelation {
        /// The link, from 0.
        link: usize,
    },
    /// The stop flag of the limits was set, so the call ended before it had an answer. Nothing
    /// was changed.
    #[error("stopped")]
    Stopped,
    /// No table was found, and none was excluded, within the limits. Raise them.
    #[error("the search reached its limit before it found a table or a contradiction")]
    Undecided,
    /// A base of rounding is 0 or above 2^53. Use a base of at least 1.
    #[error("a base must be an integer from 1 to 2^53")]
    Base,
    /// A base of controlled rounding is out of its range. Offices use 3, 5 and 10.
    #[error("the base of controlled rounding must be an integer from 2 to 1000")]
    RoundingBase,
    /// The search ended without a rounding that keeps every total within the base. Round a table
    /// of fewer axes, or with another base; a second search draws anew, and may find one.
    #[error("no rounding of the whole table with its totals was found")]
    NoRounding,
    /// A largest deviation or a smallest published number is out of its range.
    #[error(
        "the largest deviation must be an integer from 1 to {limit}, and the smallest published number an integer from \
         1 to the largest deviation"
    )]
    PerturbationSize {
        /// The largest deviation that is accepted.
        limit: u32,
    },
    /// Some count cannot have deviations of this variance. Choose one between the two, a larger
    /// deviation or a smaller published number.
    #[error("with these deviations, the variance must be above {above} and below {below}")]
    PerturbationVariance {
        /// What the variance must be above.
        above: f64,
        /// What the variance must be below.
        below: f64,
    },
    /// A deviation would be too rare for the promise that it is possible. Raise the variance, or
    /// lower the largest deviation.
    #[error("a deviation would have a probability below {least:e}: raise the variance, or lower the largest deviation")]
    RareDeviation {
        /// The least probability of a deviation.
        least: f64,
    },
    /// Noisy numbers whose queries, values or noise do not fit the table. Queries have a
    /// coefficient for every level, values are as many as queries, and the noise is above 0.
    #[error("the queries, values or noise of the noisy numbers do not fit the table")]
    NoisyShape,
    /// The noisy numbers take too many coefficients. Use fewer or coarser attributes.
    #[error("the noisy numbers have {numbers:.1e} coefficients, the limit is {limit:.1e}")]
    NoisyTooLarge {
        /// Coefficients of all of them.
        numbers: f64,
        /// The limit.
        limit: f64,
    },
    /// The table is too large for the attack with noisy numbers. Use fewer or coarser attributes.
    #[error("the attack with noisy numbers takes tables of at most {limit} cells; this one has {cells}")]
    PosteriorTooLarge {
        /// Cells of the table over all attributes.
        cells: f64,
        /// The limit.
        limit: f64,
    },
    /// The cells of all parts together times the numbers that were withheld are too many to
    /// attack. Use fewer or coarser attributes.
    #[error("{cells:.1e} cells in total for the withheld numbers; the limit is {limit:.0e}")]
    LinkageTooLarge {
        /// Cells of the table over all attributes.
        cells: f64,
        /// The limit of cells times numbers.
        limit: f64,
    },
    /// Draws from the fiber would take too long, or more memory than is used. Draw at most
    /// `most`, or from a coarser table.
    #[error("{draws} draws of {classes} classes over {cells} cells exceed the limit of the sampler")]
    TooManyDraws {
        /// The requested draws.
        draws: u64,
        /// Classes that are looked at in each draw.
        classes: u64,
        /// Cells of the table.
        cells: u64,
        /// The most draws that are made here.
        most: u64,
    },
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
    /// A parameter of a rule is out of its range.
    #[error("{name} must be {range}")]
    Rule {
        /// The parameter.
        name: &'static str,
        /// The range, in words.
        range: &'static str,
    },
    /// The plan decides on public sizes, and none are known. Give the population table, or let
    /// the plan decide on the counts and read what that reveals.
    #[error("a plan on public sizes needs the public population table")]
    NoPublicSizes,
    /// A pattern under differential privacy is drawn for a table about which nothing else is known.
    /// Let the plan decide on public sizes where numbers of people are public, or leave out the
    /// facts.
    #[error("a private pattern requires a table without public or known numbers, and without a response")]
    PatternBackground,
    /// A private pattern publishes exact numbers alone. Leave the noise out.
    #[error("a private pattern does not publish noisy numbers")]
    PatternNoise,
    /// A weight is not a positive number. Leave out margins of no interest.
    #[error("weights must be positive and finite")]
    Weight,
    /// A margin is requested twice. Two copies would be planned apart, and one would publish what
    /// the other withholds. Request it once, with the sum of the weights.
    #[error("the margin over axes {axes:?} is requested twice")]
    RequestedTwice {
        /// Its axes.
        axes: Vec<usize>,
    },
    /// A hierarchy is of another axis: its leaves are not the levels. Read it with the attribute
    /// of that axis.
    #[error("the hierarchy of axis {axis} has {got} leaves, the axis has {expected} levels")]
    ForeignHierarchy {
        /// The axis, from 0.
        axis: usize,
        /// Levels of the axis.
        expected: usize,
        /// Leaves of the hierarchy.
        got: usize,
    },
    /// What is public already discloses a class, or protects no one with a limit on the search:
    /// withholding everything would not help. Correct the rule, or raise the limits.
    #[error("withholding numbers cannot protect a class over axes {axes:?} at levels {levels:?}")]
    Unprotectable {
        /// The axes of the class.
        axes: Vec<usize>,
        /// Its levels.
        levels: Vec<usize>,
    },
    /// A difference of numbers that are public already is too small, or nearly everybody in it is
    /// on one side. Publish other numbers, or lower the rule.
    #[error("withholding numbers cannot protect a difference of public numbers: {number}")]
    UnprotectableNumber {
        /// The numbers that it follows from, by name.
        number: String,
    },
    /// A group has no more people than the minimum interval width, so its count is known to
    /// within that width whatever is withheld, and no release protects it. Lower the width below
    /// the size of the smallest group in scope that is not empty, recode the axes, or judge fewer
    /// classes.
    #[error(
        "a class over axes {axes:?} at levels {levels:?} has no more people than min_interval_width: withholding numbers cannot protect it"
    )]
    GroupWithinIntervalWidth {
        /// The axes of the class, the response left aside.
        axes: Vec<usize>,
        /// Its levels.
        levels: Vec<usize>,
    },
    /// No suppression of the cells offered makes the interval of this one wide enough, or none
    /// was found within the limits. Offer more cells or totals, ask for less width, or raise the
    /// limits.
    #[error("no suppression protects {cell:?} as asked")]
    CannotSuppress {
        /// Name of the cell.
        cell: String,
    },
    /// An attacker would learn from the release what the rule forbids, so nothing was released.
    /// Let the plan decide on the counts, relax the rule, or request less. The refusal itself
    /// reveals something about the counts.
    #[error(
        "the release misses its target: {disclosed} classes or cells disclosed, {undecided} not certified as asked"
    )]
    TargetMissed {
        /// Findings that are disclosed, and published cells that the rule forbids.
        disclosed: usize,
        /// Findings that are unknown; where the target is certification, ambiguous ones as well.
        undecided: usize,
    },
    /// The table is not the one that the plan was made for: it contradicts what is public, or the
    /// counts that the plan decided on.
    #[error("the table is not the one the plan was made for")]
    OtherTable,
    /// The noise of so small a budget does not fit its integers. Spend more.
    #[error(transparent)]
    Noise(#[from] privacy_core::noise::RationalError),
    /// A privacy cost has no statement at this delta.
    #[error(transparent)]
    Accounting(#[from] privacy_core::accounting::AccountingError),
    /// The time of [`Limits::deadline`](crate::Limits::deadline) was over before a robust plan, or
    /// the complementary cells of linked tables, were found. What was not decided by then counts as
    /// disclosed, so nothing is planned. Allow more time, or ask for fewer or coarser tables.
    #[error("the time limit was reached before a robust plan, or a suppression pattern of linked tables, was found")]
    OutOfTime,
    /// A hierarchy file cannot be read.
    #[error(transparent)]
    Hierarchy(#[from] crate::table::hierarchy::HierarchyError),
}

impl Error {
    /// Whether the error only says that nothing is proved about the classes of some attacker, who
    /// knows too little or whose queries reach a limit. It is no fault of the numbers, so a
    /// caller that runs several attackers goes on to the next.
    #[must_use]
    pub fn is_inconclusive(&self) -> bool {
        matches!(
            self,
            Self::Unbounded
                | Self::Undecided
                | Self::TooLargeTogether
                | Self::TooManyRows { .. }
                | Self::TooManySuperCells { .. }
        )
    }
}

/// The note on a conflict that was not reduced completely.
fn fewer(irreducible: bool) -> &'static str {
    if irreducible { "" } else { " (perhaps fewer of them do: the search for a smaller set reached its limit)" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leaves_classes_open_is_no_fault_of_the_numbers() {
        assert!([Error::Unbounded, Error::Undecided, Error::TooLargeTogether].iter().all(Error::is_inconclusive));
        assert!(![Error::OtherTable, Error::CannotSuppress { cell: String::new() }].iter().any(Error::is_inconclusive));
    }
}
