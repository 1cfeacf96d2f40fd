//! `disclosure resplan`: plan, release, simulate.

mod budget;
mod spec;

mod report;

mod plan;
mod release;
mod simulate;

mod outputs;
mod show;

use disclosure::resplan::{Limits, Plan};
use privacy_data::{Microdata, read_csv};

use crate::args::{LimitArgs, ResplanCommand};
use crate::error::Failure;
use crate::files::open;
use crate::progress;
use spec::Spec;

/// Carries a subcommand out.
pub(crate) fn run(command: ResplanCommand) -> Result<(), Failure> {
    match command {
        ResplanCommand::Plan { spec, limits, target_rmse, target_sd, json } => {
            plan::run(&spec, &limits, [target_rmse, target_sd], json)
        }
        ResplanCommand::Release(args) => release::run(&args),
        ResplanCommand::Simulate(args) => simulate::run(&args),
    }
}

/// The plan of a spec, or a refusal that says how much it would take.
fn plan_of(spec: &Spec, limits: &LimitArgs) -> Result<Plan, Failure> {
    let limits = Limits {
        marginals: limits.max_marginals as f64,
        cells: limits.max_cells as f64,
        bytes: limits.max_memory as f64 * 1024.0 * 1024.0,
    };
    let plan = progress::during("planning", || Plan::new(spec.plan.clone(), &limits));
    plan.map_err(|error| Failure::from(error).within(&spec.path))
}

/// The coded rows of the data file.
fn rows_of(spec: &Spec, data: &std::path::Path) -> Result<Microdata, Failure> {
    read_csv(open(data)?, &spec.schema, &spec.csv).map_err(|error| Failure::from(error).within(data))
}
