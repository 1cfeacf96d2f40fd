//! Covariances of all estimates of a full table.
//!
//! `U = J | K`, `I = J & K`, `D = U \ I`; `t` estimates, `N` reports, `alpha`, `beta` of the
//! channels.
//!
//! ```text
//! W(J, K) = sum over A in I of t(D | A) prod over A of alpha prod over I \ A of beta      (1.4)
//! fixed   = W(J, K) - t(U)                      Theorem 3.6, exactly unbiased given the rows
//! super   = N / (N - 1) (W(J, K) - t(J) t(K) / N)   rows drawn independently of one law  (1.5)
//! ```
//!
//! Source: Theorem 3.6, in its truth form; `docs/math/ldp-pmdh.md`, sections 4 and 5.

use ndarray::Array2;

use super::EstimateError;
use super::cube::TernaryCube;
use ldp_client::Channel;

/// Whose frequencies are estimated, which decides what an error bar covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Population {
    /// The people who reported: error bars cover the randomisation alone, and a census is meant.
    Fixed,
    /// The population that they were drawn from, independently: error bars cover sampling and
    /// randomisation. When every report covers everything the matrix is the empirical covariance
    /// of the reports' readings, so never indefinite.
    #[default]
    Super,
}

/// The covariance of every two estimates of a full table, as `3^n` numbers.
///
/// Kind: calibration. Unbiased for every number of reports (`Super`: from two on); a single
/// variance under [`Population::Fixed`] may come out negative when few reports have all columns
/// of the set.
#[derive(Clone, Debug)]
pub struct Covariance {
    cube: TernaryCube,
    population: Population,
    reports: f64,
}

impl Covariance {
    /// The covariance of the estimates `truth` (`2^n` counts by column set, entry 0 the number of
    /// reports). `O(3^n)` time and memory.
    ///
    /// # Errors
    /// [`EstimateError::TooManyColumns`] above 20 columns, [`EstimateError::TooLarge`] above
    /// `most_bytes`, [`EstimateError::WrongLength`] unless there are `2^n` estimates, and
    /// [`EstimateError::TooFewReports`] for a super-population with fewer than two reports.
    pub fn new(
        channels: &[Channel],
        truth: &[f64],
        population: Population,
        most_bytes: f64,
    ) -> Result<Self, EstimateError> {
        let columns = channels.len();
        TernaryCube::check(columns, truth.len(), most_bytes)?;
        if population == Population::Super && truth[0] < 2.0 {
            return Err(EstimateError::TooFewReports { needed: 2 });
        }
        // Per column: in neither set 1, in one `y` (mean x), in both `y^2` (mean alpha x + beta).
        let maps: Vec<_> =
            channels.iter().map(|channel| [[1.0, 0.0], [0.0, 1.0], [channel.beta(), channel.alpha()]]).collect();
        Ok(Self { cube: TernaryCube::new(&maps, truth), population, reports: truth[0] })
    }

    /// Bytes that [`new`](Self::new) takes for this many columns.
    #[must_use]
    pub fn bytes(columns: usize) -> f64 {
        TernaryCube::bytes(columns)
    }

    /// What the error bars cover.
    #[must_use]
    pub fn population(&self) -> Population {
        self.population
    }

    /// Covariance of the estimates of two column sets, in counts squared.
    ///
    /// # Panics
    /// If a set has a column that the table does not have.
    #[must_use]
    pub fn of(&self, one: usize, other: usize) -> f64 {
        let moment = self.cube.of_pair(one, other);
        match self.population {
            Population::Fixed => moment - self.cube.of_set(one | other),
            Population::Super => {
                // N - 1, since the mean is estimated from the same reports.
                let product = self.cube.of_set(one) * self.cube.of_set(other);
                (moment - product / self.reports) * (self.reports / (self.reports - 1.0))
            }
        }
    }

    /// Variance of the estimate of a column set, in counts squared.
    ///
    /// # Panics
    /// If the set has a column that the table does not have.
    #[must_use]
    pub fn variance(&self, set: usize) -> f64 {
        self.of(set, set)
    }

    /// The whole matrix, `4^n` numbers.
    ///
    /// # Errors
    /// [`EstimateError::TooLarge`] above `most_bytes`.
    pub fn to_dense(&self, most_bytes: f64) -> Result<Array2<f64>, EstimateError> {
        let sets = self.cube.sets();
        let bytes = 8.0 * (sets as f64) * (sets as f64);
        if bytes > most_bytes {
            return Err(EstimateError::TooLarge { bytes, most: most_bytes });
        }
        Ok(Array2::from_shape_fn((sets, sets), |(one, other)| self.of(one, other)))
    }
}
