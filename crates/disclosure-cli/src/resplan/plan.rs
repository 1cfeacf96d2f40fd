//! `disclosure resplan plan`: every error, before any data is seen.

use disclosure_jobs::marginals::PlanDocument;

use super::planned;
use super::show::show_plan;
use crate::args::PlanArgs;
use crate::display::{short, short_up};
use crate::error::Failure;
use crate::files::{note, print_json, print_text, say, warn};
use crate::observer::Terminal;

/// Shows the plan and the smallest budgets for the targets that are given. Stores it when asked
/// to.
pub(super) fn run(args: &PlanArgs) -> Result<(), Failure> {
    let output = args.output.as_deref().map(|path| args.write.file(path)).transpose()?;
    let planned = planned(&args.spec, args.weights, &args.limits.limits(), &Terminal)?;
    warn(&planned.warnings());
    let mut document = planned.document();
    document.gap_to_any_mechanism = planned.gap_to_any_mechanism();
    document.rho_for_target_rmse = args.target_rmse.map(|target| planned.rho_for_rmse(target)).transpose()?;
    document.rho_for_target_sd = args.target_sd.map(|target| planned.rho_for_largest_sd(target)).transpose()?;
    if planned.domain_is_learnt() {
        note("The domain was learnt from the data. Releases refuse it until you declare it public.");
    }
    if let Some(output) = output {
        output.write(planned.to_stored().as_bytes())?;
        say(&format!(
            "Stored the plan. Release it with: disclosure resplan release {} DATA.csv -o DIR",
            output.path().display()
        ));
    }
    if args.json {
        return print_json(&document);
    }
    print_text(&(show_plan(&document, None) + &targets(args, &document)))
}

/// What the targets take.
fn targets(args: &PlanArgs, document: &PlanDocument) -> String {
    let asked = [
        ("a root mean square error of", args.target_rmse, document.rho_for_target_rmse),
        ("a largest standard deviation of", args.target_sd, document.rho_for_target_sd),
    ];
    let mut text = String::new();
    for (what, target, rho) in asked {
        if let (Some(target), Some(rho)) = (target, rho) {
            text += &format!("\n  {what} {} requires rho {}\n", short(target), short_up(rho));
        }
    }
    text
}
