//! Controlled rounding of a table with all its totals, judged before it leaves.

use std::io::{self, Write};

use disclosure::frechet::{AuditDetail, Class, ControlledRounding, RoundedTable, Scope, Solver, audit_in_detail};
use disclosure::privacy_core::promise::{Promise, PromiseKind};
use disclosure::privacy_core::{AttrSet, ContingencyTable, Domain};
use privacy_data::{ColumnKind, CsvField, TableFormat, TableWriter};
use rand_core::CryptoRng;
use serde::{Deserialize, Serialize};

use crate::document::{FileDigest, Imprint, file_name};
use crate::error::JobError;
use crate::exact::documents::{RuleDocument, all_cells};
use crate::exact::job::{Counted, LoadedJob};
use crate::exact::problem::Attacker;
use crate::exact::release::Versions;
use crate::exact::schemas::RoundingSchema;
use crate::observer::{Observer, during};
use crate::sink::{Sink, write_json};

/// The column after those of the attributes; no attribute may have its name.
pub(super) const COLUMN: &str = "value";

/// `release.json` of a rounded table: what was promised, and the digest of every file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoundingDocument {
    /// `disclosure.frechet-rounding/1`.
    pub schema: RoundingSchema,
    /// What the rounded numbers promise.
    pub promise: Promise,
    /// When a class counts as disclosed.
    pub policy: RuleDocument,
    /// Whom the tables count; null for everybody.
    pub counted: Option<Counted>,
    /// The title of the job.
    pub title: String,
    /// Who answers for it, and its date.
    #[serde(flatten)]
    pub imprint: Imprint,
    /// Every number is a multiple of this, and less than this away from its count.
    pub base: u64,
    /// What a reader must know.
    pub notes: Vec<String>,
    /// What the promise leaves open.
    pub not_covered: Vec<String>,
    /// Versions of the programs.
    pub versions: Versions,
    /// The table and its totals.
    pub files: Vec<RoundedFile>,
}

/// A file of rounded or perturbed numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundedFile {
    /// Name, digest and size.
    #[serde(flatten)]
    pub digest: FileDigest,
    /// The attributes; none for the grand total.
    pub attributes: Vec<String>,
    /// How many numbers it has.
    pub numbers: usize,
}

/// A table that was rounded and judged, to be written.
#[derive(Debug)]
#[must_use = "a rounded table that is not written is lost, and another one is drawn anew"]
pub struct Rounded {
    job: LoadedJob,
    rounded: RoundedTable,
}

impl LoadedJob {
    /// Rounds the one margin of the job, with all its totals, to multiples of the base, and judges
    /// every class in scope as a reader sees it who also knows the facts of `known`.
    ///
    /// # Errors
    /// E0234 for a base out of range, for `min_frequency` above 1, and for `epsilon`, `forbid`,
    /// `decide_on` and the like, which are about plans; E0231 for a job that is not
    /// about one table of counts; E0215 for an attribute with the name of the output column; E0443
    /// if no rounding was found; E0444 if a class is disclosed; as [`LoadedJob::audit`].
    pub fn round(self, base: u64, rng: &mut dyn CryptoRng, observer: &dyn Observer) -> Result<Rounded, JobError> {
        let rounding = ControlledRounding::new(base)?;
        reject_fields_of_plans(&self.fields_of_plans, "frechet round")?;
        let (axes, table) = self.one_table()?;
        self.check_rounded(base, axes)?;
        let domain = &self.problem.domain;
        let rounded = during(observer, "rounding", || rounding.round(domain, &table, &observer.stop_flag(), rng))?;
        match during(observer, "auditing", || self.is_undisclosed(&rounded))? {
            true => Ok(Rounded { job: self, rounded }),
            false => Err(JobError::new(
                "E0444",
                "a reader who knows the rounded table and the facts in known can bound a class too closely",
            )
            .next("use a larger base, or a smaller min_interval_width")),
        }
    }

    /// What is decided before a number is looked at: every rounding that the base allows is then
    /// one that may leave.
    fn check_rounded(&self, base: u64, axes: AttrSet) -> Result<(), JobError> {
        if base - 1 <= self.rule.min_interval_width() {
            let words = format!("a number that is rounded to 0 is known to within {} counts", base - 1);
            return Err(JobError::new("E0444", words).next("use a larger base, or a smaller min_interval_width"));
        }
        if self.problem.domain.names(axes).any(|name| name == COLUMN) {
            let words = format!("attribute {COLUMN:?} has the name of a column of the outputs");
            return Err(JobError::new("E0215", words));
        }
        // Every class of every set of attributes is a number of the output.
        self.check_classes(Scope::All)
    }

    /// The table that is rounded.
    fn one_table(&self) -> Result<(AttrSet, ContingencyTable), JobError> {
        let refuse = |words: &str| Err(JobError::new("E0231", words.to_owned()));
        let (Some(table), None) = (&self.problem.table, &self.problem.people) else {
            return refuse("rounding applies to counts of people: give data, and leave response out");
        };
        let mut margins = self.disclosed.margins.keys();
        let (Some(&axes), None, true) = (margins.next(), margins.next(), self.disclosed.publish.is_empty()) else {
            return refuse("rounding applies to one table with its totals: give one margin, and no [[publish]]");
        };
        Ok((axes, table.marginal(axes).expect("a set of the domain's attributes")))
    }

    /// Whether no class in scope is known to within the width of the rule. Without further facts
    /// every end of every number is possible, and the base alone decides; with facts, the engine
    /// finds the ends.
    fn is_undisclosed(&self, rounded: &RoundedTable) -> Result<bool, JobError> {
        if self.disclosed.known.is_empty() && rounded.table().attributes() == self.problem.domain.all() {
            return Ok(true);
        }
        let mut knowledge = self.problem.background(&self.disclosed, Attacker::Facts)?;
        knowledge.publish_rounded(rounded)?;
        let table = self.problem.table.iter().flat_map(ContingencyTable::cells);
        let table: Vec<i64> = table.map(|&count| i64::try_from(count).expect("a total is at most 2^53")).collect();
        let mut solver = Solver::with_table(knowledge, self.limits.clone(), &table)?;
        self.limits.stop.begin(self.classes(self.rule.scope()));
        Ok(audit_in_detail(&mut solver, &self.rule, AuditDetail::Status)?.meets(self.target))
    }
}

impl Rounded {
    /// The rounded numbers.
    #[must_use]
    pub fn table(&self) -> &RoundedTable {
        &self.rounded
    }

    /// Writes the table, its totals and `release.json`, and commits once.
    ///
    /// # Errors
    /// What the sink reports.
    pub fn write(&self, sink: &mut dyn Sink) -> Result<RoundingDocument, JobError> {
        let (job, domain) = (&self.job, &self.job.problem.domain);
        let all = 1 << self.rounded.table().attributes().len();
        let mut files = Vec::with_capacity(all);
        for (index, (axes, margin)) in self.rounded.margins().enumerate() {
            let attributes: Vec<String> = domain.names(axes).map(str::to_owned).collect();
            let name = file_name(index, all, &attributes, job.tables);
            let digest = sink.write_with(&name, &mut |out| write_counts(job.tables, out, domain, &margin))?;
            files.push(RoundedFile { digest, attributes, numbers: margin.cells().len() });
        }
        let document = RoundingDocument {
            schema: RoundingSchema::V1,
            promise: self.promise(),
            policy: RuleDocument::of(job),
            counted: job.counted.clone(),
            title: job.title.clone(),
            imprint: job.imprint.clone(),
            base: self.rounded.base(),
            notes: self.notes(),
            not_covered: self.not_covered(),
            versions: Versions { disclosure: env!("CARGO_PKG_VERSION").to_owned() },
            files,
        };
        write_json(sink, "release.json", &document)?;
        sink.commit()?;
        Ok(document)
    }

    fn promise(&self) -> Promise {
        let width = self.job.rule.min_interval_width();
        let statement = format!(
            "no class in scope is known to within {width} counts: for each class, tables that can be rounded to \
             exactly these numbers have counts that are further apart"
        );
        let facts = match self.job.disclosed.known.len() {
            0 => String::new(),
            1 => ", 1 fact of the job".to_owned(),
            facts => format!(", {facts} facts of the job"),
        };
        let against = format!(
            "anyone who knows the rounded table with its totals, the base, this program{facts} and nothing else"
        );
        Promise::new(PromiseKind::Guarantee, statement).with_attacker(against).with_unit("a person in the table")
    }

    fn notes(&self) -> Vec<String> {
        let base = self.rounded.base();
        let expected = match self.rounded.table().attributes().len() {
            0..=2 if self.job.disclosed.known.is_empty() => "the expected value of every number is its count",
            0..=2 => {
                "the expected value of every number is its count, before the audit against the facts in known refuses \
                 some roundings"
            }
            _ => "the rounding was found by a search, and the expected values of its numbers are not known",
        };
        vec![
            format!(
                "every number is a multiple of {base} less than {base} away from its count, and every total is the sum of its parts"
            ),
            expected.to_owned(),
        ]
    }

    fn not_covered(&self) -> Vec<String> {
        let known = (!self.job.disclosed.known.is_empty())
            .then_some("a class whose count is a fact in known: it is judged for readers who do not know the facts");
        let always = [
            "which of the possible counts of a number are more likely than others",
            "a second rounding of the same table: it is drawn independently, both ranges hold, and the average of many \
             roundings approaches the counts",
            "the same people in another table, exact or rounded, and tables that differ by few people",
        ];
        always.into_iter().chain(known).map(str::to_owned).collect()
    }
}

/// Refuses fields that do nothing where all numbers of a table leave.
pub(super) fn reject_fields_of_plans(fields: &[&'static str], command: &str) -> Result<(), JobError> {
    if fields.is_empty() {
        return Ok(());
    }
    let (one, others): (Vec<&str>, Vec<&str>) = fields.iter().partition(|&&field| field == "min_frequency");
    let words = format!("{command} publishes all numbers of one table, regardless of {}", fields.join(", "));
    let next = one.iter().map(|field| format!("{field} = 1"));
    let next: Vec<String> =
        next.chain((!others.is_empty()).then(|| format!("leave out {}", others.join(", ")))).collect();
    Err(JobError::new("E0234", words).next(next.join(", and ")))
}

/// Writes the numbers of one table.
pub(super) fn write_counts(
    format: TableFormat,
    out: impl Write,
    domain: &Domain,
    margin: &ContingencyTable,
) -> io::Result<()> {
    let axes = margin.attributes();
    let names = domain.names(axes).map(|name| (name, ColumnKind::Text));
    let mut table = TableWriter::new(format, out, names.chain([(COLUMN, ColumnKind::Integer)]))?;
    for (levels, &number) in all_cells(domain.shape(axes)).zip(margin.cells()) {
        let class = Class::new(axes, levels);
        let labels =
            class.axes.iter().zip(&class.levels).map(|(axis, &level)| &domain.attributes()[axis].labels()[level]);
        table.line(labels.map(CsvField::Text).chain([CsvField::from(number)]))?;
    }
    table.finish()
}
