//! `disclosure.synthetic/1`: what synthetic rows promise, and how close they are to what was
//! measured.

use disclosure::privacy_core::promise::Promise;
use serde::{Deserialize, Serialize};

/// The format of [`SyntheticDocument`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SyntheticSchema {
    /// The first version.
    #[serde(rename = "disclosure.synthetic/1")]
    V1,
}

/// Synthetic rows: what they promise, and how close they are to what was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SyntheticDocument {
    /// The format of this document.
    pub schema: SyntheticSchema,
    /// What the rows promise: what the measurement does. `null` for a simulated measurement, which
    /// promises nothing.
    pub promise: Option<Promise>,
    /// What the rows are and what they are not, in plain sentences.
    pub statements: Vec<String>,
    /// How many rows there are.
    pub rows: u32,
    /// The number of people that was measured.
    pub measured_total: f64,
    /// The tables of the model, by their attributes.
    pub cliques: Vec<Vec<String>>,
    /// How many people were simulated from the model and weighted until all planned marginals fit.
    /// `null` where the model itself is fitted to all that `left_out` does not name.
    #[serde(default)]
    pub weighted_people: Option<u32>,
    /// How well the model, or the weights, fit.
    pub fit: FitSummary,
    /// Planned marginals that the model does not hold, since it would have been too large.
    pub left_out: Vec<Vec<String>>,
    /// The planned marginals, beside what was measured.
    pub marginals: Vec<SyntheticMarginal>,
    /// The pairs of attributes that are within no planned marginal. Empty unless errors of these
    /// were asked for.
    #[serde(default)]
    pub unmeasured: Vec<UnmeasuredMarginal>,
}

/// How well a model fits its measurements.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FitSummary {
    /// Half the sum of squared errors over variances.
    pub loss: f64,
    /// No distribution over these attributes, or over the weighted people, has a loss below
    /// `loss - gap`: certified.
    pub gap: f64,
    /// Steps that were taken.
    pub steps: usize,
    /// Independent measurements that it was fitted to.
    pub measurements: usize,
}

/// A planned marginal: the rows beside the unbiased table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SyntheticMarginal {
    /// Its attributes; none for the total.
    pub attributes: Vec<String>,
    /// Whether the model holds it.
    pub in_model: bool,
    /// Half the sum of the differences between the rows and the unbiased table, as shares of the
    /// measured total: what noise and model make of it together.
    pub distance: f64,
    /// What the noise of the unbiased table alone adds to it on average, at most.
    pub noise: f64,
    /// With probability 95 % over the noise the rows are not further from the exact table than
    /// this, in the same unit. `null` where that would be 1 or more, which says nothing, and where
    /// queries other than categories are asked. A calibration.
    pub error_bound95: Option<f64>,
}

/// A table of two attributes that was not measured: how far the rows may be from the exact one. A
/// proxy: nothing that was measured bounds how two attributes depend on each other here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UnmeasuredMarginal {
    /// Its attributes.
    pub attributes: Vec<String>,
    /// The largest distance in nineteen releases that were simulated from the model: with
    /// probability 95 % the rows are not further off, were people as the model is. Half the sum of
    /// the differences over the cells, as a share of the people. A calibration under that
    /// assumption.
    pub noise95: f64,
    /// How far the measured pair that is furthest from independence is from it, in the same unit.
    /// `null` where the model holds no measured pair.
    pub dependence: Option<f64>,
    /// `noise95 + dependence`, at most 1: the error if these two attributes depend on each other,
    /// beyond what the model has, no more than any measured pair does. A proxy.
    pub error_estimate: Option<f64>,
}
