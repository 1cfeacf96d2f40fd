//! `disclosure run`: a whole pipeline on one table.

mod args;
mod show;

use std::path::{Path, PathBuf};

use disclosure_jobs::input::{FileSystem, OpenedSource, data_named};
use disclosure_jobs::observer::{Observer, during};
use disclosure_jobs::pipeline::{Job, Manifest, Planned};
use disclosure_jobs::registry::{Registration, RegistryFile};
use disclosure_jobs::secret::read_secret;
use disclosure_jobs::sink::{DirectorySink, StoppableSink, check_outside};

pub(crate) use args::RunArgs;

use crate::error::Failure;
use crate::files::{
    data_source_within, named, print_json, print_text, read_text, say, secret_of, system_rng, today, warn,
};
use crate::new_ledger::ledger_at;
use crate::observer::Terminal;
use show::{show, show_details};

/// Runs a job: plans and judges it, and releases it if every target is met.
pub(crate) fn run(args: &RunArgs) -> Result<(), Failure> {
    let observer = Terminal;
    let text = read_text(&args.job)?;
    let files = FileSystem::beside(&args.job);
    let job = Job::parse(&text, &files).map_err(|failure| failure.within(&args.job))?;
    let job = job.with_default_title(&title_of(&args.job)).with_limits(args.limits.limits());
    let job = job.with_tables(args.tables.format());
    warn(&job.warnings());
    let source = data(args, &job)?;
    let path = job.ledger().map(|path| base_dir(args).join(path));
    let registry = args.secret_file.as_deref().map(RegistryFile::beside);
    let kept = [path.as_deref(), args.secret_file.as_deref(), registry.as_ref().map(RegistryFile::path)];
    check_outside(&args.output, &kept.into_iter().flatten().collect::<Vec<_>>())?;
    let job = with_secret(args, job)?;
    let source = source.into_snapshot(args.limits.max_memory).map_err(|failure| failure.within(&args.job))?;
    let uncounted = job.is_noised() && job.ledger().is_none();
    let mut ledger = ledger_at(path.as_deref(), &args.new_ledger)?;
    // Found out before the long work, as is whether the ledger would refuse.
    let mut sink = StoppableSink::new(DirectorySink::create(named(&args.output)?)?, observer.stop_flag());
    let planned = job.plan_against(&source, &*ledger, &observer).map_err(|failure| failure.within(&args.job))?;
    let planned = planned.with_default_date(&today());
    warn(&planned.warnings());
    let refused = planned.require_targets().map_err(|failure| failure.within(&args.job));
    let shown = if args.details { show_details } else { show };
    let table = shown(planned.manifest(), planned.findings(), refused.is_ok());
    if refused.is_err() || args.dry_run {
        drop(sink);
        return end_without_release(args, &planned, &table, refused);
    }
    admit(args, &planned)?;
    let mut rng = system_rng()?;
    let released = during(&observer, "drawing noise", || planned.release(&mut *ledger, &mut rng))?;
    let manifest = released.write(&mut sink, &observer)?;
    print_result(args, &manifest, &table)?;
    say_written(args, manifest.files.len() + 1, uncounted);
    Ok(())
}

/// Shows what was found, and that nothing was released.
fn end_without_release(
    args: &RunArgs,
    planned: &Planned,
    table: &str,
    refused: Result<(), Failure>,
) -> Result<(), Failure> {
    print_result(args, planned.manifest(), table)?;
    refused?;
    say("\nDry run: every target is met. No noise was drawn, and nothing was released or charged.");
    Ok(())
}

fn base_dir(args: &RunArgs) -> &Path {
    args.job.parent().unwrap_or(Path::new(""))
}

/// The name of a job without a title: that of its file.
fn title_of(path: &Path) -> String {
    path.file_stem().map_or_else(|| "release".to_owned(), |stem| stem.to_string_lossy().into_owned())
}

/// The data: the file on the command line, else the one that the job names.
fn data(args: &RunArgs, job: &Job<'_>) -> Result<OpenedSource, Failure> {
    let path: PathBuf = match (&args.data, job.data()) {
        (Some(data), _) => data.clone(),
        (None, Some(data)) => data_named(data, |data| base_dir(args).join(data)),
        (None, None) => {
            let failure = Failure::new(
                "E0244",
                "the job names no data; write data = \"table.csv\" at its top, or give a file on the command line",
            );
            return Err(failure.within(&args.job));
        }
    };
    data_source_within(&path, args.format.spec().or(job.format()), args.limits.max_memory)
}

/// Reads the secret of `[filtered]`; no other section takes one.
fn with_secret<'a>(args: &RunArgs, job: Job<'a>) -> Result<Job<'a>, Failure> {
    match &args.secret_file {
        Some(_) if !job.needs_secret() => {
            let failure =
                Failure::new("E0245", "--secret-file is only used by [filtered], and the job has no such section");
            Err(failure.within(&args.job))
        }
        Some(path) => Ok(job.with_secret(secret_of(path, args.new_secret)?)),
        None => Ok(job),
    }
}

/// Records the groups of `[filtered]` in the registry of their secret, or refuses them.
fn admit(args: &RunArgs, planned: &Planned) -> Result<(), Failure> {
    let (Some(path), Some(claim)) = (&args.secret_file, planned.claim()) else { return Ok(()) };
    let registration = Registration::allowed(args.new_secret || args.register);
    RegistryFile::beside(path).admit(&read_secret(path)?, claim, registration)
}

fn say_written(args: &RunArgs, files: usize, uncounted: bool) {
    let output = args.output.display();
    say(&format!(
        "\nWrote {files} files. {output}/release can be published; {output}/review and {output}/manifest.json are for the owner of the data only."
    ));
    if uncounted {
        say("To add up the cost of further releases, write ledger = \"FILE\" in [budget].");
    }
    say(&format!("Next: disclosure report {output} -o report.html; --details prints every guarantee."));
}

fn print_result(args: &RunArgs, manifest: &Manifest, table: &str) -> Result<(), Failure> {
    if args.json { print_json(manifest) } else { print_text(table) }
}
