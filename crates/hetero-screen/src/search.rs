//! The first setting that keeps the estimate at or below a target.
//!
//! The estimate falls as the threshold or the noise grows, and grows with the order of queries,
//! so a setting is found by galloping and halving: what is returned keeps the target, and its
//! neighbour does not.

use crate::coverage::Narrow;
use crate::error::Error;
use crate::evolution::Estimate;
use crate::limits::ScreenLimits;
use crate::proxy::{TargetLevel, row_error};
use crate::report::Estimator;
use crate::spec::ScreenSpec;

/// Largest half-width of noise that is tried.
const MOST_NOISE: u32 = 1_000_000;

/// A setting with what a solver is expected to get right under it. Kind: **proxy**: confirm it by
/// simulated attacks.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ScreenSetting {
    /// The release with this setting.
    pub spec: ScreenSpec,
    /// Proportion of the labels that a solver is expected to reconstruct.
    pub estimate: Estimate,
    /// What the source's proxy expects, to compare.
    pub proxy_accuracy: f64,
}

impl ScreenSetting {
    fn of(spec: ScreenSpec, limits: &ScreenLimits) -> Result<Self, Error> {
        let estimator = Estimator::new(&spec, Narrow::No, limits)?;
        Ok(Self::with(spec, &estimator))
    }

    fn with(spec: ScreenSpec, estimator: &Estimator) -> Self {
        let evidence = estimator.coverage.own_class.value / spec.noise().values();
        let proxy_accuracy = 1.0 - row_error(spec.classes().len(), evidence);
        Self { estimate: estimator.estimate(&spec), spec, proxy_accuracy }
    }

    fn keeps(&self, target: TargetLevel) -> bool {
        self.estimate.accuracy <= target.get()
    }
}

/// The smallest threshold of suppression for which a solver is expected to get at most `target`
/// of the labels right.
///
/// `None` if no threshold does: guessing alone reaches more.
///
/// ```
/// use hetero_screen::{
///     Classes, Column, ScreenLimits, ScreenSpec, Suppression, TargetLevel, UniformNoise, smallest_threshold,
/// };
///
/// let columns = vec![Column::uniform(4)?; 5];
/// let spec = ScreenSpec::new(300, columns, Classes::equal(2)?, Suppression::ClassCount(0), UniformNoise::uniform(1))?;
/// let target = TargetLevel::new("target", 0.8)?;
/// let found = smallest_threshold(&spec, target, &ScreenLimits::default())?.expect("withholding everything keeps it");
/// assert!(found.spec.suppression().below() > 0);
/// # Ok::<(), hetero_screen::Error>(())
/// ```
///
/// # Errors
/// As [`screen`](crate::screen).
///
/// # Cost
/// Some `2 log2(T)` estimates.
pub fn smallest_threshold(
    spec: &ScreenSpec,
    target: TargetLevel,
    limits: &ScreenLimits,
) -> Result<Option<ScreenSetting>, Error> {
    // Above the number of rows nothing is released.
    let most = (spec.rows() + 1).min(1 << 32);
    least(0, most, target, |below| ScreenSetting::of(spec.clone().with_threshold(below)?, limits))
}

/// The smallest half-width of the noise for which a solver is expected to get at most `target` of
/// the labels right.
///
/// `None` if none up to a million does.
///
/// # Errors
/// As [`screen`](crate::screen).
///
/// # Cost
/// One coverage, and some `2 log2(e)` estimates.
pub fn smallest_noise(
    spec: &ScreenSpec,
    target: TargetLevel,
    limits: &ScreenLimits,
) -> Result<Option<ScreenSetting>, Error> {
    let estimator = Estimator::new(spec, Narrow::No, limits)?;
    least(0, MOST_NOISE.into(), target, |half_width| {
        let half_width = u32::try_from(half_width).unwrap_or(MOST_NOISE);
        Ok(ScreenSetting::with(spec.clone().with_half_width(half_width)?, &estimator))
    })
}

/// The largest order of queries for which a solver is expected to get at most `target` of the
/// labels right.
///
/// `None` if not even the shortest queries do.
///
/// # Errors
/// As [`screen`](crate::screen).
///
/// # Cost
/// Some `2 log2(C)` estimates.
pub fn largest_order(
    spec: &ScreenSpec,
    target: TargetLevel,
    limits: &ScreenLimits,
) -> Result<Option<ScreenSetting>, Error> {
    let (most, shortest) = (spec.max_order(), usize::from(!spec.has_empty_query()));
    least(0, (most - shortest) as u64, target, |fewer| {
        ScreenSetting::of(spec.clone().with_max_order(most - fewer as usize)?, limits)
    })
}

/// The first of `first..=last` that keeps the target, if the settings only get safer.
fn least(
    first: u64,
    last: u64,
    target: TargetLevel,
    at: impl Fn(u64) -> Result<ScreenSetting, Error>,
) -> Result<Option<ScreenSetting>, Error> {
    let (mut unsafe_up_to, mut reach) = (None, first);
    let mut found = loop {
        let setting = at(reach)?;
        if setting.keeps(target) {
            break (reach, setting);
        }
        if reach == last {
            return Ok(None);
        }
        unsafe_up_to = Some(reach);
        reach = (first + 2 * (reach - first) + 1).min(last);
    };
    while let Some(low) = unsafe_up_to.filter(|low| found.0 - low > 1) {
        let middle = low + (found.0 - low) / 2;
        let setting = at(middle)?;
        if setting.keeps(target) { found = (middle, setting) } else { unsafe_up_to = Some(middle) }
    }
    Ok(Some(found.1))
}

/// Thresholds and half-widths of noise to be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScreenGrid {
    /// Thresholds of suppression, `T`.
    pub suppress_below: Vec<u64>,
    /// Half-widths of the noise, `e`.
    pub noise: Vec<u32>,
}

impl Default for ScreenGrid {
    /// From nothing to strong.
    fn default() -> Self {
        Self { suppress_below: vec![1, 2, 3, 5, 8, 10, 15, 20], noise: vec![0, 1, 2, 3, 5, 8, 10, 15, 20] }
    }
}

/// A combination of threshold and noise in a grid.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct GridPoint {
    /// `T`.
    pub suppress_below: u64,
    /// `e`.
    pub noise: u32,
    /// Proportion of the labels that a solver is expected to reconstruct.
    pub estimate: Estimate,
    /// What the source's proxy expects.
    pub proxy_accuracy: f64,
}

/// The estimate at every threshold and every noise, threshold by threshold.
///
/// # Errors
/// As [`screen`](crate::screen), and for thresholds and noises that cannot be.
pub fn grid(spec: &ScreenSpec, grid: &ScreenGrid, limits: &ScreenLimits) -> Result<Vec<GridPoint>, Error> {
    let mut points = Vec::with_capacity(grid.suppress_below.len() * grid.noise.len());
    for &suppress_below in &grid.suppress_below {
        let spec = spec.clone().with_threshold(suppress_below)?;
        let estimator = Estimator::new(&spec, Narrow::No, limits)?;
        for &noise in &grid.noise {
            let setting = ScreenSetting::with(spec.clone().with_half_width(noise)?, &estimator);
            let ScreenSetting { estimate, proxy_accuracy, .. } = setting;
            points.push(GridPoint { suppress_below, noise, estimate, proxy_accuracy });
        }
    }
    Ok(points)
}
