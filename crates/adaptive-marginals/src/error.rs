//! Why a plan is refused, or a release fails.

use privacy_core::AttrSet;
use privacy_core::noise::RationalError;
use privacy_core::table::CountError;

/// Why a request is refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The workload has no marginal of an attribute. Name at least one.
    #[error("the workload names no marginal of an attribute")]
    EmptyWorkload,
    /// A weight is 0 or above a million. Leave out a marginal that does not matter.
    #[error("the weight of {set:?} must be 1 to 1,000,000, got {got}")]
    Weight {
        /// The marginal.
        set: AttrSet,
        /// The weight.
        got: u32,
    },
    /// A marginal names an attribute that the domain does not have.
    #[error("the marginal {set:?} is not within the {attributes} attributes of the domain")]
    UnknownAttribute {
        /// The marginal.
        set: AttrSet,
        /// How many attributes there are.
        attributes: usize,
    },
    /// The labels of an attribute were read from the data, which costs privacy that nothing
    /// accounts for. Give the labels in a specification.
    #[error("the domain was learnt from the data: declare its labels independently of the data")]
    DomainLearntFromData,
    /// A setting is outside of its range.
    #[error("{name} must be {range}, got {got}")]
    Setting {
        /// Which.
        name: &'static str,
        /// What it may be.
        range: &'static str,
        /// What it is.
        got: f64,
    },
    /// The marginals of the workload have more subsets than a choice can be made among. Name fewer
    /// or smaller ones.
    #[error("the marginals of the workload have more than {} subsets", crate::workload::MOST_CANDIDATES)]
    TooManyCandidates,
    /// The marginals of the workload have more cells together than are allowed. Name fewer, or
    /// raise the limit.
    #[error("the marginals of the workload and their subsets have {cells:.3e} cells; the limit is {limit:.3e}")]
    TooManyCells {
        /// The cells of all candidates.
        cells: f64,
        /// The most that are allowed.
        limit: f64,
    },
    /// The budget is so small that a choice would be no more than a coin toss, or so large that
    /// noise would vanish.
    #[error("the budget divided over {rounds} rounds is outside the range of exact noise: {source}")]
    Budget {
        /// The rounds.
        rounds: u32,
        /// What is out of range.
        source: RationalError,
    },
    /// The table belongs to another domain than the plan.
    #[error("the attributes of the data differ from those of the plan")]
    DomainMismatch,
    /// A source answered another marginal than it was asked for.
    #[error("the source did not answer the marginal {set:?}")]
    WrongTable {
        /// The marginal.
        set: AttrSet,
    },
    /// A bound was asked for about a marginal that is no subset of the workload's.
    #[error("the marginal {set:?} is not within a marginal of the workload")]
    NotACandidate {
        /// The marginal.
        set: AttrSet,
    },
    /// An answer does not have one finite number for each cell of its marginal.
    #[error("the answer to {set:?} must have one finite number for each cell")]
    WrongAnswer {
        /// The marginal.
        set: AttrSet,
    },
    /// Noise would leave the range of 64 bits.
    #[error("the noise of {set:?} exceeds the range of integers")]
    NoiseOutOfRange {
        /// The marginal.
        set: AttrSet,
    },
    /// Scores are beyond 128 bits. Use smaller weights.
    #[error("the scores of the candidates exceed 128 bits: use smaller weights")]
    ScoresTooLarge,
    /// The flag of the plan was set. What the rounds before have cost is spent.
    #[error("stopped before the end")]
    Stopped,
    /// The source of counts failed.
    #[error(transparent)]
    Counts(#[from] CountError),
    /// The model could not be fitted.
    #[error(transparent)]
    Model(#[from] synthetic_people::Error),
}
