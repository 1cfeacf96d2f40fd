//! The five subcommands: files and the terminal around the jobs of `disclosure_jobs::filter`.

use std::path::Path;

use disclosure_jobs::answers::Answers;
use disclosure_jobs::disclosure::privacy_core::prf::Secret;
use disclosure_jobs::filter::{
    AdviceJob, Decided, GroupedTable, Job, LowCountFilter, OWNER_ONLY, OddsRequest, odds as odds_of, stored_groups,
};
use disclosure_jobs::input::FileSystem;
use disclosure_jobs::registry::{Registration, RegistryFile};
use disclosure_jobs::sink::check_apart;

use super::args::{AdviseArgs, ExplainArgs, FilterArgs, GroupArgs, JobArgs, OddsArgs};
use super::show::{show_explanation, show_filter};
use super::show_odds::{show_advice, show_odds};
use crate::error::Failure;
use crate::files::{data_source, json_of, print_json, print_text, read_text, say, secret_of};
use crate::observer::Terminal;

/// Writes the groups that are reported, and the audit where it was asked for.
pub(super) fn filter(args: &FilterArgs) -> Result<(), Failure> {
    let output = args.output.as_deref().map(|path| args.write.file(path)).transpose()?;
    let audit = args.audit.as_deref().map(|path| args.write.owner_file(path)).transpose()?;
    check_apart(args.output.as_deref(), args.audit.as_deref().as_slice())?;
    check_apart_from_inputs(args.output.as_deref(), &args.job)?;
    check_apart_from_inputs(args.audit.as_deref(), &args.job)?;
    let job = read_job(&args.job.spec)?;
    let format = args.output.as_deref().map(|path| args.tables.format_of(path)).unwrap_or_default();
    job.spec().check_tables(format).map_err(|failure| failure.within(&args.job.spec))?;
    if args.rest.is_some() {
        job.check_rest()?;
    }
    let decided = decide(&job, &args.job, Audience::Public)?;
    let released = decided.release(args.rest.as_deref())?;
    if let Some(audit) = audit {
        audit.write(&json_of(&decided.audit()))?;
    }
    if let Some(output) = output {
        output.write_with(|file| released.write_table(format, file))?;
    }
    match args.json {
        true => print_json(released.document())?,
        false => print_text(&show_filter(&released, args.output.as_deref()))?,
    }
    if let Some(path) = &args.audit {
        say(&format!("The audit is in {}: {OWNER_ONLY}.", path.display()));
    }
    Ok(())
}

/// Decides about the whole table, so that the answer is that of `lcf filter`, and says why about
/// one group.
pub(super) fn explain(args: &ExplainArgs) -> Result<(), Failure> {
    let job = read_job(&args.job.spec)?;
    let labels = job.labels_of_line(&args.group)?;
    let decided = decide(&job, &args.job, Audience::Owner)?;
    let document = decided.explain(&labels).map_err(|failure| failure.within(&args.job.data))?;
    match args.json {
        true => print_json(&document),
        false => print_text(&show_explanation(&document)),
    }
}

/// Shows the tables of a threshold.
pub(super) fn odds(args: &OddsArgs) -> Result<(), Failure> {
    let document = odds_of(&OddsRequest {
        law: args.law.law(args.groups_per_entity)?,
        prior: args.prior()?,
        groups_per_entity: args.groups_per_entity,
        up_to: args.up_to.map(u64::from),
        counts: args.counts(),
    })?;
    match args.json {
        true => print_json(&document),
        false => print_text(&show_odds(&document)),
    }
}

/// Finds the parameters that meet a target.
pub(super) fn advise(args: &AdviseArgs) -> Result<(), Failure> {
    let text = read_text(&args.spec)?;
    let advised = AdviceJob::parse(&text, &FileSystem::beside(&args.spec)).and_then(|job| job.advise(&Terminal));
    let document = advised.map_err(|failure| failure.within(&args.spec))?;
    match args.json {
        true => print_json(&document),
        false => print_text(&show_advice(&document)),
    }
}

/// The secret of a job, and whether it gets a registry if it has none.
fn secret_and_registration(args: &JobArgs) -> Result<(Secret, Registration), Failure> {
    let secret = secret_of(&args.secret_file, args.new_secret)?;
    Ok((secret, Registration::allowed(args.new_secret || args.register)))
}

/// Refuses an output in the place of what is read or kept: before anything is registered.
fn check_apart_from_inputs(output: Option<&Path>, args: &JobArgs) -> Result<(), Failure> {
    let registry = RegistryFile::beside(&args.secret_file);
    check_apart(output, &[&args.secret_file, registry.path(), &args.spec, &args.data])
}

fn read_job(spec: &Path) -> Result<Job, Failure> {
    Job::parse_with(&read_text(spec)?, &FileSystem::beside(spec)).map_err(|failure| failure.within(spec))
}

/// Who sees a decided table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Audience {
    /// Anyone who gets the groups that are reported.
    Public,
    /// The owner of the data alone: nothing is published or answered.
    Owner,
}

/// Stores the groups of one part of the data, with those of earlier parts.
pub(super) fn group(args: &GroupArgs) -> Result<(), Failure> {
    check_apart_from_inputs(Some(&args.output), &args.job)?;
    let output = args.write.owner_file(&args.output)?;
    let (job, observer) = (read_job(&args.job.spec)?, Terminal);
    job.check_stored().map_err(|failure| failure.within(&args.job.spec))?;
    let (secret, registration) = secret_and_registration(&args.job)?;
    let filter = job.filter(&secret, &observer).map_err(|failure| failure.within(&args.job.spec))?;
    let mut table = grouped(&job, &args.job, &filter, &args.job.data)?;
    for path in &args.add {
        let part = grouped(&job, &args.job, &filter, path)?;
        table = job.add(table, &part, &filter)?;
    }
    let claim = table.claim(&filter)?.without_publication();
    RegistryFile::beside(&args.job.secret_file).admit(&secret, &claim, registration)?;
    output.write(&table.to_bytes(&filter)?)?;
    say(&format!("The groups are in {}: {OWNER_ONLY}.", args.output.display()));
    Ok(())
}

/// The groups of a file: of its rows, or as they were stored.
fn grouped(job: &Job, args: &JobArgs, filter: &LowCountFilter, path: &Path) -> Result<GroupedTable, Failure> {
    if let Some(bytes) = stored_groups(path)? {
        return job.stored(&bytes, filter).map_err(|failure| failure.within(path));
    }
    job.group(&data_source(path, args.format.spec())?, filter, &Terminal)
}

/// The data through the filter, once the registry of the secret has admitted what they ask for,
/// and the answers of a difference guard are stored.
fn decide(job: &Job, args: &JobArgs, audience: Audience) -> Result<Decided, Failure> {
    let (secret, registration) = secret_and_registration(args)?;
    let observer = Terminal;
    let filter = job.filter(&secret, &observer).map_err(|failure| failure.within(&args.spec))?;
    let registry = RegistryFile::beside(&args.secret_file);
    let mut answers = None;
    if job.spec().guard {
        answers = Some(Answers::open(&args.secret_file, &secret, &filter)?);
    }
    let grouped = grouped(job, args, &filter, &args.data)?;
    let decided = job.decide(grouped, &filter, answers.as_mut().map(Answers::guard), &observer)?;
    match (audience, &answers) {
        (Audience::Owner, _) => {
            registry.admit(&secret, &decided.claim().clone().without_publication(), registration)?;
        }
        (Audience::Public, None) => registry.admit(&secret, decided.claim(), registration)?,
        (Audience::Public, Some(answers)) => {
            registry.admit_answers(&secret, decided.claim(), registration, answers)?;
        }
    }
    Ok(decided)
}
