//! What can be wrong with a plan or a measurement, and what to change.

use privacy_core::AttrSet;
#[cfg(feature = "linalg")]
use privacy_core::linalg::LinalgError;
use privacy_core::noise::RationalError;
use privacy_core::table::CountError;

/// Why a plan, a table or a measurement is refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Nothing was asked for. List at least one marginal.
    #[error("the workload is empty: request at least one marginal")]
    EmptyWorkload,
    /// A marginal names an attribute that the domain does not have.
    #[error("the marginal {set:?} is not within the domain of {attributes} attributes")]
    UnknownAttribute {
        /// The marginal.
        set: AttrSet,
        /// How many attributes the domain has.
        attributes: usize,
    },
    /// One marginal is listed twice, which would count its variance twice. List it once, with a
    /// weight.
    #[error("the marginal {set:?} is listed twice: list it once, with a weight")]
    RepeatedMarginal {
        /// The marginal.
        set: AttrSet,
    },
    /// A weight must be finite and above 0. Leave the marginal out instead of giving it weight 0.
    #[error("the weight of the marginal {set:?} must be finite and above 0, got {weight}")]
    BadWeight {
        /// The marginal.
        set: AttrSet,
        /// The weight.
        weight: f64,
    },
    /// The queries about an attribute do not fit it. See what is said of each kind of basis.
    #[error("the basis does not fit its attribute: {what}")]
    BadBasis {
        /// What does not fit.
        what: &'static str,
    },
    /// A tilt is at least 0 and finite.
    #[error("a tilt must be at least 0 and at most 1e6, got {tau}")]
    BadTilt {
        /// The tilt that was given.
        tau: f64,
    },
    /// Queries other than the categories need dense factorisations. Turn on the feature `linalg`
    /// of `resplan`.
    #[error("the queries about attribute {attribute} require the feature `linalg` of resplan, which is off")]
    NeedsLinalg {
        /// The attribute.
        attribute: usize,
    },
    /// The stop flag of the limits or options was set. Nothing was returned; a budget that was
    /// charged before a measurement stays spent.
    #[error("stopped")]
    Stopped,
    /// A strategy could not be computed: the queries about the attribute are too unequal in size.
    /// Scale them.
    #[cfg(feature = "linalg")]
    #[error("no strategy was found for the queries about attribute {attribute}: {cause}")]
    NoStrategy {
        /// The attribute.
        attribute: usize,
        /// What the factorisation says.
        cause: LinalgError,
    },
    /// The order of a norm is from 1 to 64. For the largest variance there is an objective of its
    /// own.
    #[error("the order of a norm must be between 1 and 64, got {order}")]
    BadNorm {
        /// The order that was given.
        order: f64,
    },
    /// A person has at least one row. Write 1 where a row is the unit of privacy.
    #[error("rows_per_person must be at least 1")]
    BadContribution,
    /// No variances keep this budget, which is so large or so small that numbers overflow. Check
    /// its unit.
    #[error("no exact noise exists for the budget pcost = {pcost:e}")]
    BudgetOutOfRange {
        /// The budget.
        pcost: f64,
    },
    /// No plan keeps the bounds at this budget. Raise the budget to what is needed, or loosen the
    /// bounds.
    #[error(
        "no plan satisfies the bounds on standard deviations at pcost = {pcost:e}: at least pcost = {needed:e} is \
         needed"
    )]
    BoundsOutOfReach {
        /// The budget.
        pcost: f64,
        /// The least budget that keeps them with these strategies.
        needed: f64,
    },
    /// Bounds go with the sum of variances, and are on marginals of the workload, each once.
    #[error("a bound on the marginal {set:?} requires the objective sum of variances, and a marginal of the workload")]
    BadBound {
        /// The marginal.
        set: AttrSet,
    },
    /// The work is larger than the limits. Ask for fewer or smaller marginals, or raise the
    /// limit.
    #[error(
        "{what}: {needed:.3e} needed, the limit is {limit:.3e}; request fewer or smaller marginals, or raise the limit"
    )]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How much the plan needs.
        needed: f64,
        /// How much the limits allow.
        limit: f64,
    },
    /// The data has another domain (names, labels, order) than the plan was made for. Plan for
    /// the data's domain.
    #[error("the data and the plan have different domains")]
    DomainMismatch,
    /// Names or labels were read off the data, which no differentially private release may do.
    /// Check them, and declare the domain public if they reveal nothing about the people in the
    /// data.
    #[error("the domain was learnt from the data: declare it public before a release")]
    DomainLearntFromData,
    /// The counts are so large that their integer transforms leave 62 bits. Ask for smaller
    /// marginals.
    #[error("the counts over {set:?} are too large for exact integer arithmetic")]
    CountsTooLarge {
        /// The marginal.
        set: AttrSet,
    },
    /// One strategy measures all attributes together, and its answers are exact for fewer people.
    /// Plan with a strategy for each attribute ([`Strategy::Automatic`](crate::Strategy)).
    #[error("all attributes are measured together, and answers are exact for at most {most:.2e} people")]
    TooManyPeople {
        /// The most people.
        most: f64,
    },
    /// The marginal is not in the closure of what was measured. Only subsets of planned marginals
    /// can be answered.
    #[error("the marginal {set:?} is not a subset of any planned marginal")]
    NotMeasured {
        /// The marginal.
        set: AttrSet,
    },
    /// There is no such answer about the marginal: one query for each attribute, below the number
    /// of its queries.
    #[error("this answer about the marginal {set:?} does not exist")]
    UnknownAnswer {
        /// The marginal.
        set: AttrSet,
    },
    /// The noise that the budget asks for is out of the range of exact noise. Raise the budget,
    /// or ask for less.
    #[error("the noise of this plan is out of range")]
    NoiseOutOfRange(#[from] RationalError),
    /// A table is missing, given twice, of another shape, or not one that the plan needs. Give
    /// exactly the tables over the sets of [`Design::batches`](crate::Design::batches).
    #[error(
        "the tables are not those that the plan requires: the table over {set:?} is missing, repeated or not planned"
    )]
    WrongTable {
        /// The attributes of the table.
        set: AttrSet,
    },
    /// Two tables that should count the same rows have different totals: rows were left out of
    /// one of them, as a `GROUP BY` over a column with NULLs or an inner join may do, or rows
    /// arrived between two queries. Give missing values a category of their own, and count all
    /// tables in one transaction.
    #[error("the tables over {one:?} and {other:?} have different totals: they do not count the same rows")]
    TotalsDiffer {
        /// One of the tables.
        one: AttrSet,
        /// The other.
        other: AttrSet,
    },
    /// Two tables with the same total disagree about the attributes that they share. Count both
    /// from the same rows, with the same coding of every attribute, in one transaction.
    #[error("the tables over {one:?} and {other:?} disagree about {common:?}: they do not count the same rows")]
    MarginsDiffer {
        /// One of the tables.
        one: AttrSet,
        /// The other.
        other: AttrSet,
        /// A set of attributes that both have, over which their marginals differ.
        common: AttrSet,
    },
    /// The source could not count.
    #[error(transparent)]
    Counts(#[from] CountError),
}
