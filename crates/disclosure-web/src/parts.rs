//! The ways to publish besides noise, as a person chooses them.

use serde::{Deserialize, Serialize};

/// Exact tables, judged by what they disclose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Exact {
    /// The tables, by the names of their attributes.
    pub(crate) margins: Vec<Vec<String>>,
    /// Intervals of at most this width disclose, in counts.
    pub(crate) min_interval_width: u64,
    /// The smallest number of people that a published number may count.
    pub(crate) min_frequency: u64,
}

impl Default for Exact {
    fn default() -> Self {
        Self { margins: Vec::new(), min_interval_width: 0, min_frequency: 5 }
    }
}

/// Groups behind a keyed, noisy threshold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Filter {
    /// The grouping columns, by name.
    pub(crate) group_by: Vec<String>,
    /// Groups of at most this many people are never shown.
    pub(crate) bound: f64,
    /// Mean of the threshold, in people.
    pub(crate) mean: f64,
    /// Standard deviation of the threshold, in people.
    pub(crate) sd: f64,
    /// Scale of the noise of the number beside a group; 0 for no number.
    pub(crate) scale: f64,
}

impl Default for Filter {
    fn default() -> Self {
        Self { group_by: Vec::new(), bound: 2.0, mean: 8.0, sd: 1.5, scale: 4.0 }
    }
}

/// What must hold for the release as a whole.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Targets {
    /// Largest root mean square error of the tables with noise, in counts.
    pub(crate) max_rmse: Option<f64>,
    /// Largest probability that a reader may give to one count of a withheld number.
    pub(crate) max_posterior: Option<f64>,
}
