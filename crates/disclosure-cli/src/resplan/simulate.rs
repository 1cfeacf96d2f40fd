//! `disclosure resplan simulate`: the error that was predicted beside the error that noise makes.

use disclosure_jobs::marginals::SimulationDocument;

use super::planned;
use super::show::name_of;
use crate::args::SimulateArgs;
use crate::display::{Align, Table, count, short};
use crate::error::Failure;
use crate::files::{data_source_within, print_json, print_text, say};
use crate::observer::Terminal;

pub(super) fn run(args: &SimulateArgs) -> Result<(), Failure> {
    let observer = Terminal;
    let output = args.output.as_deref().map(|path| args.write.owner_file(path)).transpose()?;
    let planned = planned(&args.spec, None, &args.limits.limits(), &observer)?;
    let source = data_source_within(&args.data, args.format.spec(), args.limits.max_memory)?;
    let source = if planned.person().is_some() { source.into_snapshot(args.limits.max_memory)? } else { source };
    let ready = planned.read(&source, &observer)?;
    let document = ready.simulate(args.trials, args.seed, &observer)?;
    if let Some(output) = output {
        ready.write_simulated(args.seed, 0, &mut output.sink()?, "measurement")?;
        let path = output.path().display();
        say(&format!("Stored the simulated measurement of the first trial. Try: disclosure resplan answer {path}"));
    }
    if args.json { print_json(&document) } else { print_text(&show(&document)) }
}

fn show(document: &SimulationDocument) -> String {
    let mut table = Table::new([
        ("table", Align::Left),
        ("answers", Align::Right),
        ("sd predicted", Align::Right),
        ("sd measured", Align::Right),
        ("ratio", Align::Right),
    ]);
    for marginal in &document.marginals {
        let (predicted, measured) = (marginal.variance_predicted.sqrt(), marginal.variance_measured.sqrt());
        let ratio = if predicted > 0.0 { format!("{:.4}", measured / predicted) } else { "–".to_owned() };
        let name = name_of(&marginal.attributes);
        table.row([name, count(marginal.queries), short(predicted), short(measured), ratio]);
    }
    format!(
        "\n  {} trials of simulated noise with seed {}; do not publish any of this\n  \
         root mean square error: predicted {}, measured {}\n\n{}",
        document.trials,
        document.seed,
        short(document.rmse_predicted),
        short(document.rmse_measured),
        table.render()
    )
}
