//! The state of the workbench, and what every page does with it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use disclosure_jobs::JobError;
use disclosure_jobs::input::SourceOpener;
use disclosure_jobs::page::StoredRelease;
use disclosure_jobs::privacy_data::storage::Held;
use rand_core::CryptoRng;

use crate::checked::Checked;
use crate::choices::Choices;
use crate::folder::Folder;
use crate::form::Form;
use crate::guard::Guard;
use crate::project::Project;
use crate::runner::Runner;
use crate::screening::Screened;

/// The name of the project file in the folder of the workbench.
const PROJECT: &str = "project.json";

/// How long a job that was asked to stop has for it, when the workbench ends.
const LAST_STEPS: Duration = Duration::from_secs(5);

/// The generator of one release.
pub type Rng = Box<dyn CryptoRng + Send>;

/// What the program that starts the workbench supplies: this crate makes no random numbers and
/// looks at no clock.
pub struct Shell {
    /// What every address begins with: letters and digits, 128 random bits or more.
    pub token: String,
    /// Makes the generator of a release from the operating system.
    pub generator: Box<dyn Fn() -> Result<Rng, JobError> + Send + Sync>,
    /// The day, which dates a release whose choices do not.
    pub today: fn() -> String,
    /// What opens data that are not text: none in a program that reads text alone.
    pub openers: &'static [Box<dyn SourceOpener>],
}

/// The data that the workbench opens when it starts.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    /// A path to a file below the folder, or the address of a database.
    pub data: &'a Path,
    /// The table that is read, where an engine reads the data.
    pub table: Option<&'a str>,
    /// The query whose rows are read, in place of a table.
    pub query: Option<&'a str>,
}

/// Debug output has no token.
impl std::fmt::Debug for Shell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shell").finish_non_exhaustive()
    }
}

/// The workbench of one folder.
pub struct App {
    pub(crate) folder: Folder,
    pub(crate) shell: Shell,
    pub(crate) guard: Guard,
    pub(crate) runner: Runner,
    project: Mutex<Project>,
    /// What the last check found.
    pub(crate) checked: Mutex<Option<Arc<Checked>>>,
    /// Releases that were read, each with all its digests, by number.
    pub(crate) read: Mutex<BTreeMap<u32, Arc<StoredRelease>>>,
    /// How often a release was begun.
    pub(crate) attempts: AtomicU32,
    /// What the last screening predicted.
    pub(crate) screened: Mutex<Option<Arc<Screened>>>,
    /// The folder, while this is open.
    _held: Option<Box<dyn Held>>,
}

impl std::fmt::Debug for App {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("App").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl App {
    /// The workbench of a folder, with the choices that were kept there, on a port of this machine.
    ///
    /// # Errors
    /// E0702 for a folder that is not there, E0705 for a project file of another version, E0726
    /// for a folder of the workbench that leads elsewhere, E0727 while another workbench has it.
    pub fn open(folder: &Path, port: u16, shell: Shell) -> Result<Arc<Self>, JobError> {
        let folder = Folder::open(folder)?;
        folder.check_workbench()?;
        let held = folder.hold()?;
        let project = Project::load(&folder.workbench().join(PROJECT))?;
        let guard = Guard::new(shell.token.clone(), port);
        Ok(Arc::new(Self {
            folder,
            shell,
            guard,
            runner: Runner::default(),
            project: Mutex::new(project),
            checked: Mutex::default(),
            read: Mutex::default(),
            attempts: AtomicU32::new(0),
            screened: Mutex::default(),
            _held: held,
        }))
    }

    /// The path of the first page, which begins with the token.
    #[must_use]
    pub fn first_page(&self) -> String {
        self.guard.base()
    }

    /// Stops a job that is under way, and waits for its end.
    ///
    /// # Errors
    /// What the job ended with: whether it had spent a budget, for example.
    pub(crate) fn end(&self) -> Result<(), JobError> {
        let Some(work) = self.runner.current().filter(|work| work.is_running()) else { return Ok(()) };
        work.stop();
        work.wait(LAST_STEPS);
        work.status().outcome.unwrap_or_else(|| Err(work.before.stopped()))
    }

    /// The project. Nobody holds it for longer than a change takes.
    pub(crate) fn project(&self) -> MutexGuard<'_, Project> {
        self.project.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A copy of the project, to work on without holding it.
    pub(crate) fn snapshot(&self) -> Project {
        self.project().clone()
    }

    fn path(&self) -> PathBuf {
        self.folder.workbench().join(PROJECT)
    }

    /// Changes the project, keeps it, and gives it.
    ///
    /// # Errors
    /// E0707 for a change that was made on a page of an older state; what `change` refuses: the
    /// project is as it was then.
    pub(crate) fn change(
        &self,
        form: &Form,
        change: impl FnOnce(&mut Project) -> Result<(), JobError>,
    ) -> Result<Project, JobError> {
        let mut project = self.project();
        if form.text("revision") != project.revision().to_string() {
            let error = JobError::new(
                "E0707",
                "the choices were changed in another tab, or after this page was \
                loaded",
            );
            return Err(error.next("reload the page, and repeat the change"));
        }
        self.update(&mut project, change)?;
        // Of this state: another tab may change it as soon as it is not held.
        Ok(project.clone())
    }

    /// Changes the project at the end of a job, and keeps it.
    ///
    /// # Errors
    /// What `change` refuses: the project is as it was then.
    pub(crate) fn conclude(&self, change: impl FnOnce(&mut Project) -> Result<(), JobError>) -> Result<(), JobError> {
        self.update(&mut self.project(), change)
    }

    fn update(
        &self,
        project: &mut Project,
        change: impl FnOnce(&mut Project) -> Result<(), JobError>,
    ) -> Result<(), JobError> {
        let mut changed = project.clone();
        change(&mut changed)?;
        changed.save(&self.path())?;
        *project = changed;
        Ok(())
    }

    /// Changes the choices, keeps them, and gives the project.
    ///
    /// # Errors
    /// As [`change`](Self::change).
    pub(crate) fn choose(
        &self,
        form: &Form,
        change: impl FnOnce(&mut Choices) -> Result<(), JobError>,
    ) -> Result<Project, JobError> {
        self.change(form, |project| {
            let mut choices = project.choices().clone();
            change(&mut choices)?;
            project.apply(choices);
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use disclosure_jobs::observer::Observer;

    use super::*;

    fn shell() -> Shell {
        let generator = Box::new(|| Err(JobError::new("E0106", "no generator")));
        Shell { token: "0".repeat(32), generator, today: String::new, openers: &[] }
    }

    #[test]
    fn a_workbench_ends_with_what_its_job_ended_with() {
        let place = tempfile::tempdir().unwrap();
        let app = App::open(place.path(), 1, shell()).unwrap();
        assert_eq!(app.end(), Ok(()), "there is no job");
        let job = app.runner.start("charges a ledger, and is stopped", "", |work| {
            while !work.stop_flag().is_set() {
                std::thread::sleep(Duration::from_millis(1));
            }
            Err(JobError::stopped().after_spending(0.5, Path::new("ledger")))
        });
        job.unwrap();
        let ended = app.end().unwrap_err();
        assert!(ended.is_stop() && ended.is_after_spending(), "{ended}");
        assert_eq!(app.end(), Ok(()), "a job that has ended said so on its page");
    }
}
