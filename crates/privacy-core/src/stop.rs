//! A flag that stops a long call from another thread.

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
/// Flags do not take part in comparisons: two sets of options are equal whatever their flags.
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Kind);

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
    /// A flag that is not set yet.
    #[must_use]
    pub fn new() -> Self {
        Self(Kind::Shared(Arc::new(AtomicBool::new(false))))
    }

    /// A flag that nobody can set: the default of all options.
    #[must_use]
    pub const fn never() -> Self {
        Self(Kind::Never)
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
        Self(Kind::Counting(Arc::new(Counting { looks: AtomicU64::new(0), set_at: AtomicU64::new(looks) })))
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
        Self(Instant::now().checked_add(limit).map_or(Kind::Never, Kind::At))
    }

    /// How often a flag of [`StopFlag::set_after`] was looked at; 0 for other flags.
    #[must_use]
    pub fn looks(&self) -> u64 {
        match &self.0 {
            Kind::Counting(counting) => counting.looks.load(Ordering::Relaxed),
            Kind::Never | Kind::Shared(_) | Kind::At(_) => 0,
        }
    }

    /// Sets the flag, for good. Safe in a signal handler: it stores one atomic value. Does
    /// nothing on [`StopFlag::never`] and [`StopFlag::after`].
    pub fn set(&self) {
        match &self.0 {
            Kind::Never | Kind::At(_) => {}
            Kind::Shared(flag) => flag.store(true, Ordering::Relaxed),
            Kind::Counting(counting) => counting.set_at.store(0, Ordering::Relaxed),
        }
    }

    /// Whether the flag is set. Costs one relaxed load, or a look at the clock, so inner loops can
    /// afford it.
    #[must_use]
    pub fn is_set(&self) -> bool {
        match &self.0 {
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
}
