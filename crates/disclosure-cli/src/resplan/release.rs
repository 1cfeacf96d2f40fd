//! `disclosure resplan release`: the budget is charged first, the noise is drawn once, the
//! outputs appear together.

use disclosure_jobs::document::Titled;
use disclosure_jobs::marginals::{PlanDocument, ReleaseDocument, Released};
use disclosure_jobs::observer::during;

use super::planned;
use super::show::{show_one_way, show_plan};
use crate::error::Failure;
use crate::files::{print_json, print_text, say, system_rng, today, warn};
use crate::observer::Terminal;
use crate::release::{Prepared, ReleaseArgs, Request};

pub(super) fn run(args: &ReleaseArgs) -> Result<(), Failure> {
    let observer = Terminal;
    let planned = planned(&args.spec, None, &args.limits.limits(), &observer)?
        .with_default_date(&today())
        .with_tables(args.tables.format());
    planned.check_release().map_err(|failure| failure.within(&args.spec))?;
    let request = Request {
        warnings: planned.warnings(),
        charge: planned.charge_request(),
        has_person: planned.person().is_some(),
    };
    let Prepared { mut ledger, mut sink, source } = args.prepare(&request, &observer)?;
    let ready = planned.read(&source, &observer)?;
    ready.check().map_err(|failure| failure.within(&args.data))?;
    warn(&ready.warnings());
    args.say_persons(ready.persons());
    if args.dry_run {
        return show_dry_run(args, &ready.planned().document());
    }
    let mut rng = system_rng()?;
    let released = during(&observer, "drawing noise", || ready.release(ledger.as_mut(), &mut rng))?;
    let document = during(&observer, "writing", || released.write(&mut sink, &observer))?;
    show(args, &released, &document)
}

fn show(args: &ReleaseArgs, released: &Released, document: &ReleaseDocument) -> Result<(), Failure> {
    if args.json {
        return print_json(document);
    }
    print_text(&(show_plan(released.plan(), Some(&document.files)) + &show_one_way(released)?))?;
    say(&format!(
        "\nWrote {} files to {}. release.json records the guarantee, its cost, and the digest of every file.\n\
         To compute further marginals later: disclosure resplan answer {1}/measurement.bin",
        document.files.len() + 1,
        args.output.display()
    ));
    args.say_uncounted();
    Ok(())
}

fn show_dry_run(args: &ReleaseArgs, plan: &PlanDocument) -> Result<(), Failure> {
    if args.json {
        return print_json(plan);
    }
    print_text(&show_plan(plan, None))?;
    say("\nDry run: the data was read and checked. No noise was drawn, and nothing was written or charged.");
    Ok(())
}
