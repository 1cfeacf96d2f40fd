//! `disclosure ldp estimate`: joint counts with their errors.

use disclosure::core::subsets::moebius_over_supersets;
use disclosure::ldp::derived::{ChiSquareTest, ConfidenceSet, Derived, DerivedError, Pair, independence};
use disclosure::ldp::estimate::{Estimate, EstimateError, Estimator, Level, Population};
use disclosure::ldp::feasible::{Stopping, least_squares, maximum_likelihood};
use disclosure::ldp::{Counts, Schema, State};
use serde::Serialize;

use super::args::{EstimateArgs, PopulationArg};
use super::asked;
use super::merge::read_tally;
use super::show::show_estimate;
use super::spec::Job;
use super::work::{self, MOST_STEPS};
use crate::error::Failure;
use crate::files::{print, print_json};
use crate::progress;

/// Most sets whose covariance is written.
const MOST_COVARIANCES: usize = 2000;
/// Most columns of a set whose table is fitted.
const MOST_FITTED: usize = 12;

/// The document.
#[derive(Debug, Serialize)]
pub(super) struct EstimateReport {
    schema: &'static str,
    kind: &'static str,
    pub(super) population: Population,
    pub(super) n: u64,
    /// `null` where it is infinite.
    pub(super) epsilon_per_report: f64,
    pub(super) sets: Vec<SetReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) pairs: Option<Vec<PairReport>>,
    /// In people squared, in the order of the sets.
    #[serde(skip_serializing_if = "Option::is_none")]
    covariance: Option<Vec<Vec<f64>>>,
}

#[derive(Debug, Serialize)]
pub(super) struct SetReport {
    pub(super) columns: Vec<String>,
    pub(super) count: f64,
    pub(super) se_fixed_population: f64,
    pub(super) se_super_population: f64,
    pub(super) ci95: [f64; 2],
    pub(super) small_count: bool,
    /// Reports that cover the set.
    reports: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) feasible: Option<FeasibleReport>,
}

/// The same count in tables that could be; biased, without errors of their own.
#[derive(Debug, Serialize)]
pub(super) struct FeasibleReport {
    pub(super) least_squares: f64,
    pub(super) maximum_likelihood: f64,
}

/// What two columns have to do with each other. What is not defined is `null`.
#[derive(Debug, Serialize)]
pub(super) struct PairReport {
    pub(super) columns: Vec<String>,
    pub(super) correlation: Option<DerivedReport>,
    second_given_first: Option<DerivedReport>,
    lift: Option<DerivedReport>,
    pub(super) odds_ratio: Option<DerivedReport>,
    pub(super) independence: Option<ChiSquareTest>,
    /// Counts of the first, the second and both within their Frechet bounds: a proxy.
    feasible: [f64; 3],
}

#[derive(Debug, Serialize)]
pub(super) struct DerivedReport {
    pub(super) value: f64,
    standard_error: f64,
    pub(super) ci95: ConfidenceSet,
    is_rough: bool,
}

pub(super) fn run(args: &EstimateArgs) -> Result<(), Failure> {
    let job = Job::read(&args.schema)?;
    let tally = read_tally(&args.state, args.memory.bytes())?;
    let state = State::new(tally, &job.schema).map_err(|error| Failure::from(error).within(&args.state))?;
    let sets = asked::sets(&job.schema, state.detail(), args.sets.as_deref(), args.order)?;
    check(&state, &sets, args)?;
    let report = progress::during("estimating", || estimate(&job.schema, &state, &sets, args))?;
    if args.json { print_json(&report) } else { print(show_estimate(&report).as_bytes()) }
}

/// Refuses what would take too long.
fn check(state: &State, sets: &[Vec<usize>], args: &EstimateArgs) -> Result<(), Failure> {
    let (keep, reports) = (state.detail(), state.reports() as f64);
    let steps = work::of_estimates(keep, reports, sets)
        + if args.feasible { work::of_fits(sets, MOST_FITTED) } else { 0.0 }
        + if args.covariance { work::of_covariances(keep, reports, sets) } else { 0.0 };
    if steps <= MOST_STEPS {
        return Ok(());
    }
    let message = format!("the estimates would take up to {steps:.1e} steps, at most {MOST_STEPS:.0e} are taken");
    Err(Failure::new("E0648", message).next("list fewer or smaller sets with --sets"))
}

fn estimate(
    schema: &Schema,
    state: &State,
    sets: &[Vec<usize>],
    args: &EstimateArgs,
) -> Result<EstimateReport, Failure> {
    let population = args.population.into();
    let estimator = Estimator::new(schema, state).for_population(population);
    let named = |set: &[usize]| -> Vec<String> { set.iter().map(|&column| schema.column_name(column)).collect() };
    let of = |set: &Vec<usize>| -> Result<SetReport, Failure> {
        let failed = |error: EstimateError| Failure::from(error).in_section(&named(set).join(","));
        let Estimate { count, se_fixed_population, se_super_population, interval, small_count, reports, .. } =
            estimator.estimate(set).map_err(failed)?;
        let ci95 = [interval.low, interval.high];
        let feasible = match args.feasible && !schema.is_sampled() && (1..=MOST_FITTED).contains(&set.len()) {
            true => Some(fit(schema, state, set).map_err(failed)?),
            false => None,
        };
        let columns = named(set);
        Ok(SetReport { columns, count, se_fixed_population, se_super_population, ci95, small_count, reports, feasible })
    };
    let reports = sets.iter().map(of).collect::<Result<Vec<_>, _>>()?;
    let pairs = || sets.iter().filter(|set| set.len() == 2).map(|set| pair(&estimator, set, named(set)));
    Ok(EstimateReport {
        schema: "disclosure.ldp-estimate/1",
        kind: "calibration",
        population,
        n: state.reports(),
        epsilon_per_report: schema.epsilon_per_report(),
        sets: reports,
        pairs: if args.pairs { Some(pairs().collect::<Result<_, _>>()?) } else { None },
        covariance: if args.covariance { Some(covariance(&estimator, sets)?) } else { None },
    })
}

fn covariance(estimator: &Estimator<'_, State>, sets: &[Vec<usize>]) -> Result<Vec<Vec<f64>>, Failure> {
    if sets.len() > MOST_COVARIANCES {
        let message = format!("the covariance of {} sets, at most {MOST_COVARIANCES} are written", sets.len());
        return Err(Failure::new("E0646", message));
    }
    let matrix = estimator.covariances(sets)?;
    Ok(matrix.rows().into_iter().map(|row| row.to_vec()).collect())
}

/// Reports by which of the columns they support.
fn histogram(state: &State, set: &[usize]) -> Result<Vec<u64>, EstimateError> {
    let mut counts = state.lattice(set, &[]).ok_or(EstimateError::OrderNotKept { order: set.len() })?;
    moebius_over_supersets(&mut counts);
    Ok(counts)
}

/// The count of the set in the best tables over its columns.
fn fit(schema: &Schema, state: &State, set: &[usize]) -> Result<FeasibleReport, EstimateError> {
    let reports: Vec<f64> = histogram(state, set)?.into_iter().map(|h| h as f64).collect();
    let channels: Vec<_> = set.iter().map(|&column| schema.columns()[column].channel).collect();
    let stopping = Stopping { gap: 1e-6, iterations: 2000 };
    let last = |cells: Vec<f64>| cells.last().copied().unwrap_or(f64::NAN);
    Ok(FeasibleReport {
        least_squares: last(least_squares(&channels, &reports, stopping).cells),
        maximum_likelihood: last(maximum_likelihood(&channels, &reports, stopping).cells),
    })
}

fn pair(estimator: &Estimator<'_, State>, set: &[usize], columns: Vec<String>) -> Result<PairReport, Failure> {
    let pair = Pair::of(estimator, set[0], set[1])?;
    let level = Level::NINETY_FIVE;
    let report = |derived: Result<Derived, DerivedError>| {
        derived.ok().map(|Derived { value, standard_error, set, is_rough, .. }| DerivedReport {
            value,
            standard_error,
            ci95: set,
            is_rough,
        })
    };
    let sampled = estimator.schema().is_sampled();
    let test = || independence(&histogram(estimator.counts(), set).ok()?, &[2, 2]).ok();
    Ok(PairReport {
        columns,
        feasible: pair.feasible(),
        correlation: report(pair.correlation(level)),
        second_given_first: report(pair.second_given_first(level)),
        lift: report(pair.lift(level)),
        odds_ratio: report(pair.odds_ratio(level)),
        // Reports without the features would be taken for zeros.
        independence: if sampled { None } else { test() },
    })
}

impl From<PopulationArg> for Population {
    fn from(population: PopulationArg) -> Self {
        match population {
            PopulationArg::Super => Self::Super,
            PopulationArg::Fixed => Self::Fixed,
        }
    }
}
