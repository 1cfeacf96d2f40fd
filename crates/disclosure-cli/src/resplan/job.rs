//! What is to be released, from which columns of the data: everything about a spec but its plan.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use disclosure::core::AttrSet;
use disclosure::resplan::{Error, Footprint, Plan, PlanLimits, QueryBasis, Workload};
use privacy_data::{CsvOptions, DomainFile, Encoding, Microdata, Schema, read_csv};
use serde::{Deserialize, Serialize};

use super::after::After;
use super::budget::Terms;
use super::names::AnswerNames;
use super::spec::Spec;
use super::stored;
use super::table::check_columns;
use crate::args::LimitArgs;
use crate::error::Failure;
use crate::files::{open, read_text_at_most};
use crate::progress;

/// Longest spec, and longest stored plan: that of a million residuals has some hundred mebibytes.
const LONGEST_SPEC: u64 = 1 << 24;
const LONGEST_PLAN: u64 = 1 << 30;

/// A job that was checked.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) path: PathBuf,
    /// SHA-256 of the spec, followed by its domain file if it has one and by the files of its bases.
    pub(super) spec_sha256: String,
    pub(super) title: String,
    /// The strategy that was asked for.
    pub(super) strategy: String,
    pub(super) terms: Terms,
    /// How the columns of the data are read.
    pub(super) columns: Columns,
    /// Names of the queries of attributes that have a file of queries.
    pub(super) names: Vec<Option<Vec<String>>>,
    /// What else is made of the measurement.
    pub(super) after: BTreeSet<After>,
}

/// How the columns of the data are read.
#[derive(Debug)]
pub(super) struct Columns {
    /// The attributes as they are written.
    pub(super) file: DomainFile,
    pub(super) schema: Schema,
    pub(super) count: Option<String>,
    pub(super) encoding: EncodingName,
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) enum EncodingName {
    #[default]
    #[serde(rename = "utf-8")]
    Utf8,
    #[serde(rename = "latin1")]
    Latin1,
}

impl Columns {
    pub(super) fn new(file: DomainFile, count: Option<String>, encoding: EncodingName) -> Result<Self, Failure> {
        let schema = file.clone().into_schema()?;
        check_columns(schema.domain())?;
        Ok(Self { file, schema, count, encoding })
    }

    fn options(&self) -> CsvOptions {
        let encoding = match self.encoding {
            EncodingName::Utf8 => Encoding::Utf8,
            EncodingName::Latin1 => Encoding::Latin1,
        };
        CsvOptions { encoding, count_column: self.count.clone(), ..CsvOptions::default() }
    }
}

impl Job {
    /// The job and the plan of a spec, or of a stored plan; a refusal says how much it would take.
    pub(super) fn read(path: &Path, limits: &LimitArgs) -> Result<(Self, Plan), Failure> {
        let limit = |head: &[u8]| if stored::is_stored(head) { LONGEST_PLAN } else { LONGEST_SPEC };
        let text = read_text_at_most(path, limit)?;
        let read = match stored::is_stored(text.as_bytes()) {
            true => stored::parse(path, &text, &limits.limits()),
            false => Spec::parse(path, &text).and_then(|spec| planned(spec, &limits.limits())),
        };
        let within = |failure: Failure| failure.within(path);
        let (job, plan) = read.map_err(within)?;
        job.check_memory(&plan, &limits.limits()).map_err(within)?;
        Ok((job, plan))
    }

    /// Bytes that are held at once, predicted. The plan exists: its residuals are known, where a workload alone gives a
    /// bound. What comes after the noise takes twice the residuals more.
    pub(super) fn memory_bytes(&self, plan: &Plan) -> f64 {
        let domain = plan.domain();
        let bases: Vec<QueryBasis> = plan.attributes().map(|attribute| attribute.basis.clone()).collect();
        let sets = plan.marginals().map(|marginal| (marginal.attributes, marginal.weight)).collect();
        let cells = |set: AttrSet| set.iter().map(|attribute| domain.cardinality(attribute) as f64).product::<f64>();
        let footprint = Footprint {
            residuals: plan.residuals().len() as f64,
            residual_cells: plan.residuals().map(|(set, _)| cells(set)).sum(),
            ..Workload::Sets(sets).footprint(domain, &bases)
        };
        let after = if self.after.is_empty() { 0.0 } else { 16.0 * footprint.residual_cells };
        footprint.bytes() + after
    }

    /// The limits were kept without what comes after the noise.
    pub(super) fn check_memory(&self, plan: &Plan, limits: &PlanLimits) -> Result<(), Failure> {
        let needed = self.memory_bytes(plan);
        match self.after.is_empty() || needed <= limits.bytes {
            true => Ok(()),
            false => Err(Error::TooLarge { what: "bytes of memory", needed, limit: limits.bytes }.into()),
        }
    }

    /// The names of the answers of its plan.
    pub(super) fn answer_names(&self, plan: &Plan) -> Result<AnswerNames, Failure> {
        AnswerNames::of(plan, &self.names).map_err(|failure| failure.within(&self.path))
    }

    /// The coded rows of the data file.
    pub(super) fn rows(&self, data: &Path) -> Result<Microdata, Failure> {
        let read = read_csv(open(data)?, &self.columns.schema, &self.columns.options());
        read.map_err(|error| Failure::from(error).within(data))
    }
}

pub(super) fn planned(spec: Spec, limits: &PlanLimits) -> Result<(Job, Plan), Failure> {
    let plan = progress::during("planning", || Plan::new(spec.plan, limits)).map_err(|error| match error {
        Error::NoStrategy { attribute, .. } => {
            let name = spec.job.columns.file.attributes[attribute].name.clone();
            Failure::from(error).in_section(&format!("attribute {name:?}"))
        }
        error => error.into(),
    })?;
    Ok((spec.job, plan))
}
