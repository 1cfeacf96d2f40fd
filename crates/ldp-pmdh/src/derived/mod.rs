//! What follows from estimates: correlations, ratios, tests on the reports, sample sizes.

mod chi_square;
mod independence;
mod pair;
mod sample_size;

pub use chi_square::chi_square_at_least;
pub use independence::{ChiSquareTest, TestError, homogeneity, independence};
pub use pair::{ConfidenceSet, Derived, DerivedError, Pair};
pub use sample_size::{SampleSizeError, reports_for_error, reports_for_independence};
