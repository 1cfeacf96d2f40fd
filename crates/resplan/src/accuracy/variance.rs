//! The variance of every answer, before the data is seen.
//!
//! `sum over B subset of A of sigma_B^2 (product of w_i C_i w_i^T over B)
//! (product of (w_j u_j)^2 over A \ B)`.

use ndarray::{ArrayD, IxDyn};
use privacy_core::AttrSet;

use crate::error::Error;
use crate::planning::design::Design;
use crate::queries::basis::Form;
use crate::strategy::axes::grown;

/// The variances of the answers about one marginal, in counts squared.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Variances {
    /// All answers have the same.
    Equal(f64),
    /// One an answer, in the shape of the answers.
    Each(ArrayD<f64>),
}

impl Variances {
    /// The variance of the answer at this place in row-major order.
    ///
    /// # Panics
    /// If there is no such answer.
    #[must_use]
    pub fn at(&self, place: usize) -> f64 {
        match self {
            Self::Equal(variance) => *variance,
            Self::Each(variances) => variances.as_slice().expect("made in row-major order")[place],
        }
    }

    /// The mean variance.
    #[must_use]
    pub fn mean(&self) -> f64 {
        match self {
            Self::Equal(variance) => *variance,
            Self::Each(variances) => variances.mean().unwrap_or(0.0),
        }
    }

    /// The largest variance.
    #[must_use]
    pub fn max(&self) -> f64 {
        match self {
            Self::Equal(variance) => *variance,
            Self::Each(variances) => variances.iter().copied().fold(0.0, f64::max),
        }
    }
}

impl Design {
    /// The variance of every answer about `set`. `O(answers + 2^|set|)`.
    ///
    /// # Errors
    /// [`Error::NotMeasured`] when `set` is not a subset of a planned marginal.
    ///
    /// # Panics
    /// Never: there is one variance for each answer.
    pub fn variances(&self, set: AttrSet) -> Result<Variances, Error> {
        if let Some(joint) = self.axes().joint() {
            self.check_measured(set)?;
            return Ok(Variances::Each(self.joint_variances(joint, set)));
        }
        if self.axes().dense(set) == 0 && self.axes().of(set).all(|axis| axis.queries() == axis.size()) {
            return Ok(Variances::Equal(self.mean_variance(set)?));
        }
        self.check_measured(set)?;
        let mut subsets = Vec::new();
        self.axes().products(set, 1.0, |_| Form { with: 1.0, without: 1.0 }, &mut subsets);
        // One table of answers for every subset of the attributes still to come, at first of one
        // number each; the first attribute that varies is the lowest bit of a position.
        let mut tables: Vec<Vec<f64>> = subsets.into_iter().map(|(residual, _)| vec![self.noise(residual)]).collect();
        for axis in self.axes().of(set) {
            let forms = axis.basis().plain().forms(&axis.covariance(), &axis.spread());
            tables = grown(tables, axis.varies(), &forms);
        }
        let shape: Vec<usize> = self.axes().of(set).map(|axis| axis.queries()).collect();
        let each = ArrayD::from_shape_vec(IxDyn(&shape), tables.concat()).expect("one variance an answer");
        Ok(Variances::Each(each))
    }
}
