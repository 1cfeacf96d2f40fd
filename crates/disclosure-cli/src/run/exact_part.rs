//! Exact tables as a part of a run.

use std::io::Write;
use std::path::Path;

use disclosure_jobs::document::FileDigest;
use disclosure_jobs::exact::{
    AuditDocument, DisclosureTarget, ExactNumber, ExactSpec, Job, NOT_COVERED, PlanDocument, Planned, Released,
    Treatment, WithheldNumber,
};
use disclosure_jobs::input::FileSystem;
use disclosure_jobs::observer::Silent;
use disclosure_jobs::sink::{Sink, WriteContent};
use privacy_data::{Microdata, OutputDir};
use rand_chacha::rand_core::CryptoRng;

use crate::error::Failure;
use crate::files::{Digested, json_of, write_digested};

pub(super) type Sum = ExactNumber;
pub(super) type Withheld = WithheldNumber;

/// A table that was asked for, in short.
pub(super) struct Kept {
    pub(super) attributes: Vec<String>,
    pub(super) treatment: &'static str,
    pub(super) exact: usize,
    pub(super) noised: usize,
    pub(super) withheld: usize,
}

/// What the noise of a plan costs.
#[derive(Clone, Copy)]
pub(super) struct NoiseCost {
    pub(super) epsilon: f64,
    pub(super) sensitivity: u32,
    pub(super) change: &'static str,
    pub(super) has_neighbours: bool,
    pub(super) row: f64,
}

/// A plan for exact tables, with its document.
pub(super) struct ExactPart {
    planned: Planned,
    document: PlanDocument,
}

/// Tables that were drawn, to be written.
pub(super) struct ReleasedExact(Released);

impl ExactPart {
    pub(super) fn new(
        section: &ExactSpec,
        base_dir: &Path,
        (title, digest): (&str, &str),
        rows: &Microdata,
    ) -> Result<Self, Failure> {
        let job = Job::from_section(section, title, digest, &FileSystem::new(base_dir))?;
        let planned = job.plan_rows(rows, &Silent)?;
        let document = planned.document()?;
        Ok(Self { planned, document })
    }

    pub(super) fn audit(&self) -> Result<AuditDocument, Failure> {
        self.planned.audit(&Silent)
    }

    pub(super) fn document(&self) -> Result<&PlanDocument, Failure> {
        Ok(&self.document)
    }

    pub(super) fn is_target_met(&self) -> bool {
        self.document.target_met
    }

    pub(super) fn target_name(&self) -> &'static str {
        match self.planned.target() {
            DisclosureTarget::Certified => "certified",
            DisclosureTarget::Undisclosed => "undisclosed",
        }
    }

    /// Kind, statement, against whom.
    pub(super) fn promise(&self) -> (&'static str, String, String) {
        let promise = self.planned.promise();
        (promise.kind.word(), promise.guarantee.into_owned(), promise.against.unwrap_or_default().into_owned())
    }

    pub(super) fn not_covered() -> &'static [&'static str] {
        &NOT_COVERED
    }

    pub(super) fn tau(&self) -> u64 {
        self.planned.min_interval_width()
    }

    pub(super) fn limits(&self) -> disclosure::frechet::Limits {
        self.planned.limits()
    }

    pub(super) fn noise(&self) -> Option<NoiseCost> {
        let charge = self.planned.noise_charge()?;
        Some(NoiseCost {
            epsilon: charge.epsilon,
            sensitivity: charge.sensitivity,
            change: charge.change.map_or("nothing was noised", |change| change.words()),
            has_neighbours: charge.has_neighbours,
            row: charge.row_epsilon,
        })
    }

    pub(super) fn kept(&self) -> Vec<Kept> {
        let tables = self.planned.tables().into_iter().map(|table| Kept {
            attributes: table.attributes,
            treatment: match table.treatment {
                Treatment::Exact => "exact",
                Treatment::Coarsened => "in groups, exact",
                Treatment::Suppressed => "some cells withheld, the others exact",
                Treatment::Noised => "with noise",
                Treatment::Withheld => "withheld",
            },
            exact: table.exact,
            noised: table.noised,
            withheld: table.withheld,
        });
        tables.collect()
    }

    pub(super) fn told(&self) -> Result<Vec<Sum>, Failure> {
        self.planned.exact_numbers()
    }

    pub(super) fn withheld(&self) -> Result<Vec<Withheld>, Failure> {
        self.planned.withheld_numbers()
    }

    pub(super) fn release<R: CryptoRng + ?Sized>(self, rng: &mut R) -> Result<ReleasedExact, Failure> {
        Ok(ReleasedExact(self.planned.release(rng)?))
    }
}

impl ReleasedExact {
    /// Writes the tables; the record that goes beside them, and the digests of their files.
    pub(super) fn write(&self, directory: &mut OutputDir) -> Result<(Vec<u8>, Vec<Digested>), Failure> {
        let document = self.0.write_files(&mut Folder(directory))?;
        let files = document.digests().map(|file| (file.name, file.sha256, file.bytes)).collect();
        Ok((json_of(&document), files))
    }
}

/// The folder that an output directory stands in.
struct Folder<'a>(&'a mut OutputDir);

impl Sink for Folder<'_> {
    fn write_with(&mut self, name: &str, write: WriteContent<'_>) -> Result<FileDigest, Failure> {
        let (sha256, bytes) = write_digested(self.0, name, |out: &mut dyn Write| write(out))?;
        Ok(FileDigest { name: name.to_owned(), sha256, bytes })
    }

    fn commit(&mut self) -> Result<(), Failure> {
        Ok(())
    }
}
