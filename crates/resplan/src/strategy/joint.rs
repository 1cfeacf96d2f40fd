//! The best mechanism of all for a table of few cells: one measurement of all attributes together,
//! by an iteration that certifies how far it is from the optimum.
//!
//! `X` precision matrix over the cells, `G_g` Gram matrix of what counts as one (all queries for
//! the sum of variances; one query, or one table, for the largest), `y_g >= 0` weights of sum 1,
//! `G = sum of y_g G_g`, `lam >= 0` multipliers of sum 1.
//!
//! ```text
//! a row is added or removed   X[i,i] <= 1 for every cell i                         L = diag(lam)
//! a row is replaced           X[i,i] - 2 X[i,j] + X[j,j] <= 1 for every pair       L = sum of lam_ij (e_i - e_j)(e_i - e_j)^T
//!
//! M = L^1/2 G L^1/2,    X = L^-1/2 M^1/2 L^-1/2 / tr(M^1/2),    d = the left sides of the constraints
//! largest of tr(G_g X^+) times max d   >=   least value   >=   tr(M^1/2)^2
//! ```
//!
//! The bound holds for any weights and multipliers: a weighted mean is at most the largest, and
//! the dual of the weighted sum is at most the least sum. The logarithms of both move along
//! `ln d` and `ln tr(G_g X^+)`, each by a factor of its own that grows while its sign stays and
//! shrinks when it turns (Riedmiller, Braun 1993). Derivation: `docs/math/resplan.md`.

use ndarray::{Array1, Array2, Axis};
use privacy_core::linalg::{LinalgError, SymmetricEigen, symmetric_eigen};
use privacy_core::stop::StopFlag;

/// Factors of the logarithms: at first, least, largest, and how they grow and shrink.
const FIRST_FACTOR: f64 = 1.8;
const FACTORS: (f64, f64) = (0.3, 1e3);
const GROWTH: f64 = 1.2;
const SHRINKAGE: f64 = 0.7;
/// How far a logarithm moves in one step, and how far below the largest those of multipliers and
/// of weights may fall. A query whose weight vanished might lie in a direction that is not
/// measured at all.
const LONGEST_LEAP: f64 = 2.0;
const LARGEST_RATIO: f64 = 25.0;
const LARGEST_RATIO_OF_WEIGHTS: f64 = 14.0;
/// Roots are taken to be at least this share of the largest: below is rounding.
const NO_ROOT: f64 = 1e-9;

/// What is to be small: the sum of variances of each group of queries counts as one number.
pub(crate) enum Asked {
    /// The Gram matrix of each group.
    Grams(Vec<Array2<f64>>),
    /// One query a row, each by itself.
    Rows(Array2<f64>),
}

impl Asked {
    fn len(&self) -> usize {
        match self {
            Self::Grams(grams) => grams.len(),
            Self::Rows(rows) => rows.nrows(),
        }
    }

    /// The sum of the Gram matrices with these weights.
    fn weighted(&self, weights: &[f64]) -> Array2<f64> {
        match self {
            Self::Grams(grams) => {
                let mut sum = Array2::zeros(grams[0].dim());
                grams.iter().zip(weights).for_each(|(gram, &weight)| sum.scaled_add(weight, gram));
                sum
            }
            Self::Rows(rows) => {
                let mut scaled = rows.clone();
                scaled.axis_iter_mut(Axis(0)).zip(weights).for_each(|(mut row, &weight)| row *= weight);
                rows.t().dot(&scaled)
            }
        }
    }

    /// `tr(G_g C)` of every group.
    fn values(&self, covariance: &Array2<f64>) -> Vec<f64> {
        match self {
            Self::Grams(grams) => grams.iter().map(|gram| (gram * covariance).sum()).collect(),
            Self::Rows(rows) => (rows.dot(covariance) * rows).sum_axis(Axis(1)).to_vec(),
        }
    }

    /// The same about differences of cells alone: what is left when the total is known.
    pub(crate) fn without_total(self) -> Self {
        match self {
            Self::Grams(grams) => Self::Grams(grams.into_iter().map(|gram| centred(&gram)).collect()),
            Self::Rows(mut rows) => {
                let means = rows.mean_axis(Axis(1)).unwrap_or_default();
                rows.axis_iter_mut(Axis(0)).zip(&means).for_each(|(mut row, &mean)| row -= mean);
                Self::Rows(rows)
            }
        }
    }
}

/// P A P, P the projection that takes out the mean.
pub(crate) fn centred(matrix: &Array2<f64>) -> Array2<f64> {
    let size = matrix.nrows() as f64;
    let means = matrix.sum_axis(Axis(0)) / size;
    let mean = means.sum() / size;
    Array2::from_shape_fn(matrix.dim(), |(i, j)| matrix[[i, j]] - means[i] - means[j] + mean)
}

/// What a person can change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Neighbour {
    /// One cell, by one.
    Cell,
    /// Two cells, by one each.
    Pair,
}

/// How far the iteration goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// Relative gap that is enough.
    pub(crate) gap: f64,
    pub(crate) steps: usize,
    /// A bound from which on nobody needs to know more.
    pub(crate) enough: f64,
}

/// A precision matrix that keeps every constraint, and its certificate.
#[derive(Clone, Debug)]
pub(crate) struct JointOptimum {
    /// X; for pairs up to what a total says.
    pub(crate) precision: Array2<f64>,
    /// A lower bound of the least value.
    pub(crate) dual: f64,
    /// The largest number of a group over that bound, less 1.
    pub(crate) gap: f64,
}

/// The precision matrix of least largest `tr(G_g X^+)`. One eigen-decomposition a step, two for
/// pairs: `O(n^3)`. A set flag ends it between two steps.
pub(crate) fn joint_optimum(
    asked: &Asked,
    neighbour: Neighbour,
    effort: Effort,
    stop: &StopFlag,
) -> Result<JointOptimum, LinalgError> {
    let unit = vec![1.0; asked.len()];
    let size = asked.weighted(&unit).nrows();
    let constraints = match neighbour {
        Neighbour::Cell => size,
        Neighbour::Pair => size * (size - 1) / 2,
    };
    let mut logs = Logs::new(constraints, asked.len());
    let (mut best, mut dual) = (None::<(f64, Array2<f64>)>, 0.0_f64);
    for _ in 0..effort.steps.max(1) {
        let step = Step::at(asked, neighbour, &logs)?;
        let largest = step.lengths.iter().copied().fold(0.0, f64::max);
        let value = step.values.iter().copied().fold(0.0, f64::max) * largest;
        dual = dual.max(step.dual);
        if best.as_ref().is_none_or(|(least, _)| value < *least) {
            best = Some((value, &step.precision / largest));
        }
        let reached = best.as_ref().map_or(f64::INFINITY, |(least, _)| least / dual - 1.0);
        if reached <= effort.gap || dual >= effort.enough || stop.is_set() {
            break;
        }
        logs.advance(&step.lengths, &step.values);
    }
    let (value, precision) = best.filter(|(value, _)| value.is_finite()).ok_or(LinalgError::NotConverged)?;
    Ok(JointOptimum { precision: filled(precision, neighbour), dual, gap: (value / dual - 1.0).max(0.0) })
}

/// The matrix with as much more on its diagonal as the constraints leave room for: no variance
/// grows.
fn filled(mut precision: Array2<f64>, neighbour: Neighbour) -> Array2<f64> {
    let size = precision.nrows();
    let mut room = vec![1.0_f64; size];
    match neighbour {
        Neighbour::Cell => room.iter_mut().zip(precision.diag()).for_each(|(room, entry)| *room -= entry),
        Neighbour::Pair => {
            for ((i, j), length) in pairs(size).zip(lengths(&precision, neighbour)) {
                // Half for each of the two cells.
                for cell in [i, j] {
                    room[cell] = room[cell].min(0.5 * (1.0 - length));
                }
            }
        }
    }
    precision.diag_mut().iter_mut().zip(room).for_each(|(entry, room)| *entry += room.max(0.0));
    precision
}

/// Logarithms of multipliers and weights, and by which factors they move.
struct Logs {
    multipliers: Moving,
    weights: Moving,
}

impl Logs {
    fn new(constraints: usize, groups: usize) -> Self {
        let multipliers = Moving::new(constraints, LARGEST_RATIO);
        Self { multipliers, weights: Moving::new(groups, LARGEST_RATIO_OF_WEIGHTS) }
    }

    /// Multipliers of constraints that are broken grow, and weights of groups that are worse than
    /// the mean.
    fn advance(&mut self, lengths: &[f64], values: &[f64]) {
        let mean: f64 = self.weights.shares().iter().zip(values).map(|(share, value)| share * value).sum();
        self.multipliers.advance(lengths.iter().map(|length| length.ln()));
        self.weights.advance(values.iter().map(|value| (value / mean).ln()));
    }
}

/// Numbers of sum 1 by their logarithms.
struct Moving {
    logs: Vec<f64>,
    factors: Vec<f64>,
    last: Vec<f64>,
    /// How far below the largest a logarithm may fall.
    largest_ratio: f64,
}

impl Moving {
    fn new(count: usize, largest_ratio: f64) -> Self {
        let factors = vec![FIRST_FACTOR; count];
        Self { logs: vec![0.0; count], factors, last: vec![0.0; count], largest_ratio }
    }

    fn shares(&self) -> Vec<f64> {
        let largest = self.logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = self.logs.iter().map(|log| (log - largest).exp()).sum();
        self.logs.iter().map(|log| (log - largest).exp() / sum).collect()
    }

    fn advance(&mut self, ways: impl Iterator<Item = f64>) {
        for (at, way) in ways.enumerate() {
            // What is 0 has no logarithm: far down it goes.
            let way = if way.is_nan() { 0.0 } else { way.clamp(-LARGEST_RATIO, LARGEST_RATIO) };
            let agrees = way * self.last[at];
            let factor = match agrees {
                agrees if agrees > 0.0 => (self.factors[at] * GROWTH).min(FACTORS.1),
                agrees if agrees < 0.0 => (self.factors[at] * SHRINKAGE).max(FACTORS.0),
                _ => self.factors[at],
            };
            (self.factors[at], self.last[at]) = (factor, way);
            self.logs[at] += (factor * way).clamp(-LONGEST_LEAP, LONGEST_LEAP);
        }
        let largest = self.logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        self.logs.iter_mut().for_each(|log| *log = (*log - largest).max(-self.largest_ratio));
    }
}

/// One step: what multipliers and weights say.
struct Step {
    /// X over tr(M^1/2).
    precision: Array2<f64>,
    /// d.
    lengths: Vec<f64>,
    /// tr(G_g X^+).
    values: Vec<f64>,
    dual: f64,
}

impl Step {
    fn at(asked: &Asked, neighbour: Neighbour, logs: &Logs) -> Result<Self, LinalgError> {
        let multipliers = logs.multipliers.shares();
        let gram = asked.weighted(&logs.weights.shares());
        let [half, inverse_half] = match neighbour {
            Neighbour::Cell => {
                let roots: Array1<f64> = multipliers.iter().map(|lam| lam.sqrt()).collect();
                [Array2::from_diag(&roots), Array2::from_diag(&roots.mapv(f64::recip))]
            }
            Neighbour::Pair => halves(&laplacian(&multipliers, gram.nrows()))?,
        };
        // Sums of products in two orders: made symmetric.
        let mut m = half.dot(&gram).dot(&half);
        m = (&m + &m.t()) / 2.0;
        let SymmetricEigen { values, vectors, .. } = symmetric_eigen(m.view())?;
        let roots: Vec<f64> = values.iter().map(|value| value.max(0.0).sqrt()).collect();
        let (trace, largest) = (roots.iter().sum::<f64>(), roots.iter().copied().fold(0.0, f64::max));
        let precision = scaled_square(&inverse_half.dot(&vectors), |at| roots[at] / trace);
        let covariance = scaled_square(&half.dot(&vectors), |at| trace / roots[at].max(NO_ROOT * largest));
        let lengths = lengths(&precision, neighbour);
        Ok(Self { values: asked.values(&covariance), precision, lengths, dual: trace * trace })
    }
}

/// A diag(scale) A^T.
fn scaled_square(matrix: &Array2<f64>, scale: impl Fn(usize) -> f64) -> Array2<f64> {
    let mut scaled = matrix.clone();
    scaled.axis_iter_mut(Axis(1)).enumerate().for_each(|(at, mut column)| column *= scale(at));
    let square = scaled.dot(&matrix.t());
    (&square + &square.t()) / 2.0
}

/// The left sides of the constraints.
fn lengths(precision: &Array2<f64>, neighbour: Neighbour) -> Vec<f64> {
    let diagonal = precision.diag();
    match neighbour {
        Neighbour::Cell => diagonal.to_vec(),
        Neighbour::Pair => {
            pairs(diagonal.len()).map(|(i, j)| diagonal[i] + diagonal[j] - 2.0 * precision[[i, j]]).collect()
        }
    }
}

/// All pairs of cells.
fn pairs(size: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..size).flat_map(|i| (0..i).map(move |j| (i, j)))
}

fn laplacian(multipliers: &[f64], size: usize) -> Array2<f64> {
    let mut matrix = Array2::zeros((size, size));
    for ((i, j), &lam) in pairs(size).zip(multipliers) {
        matrix[[i, i]] += lam;
        matrix[[j, j]] += lam;
        matrix[[i, j]] -= lam;
        matrix[[j, i]] -= lam;
    }
    matrix
}

/// The square root of the matrix of a connected graph, and its pseudo-inverse: the least
/// eigenvalue is 0, that of the total.
fn halves(matrix: &Array2<f64>) -> Result<[Array2<f64>; 2], LinalgError> {
    let SymmetricEigen { values, vectors, .. } = symmetric_eigen(matrix.view())?;
    let mut roots: Vec<f64> = values.iter().map(|value| value.max(0.0).sqrt()).collect();
    roots[0] = 0.0;
    let largest = roots.iter().copied().fold(0.0, f64::max);
    let inverse = |at: usize| if roots[at] > NO_ROOT * largest { 1.0 / roots[at] } else { 0.0 };
    Ok([scaled_square(&vectors, |at| roots[at]), scaled_square(&vectors, inverse)])
}
