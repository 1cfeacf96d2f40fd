//! `disclosure resplan simulate`: the error that was predicted beside the error that noise makes.

use std::io;

use disclosure::core::subsets::AxisLayout;
use disclosure::core::{AttrSet, CountSource};
use disclosure::resplan::{Plan, PlannedMarginal, QueryBasis};
use privacy_data::{Microdata, write_atomic_with};
use serde::Serialize;

use super::job::Job;
use super::show::name_of;
use crate::args::SimulateArgs;
use crate::display::{Align, Table, count, short};
use crate::error::Failure;
use crate::files::{named, print, print_json, say};
use crate::progress;

/// Measured beside predicted, over all trials.
#[derive(Debug, Serialize)]
struct SimulationReport {
    schema: &'static str,
    kind: &'static str,
    noise: &'static str,
    trials: u64,
    seed: u64,
    rmse_predicted: f64,
    rmse_measured: f64,
    marginals: Vec<MarginalError>,
}

#[derive(Debug, Serialize)]
struct MarginalError {
    attributes: Vec<String>,
    queries: f64,
    /// Mean over the answers, as are those below.
    variance_predicted: f64,
    variance_measured: f64,
    /// How far apart the two may be by chance: standard error of the measured variance, from the spread of the trials; not
    /// defined for one trial.
    variance_standard_error: f64,
    bias_measured: f64,
}

pub(super) fn run(args: &SimulateArgs) -> Result<(), Failure> {
    let (job, plan) = Job::read(&args.spec, &args.limits)?;
    let rows = job.rows(&args.data)?;
    let marginals = progress::during("simulating", || simulate(&plan, &rows, args))?;
    let answers: f64 = marginals.iter().map(|m| m.queries).sum();
    let mean_square: f64 = marginals.iter().map(|m| m.queries * m.variance_measured).sum::<f64>() / answers;
    let report = SimulationReport {
        schema: "disclosure.resplan-simulation/1",
        kind: "calibration",
        noise: "continuous, simulated; nothing here may be published",
        trials: args.trials,
        seed: args.seed,
        rmse_predicted: plan.rmse(),
        rmse_measured: mean_square.sqrt(),
        marginals,
    };
    if let Some(file) = &args.output {
        let first = plan.simulate(&rows, args.seed, 0)?;
        write_atomic_with(named(file)?, |mut out| first.write_to(&mut out).map_err(io::Error::other))?;
        say(&format!(
            "Stored the simulated measurement of the first trial: disclosure resplan answer {}",
            file.display()
        ));
    }
    if args.json { print_json(&report) } else { print(show(&report).as_bytes()) }
}

/// Sums of errors and of squared errors of every marginal.
fn simulate(plan: &Plan, rows: &Microdata, args: &SimulateArgs) -> Result<Vec<MarginalError>, Failure> {
    let planned: Vec<PlannedMarginal> = plan.marginals().collect();
    let truths: Vec<Vec<f64>> =
        planned.iter().map(|marginal| exact_answers(plan, rows, marginal.attributes)).collect::<Result<_, _>>()?;
    // Of the errors, of the trials' mean squared errors, and of the squares of those.
    let mut sums = vec![(0.0, 0.0, 0.0); planned.len()];
    for trial in 0..args.trials {
        let measured = plan.simulate(rows, args.seed, trial)?;
        for ((marginal, truth), (sum, means, squares)) in planned.iter().zip(&truths).zip(&mut sums) {
            let (mut errors, mut of_trial) = (0.0, 0.0);
            for (value, truth) in measured.marginal(marginal.attributes)?.values.iter().zip(truth) {
                let error = value - truth;
                (errors, of_trial) = (errors + error, of_trial + error * error);
            }
            let mean = of_trial / marginal.queries;
            (*sum, *means, *squares) = (*sum + errors, *means + mean, *squares + mean * mean);
        }
    }
    let trials = args.trials as f64;
    let report = |(planned, (sum, means, squares)): (PlannedMarginal, (f64, f64, f64))| {
        let measured = means / trials;
        // Answers of one trial depend on each other, trials do not: the spread of the trials is what tells.
        let spread = (squares - trials * measured * measured).max(0.0) / (trials - 1.0);
        let standard_error = if trials > 1.0 { (spread / trials).sqrt() } else { f64::NAN };
        MarginalError {
            attributes: plan.domain().names(planned.attributes).map(str::to_owned).collect(),
            queries: planned.queries,
            variance_predicted: planned.mean_variance,
            variance_measured: measured,
            variance_standard_error: standard_error,
            bias_measured: sum / (planned.queries * trials),
        }
    };
    Ok(planned.into_iter().zip(sums).map(report).collect())
}

/// The answers without noise: query by query, by none of the shortcuts of what is being tried.
fn exact_answers(plan: &Plan, rows: &Microdata, set: AttrSet) -> Result<Vec<f64>, Failure> {
    // One marginal of counts at a time: together they may be far larger than what is held anyway.
    let counts = rows.marginals(&[set]).map_err(|error| Failure::new("E0613", error.to_string()))?;
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
        for (category, weight) in
            basis.query(length, query).into_iter().enumerate().filter(|(_, weight)| *weight != 0.0)
        {
            for block in 0..outer {
                let source = &cells[(block * length + category) * inner..][..inner];
                let target = &mut answers[(block * queries + query) * inner..][..inner];
                target.iter_mut().zip(source).for_each(|(answer, cell)| *answer += weight * cell);
            }
        }
    }
    answers
}

fn show(report: &SimulationReport) -> String {
    let mut table = Table::new([
        ("table", Align::Left),
        ("answers", Align::Right),
        ("sd predicted", Align::Right),
        ("sd measured", Align::Right),
        ("ratio", Align::Right),
    ]);
    for marginal in &report.marginals {
        let (predicted, measured) = (marginal.variance_predicted.sqrt(), marginal.variance_measured.sqrt());
        let ratio = if predicted > 0.0 { format!("{:.4}", measured / predicted) } else { "–".to_owned() };
        let name = name_of(&marginal.attributes);
        table.row([name, count(marginal.queries), short(predicted), short(measured), ratio]);
    }
    format!(
        "\n  {} trials of simulated noise under seed {}: nothing here may be published\n  \
         root mean square error: predicted {}, measured {}\n\n{}",
        report.trials,
        report.seed,
        short(report.rmse_predicted),
        short(report.rmse_measured),
        table.render()
    )
}
