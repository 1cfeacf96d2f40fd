//! What a long call and its caller tell each other: to stop, and how much is done.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Tells a long call to stop. Clones share one flag.
///
/// Long calls of the mechanism crates take a flag with their limits or options, look at it at
/// least every 50 ms of work, and end with their crate's `Error::Stopped` once it is set. A call
/// that has ended this way has drawn nothing that anybody saw and has changed nothing.
///
/// ```
/// use privacy_core::stop::StopFlag;
///
/// let flag = StopFlag::new();
/// let handed_to_the_call = flag.clone();
/// assert!(!handed_to_the_call.is_set());
/// flag.set(); // from a signal handler, another thread, a closed connection
/// assert!(handed_to_the_call.is_set());
/// ```
///
/// A flag may carry a [`Progress`], to which long loops report how much they have done.
///
/// Flags do not take part in comparisons: two sets of options are equal whatever their flags.
#[derive(Clone, Debug, Default)]
pub struct StopFlag {
    kind: Kind,
    progress: Option<Arc<Progress>>,
}

/// How much of a stage is done, in units of the stage: bytes that are read, cells, trials. Worker
/// threads report to it, another thread reads it.
///
/// ```
/// use std::sync::Arc;
/// use privacy_core::stop::{Progress, StopFlag};
///
/// let progress = Arc::new(Progress::default());
/// let handed_to_the_call = StopFlag::new().with_progress(Arc::clone(&progress));
/// assert_eq!(progress.share(), None); // nobody said how much there is to do
/// handed_to_the_call.begin(4);
/// handed_to_the_call.advance(1);
/// assert_eq!(progress.share(), Some(0.25));
/// ```
#[derive(Debug, Default)]
pub struct Progress {
    done: AtomicU64,
    all: AtomicU64,
}

impl Progress {
    /// The share that is done, at least 0 and less than 1: `None` where it is not known how much
    /// there is to do, and once all of it is done.
    #[must_use]
    pub fn share(&self) -> Option<f64> {
        let (done, all) = (self.done.load(Ordering::Relaxed), self.all.load(Ordering::Relaxed));
        (done < all).then(|| done as f64 / all as f64)
    }
}

#[derive(Clone, Debug, Default)]
enum Kind {
    #[default]
    Never,
    Shared(Arc<AtomicBool>),
    Counting(Arc<Counting>),
    At(Instant),
}

#[derive(Debug)]
struct Counting {
    looks: AtomicU64,
    set_at: AtomicU64,
}

impl StopFlag {
    const fn of(kind: Kind) -> Self {
        Self { kind, progress: None }
    }

    /// A flag that is not set yet.
    #[must_use]
    pub fn new() -> Self {
        Self::of(Kind::Shared(Arc::new(AtomicBool::new(false))))
    }

    /// A flag that nobody can set: the default of all options.
    #[must_use]
    pub const fn never() -> Self {
        Self::of(Kind::Never)
    }

    /// A flag for tests of long calls: it counts how often it is looked at, and is found set from
    /// look `looks + 1` on.
    ///
    /// ```
    /// use privacy_core::stop::StopFlag;
    ///
    /// let flag = StopFlag::set_after(2);
    /// assert_eq!([flag.is_set(), flag.is_set(), flag.is_set()], [false, false, true]);
    /// assert_eq!(flag.looks(), 3);
    /// ```
    #[must_use]
    pub fn set_after(looks: u64) -> Self {
        Self::of(Kind::Counting(Arc::new(Counting { looks: AtomicU64::new(0), set_at: AtomicU64::new(looks) })))
    }

    /// The same flag, with something to report progress to.
    #[must_use]
    pub fn with_progress(self, progress: Arc<Progress>) -> Self {
        Self { progress: Some(progress), ..self }
    }

    /// A stage of this many units begins, of which none is done; 0 where their number is not
    /// known. The function that owns the stage says so, loops within it only
    /// [`advance`](Self::advance).
    pub fn begin(&self, units: u64) {
        if let Some(progress) = &self.progress {
            progress.all.store(0, Ordering::Relaxed);
            progress.done.store(0, Ordering::Relaxed);
            progress.all.store(units, Ordering::Relaxed);
        }
    }

    /// This number of further units turned up, none of them done: the share falls.
    pub fn extend(&self, units: u64) {
        if let Some(progress) = &self.progress {
            progress.all.fetch_add(units, Ordering::Relaxed);
        }
    }

    /// The same flag, without anything to report progress to: for a call whose units are not those
    /// of the stage that it belongs to.
    #[must_use]
    pub fn without_progress(&self) -> Self {
        Self { progress: None, ..self.clone() }
    }

    /// This number of further units of the stage are done. Costs one relaxed addition.
    pub fn advance(&self, units: u64) {
        if let Some(progress) = &self.progress {
            progress.done.fetch_add(units, Ordering::Relaxed);
        }
    }

    /// A flag that is set once this much time has passed, and by nobody before. A time beyond what
    /// the clock counts is never reached.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use privacy_core::stop::StopFlag;
    ///
    /// assert!(StopFlag::after(Duration::ZERO).is_set());
    /// assert!(!StopFlag::after(Duration::from_secs(3_600)).is_set());
    /// ```
    #[must_use]
    pub fn after(limit: Duration) -> Self {
        Self::of(Instant::now().checked_add(limit).map_or(Kind::Never, Kind::At))
    }

    /// How often a flag of [`StopFlag::set_after`] was looked at; 0 for other flags.
    #[must_use]
    pub fn looks(&self) -> u64 {
        match &self.kind {
            Kind::Counting(counting) => counting.looks.load(Ordering::Relaxed),
            Kind::Never | Kind::Shared(_) | Kind::At(_) => 0,
        }
    }

    /// Sets the flag, for good. Safe in a signal handler: it stores one atomic value. Does
    /// nothing on [`StopFlag::never`] and [`StopFlag::after`].
    pub fn set(&self) {
        match &self.kind {
            Kind::Never | Kind::At(_) => {}
            Kind::Shared(flag) => flag.store(true, Ordering::Relaxed),
            Kind::Counting(counting) => counting.set_at.store(0, Ordering::Relaxed),
        }
    }

    /// Whether the flag is set. Costs one relaxed load, or a look at the clock, so inner loops can
    /// afford it.
    #[must_use]
    pub fn is_set(&self) -> bool {
        match &self.kind {
            Kind::Never => false,
            Kind::At(then) => Instant::now() >= *then,
            Kind::Shared(flag) => flag.load(Ordering::Relaxed),
            Kind::Counting(counting) => {
                let before = counting.looks.fetch_add(1, Ordering::Relaxed);
                before >= counting.set_at.load(Ordering::Relaxed)
            }
        }
    }
}

impl PartialEq for StopFlag {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for StopFlag {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_a_flag_and_never_stays_unset() {
        let (flag, never) = (StopFlag::new(), StopFlag::never());
        let clone = flag.clone();
        flag.set();
        never.set();
        assert!(clone.is_set() && !never.is_set() && !StopFlag::default().is_set());
    }

    #[test]
    fn a_share_is_known_while_something_is_left_to_do() {
        let progress = Arc::new(Progress::default());
        let flag = StopFlag::never().with_progress(Arc::clone(&progress));
        flag.advance(3);
        assert_eq!(progress.share(), None, "nobody said how much there is");
        flag.begin(8);
        assert_eq!(progress.share(), Some(0.0));
        std::thread::scope(|scope| {
            for units in [1, 2, 3] {
                let clone = flag.clone();
                scope.spawn(move || clone.advance(units));
            }
        });
        assert_eq!(progress.share(), Some(0.75));
        flag.advance(2);
        assert_eq!(progress.share(), None, "all of it is done");
        flag.extend(2);
        assert_eq!(progress.share(), Some(0.8));
        flag.without_progress().advance(2);
        assert_eq!(progress.share(), Some(0.8), "these are units of something else");
        flag.begin(0);
        assert_eq!(progress.share(), None);
        StopFlag::new().begin(7);
    }
}
