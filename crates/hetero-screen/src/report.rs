//! Everything that the model says about a release.

use crate::ceiling::ceiling;
use crate::coverage::{Coverage, Narrow, measure};
use crate::error::Error;
use crate::evolution::{self, Estimate};
use crate::limits::ScreenLimits;
use crate::proxy::{ScreenTargets, SourceProxy};
use crate::sizes::Sizes;
use crate::spec::ScreenSpec;
use crate::variance::own_variance;

/// What the model says about a release. Kind: **proxy**, all of it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ScreenReport {
    /// Coverage of a row, exact for the model.
    pub coverage: Coverage,
    /// Exact variance of a row's own coverage, in counts squared; `None` when there are too many
    /// pairs of subsets.
    pub variance_own_exact: Option<f64>,
    /// The source's quantities.
    pub proxy: SourceProxy,
    /// What a solver is expected to get right: read this first.
    pub estimate: Estimate,
}

/// Screens a release by closed forms: no data, no draws.
///
/// ```
/// use hetero_screen::{Classes, Column, ScreenLimits, ScreenSpec, ScreenTargets, Suppression, UniformNoise, screen};
///
/// let columns = vec![Column::uniform(4)?; 5];
/// let spec = ScreenSpec::new(300, columns, Classes::equal(2)?, Suppression::ClassCount(3), UniformNoise::uniform(1))?;
/// let report = screen(&spec, &ScreenTargets::default(), &ScreenLimits::default())?;
/// // What a solver is expected to get right: a proxy, between guessing and identical rows.
/// let estimate = report.estimate;
/// assert!(estimate.floor <= estimate.accuracy && estimate.accuracy <= estimate.ceiling);
/// # Ok::<(), hetero_screen::Error>(())
/// ```
///
/// # Errors
/// [`Error::TooLarge`] when the work is beyond `limits`; it is estimated first.
///
/// # Cost
/// That of [`Coverage::of`], [`own_variance`], and some fifty sums over the sizes of groups:
/// milliseconds for a dozen columns.
pub fn screen(spec: &ScreenSpec, targets: &ScreenTargets, limits: &ScreenLimits) -> Result<ScreenReport, Error> {
    let estimator = Estimator::new(spec, Narrow::Yes, limits)?;
    let estimate = estimator.estimate(spec);
    let coverage = estimator.coverage;
    let variance_own_exact = own_variance(spec, &coverage, limits);
    limits.check_stop()?;
    Ok(ScreenReport { variance_own_exact, proxy: SourceProxy::of(spec, &coverage, targets), coverage, estimate })
}

/// The estimate for one release after another that differ in their noise alone.
pub(crate) struct Estimator {
    sizes: Sizes,
    ceiling: f64,
    pub(crate) coverage: Coverage,
}

impl Estimator {
    pub(crate) fn new(spec: &ScreenSpec, brackets: Narrow, limits: &ScreenLimits) -> Result<Self, Error> {
        let (coverage, profile) = measure(spec, brackets, limits)?;
        let sizes = Sizes::of(&profile, spec.rows() - 1, &limits.stop);
        limits.check_stop()?;
        Ok(Self { sizes, ceiling: ceiling(spec), coverage })
    }

    pub(crate) fn estimate(&self, spec: &ScreenSpec) -> Estimate {
        evolution::estimate(spec, &self.sizes, self.ceiling)
    }
}
