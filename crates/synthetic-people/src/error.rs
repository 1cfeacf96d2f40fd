//! Why a model cannot be fitted, or not be asked.

use privacy_core::AttrSet;

/// Why a request is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The measured marginals join too many attributes: one table of the model would have too many
    /// cells. Measure fewer or smaller marginals, choose some of them with
    /// [`strongest`](crate::strongest), or raise the limit.
    #[error("the model would need a table over {clique:?} with {cells:.3e} cells; the limit is {limit:.3e}")]
    TooWide {
        /// The attributes of the table: a clique of the triangulated graph.
        clique: AttrSet,
        /// Its cells.
        cells: f64,
        /// The most that are allowed.
        limit: f64,
    },
    /// A set names an attribute that does not exist.
    #[error("the set {set:?} is not within the {attributes} attributes")]
    UnknownAttribute {
        /// The set.
        set: AttrSet,
        /// How many attributes there are.
        attributes: usize,
    },
    /// An attribute has no category. Every attribute has at least one.
    #[error("attribute {attribute} has no categories")]
    NoCategory {
        /// The attribute.
        attribute: usize,
    },
    /// The numbers of a measurement are not as many as its queries, are not finite, or its
    /// variance is not a finite number above 0.
    #[error("the measurement over {set:?} does not fit: {what}")]
    BadMeasurement {
        /// The attributes of the measurement.
        set: AttrSet,
        /// What does not fit.
        what: &'static str,
    },
    /// The total is the number of people: a finite number above 0.
    #[error("the total must be a finite number above 0, got {total}")]
    BadTotal {
        /// The total that was given.
        total: f64,
    },
    /// The structural zeros leave no cell at all: nobody could exist.
    #[error("the structural zeros exclude every combination of categories")]
    NothingPossible,
}
