//! What a person sees of a running job: on a terminal a line for a stage that takes over a second,
//! in a log a line every ten seconds; and notes.

use std::io::{IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use disclosure_jobs::disclosure::privacy_core::stop::StopFlag;
use disclosure_jobs::observer::Observer;

use crate::display::terminal_width;
use crate::files::{is_quiet, note, say};
use crate::stop;

/// How often the line of a terminal is drawn again.
const TICK: Duration = Duration::from_millis(200);
/// How old a stage is when it is shown on a terminal.
const LONG: Duration = Duration::from_secs(1);
/// How far apart the lines of a log are.
const LOG_EVERY: Duration = Duration::from_secs(10);

/// The observer of every job: stages, notes and Ctrl-C.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Terminal;

impl Observer for Terminal {
    fn stage_started(&self, stage: &str) {
        let mut screen = screen();
        screen.clear();
        screen.stages.push(Stage::new(stage));
        if !screen.is_watched && !is_quiet() {
            screen.is_watched = true;
            // Without a thread nobody sees how far the job is.
            let _ = thread::Builder::new().spawn(watch);
        }
    }

    fn stage_ended(&self) {
        let mut screen = screen();
        screen.clear();
        screen.stages.pop();
    }

    fn note(&self, text: &str) {
        note(text);
    }

    fn stop_flag(&self) -> StopFlag {
        stop::flag().clone()
    }
}

/// An observer for what is about the files of a call and not about its answer: its notes are not in
/// a document, which is the same however often it is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AboutFiles;

impl Observer for AboutFiles {
    fn note(&self, text: &str) {
        say(text);
    }
}

/// Clears the line of a stage: other words come.
pub(crate) fn clear_line() {
    screen().clear();
}

/// The stages that are under way, outermost first, and the line that shows the last of them.
struct Screen {
    stages: Vec<Stage>,
    has_line: bool,
    is_watched: bool,
}

static SCREEN: Mutex<Screen> = Mutex::new(Screen { stages: Vec::new(), has_line: false, is_watched: false });

/// A thread that panicked while it held the lock leaves stages that can still be shown.
fn screen() -> MutexGuard<'static, Screen> {
    SCREEN.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Stage {
    name: String,
    started: Instant,
    /// When a log last had a line of it.
    logged: Instant,
    pace: Pace,
}

impl Stage {
    fn new(name: &str) -> Self {
        let now = Instant::now();
        Self { name: name.to_owned(), started: now, logged: now, pace: Pace::default() }
    }
}

impl Screen {
    /// A terminal that cannot be written to is not worth a message.
    fn clear(&mut self) {
        if std::mem::take(&mut self.has_line) {
            let _ = write!(std::io::stderr(), "\r\u{1b}[K");
        }
    }

    /// Shows the innermost stage if it is time for it.
    fn tick(&mut self, is_terminal: bool, share: Option<f64>) {
        let now = Instant::now();
        let Some(stage) = self.stages.last_mut() else { return };
        let left = stage.pace.left(now, share);
        let line = line_of(&stage.name, now - stage.started, share, left);
        let mut err = std::io::stderr();
        if is_terminal && now - stage.started >= LONG {
            self.has_line = true;
            let line: String = line.chars().take(terminal_width().saturating_sub(1)).collect();
            let _ = write!(err, "\r{line}\u{1b}[K").and_then(|()| err.flush());
        } else if !is_terminal && now - stage.logged >= LOG_EVERY {
            stage.logged = now;
            let _ = writeln!(err, "{line}");
        }
    }
}

/// Shows stages until the process ends.
fn watch() {
    let is_terminal = std::io::stderr().is_terminal();
    loop {
        thread::sleep(TICK);
        screen().tick(is_terminal, stop::progress().share());
    }
}

/// How fast the share of a stage grows, since it was first known.
#[derive(Default)]
struct Pace {
    first: Option<(Instant, f64)>,
    last: f64,
}

impl Pace {
    /// The time that is left at the pace so far; `None` before a second is known of it.
    fn left(&mut self, now: Instant, share: Option<f64>) -> Option<Duration> {
        let share = share?;
        // A share that fell is that of a new loop.
        if self.first.is_none() || share < self.last {
            self.first = Some((now, share));
        }
        self.last = share;
        let (since, from) = self.first?;
        let (elapsed, gained) = (now - since, share - from);
        (elapsed >= LONG && gained > 0.0)
            .then(|| Duration::try_from_secs_f64(elapsed.as_secs_f64() * (1.0 - share) / gained).ok())
            .flatten()
    }
}

/// `reading: 42 %, about 12 s left`; the seconds so far where the share is not known.
fn line_of(name: &str, elapsed: Duration, share: Option<f64>, left: Option<Duration>) -> String {
    match (share, left) {
        // Rounded down: 100 % would say that it is done.
        (Some(share), Some(left)) => format!("{name}: {:.0} %, about {} left", (share * 100.0).floor(), span(left)),
        (Some(share), None) => format!("{name}: {:.0} %", (share * 100.0).floor()),
        (None, _) => format!("{name}: {}", span(elapsed)),
    }
}

/// A span of time with the digits that a guess has.
fn span(time: Duration) -> String {
    match time.as_secs_f64().round() {
        seconds if seconds < 100.0 => format!("{seconds:.0} s"),
        seconds if seconds < 6_000.0 => format!("{:.0} min", seconds / 60.0),
        seconds => format!("{:.0} h", seconds / 3_600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_share_and_the_time_left_as_far_as_they_are_known() {
        let seconds = Duration::from_secs;
        assert_eq!(line_of("reading", seconds(3), Some(0.429), Some(seconds(12))), "reading: 42 %, about 12 s left");
        assert_eq!(line_of("auditing", seconds(3), Some(0.999), None), "auditing: 99 %");
        assert_eq!(line_of("planning", seconds(250), None, None), "planning: 4 min");
        assert_eq!(span(seconds(10_000)), "3 h");
    }

    #[test]
    fn the_time_left_follows_from_the_pace_and_starts_anew_with_a_new_loop() {
        let (start, second) = (Instant::now(), Duration::from_secs(1));
        let mut pace = Pace::default();
        assert_eq!(pace.left(start, Some(0.2)), None, "no pace is known yet");
        assert_eq!(pace.left(start + second / 2, Some(0.3)), None);
        let left = pace.left(start + 2 * second, Some(0.4)).unwrap();
        assert!((left.as_secs_f64() - 6.0).abs() < 1e-9, "a tenth each second, six are left: {left:?}");
        assert_eq!(pace.left(start + 3 * second, Some(0.0)), None, "another loop");
        assert_eq!(pace.left(start + 5 * second, Some(0.0)), None, "nothing was gained");
        assert_eq!(pace.left(start + 4 * second, None), None);
    }
}
