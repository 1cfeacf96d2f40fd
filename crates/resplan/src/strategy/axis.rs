//! One attribute as it is measured: its residual queries in integers, and all numbers that follow
//! from them.
//!
//! `k` categories, `P = I - 11^T / k`. For identity queries `B = k I - 11^T`, never formed. For
//! others, from a precision matrix `K = V diag(w) V^T` with largest diagonal entry 1, its null
//! space apart:
//!
//! ```text
//! B = round(2^20 diag(w)^(1/2) V^T) / 2^20      (k - 1) x k; the rows are measured (fewer digits, see `digits_for`)
//! C = (P B^T B P)^+     R = C B^T     u = 1/k - R B 1/k            B R = I,   1^T R = 0,   B u = 0,   1^T u = 1
//! x = u (1^T x) + R B x                                            how categories follow from residual and total
//!
//! p = max diag B^T B    cost of a unit of precision, exact: an integer over 2^40
//! v = tr(G C)           variance that the queries get from a residual with the attribute, summed
//! s = u^T G u           the same from a residual without it
//! ```
//!
//! Everything follows from the integers, so that what is planned is what is measured. Source:
//! `docs/math/resplan.md`.

mod dense;

use ndarray::Array2;
#[cfg(feature = "linalg")]
use privacy_core::linalg::LinalgError;

pub(crate) use self::dense::Dense;
#[cfg(feature = "linalg")]
pub(crate) use self::dense::quantised;
use crate::queries::basis::{Form, QueryBasis};
use crate::strategy::hull::hull;

/// Binary digits of the entries of B behind the point, at most; fewer where a marginal has many
/// such attributes.
pub(crate) const DIGITS: u32 = 20;

/// The digits where a marginal has up to `dense` attributes that are not identity: with all of
/// them at once, noise stays within 2^112 for standard deviations up to 2^22.
pub(crate) fn digits_for(dense: usize) -> u32 {
    DIGITS.min(90 / dense.max(1) as u32)
}

/// One attribute as it is measured.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    basis: QueryBasis,
    size: usize,
    /// Sums over the queries, with the weights of the basis and without.
    loss: Form,
    sums: Form,
    /// The largest forms, with the weights of the basis and without.
    largest_loss: Vec<Form>,
    largest: Vec<Form>,
    /// Relative gap of its strategy to the best of its kind.
    gap: f64,
    residual: Residual,
}

/// The residual queries of an attribute.
#[derive(Clone, Debug)]
pub(crate) enum Residual {
    /// `k I - 11^T`.
    Centred,
    /// A matrix of integers.
    Dense(Box<Dense>),
}

impl Axis {
    /// An attribute whose categories are asked for.
    pub(crate) fn identity(size: usize) -> Self {
        let k = size as f64;
        let sums = Form { with: k - 1.0, without: 1.0 / k };
        let each = vec![Form { with: (k - 1.0) / k, without: 1.0 / (k * k) }];
        Self {
            basis: QueryBasis::Identity,
            size,
            loss: sums,
            sums,
            largest_loss: each.clone(),
            largest: each,
            gap: 0.0,
            residual: Residual::Centred,
        }
    }

    /// An attribute of at least two categories with these integer residual queries.
    #[cfg(feature = "linalg")]
    pub(crate) fn of_integers(
        basis: QueryBasis,
        queries: Array2<i64>,
        digits: u32,
        gap: f64,
    ) -> Result<Self, LinalgError> {
        let dense = Dense::of(queries, digits)?;
        let (c, u) = (&dense.covariance, &dense.spread);
        let (loss, plain) = (basis.forms(c, u), basis.plain().forms(c, u));
        Ok(Self {
            size: u.len(),
            loss: sum(&loss),
            sums: sum(&plain),
            largest_loss: hull(&loss),
            largest: hull(&plain),
            basis,
            gap,
            residual: Residual::Dense(Box::new(dense)),
        })
    }

    /// An attribute of at least two categories, from the precision matrix of its residual
    /// queries.
    #[cfg(feature = "linalg")]
    pub(crate) fn of_precision(
        basis: QueryBasis,
        precision: &Array2<f64>,
        digits: u32,
        gap: f64,
    ) -> Result<Self, LinalgError> {
        Self::of_integers(basis, quantised(precision, digits)?, digits, gap)
    }

    /// Cells of several attributes that these integers measure together; `loss` as in
    /// [`Axis::loss`]. What is asked about each attribute is with the attributes.
    #[cfg(feature = "linalg")]
    pub(crate) fn of_block(dense: Dense, gap: f64) -> Self {
        let size = dense.spread.len();
        let none = Form { with: 0.0, without: 0.0 };
        Self {
            basis: QueryBasis::Identity,
            size,
            loss: none,
            sums: none,
            largest_loss: Vec::new(),
            largest: Vec::new(),
            gap,
            residual: Residual::Dense(Box::new(dense)),
        }
    }

    /// An attribute that is asked about, and measured with others together: no number of it but
    /// those of its queries means anything.
    pub(crate) fn asked(basis: QueryBasis, size: usize) -> Self {
        if size == 1 { Self::constant(basis) } else { Self { basis, ..Self::identity(size) } }
    }

    /// An attribute of one category: there is no residual.
    pub(crate) fn constant(basis: QueryBasis) -> Self {
        let (c, u) = (Array2::zeros((1, 1)), [1.0]);
        let (loss, plain) = (basis.forms(&c, &u), basis.plain().forms(&c, &u));
        let (loss_sum, sums) = (sum(&loss), sum(&plain));
        let (largest_loss, largest) = (hull(&loss), hull(&plain));
        Self { basis, size: 1, loss: loss_sum, sums, largest_loss, largest, gap: 0.0, residual: Residual::Centred }
    }

    /// What is asked about the attribute.
    pub(crate) fn basis(&self) -> &QueryBasis {
        &self.basis
    }

    /// Categories.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// Answers.
    pub(crate) fn queries(&self) -> usize {
        self.basis.queries(self.size)
    }

    /// Whether it has a residual.
    pub(crate) fn varies(&self) -> bool {
        self.size > 1
    }

    /// Its residual queries.
    pub(crate) fn residual(&self) -> &Residual {
        &self.residual
    }

    /// How many residual queries there are.
    pub(crate) fn residual_queries(&self) -> usize {
        match &self.residual {
            Residual::Centred => self.size,
            Residual::Dense(dense) => dense.queries.nrows(),
        }
    }

    /// Relative gap of its strategy to the best of its kind.
    pub(crate) fn gap(&self) -> f64 {
        self.gap
    }

    /// `(v, s)` with the weights of the basis: what the objective counts.
    pub(crate) fn loss(&self) -> Form {
        self.loss
    }

    /// `(v, s)` of the answers as they are.
    pub(crate) fn sums(&self) -> Form {
        self.sums
    }

    /// The forms among which the largest weighted variance is, whatever the residuals' variances.
    pub(crate) fn largest_loss(&self) -> &[Form] {
        &self.largest_loss
    }

    /// The same of the answers as they are.
    pub(crate) fn largest(&self) -> &[Form] {
        &self.largest
    }

    /// `p`, and the least inner product of two columns of B: exact but for one rounding of a
    /// quotient.
    pub(crate) fn columns(&self) -> (f64, f64) {
        match &self.residual {
            Residual::Centred => ((self.size - 1) as f64 / self.size as f64, -1.0 / self.size as f64),
            Residual::Dense(dense) => {
                let unit = (1_u64 << (2 * dense.digits)) as f64;
                (dense.sensitivity2 as f64 / unit, dense.least_inner as f64 / unit)
            }
        }
    }

    /// The largest squared length of the difference of two columns of B: exact but for one rounding
    /// of a quotient.
    pub(crate) fn largest_difference(&self) -> f64 {
        match &self.residual {
            Residual::Centred => 2.0,
            Residual::Dense(dense) => dense.difference2 as f64 / (1_u64 << (2 * dense.digits)) as f64,
        }
    }

    /// Residual queries whose answers have independent noise: B, or for identity the rows of
    /// Helmert's matrix.
    pub(crate) fn orthonormal_queries(&self) -> Array2<f64> {
        match &self.residual {
            Residual::Centred => Array2::from_shape_fn((self.size - 1, self.size), |(row, column)| {
                let length = ((row + 1) * (row + 2)) as f64;
                match column {
                    _ if column <= row => 1.0 / length.sqrt(),
                    _ if column == row + 1 => -((row + 1) as f64) / length.sqrt(),
                    _ => 0.0,
                }
            }),
            Residual::Dense(dense) => dense.queries.mapv(|entry| entry as f64 / f64::from(1 << dense.digits)),
        }
    }

    /// How a total is spread over the categories: u.
    pub(crate) fn spread(&self) -> Vec<f64> {
        match &self.residual {
            Residual::Centred => vec![1.0 / self.size as f64; self.size],
            Residual::Dense(dense) => dense.spread.clone(),
        }
    }

    /// Covariance of the categories that follow from a residual with unit noise: C.
    pub(crate) fn covariance(&self) -> Array2<f64> {
        match &self.residual {
            Residual::Centred => Array2::eye(self.size) - 1.0 / self.size as f64,
            Residual::Dense(dense) => dense.covariance.clone(),
        }
    }
}

fn sum(forms: &[Form]) -> Form {
    forms.iter().fold(Form { with: 0.0, without: 0.0 }, |sum, form| Form {
        with: sum.with + form.with,
        without: sum.without + form.without,
    })
}

#[cfg(test)]
#[cfg(feature = "linalg")]
mod tests {
    use privacy_core::linalg::symmetric_eigen;

    use super::*;
    use crate::strategy::kinds::Settled;
    use crate::strategy::precision::{SHARES, precision};
    use privacy_core::stop::StopFlag;

    /// L = p v of a precision matrix, in floating point: C = (P K P)^+.
    fn exact_cost(basis: &QueryBasis, k: &Array2<f64>) -> f64 {
        let size = k.nrows() as f64;
        let centre = Array2::<f64>::eye(k.nrows()) - 1.0 / size;
        let c = symmetric_eigen(centre.dot(k).dot(&centre).view()).unwrap().pseudo_inverse().unwrap();
        let largest = k.diag().iter().copied().fold(0.0, f64::max);
        largest * (basis.gram(k.nrows()) * c).sum()
    }

    #[test]
    fn integers_lose_less_than_a_hundred_thousandth() {
        for basis in [QueryBasis::Prefix, QueryBasis::Range] {
            for k in [2, 3, 5, 10, 16, 50, 100] {
                for tau in [0.0, 1.0, 100.0] {
                    let found =
                        precision(&basis.gram(k), Settled::Tilted(tau), 1e-8, SHARES[0], None, &StopFlag::never())
                            .unwrap();
                    let axis = Axis::of_precision(basis.clone(), &found.matrix, DIGITS, found.gap).unwrap();
                    let (got, want) = (axis.loss().with * axis.columns().0, exact_cost(&basis, &found.matrix));
                    assert!((got / want - 1.0).abs() < 1e-5, "{basis:?} {k} {tau}: {:e}", got / want - 1.0);
                }
            }
        }
    }

    #[test]
    fn residual_and_total_give_the_categories_back() {
        let found =
            precision(&QueryBasis::Range.gram(7), Settled::Tilted(0.3), 1e-6, SHARES[0], None, &StopFlag::never())
                .unwrap();
        let axis = Axis::of_precision(QueryBasis::Range, &found.matrix, DIGITS, 0.0).unwrap();
        let Residual::Dense(dense) = axis.residual() else { panic!("not identity") };
        let b = axis.orthonormal_queries();
        let back = dense.inverse.dot(&b) + Array2::from_shape_fn((7, 7), |(i, _)| dense.spread[i]);
        assert!((&back - &Array2::<f64>::eye(7)).iter().all(|x| x.abs() < 1e-12), "{back}");
        assert!((b.dot(&dense.inverse) - Array2::<f64>::eye(6)).iter().all(|x| x.abs() < 1e-12));
        assert!((dense.spread.iter().sum::<f64>() - 1.0).abs() < 1e-14);
    }

    #[test]
    fn queries_that_see_little_leave_every_category_answered() {
        // Two questions about six categories: four directions that nobody asked about.
        let queries = ndarray::array![[1., 1., 0., 0., 0., 0.], [0., 0., 0.5, 0., 0., -2.]];
        let basis = QueryBasis::Queries(std::sync::Arc::new(queries));
        for strategy in [Settled::Tilted(0.0), Settled::Tilted(1.0), Settled::Orthogonal, Settled::Isotropic] {
            let found = precision(&basis.gram(6), strategy, 1e-6, SHARES[0], None, &StopFlag::never()).unwrap();
            let axis = Axis::of_precision(basis.clone(), &found.matrix, DIGITS, found.gap).unwrap();
            let Residual::Dense(dense) = axis.residual() else { panic!("not identity") };
            let back = dense.inverse.dot(&axis.orthonormal_queries());
            let back = back + Array2::from_shape_fn((6, 6), |(i, _)| dense.spread[i]);
            assert!((&back - &Array2::<f64>::eye(6)).iter().all(|x| x.abs() < 1e-7), "{strategy:?}: {back}");
            assert!(axis.loss().with.is_finite() && axis.loss().with > 0.0);
        }
    }
}
