//! Noisy tables as a part of a job that has others, out of its budget.

use std::io::{self, Write};
use std::path::Path;

use disclosure_jobs::budget::Budget;
use disclosure_jobs::document::{FileDigest, json_of};
use disclosure_jobs::input::{EncodingName, FileSystem};
use disclosure_jobs::ledger::{LedgerTerms, Receipt};
use disclosure_jobs::limits::Limits;
use disclosure_jobs::marginals::{Job, JobContext, NOT_COVERED, PlanDocument, Planned, Released, Spec, TableFile};
use disclosure_jobs::sink::Sink;
use privacy_data::{DomainFile, Microdata, OutputDir};
use rand_chacha::rand_core::CryptoRng;

use super::show::relation;
use crate::error::Failure;
use crate::files::{Digested, write_digested};
use crate::observer::Terminal;

/// What the job says for all its parts.
pub(crate) struct Frame<'a> {
    pub(crate) title: &'a str,
    /// The text of the job, followed by that of its domain file.
    pub(crate) text: String,
    /// Where files of bases are looked for.
    pub(crate) directory: &'a Path,
    pub(crate) columns: DomainFile,
    pub(crate) count: Option<String>,
    pub(crate) encoding: EncodingName,
    /// What is left for this part.
    pub(crate) budget: Budget,
    pub(crate) terms: LedgerTerms,
}

/// A plan for noisy tables.
pub(crate) struct NoisyPart {
    planned: Planned,
    document: PlanDocument,
}

/// Tables that were drawn, to be written.
pub(crate) struct MeasuredPart(Released);

/// A table, in short: its attributes, how many answers, their standard deviation.
pub(crate) struct Table {
    pub(crate) attributes: Vec<String>,
    pub(crate) answers: f64,
    pub(crate) sd: f64,
}

impl NoisyPart {
    /// Checks a section of a job and plans; a refusal says how much it would take.
    pub(crate) fn new(section: Spec, frame: Frame<'_>, limits: &Limits) -> Result<Self, Failure> {
        let Frame { title, text, directory, columns, count, encoding, budget, terms } = frame;
        let title = Some(title.to_owned());
        let context = JobContext { title, text, directory, columns, count, encoding, budget, terms };
        let job = Job::from_section(section, context, &FileSystem::new(""))?;
        let planned = job.plan(limits, &Terminal::default())?;
        planned.check_release()?;
        Ok(Self { document: planned.document(), planned })
    }

    /// Whether the plan can be carried out on this many rows.
    pub(crate) fn check_total(&self, total: u64) -> Result<(), Failure> {
        self.planned.check_total(total)
    }

    /// What it costs, in rho, rounded up.
    pub(crate) fn rho(&self) -> f64 {
        self.document.rho
    }

    /// Root of the mean variance over all answers, in counts.
    pub(crate) fn rmse(&self) -> f64 {
        self.document.rmse
    }

    /// What it promises: kind, statement, unit.
    pub(crate) fn promise(&self) -> (&'static str, String, String) {
        let promise = &self.document.promise;
        let unit = format!("{}, {}", promise.unit.as_deref().unwrap_or_default(), relation(&self.document));
        (promise.kind.word(), promise.guarantee.to_string(), unit)
    }

    /// What that leaves open.
    pub(crate) fn not_covered() -> &'static [&'static str] {
        &NOT_COVERED
    }

    /// The tables.
    pub(crate) fn tables(&self) -> impl Iterator<Item = Table> {
        let tables = self.document.marginals.iter();
        tables.map(|m| Table { attributes: m.attributes.clone(), answers: m.queries, sd: m.sd })
    }

    /// Draws the noise; the plan is used up.
    pub(crate) fn measure<R: CryptoRng + ?Sized>(
        self,
        rows: &Microdata,
        receipt: Receipt,
        rng: &mut R,
    ) -> Result<MeasuredPart, Failure> {
        Ok(MeasuredPart(self.planned.measure(rows, receipt, rng)?))
    }
}

impl MeasuredPart {
    /// Writes the tables; the record that goes beside them, and the digests of their files.
    pub(crate) fn write(&self, directory: &mut OutputDir) -> Result<(Vec<u8>, Vec<Digested>), Failure> {
        let record = self.0.write_files(&mut Entered(directory), &Terminal::default())?;
        let files =
            record.files.iter().map(|TableFile { file, .. }| (file.name.clone(), file.sha256.clone(), file.bytes));
        Ok((json_of(&record), files.collect()))
    }
}

/// A folder of an output directory that was entered.
struct Entered<'a>(&'a mut OutputDir);

impl Sink for Entered<'_> {
    fn write_with(
        &mut self,
        name: &str,
        write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Result<FileDigest, Failure> {
        let (sha256, bytes) = write_digested(self.0, name, |out| write(out))?;
        Ok(FileDigest { name: name.to_owned(), sha256, bytes })
    }

    fn commit(&mut self) -> Result<(), Failure> {
        Ok(())
    }
}
