//! The law of the counts, given the rows: what a collector will see, for simulation and for
//! tests.
//!
//! ```text
//! E c(J)          = sum over S in J of t(S) prod over S of d prod over J \ S of p
//! Cov(c(J), c(K)) = E c(U) - sum over rows of P_J(x) P_K(x),   P_J(x) = prod over J of (p + d x)
//! ```
//!
//! The mean is Theorem 3.1, the covariance Theorems 3.2 and 3.3. In the second sum a column in
//! neither set contributes 1, in one `p + d x`, in both `p^2 + (q^2 - p^2) x`.

use super::cube::TernaryCube;
use super::{EstimateError, counts_from_truth};
use ldp_client::Channel;

/// Mean and covariance of all counts of a full table whose rows are known.
#[derive(Clone, Debug)]
pub struct CountLaw {
    mean: Vec<f64>,
    products: TernaryCube,
}

impl CountLaw {
    /// The law for true counts `truth` (`2^n`, by column set). `O(3^n)` time and memory.
    ///
    /// # Errors
    /// As for [`Covariance::new`](super::Covariance::new).
    pub fn new(channels: &[Channel], truth: &[f64], most_bytes: f64) -> Result<Self, EstimateError> {
        let columns = channels.len();
        TernaryCube::check(columns, truth.len(), most_bytes)?;
        let map = |channel: &Channel| {
            let (p, q) = (channel.p(), channel.q());
            [[1.0, 0.0], [p, q - p], [p * p, (q - p) * (q + p)]]
        };
        let mut mean = truth.to_vec();
        counts_from_truth(channels, &mut mean);
        Ok(Self { mean, products: TernaryCube::new(&channels.iter().map(map).collect::<Vec<_>>(), truth) })
    }

    /// Expected count of a column set.
    ///
    /// # Panics
    /// If the set has a column that the table does not have.
    #[must_use]
    pub fn mean(&self, set: usize) -> f64 {
        self.mean[set]
    }

    /// Covariance of the counts of two column sets, in counts squared.
    ///
    /// # Panics
    /// If a set has a column that the table does not have.
    #[must_use]
    pub fn covariance(&self, one: usize, other: usize) -> f64 {
        self.mean[one | other] - self.products.of_pair(one, other)
    }
}
