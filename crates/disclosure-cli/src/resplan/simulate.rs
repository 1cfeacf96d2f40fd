//! `disclosure resplan simulate`: the error that was predicted beside the error that noise makes.

use disclosure::core::{AttrSet, CountSource};
use disclosure::resplan::Plan;
use privacy_data::Microdata;
use serde::Serialize;

use super::spec::Spec;
use super::{plan_of, rows_of};
use crate::args::SimulateArgs;
use crate::error::Failure;
use crate::files::{print, print_json};
use crate::progress;
use crate::screen::{Align, Table, count, short};

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
    variance_predicted: f64,
    variance_measured: f64,
    /// How far apart the two may be by chance: standard error of the measured variance if every cell's error were
    /// independent of the others (cells of one table share noise, so the true one is somewhat larger).
    variance_standard_error: f64,
    bias_measured: f64,
}

pub(super) fn run(args: &SimulateArgs) -> Result<(), Failure> {
    let spec = Spec::read(&args.spec)?;
    let plan = plan_of(&spec, &args.limits)?;
    let rows = rows_of(&spec, &args.data)?;
    let marginals = progress::during("simulating", || simulate(&plan, &rows, args))?;
    let cells: f64 = marginals.iter().map(|m| m.queries).sum();
    let mean_square: f64 = marginals.iter().map(|m| m.queries * m.variance_measured).sum::<f64>() / cells;
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
    if args.json { print_json(&report) } else { print(show(&report).as_bytes()) }
}

/// Sums of errors and of squared errors of every marginal.
fn simulate(plan: &Plan, rows: &Microdata, args: &SimulateArgs) -> Result<Vec<MarginalError>, Failure> {
    let sets: Vec<AttrSet> = plan.marginals().map(|m| m.attributes).collect();
    let mut sums = vec![(0.0, 0.0); sets.len()];
    for trial in 0..args.trials {
        let measured = plan.simulate(rows, args.seed, trial)?;
        for (&set, (sum, squares)) in sets.iter().zip(&mut sums) {
            // One truth at a time: together they may be far larger than what is held anyway.
            let truth = rows.marginals(&[set]).map_err(|error| Failure::new("E0613", error.to_string()))?;
            for (value, &truth) in measured.marginal(set)?.values.iter().zip(truth.iter().flat_map(|t| t.cells())) {
                let error = value - truth as f64;
                (*sum, *squares) = (*sum + error, *squares + error * error);
            }
        }
    }
    let report = |(planned, (sum, squares)): (disclosure::resplan::PlannedMarginal, (f64, f64))| {
        let draws = planned.cells * args.trials as f64;
        MarginalError {
            attributes: plan.domain().names(planned.attributes).map(str::to_owned).collect(),
            queries: planned.cells,
            variance_predicted: planned.variance,
            variance_measured: squares / draws,
            variance_standard_error: planned.variance * (2.0 / draws).sqrt(),
            bias_measured: sum / draws,
        }
    };
    Ok(plan.marginals().zip(sums).map(report).collect())
}

fn show(report: &SimulationReport) -> String {
    let mut table = Table::new([
        ("table", Align::Left),
        ("cells", Align::Right),
        ("sd predicted", Align::Right),
        ("sd measured", Align::Right),
        ("ratio", Align::Right),
    ]);
    for marginal in &report.marginals {
        let name = if marginal.attributes.is_empty() { "(total)".to_owned() } else { marginal.attributes.join(" × ") };
        let (predicted, measured) = (marginal.variance_predicted.sqrt(), marginal.variance_measured.sqrt());
        let ratio = if predicted > 0.0 { format!("{:.4}", measured / predicted) } else { "–".to_owned() };
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
