//! The filter as a section of a pipeline, over the attributes of rows that were coded once.

use std::borrow::Cow;

use disclosure::lcf::{Counted, DrawMode, GroupNumber, LowCountFilter};
use disclosure::privacy_core::prf::Secret;
use disclosure::privacy_core::promise::Promise;
use privacy_data::Microdata;

use super::documents::{AuditDocument, EntityReport};
use super::job::{Decided, Released};
use super::read::group_coded;
use super::spec::FilterSpec;
use super::statement::{FilterStatement, NOT_PRIVATE, not_covered, publication};
use crate::digest::sha256;
use crate::error::JobError;
use crate::input::{DataSource, EncodingName};
use crate::observer::Observer;
use crate::registry::Claim;

/// A section `[filtered]`, checked, with its filter.
#[derive(Debug)]
pub struct Section {
    spec: FilterSpec,
    job_sha256: String,
    filter: LowCountFilter,
}

/// The groups of a section, decided.
#[derive(Clone, Debug)]
pub struct DecidedSection(Decided);

/// What a filtered table promises, by kind of promise, with its laws.
#[derive(Clone, Debug, PartialEq)]
pub struct FilterPromises {
    /// What the table is not.
    pub warning: &'static str,
    /// Holds whatever is drawn.
    pub guarantee: String,
    /// Holds with the probabilities of the laws.
    pub calibration: Cow<'static, str>,
    /// What the publication of one table promises in addition, or why it promises nothing.
    pub publication: Option<Promise>,
    /// The law of each identifier column, in one sentence.
    pub laws: Vec<String>,
    /// What an entity is.
    pub unit: String,
    /// What none of it covers.
    pub not_covered: Vec<&'static str>,
}

impl Section {
    /// Checks a section of a job whose text is `job`, and makes its filter under a secret.
    ///
    /// # Errors
    /// As [`FilterSpec::check_names`] and [`FilterSpec::filter`]; E0243 for fields that belong to
    /// the whole job, and for merging.
    pub fn new(
        section: FilterSpec,
        job: &str,
        encoding: EncodingName,
        secret: &Secret,
        observer: &dyn Observer,
    ) -> Result<Self, JobError> {
        section.check_names()?;
        section.check_is_section()?;
        // Beside other numbers of the table, the number of a merged group would not be the count of
        // its label. What the registry holds says so.
        let spec = FilterSpec { encoding: Some(encoding), low_effect: Some(false), ..section };
        spec.notes().for_each(|note| observer.note(&note));
        let filter = spec.filter(secret)?;
        Ok(Self { spec, job_sha256: sha256(job.as_bytes()), filter })
    }

    /// The attributes that it groups by.
    #[must_use]
    pub fn group_by(&self) -> &[String] {
        &self.spec.group_by
    }

    /// Decides about every group of `rows`, which were coded from `source`. Low-effect groups are
    /// not merged.
    ///
    /// # Errors
    /// As [`Job::plan`](super::Job::plan).
    pub fn decide(
        &self,
        source: &dyn DataSource,
        rows: &Microdata,
        observer: &dyn Observer,
    ) -> Result<DecidedSection, JobError> {
        let grouped = group_coded(&self.spec, source, rows, &self.filter, observer)?;
        let options = self.spec.table_options(observer.stop_flag());
        let claim = grouped.claim(&self.filter)?;
        let table = self.filter.apply(grouped.table, options)?;
        Ok(DecidedSection(Decided::new(self.spec.clone(), self.job_sha256.clone(), table, claim)))
    }
}

impl DecidedSection {
    /// The attributes that it is grouped by.
    #[must_use]
    pub fn group_by(&self) -> &[String] {
        &self.0.spec().group_by
    }

    /// What the registry of the secret has to admit before the groups leave.
    #[must_use]
    pub fn claim(&self) -> &Claim {
        self.0.claim()
    }

    /// The reported groups: their labels, and the smallest and the largest number of rows that
    /// their lines stand for; none where nothing bounds it.
    pub fn shown(&self) -> impl Iterator<Item = (Vec<&str>, (u64, Option<u64>))> {
        self.0.table().reported().map(move |group| (group.labels().collect(), self.rows_behind(group.number)))
    }

    /// The numbers of rows for which a group is shown with this number.
    fn rows_behind(&self, number: Option<u64>) -> (u64, Option<u64>) {
        let (spec, floor) = (self.0.spec(), self.0.table().filter().floor());
        // With several identifiers in a field a group can have fewer rows than entities, and is
        // reported with the floor.
        let may_be_fewer = spec.may_have_fewer_rows();
        let (least, most) = match (self.0.table().filter().number(), number) {
            (GroupNumber::Exact(Counted::Rows), Some(rows)) => {
                return (if may_be_fewer && rows <= floor { 0 } else { rows }, Some(rows));
            }
            (GroupNumber::Exact(Counted::Entities), Some(entities)) => (entities, Some(entities)),
            // A number that is moved by less than the base, and raised to the floor.
            (GroupNumber::Rounded(noise), Some(shown)) => {
                let moved = u64::from(noise.base()) - 1;
                (if shown > floor { shown.saturating_sub(moved).max(floor) } else { floor }, Some(shown + moved))
            }
            // Noise may be of any size; the numbers say nothing that is certain.
            _ => (floor, None),
        };
        (if may_be_fewer { 0 } else { least }, most.filter(|_| spec.protects_rows()))
    }

    /// The labels of the groups that have rows and are not reported.
    pub fn withheld(&self) -> impl Iterator<Item = Vec<&str>> {
        let table = self.0.table();
        let withheld = (0..table.table().len()).filter(|&group| !table.outcomes()[group].is_reported());
        withheld.map(|group| table.table().labels(group).collect())
    }

    /// The largest number of rows of a group that is not reported, where an attacker can tell:
    /// where every row is an entity.
    #[must_use]
    pub fn most_withheld(&self) -> Option<u64> {
        let filter = self.0.table().filter();
        self.0.spec().protects_rows().then(|| filter.columns()[0].thresholds.cap() - 1)
    }

    /// The outcome of every group: for the owner of the data.
    #[must_use]
    pub fn audit(&self) -> AuditDocument {
        self.0.audit()
    }

    /// The groups that may leave.
    ///
    /// # Errors
    /// None without a rest.
    pub fn release(&self) -> Result<Released, JobError> {
        self.0.release(None)
    }

    /// What the groups promise.
    #[must_use]
    pub fn promises(&self) -> FilterPromises {
        let filter = self.0.table().filter();
        let FilterStatement { guarantee, calibration, .. } = FilterStatement::new(filter);
        let kinds: Vec<&str> = filter.columns().iter().map(|column| column.kind.as_str()).collect();
        FilterPromises {
            // A table that is drawn once, by the names of its groups as well, is not a sticky
            // answer.
            warning: match filter.mode() {
                DrawMode::Query => NOT_PRIVATE,
                DrawMode::Publish => {
                    "Publish only once: changed data, other grouping columns or another secret key draw again."
                }
            },
            guarantee,
            calibration,
            publication: publication(filter),
            not_covered: not_covered(&filter.number()).into_iter().collect(),
            laws: self.0.entities().iter().map(EntityReport::law_sentence).collect(),
            unit: if self.0.spec().protects_rows() { "a row of the data".to_owned() } else { kinds.join(", ") },
        }
    }
}
