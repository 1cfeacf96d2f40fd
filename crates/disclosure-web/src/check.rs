//! The check: every part planned and judged, and nothing released.

use disclosure_jobs::JobError;

use crate::app::App;
use crate::checked::Checked;
use crate::jobfile::job_file;
use crate::parts::Alone;
use crate::prepare::{Prepared, prepare};
use crate::project::Project;
use crate::runner::Work;
use crate::{amounts, reports, synthetic};

/// Plans and judges the choices, and releases nothing.
///
/// # Errors
/// As [`prepare`].
pub(crate) fn check(app: &App, project: &Project, number: u32, work: &Work) -> Result<Checked, JobError> {
    if let Some(alone) = &project.choices().alone {
        return check_alone(app, project, alone, number, work);
    }
    let Prepared { planned, .. } = prepare(app, project, number, work)?;
    let found = planned.findings();
    Ok(Checked {
        choices: project.choices().clone(),
        targets: found.targets.clone(),
        audit: found.audit.clone(),
        plan: found.plan.clone(),
        withheld: found.linkage.cells.clone(),
        groups: found.filter_audit.clone(),
        labels: found.labels,
        amounts: None,
        spent: planned.manifest().budget.as_ref().map(|budget| (budget.spent_rho, budget.rho)),
    })
}

/// Reads the data of a release that goes by itself, which has no target and no exact number.
fn check_alone(app: &App, project: &Project, alone: &Alone, number: u32, work: &Work) -> Result<Checked, JobError> {
    let text = job_file(project, number)?;
    let (mut spent, mut amounts) = (None, None);
    match alone {
        Alone::Rows(part) => {
            synthetic::check(app, project, &text, number, work)?;
            spent = Some((part.rho, part.rho));
        }
        Alone::Reports(_) => reports::check(app, project, &text, work)?,
        Alone::Amounts(_) => amounts = Some(amounts::check(app, project, &text, number, work)?),
    }
    Ok(Checked {
        choices: project.choices().clone(),
        targets: Vec::new(),
        audit: None,
        plan: None,
        withheld: Vec::new(),
        groups: None,
        labels: None,
        amounts,
        spent,
    })
}
