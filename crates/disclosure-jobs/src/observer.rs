//! What a job tells the program that runs it, and how that program stops it.
//!
//! Stages and notes are calls of the [`Observer`]. Long loops, of mechanisms too, know only its
//! [`StopFlag`]: they look whether it is set, and report what they have done to the
//! [`Progress`](disclosure::privacy_core::stop::Progress) that it carries.

use disclosure::privacy_core::stop::StopFlag;

use crate::error::JobError;

/// Hears the stages, notes and progress of a job. Every method has an empty default.
///
/// Jobs call an observer from the thread that runs them and from worker threads, so it is `Sync`.
/// Nothing that an observer hears is a count of people, an identifier or a secret.
pub trait Observer: Sync {
    /// A stage begins: "reading", "planning", "measuring and writing".
    fn stage_started(&self, _stage: &str) {}

    /// The stage that began last ends.
    fn stage_ended(&self) {}

    /// A sentence that a person should read: a warning, or what was assumed.
    fn note(&self, _text: &str) {}

    /// The flag that stops the job. A job whose flag is set ends with [`JobError::stopped`] and
    /// leaves nothing behind. With a progress, it tells how much of the current stage is done.
    fn stop_flag(&self) -> StopFlag {
        StopFlag::never()
    }
}

/// An observer that hears nothing and never stops a job.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {}

/// Runs one stage of a job between its two announcements. The result of `work` is returned as it
/// is.
pub fn during<T>(observer: &dyn Observer, stage: &str, work: impl FnOnce() -> T) -> T {
    observer.stage_started(stage);
    // Until the stage says how much there is to do.
    observer.stop_flag().begin(0);
    let result = work();
    observer.stage_ended();
    result
}

/// Refuses to go on once the observer's flag is set. Jobs call it between stages.
///
/// # Errors
/// [`JobError::stopped`].
pub fn check_stop(observer: &dyn Observer) -> Result<(), JobError> {
    if observer.stop_flag().is_set() { Err(JobError::stopped()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use disclosure::privacy_core::stop::Progress;

    use super::*;

    struct Recorder {
        heard: Mutex<Vec<String>>,
        flag: StopFlag,
    }

    impl Recorder {
        fn new() -> Self {
            Self { heard: Mutex::default(), flag: StopFlag::new() }
        }
    }

    impl Observer for Recorder {
        fn stage_started(&self, stage: &str) {
            self.heard.lock().unwrap().push(stage.to_owned());
        }

        fn stage_ended(&self) {
            self.heard.lock().unwrap().push("end".to_owned());
        }

        fn stop_flag(&self) -> StopFlag {
            self.flag.clone()
        }
    }

    #[test]
    fn a_stage_is_announced_before_and_after_its_work() {
        let recorder = Recorder::new();
        let heard = during(&recorder, "reading", || recorder.heard.lock().unwrap().clone());
        assert_eq!(heard, ["reading"]);
        assert_eq!(*recorder.heard.lock().unwrap(), ["reading", "end"]);
    }

    #[test]
    fn a_stage_begins_without_the_progress_of_the_one_before() {
        let progress = Arc::new(Progress::default());
        let flag = StopFlag::new().with_progress(Arc::clone(&progress));
        let recorder = Recorder { heard: Mutex::default(), flag };
        let share = |units| {
            recorder.flag.begin(units);
            recorder.flag.advance(1);
            progress.share()
        };
        assert_eq!(during(&recorder, "reading", || share(4)), Some(0.25));
        assert_eq!(during(&recorder, "planning", || progress.share()), None);
    }

    #[test]
    fn a_set_flag_stops_the_next_stage() {
        let recorder = Recorder::new();
        check_stop(&recorder).unwrap();
        recorder.flag.set();
        assert!(check_stop(&recorder).unwrap_err().has_code("E0108"));
        check_stop(&Silent).unwrap();
    }
}
