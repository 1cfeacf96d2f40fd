//! One setting after the other, each within what is left of the time.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use disclosure::frechet::{CellStatus, MarginAction, ReleasePlan};
use disclosure::privacy_core::stop::StopFlag;

use super::setting::Setting;
use super::{PublishedNumbers, SettingDocument, SettingOutcome};
use crate::error::JobError;
use crate::exact::job::LoadedJob;
use crate::observer::Observer;

/// How long other settings are tried. A setting whose time is over is no setting that misses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrialLimits {
    /// For all settings together.
    pub all: Duration,
    /// For one of them.
    pub each: Duration,
}

/// How often the watching thread looks at the observer's flag.
const LOOK: Duration = Duration::from_millis(20);

/// Trials of settings until a deadline, or until the observer stops them.
pub(super) struct Trials<'a> {
    deadline: Instant,
    each: Duration,
    observer: &'a dyn Observer,
}

impl<'a> Trials<'a> {
    pub(super) fn new(limits: TrialLimits, observer: &'a dyn Observer) -> Self {
        Self { deadline: Instant::now() + limits.all, each: limits.each, observer }
    }

    /// Plans the changed job and runs the attacker on the plan, as a release of it would.
    pub(super) fn setting(&mut self, job: &LoadedJob, setting: &Setting) -> SettingDocument {
        let (outcome, numbers) = self.outcome(job, setting);
        SettingDocument { setting: setting.words(job), outcome, numbers }
    }

    fn outcome(&self, job: &LoadedJob, setting: &Setting) -> (SettingOutcome, Option<PublishedNumbers>) {
        let now = Instant::now();
        if now >= self.deadline || self.observer.stop_flag().is_set() {
            return (SettingOutcome::NotTried, None);
        }
        let until = self.deadline.min(now + self.each);
        let Some(mut changed) = setting.applied_to(job) else { return (SettingOutcome::Misses, None) };
        let result = until_time(until, self.observer, |stop| {
            changed.limits.stop = stop;
            changed.release_plan().and_then(|plan| numbers_that_meet(&changed, &plan))
        });
        match result {
            Ok(Some(numbers)) if numbers.exact + numbers.noised == 0 && job.disclosed.publish.is_empty() => {
                (SettingOutcome::PublishesNothing, Some(numbers))
            }
            Ok(Some(numbers)) => (SettingOutcome::Passes, Some(numbers)),
            Err(error) if error.has_code("E0108") => (SettingOutcome::OutOfTime, None),
            // A change that cannot be planned is no setting that passes.
            Ok(None) | Err(_) => (SettingOutcome::Misses, None),
        }
    }
}

/// What a plan publishes, if it meets its target.
fn numbers_that_meet(job: &LoadedJob, plan: &ReleasePlan) -> Result<Option<PublishedNumbers>, JobError> {
    use disclosure::frechet::Error;
    match plan.check(job.table()?) {
        Ok(_) => {}
        Err(Error::TargetMissed { .. }) => return Ok(None),
        Err(error) => return Err(error.into()),
    }
    let mut numbers = PublishedNumbers::default();
    // A margin that is withheld as a whole has no cells in the plan.
    for action in plan.actions().iter().filter(|action: &&MarginAction| action.statuses.is_empty()) {
        let cells = job.problem.domain.cells(action.axes.iter().copied().collect());
        let cells = cells.and_then(|cells| usize::try_from(cells).ok()).unwrap_or(usize::MAX);
        numbers.withheld = numbers.withheld.saturating_add(cells);
    }
    for status in plan.actions().iter().flat_map(|action: &MarginAction| &action.statuses) {
        match status {
            CellStatus::Exact => numbers.exact += 1,
            CellStatus::Noised => numbers.noised += 1,
            CellStatus::Suppressed => numbers.withheld += 1,
        }
    }
    Ok(Some(numbers))
}

/// Runs work whose flag is set at a time, or when the observer's is.
fn until_time<T>(until: Instant, observer: &dyn Observer, work: impl FnOnce(StopFlag) -> T) -> T {
    let stop = StopFlag::new();
    thread::scope(|scope| {
        let (done, is_done) = channel::<()>();
        let flag = stop.clone();
        scope.spawn(move || {
            while is_done.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                if Instant::now() >= until || observer.stop_flag().is_set() {
                    flag.set();
                }
            }
        });
        let result = work(stop);
        drop(done);
        result
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observer::Silent;

    #[test]
    fn work_ends_when_its_time_is_over() {
        let start = Instant::now();
        until_time(start + Duration::from_millis(100), &Silent, |stop| {
            while !stop.is_set() {
                thread::sleep(Duration::from_millis(1));
            }
        });
        let taken = start.elapsed();
        assert!(taken >= Duration::from_millis(100) && taken < Duration::from_secs(20), "{taken:?}");
        assert_eq!(until_time(start + Duration::from_secs(60), &Silent, |_| 7), 7);
    }
}
