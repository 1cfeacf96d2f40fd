//! A job that was planned and judged: everything is known but the noise.

use privacy_data::TableFormat;
use rand_core::CryptoRng;
use serde_json::Value;

use super::documents::{Manifest, ManifestSchema};
use super::findings::Findings;
use super::parts::Parts;
use super::posterior::BesideNoise;
use super::promises::{parts_of, tables_of};
use super::released::Released;
use super::spec::TargetsSpec;
use super::targets;
use crate::document::Imprint;
use crate::error::JobError;
use crate::filter::DecidedSection;
use crate::ledger::{ChargeSubject, Ledger, Receipt};
use crate::persons::PersonRows;
use crate::registry::Claim;

/// A job that was planned and judged. Nothing was drawn, spent or written.
#[derive(Debug)]
pub struct Planned {
    parts: Parts,
    findings: Findings,
    /// The attack of a reader of noisy numbers, ready for those of the release.
    beside_noise: Option<BesideNoise>,
    max_posterior: Option<f64>,
    manifest: Manifest,
    tables: TableFormat,
}

/// What a manifest repeats of a job.
pub(super) struct PlannedContext {
    pub(super) title: String,
    pub(super) imprint: Imprint,
    pub(super) job_sha256: String,
    pub(super) parameters: Value,
    pub(super) count: Option<String>,
    pub(super) targets: TargetsSpec,
    pub(super) tables: TableFormat,
}

impl Planned {
    pub(super) fn new(
        context: PlannedContext,
        parts: Parts,
        findings: Findings,
        beside_noise: Option<BesideNoise>,
    ) -> Self {
        let PlannedContext { title, imprint, job_sha256, parameters, count, targets, tables } = context;
        let manifest = Manifest {
            schema: ManifestSchema::V1,
            title,
            imprint,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            job_sha256,
            parts: parts_of(&parts, &findings, targets),
            budget: parts.budget.as_ref().map(|budget| budget.document(count.as_deref(), None)),
            persons: parts.persons.as_ref().map(PersonRows::document).cloned(),
            targets: findings.targets.clone(),
            tables: tables_of(&parts),
            parameters,
            files: Vec::new(),
        };
        Self { parts, findings, beside_noise, max_posterior: targets.max_posterior, manifest, tables }
    }

    /// Dates the release, unless its job does.
    #[must_use]
    pub fn with_default_date(mut self, date: &str) -> Self {
        self.manifest.imprint.date_by_default(date);
        self
    }

    /// What was found: predictions, audits, attacks, and every target with its result.
    #[must_use]
    pub fn findings(&self) -> &Findings {
        &self.findings
    }

    /// What to say of a delta that is large beside the number of people: nothing where that number
    /// may be private.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        self.parts.warnings()
    }

    /// The manifest as far as it is known: without files, and before the charge.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// What `[filtered]` asks of the registry of its secret, which has to
    /// [admit](crate::registry::RegistryFile::admit) it before the release.
    #[must_use]
    pub fn claim(&self) -> Option<&Claim> {
        self.parts.filtered.as_ref().map(DecidedSection::claim)
    }

    /// Refuses a release that misses a target.
    ///
    /// # Errors
    /// E0421, which names the targets.
    pub fn require_targets(&self) -> Result<(), JobError> {
        targets::require(&self.findings.targets)
    }

    /// Charges the ledger, then draws the noise; the plan is used up.
    ///
    /// # Guarantee
    /// The promises of [`manifest`](Self::manifest), each with its kind, neighbours and unit.
    ///
    /// # Errors
    /// E0421 when a target is missed, and what the ledger refuses: nothing is charged then. An
    /// error after the charge says what was spent; E0421 is one where the noise that was drawn
    /// misses `max_posterior`.
    pub fn release(self, ledger: &mut dyn Ledger, rng: &mut dyn CryptoRng) -> Result<Released, JobError> {
        self.require_targets()?;
        let Self { parts, mut findings, beside_noise, max_posterior, mut manifest, tables } = self;
        let subject = ChargeSubject::new(&manifest.title, manifest.imprint.owner.as_deref(), parts.tables_with_noise());
        let charge = parts.budget.as_ref().map(|budget| budget.commit(ledger, &manifest.job_sha256, subject));
        let receipt = charge.transpose()?;
        if let (Some(document), Some(receipt)) = (&mut manifest.budget, &receipt) {
            document.ledger_hash = receipt.hash().map(str::to_owned);
        }
        let exact = parts.exact.map(|exact| exact.release(rng)).transpose();
        let exact = exact.map_err(|error| spent(receipt.as_ref(), error))?;
        let noisy = match (parts.noisy, &receipt) {
            (Some(noisy), Some(receipt)) => {
                let counted = parts.persons.map(|persons| persons.counted_rows(&parts.rows, rng)).transpose();
                let counted = counted.map_err(|error| receipt.spent(error))?;
                Some(noisy.measure(counted.as_ref().unwrap_or(&parts.rows), receipt.clone(), rng)?)
            }
            _ => None,
        };
        if let Some(beside) = beside_noise.filter(|_| findings.is_noised()) {
            let found = beside.released(exact.as_ref(), noisy.as_ref(), max_posterior);
            let found = found.map_err(|error| spent(receipt.as_ref(), error))?;
            targets::require_posterior(found.largest, max_posterior).map_err(|error| spent(receipt.as_ref(), error))?;
            findings.note_released(found);
        }
        let filtered = parts.filtered.map(|filtered| filtered.release()).transpose();
        let filtered = filtered.map_err(|error| spent(receipt.as_ref(), error))?;
        let exact = exact.map(|exact| exact.with_tables(tables));
        let noisy = noisy.map(|noisy| noisy.with_tables(tables));
        Ok(Released { exact, filtered, noisy, findings, manifest, receipt, tables })
    }
}

/// An error after the charge: the budget is gone, and the message says so.
pub(super) fn spent(receipt: Option<&Receipt>, error: JobError) -> JobError {
    match receipt {
        Some(receipt) => receipt.spent(error),
        None => error,
    }
}
