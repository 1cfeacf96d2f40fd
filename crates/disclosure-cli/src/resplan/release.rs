//! `disclosure resplan release`: the budget is charged first, the noise is drawn once, the
//! outputs appear together.

use disclosure_jobs::marginals::{PlanDocument, ReleaseDocument, Released};
use disclosure_jobs::observer::{Observer, during};
use disclosure_jobs::sink::{DirectorySink, StoppableSink};

use super::planned;
use super::show::{show_one_way, show_plan};
use crate::args::ReleaseArgs;
use crate::error::Failure;
use crate::files::{data_source, named, print_json, print_text, say, system_rng, today, warn};
use crate::new_ledger::ledger_at;
use crate::observer::Terminal;

pub(super) fn run(args: &ReleaseArgs) -> Result<(), Failure> {
    let observer = Terminal;
    let planned = planned(&args.spec, None, &args.limits.limits(), &observer)?.with_default_date(&today());
    planned.check_release().map_err(|failure| failure.within(&args.spec))?;
    warn(&planned.warnings());
    let mut ledger = ledger_at(args.ledger.as_deref(), &args.new_ledger)?;
    // Everything that can be wrong with the ledger, the directory or the data is found before
    // anything is charged.
    ledger.check(&planned.charge_request())?;
    let mut sink = StoppableSink::new(DirectorySink::create(named(&args.output)?)?, observer.stop_flag());
    let source = data_source(&args.data, args.format.spec())?;
    // The rows and then their persons: a stream is read once.
    let source = if planned.person().is_some() { source.into_snapshot(args.limits.max_memory)? } else { source };
    let ready = planned.read(&source, &observer)?;
    ready.check().map_err(|failure| failure.within(&args.data))?;
    warn(&ready.warnings());
    if let Some(persons) = ready.persons().filter(|_| !args.json) {
        say(&format!("For the owner of the data alone: {}", persons.sentence()));
    }
    if args.dry_run {
        return show_dry_run(args, &ready.planned().document());
    }
    let mut rng = system_rng()?;
    let released = during(&observer, "drawing noise", || ready.release(ledger.as_mut(), &mut rng))?;
    let document = during(&observer, "writing", || released.write(&mut sink, &observer))?;
    show(args, &released, &document).map_err(|failure| {
        failure.next(format!("nothing: the release is complete in {}, and paid for", args.output.display()))
    })
}

fn show(args: &ReleaseArgs, released: &Released, document: &ReleaseDocument) -> Result<(), Failure> {
    if args.json {
        return print_json(document);
    }
    print_text(&(show_plan(released.plan(), Some(&document.files)) + &show_one_way(released)?))?;
    say(&format!(
        "\nWrote {} files to {}. release.json says what was promised, at what cost, with the digest of every file.\n\
         measurement.bin answers any marginal within these later: disclosure resplan answer {1}/measurement.bin",
        document.files.len() + 1,
        args.output.display()
    ));
    if args.ledger.is_none() {
        say("Another release from the same data adds to the cost: count them with --ledger FILE.");
    }
    Ok(())
}

fn show_dry_run(args: &ReleaseArgs, plan: &PlanDocument) -> Result<(), Failure> {
    if args.json {
        return print_json(plan);
    }
    print_text(&show_plan(plan, None))?;
    say("\nDry run: the data was read and checked, no noise was drawn, nothing was written or spent.");
    Ok(())
}
