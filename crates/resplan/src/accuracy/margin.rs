//! Intervals around a released number that hold for discrete noise.
//!
//! `sd` standard deviation of the planned noise, `1 - level` the share of releases in which the
//! exact count may lie outside. The error of an answer is a combination of discrete Gaussians
//! with parameters `gamma_B`; those over identity attributes alone come in steps of at most
//! `h = (product of 1 / k_i) (product of |w_j u_j|)`, the others in steps that are a million
//! times finer.
//!
//! ```text
//! every gamma_B >= 1:   half width = z sd + h / 2,     z the normal quantile of (1 + level) / 2
//! otherwise:            half width = sd sqrt(2 ln(2 / (1 - level)))
//! ```
//!
//! The second holds for any gamma: a discrete Gaussian is sub-Gaussian with variance proxy
//! gamma^2 (Canonne, Kamath, Steinke 2020, corollary 17), and so is a combination of independent
//! ones. The first adds half a step to the normal interval, which makes up for the lattice; a
//! total with gamma = 1/2 would be covered by it 79 times in 100. Several answers at once: each
//! gets an equal share of `1 - level` (Bonferroni), whatever their dependence.

use ndarray::Array1;
use privacy_core::AttrSet;
use privacy_core::normal::upper_quantile;
use privacy_core::param::Probability;

use crate::error::Error;
use crate::planning::design::Design;
use crate::strategy::axis::{Axis, Residual};

/// How wide an interval around an answer is: `factor` standard deviations and `extra` counts to
/// each side.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MarginOfError {
    factor: f64,
    extra: f64,
}

impl MarginOfError {
    /// Half the width around an answer of this variance, in counts. 0 for an answer without
    /// noise.
    #[must_use]
    pub fn half_width(&self, variance: f64) -> f64 {
        if variance == 0.0 { 0.0 } else { self.factor * variance.sqrt() + self.extra }
    }
}

impl Design {
    /// Intervals that hold the exact answers about `set` in at least a share `level` of releases,
    /// each answer by itself. A **calibration**: of the noise alone.
    ///
    /// # Errors
    /// [`Error::NotMeasured`].
    pub fn margin_of_error(&self, set: AttrSet, level: Probability) -> Result<MarginOfError, Error> {
        self.simultaneous_margin_of_error(set, level, 1.0)
    }

    /// Intervals that hold the exact answers about `set` as a part of `answers` answers that are
    /// all to be held at once: in a share `level` of releases no interval of them misses.
    /// `answers` may count several marginals.
    ///
    /// # Errors
    /// [`Error::NotMeasured`].
    ///
    /// # Panics
    /// Never: half of what is left of a probability is one.
    pub fn simultaneous_margin_of_error(
        &self,
        set: AttrSet,
        level: Probability,
        answers: f64,
    ) -> Result<MarginOfError, Error> {
        self.check_measured(set)?;
        let outside = (1.0 - level.get()) / answers.max(1.0);
        if self.smallest_gamma2(set) < 1.0 {
            return Ok(MarginOfError { factor: (2.0 * (2.0 / outside).ln()).sqrt(), extra: 0.0 });
        }
        let tail = Probability::new(outside / 2.0).expect("half of what is left of a probability is one");
        let steps: f64 = match self.axes().joint() {
            Some(joint) => {
                let rows = self.axes().rows_on_block(joint.block, set);
                let shares = rows.dot(&Array1::from(joint.axis.spread()));
                shares.iter().map(|share| share.abs()).fold(0.0, f64::max)
            }
            None => self.axes().of(set).map(largest_share).product(),
        };
        Ok(MarginOfError { factor: upper_quantile(tail), extra: 0.5 * steps })
    }

    /// The least `gamma_B^2` of the residuals over identity attributes that an answer is made
    /// from, those without noise apart.
    fn smallest_gamma2(&self, set: AttrSet) -> f64 {
        // A joint strategy has integers of its own, as fine as those of other queries.
        let alone = if self.axes().joint().is_some() { AttrSet::EMPTY } else { set };
        let identity: AttrSet = alone
            .iter()
            .filter(|&attribute| matches!(self.axes().get(attribute).residual(), Residual::Centred))
            .collect();
        let gamma2 = self.axes().varying(identity).subsets().filter_map(|subset| {
            let sigma2 = Some(self.noise(subset)).filter(|sigma2| *sigma2 > 0.0)?;
            let cells: f64 = self.axes().of(subset).map(|axis| axis.size() as f64).product();
            Some(sigma2 * cells * cells)
        });
        gamma2.fold(f64::INFINITY, f64::min)
    }
}

/// `|w u|` of the query that takes most of a total; `1 / k` for the categories themselves.
fn largest_share(axis: &Axis) -> f64 {
    axis.largest().iter().map(|form| form.without.sqrt()).fold(0.0, f64::max)
}
