//! A plan in a file: what `resplan plan -o` writes, and `resplan release` carries out later or elsewhere.
//!
//! One line of JSON, `{"schema":"...","job":{...},"sha256":"..."}`, where the digest is that of the text of the job: a
//! changed or missing byte is found. The job holds how the columns of the data are read, and the plan itself.

use std::collections::BTreeSet;
use std::path::Path;

use disclosure::resplan::{Plan, PlanFile, PlanLimits, PlannedAttribute};
use privacy_data::{DomainFile, OutputError, write_atomic_with};
use serde::{Deserialize, Serialize};

use super::after::After;
use super::budget::Terms;
use super::job::{Columns, EncodingName, Job};
use crate::digest::{is_sha256, sha256};
use crate::error::Failure;

const HEAD: &str = "{\"schema\":\"disclosure.resplan-plan-file/1\",\"job\":";
/// What all versions begin with.
const ANY_HEAD: &str = "{\"schema\":\"";
const MIDDLE: &str = ",\"sha256\":\"";
const TAIL: &str = "\"}\n";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct JobFile {
    title: String,
    spec_sha256: String,
    strategy: String,
    terms: Terms,
    /// The columns of the data, as a domain.toml has them.
    domain: String,
    count: Option<String>,
    encoding: EncodingName,
    query_names: Vec<Option<Vec<String>>>,
    after: BTreeSet<After>,
    plan: PlanFile,
}

/// Whether a text is a stored plan rather than a spec, by its first bytes: no TOML begins with a brace.
pub(super) fn is_stored(text: &[u8]) -> bool {
    text.trim_ascii_start().starts_with(b"{")
}

/// Writes a plan.
pub(super) fn write(path: &Path, job: &Job, plan: &Plan) -> Result<(), OutputError> {
    // What is asked about the attributes is in the plan.
    let mut domain = job.columns.file.clone();
    domain.attributes.iter_mut().for_each(|attribute| attribute.basis = None);
    let job = JobFile {
        title: job.title.clone(),
        spec_sha256: job.spec_sha256.clone(),
        strategy: job.strategy.clone(),
        terms: job.terms,
        domain: domain.to_toml(),
        count: job.columns.count.clone(),
        encoding: job.columns.encoding,
        query_names: job.names.clone(),
        after: job.after.clone(),
        plan: plan.to_file(),
    };
    let text = serde_json::to_string(&job).expect("a plan has string keys and finite numbers");
    let digest = sha256(text.as_bytes());
    write_atomic_with(path, |file| {
        [HEAD, &text, MIDDLE, &digest, TAIL].iter().try_for_each(|part| file.write_all(part.as_bytes()))
    })
}

/// Reads a plan that was written; everything in it is checked anew.
pub(super) fn parse(path: &Path, text: &str, limits: &PlanLimits) -> Result<(Job, Plan), Failure> {
    let damaged = || Failure::new("E0362", "the plan file is damaged or was cut off");
    let Some(rest) = text.strip_prefix(HEAD) else {
        let other = if text.starts_with(ANY_HEAD) { "another format or version" } else { "no plan file" };
        return Err(Failure::new("E0361", format!("this is {other}; expected disclosure.resplan-plan-file/1")));
    };
    let rest = rest.strip_suffix(TAIL).ok_or_else(damaged)?;
    let (job, digest) = rest.len().checked_sub(64).and_then(|at| rest.split_at_checked(at)).ok_or_else(damaged)?;
    let job = job.strip_suffix(MIDDLE).ok_or_else(damaged)?;
    if sha256(job.as_bytes()) != digest {
        return Err(damaged());
    }
    // The place and not the message, which shows what was found there.
    let not_a_job = |error: serde_json::Error| {
        Failure::new("E0363", format!("the job of the plan file is none, at its column {}", error.column()))
    };
    let file: JobFile = serde_json::from_str(job).map_err(not_a_job)?;
    let plan = file.plan.plan(limits)?;
    let columns = Columns::new(DomainFile::parse(&file.domain)?, file.count, file.encoding)?;
    let unfit =
        |what: &str| Err(Failure::new("E0363", format!("the {what} of the plan file are not those of its plan")));
    if columns.schema.domain() != plan.domain() {
        return unfit("columns");
    }
    let fits = |(names, planned): (&Option<Vec<String>>, PlannedAttribute<'_>)| {
        names.as_ref().is_none_or(|names| names.len() == planned.queries)
    };
    if file.query_names.len() != plan.domain().len() || !file.query_names.iter().zip(plan.attributes()).all(fits) {
        return unfit("names of queries");
    }
    if !is_sha256(&file.spec_sha256) {
        return Err(Failure::new("E0363", "the plan file names no digest of a spec"));
    }
    let job = Job {
        path: path.to_owned(),
        spec_sha256: file.spec_sha256,
        title: file.title,
        strategy: file.strategy,
        terms: file.terms,
        columns,
        names: file.query_names,
        after: file.after,
    };
    Ok((job, plan))
}
