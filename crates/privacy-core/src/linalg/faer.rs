//! The factorisations of the crate `faer`, by QR iteration, on one thread whatever the process
//! has set as its default.
//!
//! By default the library changes to divide and conquer above 128 columns, which is up to twice
//! as fast and returns wrong factors now and then, singular values even at unit scale
//! (`docs/math/linalg.md`).

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor as llt;
use faer::linalg::{evd, svd};
use faer::{Mat, MatRef, Par, Spec};
use ndarray::{Array1, Array2};

use super::check::Backend;
use super::{LinalgError, Svd, SymmetricEigen};

pub(super) struct Faer;

/// The size from which the library divides and conquers: never.
const QR_ITERATION: usize = usize::MAX;

impl Backend for Faer {
    fn symmetric_eigen(matrix: &Array2<f64>) -> Result<SymmetricEigen, LinalgError> {
        let n = matrix.nrows();
        let (mut values, mut vectors) = (Diag::zeros(n), Mat::zeros(n, n));
        let mut params = Spec::<evd::SelfAdjointEvdParams, f64>::default();
        params.recursion_threshold = QR_ITERATION;
        let scratch = evd::self_adjoint_evd_scratch::<f64>(n, evd::ComputeEigenvectors::Yes, Par::Seq, params);
        evd::self_adjoint_evd(
            view(matrix),
            values.as_mut(),
            Some(vectors.as_mut()),
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(scratch)),
            params,
        )
        .map_err(|_| LinalgError::NotConverged)?;
        Ok(SymmetricEigen { values: diagonal(&values), vectors: array(&vectors) })
    }

    fn cholesky(matrix: &Array2<f64>) -> Result<Array2<f64>, LinalgError> {
        let n = matrix.nrows();
        let mut lower = view(matrix).to_owned();
        let params = Spec::default();
        let scratch = llt::cholesky_in_place_scratch::<f64>(n, Par::Seq, params);
        let stack = &mut MemBuffer::new(scratch);
        llt::cholesky_in_place(lower.as_mut(), Default::default(), Par::Seq, MemStack::new(stack), params)
            .map_err(|_| LinalgError::NotPositiveDefinite)?;
        Ok(Array2::from_shape_fn((n, n), |(i, j)| if j <= i { lower[(i, j)] } else { 0.0 }))
    }

    fn svd(matrix: &Array2<f64>) -> Result<Svd, LinalgError> {
        let (m, n) = matrix.dim();
        let size = m.min(n);
        let (mut u, mut values, mut v) = (Mat::zeros(m, size), Diag::zeros(size), Mat::zeros(n, size));
        let mut params = Spec::<svd::SvdParams, f64>::default();
        params.recursion_threshold = QR_ITERATION;
        let thin = svd::ComputeSvdVectors::Thin;
        let scratch = svd::svd_scratch::<f64>(m, n, thin, thin, Par::Seq, params);
        svd::svd(
            view(matrix),
            values.as_mut(),
            Some(u.as_mut()),
            Some(v.as_mut()),
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(scratch)),
            params,
        )
        .map_err(|_| LinalgError::NotConverged)?;
        Ok(Svd { u: array(&u), values: diagonal(&values), v: array(&v) })
    }
}

pub(super) fn view(matrix: &Array2<f64>) -> MatRef<'_, f64> {
    let cells = matrix.as_slice().expect("a scaled matrix was made here, row-major");
    MatRef::from_row_major_slice(cells, matrix.nrows(), matrix.ncols())
}

fn array(matrix: &Mat<f64>) -> Array2<f64> {
    Array2::from_shape_fn((matrix.nrows(), matrix.ncols()), |(i, j)| matrix[(i, j)])
}

fn diagonal(values: &Diag<f64>) -> Array1<f64> {
    Array1::from_shape_fn(values.dim(), |i| values[i])
}
