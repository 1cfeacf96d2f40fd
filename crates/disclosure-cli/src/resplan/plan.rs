//! `disclosure resplan plan`: every error, before any data is seen.

use disclosure::core::accounting::PrivacyCost;
use disclosure::core::param::{ParamError, StdDev};
use disclosure::resplan::Plan;

use super::job::Job;
use super::report::PlanReport;
use super::show::show_plan;
use super::stored;
use crate::args::PlanArgs;
use crate::display::{short, short_up};
use crate::error::Failure;
use crate::files::{named, print, print_json, say};

/// Shows the plan and, for the targets that are given, the least budgets: of a root mean square error, and of a
/// largest standard deviation. Stores it when it is asked to.
pub(super) fn run(args: &PlanArgs) -> Result<(), Failure> {
    let (job, plan) = Job::read(&args.spec, &args.limits)?;
    job.answer_names(&plan)?;
    let mut report = PlanReport::of(&job, &plan);
    let (rmse, sd) = (args.target_rmse, args.target_sd);
    report.rho_for_target_rmse = rmse.map(|target| rho_for(&plan, target, Plan::cost_for_rmse)).transpose()?;
    report.rho_for_target_sd = sd.map(|target| rho_for(&plan, target, Plan::cost_for_largest_sd)).transpose()?;
    if plan.check_domain(job.columns.schema.domain()).is_err() {
        say("The domain was learnt from the data: a release refuses it until it is declared public.");
    }
    if let Some(file) = &args.output {
        stored::write(named(file)?, &job, &plan)?;
        say(&format!("Stored the plan: disclosure resplan release {} DATA.csv -o DIR", file.display()));
    }
    if args.json {
        return print_json(&report);
    }
    let mut text = show_plan(&report, None);
    let mut answer = |rho: Option<f64>, target: Option<f64>, words: &str| {
        if let (Some(rho), Some(target)) = (rho, target) {
            text += &format!("\n  {words} {} takes rho {}\n", short(target), short_up(rho));
        }
    };
    answer(report.rho_for_target_rmse, rmse, "a root mean square error of");
    answer(report.rho_for_target_sd, sd, "a largest standard deviation of");
    print(text.as_bytes())
}

type CostFor = fn(&Plan, StdDev) -> Result<PrivacyCost, ParamError>;

fn rho_for(plan: &Plan, target: f64, cost_for: CostFor) -> Result<f64, Failure> {
    let cost = StdDev::new(target).and_then(|target| cost_for(plan, target));
    Ok(cost.map_err(|error| Failure::new("E0225", format!("the target: {error}")))?.rho().get())
}
