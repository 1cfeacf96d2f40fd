//! A plan in a file: planned once, and carried out later or elsewhere.
//!
//! One line of JSON, `{"schema":"...","job":{...},"sha256":"..."}`, where the digest is that of
//! the text of the job: a changed or missing byte is found. The job holds how the columns of the
//! data are read, and the plan itself.

use std::collections::BTreeSet;

use disclosure::resplan::{Plan, PlanFile, PlanLimits, PlannedAttribute};
use privacy_data::{DomainFile, TableFormat};
use serde::{Deserialize, Serialize};

use super::columns::Columns;
use super::job::Details;
use super::spec::Adjustment;
use crate::budget::CostTerms;
use crate::digest::{is_sha256, sha256};
use crate::document::Imprint;
use crate::error::JobError;
use crate::input::EncodingName;
use crate::persons::PersonColumn;

const HEAD: &str = "{\"schema\":\"disclosure.resplan-plan-file/1\",\"job\":";
/// What all versions begin with.
const ANY_HEAD: &str = "{\"schema\":\"";
const MIDDLE: &str = ",\"sha256\":\"";
const TAIL: &str = "\"}\n";

/// Longest spec in bytes, and longest stored plan: that of a million residuals has some hundred
/// mebibytes.
const LONGEST_SPEC: u64 = 1 << 24;
const LONGEST_PLAN: u64 = 1 << 30;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredJob {
    title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    owner: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    date: Option<String>,
    spec_sha256: String,
    strategy: String,
    terms: CostTerms,
    /// The columns of the data, as a domain.toml has them.
    domain: String,
    count: Option<String>,
    encoding: EncodingName,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    person: Option<PersonColumn>,
    query_names: Vec<Option<Vec<String>>>,
    #[serde(rename = "after")]
    adjustments: BTreeSet<Adjustment>,
    #[serde(default, skip_serializing_if = "is_csv")]
    tables: TableFormat,
    plan: PlanFile,
}

/// Whether a text is a stored plan rather than a spec, by its first bytes: no TOML begins with a
/// brace.
pub(super) fn is_stored(text: &[u8]) -> bool {
    text.trim_ascii_start().starts_with(b"{")
}

/// How many bytes a spec or a stored plan may have: what to read at most of a file that begins
/// with `head`.
#[must_use]
pub fn longest_text(head: &[u8]) -> u64 {
    if is_stored(head) { LONGEST_PLAN } else { LONGEST_SPEC }
}

/// The text of a plan file.
pub(super) fn to_text(details: &Details, plan: &Plan) -> String {
    // What is asked about the attributes is in the plan.
    let mut domain = details.columns.file.clone();
    domain.attributes.iter_mut().for_each(|attribute| attribute.basis = None);
    let job = StoredJob {
        title: details.title().to_owned(),
        owner: details.imprint.owner.clone(),
        date: details.imprint.date.clone(),
        spec_sha256: details.spec_sha256.clone(),
        strategy: details.strategy.clone(),
        terms: details.cost_terms,
        domain: domain.to_toml(),
        count: details.columns.count.clone(),
        encoding: details.columns.encoding,
        person: details.columns.person.clone(),
        query_names: details.query_names.clone(),
        adjustments: details.adjustments.clone(),
        tables: details.tables,
        plan: plan.to_file(),
    };
    let text = serde_json::to_string(&job).expect("a plan has string keys and finite numbers");
    let digest = sha256(text.as_bytes());
    [HEAD, &text, MIDDLE, &digest, TAIL].concat()
}

/// What plans that say nothing have.
fn is_csv(tables: &TableFormat) -> bool {
    *tables == TableFormat::Csv
}

/// Reads a plan that was written; everything in it is checked anew.
pub(super) fn parse(text: &str, limits: &PlanLimits) -> Result<(Details, Plan), JobError> {
    let job = job_text(text)?;
    // The place and not the message, which shows what was found there.
    let job: StoredJob = serde_json::from_str(job).map_err(|error| {
        JobError::new("E0363", format!("`job` in the plan file is invalid (column {})", error.column()))
    })?;
    let plan = job.plan.plan(limits)?;
    let columns = Columns::new(DomainFile::parse(&job.domain)?, job.count, job.encoding, job.person)?;
    if columns.schema.domain() != plan.domain() {
        return Err(unfit("columns"));
    }
    if job.query_names.len() != plan.domain().len() || !job.query_names.iter().zip(plan.attributes()).all(fits) {
        return Err(unfit("names of queries"));
    }
    if !is_sha256(&job.spec_sha256) {
        return Err(JobError::new("E0363", "`spec_sha256` in the plan file is not a digest"));
    }
    let details = Details {
        spec_sha256: job.spec_sha256,
        title: Some(job.title),
        imprint: Imprint { owner: job.owner, date: job.date },
        strategy: job.strategy,
        cost_terms: job.terms,
        columns,
        query_names: job.query_names,
        adjustments: job.adjustments,
        tables: job.tables,
    };
    Ok((details, plan))
}

/// The text of the job within a plan file, of which no byte was changed.
fn job_text(text: &str) -> Result<&str, JobError> {
    let Some(rest) = text.strip_prefix(HEAD) else {
        let other = if text.starts_with(ANY_HEAD) { "a file of another format or version" } else { "not a plan file" };
        return Err(JobError::new("E0361", format!("this is {other}; expected disclosure.resplan-plan-file/1")));
    };
    undamaged(rest).ok_or_else(|| JobError::new("E0362", "the plan file is damaged or was cut off"))
}

fn undamaged(rest: &str) -> Option<&str> {
    let rest = rest.strip_suffix(TAIL)?;
    let (job, digest) = rest.split_at_checked(rest.len().checked_sub(64)?)?;
    let job = job.strip_suffix(MIDDLE)?;
    (sha256(job.as_bytes()) == digest).then_some(job)
}

fn unfit(what: &str) -> JobError {
    JobError::new("E0363", format!("the {what} in the plan file do not fit its plan"))
}

/// Whether the names of an attribute's queries, if there are any, are as many as the queries.
fn fits((names, planned): (&Option<Vec<String>>, PlannedAttribute<'_>)) -> bool {
    names.as_ref().is_none_or(|names| names.len() == planned.queries)
}
