//! Joint counts with their errors, from a state.

use disclosure::ldp::derived::{ChiSquareTest, ConfidenceSet, Derived, DerivedError, Pair, independence};
use disclosure::ldp::estimate::{ConfidenceLevel, EstimateError, Estimator, Influence, Population, cost};
use disclosure::ldp::feasible::{FitLimits, least_squares, maximum_likelihood};
use disclosure::ldp::{Counts, State};
use disclosure::privacy_core::promise::PromiseKind;
use disclosure::privacy_core::subsets::moebius_over_supersets;
use serde::{Deserialize, Serialize};

use super::MAX_STEPS;
use super::nullable;
use super::sets::SetRequest;
use super::spec::Job;
use crate::error::JobError;
use crate::observer::{Observer, check_stop, during};

/// Most sets whose covariance is written.
const MAX_COVARIANCES: usize = 2000;
/// Most columns of a set whose table is fitted.
const MAX_FITTED: usize = 12;

/// The schema of [`EstimateDocument`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EstimateSchema {
    /// `disclosure.ldp-estimate/1`.
    #[serde(rename = "disclosure.ldp-estimate/1")]
    V1,
}

/// What is estimated.
#[derive(Clone, Debug, Default)]
pub struct EstimateOptions {
    /// Which sets of columns.
    pub sets: SetRequest,
    /// Whom intervals are for.
    pub population: Population,
    /// Also what the two columns of every pair have to do with each other.
    pub pairs: bool,
    /// Also the count in the nearest and in the likeliest table without negative cells, for sets
    /// of up to 12 columns.
    pub feasible: bool,
    /// Also the covariance of all counts.
    pub covariance: bool,
}

/// Estimates with their errors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EstimateDocument {
    /// `disclosure.ldp-estimate/1`.
    pub schema: EstimateSchema,
    /// What the errors rest on.
    pub kind: PromiseKind,
    /// Whom intervals are for.
    pub population: Population,
    /// How many reports were counted.
    pub n: u64,
    /// Epsilon of one report; `null` where it is infinite.
    #[serde(with = "nullable::infinite")]
    pub epsilon_per_report: f64,
    /// One estimate for each set that at least two reports cover.
    pub sets: Vec<SetEstimate>,
    /// Sets that fewer than two reports cover: nothing is known about them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_covered: Vec<UncoveredSet>,
    /// What two columns have to do with each other, for each set of two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairs: Option<Vec<PairEstimate>>,
    /// The covariance, in people squared, in the order of the sets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub covariance: Option<Vec<Vec<f64>>>,
}

/// A set of which nothing is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UncoveredSet {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Reports that cover the set: none or one.
    pub reports: u64,
}

/// How many people have all columns of a set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SetEstimate {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// The unbiased count; it may be negative.
    pub count: f64,
    /// Standard error for the people who reported.
    pub se_fixed_population: f64,
    /// Standard error for the population they were drawn from.
    pub se_super_population: f64,
    /// The 95 % confidence interval, for the population of the document.
    pub ci95: [f64; 2],
    /// Few reports have the whole set: the interval is a conservative one.
    pub small_count: bool,
    /// No table of people explains the count: some reports were made by no client of the schema.
    pub impossible: bool,
    /// By how many people one false report, among many, can move the count.
    pub one_false_report: f64,
    /// Reports that cover the set.
    pub reports: u64,
    /// The same count in tables without negative cells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feasible: Option<FeasibleCounts>,
}

/// A count in tables that are possible; biased, without errors of their own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FeasibleCounts {
    /// In the table nearest to the estimate.
    pub least_squares: f64,
    /// In the likeliest table.
    pub maximum_likelihood: f64,
}

/// What two columns have to do with each other. What is not defined is `null`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairEstimate {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Pearson's correlation.
    pub correlation: Option<DerivedEstimate>,
    /// The share of those with the first column who have the second.
    pub second_given_first: Option<DerivedEstimate>,
    /// How many times as common both are together than if they were independent.
    pub lift: Option<DerivedEstimate>,
    /// The odds ratio of the 2 x 2 table.
    pub odds_ratio: Option<DerivedEstimate>,
    /// A test of independence on the reports.
    pub independence: Option<ChiSquareTest>,
    /// Counts of the first, the second and both within their Frechet bounds: a proxy.
    pub feasible: [f64; 3],
}

/// A derived number with its error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DerivedEstimate {
    /// The plug-in value.
    pub value: f64,
    /// Standard error by the delta method.
    pub standard_error: f64,
    /// The 95 % confidence set.
    pub ci95: ConfidenceSet,
    /// The delta method is strained here.
    pub is_rough: bool,
}

impl From<Derived> for DerivedEstimate {
    fn from(derived: Derived) -> Self {
        let Derived { value, standard_error, set, is_rough, .. } = derived;
        Self { value, standard_error, ci95: set, is_rough }
    }
}

/// Estimates what is asked for. Costs no epsilon: estimates are functions of the reports.
///
/// # Errors
/// E0266 to E0268 for sets that cannot be, E0645, E0646 and E0648 for too many, E0395 and E0396
/// for too few reports, E0108.
pub fn estimate(
    job: &Job,
    state: &State,
    options: &EstimateOptions,
    observer: &dyn Observer,
) -> Result<EstimateDocument, JobError> {
    let sets = options.sets.columns(&job.schema, state.detail())?;
    check_steps(state, &sets, options)?;
    check_stop(observer)?;
    let estimator = Estimator::new(&job.schema, state).for_population(options.population);
    let question = Question { job, state, estimator: estimator.with_stop(observer.stop_flag()), options };
    during(observer, "estimating", || question.answer(&sets))
}

/// Refuses what would take too long.
fn check_steps(state: &State, sets: &[Vec<usize>], options: &EstimateOptions) -> Result<(), JobError> {
    let (detail, reports) = (state.detail(), state.reports() as f64);
    let steps = cost::estimate_steps(detail, reports, sets)
        + if options.feasible { cost::fit_steps(sets, MAX_FITTED) } else { 0.0 }
        + if options.covariance { cost::covariance_steps(detail, reports, sets) } else { 0.0 };
    if steps <= MAX_STEPS {
        return Ok(());
    }
    let message = format!("the estimates would take up to {steps:.1e} steps; the limit is {MAX_STEPS:.0e}");
    Err(JobError::new("E0648", message).next("list fewer or smaller sets with --sets"))
}

/// A state, and what is asked of it.
struct Question<'a> {
    job: &'a Job,
    state: &'a State,
    estimator: Estimator<'a, State>,
    options: &'a EstimateOptions,
}

impl Question<'_> {
    fn answer(&self, sets: &[Vec<usize>]) -> Result<EstimateDocument, JobError> {
        let (covered, not_covered) = self.split_by_coverage(sets)?;
        let sets = &covered[..];
        let estimates = sets.iter().map(|set| self.set(set)).collect::<Result<Vec<_>, _>>()?;
        let of_two = sets.iter().filter(|set| set.len() == 2);
        let pairs = self.options.pairs.then(|| of_two.map(|set| self.pair(set)).collect::<Result<_, _>>());
        let covariance = self.options.covariance.then(|| self.covariance(sets));
        Ok(EstimateDocument {
            schema: EstimateSchema::V1,
            kind: PromiseKind::Calibration,
            population: self.options.population,
            n: self.state.reports(),
            epsilon_per_report: self.job.schema.epsilon_per_report(),
            sets: estimates,
            not_covered,
            pairs: pairs.transpose()?,
            covariance: covariance.transpose()?,
        })
    }

    /// The sets that two reports cover, and those that nothing is known about: one of these does
    /// not take the others with it, unless there are no others.
    fn split_by_coverage(&self, sets: &[Vec<usize>]) -> Result<(Vec<Vec<usize>>, Vec<UncoveredSet>), JobError> {
        let (mut covered, mut not_covered) = (Vec::new(), Vec::new());
        for set in sets {
            // A set that cannot be asked for is refused where it is estimated.
            match self.estimator.covering(set) {
                Ok(reports) if reports < 2 => not_covered.push(UncoveredSet { columns: self.names(set), reports }),
                _ => covered.push(set.clone()),
            }
        }
        match covered.is_empty() {
            true if !not_covered.is_empty() => Err(EstimateError::TooFewReports { needed: 2 }.into()),
            _ => Ok((covered, not_covered)),
        }
    }

    fn names(&self, set: &[usize]) -> Vec<String> {
        set.iter().map(|&column| self.job.schema.column_name(column)).collect()
    }

    fn set(&self, set: &[usize]) -> Result<SetEstimate, JobError> {
        self.set_or_refusal(set).map_err(|error| JobError::from(error).in_section(&self.names(set).join(",")))
    }

    fn set_or_refusal(&self, set: &[usize]) -> Result<SetEstimate, EstimateError> {
        let estimate = self.estimator.estimate(set)?;
        let is_fitted = self.options.feasible && self.is_product(set) && (1..=MAX_FITTED).contains(&set.len());
        Ok(SetEstimate {
            columns: self.names(set),
            count: estimate.count,
            se_fixed_population: estimate.se_fixed_population,
            se_super_population: estimate.se_super_population,
            ci95: [estimate.interval.low, estimate.interval.high],
            small_count: estimate.small_count,
            impossible: estimate.impossible,
            one_false_report: Influence::new(&self.job.schema, set)?.of_one(),
            reports: estimate.reports,
            feasible: if is_fitted { Some(self.fit(set)?) } else { None },
        })
    }

    /// Whether everybody is asked about the columns of a set, each randomised by itself: fits and
    /// the test of independence take that for granted.
    fn is_product(&self, set: &[usize]) -> bool {
        let schema = &self.job.schema;
        // Parities are sampled, too.
        !schema.is_sampled() && (schema.joint_keep().is_none() || set.len() == 1)
    }

    fn covariance(&self, sets: &[Vec<usize>]) -> Result<Vec<Vec<f64>>, JobError> {
        if sets.len() > MAX_COVARIANCES {
            let message =
                format!("the covariance of {} sets was requested; the limit is {MAX_COVARIANCES}", sets.len());
            return Err(JobError::new("E0646", message));
        }
        let matrix = self.estimator.covariances(sets)?;
        Ok(matrix.rows().into_iter().map(|row| row.to_vec()).collect())
    }

    /// Reports by which of the columns they support.
    fn histogram(&self, set: &[usize]) -> Result<Vec<u64>, EstimateError> {
        let mut counts = self.state.lattice(set, &[]).ok_or(EstimateError::OrderNotKept { order: set.len() })?;
        moebius_over_supersets(&mut counts);
        Ok(counts)
    }

    /// The count of the set in the best tables over its columns.
    fn fit(&self, set: &[usize]) -> Result<FeasibleCounts, EstimateError> {
        let reports: Vec<f64> = self.histogram(set)?.into_iter().map(|h| h as f64).collect();
        let channels: Vec<_> = set.iter().map(|&column| self.job.schema.columns()[column].channel).collect();
        let limits = FitLimits { gap: 1e-6, iterations: 2000, stop: self.estimator.stop_flag().clone() };
        Ok(FeasibleCounts {
            least_squares: last(&least_squares(&channels, &reports, &limits).cells),
            maximum_likelihood: last(&maximum_likelihood(&channels, &reports, &limits).cells),
        })
    }

    fn pair(&self, set: &[usize]) -> Result<PairEstimate, JobError> {
        let pair = Pair::of(&self.estimator, set[0], set[1])?;
        let level = ConfidenceLevel::NINETY_FIVE;
        // Reports without the features would be taken for zeros.
        let histogram = if self.is_product(set) { self.histogram(set).ok() } else { None };
        Ok(PairEstimate {
            columns: self.names(set),
            correlation: defined(pair.correlation(level)),
            second_given_first: defined(pair.second_given_first(level)),
            lift: defined(pair.lift(level)),
            odds_ratio: defined(pair.odds_ratio(level)),
            independence: histogram.and_then(|histogram| independence(&histogram, &[2, 2]).ok()),
            feasible: pair.feasible(),
        })
    }
}

/// The cell of those who have all columns.
fn last(cells: &[f64]) -> f64 {
    cells.last().copied().unwrap_or(f64::NAN)
}

fn defined(derived: Result<Derived, DerivedError>) -> Option<DerivedEstimate> {
    derived.ok().map(DerivedEstimate::from)
}
