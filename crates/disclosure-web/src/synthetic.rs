//! Synthetic rows: what a budget buys before it is spent, and the release.

use disclosure_jobs::JobError;
use disclosure_jobs::adaptive::{AdaptiveJob, AdaptivePlanDocument, AdaptivePlanned};
use disclosure_jobs::document::Titled;
use disclosure_jobs::input::MemoryFiles;
use disclosure_jobs::limits::Limits;
use disclosure_jobs::observer::{Observer, during};
use disclosure_jobs::sink::Sink;

use crate::app::App;
use crate::attributes::wanted_attributes;
use crate::jobfile::{JobFile, file_names};
use crate::parts::SyntheticRows;
use crate::prepare::{MOST_MIB, ledger, opened};
use crate::project::Project;
use crate::runner::Work;
use crate::specs::rows_plan;
use crate::tradeoff::{LIVE, guess};

/// A plan of synthetic rows at a budget.
#[derive(Debug)]
pub(crate) struct RowsTradeOff {
    /// `plan.json`.
    pub(crate) plan: AdaptivePlanDocument,
    /// Sentences on a budget that protects little.
    pub(crate) warnings: Vec<String>,
    /// How often an attacker with even odds guesses right at most whether one person is in the
    /// data.
    pub(crate) guess: f64,
}

impl RowsTradeOff {
    /// The plan of the choices that are shown, at a budget. No row is read.
    ///
    /// # Errors
    /// What planning refuses; E0710 for more tables than a page plans with.
    pub(crate) fn new(project: &Project, part: &SyntheticRows) -> Result<Self, JobError> {
        check_size(project)?;
        let (spec, files) = rows_plan(project, part)?;
        let planned = AdaptiveJob::parse(&spec, &files)?.plan(&LIVE)?;
        let plan = planned.document();
        Ok(Self { guess: guess(plan.rho, None), warnings: planned.warnings(), plan })
    }
}

/// Refuses more tables than a page plans with, by their number alone.
fn check_size(project: &Project) -> Result<(), JobError> {
    let (choices, Some(opening)) = (project.choices(), project.opening()) else { return Ok(()) };
    let attributes = wanted_attributes(opening, choices)?.len() as f64;
    let (mut tables, mut of_order) = (0.0, 1.0);
    for order in 1..=choices.tables.up_to {
        of_order *= (attributes - order as f64 + 1.0).max(0.0) / order as f64;
        tables += of_order;
    }
    let largest = choices.tables.sets.iter().map(Vec::len).max().unwrap_or(0);
    match tables > LIVE.marginals as f64 || largest > 14 {
        true => Err(JobError::new("E0710", "planning these tables takes too long for a page")
            .next("choose fewer attributes per table, or use `disclosure adaptive plan`")),
        false => Ok(()),
    }
}

/// A plan for the release of this text.
fn planned(app: &App, text: &JobFile, number: u32) -> Result<AdaptivePlanned, JobError> {
    let files = MemoryFiles::default().with(file_names(number)[1].as_str(), text.domain.clone());
    let planned = AdaptiveJob::parse(&text.job, &files)?.plan(&Limits::default())?;
    Ok(planned.with_default_date(&(app.shell.today)()))
}

/// Plans, and reads and checks the rows; nothing is drawn or spent.
///
/// # Errors
/// As [`AdaptiveJob::plan`] and [`AdaptivePlanned::read`]; what the ledger refuses.
pub(crate) fn check(app: &App, project: &Project, text: &JobFile, number: u32, work: &Work) -> Result<(), JobError> {
    let planned = planned(app, text, number)?;
    ledger(app, project.choices(), &mut (app.shell.generator)()?).check(&planned.charge_request())?;
    let source = opened(app, project.choices(), work)?;
    planned.read(&source, work)?;
    Ok(())
}

/// Charges the ledger, chooses, measures, models and draws rows, and writes everything.
///
/// # Errors
/// As [`check`], [`disclosure_jobs::adaptive::AdaptiveReady::release`] and those of the sink.
pub(crate) fn release(
    app: &App,
    project: &Project,
    text: &JobFile,
    number: u32,
    sink: &mut dyn Sink,
    work: &Work,
) -> Result<(), JobError> {
    let planned = planned(app, text, number)?;
    planned.warnings().iter().for_each(|words| work.note(words));
    let mut ledger = ledger(app, project.choices(), &mut (app.shell.generator)()?);
    ledger.check(&planned.charge_request())?;
    let source = opened(app, project.choices(), work)?.into_snapshot(MOST_MIB)?;
    let ready = planned.read(&source, work)?;
    let released = ready.release(&mut *ledger, work, &mut *(app.shell.generator)()?)?;
    during(work, "writing", || released.write(sink))?;
    Ok(())
}
