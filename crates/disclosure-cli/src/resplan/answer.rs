//! `disclosure resplan answer`: marginals from a stored measurement, one at a time.

use std::fs::File;
use std::path::Path;

use disclosure_jobs::input::open_regular;
use disclosure_jobs::marginals::{AnswerRequest, Measurement, MeasurementHeader};
use disclosure_jobs::sink::DirectorySink;

use super::show::{marginal_table, name_of, show_answers};
use crate::args::AnswerArgs;
use crate::display::short_up;
use crate::error::Failure;
use crate::files::{named, print_json, print_text, say};

/// Most answers of a marginal that are shown.
const MOST_ANSWERS: usize = 40;

pub(super) fn run(args: &AnswerArgs) -> Result<(), Failure> {
    let path = named(&args.measurement)?;
    let limits = args.limits.limits();
    let file = open_regular(path)?;
    let mut measurement = Measurement::open(path, file, &limits)?;
    if let Some(target) = &args.export_mbi {
        return measurement.export_mbi(&mut args.write.file(target)?.sink()?, "residuals.json", &limits);
    }
    let requests = requests(args, &measurement)?;
    if let Some(output) = &args.output {
        return write(args, &mut measurement, &requests, output);
    }
    if args.json {
        return print_json(&measurement.document(&requests)?);
    }
    if args.marginal.is_empty() && args.query.is_empty() {
        return print_text(&contents(&measurement));
    }
    let header = measurement.header();
    requests.iter().try_for_each(|request| {
        let answers = measurement.answers(request)?;
        let title = format!("\n  {}: {}\n\n", name_of(&answers.attributes()), provenance(&header));
        print_text(&(title + &show_answers(&answers, request.index(), MOST_ANSWERS)))
    })
}

/// What the command line asks for; all planned tables where it asks for nothing.
fn requests(args: &AnswerArgs, measurement: &Measurement<File>) -> Result<Vec<AnswerRequest>, Failure> {
    if args.marginal.is_empty() && args.query.is_empty() {
        return Ok(measurement.all());
    }
    let tables = args.marginal.iter().map(|text| measurement.table(text));
    tables.chain(args.query.iter().map(|text| measurement.query(text))).collect()
}

/// Writes every marginal and the record of them.
fn write(
    args: &AnswerArgs,
    measurement: &mut Measurement<File>,
    requests: &[AnswerRequest],
    output: &Path,
) -> Result<(), Failure> {
    let mut sink = DirectorySink::create(named(output)?)?;
    let document = measurement.write(requests, args.tables.format_of(output), &mut sink)?;
    say(&format!("Wrote {} files to {}.", document.files.len() + 1, output.display()));
    if args.json { print_json(&document) } else { Ok(()) }
}

fn provenance(header: &MeasurementHeader) -> String {
    match &header.promise {
        Some(promise) => format!("released under {} (as stated in the file, not verified)", promise.guarantee),
        None => "simulated noise, not to be published".to_owned(),
    }
}

/// What a measurement holds.
fn contents(measurement: &Measurement<File>) -> String {
    let (header, marginals) = (measurement.header(), measurement.marginals());
    format!(
        "\n  measurement of {} tables and all their marginals: {} (rho {})\n\n{}\n  \
         select answers with --marginal \"NAME,NAME\" or --query \"NAME=ANSWER,NAME=ANSWER\"\n",
        marginals.len(),
        provenance(&header),
        short_up(header.rho),
        marginal_table(&marginals, None)
    )
}
