//! From choices to a job that is planned and judged: what a check and a release have in common.

use std::path::PathBuf;

use disclosure_jobs::JobError;
use disclosure_jobs::input::{MemoryFiles, OpenedSource};
use disclosure_jobs::ledger::{FileLedger, Ledger, NewLedger, Uncounted};
use disclosure_jobs::observer::{Observer, during};
use disclosure_jobs::pipeline::{Job, Planned};
use disclosure_jobs::secret::{make_secret, read_secret};

use crate::app::{App, Rng};
use crate::choices::Choices;
use crate::data::Data;
use crate::jobfile::{JobFile, KEY, LEDGER, file_names, job_file};
use crate::project::Project;
use crate::runner::Work;

/// Most data that a job holds in memory, in mebibytes.
pub(crate) const MOST_MIB: u64 = 4096;

/// A job that was planned and judged.
pub(crate) struct Prepared {
    /// The plan with what was found.
    pub(crate) planned: Planned,
    /// What will be charged.
    pub(crate) ledger: Box<dyn Ledger>,
    /// The generator of the release.
    pub(crate) rng: Rng,
    /// The file of the secret, where the job has one.
    pub(crate) key: Option<PathBuf>,
    /// The texts of the job.
    pub(crate) text: JobFile,
}

/// Plans and judges the job of the choices. Nothing is drawn or spent; a filter gets its secret.
///
/// # Errors
/// As [`Job::plan`]; E0106 without random numbers.
pub(crate) fn prepare(app: &App, project: &Project, number: u32, work: &Work) -> Result<Prepared, JobError> {
    let text = job_file(project, number)?;
    let files = MemoryFiles::default().with(file_names(number)[1].as_str(), text.domain.clone());
    let job = Job::parse(&text.job, &files)?;
    job.warnings().iter().for_each(|words| work.note(words));
    let choices = project.choices();
    let mut maker = (app.shell.generator)()?;
    let key = job.needs_secret().then(|| app.folder.workbench().join(KEY));
    let job = match &key {
        Some(path) => {
            make_secret(path, work, &mut *maker)?;
            job.with_secret(read_secret(path)?)
        }
        None => job,
    };
    let source = opened(app, choices, work)?;
    let source = during(work, "reading the data", || source.into_snapshot(MOST_MIB))?;
    let ledger = ledger(app, choices, &mut maker);
    let planned = job.plan_against(&source, &*ledger, work)?.with_default_date(&(app.shell.today)());
    // The noise has a generator of its own: what a secret or a ledger drew does not move it.
    let rng = (app.shell.generator)()?;
    Ok(Prepared { planned, ledger, rng, key, text })
}

/// The data of the choices, opened.
///
/// # Errors
/// As [`Data::of`] and [`Data::open`].
pub(crate) fn opened(app: &App, choices: &Choices, work: &Work) -> Result<OpenedSource, JobError> {
    Data::of(app, choices)?.open(app, &work.stop_flag())
}

/// The ledger of the workbench: the one that is there, or one that the first release makes.
pub(crate) fn ledger(app: &App, choices: &Choices, rng: &mut Rng) -> Box<dyn Ledger> {
    let path = app.folder.workbench().join(LEDGER);
    match choices.ledger.filter(|_| choices.is_noised()) {
        None => Box::new(Uncounted),
        Some(_) if path.exists() => Box::new(FileLedger::at(&path)),
        Some(rho) => Box::new(NewLedger::at(&path, rho, rng)),
    }
}
