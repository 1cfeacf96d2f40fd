//! The workbench in a real browser: the whole way for each mechanism, what a person does by
//! accident, what a stranger does on purpose, and how the pages look.
//!
//! `web-check DISCLOSURE OUT [AXE]`: the command, a folder for pictures, and axe-core's script.

mod alone;
mod bench;
mod browser;
mod looks;
mod measures;
mod strangers;
mod tab;
mod ways;

use std::cell::RefCell;
use std::path::PathBuf;
use std::process::ExitCode;
use std::rc::Rc;
use std::time::Instant;

use bench::Setting;
use browser::{Browser, Failure};

/// A scenario: a sentence that must hold, and what finds out.
type Scenario = (&'static str, fn(&Setting) -> Result<(), Failure>);

const SCENARIOS: &[Scenario] = &[
    ("a table with noise, from the file to the page of its release", ways::noise),
    ("exact tables with their audit, to the release or its refusal", ways::exact),
    ("groups behind a threshold with its odds, to the release", ways::filter),
    ("randomised answers and a solver are planned for, and nothing is released", ways::plans),
    ("synthetic rows, from the file to the page of the release", alone::rows),
    ("randomised answers, from the file to what the reports say", alone::answers),
    ("a table of amounts, from the file to the page of the release", alone::amounts),
    ("labels are edited, undone and released", alone::labels),
    ("where nothing leaves of a table, another way to decide is chosen", alone::decided),
    ("for every way, reload, back and an older tab lose nothing", alone::accidents),
    ("for every way, what is stopped is whole or not there", alone::stops),
    ("decimal commas and points mean the same", measures::decimal_marks),
    ("the first number is there at once after 50,000 rows were opened", measures::first_number),
    ("no page moves by itself", measures::layout_shift),
    ("every answer is small and quick", measures::server_time),
    ("128 columns of 1,000 categories make small and quick answers, too", measures::wide_table),
    ("the keyboard alone goes the whole way", ways::keyboard),
    ("a job is stopped in the middle, and nothing is released", ways::stopped),
    ("reload, back and undo lose nothing", ways::reload),
    ("of two tabs the older changes nothing", ways::two_tabs),
    ("the slider answers at once on 14 columns and 105 tables", ways::slider),
    ("a wrong token, another host and another origin get 403", strangers::wrong_requests),
    ("hostile names and labels act nowhere", strangers::hostile_names),
    ("every page fits a phone, has labels, and is looked at", looks::pages),
];

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Failure> {
    let mut words = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(command), Some(out)) = (words.next(), words.next()) else {
        return Err("web-check DISCLOSURE OUT [AXE]".into());
    };
    let program = browser::find().ok_or("no Chromium is installed")?;
    std::fs::create_dir_all(&out)?;
    let browser = Rc::new(RefCell::new(Browser::start(&program, &out)?));
    let setting = Setting { command: std::fs::canonicalize(command)?, out, axe: words.next(), browser };
    let only = std::env::var("ONLY").unwrap_or_default();
    let mut failed = 0;
    for (sentence, scenario) in SCENARIOS.iter().filter(|(sentence, _)| sentence.contains(&only)) {
        let start = Instant::now();
        let outcome = scenario(&setting);
        println!(
            "{} {sentence} ({:.1} s)",
            if outcome.is_ok() { "ok    " } else { "FAILED" },
            start.elapsed().as_secs_f64()
        );
        if let Err(failure) = outcome {
            println!("       {failure}");
            failed += 1;
        }
    }
    if failed > 0 { Err(format!("{failed} scenarios failed").into()) } else { Ok(()) }
}
