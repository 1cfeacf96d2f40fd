//! Non-negative, consistent tables, and how they are asked for.

use ndarray::{ArrayD, IxDyn};
use privacy_core::AttrSet;
use privacy_core::param::Probability;
use privacy_core::stop::StopFlag;

use super::PostProcessing;
use super::frame::Frames;
use super::repair::{Repair, repair};
use super::splitting::Splitting;
use crate::error::Error;
use crate::measurement::answers::summed_to;
use crate::measurement::measured::Measured;
use crate::measurement::transform::answers;

/// How many times more a residual counts for each attribute that it has less: 1 to 1000.
///
/// At 1 the adjustment is plain least squares, the most likely residuals if every table were as
/// likely as every other. Real tables are mostly empty; there, plain least squares keeps the
/// noise that is above 0, drops what is below, and lets sums over many cells drift up by many
/// standard deviations. With more trust in smaller tables the sums stay where they were measured,
/// and single cells move instead. 10, the default, left sums over many cells about as near to the
/// truth as they were and brought single cells several times nearer, on the census sample that it
/// was tried on (`docs/math/after-noise.md`).
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(try_from = "f64", into = "f64"))]
pub struct Trust(f64);

impl Trust {
    /// Accepts a number from 1 to 1000.
    ///
    /// # Errors
    /// [`TrustError`] for anything else, NaN included.
    pub fn new(trust: f64) -> Result<Self, TrustError> {
        if (1.0..=1e3).contains(&trust) { Ok(Self(trust)) } else { Err(TrustError { got: trust }) }
    }

    /// The value.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl TryFrom<f64> for Trust {
    type Error = TrustError;

    fn try_from(trust: f64) -> Result<Self, TrustError> {
        Self::new(trust)
    }
}

impl From<Trust> for f64 {
    fn from(trust: Trust) -> f64 {
        trust.0
    }
}

impl Default for Trust {
    fn default() -> Self {
        Self(10.0)
    }
}

/// The trust is out of range. Write 1 for plain least squares.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("trust must be between 1 and 1000, got {got}")]
#[non_exhaustive]
pub struct TrustError {
    /// The refused number.
    pub got: f64,
}

/// Settings of the adjustment to non-negative cells. Whatever is asked for here, its result is
/// non-negative and consistent.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields, default))]
pub struct NonnegativeSpec {
    /// How much more the sums over many cells are believed than single cells.
    pub trust: Trust,
    /// Steps end when what all largest tables together are away from a solution is at most this
    /// share of the total.
    pub unsettled: Probability,
    /// They end after this many in any case.
    pub most_steps: usize,
    /// Ends the adjustment with [`Error::Stopped`]; looked at between two largest tables.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub stop: StopFlag,
}

impl Default for NonnegativeSpec {
    /// Trust 10; a share of 1e-4, at most 200 steps.
    ///
    /// # Panics
    /// Never: 1e-4 is a share.
    fn default() -> Self {
        let unsettled = Probability::new(1e-4).expect("between 0 and 1");
        Self { trust: Trust::default(), unsettled, most_steps: 200, stop: StopFlag::never() }
    }
}

/// Non-negative cells, consistent with each other, beside the measurement that they come from.
pub struct Adjusted<'a, Origin> {
    measured: &'a Measured<Origin>,
    frames: Frames,
    /// `None` when the measurement had no negative cell.
    residuals: Option<Vec<Vec<f64>>>,
    steps: usize,
    repair: Repair,
}

/// The answers about a marginal, from non-negative cells. No variances: those of the measurement
/// do not hold any more.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
#[must_use]
pub struct AdjustedMarginal {
    /// Its attributes, one an axis, in increasing order.
    pub attributes: AttrSet,
    /// Answers, along each axis in the order of its basis.
    pub values: ArrayD<f64>,
    /// What they are.
    pub label: PostProcessing,
}

impl<Origin> Measured<Origin> {
    /// Non-negative cells near the measured ones: the residuals that are nearest in the metric of
    /// their noise (see [`Trust`]) among those whose planned marginals have no negative cell. All
    /// marginals keep adding up to each other.
    ///
    /// The total stays as it was measured, exact where it is; below 0 it becomes 0, and every
    /// cell with it. A measurement without negative cells is left as it is.
    ///
    /// # Cost
    /// Some dozen to some hundred steps of about as much work as all marginals three times;
    /// memory twice that of the measurement, which stays as it is. The same bits at any thread
    /// count.
    ///
    /// # Errors
    /// `Error::NoStrategy` when the queries about an attribute have no factorisation in floating
    /// point; [`Error::Stopped`].
    pub fn nonnegative(&self, spec: NonnegativeSpec) -> Result<Adjusted<'_, Origin>, Error> {
        let frames = Frames::of(self.design())?;
        let measured_total = self.cells(AttrSet::EMPTY)?.sum();
        let sets = self.design().closure().sets();
        if measured_total <= 0.0 {
            let zeros = sets.iter().map(|&set| vec![0.0; frames.shape(set).iter().product()]).collect();
            return Ok(Adjusted::without_steps(self, frames, Some(zeros)));
        }
        let Some(mut splitting) = Splitting::new(self, &frames, measured_total, &spec)? else {
            return Ok(Adjusted::without_steps(self, frames, None));
        };
        let enough = spec.unsettled.get() * measured_total;
        let mut steps = 0;
        while steps < spec.most_steps {
            steps += 1;
            if splitting.step() <= enough || spec.stop.is_set() {
                break;
            }
        }
        if spec.stop.is_set() {
            return Err(Error::Stopped);
        }
        let (mut residuals, largest) = splitting.finished();
        let repair = repair(&frames, self.design().closure(), &mut residuals, &largest);
        Ok(Adjusted { measured: self, frames, residuals: Some(residuals), steps, repair })
    }
}

impl<'a, Origin> Adjusted<'a, Origin> {
    fn without_steps(measured: &'a Measured<Origin>, frames: Frames, residuals: Option<Vec<Vec<f64>>>) -> Self {
        Self { measured, frames, residuals, steps: 0, repair: Repair::default() }
    }

    /// The measurement, with its unbiased answers.
    #[must_use]
    pub fn measured(&self) -> &'a Measured<Origin> {
        self.measured
    }

    /// The cells over `set`, none below 0: any subset of a planned marginal. `O(|set| * cells)`.
    ///
    /// # Errors
    /// [`Error::NotMeasured`].
    ///
    /// # Panics
    /// Never: a residual has the cells of its attributes.
    pub fn cells(&self, set: AttrSet) -> Result<ArrayD<f64>, Error> {
        let Some(residuals) = &self.residuals else { return self.measured.cells(set) };
        let design = self.measured.design();
        design.check_measured(set)?;
        let axes = design.axes();
        let varying = axes.joint().map_or(axes.varying(set), |joint| joint.block);
        let tables = varying.subsets().filter_map(|subset| Some(residuals[design.closure().position(subset)?].clone()));
        let mut cells = self.frames.cells(varying, tables.collect());
        if axes.joint().is_some() {
            cells = summed_to(axes, varying, set, cells);
        }
        // What is left below 0 is rounding.
        cells.iter_mut().for_each(|cell| *cell = cell.max(0.0));
        let shape = IxDyn(&design.domain().shape(set));
        Ok(ArrayD::from_shape_vec(shape, cells).expect("a residual has the cells of its attributes"))
    }

    /// The answers about `set`: any subset of a planned marginal. `O(|set| * cells + answers)`.
    ///
    /// # Errors
    /// [`Error::NotMeasured`].
    ///
    /// # Panics
    /// Never: there is one answer a query.
    pub fn marginal(&self, set: AttrSet) -> Result<AdjustedMarginal, Error> {
        let axes = self.measured.design().axes();
        let cells = self.cells(set)?.into_raw_vec_and_offset().0;
        let shape: Vec<usize> = axes.of(set).map(|axis| axis.queries()).collect();
        let values = ArrayD::from_shape_vec(IxDyn(&shape), answers(axes, set, cells)).expect("one answer a query");
        Ok(AdjustedMarginal { attributes: set, values, label: PostProcessing::NonNegative })
    }

    /// Steps that were made; 0 when there was nothing to do.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// How far below 0 the lowest cell was after the steps, in people, before that was repaired.
    #[must_use]
    pub fn largest_violation(&self) -> f64 {
        self.repair.largest
    }

    /// The share of people that the repair moved: what the steps left undone.
    #[must_use]
    pub fn share_moved(&self) -> f64 {
        self.repair.share
    }
}

/// How it was made may be shown, values may not.
impl<Origin> std::fmt::Debug for Adjusted<'_, Origin> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Adjusted").field("measured", &self.measured).finish_non_exhaustive()
    }
}
