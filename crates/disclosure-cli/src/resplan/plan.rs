//! `disclosure resplan plan`: every error, before any data is seen.

use std::path::Path;

use super::plan_of;
use super::report::PlanReport;
use super::show::show_plan;
use super::spec::Spec;
use crate::args::LimitArgs;
use crate::error::Failure;
use crate::files::{print, print_json, say};

pub(super) fn run(spec: &Path, limits: &LimitArgs, json: bool) -> Result<(), Failure> {
    let spec = Spec::read(spec)?;
    let plan = plan_of(&spec, limits)?;
    let report = PlanReport::of(&spec, &plan);
    if plan.check_domain(spec.schema.domain()).is_err() {
        say("The domain was learnt from the data: a release refuses it until it is declared public.");
    }
    if json { print_json(&report) } else { print(show_plan(&report, None).as_bytes()) }
}
