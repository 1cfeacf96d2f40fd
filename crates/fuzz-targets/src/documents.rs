//! What the command has written and reads again: plans, measurements, certificates.

use std::io::Cursor;

use disclosure_jobs::exact::verify;
use disclosure_jobs::input::MemoryFiles;
use disclosure_jobs::limits::Limits;
use disclosure_jobs::marginals::{Measurement, Planned};
use disclosure_jobs::observer::Silent;

/// Most values of an answer that a target looks at.
const MOST_ANSWERS: usize = 1 << 12;

/// A stored plan: what is accepted has a cost.
pub(crate) fn stored_plan(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let Ok(planned) = Planned::parse(text, &MemoryFiles::default(), &Limits::default(), &Silent) else { return false };
    assert!(planned.charge_request().rho > 0.0, "no plan is free");
    let _ = planned.document();
    true
}

/// A stored measurement: every table within it is answered or refused.
pub(crate) fn measurement(bytes: &[u8]) -> bool {
    let Ok(mut measurement) = Measurement::open("any", Cursor::new(bytes), &Limits::default()) else { return false };
    let _ = measurement.header();
    let _ = measurement.marginals();
    for request in measurement.all().iter().take(16) {
        let Ok(answers) = measurement.answers(request) else { continue };
        if answers.len() <= MOST_ANSWERS {
            let lines = answers.lines().filter(|line| line.value.is_nan()).count();
            assert_eq!(lines, 0, "an answer is a number");
        }
    }
    true
}

/// A file of certificates.
pub(crate) fn certificates(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    verify(text).is_ok()
}
