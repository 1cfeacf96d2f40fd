//! Noisy tables as a part of a job that has others, out of its budget.

use std::path::Path;

use disclosure::core::accounting::{Neighbours, PrivacyCost};
use disclosure::resplan::{ExactNoise, Measured, Plan};
use privacy_data::{DomainFile, Microdata, OutputDir};
use rand_chacha::rand_core::CryptoRng;

use super::budget::{Budget, Terms};
use super::job::{Columns, EncodingName, planned};
use super::outputs::{NOT_COVERED, ReleaseRecord};
use super::release::Release;
use super::spec::{self, Spec, SpecFile};
use crate::args::{EncodingArg, LimitArgs};
use crate::error::Failure;
use crate::files::{Digested, json_of};

/// What the job says for all its parts.
pub(crate) struct Frame<'a> {
    pub(crate) path: &'a Path,
    pub(crate) title: &'a str,
    /// The text of the job, followed by that of its domain file.
    pub(crate) text: String,
    /// Where files of bases are looked for.
    pub(crate) directory: &'a Path,
    pub(crate) columns: DomainFile,
    pub(crate) count: Option<String>,
    pub(crate) encoding: EncodingArg,
    /// What is left for this part, and in which terms costs are stated.
    pub(crate) cost: PrivacyCost,
    pub(crate) terms: Terms,
    pub(crate) neighbours: Neighbours,
    pub(crate) rows_per_person: u32,
}

/// A plan for noisy tables.
pub(crate) struct NoisyPart {
    release: Release,
    plan: Plan,
}

/// Tables that were drawn, to be written.
pub(crate) struct MeasuredPart {
    release: Release,
    measured: Measured<ExactNoise>,
}

/// A table, in short: its attributes, how many answers, their standard deviation.
pub(crate) struct Table {
    pub(crate) attributes: Vec<String>,
    pub(crate) answers: f64,
    pub(crate) sd: f64,
}

impl NoisyPart {
    /// Checks a section of a job and plans; a refusal says how much it would take.
    pub(crate) fn new(section: SpecFile, frame: Frame<'_>, limits: &LimitArgs) -> Result<Self, Failure> {
        section.check_is_part()?;
        let encoding = match frame.encoding {
            EncodingArg::Utf8 => EncodingName::Utf8,
            EncodingArg::Latin1 => EncodingName::Latin1,
        };
        let around = spec::Frame {
            path: frame.path,
            title: frame.title.to_owned(),
            text: frame.text,
            directory: frame.directory,
            columns: Columns::new(frame.columns, frame.count, encoding)?,
            budget: Budget { cost: frame.cost, terms: frame.terms },
            neighbours: frame.neighbours,
            rows_per_person: frame.rows_per_person,
        };
        let (job, plan) = planned(Spec::within(around, section)?, &limits.limits())?;
        job.check_memory(&plan, &limits.limits())?;
        plan.check_domain(job.columns.schema.domain())?;
        Ok(Self { release: Release::of(job, &plan)?, plan })
    }

    /// Whether the plan can be carried out on so many rows.
    pub(crate) fn check_total(&self, total: u64) -> Result<(), Failure> {
        Ok(self.plan.check_total(total)?)
    }

    /// What it costs, in rho, rounded up.
    pub(crate) fn rho(&self) -> f64 {
        self.release.report.rho
    }

    /// Root of the mean variance over all answers, in counts.
    pub(crate) fn rmse(&self) -> f64 {
        self.release.report.rmse
    }

    /// What it promises: kind, statement, unit.
    pub(crate) fn promise(&self) -> (&'static str, String, String) {
        let promise = &self.release.report.promise;
        (promise.kind, promise.statement.clone(), format!("{}, {}", promise.unit, promise.relation()))
    }

    /// What that leaves open.
    pub(crate) fn not_covered() -> &'static [&'static str] {
        &NOT_COVERED
    }

    /// The tables.
    pub(crate) fn tables(&self) -> impl Iterator<Item = Table> {
        let tables = self.release.report.marginals.iter();
        tables.map(|m| Table { attributes: m.attributes.clone(), answers: m.queries, sd: m.sd })
    }

    /// Draws the noise; the plan is used up.
    pub(crate) fn measure<R: CryptoRng + ?Sized>(self, rows: &Microdata, rng: &mut R) -> Result<MeasuredPart, Failure> {
        Ok(MeasuredPart { measured: self.plan.measure(rows, rng)?, release: self.release })
    }
}

impl MeasuredPart {
    /// Writes the tables; the record that goes beside them, and the digests of their files.
    pub(crate) fn write(
        &self,
        directory: &mut OutputDir,
        ledger_hash: Option<String>,
    ) -> Result<(Vec<u8>, Vec<Digested>), Failure> {
        let record: ReleaseRecord = self.release.write(directory, &self.measured, ledger_hash)?;
        let files = record.files.iter().map(|file| (file.name.clone(), file.sha256.clone(), file.bytes)).collect();
        Ok((json_of(&record), files))
    }
}
