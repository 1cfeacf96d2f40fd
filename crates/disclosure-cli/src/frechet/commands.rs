//! The subcommands: a document each, as a table or as JSON, and the exit code.

use std::path::Path;

use disclosure_jobs::exact::{
    self, AlgorithmAwareDocument, AuditOptions, BoundsOptions, MAX_CERTIFICATE_BYTES, Scope, TrialLimits,
    VerifyDocument,
};

use super::args::{AuditArgs, BoundsArgs, DiffArgs, JobArgs, VerifyArgs};
use super::load::{load, say_certificates_written, with_slack, write_certificates};
use super::pattern;
use super::show::{show_audit, show_bounds, show_diff};
use super::show_plan::{show_plan, show_private_plan};
use crate::display::count;
use crate::error::Failure;
use crate::files::{print_json, print_text, read_text_at_most};
use crate::observer::Terminal;

/// Finds the bounds of every cell, and writes what proves them when asked to.
pub(super) fn bounds(args: &BoundsArgs) -> Result<(), Failure> {
    let (observer, spec) = (Terminal, &args.job.spec);
    let file = args.certificates.as_deref().map(|path| args.write.owner_file(path)).transpose()?;
    let job = load(spec, &observer)?;
    let options = BoundsOptions { count_tables: args.count_tables, certificates: args.certificates.is_some() };
    let found = job.bounds(options, &observer).and_then(|(document, certificates)| {
        file.zip(certificates.as_ref()).map(|(file, own)| write_certificates(file, own)).transpose()?;
        Ok(document)
    });
    let flags = (args.slack, args.job.json);
    let document = found.map_err(|failure| with_slack(failure, &job, flags, Scope::Cells, &observer).within(spec))?;
    match args.job.json {
        true => print_json(&document)?,
        false => print_text(&show_bounds(&document))?,
    }
    args.certificates.as_deref().inspect(|file| say_certificates_written(file));
    Ok(())
}

/// Judges every class in scope; a missed target is a failure, after everything was said.
pub(super) fn audit(args: &AuditArgs) -> Result<(), Failure> {
    match (&args.jj, &args.spec) {
        (Some(file), _) => pattern::audit(args, file),
        (None, Some(spec)) => audit_job(args, spec),
        (None, None) => Err(Failure::new("E0200", "give a job file, or a suppression pattern with --jj")),
    }
}

fn audit_job(args: &AuditArgs, spec: &Path) -> Result<(), Failure> {
    let observer = Terminal;
    let file = args.certificates.as_deref().map(|path| args.write.owner_file(path)).transpose()?;
    let job = load(spec, &observer)?.with_seconds(args.seconds);
    let options =
        AuditOptions { draws: args.draws, certificates: file.is_some(), algorithm_aware: args.algorithm_aware };
    let found = job.audit(options, &observer).and_then(|(document, certificates)| {
        file.zip(certificates.as_ref()).map(|(file, own)| write_certificates(file, own)).transpose()?;
        Ok(document)
    });
    let (flags, scope) = ((args.slack, args.json), job.rule().scope());
    let document = found.map_err(|failure| with_slack(failure, &job, flags, scope, &observer).within(spec))?;
    match args.json {
        true => print_json(&document)?,
        false => print_text(&show_audit(&document))?,
    }
    args.certificates.as_deref().inspect(|file| say_certificates_written(file));
    let is_lost = document.algorithm_aware.as_ref().is_some_and(AlgorithmAwareDocument::is_lost);
    match (is_lost, document.target_met) {
        (true, _) => Err(exact::algorithm_aware_lost().within(spec)),
        (false, true) => Ok(()),
        // The plan withholds what the audit of everything found, and meets the target.
        (false, false) => Err(exact::target_missed(job.target()).within(spec)),
    }
}

/// Judges two jobs together. What they disclose only together is a failure, after everything was
/// said.
pub(super) fn diff(args: &DiffArgs) -> Result<(), Failure> {
    let observer = Terminal;
    let (before, after) = (load(&args.before, &observer)?, load(&args.after, &observer)?);
    let document = exact::diff(&before, &after, args.changed, &observer).map_err(|refusal| {
        let file = if refusal.is_before { &args.before } else { &args.after };
        refusal.error.within(file)
    })?;
    match args.json {
        true => print_json(&document)?,
        false => print_text(&show_diff(&document))?,
    }
    document.check_target().map_err(|failure| failure.within(&args.after))
}

/// Shows the plan; one that misses the target is a failure, after everything was said: why, and
/// which settings would pass.
pub(super) fn plan(args: &JobArgs) -> Result<(), Failure> {
    let observer = Terminal;
    let job = load(&args.spec, &observer)?;
    if job.is_private() {
        let document = job.plan_privately().map_err(|failure| failure.within(&args.spec))?.document();
        return if args.json { print_json(&document) } else { print_text(&show_private_plan(&document)) };
    }
    let target = job.target();
    let document = job.plan(&observer).and_then(|planned| planned.explained(TrialLimits::default(), &observer));
    let document = document.map_err(|failure| failure.within(&args.spec))?;
    match args.json {
        true => print_json(&document)?,
        false => print_text(&show_plan(&document))?,
    }
    if document.target_met { Ok(()) } else { Err(exact::target_missed(target).within(&args.spec)) }
}

/// Checks every claim of a file of certificates.
pub(super) fn verify(args: &VerifyArgs) -> Result<(), Failure> {
    let text = read_text_at_most(&args.certificates, |_| MAX_CERTIFICATE_BYTES)?;
    let document = exact::verify(&text).map_err(|failure| failure.within(&args.certificates))?;
    match args.json {
        true => print_json(&document),
        false => print_text(&show_verified(&document)),
    }
}

fn show_verified(document: &VerifyDocument) -> String {
    let [bounds, attained] = [document.bounds, document.attained].map(|number| count(number as f64));
    let (rows, tables) = (several(document.rows, "row"), several(document.tables, "table"));
    format!("verified: {bounds} bounds follow from {rows}; {attained} are attained by {tables}\n")
}

fn several(number: usize, what: &str) -> String {
    format!("{} {what}{}", count(number as f64), if number == 1 { "" } else { "s" })
}
