//! From choices to a job that is planned and judged: what a check and a release have in common.

use std::path::PathBuf;

use disclosure_jobs::JobError;
use disclosure_jobs::exact::{AuditDocument, PlanDocument};
use disclosure_jobs::filter;
use disclosure_jobs::input::{CsvSource, MemoryFiles};
use disclosure_jobs::ledger::{FileLedger, Ledger, NewLedger, Uncounted};
use disclosure_jobs::observer::{Observer, during};
use disclosure_jobs::pipeline::{Job, LinkageFinding, Planned, TargetDocument};
use disclosure_jobs::secret::{make_secret, read_secret};

use crate::app::{App, Rng};
use crate::choices::Choices;
use crate::jobfile::{JobFile, KEY, LEDGER, file_names, job_file};
use crate::project::Project;
use crate::runner::Work;

/// Most data that a job holds in memory, in mebibytes.
const MOST_MIB: u64 = 4096;

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
    let data = app.folder.file(choices.data.as_deref().unwrap_or_default())?;
    let source = CsvSource::file(data).with_format(job.format().clone()).with_stop(work.stop_flag());
    let source = during(work, "reading the data", || source.into_snapshot(MOST_MIB))?;
    let ledger = ledger(app, choices, &mut maker);
    let planned = job.plan_against(&source, &*ledger, work)?.with_default_date(&(app.shell.today)());
    // The noise has a generator of its own: what a secret or a ledger drew does not move it.
    let rng = (app.shell.generator)()?;
    Ok(Prepared { planned, ledger, rng, key, text })
}

/// The ledger of the workbench: the one that is there, or one that the first release makes.
fn ledger(app: &App, choices: &Choices, rng: &mut Rng) -> Box<dyn Ledger> {
    let path = app.folder.workbench().join(LEDGER);
    match choices.ledger.filter(|_| choices.noise.is_some()) {
        None => Box::new(Uncounted),
        Some(_) if path.exists() => Box::new(FileLedger::at(&path)),
        Some(rho) => Box::new(NewLedger::at(&path, rho, rng)),
    }
}

/// What a check found, for the owner of the data.
#[derive(Debug)]
pub(crate) struct Checked {
    /// The choices that were checked.
    pub(crate) choices: Choices,
    /// Every target with its result.
    pub(crate) targets: Vec<TargetDocument>,
    /// What would follow if all exact tables were published as they are wanted.
    pub(crate) audit: Option<AuditDocument>,
    /// What is done about it.
    pub(crate) plan: Option<PlanDocument>,
    /// Numbers that the exact part withholds, with what all exact numbers tell about each.
    pub(crate) withheld: Vec<LinkageFinding>,
    /// What becomes of every group.
    pub(crate) groups: Option<filter::AuditDocument>,
    /// What all noise spends, and what of it is allowed.
    pub(crate) spent: Option<(f64, f64)>,
}

/// Plans and judges the choices, and releases nothing.
///
/// # Errors
/// As [`prepare`].
pub(crate) fn check(app: &App, project: &Project, number: u32, work: &Work) -> Result<Checked, JobError> {
    let Prepared { planned, .. } = prepare(app, project, number, work)?;
    let found = planned.findings();
    Ok(Checked {
        choices: project.choices().clone(),
        targets: found.targets.clone(),
        audit: found.audit.clone(),
        plan: found.plan.clone(),
        withheld: found.linkage.cells.clone(),
        groups: found.filter_audit.clone(),
        spent: planned.manifest().budget.as_ref().map(|budget| (budget.spent_rho, budget.rho)),
    })
}
