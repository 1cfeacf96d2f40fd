//! Randomised answers: what a report costs and what the reports will say, and the release.

use disclosure_jobs::JobError;
use disclosure_jobs::document::Imprint;
use disclosure_jobs::reports::{self, Job};
use disclosure_jobs::sink::Sink;

use crate::app::App;
use crate::attributes::sizes;
use crate::jobfile::JobFile;
use crate::parts::Reports;
use crate::prepare::opened;
use crate::project::Project;
use crate::runner::Work;
use crate::specs::reports_schema;

/// Most answers of all columns of a report that a page plans with.
const MOST_ANSWERS: usize = 20_000;

/// What the choices say of a report, before a row is read.
#[derive(Debug)]
pub(crate) struct ReportsPlan {
    /// Epsilon of a whole report.
    pub(crate) epsilon: f64,
    /// Sentences on a report that protects little.
    pub(crate) warnings: Vec<String>,
    /// Each column: its name, how many answers it has, and the standard error of the number of
    /// people with an answer.
    pub(crate) columns: Vec<(String, usize, f64)>,
}

impl ReportsPlan {
    /// The plan of the choices that are shown, at an epsilon for each answer.
    ///
    /// # Errors
    /// E0706 and E0713 for columns that are not reported; E0710 for more answers than a page plans
    /// with; those of a schema.
    pub(crate) fn new(project: &Project, part: &Reports) -> Result<Self, JobError> {
        check_size(project, part)?;
        let job = Job::parse(&reports_schema(project, part)?)?;
        let rows = project.opening().map_or(0, |opening| opening.rows) as f64;
        let columns = job.schema().features().iter().map(|feature| {
            let attribute = feature.attribute();
            let (answers, epsilon) = (attribute.cardinality(), part.epsilon);
            (attribute.name().to_owned(), answers, (rows * variance(answers, epsilon)).sqrt())
        });
        let columns = columns.collect();
        Ok(Self { epsilon: job.schema().epsilon_per_report(), warnings: job.warnings(), columns })
    }
}

/// Refuses more answers than a page plans with, by their number alone.
fn check_size(project: &Project, part: &Reports) -> Result<(), JobError> {
    let Some(opening) = project.opening() else { return Ok(()) };
    let sizes = sizes(opening, project.choices())?.into_iter();
    let answers: usize = sizes.filter(|(name, _)| part.features.contains(name)).map(|(_, size)| size).sum();
    match answers > MOST_ANSWERS {
        true => Err(JobError::new("E0710", "planning reports with more than 20,000 answers takes too long for a page")
            .next("report fewer columns, or use `disclosure ldp plan`")),
        false => Ok(()),
    }
}

/// Variance that randomising adds to the number of people with a rare answer, for each report:
/// randomised response for two answers, optimised unary encoding for more (Wang et al. 2017).
fn variance(answers: usize, epsilon: f64) -> f64 {
    let (e, growth) = (epsilon.exp(), epsilon.exp_m1());
    if answers == 2 { e / (growth * growth) } else { 4.0 * e / (growth * growth) }
}

/// Reads and checks the rows; nothing is drawn.
///
/// # Errors
/// Those of data that do not fit the schema.
pub(crate) fn check(app: &App, project: &Project, text: &JobFile, work: &Work) -> Result<(), JobError> {
    let source = opened(app, project.choices(), work)?;
    Job::parse(&text.job)?.plan(&source, &reports::Rounds::Unstated, work)?;
    Ok(())
}

/// Randomises every row once, counts and estimates, and writes everything.
///
/// # Errors
/// As [`reports::release`].
pub(crate) fn release(
    app: &App,
    project: &Project,
    text: &JobFile,
    sink: &mut dyn Sink,
    work: &Work,
) -> Result<(), JobError> {
    let (job, choices) = (Job::parse(&text.job)?, project.choices());
    let source = opened(app, choices, work)?;
    let owner = Some(choices.owner.clone()).filter(|owner| !owner.is_empty());
    let imprint = Imprint { owner, date: Some((app.shell.today)()) };
    let rng = &mut *(app.shell.generator)()?;
    reports::release(&job, choices.shown_title(), imprint, &source, sink, work, rng)?;
    Ok(())
}
