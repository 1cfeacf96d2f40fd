//! Answers about attributes that one strategy measures together.
//!
//! `w` the row of an answer on the cells of the block: the product of its queries along its
//! attributes, and 1 along the others. `u`, `C` of the block as in `axis`; `sigma_0^2`,
//! `sigma_J^2` the variances of the total and of the block's residual.
//!
//! ```text
//! Cov(w x, w' x) = sigma_0^2 (w u) (w' u) + sigma_J^2 w C w'
//! ```

use ndarray::{Array1, Array2, ArrayD, Axis as Direction, IxDyn};
use privacy_core::AttrSet;

use crate::accuracy::covariance::{QueryIndex, kron};
use crate::error::Error;
use crate::planning::design::Design;
use crate::strategy::axes::{Axes, Joint};
use crate::strategy::axis::{Axis, Residual};

/// How far answers may be off, in their standard deviations.
const MOST_OFF: f64 = 0.01;

impl Axes {
    /// The rows of all answers about `set` on the cells of `block`, in row-major order. Attributes
    /// of `set` outside it have one category each.
    pub(crate) fn rows_on_block(&self, block: AttrSet, set: AttrSet) -> Array2<f64> {
        self.products_on_block(block, set, |_, axis| {
            let (k, queries) = (axis.size(), axis.queries());
            let rows = (0..queries).flat_map(|query| axis.basis().query(k, query));
            Array2::from_shape_vec((queries, k), rows.collect()).expect("a query has one number for each category")
        })
    }

    /// The row of one answer, whose indices were checked.
    fn row_on_block(&self, block: AttrSet, answer: &QueryIndex) -> Array1<f64> {
        let rows = self.products_on_block(block, answer.attributes, |attribute, axis| {
            let place = answer.attributes.axis_of(attribute).expect("an attribute of the answer");
            let row = axis.basis().query(axis.size(), answer.queries[place]);
            Array2::from_shape_vec((1, axis.size()), row).expect("a query has one number for each category")
        });
        rows.row(0).to_owned()
    }

    fn products_on_block(
        &self,
        block: AttrSet,
        set: AttrSet,
        rows: impl Fn(usize, &Axis) -> Array2<f64>,
    ) -> Array2<f64> {
        block.union(set).iter().fold(Array2::ones((1, 1)), |product, attribute| {
            let axis = self.get(attribute);
            match set.contains(attribute) {
                true => kron(&product, &rows(attribute, axis)),
                false => kron(&product, &Array2::ones((1, axis.size()))),
            }
        })
    }
}

impl Design {
    /// The variances of all answers about `set` where one strategy measures its attributes
    /// together, in the shape of the answers.
    pub(crate) fn joint_variances(&self, joint: &Joint, set: AttrSet) -> ArrayD<f64> {
        let rows = self.axes().rows_on_block(joint.block, set);
        let shares = rows.dot(&Array1::from(joint.axis.spread()));
        let own = (rows.dot(&joint.axis.covariance()) * rows).sum_axis(Direction(1));
        let [total, residual] = self.joint_noise(joint);
        let variances = shares.mapv(|share| share * share) * total + own.mapv(|own| own.max(0.0)) * residual;
        let shape: Vec<usize> = self.axes().of(set).map(Axis::queries).collect();
        ArrayD::from_shape_vec(IxDyn(&shape), variances.to_vec()).expect("one variance an answer")
    }

    /// The covariances of all answers about `one` with all about `other`.
    pub(crate) fn joint_covariances(&self, joint: &Joint, one: AttrSet, other: AttrSet) -> Array2<f64> {
        let [left, right] = [one, other].map(|set| self.axes().rows_on_block(joint.block, set));
        let u = Array1::from(joint.axis.spread());
        let [total, residual] = self.joint_noise(joint);
        let spread = left.dot(&u).insert_axis(Direction(1)).dot(&right.dot(&u).insert_axis(Direction(0)));
        spread * total + left.dot(&joint.axis.covariance()).dot(&right.t()) * residual
    }

    /// The covariance of two answers whose indices were checked.
    pub(crate) fn joint_covariance(&self, joint: &Joint, one: &QueryIndex, other: &QueryIndex) -> f64 {
        let [left, right] = [one, other].map(|answer| self.axes().row_on_block(joint.block, answer));
        let u = Array1::from(joint.axis.spread());
        let [total, residual] = self.joint_noise(joint);
        total * left.dot(&u) * right.dot(&u) + residual * left.dot(&joint.axis.covariance().dot(&right))
    }

    /// The variance of a combination of answers whose indices were checked.
    pub(crate) fn joint_combination(&self, joint: &Joint, terms: &[(QueryIndex, f64)]) -> f64 {
        let mut row = Array1::zeros(joint.axis.size());
        terms
            .iter()
            .for_each(|(answer, factor)| row.scaled_add(*factor, &self.axes().row_on_block(joint.block, answer)));
        let share = row.dot(&Array1::from(joint.axis.spread()));
        let [total, residual] = self.joint_noise(joint);
        f64::max(total * share * share + residual * row.dot(&joint.axis.covariance().dot(&row)), 0.0)
    }

    /// Refuses more people than the answers are exact for, where one strategy measures all
    /// attributes together: no answer may be off by more than a hundredth of its standard
    /// deviation. A public total has no noise of its own, and is compared with that of the block.
    pub(crate) fn check_exactness(&self, total: u64) -> Result<(), Error> {
        let Some(joint) = self.axes().joint() else { return Ok(()) };
        let Residual::Dense(dense) = joint.axis.residual() else { return Ok(()) };
        let Some([residual, of_total]) = dense.off else { return Ok(()) };
        let [total_sd, sd] = self.joint_noise(joint).map(f64::sqrt);
        let off = (residual / sd).hypot(of_total / if total_sd > 0.0 { total_sd } else { sd });
        let most = MOST_OFF / off;
        if total as f64 <= most { Ok(()) } else { Err(Error::TooManyPeople { most }) }
    }

    fn joint_noise(&self, joint: &Joint) -> [f64; 2] {
        [AttrSet::EMPTY, joint.block].map(|set| self.noise(set))
    }
}
