//! `disclosure screen`: model, table, search, simulate.

mod args;
mod show;
mod show_attack;

use std::path::Path;

use disclosure_jobs::input::FileSystem;
use disclosure_jobs::screening::{AttackEffort, ScreenLimits, ScreeningJob, write_grid};

use crate::error::Failure;
use crate::files::{data_source, print_json, print_text, read_text, say};
use crate::observer::Terminal;

pub(crate) use args::ScreenCommand;
use args::{LimitArgs, ModelArgs, SearchArgs, SimulateArgs, TableArgs};

/// Carries a subcommand out.
pub(crate) fn run(command: ScreenCommand) -> Result<(), Failure> {
    match command {
        ScreenCommand::Model(args) => model(&args),
        ScreenCommand::Table(args) => table(&args),
        ScreenCommand::Search(args) => search(&args),
        ScreenCommand::Simulate(args) => simulate(&args),
    }
}

fn model(args: &ModelArgs) -> Result<(), Failure> {
    let report = job(&args.spec, &args.limits)?.screen_model(&args.limits.limits(), &Terminal)?;
    show(args.json, &report, || show::show_model(&report))?;
    report.check_target()
}

fn table(args: &TableArgs) -> Result<(), Failure> {
    let job = job(&args.spec, &args.limits)?;
    job.check()?;
    let rows = args.rows.as_deref().map(|path| args.write.owner_file(path)).transpose()?;
    let observer = Terminal;
    let table =
        job.read_table(&FileSystem::beside(&args.spec), &data_source(&args.data, args.format.spec())?, &observer)?;
    let limits = ScreenLimits { visits: args.max_visits as f64, ..args.limits.limits() };
    let screened = table.screen(&limits, &observer)?;
    if let Some(rows) = rows {
        rows.write_with(|out| screened.write_rows(out))?;
        let path = rows.path().display();
        say(&format!("Wrote every row, most exposed first, to {path}. Keep the file as confidential as the data."));
    }
    show(args.json, &screened.document, || show::show_table(&screened.document))?;
    screened.check_target()
}

fn search(args: &SearchArgs) -> Result<(), Failure> {
    let grid = args.grid.as_deref().map(|path| args.write.file(path)).transpose()?;
    let (job, limits, observer) = (job(&args.spec, &args.limits)?, args.limits.limits(), Terminal);
    let report = job.search(&limits, args.effort(), &observer)?;
    if let Some(grid) = grid {
        let points = job.grid(&limits, &observer)?;
        grid.write_with(|out| write_grid(&points, out))?;
        say(&format!("Wrote the grid to {}.", grid.path().display()));
    }
    show(args.json, &report, || show::show_search(&report))?;
    report.check_target()
}

fn simulate(args: &SimulateArgs) -> Result<(), Failure> {
    let (job, limits, observer) = (job(&args.spec, &args.limits)?, args.limits.limits(), Terminal);
    job.check_target()?;
    let effort = AttackEffort { trials: args.trials, seed: args.seed, max_entries: args.attack.max_entries };
    let report = match &args.data {
        None => job.simulate_model(&limits, effort, &observer)?,
        Some(data) => {
            let table =
                job.read_table(&FileSystem::beside(&args.spec), &data_source(data, args.format.spec())?, &observer)?;
            table.simulate(&limits, effort, &observer)?
        }
    };
    show(args.json, &report, || show_attack::show_simulation(&report))?;
    report.check_target()
}

fn job(spec: &Path, limits: &LimitArgs) -> Result<ScreeningJob, Failure> {
    Ok(ScreeningJob::parse(&read_text(spec)?, spec)?.with_margin(limits.margin))
}

/// Prints a document, or the table that shows it.
fn show(json: bool, document: &impl serde::Serialize, table: impl FnOnce() -> String) -> Result<(), Failure> {
    if json { print_json(document) } else { print_text(&table()) }
}
