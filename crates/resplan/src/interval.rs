//! Intervals around a released number that hold for discrete noise.
//!
//! `sd` standard deviation of the planned noise, `1 - level` the share of releases in which the exact count may lie
//! outside. The error of a cell is a combination of discrete Gaussians with parameters `gamma_B = sigma_B K_B`, in
//! steps of at most `1 / cells`.
//!
//! ```text
//! every gamma_B >= 1:   half width = z sd + 1 / (2 cells),     z the normal quantile of (1 + level) / 2
//! otherwise:            half width = sd sqrt(2 ln(2 / (1 - level)))
//! ```
//!
//! The second holds for any gamma: a discrete Gaussian is sub-Gaussian with variance proxy sigma^2 (Canonne, Kamath,
//! Steinke 2020, corollary 17), and so is a combination of independent ones. The first adds half a step to the normal
//! interval, which makes up for the lattice; a total with gamma = 1/2 would be covered by it 79 times in 100.

use privacy_core::AttrSet;
use privacy_core::normal::upper_quantile;
use privacy_core::param::Probability;

use crate::closure::varying;
use crate::error::Error;
use crate::plan::Plan;

impl Plan {
    /// Half the width of an interval that holds the exact count of a cell of `set` in at least a share `level` of
    /// releases, each cell by itself. In counts. A **calibration**: of the noise alone.
    ///
    /// # Errors
    /// [`Error::NotMeasured`].
    ///
    /// # Panics
    /// Never: half of what is left of a probability is one.
    pub fn half_width(&self, set: AttrSet, level: Probability) -> Result<f64, Error> {
        let sd = self.variance(set)?.sqrt();
        let outside = 1.0 - level.get();
        if sd == 0.0 {
            return Ok(0.0);
        }
        if self.smallest_gamma2(set) < 1.0 {
            return Ok(sd * (2.0 * (2.0 / outside).ln()).sqrt());
        }
        let tail = Probability::new(outside / 2.0).expect("half of what is left of a probability is one");
        let cells = self.domain().cells(set).map_or(f64::INFINITY, |cells| cells as f64);
        Ok(sd * upper_quantile(tail) + 0.5 / cells)
    }

    /// The least `sigma_B^2 K_B^2` of the residuals that a marginal is made from, those without noise apart.
    fn smallest_gamma2(&self, set: AttrSet) -> f64 {
        let gamma2 = |subset: AttrSet| {
            let sigma2 = self.residual_variance(subset).filter(|sigma2| *sigma2 > 0.0)?;
            let cells: f64 = subset.iter().map(|a| self.domain().cardinality(a) as f64).product();
            Some(sigma2 * cells * cells)
        };
        varying(self.domain(), set).subsets().filter_map(gamma2).fold(f64::INFINITY, f64::min)
    }
}
