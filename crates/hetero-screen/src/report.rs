//! Everything that the model says about a release.

use crate::ceiling::ceiling;
use crate::coverage::{Coverage, measure};
use crate::error::Error;
use crate::evolution::{self, Estimate};
use crate::limits::Limits;
use crate::proxy::{Proxy, Targets};
use crate::sizes::Sizes;
use crate::spec::ScreenSpec;
use crate::variance::own_variance;

/// What the model says about a release. Kind: **proxy**, all of it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ScreenReport {
    /// Coverage of a row, exact for the model.
    pub coverage: Coverage,
    /// Exact variance of a row's own coverage, in counts squared; `None` when there are too many pairs of subsets.
    pub variance_own_exact: Option<f64>,
    /// The seed's quantities.
    pub proxy: Proxy,
    /// What a solver is expected to get right: read this first.
    pub estimate: Estimate,
}

/// Screens a release by closed forms: no data, no draws.
///
/// # Errors
/// [`Error::TooLarge`] when the work is beyond `limits`; it is estimated first.
///
/// # Cost
/// That of [`Coverage::of`], [`own_variance`], and some fifty sums over the sizes of groups: milliseconds for a dozen columns.
pub fn screen(spec: &ScreenSpec, targets: &Targets, limits: &Limits) -> Result<ScreenReport, Error> {
    let (coverage, profile) = measure(spec, limits)?;
    let estimate = evolution::estimate(spec, &Sizes::of(&profile, spec.rows() - 1), ceiling(spec));
    Ok(ScreenReport {
        variance_own_exact: own_variance(spec, &coverage, limits),
        proxy: Proxy::of(spec, &coverage, targets),
        coverage,
        estimate,
    })
}

/// The estimate alone.
pub(crate) fn estimate_of(spec: &ScreenSpec, limits: &Limits) -> Result<Estimate, Error> {
    let (_, profile) = measure(spec, limits)?;
    Ok(evolution::estimate(spec, &Sizes::of(&profile, spec.rows() - 1), ceiling(spec)))
}
