//! Covariances of answers, within a marginal and across marginals, before the data is seen.
//!
//! Answers `(x) w_i` about A and `(x) w'_i` about A':
//!
//! ```text
//! cov = sum over B subset of A and A' of sigma_B^2 (product over B of w_i C_i w'_i)
//!       (product over A \ B of w_i u_i) (product over A' \ B of w'_i u_i)
//! ```

use ndarray::{Array1, Array2, ArrayView1, Axis as Direction};
use privacy_core::AttrSet;

use crate::error::Error;
use crate::planning::design::Design;
use crate::queries::basis::Form;
use crate::strategy::axis::Axis;

/// One answer: which query it is along each of its attributes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct QueryIndex {
    /// The marginal it is an answer about.
    pub attributes: AttrSet,
    /// The number of its query about each attribute, in increasing order of the attributes,
    /// from 0.
    pub queries: Vec<usize>,
}

/// Entries of a covariance matrix that is made at once: 128 MiB.
const MOST_ENTRIES: f64 = (1_u64 << 24) as f64;

impl Design {
    /// The covariance of two answers, in counts squared. `O(k^2)` for each attribute that they
    /// share.
    ///
    /// # Errors
    /// [`Error::NotMeasured`] when one is not about a subset of a planned marginal,
    /// [`Error::UnknownAnswer`] when there is no such query.
    pub fn covariance(&self, one: &QueryIndex, other: &QueryIndex) -> Result<f64, Error> {
        if let Some(joint) = self.axes().joint() {
            self.check_answer(one)?;
            self.check_answer(other)?;
            return Ok(self.joint_covariance(joint, one, other));
        }
        Ok(self.covariance_of(&self.prepared(one)?, &self.prepared(other)?))
    }

    /// The variance of a combination of answers: sums of some, differences, contrasts.
    /// `O(terms^2)` covariances.
    ///
    /// # Errors
    /// As [`Design::covariance`].
    pub fn combination_variance(&self, terms: &[(QueryIndex, f64)]) -> Result<f64, Error> {
        if let Some(joint) = self.axes().joint() {
            terms.iter().try_for_each(|(answer, _)| self.check_answer(answer))?;
            return Ok(self.joint_combination(joint, terms));
        }
        let prepared: Vec<Prepared> =
            terms.iter().map(|(answer, _)| self.prepared(answer)).collect::<Result<_, Error>>()?;
        let mut variance = 0.0;
        for (i, (one, (_, a))) in prepared.iter().zip(terms).enumerate() {
            variance += a * a * self.covariance_of(one, one);
            // Symmetric: each pair once, twice its weight.
            for (other, (_, b)) in prepared[..i].iter().zip(terms) {
                variance += 2.0 * a * b * self.covariance_of(one, other);
            }
        }
        Ok(f64::max(variance, 0.0))
    }

    /// The covariances of all answers about `one` (rows) with all about `other` (columns), both
    /// in row-major order. Of a marginal with itself: its covariance matrix.
    /// `O(rows * columns * 2^(attributes shared))`.
    ///
    /// # Errors
    /// [`Error::NotMeasured`], and [`Error::TooLarge`] beyond 2^24 entries.
    pub fn covariance_matrix(&self, one: AttrSet, other: AttrSet) -> Result<Array2<f64>, Error> {
        self.check_measured(one)?;
        self.check_measured(other)?;
        let needed = self.axes().queries(one) * self.axes().queries(other);
        if needed > MOST_ENTRIES {
            return Err(Error::TooLarge { what: "entries of a covariance matrix", needed, limit: MOST_ENTRIES });
        }
        if let Some(joint) = self.axes().joint() {
            return Ok(self.joint_covariances(joint, one, other));
        }
        let shared = one.intersection(other);
        let residuals = self.axes().residuals(shared).into_iter();
        let mut tables: Vec<Array2<f64>> =
            residuals.map(|residual| Array2::from_elem((1, 1), self.noise(residual))).collect();
        // Attribute after attribute, the last ones fastest; residuals that hold the attribute are
        // the odd ones.
        for attribute in one.union(other).iter() {
            let axis = self.axes().get(attribute);
            let share = axis.shares();
            let (column, row) = (share.view().insert_axis(Direction(1)), share.view().insert_axis(Direction(0)));
            tables = match (one.contains(attribute), other.contains(attribute)) {
                (true, true) => {
                    let spread = column.dot(&row);
                    let with = axis.answer_covariance();
                    match axis.varies() {
                        true => tables.chunks_exact(2).map(|t| kron(&t[0], &spread) + kron(&t[1], &with)).collect(),
                        false => tables.iter().map(|table| kron(table, &spread)).collect(),
                    }
                }
                (true, false) => tables.iter().map(|table| kron(table, &column.to_owned())).collect(),
                (false, _) => tables.iter().map(|table| kron(table, &row.to_owned())).collect(),
            };
        }
        let mut covariance = tables.swap_remove(0);
        if one == other {
            // A variance of 0 may come out a rounding below.
            covariance.diag_mut().mapv_inplace(|variance| variance.max(0.0));
        }
        Ok(covariance)
    }

    fn check_answer(&self, answer: &QueryIndex) -> Result<(), Error> {
        self.check_measured(answer.attributes)?;
        let right = answer.queries.len() == answer.attributes.len()
            && self.axes().of(answer.attributes).zip(&answer.queries).all(|(axis, &query)| query < axis.queries());
        if right { Ok(()) } else { Err(Error::UnknownAnswer { set: answer.attributes }) }
    }

    fn prepared(&self, answer: &QueryIndex) -> Result<Prepared, Error> {
        self.check_answer(answer)?;
        let rows = self.axes().of(answer.attributes).zip(&answer.queries).map(|(axis, &query)| {
            let row = Array1::from(axis.basis().query(axis.size(), query));
            let share = row.dot(&Array1::from(axis.spread()));
            (row.clone(), axis.covariance().dot(&row), share)
        });
        Ok(Prepared { set: answer.attributes, rows: rows.collect() })
    }

    fn covariance_of(&self, one: &Prepared, other: &Prepared) -> f64 {
        let shared = one.set.intersection(other.set);
        self.weighted_noise(shared, one.share_outside(shared) * other.share_outside(shared), |attribute| {
            let (a, b) = (one.along(attribute), other.along(attribute));
            Form { with: a.0.dot(&b.1), without: a.2 * b.2 }
        })
    }
}

/// An answer, with its row w, C w^T and w u along every attribute.
struct Prepared {
    set: AttrSet,
    rows: Vec<(Array1<f64>, Array1<f64>, f64)>,
}

impl Prepared {
    fn along(&self, attribute: usize) -> &(Array1<f64>, Array1<f64>, f64) {
        &self.rows[self.set.axis_of(attribute).expect("an attribute that the answer is about")]
    }

    /// The product of w u over the attributes that are not in `shared`.
    fn share_outside(&self, shared: AttrSet) -> f64 {
        self.set.iter().zip(&self.rows).filter(|(a, _)| !shared.contains(*a)).map(|(_, row)| row.2).product()
    }
}

impl Axis {
    /// W u.
    fn shares(&self) -> Array1<f64> {
        let mut shares = Vec::new();
        self.basis().answer(&self.spread(), &mut shares);
        shares.into()
    }

    /// W x.
    fn answers(&self, x: ArrayView1<'_, f64>) -> Vec<f64> {
        let mut answers = Vec::new();
        self.basis().answer(&x.to_vec(), &mut answers);
        answers
    }

    /// W C W^T.
    fn answer_covariance(&self) -> Array2<f64> {
        let (k, queries, c) = (self.size(), self.queries(), self.covariance());
        let half: Vec<f64> = c.rows().into_iter().flat_map(|row| self.answers(row)).collect();
        let half = Array2::from_shape_vec((k, queries), half).expect("one answer a query");
        let all: Vec<f64> = half.columns().into_iter().flat_map(|column| self.answers(column)).collect();
        Array2::from_shape_vec((queries, queries), all).expect("one answer a query")
    }
}

/// The Kronecker product.
pub(crate) fn kron(left: &Array2<f64>, right: &Array2<f64>) -> Array2<f64> {
    let ((m, n), (p, q)) = (left.dim(), right.dim());
    Array2::from_shape_fn((m * p, n * q), |(i, j)| left[[i / p, j / q]] * right[[i % p, j % q]])
}
