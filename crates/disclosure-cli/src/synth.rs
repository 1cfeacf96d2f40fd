//! `disclosure synth`: rows of people who do not exist, from a stored measurement.

use std::path::PathBuf;

use disclosure_jobs::input::open_regular;
use disclosure_jobs::marginals::Measurement;
use disclosure_jobs::observer::during;
use disclosure_jobs::sink::check_apart;
use disclosure_jobs::synthetic::{
    SynthesisRequest, SyntheticDocument, SyntheticMarginal, TooLarge, UnmeasuredMarginal,
};

use crate::display::{Align, Table, count, percent, short};
use crate::error::Failure;
use crate::files::{WriteArgs, named, print_json, print_text, say, system_rng};
use crate::format::OutputTablesArgs;
use crate::limits::LimitArgs;
use crate::observer::Terminal;

/// Most marginals that are shown.
const MOST_LINES: usize = 20;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example: disclosure synth out/measurement.bin -o people.csv --rows 2000

The rows have the privacy guarantee of the measurement, however many are drawn, and cost no further budget.")]
pub(crate) struct SynthArgs {
    /// The measurement (measurement.bin of a release)
    pub(crate) measurement: PathBuf,
    /// The file to write, with the columns and labels of the domain: Parquet if its name ends in
    /// .parquet, otherwise CSV
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) tables: OutputTablesArgs,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
    /// Number of rows [default: the measured number of people]
    #[arg(long, value_name = "N")]
    pub(crate) rows: Option<u32>,
    /// Refuse a model that needs a table with more cells than this
    #[arg(long, value_name = "N", default_value_t = 4_000_000)]
    pub(crate) max_cells: u64,
    /// If the planned marginals make the model too large, keep the most informative ones that fit
    #[arg(long, conflicts_with = "weight")]
    pub(crate) choose: bool,
    /// If the planned marginals make the model too large, simulate people from the most informative
    /// ones that fit, and weight them until all planned marginals fit
    #[arg(long)]
    pub(crate) weight: bool,
    /// A structural zero: labels that no one has together, as NAME=LABEL pairs separated by commas.
    /// Can be repeated
    #[arg(long, value_name = "LABELS")]
    pub(crate) zero: Vec<String>,
    /// Estimate the error of pairs of attributes that were not measured, from 19 simulated
    /// releases; takes 20 times as long
    #[arg(long)]
    pub(crate) errors: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// Print one JSON document instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

/// Fits the model, draws the rows, writes them, and says what they are.
pub(crate) fn run(args: &SynthArgs) -> Result<(), Failure> {
    let path = named(&args.measurement)?;
    let file = open_regular(path)?;
    check_apart(Some(&args.output), &[path])?;
    let output = args.write.file(&args.output)?;
    let mut measurement = Measurement::open(path, file, &args.limits.limits())?;
    let too_large = match (args.choose, args.weight) {
        (true, _) => TooLarge::Choose,
        (_, true) => TooLarge::Weight,
        _ => TooLarge::Refuse,
    };
    let request = SynthesisRequest {
        rows: args.rows,
        memory_bytes: args.limits.limits().memory_bytes,
        most_cells: args.max_cells,
        too_large,
        zeros: args.zero.clone(),
        errors: args.errors,
    };
    let mut rng = system_rng()?;
    let synthesis =
        during(&Terminal, "fitting a model and drawing rows", || measurement.synthesise(&request, &mut rng))?;
    synthesis.write(args.tables.format_of(&args.output), &mut output.sink()?, "rows")?;
    let document = synthesis.document();
    if args.json {
        return print_json(document);
    }
    print_text(&show(document))?;
    say(&format!("Wrote {} rows to {}.", document.rows, args.output.display()));
    Ok(())
}

fn show(document: &SyntheticDocument) -> String {
    let mut text = String::from("\n");
    for statement in &document.statements {
        text += &format!("  {statement}\n");
    }
    let fit = &document.fit;
    let what = match document.weighted_people {
        Some(people) => format!("weights of {} people from a model of", count(people.into())),
        None => "model of".to_owned(),
    };
    text += &format!(
        "\n  {what} {} tables, fitted to {} measurements in {} steps; loss {}, lower bound {}\n\n",
        document.cliques.len(),
        fit.measurements,
        fit.steps,
        short(fit.loss),
        short((fit.loss - fit.gap).max(0.0))
    );
    let mut table = Table::new([
        ("marginal".to_owned(), Align::Left),
        ("distance from measured".to_owned(), Align::Right),
        ("noise bound".to_owned(), Align::Right),
        ("error bound, 95 %".to_owned(), Align::Right),
    ]);
    document.marginals.iter().take(MOST_LINES).for_each(|marginal| table.row(line(marginal)));
    text += &table.render();
    if document.marginals.len() > MOST_LINES {
        text += &format!("  … and {} more, with --json\n", count((document.marginals.len() - MOST_LINES) as f64));
    }
    if !document.left_out.is_empty() {
        let left_out: Vec<String> = document.left_out.iter().take(8).map(|names| names.join(" × ")).collect();
        let more = document.left_out.len().saturating_sub(8);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        text += &format!("\n  not in the model, because it would be too large: {}{more}\n", left_out.join(", "));
    }
    text += &unmeasured(document);
    text += &format!("\n  total variation distances, as shares of {} people\n", short(document.measured_total));
    text
}

fn line(marginal: &SyntheticMarginal) -> [String; 4] {
    let name = marginal.attributes.join(" × ");
    let bound = marginal.error_bound95.map_or_else(|| "not known".to_owned(), percent);
    [name, percent(marginal.distance), percent(marginal.noise), bound]
}

/// The pairs that were not measured, the least certain first.
fn unmeasured(document: &SyntheticDocument) -> String {
    if document.unmeasured.is_empty() {
        return String::new();
    }
    let mut pairs: Vec<&UnmeasuredMarginal> = document.unmeasured.iter().collect();
    pairs.sort_by(|a, b| b.noise95.total_cmp(&a.noise95));
    let mut table = Table::new([
        ("not measured".to_owned(), Align::Left),
        ("noise, 95 %, if the model is true".to_owned(), Align::Right),
        ("estimated error".to_owned(), Align::Right),
    ]);
    for pair in pairs.iter().take(MOST_LINES) {
        let estimate = pair.error_estimate.map_or_else(|| "not known".to_owned(), percent);
        table.row([pair.attributes.join(" × "), percent(pair.noise95), estimate]);
    }
    let more = pairs.len().saturating_sub(MOST_LINES);
    let more = if more > 0 { format!("  … and {} more, with --json\n", count(more as f64)) } else { String::new() };
    format!("\n{}{more}", table.render())
}
