//! `disclosure ldp simulate`: the errors that are claimed beside those that randomisation makes.

use disclosure::core::rng::SimRng;
use disclosure::ldp::estimate::{Estimator, Population};
use disclosure::ldp::{Aggregator, Schema, Simulator, State};
use serde::Serialize;

use super::args::SimulateArgs;
use super::asked;
use super::rows::Rows;
use super::show::show_simulation;
use super::spec::Job;
use super::work::{self, MOST_STEPS};
use crate::error::Failure;
use crate::files::{print, print_json};
use crate::progress;

/// Measured beside claimed, over all trials.
#[derive(Debug, Serialize)]
pub(super) struct SimulationReport {
    schema: &'static str,
    kind: &'static str,
    pub(super) trials: u64,
    pub(super) seed: u64,
    pub(super) n: u64,
    epsilon_per_report: f64,
    pub(super) sets: Vec<SetSimulation>,
}

#[derive(Debug, Serialize)]
pub(super) struct SetSimulation {
    pub(super) columns: Vec<String>,
    pub(super) truth: u64,
    bias_measured: f64,
    /// Root of the mean of the unbiased variances; `null` if that is negative.
    pub(super) sd_predicted: f64,
    pub(super) sd_measured: f64,
    /// Share of trials whose 95 % interval has the truth.
    pub(super) coverage: f64,
    pub(super) small_count_share: f64,
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

pub(super) fn run(args: &SimulateArgs) -> Result<(), Failure> {
    let job = Job::read(&args.schema)?;
    let rows = progress::during("reading", || Rows::read(&args.data, &job.attributes(), job.encoding.into()))?;
    let sets = asked::sets(&job.schema, job.keep, args.sets.as_deref(), args.order)?;
    check(&job, rows.len() as f64, &sets, args.trials)?;
    let truths = truths(&job.schema, &rows, &sets);
    let sums = progress::during("simulating", || simulate(&job, &rows, &sets, &truths, args))?;
    let report = SimulationReport {
        schema: "disclosure.ldp-simulation/1",
        kind: "calibration",
        trials: args.trials,
        seed: args.seed,
        n: rows.len() as u64,
        epsilon_per_report: job.schema.epsilon_per_report(),
        sets: sets
            .iter()
            .zip(truths)
            .zip(sums)
            .map(|((set, truth), sums)| measured(&job.schema, set, truth, sums, args.trials))
            .collect(),
    };
    if args.json { print_json(&report) } else { print(show_simulation(&report).as_bytes()) }
}

/// Refuses what would take too long: rounds of reports, and their estimates.
fn check(job: &Job, reports: f64, sets: &[Vec<usize>], trials: u64) -> Result<(), Failure> {
    let (round, estimates) =
        (work::of_round(&job.schema, job.keep, reports), work::of_estimates(job.keep, reports, sets));
    let steps = trials as f64 * (round + estimates);
    if steps <= MOST_STEPS {
        return Ok(());
    }
    let message = format!("the simulation would take {steps:.1e} steps, at most {MOST_STEPS:.0e} are taken");
    Err(Failure::new("E0647", message)
        .next("ask for fewer trials or sets, take a part of the rows, or keep a lower order"))
}

fn measured(schema: &Schema, set: &[usize], truth: u64, sums: Sums, trials: u64) -> SetSimulation {
    let n = trials as f64;
    SetSimulation {
        columns: set.iter().map(|&column| schema.column_name(column)).collect(),
        truth,
        bias_measured: sums.error / n,
        sd_predicted: (sums.variance / n).sqrt(),
        sd_measured: (sums.square / n).sqrt(),
        coverage: sums.covered as f64 / n,
        small_count_share: sums.small as f64 / n,
    }
}

/// How many rows have each set.
fn truths(schema: &Schema, rows: &Rows, sets: &[Vec<usize>]) -> Vec<u64> {
    let mut truths = vec![0; sets.len()];
    let has =
        |row: &[u32], column: usize| row[schema.columns()[column].feature] as usize == schema.columns()[column].value;
    let counted: Result<(), std::convert::Infallible> = rows.try_for_each(|row| {
        let having = sets.iter().zip(&mut truths).filter(|(set, _)| set.iter().all(|&column| has(row, column)));
        having.for_each(|(_, truth)| *truth += 1);
        Ok(())
    });
    counted.unwrap_or_else(|never| match never {});
    truths
}

fn simulate(
    job: &Job,
    rows: &Rows,
    sets: &[Vec<usize>],
    truths: &[u64],
    args: &SimulateArgs,
) -> Result<Vec<Sums>, Failure> {
    let mut all = vec![Sums::default(); sets.len()];
    for trial in 0..args.trials {
        let state = one_trial(job, rows, args, trial)?;
        let estimator = Estimator::new(&job.schema, &state).for_population(Population::Fixed);
        for ((set, &truth), sums) in sets.iter().zip(truths).zip(&mut all) {
            let (estimate, truth) = (estimator.estimate(set)?, truth as f64);
            sums.error += estimate.count - truth;
            sums.square += (estimate.count - truth).powi(2);
            sums.variance += estimator.covariance(set, set)?;
            sums.covered += u64::from(estimate.interval.contains(truth));
            sums.small += u64::from(estimate.small_count);
        }
    }
    Ok(all)
}

fn one_trial(job: &Job, rows: &Rows, args: &SimulateArgs, trial: u64) -> Result<State, Failure> {
    let mut rng = SimRng::for_trial(args.seed, "disclosure ldp simulate", trial);
    let mut aggregator = Aggregator::new(job.schema.clone(), job.keep, args.memory.bytes())?;
    aggregator.reserve(rows.len() as u64)?;
    let mut simulator = Simulator::new(&job.schema);
    rows.try_for_each(|row| aggregator.push_support(simulator.report(row, &mut rng)))
        .map_err(|error| Failure::new("E0393", error.to_string()))?;
    Ok(aggregator.finish()?)
}
