//! `disclosure synth`: rows of people who do not exist, from a stored measurement.

use std::fs::File;
use std::path::PathBuf;

use disclosure_jobs::marginals::Measurement;
use disclosure_jobs::synthetic::{SynthesisRequest, SyntheticDocument, SyntheticMarginal};

use crate::display::{Align, Table, count, percent, short};
use crate::error::Failure;
use crate::files::{WriteArgs, named, print_json, print_text, say, system_rng};
use crate::limits::LimitArgs;

/// Most marginals that are shown.
const MOST_LINES: usize = 20;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example: disclosure synth out/measurement.bin -o people.csv --rows 2000

The rows have the guarantee of the measurement, however many are drawn, and cost nothing more.")]
pub(crate) struct SynthArgs {
    /// The measurement (measurement.bin of a release)
    pub(crate) measurement: PathBuf,
    /// The CSV file to write: the columns and labels of the domain
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
    /// How many rows; by default as many people as were measured
    #[arg(long, value_name = "N")]
    pub(crate) rows: Option<u32>,
    /// Refuse a model with a table of more cells than this
    #[arg(long, value_name = "N", default_value_t = 4_000_000)]
    pub(crate) max_cells: u64,
    /// Where all planned marginals are too many for a model, keep the strongest that fit
    #[arg(long)]
    pub(crate) choose: bool,
    /// Labels that nobody has together, as NAME=LABEL with commas between them. May be given
    /// several times
    #[arg(long, value_name = "LABELS")]
    pub(crate) zero: Vec<String>,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// One JSON document instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

/// Fits the model, draws the rows, writes them, and says what they are.
pub(crate) fn run(args: &SynthArgs) -> Result<(), Failure> {
    let path = named(&args.measurement)?;
    let file = File::open(path).map_err(|source| Failure::reading(path, &source))?;
    let output = args.write.file(&args.output)?;
    let mut measurement = Measurement::open(path, file, &args.limits.limits())?;
    let request =
        SynthesisRequest { rows: args.rows, most_cells: args.max_cells, choose: args.choose, zeros: args.zero.clone() };
    let synthesis = measurement.synthesise(&request, &mut system_rng()?)?;
    synthesis.write_csv(&mut output.sink()?, "rows.csv")?;
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
    text += &format!(
        "\n  a model of {} tables, fitted to {} measurements in {} steps; loss {}, no model has one below {}\n\n",
        document.cliques.len(),
        fit.measurements,
        fit.steps,
        short(fit.loss),
        short((fit.loss - fit.gap).max(0.0))
    );
    let mut table = Table::new([
        ("marginal".to_owned(), Align::Left),
        ("rows against measured".to_owned(), Align::Right),
        ("noise at most".to_owned(), Align::Right),
        ("error at most, 95 %".to_owned(), Align::Right),
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
        text += &format!("\n  not in the model, for lack of room: {}{more}\n", left_out.join(", "));
    }
    text += &format!(
        "\n  shares of {} people, half the sum of differences over the cells\n",
        short(document.measured_total)
    );
    text
}

fn line(marginal: &SyntheticMarginal) -> [String; 4] {
    let name = marginal.attributes.join(" × ");
    let bound = marginal.error_bound95.map_or_else(|| "not known".to_owned(), percent);
    [name, percent(marginal.distance), percent(marginal.noise), bound]
}
