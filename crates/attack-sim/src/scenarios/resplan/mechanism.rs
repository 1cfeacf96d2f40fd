//! The release that is attacked, right or with one thing wrong.

use std::sync::Arc;

use disclosure::privacy_core::CountSource;
use disclosure::privacy_core::accounting::{Neighbours, PrivacyCost};
use disclosure::privacy_core::param::ParamError;
use disclosure::resplan::{Design, ExactNoise, Measured, NonnegativeSpec, Plan, PlanSpec};
use ndarray::{Array2, ArrayD};
use rand_chacha::ChaCha20Rng;

use super::algebra::Algebra;
use super::refusal::refused;
use super::setting::Setting;
use crate::prelude::*;

/// What is wrong with a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Fault {
    /// Every variance is 5 % less than planned.
    VarianceFivePercentLess,
    /// Every variance is 20 % less than planned.
    VarianceTwentyPercentLess,
    /// Every standard deviation is 5 % more than planned.
    ScaleFivePercentMore,
    /// The budget is taken for rho, which is half of it: variances are half.
    CostTakenAsRho,
    /// Discrete noise is taken to cost what continuous noise of its parameter does.
    ContinuousCurve,
    /// A replaced row is planned as one that is added.
    ReplacedAsAdded,
    /// A person with several rows is planned as one row.
    RowsCountedOnce,
    /// The residuals of most attributes go out as they are.
    TopWithoutNoise,
    /// The number of rows goes out as it is.
    TotalWithoutNoise,
    /// The second attribute's residual has the noise of the first.
    NoiseReused,
    /// Matrices are kept by the number of categories: the second attribute is put together with
    /// those of the first.
    OtherInverse,
    /// One is added to the last answer.
    OffByOne,
    /// Noise of the total beyond three standard deviations is drawn again.
    TailCut,
    /// Two releases have one seed.
    SameSeed,
    /// Noisy tables are scaled to the true number of rows.
    ScaledToTheTruth,
}

impl Fault {
    /// The plan that is carried out instead of the promised one.
    fn change(self, spec: &mut PlanSpec) -> Result<(), ParamError> {
        let times = match self {
            Self::VarianceFivePercentLess => 1.0 / 0.95,
            Self::VarianceTwentyPercentLess => 1.0 / 0.8,
            Self::ScaleFivePercentMore => 1.0 / (1.05 * 1.05),
            Self::CostTakenAsRho => 2.0,
            Self::ReplacedAsAdded => {
                spec.neighbours = Neighbours::AddRemove;
                1.0
            }
            Self::ContinuousCurve => {
                spec.gaussian_budget = None;
                1.0
            }
            Self::RowsCountedOnce => {
                spec.rows_per_person = 1;
                1.0
            }
            _ => 1.0,
        };
        spec.budget = PrivacyCost::new(times * spec.budget.get())?;
        Ok(())
    }
}

/// What is published.
#[derive(Clone, Debug)]
pub(super) struct Released {
    /// The counts over every measured set, in the order of the plan's residuals.
    pub(super) cells: Vec<Vec<f64>>,
    /// The answers about the same sets.
    pub(super) answers: Vec<Vec<f64>>,
}

/// A release.
#[derive(Clone, Debug)]
pub(super) struct Mechanism {
    promised: Design,
    plan: Arc<Plan>,
    fault: Option<Fault>,
    algebra: Algebra,
    /// Queries of every attribute, one a row.
    queries: Vec<Array2<f64>>,
    is_adjusted: bool,
}

impl Mechanism {
    /// The release of a setting.
    pub(super) fn new(setting: &Setting, fault: Option<Fault>) -> Result<Self, Error> {
        let promised = setting.plan(|_| Ok(()))?;
        let plan = setting.plan(|spec| fault.map_or(Ok(()), |fault| fault.change(spec)))?;
        let algebra = Algebra::of(&plan)?;
        let algebra = match fault {
            Some(Fault::OtherInverse) => algebra.mixed_up(1, 0)?,
            Some(Fault::NoiseReused) => {
                algebra.check_same_size(1, 0)?;
                algebra
            }
            _ => algebra,
        };
        let queries = promised.attributes().zip(&setting.sizes).map(|(attribute, &size)| {
            let rows: Vec<f64> = (0..attribute.queries).flat_map(|query| attribute.basis.query(size, query)).collect();
            Array2::from_shape_vec((attribute.queries, size), rows).map_err(refused)
        });
        let queries = queries.collect::<Result<_, _>>()?;
        Ok(Self {
            promised: promised.design().clone(),
            plan: Arc::new(plan),
            fault,
            algebra,
            queries,
            is_adjusted: false,
        })
    }

    /// The same, of which only the adjusted cells go out.
    pub(super) fn adjusted(self) -> Self {
        Self { is_adjusted: true, ..self }
    }

    /// What is promised.
    pub(super) fn promised(&self) -> &Design {
        &self.promised
    }

    /// Whether two releases share their seed.
    pub(super) fn reuses_seeds(&self) -> bool {
        self.fault == Some(Fault::SameSeed)
    }

    /// The sets of every release, in the order of tables.
    pub(super) fn sets(&self) -> &[AttrSet] {
        self.algebra.sets()
    }

    /// The counts over every measured set.
    pub(super) fn cells(&self, table: &TableSource, rng: &mut ChaCha20Rng) -> Result<Vec<Vec<f64>>, Error> {
        let cells = loop {
            let cells = self.measured_cells(&self.measure(table, rng)?)?;
            if self.fault != Some(Fault::TailCut) || self.is_within_the_tails(table, &cells)? {
                break cells;
            }
        };
        if self.has_wrong_cells() { self.wrong(cells, &self.truth(table)?) } else { Ok(cells) }
    }

    /// The counts and the answers over every measured set.
    pub(super) fn release(&self, table: &TableSource, rng: &mut ChaCha20Rng) -> Result<Released, Error> {
        if self.has_wrong_cells() {
            let cells = self.cells(table, rng)?;
            let answers = self.sets().iter().zip(&cells).map(|(&set, cells)| self.answers(set, cells)).collect();
            return Ok(Released { cells, answers });
        }
        let measured = self.measure(table, rng)?;
        let mut answers = self.tables(|set| Ok(measured.marginal(set)?.values))?;
        if self.fault == Some(Fault::OffByOne) {
            answers.last_mut().and_then(|table| table.last_mut()).into_iter().for_each(|answer| *answer += 1.0);
        }
        Ok(Released { cells: self.measured_cells(&measured)?, answers })
    }

    /// The exact counts over every measured set.
    pub(super) fn truth(&self, table: &TableSource) -> Result<Vec<Vec<f64>>, Error> {
        let exact = table.marginals(self.sets()).map_err(refused)?;
        Ok(exact.iter().map(|table| table.cells().iter().map(|&count| count as f64).collect()).collect())
    }

    /// The queries of a set, of these cells.
    pub(super) fn answers(&self, set: AttrSet, cells: &[f64]) -> Vec<f64> {
        let matrices: Vec<_> = set.iter().map(|attribute| self.queries[attribute].view()).collect();
        disclosure::privacy_core::subsets::apply_kronecker(&matrices, cells)
    }

    fn measure(&self, table: &TableSource, rng: &mut ChaCha20Rng) -> Result<Measured<ExactNoise>, Error> {
        self.plan.duplicate().measure(table, rng).map_err(refused)
    }

    fn measured_cells(&self, measured: &Measured<ExactNoise>) -> Result<Vec<Vec<f64>>, Error> {
        if self.is_adjusted {
            let adjusted = measured.nonnegative(NonnegativeSpec::default()).map_err(refused)?;
            return self.tables(|set| adjusted.cells(set));
        }
        self.tables(|set| measured.cells(set))
    }

    /// A table over every measured set, flat.
    fn tables(
        &self,
        table: impl Fn(AttrSet) -> Result<ArrayD<f64>, disclosure::resplan::Error>,
    ) -> Result<Vec<Vec<f64>>, Error> {
        let tables = self.sets().iter().map(|&set| table(set).map(|table| table.into_iter().collect()));
        tables.collect::<Result<_, _>>().map_err(refused)
    }

    /// Whether the noise of the total is below three standard deviations.
    fn is_within_the_tails(&self, table: &TableSource, cells: &[Vec<f64>]) -> Result<bool, Error> {
        let sd = self.promised.mean_variance(AttrSet::EMPTY).map_err(refused)?.sqrt();
        let total = self.position(AttrSet::EMPTY);
        Ok((cells[total][0] - self.truth(table)?[total][0]).abs() <= 3.0 * sd)
    }

    fn has_wrong_cells(&self) -> bool {
        use Fault::{NoiseReused, OtherInverse, ScaledToTheTruth, TopWithoutNoise, TotalWithoutNoise};
        let wrong = [TopWithoutNoise, TotalWithoutNoise, NoiseReused, OtherInverse, ScaledToTheTruth];
        self.fault.is_some_and(|fault| wrong.contains(&fault))
    }

    /// The cells as the fault makes them.
    fn wrong(&self, mut cells: Vec<Vec<f64>>, truth: &[Vec<f64>]) -> Result<Vec<Vec<f64>>, Error> {
        if self.fault == Some(Fault::ScaledToTheTruth) {
            let total = self.position(AttrSet::EMPTY);
            let times = truth[total][0] / cells[total][0];
            cells.iter_mut().flatten().for_each(|cell| *cell *= times);
            return Ok(cells);
        }
        let mut residuals = self.algebra.residuals(&cells);
        let exact = self.algebra.residuals(truth);
        let largest = self.sets().iter().map(|set| set.len()).max().unwrap_or(0);
        match self.fault {
            Some(Fault::TopWithoutNoise) => {
                for place in (0..residuals.len()).filter(|&place| self.sets()[place].len() == largest) {
                    residuals[place].clone_from(&exact[place]);
                }
            }
            Some(Fault::TotalWithoutNoise) => {
                let total = self.position(AttrSet::EMPTY);
                residuals[total].clone_from(&exact[total]);
            }
            Some(Fault::NoiseReused) => {
                let (first, second) = (self.position(AttrSet::single(0)), self.position(AttrSet::single(1)));
                let noise: Vec<f64> = residuals[first].iter().zip(&exact[first]).map(|(r, exact)| r - exact).collect();
                residuals[second] = exact[second].iter().zip(noise).map(|(exact, noise)| exact + noise).collect();
            }
            _ => {}
        }
        Ok(self.algebra.cells(&residuals))
    }

    fn position(&self, set: AttrSet) -> usize {
        self.sets().iter().position(|&other| other == set).unwrap_or(0)
    }
}
