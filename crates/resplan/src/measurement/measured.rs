//! What was measured, and every marginal that follows from it.

use std::convert::Infallible;
use std::marker::PhantomData;

use ndarray::{ArrayD, IxDyn};
use privacy_core::AttrSet;
use privacy_core::parallel;

use crate::accuracy::variance::Variances;
use crate::error::Error;
use crate::measurement::answers::cells;
use crate::measurement::transform::answers;
use crate::planning::design::Design;

/// Origin of a [`Measured`]: exact noise, a privacy cost that is spent.
#[derive(Clone, Copy, Debug)]
pub enum ExactNoise {}

/// Origin of a [`Measured`]: simulated noise. Not for publication.
#[derive(Clone, Copy, Debug)]
pub enum SimulatedNoise {}

/// Origin of a [`Measured`]: read from a file, which says itself whether its noise is exact or
/// simulated.
#[derive(Clone, Copy, Debug)]
pub enum StoredNoise {}

/// Noisy residuals. Holding one of a [`ExactNoise`] means that its plan was carried out: there is
/// no other way to it.
pub struct Measured<Origin> {
    design: Design,
    residuals: Vec<Vec<f64>>,
    origin: PhantomData<fn() -> Origin>,
}

/// A noisy marginal: unbiased answers, and the variance that each of them has.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
#[must_use]
pub struct NoisyMarginal {
    /// Its attributes, one an axis, in increasing order.
    pub attributes: AttrSet,
    /// Noisy answers, along each axis in the order of its basis. They may be negative and need
    /// not be whole: that is what keeps them unbiased.
    pub values: ArrayD<f64>,
    /// Their variances, in counts squared, from the plan (discrete noise has at most these).
    pub variances: Variances,
}

impl<Origin> Measured<Origin> {
    pub(crate) fn new(design: Design, residuals: Vec<Vec<f64>>) -> Self {
        Self { design, residuals, origin: PhantomData }
    }

    /// What was measured with how much noise. It cannot be measured again.
    #[must_use]
    pub fn design(&self) -> &Design {
        &self.design
    }

    /// The residual tables, in the order of the plan's residuals.
    #[cfg(feature = "files")]
    pub(crate) fn residuals(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.residuals.iter().map(Vec::as_slice)
    }

    /// The answers about `set`: any subset of a planned marginal, planned itself or not.
    /// `O(|set| * cells + answers)`.
    ///
    /// # Errors
    /// [`Error::NotMeasured`].
    ///
    /// # Panics
    /// Never: a residual has the cells of its attributes.
    pub fn marginal(&self, set: AttrSet) -> Result<NoisyMarginal, Error> {
        let cells = self.cells(set)?.into_raw_vec_and_offset().0;
        noisy_marginal(&self.design, set, cells)
    }

    /// The noisy counts of the categories themselves, whatever is asked about them.
    /// `O(|set| * cells)`.
    ///
    /// # Errors
    /// [`Error::NotMeasured`].
    ///
    /// # Panics
    /// Never: a residual has the cells of its attributes.
    pub fn cells(&self, set: AttrSet) -> Result<ArrayD<f64>, Error> {
        self.design.check_measured(set)?;
        let Ok(cells) = cells(&self.design, set, |position| Ok::<_, Infallible>(self.residuals[position].clone()));
        let shape = IxDyn(&self.design.domain().shape(set));
        Ok(ArrayD::from_shape_vec(shape, cells).expect("a residual has the cells of its attributes"))
    }

    /// The residual table over `set`: the noise of different sets is independent.
    /// [`Design::residual_queries`] says what is asked of it.
    ///
    /// # Errors
    /// [`Error::NotMeasured`].
    ///
    /// # Panics
    /// Never: a residual has the cells of its attributes.
    pub fn residual(&self, set: AttrSet) -> Result<ArrayD<f64>, Error> {
        let position = self.design.closure().position(set).ok_or(Error::NotMeasured { set })?;
        let shape = IxDyn(&self.design.domain().shape(set));
        Ok(ArrayD::from_shape_vec(shape, self.residuals[position].clone())
            .expect("a residual has the cells of its attributes"))
    }

    /// What `use_it` makes of every planned marginal, in the order of the workload; a few
    /// marginals are held at a time.
    ///
    /// # Panics
    /// Never: a planned marginal is in its own closure.
    pub fn for_each_marginal<T: Send>(&self, use_it: impl Fn(NoisyMarginal) -> T + Sync) -> Vec<T> {
        parallel::map(&self.design.workload, |&(set, _)| {
            use_it(self.marginal(set).expect("a planned marginal is in its own closure"))
        })
    }

    /// Every planned marginal, in the order of the workload. Holds them all: see
    /// [`Measured::for_each_marginal`] for a few at a time.
    ///
    /// # Panics
    /// Never: a planned marginal is in its own closure.
    pub fn marginals(&self) -> Vec<NoisyMarginal> {
        self.for_each_marginal(|marginal| marginal)
    }
}

/// The answers from the cells over `set`, which is known to be measured.
pub(crate) fn noisy_marginal(design: &Design, set: AttrSet, cells: Vec<f64>) -> Result<NoisyMarginal, Error> {
    let variances = design.variances(set)?;
    let shape: Vec<usize> = design.axes().of(set).map(|axis| axis.queries()).collect();
    let values = ArrayD::from_shape_vec(IxDyn(&shape), answers(design.axes(), set, cells));
    Ok(NoisyMarginal { attributes: set, values: values.expect("one answer a query"), variances })
}

/// Shapes and costs may be shown, values may not.
impl<Origin> std::fmt::Debug for Measured<Origin> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Measured")
            .field("residuals", &self.residuals.len())
            .field("pcost", &self.design.pcost())
            .finish_non_exhaustive()
    }
}
