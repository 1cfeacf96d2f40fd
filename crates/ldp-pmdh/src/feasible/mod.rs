//! Answers that a table could have given, beside the unbiased ones.
//!
//! All of them are biased where the truth is near the boundary, and none has the unbiased estimate's error bars. Kind: proxy.

mod simplex;

pub use simplex::{project_on_simplex, project_weighted};
