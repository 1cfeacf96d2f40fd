//! `disclosure run`: the whole trip on one table.
//!
//! Screen, audit, plan, filter, attack; only when every target is met is a budget spent, noise drawn and anything written.

mod args;
mod spec;

mod budget;
mod exact_part;
mod trip;

mod findings;
mod joint;
mod targets;

mod manifest;
mod outputs;
mod show;

use privacy_data::OutputDir;
use rand::rngs::SysRng;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;

pub(crate) use args::RunArgs;

use crate::error::Failure;
use crate::files::{named, print, print_json, say};
use crate::lcf::Filtered;
use crate::progress;
use findings::Findings;
use manifest::Manifest;
use outputs::Outputs;
use show::show;
use trip::Trip;

/// Carries a job out.
pub(crate) fn run(args: &RunArgs) -> Result<(), Failure> {
    let mut trip = Trip::read(args)?;
    // Everything that can be wrong with the ledger and the directory is found before the work is done.
    trip.budget.as_ref().map_or(Ok(()), |purse| purse.check_ledger(&trip.job_sha256))?;
    let directory = OutputDir::create(named(&args.output)?)?;
    let filter = trip.filtered.take();
    let filtered = filter.as_ref().map(|filter| filter.apply(&trip.data, &trip.rows)).transpose();
    let filtered = filtered.map_err(|failure| failure.in_section("[filtered]").within(&args.job))?;
    let findings = Findings::of(&trip, filtered.as_ref()).map_err(|failure| failure.within(&args.job))?;
    let Findings { documents, joint, labels, targets } = findings;
    let mut manifest = Manifest::of(&trip, filtered.as_ref(), &joint, targets);
    let refused = targets::refuse(&manifest.targets).map_err(|failure| failure.within(&args.job));
    if refused.is_err() || args.dry_run {
        drop(directory);
        tell(args, &manifest, &show(&manifest, labels.as_ref(), &joint, refused.is_ok()))?;
        refused?;
        if !args.quiet {
            say("\nDry run: every target is met; no noise was drawn, nothing was released or spent.");
        }
        return Ok(());
    }
    let text = show(&manifest, labels.as_ref(), &joint, true);
    let uncounted = trip.budget.as_ref().is_some_and(budget::Purse::is_uncounted);
    release(directory, trip, filtered.as_ref(), documents, &mut manifest)?;
    tell(args, &manifest, &text)
        .map_err(|failure| failure.next(format!("nothing: the release is complete in {}", args.output.display())))?;
    if !args.quiet && !args.json {
        say_written(args, manifest.files.len() + 1, uncounted);
    }
    Ok(())
}

fn say_written(args: &RunArgs, files: usize, uncounted: bool) {
    let output = args.output.display();
    say(&format!(
        "\nWrote {files} files: {output}/release may leave; {output}/review and {output}/manifest.json stay where the data are."
    ));
    if uncounted {
        say("Another release from the same data adds to the cost: count them with ledger = \"FILE\" in [budget].");
    }
}

fn tell(args: &RunArgs, manifest: &Manifest, text: &str) -> Result<(), Failure> {
    match (args.json, args.quiet) {
        (true, _) => print_json(manifest),
        (_, true) => Ok(()),
        _ => print(text.as_bytes()),
    }
}

/// Pays, draws the noise, and writes everything.
fn release(
    directory: OutputDir,
    mut trip: Trip,
    filtered: Option<&Filtered<'_>>,
    documents: Vec<(&'static str, Vec<u8>)>,
    manifest: &mut Manifest,
) -> Result<(), Failure> {
    let mut rng = ChaCha20Rng::try_from_rng(&mut SysRng).map_err(|error| Failure::new("E0106", error.to_string()))?;
    let purse = trip.budget.take();
    let paid = purse.as_ref().map(|purse| purse.pay(&trip.job_sha256)).transpose()?;
    if let (Some(budget), Some(paid)) = (&mut manifest.budget, &paid) {
        budget.ledger_hash = paid.hash().map(str::to_owned);
    }
    let written = progress::during("measuring and writing", || {
        let exact = trip.exact.take().map(|exact| exact.release(&mut rng)).transpose()?;
        let noisy = match (trip.noisy.take(), &paid) {
            (Some(noisy), Some(paid)) => Some(noisy.measure(&*trip.rows, paid.clone(), &mut rng)?),
            _ => None,
        };
        let mut outputs = Outputs::new(directory);
        outputs.release(exact.as_ref(), filtered, noisy.as_ref())?;
        outputs.finish(documents, manifest)
    });
    written.map_err(|failure| match &paid {
        Some(paid) => paid.spent(failure),
        None => failure,
    })
}
