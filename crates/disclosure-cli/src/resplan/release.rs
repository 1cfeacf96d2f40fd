//! `disclosure resplan release`: the noise is drawn once, the budget is spent first, the outputs appear together.

use std::time::{SystemTime, UNIX_EPOCH};

use disclosure::resplan::{Measured, Release};
use privacy_data::OutputDir;
use rand::rngs::SysRng;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;

use super::outputs::{ReleaseRecord, file_name, write_file, write_marginal};
use super::report::PlanReport;
use super::show::{show_plan, show_values};
use super::spec::{NoiseKind, Spec};
use super::{plan_of, rows_of};
use crate::args::ReleaseArgs;
use crate::error::Failure;
use crate::files::{json_of, named, print, print_json, say};
use crate::ledger::{Ledger, Promise, Spend};
use crate::progress;

pub(super) fn run(args: &ReleaseArgs) -> Result<(), Failure> {
    let spec = Spec::read(&args.spec)?;
    if spec.noise == NoiseKind::Continuous {
        let message = "a release draws exact integer noise; noise = \"continuous\" is for simulation";
        return Err(Failure::new("E0214", message).within(&args.spec));
    }
    let plan = plan_of(&spec, &args.limits)?;
    plan.check_domain(spec.schema.domain()).map_err(|error| Failure::from(error).within(&args.spec))?;
    let report = PlanReport::of(&spec, &plan);
    let promise = Promise { neighbours: plan.neighbours(), rows_per_person: plan.rows_per_person() };
    // Everything that can be wrong with the ledger, the directory or the data is found before anything is spent.
    if let Some(ledger) = &args.ledger {
        Ledger::check_writable(ledger)?;
        Ledger::read(ledger)?.check(report.rho, promise)?;
    }
    let directory = OutputDir::create(named(&args.output)?)?;
    let rows = progress::during("reading", || rows_of(&spec, &args.data))?;
    plan.check_total(rows.total()).map_err(|error| Failure::from(error).within(&args.data))?;
    if args.dry_run {
        drop(directory);
        return show_dry_run(args, &report);
    }
    let mut rng = ChaCha20Rng::try_from_rng(&mut SysRng).map_err(|error| Failure::new("E0106", error.to_string()))?;
    let ledger_hash = spend(args, &spec, report.rho, promise)?;
    let written = progress::during("measuring and writing", || {
        let measured = plan.measure(&rows, &mut rng)?;
        let record = write_all(directory, &measured, &report, &spec, ledger_hash)?;
        Ok((measured, record))
    });
    let paid = |failure: Failure| match &args.ledger {
        Some(ledger) => failure.after_spending(report.rho, ledger),
        None => failure,
    };
    let (measured, record) = written.map_err(paid)?;
    show(args, &measured, &report, &record).map_err(|failure| {
        failure.next(format!("nothing: the release is complete in {}, and paid for", args.output.display()))
    })
}

fn spend(args: &ReleaseArgs, spec: &Spec, rho: f64, promise: Promise) -> Result<Option<String>, Failure> {
    let Some(ledger) = &args.ledger else { return Ok(None) };
    let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs());
    Ok(Some(Ledger::spend(ledger, Spend { rho, spec_sha256: spec.sha256.clone(), time }, promise)?))
}

/// Writes every file and makes the directory appear.
fn write_all(
    mut directory: OutputDir,
    measured: &Measured<Release>,
    report: &PlanReport,
    spec: &Spec,
    ledger_hash: Option<String>,
) -> Result<ReleaseRecord, Failure> {
    let plan = measured.plan();
    let mut files = Vec::with_capacity(report.marginals.len() + 1);
    for (number, (marginal, planned)) in plan.marginals().zip(&report.marginals).enumerate() {
        let name = file_name(number, report.marginals.len(), &planned.attributes);
        // One marginal at a time: together they may be far larger than the residuals they are made from.
        let answer = measured.marginal(marginal.attributes)?;
        files.push(write_marginal(&mut directory, plan.domain(), &answer, name, planned.ci95_half_width)?);
    }
    files.push(write_file(&mut directory, "plan.json".to_owned(), &json_of(report))?);
    let record = ReleaseRecord::of(report, spec, ledger_hash, files);
    write_file(&mut directory, "release.json".to_owned(), &json_of(&record))?;
    directory.commit()?;
    Ok(record)
}

fn show(
    args: &ReleaseArgs,
    measured: &Measured<Release>,
    report: &PlanReport,
    record: &ReleaseRecord,
) -> Result<(), Failure> {
    if args.quiet {
        return Ok(());
    }
    if args.json {
        return print_json(record);
    }
    let text = show_plan(report, Some(&record.files)) + &show_values(measured, report)?;
    print(text.as_bytes())?;
    say(&format!(
        "\nWrote {} files to {}. release.json says what was promised, at what cost, with the digest of every file.",
        record.files.len() + 1,
        args.output.display()
    ));
    if args.ledger.is_none() {
        say("Another release from the same data adds to the cost: count them with --ledger FILE.");
    }
    Ok(())
}

fn show_dry_run(args: &ReleaseArgs, report: &PlanReport) -> Result<(), Failure> {
    if args.quiet {
        return Ok(());
    }
    if args.json {
        return print_json(report);
    }
    print(show_plan(report, None).as_bytes())?;
    say("\nDry run: the data was read and checked, no noise was drawn, nothing was written or spent.");
    Ok(())
}
