//! The subcommands: arguments in, documents out, and where they go.

use std::io::Read;
use std::path::{Path, PathBuf};

use disclosure_jobs::input::{Files, OpenedSource, StoppableReader};
use disclosure_jobs::observer::{Observer, check_stop, during};
use disclosure_jobs::reports::{
    Counting, EncodeDocument, EstimateOptions, Job, PlannedReports, SetRequest, SimulationOptions, StateDocument,
    estimate, merge, plan, read_state, simulate,
};
use disclosure_jobs::sink::check_apart;
use serde::Serialize;

use super::args::{AggregateArgs, EncodeArgs, EstimateArgs, Format, LdpCommand, MergeArgs, PlanArgs, SimulateArgs};
use super::show::{show_encoding, show_estimate, show_plan, show_simulation, show_state};
use crate::error::Failure;
use crate::files::{
    OutputFile, data_source, is_stream, open, print_json, print_text, read_text, say, system_rng, warn,
};
use crate::format::FormatArgs;
use crate::observer::Terminal;
use crate::stop;

/// Most mebibytes of a stream that are held when it is read more than once.
const MAX_HELD_MIB: u64 = 1 << 10;
/// Most columns that one reading of the data codes.
const COLUMNS_PER_READING: usize = 128;

/// Carries a subcommand out.
pub(crate) fn run(command: LdpCommand) -> Result<(), Failure> {
    let observer = Terminal;
    match command {
        LdpCommand::Encode(args) => run_encode(&args, &observer),
        LdpCommand::Aggregate(args) => run_aggregate(&args, &observer),
        LdpCommand::Merge(args) => run_merge(&args, &observer),
        LdpCommand::Estimate(args) => run_estimate(&args, &observer),
        LdpCommand::Plan(args) => run_plan(&args),
        LdpCommand::Simulate(args) => run_simulate(&args, &observer),
    }
}

/// Files as the command names them: `-` is the standard input.
struct NamedFiles;

impl Files for NamedFiles {
    fn open(&self, name: &Path) -> Result<Box<dyn Read + '_>, Failure> {
        open(name)
    }
}

fn read_job(path: &Path) -> Result<Job, Failure> {
    Job::parse(&read_text(path)?).map_err(|failure| failure.within(path))
}

/// Data with this many columns: a stream is kept when it will be read again.
fn source_of(path: &Path, format: &FormatArgs, columns: usize) -> Result<OpenedSource, Failure> {
    let source = data_source(path, format.spec())?;
    if columns <= COLUMNS_PER_READING || !is_stream(path) {
        return Ok(source);
    }
    source.into_snapshot(MAX_HELD_MIB).map_err(|failure| about_held(failure, columns))
}

/// The same failure, with the reason where the standard input is kept.
fn about_held(failure: Failure, columns: usize) -> Failure {
    if columns <= COLUMNS_PER_READING || !failure.has_code("E0661") {
        return failure;
    }
    let kept = "the schema has more than 128 features; give a file";
    Failure::new("E0643", format!("standard input is larger than {MAX_HELD_MIB} MiB and {kept}")).within(Path::new("-"))
}

/// A document as JSON, or as people read it.
fn show<T: Serialize>(document: &T, json: bool, words: fn(&T) -> String) -> Result<(), Failure> {
    if json { print_json(document) } else { print_text(&words(document)) }
}

fn run_encode(args: &EncodeArgs, observer: &Terminal) -> Result<(), Failure> {
    let job = read_job(&args.schema)?;
    check_apart(Some(&args.output), &[&args.schema, &args.data, args.memory.as_deref().unwrap_or(&args.data)])?;
    let output = args.write.file(&args.output)?;
    warn(&job.warnings());
    let rounds = args.rounds();
    let columns = job.schema().features().len();
    let source = source_of(&args.data, &args.form, columns)?;
    // Who the rows are about is a second reading.
    let is_read_twice = args.memory.is_some() && is_stream(&args.data);
    let source = if is_read_twice { source.into_snapshot(MAX_HELD_MIB)? } else { source };
    let planned = job.plan(&source, &rounds, observer).map_err(|failure| about_held(failure, columns))?;
    let planned = if args.constant_shape { planned.in_constant_shape() } else { planned };
    let document = during(observer, "randomising and writing", || write_reports(planned, output, observer))?;
    show(&document, args.json, show_encoding)?;
    if !args.json {
        say(&format!("\nWrote {}. Next: disclosure ldp aggregate SCHEMA {0} -o state.bin", args.output.display()));
    }
    Ok(())
}

fn write_reports(
    planned: PlannedReports,
    output: OutputFile<'_>,
    observer: &Terminal,
) -> Result<EncodeDocument, Failure> {
    let mut rng = system_rng()?;
    // Permanent stages are stored before any report is: a lost one would be drawn again.
    let ready = planned.draw_permanent(&mut rng)?;
    let document = ready.document();
    let written = output.write_with(|file| ready.release(file, observer, &mut rng).map(drop));
    // A stopped release fails the write: the flag is the reason.
    written.or_else(|error| check_stop(observer).and(Err(error)))?;
    Ok(document)
}

fn run_aggregate(args: &AggregateArgs, observer: &Terminal) -> Result<(), Failure> {
    let job = read_job(&args.schema)?;
    let output = args.write.file(&args.output)?;
    let counting = Counting::new(&job, args.memory.bytes(), observer);
    let counting = counting.map_err(|failure| failure.within(&args.schema))?;
    let mut counting = if args.allow_repeats { counting.allowing_repeats() } else { counting };
    during(observer, "counting", || {
        observer.stop_flag().begin(sizes(&args.reports));
        args.reports.iter().try_for_each(|path| count(&mut counting, &job, path, args))
    })?;
    let state = counting.finish()?;
    output.write(&state.to_bytes())?;
    say_state(&StateDocument::new(state.tally(), Some(job.schema())), &args.output, args.json)
}

/// The bytes of all files together; 0, for an unknown number, where one has no size.
fn sizes(paths: &[PathBuf]) -> u64 {
    let size =
        |path: &PathBuf| std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).map(|found| found.len());
    paths.iter().map(size).sum::<Option<u64>>().unwrap_or(0)
}

fn count(counting: &mut Counting<'_>, job: &Job, path: &Path, args: &AggregateArgs) -> Result<(), Failure> {
    match args.format {
        Format::Reports => {
            let mut reports = StoppableReader::new(open(path)?, stop::flag().clone());
            counting.add_reports(&mut reports).map_err(|failure| failure.within(path))
        }
        Format::Csv => {
            let columns = job.schema().columns().len();
            let source = source_of(path, &args.form, columns)?;
            counting.add_bits(&source, args.vouch_for_noise).map_err(|failure| about_held(failure, columns))
        }
    }
}

fn say_state(document: &StateDocument, output: &Path, json: bool) -> Result<(), Failure> {
    show(document, json, show_state)?;
    if !json {
        say(&format!("\nWrote {}.", output.display()));
    }
    Ok(())
}

fn run_merge(args: &MergeArgs, observer: &Terminal) -> Result<(), Failure> {
    let output = args.write.file(&args.output)?;
    let merged = during(observer, "merging", || {
        merge(&NamedFiles, &args.states, args.allow_repeats, args.memory.bytes(), observer)
    })?;
    let merged = if args.forget_sources { merged.without_sources() } else { merged };
    output.write_sum(&merged.to_bytes())?;
    say_state(&StateDocument::new(&merged, None), &args.output, args.json)
}

fn run_estimate(args: &EstimateArgs, observer: &Terminal) -> Result<(), Failure> {
    let job = read_job(&args.schema)?;
    let sets = request(args.sets.as_deref(), args.order);
    sets.check(&job)?;
    let state = read_state(&job, &mut open(&args.state)?, args.memory.bytes());
    let state = state.map_err(|failure| failure.within(&args.state))?;
    let options = EstimateOptions {
        sets,
        population: args.population.into(),
        pairs: args.pairs,
        feasible: args.feasible,
        covariance: args.covariance,
    };
    show(&estimate(&job, &state, &options, observer)?, args.json, show_estimate)
}

fn request(listed: Option<&str>, order: Option<usize>) -> SetRequest {
    match (listed, order) {
        (Some(listed), _) => SetRequest::Listed(listed.to_owned()),
        (None, Some(order)) => SetRequest::UpTo(order),
        (None, None) => SetRequest::Pairs,
    }
}

fn run_plan(args: &PlanArgs) -> Result<(), Failure> {
    let document = plan(&read_text(&args.spec)?).map_err(|failure| failure.within(&args.spec))?;
    show(&document, args.json, show_plan)
}

fn run_simulate(args: &SimulateArgs, observer: &Terminal) -> Result<(), Failure> {
    let job = read_job(&args.schema)?;
    let options = SimulationOptions {
        sets: request(args.sets.as_deref(), args.order),
        trials: args.trials,
        seed: args.seed,
        max_bytes: args.memory.bytes(),
    };
    let columns = job.schema().features().len();
    let source = source_of(&args.data, &args.form, columns)?;
    let simulated = simulate(&job, &source, &options, observer).map_err(|failure| about_held(failure, columns));
    show(&simulated?, args.json, show_simulation)
}
