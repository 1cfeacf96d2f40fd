//! Tables of amounts: what is withheld and why, and the release.

use disclosure_jobs::JobError;
use disclosure_jobs::amounts::{Job, PlanOptions, Planned};
use disclosure_jobs::input::MemoryFiles;
use disclosure_jobs::observer::during;
use disclosure_jobs::sink::Sink;

use crate::app::App;
use crate::checked::AmountsFound;
use crate::choices::Choices;
use crate::jobfile::{JobFile, file_names};
use crate::prepare::opened;
use crate::project::Project;
use crate::runner::Work;

fn planned(app: &App, choices: &Choices, text: &JobFile, number: u32, work: &Work) -> Result<Planned, JobError> {
    let files = MemoryFiles::default().with(file_names(number)[1].as_str(), text.domain.clone());
    let job = Job::parse(&text.job, choices.shown_title(), &files)?;
    let source = opened(app, choices, work)?;
    job.load(&source, work)?.plan(work)
}

/// Reads the data and plans which cells are withheld; nothing is written.
///
/// # Errors
/// As [`Job::load`] and [`disclosure_jobs::amounts::LoadedJob::plan`].
pub(crate) fn check(
    app: &App,
    project: &Project,
    text: &JobFile,
    number: u32,
    work: &Work,
) -> Result<AmountsFound, JobError> {
    let planned = planned(app, project.choices(), text, number, work)?;
    planned.check_columns()?;
    let (plan, _) = planned.document(PlanOptions::default(), work)?;
    Ok(AmountsFound { plan, published: planned.published()? })
}

/// Plans, and writes the table without the cells that are withheld.
///
/// # Errors
/// As [`check`], and those of the sink.
pub(crate) fn release(
    app: &App,
    project: &Project,
    text: &JobFile,
    number: u32,
    sink: &mut dyn Sink,
    work: &Work,
) -> Result<(), JobError> {
    let planned = planned(app, project.choices(), text, number, work)?;
    during(work, "writing", || planned.write(sink))?;
    Ok(())
}
