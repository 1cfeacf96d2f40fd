//! `disclosure frechet release`, `round` and `perturb`: what writes a directory of tables. A plan
//! is carried out, a pattern is charged and drawn, or one table is rounded or perturbed.

use disclosure_jobs::exact::LoadedJob;
use disclosure_jobs::exact::Released;
use disclosure_jobs::ledger::{FileLedger, Ledger, Uncounted};
use disclosure_jobs::observer::{Observer, during};
use disclosure_jobs::registry::{Registration, RegistryFile};
use disclosure_jobs::sink::{DirectorySink, StoppableSink, check_outside};

use super::args::{PerturbArgs, ReleaseArgs, RoundArgs};
use super::load;
use super::load::load;
use super::show_plan::{show_perturbed, show_release, show_rounded};
use crate::error::Failure;
use crate::files::{named, print_json, print_text, say, secret_of, system_rng, today};
use crate::observer::Terminal;

/// Plans, asks the attacker, draws the noise, writes.
pub(super) fn release(args: &ReleaseArgs) -> Result<(), Failure> {
    let (observer, spec) = (Terminal, &args.job.spec);
    let job = load(spec, &observer)?.with_default_date(&today()).with_tables(args.tables.format());
    job.check_columns().map_err(|failure| failure.within(spec))?;
    let is_private = job.is_private();
    if args.ledger.is_some() && !is_private {
        let message =
            "--ledger records the cost of decide_on = \"private\", and this job has no cost; leave --ledger out";
        return Err(Failure::new("E0200", message).within(spec));
    }
    let mut sink = StoppableSink::new(DirectorySink::create(named(&args.output)?)?, observer.stop_flag());
    let released = if is_private { drawn(args, job, &observer) } else { planned(job, &observer) };
    let document = released.map_err(|failure| failure.within(spec))?.write(&mut sink)?;
    match args.job.json {
        true => print_json(&document)?,
        false => print_text(&show_release(&document))?,
    }
    let output = args.output.display();
    say(&format!("Wrote {output}. release.json records the guarantee and the digest of every file."));
    if is_private && args.ledger.is_none() {
        say("Every further release from the same data adds to the cost. Use --ledger FILE to keep track.");
    }
    Ok(())
}

fn planned(job: LoadedJob, observer: &Terminal) -> Result<Released, Failure> {
    let mut rng = system_rng()?;
    job.plan(observer).and_then(|planned| planned.release(&mut rng))
}

/// Charges the budget, and draws which numbers leave.
fn drawn(args: &ReleaseArgs, job: LoadedJob, observer: &Terminal) -> Result<Released, Failure> {
    let planned = job.plan_privately()?;
    let mut ledger: Box<dyn Ledger> = match &args.ledger {
        Some(path) => Box::new(FileLedger::at(path)),
        None => Box::new(Uncounted),
    };
    ledger.check(&planned.charge_request())?;
    let mut rng = system_rng()?;
    during(observer, "drawing", || planned.release(ledger.as_mut(), &mut rng))
}

/// Rounds a table with its totals, asks the attacker, writes.
pub(super) fn round(args: &RoundArgs) -> Result<(), Failure> {
    let (observer, spec) = (Terminal, &args.job.spec);
    let job = load(spec, &observer)?.with_default_date(&today()).with_tables(args.tables.format());
    let mut sink = StoppableSink::new(DirectorySink::create(named(&args.output)?)?, observer.stop_flag());
    let rounded = job.round(args.base, &mut system_rng()?, &observer);
    let document = rounded.map_err(|failure| failure.within(spec))?.write(&mut sink)?;
    match args.job.json {
        true => print_json(&document)?,
        false => print_text(&show_rounded(&document))?,
    }
    let output = args.output.display();
    say(&format!("Wrote {output}. release.json records the guarantee and the digest of every file."));
    Ok(())
}

/// Perturbs a table with its totals by keys of a secret, asks the attacker, writes.
pub(super) fn perturb(args: &PerturbArgs) -> Result<(), Failure> {
    let (observer, spec) = (Terminal, &args.job.spec);
    let registry = RegistryFile::beside(&args.secret_file);
    check_outside(&args.output, &[args.secret_file.as_path(), registry.path()])?;
    let mut sink = StoppableSink::new(DirectorySink::create(named(&args.output)?)?, observer.stop_flag());
    let (secret, perturbed) = load::perturb(spec, || secret_of(&args.secret_file, args.new_secret), &observer)?;
    let perturbed = perturbed.with_default_date(&today()).with_tables(args.tables.format());
    let registration = Registration::allowed(args.new_secret || args.register);
    registry.admit(&secret, &perturbed.claim(), registration)?;
    let document = perturbed.write(&mut sink)?;
    match args.job.json {
        true => print_json(&document)?,
        false => print_text(&show_perturbed(&document))?,
    }
    let output = args.output.display();
    say(&format!("Wrote {output}. release.json records the guarantee and the digest of every file."));
    Ok(())
}
