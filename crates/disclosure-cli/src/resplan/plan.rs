//! `disclosure resplan plan`: every error, before any data is seen.

use std::path::Path;

use disclosure::core::param::StdDev;
use disclosure::resplan::Plan;

use super::plan_of;
use super::report::PlanReport;
use super::show::show_plan;
use super::spec::Spec;
use crate::args::LimitArgs;
use crate::error::Failure;
use crate::files::{print, print_json, say};
use crate::screen::{short, short_up};

/// Shows the plan and, for the targets that are given, the least budgets: of a root mean square error, and of a
/// largest standard deviation.
pub(super) fn run(spec: &Path, limits: &LimitArgs, targets: [Option<f64>; 2], json: bool) -> Result<(), Failure> {
    let spec = Spec::read(spec)?;
    let plan = plan_of(&spec, limits)?;
    let mut report = PlanReport::of(&spec, &plan);
    let [rmse, sd] = targets;
    report.rho_for_target_rmse = rmse.map(|target| rho_for(&plan, target, Plan::cost_for_rmse)).transpose()?;
    report.rho_for_target_sd = sd.map(|target| rho_for(&plan, target, Plan::cost_for_largest_sd)).transpose()?;
    if plan.check_domain(spec.schema.domain()).is_err() {
        say("The domain was learnt from the data: a release refuses it until it is declared public.");
    }
    if json {
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

type CostFor =
    fn(&Plan, StdDev) -> Result<disclosure::core::accounting::PrivacyCost, disclosure::core::param::ParamError>;

fn rho_for(plan: &Plan, target: f64, cost_for: CostFor) -> Result<f64, Failure> {
    let cost = StdDev::new(target).and_then(|target| cost_for(plan, target));
    Ok(cost.map_err(|error| Failure::new("E0225", format!("the target: {error}")))?.rho().get())
}
