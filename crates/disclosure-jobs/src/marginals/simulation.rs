//! The error that was predicted beside the error that simulated noise makes.

use std::io;

use disclosure::privacy_core::promise::PromiseKind;
use disclosure::privacy_core::subsets::AxisLayout;
use disclosure::privacy_core::{AttrSet, CountSource};
use disclosure::resplan::{Design, PlannedMarginal, QueryBasis};
use serde::{Deserialize, Serialize};

use super::plan_document::names;
use super::ready::Ready;
use crate::error::JobError;
use crate::input::CountedRows;
use crate::observer::{Observer, check_stop, during};
use crate::sink::Sink;

/// The format of [`SimulationDocument`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SimulationSchema {
    /// The first version.
    #[serde(rename = "disclosure.resplan-simulation/1")]
    V1,
}

/// Measured errors beside predicted ones, over all trials. Nothing in it may be published.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SimulationDocument {
    /// The format of this document.
    pub schema: SimulationSchema,
    /// A calibration: a statement about the noise, not about privacy.
    pub kind: PromiseKind,
    /// Which noise was drawn.
    pub noise: String,
    /// How many times.
    pub trials: u64,
    /// The seed of all trials.
    pub seed: u64,
    /// Root of the mean variance over all answers, in counts.
    pub rmse_predicted: f64,
    /// The same, measured.
    pub rmse_measured: f64,
    /// The marginals in the order of the workload.
    pub marginals: Vec<MarginalError>,
}

/// The errors of one marginal; means are over its answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MarginalError {
    /// Its attributes; none for the total.
    pub attributes: Vec<String>,
    /// How many answers it has.
    pub queries: f64,
    /// The predicted mean variance, in counts squared.
    pub variance_predicted: f64,
    /// The mean squared error over all trials.
    pub variance_measured: f64,
    /// Standard error of the measured variance, from the spread of the trials. `null` for one
    /// trial.
    pub variance_standard_error: Option<f64>,
    /// The mean error over all trials; 0 is expected.
    pub bias_measured: f64,
}

impl Ready {
    /// Draws simulated noise this many times and compares its errors with the predicted ones. All
    /// rows are counted, those beyond `rows_per_person` as well: the errors are those of the noise.
    ///
    /// # Errors
    /// E0613 when a table is too large to be counted, E0647 for what would take too long.
    pub fn simulate(&self, trials: u64, seed: u64, observer: &dyn Observer) -> Result<SimulationDocument, JobError> {
        check_steps(self, trials)?;
        let marginals = during(observer, "simulating", || simulate(self, trials, seed, observer))?;
        let answers: f64 = marginals.iter().map(|m| m.queries).sum();
        let mean_square: f64 = marginals.iter().map(|m| m.queries * m.variance_measured).sum::<f64>() / answers;
        Ok(SimulationDocument {
            schema: SimulationSchema::V1,
            kind: PromiseKind::Calibration,
            noise: "continuous, simulated; not for publication".to_owned(),
            trials,
            seed,
            rmse_predicted: self.planned.rmse(),
            rmse_measured: mean_square.sqrt(),
            marginals,
        })
    }

    /// Writes the simulated measurement of one trial, in the format of `measurement.bin`.
    ///
    /// # Errors
    /// What the sink reports.
    pub fn write_simulated(&self, seed: u64, trial: u64, sink: &mut dyn Sink, name: &str) -> Result<(), JobError> {
        let measured = self.planned.plan.simulate(&self.rows, seed, trial)?;
        let written = sink.write_with(name, &mut |mut out| measured.write_to(&mut out).map_err(io::Error::other));
        written.map(drop)
    }
}

/// Most answers of all trials together: some hours.
const MAX_STEPS: f64 = 1e11;

/// Refuses what would take too long: the answers of each trial.
fn check_steps(ready: &Ready, trials: u64) -> Result<(), JobError> {
    let answers: f64 = ready.planned.plan.marginals().map(|marginal| marginal.queries).sum();
    let steps = trials as f64 * answers;
    if steps <= MAX_STEPS {
        return Ok(());
    }
    let message = format!("the simulation would take {steps:.1e} steps; the limit is {MAX_STEPS:.0e}");
    Err(JobError::new("E0647", message).next("request fewer trials or tables"))
}

/// Sums over the trials of one marginal: of its errors, of the mean squared error of each trial,
/// and of the squares of those.
#[derive(Clone, Copy, Default)]
struct Sums {
    errors: f64,
    mean_squares: f64,
    squared_mean_squares: f64,
}

fn simulate(ready: &Ready, trials: u64, seed: u64, observer: &dyn Observer) -> Result<Vec<MarginalError>, JobError> {
    let (plan, rows) = (&ready.planned.plan, &ready.rows);
    let planned: Vec<PlannedMarginal> = plan.marginals().collect();
    let truths = planned.iter().map(|marginal| exact_answers(plan, rows, marginal.attributes));
    let truths: Vec<Vec<f64>> = truths.collect::<Result<_, _>>()?;
    let mut sums = vec![Sums::default(); planned.len()];
    let flag = observer.stop_flag();
    flag.begin(trials);
    for trial in 0..trials {
        check_stop(observer)?;
        let measured = plan.simulate(rows, seed, trial)?;
        for ((marginal, truth), sums) in planned.iter().zip(&truths).zip(&mut sums) {
            sums.add(measured.marginal(marginal.attributes)?.values.iter().copied(), truth);
        }
        flag.advance(1);
    }
    Ok(planned.iter().zip(sums).map(|(planned, sums)| sums.error(plan, planned, trials as f64)).collect())
}

impl Sums {
    /// Adds one trial.
    fn add(&mut self, values: impl Iterator<Item = f64>, truth: &[f64]) {
        let (mut errors, mut squares) = (0.0, 0.0);
        for (value, truth) in values.zip(truth) {
            let error = value - truth;
            (errors, squares) = (errors + error, squares + error * error);
        }
        let mean = squares / truth.len() as f64;
        self.errors += errors;
        self.mean_squares += mean;
        self.squared_mean_squares += mean * mean;
    }

    fn error(self, plan: &Design, planned: &PlannedMarginal, trials: f64) -> MarginalError {
        let measured = self.mean_squares / trials;
        // Answers of one trial depend on each other, trials do not: only their spread says how
        // far the measured variance is from its mean.
        let spread = (self.squared_mean_squares - trials * measured * measured).max(0.0) / (trials - 1.0);
        MarginalError {
            attributes: names(plan, planned.attributes),
            queries: planned.queries,
            variance_predicted: planned.mean_variance,
            variance_measured: measured,
            variance_standard_error: (trials > 1.0).then(|| (spread / trials).sqrt()),
            bias_measured: self.errors / (planned.queries * trials),
        }
    }
}

/// The answers without noise, query by query: by none of the shortcuts of what is tried.
fn exact_answers(plan: &Design, rows: &CountedRows, set: AttrSet) -> Result<Vec<f64>, JobError> {
    // One marginal of counts at a time: together they may be far larger than what is held anyway.
    let counts = rows.marginals(&[set]).map_err(|error| JobError::new("E0613", error.to_string()))?;
    let mut cells: Vec<f64> = counts.iter().flat_map(|table| table.cells()).map(|&count| count as f64).collect();
    let mut shape = plan.domain().shape(set);
    let bases: Vec<&QueryBasis> = plan.attributes().map(|attribute| attribute.basis).collect();
    for (axis, attribute) in set.iter().enumerate() {
        if *bases[attribute] != QueryBasis::Identity {
            cells = answers_along(bases[attribute], &cells, AxisLayout::of(&shape, axis));
            shape[axis] = bases[attribute].queries(shape[axis]);
        }
    }
    Ok(cells)
}

fn answers_along(basis: &QueryBasis, cells: &[f64], layout: AxisLayout) -> Vec<f64> {
    let AxisLayout { outer, length, inner } = layout;
    let queries = basis.queries(length);
    let mut answers = vec![0.0; outer * queries * inner];
    for query in 0..queries {
        let weights = basis.query(length, query).into_iter().enumerate();
        for (category, weight) in weights.filter(|(_, weight)| *weight != 0.0) {
            for block in 0..outer {
                let source = &cells[(block * length + category) * inner..][..inner];
                let target = &mut answers[(block * queries + query) * inner..][..inner];
                target.iter_mut().zip(source).for_each(|(answer, cell)| *answer += weight * cell);
            }
        }
    }
    answers
}
