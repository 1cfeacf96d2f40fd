//! Why a threshold distribution is invalid.

/// Largest number of entries of a threshold table: under every law that is accepted, a group of
/// this many entities is reported. It bounds what has to be stored for a group.
pub const MAX_CAP: u64 = 1 << 16;

/// Why a threshold distribution is invalid.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LawError {
    /// Groups of one entity could be reported. Raise the bound to at least 1.
    #[error("always_suppress_upper_bound must be finite and at least 1, got {got}")]
    SingletonsVisible {
        /// The refused bound, in entities.
        got: f64,
    },
    /// At `mean = bound` the threshold is not noisy, and below it the upper clamp falls under the
    /// bound, so that groups of one could be reported. Raise the mean.
    #[error("the mean must be above always_suppress_upper_bound = {bound}, got {mean}")]
    MeanNotAboveBound {
        /// The refused mean, in entities.
        mean: f64,
        /// The bound, in entities.
        bound: f64,
    },
    /// A smallest number of entities below 2 would report groups of one. Raise it to at least 2.
    #[error("{name} must be at least 2, got {got}")]
    BelowTwo {
        /// The name of the parameter.
        name: &'static str,
        /// The refused number of entities.
        got: u32,
    },
    /// A negative gap puts the mean of the threshold below its minimum. Give 0 or more.
    #[error("gap must be finite and at least 0, got {got}")]
    BadGap {
        /// The refused gap, in standard deviations.
        got: f64,
    },
    /// The numbers beside groups cost as much as the whole epsilon. Give them a larger scale.
    #[error("the noise of the counts uses all of epsilon")]
    NumberTooCostly,
    /// The smallest group that is certain to be reported would be larger than [`MAX_CAP`]. Lower
    /// the mean or the spread; for optimal selection raise epsilon or delta.
    #[error("a group of {MAX_CAP} entities would not be certain to be reported under these parameters")]
    TableTooLong,
}
