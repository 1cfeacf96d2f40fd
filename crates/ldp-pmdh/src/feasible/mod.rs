//! Answers that a table could have given, beside the unbiased ones.
//!
//! All of them are biased where the truth is near the boundary, and none has the unbiased
//! estimate's error bars. Kind: proxy.

mod simplex;
mod solution;

mod frechet;
mod least_squares;
mod likelihood;

mod posterior;

pub use frechet::frechet_pair;
pub use least_squares::least_squares;
pub use likelihood::maximum_likelihood;
pub use posterior::{Gibbs, feasible_draw, normal_draw};
pub use simplex::{project_on_simplex, project_weighted};
pub use solution::{FeasibleTable, FitLimits};
