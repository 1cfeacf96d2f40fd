//! A flag that stops a long call from another thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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
pub struct StopFlag(Option<Arc<AtomicBool>>);

impl StopFlag {
    /// A flag that is not set yet.
    #[must_use]
    pub fn new() -> Self {
        Self(Some(Arc::new(AtomicBool::new(false))))
    }

    /// A flag that nobody can set: the default of all options.
    #[must_use]
    pub const fn never() -> Self {
        Self(None)
    }

    /// Sets the flag, for good. Safe in a signal handler: it stores one atomic value. Does
    /// nothing on [`StopFlag::never`].
    pub fn set(&self) {
        if let Some(flag) = &self.0 {
            flag.store(true, Ordering::Relaxed);
        }
    }

    /// Whether the flag is set. Costs one relaxed load, so inner loops can afford it.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.0.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
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
