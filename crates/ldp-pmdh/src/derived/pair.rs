//! What two columns have to do with each other: correlation, conditional probability, lift, odds.
//!
//! `N` people, `t_i`, `t_j`, `t_ij` unbiased counts and
//! `C` their covariance; the delta method: variance `g^T C g` with `g` the gradient of what is
//! derived. Correlation `phi = (N t_ij - t_i t_j) / B`, `B = sqrt(t_i (N - t_i) t_j (N - t_j))`.
//! For ratios near a denominator of 0, Fieller's theorem. Source: Fieller (1954);
//! `docs/math/ldp-pmdh.md`, section 8.

use crate::counts::Counts;
use crate::estimate::{ConfidenceInterval, ConfidenceLevel, EstimateError, Estimator};
use crate::feasible::frechet_pair;

/// A denominator closer to 0 than this many standard errors is too uncertain to divide by:
/// Fieller's set then.
const FAR_FROM_ZERO: f64 = 3.0;

/// Unbiased counts of two columns and of both, with their covariance.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    people: f64,
    /// `t_i`, `t_j`, `t_ij`.
    counts: [f64; 3],
    covariance: [[f64; 3]; 3],
}

/// Where a parameter may lie.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(tag = "kind", rename_all = "snake_case")
)]
#[non_exhaustive]
pub enum ConfidenceSet {
    /// Between two ends.
    Within(ConfidenceInterval),
    /// Anywhere but between these: the denominator may be 0.
    Outside(ConfidenceInterval),
    /// Anywhere: the data say nothing at this level.
    Everything,
}

/// A derived number with its error. Kind: calibration, for many reports.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
#[must_use]
pub struct Derived {
    /// The plug-in value; not unbiased.
    pub value: f64,
    /// Standard error by the delta method.
    pub standard_error: f64,
    /// The confidence set: normal, Fieller's where a denominator is near 0, from the logarithm
    /// for lift and odds.
    pub set: ConfidenceSet,
    /// Some count is within three standard errors of 0 or all, so the delta method is strained;
    /// or a correlation is above 1.
    pub is_rough: bool,
}

/// What cannot be derived from these counts.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DerivedError {
    /// An estimated count is not above 0 and below all people, so nothing can be divided by it.
    /// Wait for more reports, or take the counts themselves.
    #[error("an estimated count is not between 0 and the number of people")]
    MarginOutOfRange,
    /// An estimated cell of the 2 x 2 table is not above 0, so it has no logarithm. Wait for more
    /// reports.
    #[error("an estimated cell of the table of the two columns is not above 0")]
    CellOutOfRange,
}

impl Pair {
    /// Counts `[t_i, t_j, t_ij]` among `people` with their covariance, in that order.
    #[must_use]
    pub fn new(people: f64, counts: [f64; 3], covariance: [[f64; 3]; 3]) -> Self {
        Self { people, counts, covariance }
    }

    /// Two columns of different features, for the estimator's population.
    ///
    /// # Errors
    /// As for [`Estimator::estimate`].
    pub fn of<C: Counts + ?Sized>(
        estimator: &Estimator<'_, C>,
        first: usize,
        second: usize,
    ) -> Result<Self, EstimateError> {
        let sets = [vec![first], vec![second], vec![first, second]];
        let matrix = estimator.covariances(&sets)?;
        let mut counts = [0.0; 3];
        for (count, set) in counts.iter_mut().zip(&sets) {
            *count = estimator.estimate(set)?.count;
        }
        let covariance = std::array::from_fn(|row| std::array::from_fn(|column| matrix[(row, column)]));
        Ok(Self { people: estimator.reports() as f64, counts, covariance })
    }

    /// Counts of the first column, the second and both that some table has, near these: see
    /// [`frechet_pair`].
    #[must_use]
    pub fn feasible(&self) -> [f64; 3] {
        frechet_pair(self.people, self.counts)
    }

    /// Pearson's correlation of the two columns, `phi`.
    ///
    /// # Errors
    /// [`DerivedError::MarginOutOfRange`].
    pub fn correlation(&self, level: ConfidenceLevel) -> Result<Derived, DerivedError> {
        let (n, [ti, tj, both]) = (self.people, self.counts);
        self.check_margin(ti)?;
        self.check_margin(tj)?;
        let (vi, vj) = (ti * (n - ti), tj * (n - tj));
        let spread = (vi * vj).sqrt();
        let value = (n * both - ti * tj) / spread;
        let slope = |own: f64, other: f64, v: f64| -other / spread - value * (n - 2.0 * own) / (2.0 * v);
        let se = self.spread([slope(ti, tj, vi), slope(tj, ti, vj), n / spread]);
        let rough = self.is_near(0) || self.is_near(1) || value.abs() > 1.0;
        let ConfidenceInterval { low, high } = ConfidenceInterval::around(value, se, level);
        // The true correlation is between -1 and 1: cutting the rest off loses no coverage.
        let set = ConfidenceSet::Within(ConfidenceInterval { low: low.clamp(-1.0, 1.0), high: high.clamp(-1.0, 1.0) });
        Ok(Derived { value, standard_error: se, set, is_rough: rough })
    }

    /// The share of those with the first column who have the second, `t_ij / t_i`.
    ///
    /// # Errors
    /// [`DerivedError::MarginOutOfRange`] unless the estimated `t_i` is above 0.
    pub fn second_given_first(&self, level: ConfidenceLevel) -> Result<Derived, DerivedError> {
        let [ti, _, both] = self.counts;
        if ti <= 0.0 {
            return Err(DerivedError::MarginOutOfRange);
        }
        let value = both / ti;
        let se = self.spread([-value / ti, 0.0, 1.0 / ti]);
        // The delta method is linear in the denominator; near 0 the ratio is not.
        let near_zero = ti < FAR_FROM_ZERO * self.covariance[0][0].max(0.0).sqrt();
        let set = if near_zero {
            self.fieller(level)
        } else {
            ConfidenceSet::Within(ConfidenceInterval::around(value, se, level))
        };
        Ok(Derived { value, standard_error: se, set, is_rough: near_zero })
    }

    /// Fieller's set for `t_ij / t_i`: all `r` for which `t_ij - r t_i` is not significantly
    /// different from 0.
    #[must_use]
    pub fn fieller(&self, level: ConfidenceLevel) -> ConfidenceSet {
        let ([ti, _, both], v) = (self.counts, &self.covariance);
        let z2 = level.half_width().powi(2);
        // (t_ij - r t_i)^2 <= z^2 Var(t_ij - r t_i) as a quadratic in r: a r^2 - 2 b r + c <= 0.
        // With a below 0 the denominator may be 0, and the set is what lies outside the roots.
        let (a, b, c) = (ti * ti - z2 * v[0][0], ti * both - z2 * v[0][2], both * both - z2 * v[2][2]);
        let discriminant = b * b - a * c;
        if a > 0.0 && discriminant >= 0.0 {
            let root = discriminant.sqrt();
            return ConfidenceSet::Within(ConfidenceInterval { low: (b - root) / a, high: (b + root) / a });
        }
        if a < 0.0 && discriminant > 0.0 {
            let root = discriminant.sqrt();
            return ConfidenceSet::Outside(ConfidenceInterval { low: (b + root) / a, high: (b - root) / a });
        }
        ConfidenceSet::Everything
    }

    /// How many times as common both are together than if they were independent,
    /// `N t_ij / (t_i t_j)`.
    ///
    /// # Errors
    /// [`DerivedError::MarginOutOfRange`], [`DerivedError::CellOutOfRange`].
    pub fn lift(&self, level: ConfidenceLevel) -> Result<Derived, DerivedError> {
        let [ti, tj, both] = self.counts;
        self.check_margin(ti)?;
        self.check_margin(tj)?;
        if both <= 0.0 {
            return Err(DerivedError::CellOutOfRange);
        }
        Ok(self.by_logarithm(self.people * both / (ti * tj), [-1.0 / ti, -1.0 / tj, 1.0 / both], level))
    }

    /// The odds ratio of the 2 x 2 table.
    ///
    /// # Errors
    /// [`DerivedError::CellOutOfRange`] unless all four estimated cells are above 0.
    pub fn odds_ratio(&self, level: ConfidenceLevel) -> Result<Derived, DerivedError> {
        let [ti, tj, both] = self.counts;
        let (only_i, only_j, neither) = (ti - both, tj - both, self.people - ti - tj + both);
        if ![both, only_i, only_j, neither].iter().all(|&cell| cell > 0.0) {
            return Err(DerivedError::CellOutOfRange);
        }
        let (i, j, none) = (1.0 / only_i, 1.0 / only_j, 1.0 / neither);
        // Each count is in one or more of the four cells: derivatives of the logarithms add up.
        let gradient = [-none - i, -none - j, 1.0 / both + none + i + j];
        Ok(self.by_logarithm(both * neither / (only_i * only_j), gradient, level))
    }

    /// A positive number whose logarithm has this gradient.
    fn by_logarithm(&self, value: f64, gradient: [f64; 3], level: ConfidenceLevel) -> Derived {
        let of_log = self.spread(gradient);
        let ConfidenceInterval { low, high } = ConfidenceInterval::around(value.ln(), of_log, level);
        let set = ConfidenceSet::Within(ConfidenceInterval { low: low.exp(), high: high.exp() });
        let is_rough = (0..3).any(|count| self.is_near(count));
        Derived { value, standard_error: value * of_log, set, is_rough }
    }

    /// `sqrt(g^T C g)`; 0 where the unbiased covariance makes it negative.
    fn spread(&self, gradient: [f64; 3]) -> f64 {
        let mut square = 0.0;
        for (row, g) in self.covariance.iter().zip(&gradient) {
            square += g * row.iter().zip(&gradient).map(|(c, g)| c * g).sum::<f64>();
        }
        square.max(0.0).sqrt()
    }

    fn check_margin(&self, count: f64) -> Result<(), DerivedError> {
        if count > 0.0 && count < self.people { Ok(()) } else { Err(DerivedError::MarginOutOfRange) }
    }

    /// Whether a count is near 0 or all, in its standard errors.
    fn is_near(&self, count: usize) -> bool {
        let far = FAR_FROM_ZERO * self.covariance[count][count].max(0.0).sqrt();
        self.counts[count] < far || self.people - self.counts[count] < far
    }
}
