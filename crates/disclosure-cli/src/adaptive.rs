//! `disclosure adaptive`: which marginals are measured is chosen under the budget, and rows are
//! drawn from a model of them.

use std::path::{Path, PathBuf};

use clap::Subcommand;
use disclosure::privacy_core::accounting::Neighbours;
use disclosure_jobs::adaptive::{
    AdaptiveJob, AdaptivePlanDocument, AdaptivePlanned, AdaptiveReleaseDocument, AdaptiveTable, AnswerError,
    AnswerErrorBasis,
};
use disclosure_jobs::budget::EpsilonAtDelta;
use disclosure_jobs::document::Titled;
use disclosure_jobs::input::FileSystem;
use disclosure_jobs::limits::Limits;
use disclosure_jobs::observer::during;

use crate::display::{Align, Table, count, labelled, one_line, percent, short};
use crate::error::Failure;
use crate::files::{print_json, print_text, read_text, say, system_rng, today, warn};
use crate::limits::LimitArgs;
use crate::observer::Terminal;
use crate::release::{Prepared, ReleaseArgs, Request};

/// Most marginals that are shown.
const MOST_LINES: usize = 20;

#[derive(Debug, Subcommand)]
pub(crate) enum AdaptiveCommand {
    /// Show the initial noise and the amount of work, before any data is read
    #[command(after_help = "Example: disclosure adaptive plan fixtures/jobs/titanic-adaptive.toml")]
    Plan(AdaptivePlanArgs),
    /// Select, measure and model marginals until the budget is spent; write them and synthetic rows
    /// to a new directory
    #[command(after_help = "\
Example: disclosure adaptive release fixtures/jobs/titanic-adaptive.toml fixtures/data/titanic.csv -o out

The directory is created complete or not at all.
With --ledger, the whole budget is charged before any noise is drawn.")]
    Release(Box<ReleaseArgs>),
}

#[derive(Debug, clap::Args)]
pub(crate) struct AdaptivePlanArgs {
    /// The specification of the marginals of interest and the budget (TOML; - for standard input)
    pub(crate) spec: PathBuf,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// Print one JSON document instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

/// Carries a subcommand out.
pub(crate) fn run(command: AdaptiveCommand) -> Result<(), Failure> {
    match command {
        AdaptiveCommand::Plan(args) => plan(&args),
        AdaptiveCommand::Release(args) => release(&args),
    }
}

fn planned(spec: &Path, limits: &Limits) -> Result<AdaptivePlanned, Failure> {
    let text = read_text(spec)?;
    let planned = AdaptiveJob::parse(&text, &FileSystem::beside(spec)).and_then(|job| job.plan(limits));
    let planned = planned.map_err(|failure| failure.within(spec))?;
    Ok(match spec.file_stem() {
        Some(stem) => planned.with_default_title(&stem.to_string_lossy()),
        None => planned,
    })
}

fn plan(args: &AdaptivePlanArgs) -> Result<(), Failure> {
    let planned = planned(&args.spec, &args.limits.limits())?;
    warn(&planned.warnings());
    show_plan(&planned.document(), args.json)
}

fn release(args: &ReleaseArgs) -> Result<(), Failure> {
    let observer = Terminal;
    let planned =
        planned(&args.spec, &args.limits.limits())?.with_default_date(&today()).with_tables(args.tables.format());
    let request = Request {
        warnings: planned.warnings(),
        charge: planned.charge_request(),
        has_person: planned.person().is_some(),
    };
    let Prepared { mut ledger, mut sink, source } = args.prepare(&request, &observer)?;
    let ready = planned.read(&source, &observer)?;
    args.say_persons(ready.persons());
    if ready.impossible_rows() > 0 && args.dry_run && !args.json {
        say(&format!(
            "For the owner of the data only: at least {} rows have a combination of labels that the job declares impossible.",
            count(ready.impossible_rows() as f64)
        ));
    }
    if args.dry_run {
        show_plan(&ready.planned().document(), args.json)?;
        say("\nDry run: the data was read and checked. No noise was drawn, and nothing was written or charged.");
        return Ok(());
    }
    let released = ready.release(ledger.as_mut(), &observer, &mut system_rng()?)?;
    let document = during(&observer, "writing", || released.write(&mut sink))?;
    show(args, released.plan(), &document)
}

fn show_plan(plan: &AdaptivePlanDocument, json: bool) -> Result<(), Failure> {
    if json {
        return print_json(plan);
    }
    let bold = clap::builder::styling::Style::new().bold();
    let title = one_line(&plan.title);
    let mut text =
        format!("\n  {bold}{title}{bold:#}: {} marginals of interest\n\n", count(plan.marginals.len() as f64));
    text += &promise_lines(plan);
    text += &line(
        "rounds",
        &format!(
            "at most {}; the first ones have sd {} per cell, and select with epsilon {}",
            count(f64::from(plan.rounds)),
            short(plan.first_sd),
            short(plan.first_epsilon)
        ),
    );
    text += &line(
        "candidates",
        &format!(
            "{} marginals with {} cells; a model of at most {} cells; about {} MB",
            count(plan.candidates as f64),
            count(plan.candidate_cells),
            count(plan.model_cells),
            count((plan.memory_bytes / 1e6).ceil())
        ),
    );
    for zeros in &plan.structural_zeros {
        let combinations = count(zeros.combinations as f64);
        text += &line(
            "impossible",
            &format!("{combinations} combinations of {} (structural zeros)", zeros.attributes.join(" × ")),
        );
    }
    print_text(&text)
}

/// What is promised, and against whom.
fn promise_lines(plan: &AdaptivePlanDocument) -> String {
    let epsilons: Vec<String> = plan.epsilon_at_delta.iter().map(EpsilonAtDelta::statement).collect();
    let relation = match plan.promise.neighbours {
        Some(Neighbours::Replace) => "replaced by another",
        _ => "added or removed",
    };
    let unit = plan.promise.unit.as_deref().unwrap_or_default();
    line("guarantee", &format!("{}: {}", plan.promise.guarantee, epsilons.join(", ")))
        + &line("against", &format!("anyone who sees the whole release; protects {unit}, {relation}"))
}

fn line(name: &str, text: &str) -> String {
    labelled(12, name, text)
}

fn show(args: &ReleaseArgs, plan: &AdaptivePlanDocument, document: &AdaptiveReleaseDocument) -> Result<(), Failure> {
    if args.json {
        return print_json(document);
    }
    let bold = clap::builder::styling::Style::new().bold();
    let mut text = format!(
        "\n  {bold}{}{bold:#}: {} marginals measured in {} rounds, {} synthetic rows\n\n",
        one_line(&document.title),
        count(document.marginals.len() as f64),
        count(document.rounds.len() as f64),
        count(document.rows as f64)
    );
    text += &promise_lines(plan);
    text += &document.statements[1..].iter().map(|statement| line("rows", statement)).collect::<String>();
    text += "\n";
    text += &table(&document.marginals);
    text += &unmeasured(&document.answers);
    text += &format!("\n  total variation distances, as shares of {} people\n", short(document.measured_total));
    print_text(&text)?;
    say(&format!(
        "\nWrote {} files to {}: {} contains the synthetic rows, release.json the selected marginals and the guarantee.",
        document.files.len() + 1,
        args.output.display(),
        document.files.first().map_or("rows.csv", |rows| &rows.file.name)
    ));
    args.say_uncounted();
    Ok(())
}

/// What is known of the marginals of the job that were not measured.
fn unmeasured(answers: &[AnswerError]) -> String {
    let chosen_among = answers.iter().filter(|answer| answer.basis == AnswerErrorBasis::Choice);
    let bounds: Vec<f64> = chosen_among.map(|answer| answer.error_bound95).collect();
    let unknown = answers.iter().filter(|answer| answer.basis == AnswerErrorBasis::People).count();
    let mut text = String::new();
    if let (Some(least), Some(most)) =
        (bounds.iter().copied().reduce(f64::min), bounds.iter().copied().reduce(f64::max))
    {
        let (number, least, most) = (count(bounds.len() as f64), percent(least), percent(most));
        text += &format!("\n  not measured: {number} marginals of the job, errors of at most {least} to {most}\n");
    }
    if unknown > 0 {
        text += &format!("\n  without a bound: {} marginals of the job\n", count(unknown as f64));
    }
    text
}

/// A line for each marginal that was measured, larger ones first: those were chosen.
fn table(marginals: &[AdaptiveTable]) -> String {
    let mut sorted: Vec<&AdaptiveTable> = marginals.iter().collect();
    sorted.sort_by_key(|marginal| std::cmp::Reverse(marginal.attributes.len()));
    let mut table = Table::new([
        ("measured".to_owned(), Align::Left),
        ("times".to_owned(), Align::Right),
        ("sd".to_owned(), Align::Right),
        ("distance from measured".to_owned(), Align::Right),
        ("error bound, 95 %".to_owned(), Align::Right),
    ]);
    for marginal in sorted.iter().take(MOST_LINES) {
        table.row([
            marginal.attributes.join(" × "),
            count(marginal.measured as f64),
            short(marginal.sd),
            percent(marginal.distance),
            percent(marginal.error_bound95),
        ]);
    }
    let more = sorted.len().saturating_sub(MOST_LINES);
    let more = if more > 0 { format!("  … and {} more, with --json\n", count(more as f64)) } else { String::new() };
    table.render() + &more
}
