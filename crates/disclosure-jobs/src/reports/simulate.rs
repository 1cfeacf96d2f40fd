//! The errors that are claimed beside those that randomisation makes. Nothing here may be
//! published.

use std::convert::Infallible;

use disclosure::ldp::estimate::{Estimator, Population, cost};
use disclosure::ldp::{Aggregator, Schema, Simulator, State};
use disclosure::privacy_core::promise::PromiseKind;
use disclosure::privacy_core::rng::SimRng;
use serde::{Deserialize, Serialize};

use super::MAX_STEPS;
use super::nullable;
use super::rows::Rows;
use super::sets::SetRequest;
use super::spec::Job;
use crate::error::JobError;
use crate::input::DataSource;
use crate::observer::{Observer, check_stop, during};

/// The schema of [`SimulationDocument`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SimulationSchema {
    /// `disclosure.ldp-simulation/1`.
    #[serde(rename = "disclosure.ldp-simulation/1")]
    V1,
}

/// What is simulated.
#[derive(Clone, Debug)]
pub struct SimulationOptions {
    /// Which sets of columns are estimated.
    pub sets: SetRequest,
    /// How many times everybody reports.
    pub trials: u64,
    /// Seed of the simulated reports: the same seed gives the same figures.
    pub seed: u64,
    /// Most bytes that a state takes.
    pub max_bytes: f64,
}

/// Measured beside claimed, over all trials.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SimulationDocument {
    /// `disclosure.ldp-simulation/1`.
    pub schema: SimulationSchema,
    /// What the claimed errors rest on.
    pub kind: PromiseKind,
    /// How many times everybody reported.
    pub trials: u64,
    /// The seed.
    pub seed: u64,
    /// How many people there are.
    pub n: u64,
    /// Epsilon of one report; `null` where it is infinite.
    #[serde(with = "nullable::infinite")]
    pub epsilon_per_report: f64,
    /// One line for each set.
    pub sets: Vec<SetSimulation>,
}

/// The errors of one set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SetSimulation {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// How many rows have all of them.
    pub truth: u64,
    /// Mean error of the estimates.
    pub bias_measured: f64,
    /// Root of the mean of the unbiased variances; `null` if that is negative.
    #[serde(with = "nullable::undefined")]
    pub sd_predicted: f64,
    /// Root of the mean squared error.
    pub sd_measured: f64,
    /// Share of trials whose 95 % interval has the truth.
    pub coverage: f64,
    /// Share of trials in which few reports had the whole set.
    pub small_count_share: f64,
}

/// Sums over trials.
#[derive(Clone, Copy, Default)]
struct Sums {
    error: f64,
    square: f64,
    variance: f64,
    covered: u64,
    small: u64,
}

/// Lets everybody report `trials` times, and measures the errors of the estimates.
///
/// # Errors
/// Those of the data and of the sets; E0647 for what would take too long; E0108.
pub fn simulate(
    job: &Job,
    source: &dyn DataSource,
    options: &SimulationOptions,
    observer: &dyn Observer,
) -> Result<SimulationDocument, JobError> {
    let rows = during(observer, "reading", || Rows::read(source, job.attributes(), job.encoding.into()))?;
    let sets = options.sets.columns(&job.schema, job.detail)?;
    check_steps(job, rows.len() as f64, &sets, options.trials)?;
    let truths = truths(&job.schema, &rows, &sets);
    let world = World { job, rows: &rows, sets: &sets, truths: &truths };
    let sums = during(observer, "simulating", || world.run(options, observer))?;
    let measured = sets.iter().zip(&truths).zip(sums);
    Ok(SimulationDocument {
        schema: SimulationSchema::V1,
        kind: PromiseKind::Calibration,
        trials: options.trials,
        seed: options.seed,
        n: rows.len() as u64,
        epsilon_per_report: job.schema.epsilon_per_report(),
        sets: measured.map(|((set, &truth), sums)| sums.of_set(&job.schema, set, truth, options.trials)).collect(),
    })
}

/// Refuses what would take too long: rounds of reports, and their estimates.
fn check_steps(job: &Job, reports: f64, sets: &[Vec<usize>], trials: u64) -> Result<(), JobError> {
    let counting = cost::counting_steps(&job.schema, job.detail, reports);
    let steps = trials as f64 * (counting + cost::estimate_steps(job.detail, reports, sets));
    if steps <= MAX_STEPS {
        return Ok(());
    }
    let message = format!("the simulation would take {steps:.1e} steps; the limit is {MAX_STEPS:.0e}");
    Err(JobError::new("E0647", message)
        .next("request fewer trials or sets, use a subset of the rows, or keep a lower order"))
}

/// How many rows have each set.
fn truths(schema: &Schema, rows: &Rows, sets: &[Vec<usize>]) -> Vec<u64> {
    let mut truths = vec![0; sets.len()];
    let counted: Result<(), Infallible> = rows.try_for_each(|row| {
        for (set, truth) in sets.iter().zip(&mut truths) {
            *truth += u64::from(set.iter().all(|&column| has(schema, row, column)));
        }
        Ok(())
    });
    counted.unwrap_or_else(|never| match never {});
    truths
}

/// Whether a row has the value of a support column.
fn has(schema: &Schema, row: &[u32], column: usize) -> bool {
    let column = &schema.columns()[column];
    row[column.feature] as usize == column.value
}

/// The people, what is asked about them, and the answers.
struct World<'a> {
    job: &'a Job,
    rows: &'a Rows,
    sets: &'a [Vec<usize>],
    truths: &'a [u64],
}

impl World<'_> {
    fn run(&self, options: &SimulationOptions, observer: &dyn Observer) -> Result<Vec<Sums>, JobError> {
        let mut all = vec![Sums::default(); self.sets.len()];
        let flag = observer.stop_flag();
        flag.begin(options.trials);
        for trial in 0..options.trials {
            check_stop(observer)?;
            let state = self.one_trial(options, trial)?;
            let estimator = Estimator::new(&self.job.schema, &state).for_population(Population::Fixed);
            for ((set, &truth), sums) in self.sets.iter().zip(self.truths).zip(&mut all) {
                sums.add(&estimator, set, truth as f64)?;
            }
            flag.advance(1);
        }
        Ok(all)
    }

    fn one_trial(&self, options: &SimulationOptions, trial: u64) -> Result<State, JobError> {
        let mut rng = SimRng::for_trial(options.seed, "disclosure ldp simulate", trial);
        let mut aggregator = Aggregator::new(self.job.schema.clone(), self.job.detail, options.max_bytes)?;
        aggregator.reserve(self.rows.len() as u64)?;
        let mut simulator = Simulator::new(&self.job.schema);
        self.rows
            .try_for_each(|row| aggregator.push_support(simulator.report(row, &mut rng)))
            .map_err(|error| JobError::new("E0393", error.to_string()))?;
        Ok(aggregator.finish()?)
    }
}

impl Sums {
    fn add(&mut self, estimator: &Estimator<'_, State>, set: &[usize], truth: f64) -> Result<(), JobError> {
        let estimate = estimator.estimate(set)?;
        self.error += estimate.count - truth;
        self.square += (estimate.count - truth).powi(2);
        self.variance += estimator.covariance(set, set)?;
        self.covered += u64::from(estimate.interval.contains(truth));
        self.small += u64::from(estimate.small_count);
        Ok(())
    }

    fn of_set(self, schema: &Schema, set: &[usize], truth: u64, trials: u64) -> SetSimulation {
        let n = trials as f64;
        SetSimulation {
            columns: set.iter().map(|&column| schema.column_name(column)).collect(),
            truth,
            bias_measured: self.error / n,
            sd_predicted: (self.variance / n).sqrt(),
            sd_measured: (self.square / n).sqrt(),
            coverage: self.covered as f64 / n,
            small_count_share: self.small as f64 / n,
        }
    }
}
