//! The error of every answer, known before the data is seen.

pub(crate) mod answer;
pub(crate) mod covariance;
pub(crate) mod joint;
pub(crate) mod margin;
pub(crate) mod variance;

pub use answer::Answer;
pub use covariance::QueryIndex;
pub use margin::MarginOfError;
pub use variance::Variances;
