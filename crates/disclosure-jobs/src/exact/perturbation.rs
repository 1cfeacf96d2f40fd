//! The cell-key method for a table with all its totals, judged before it leaves.

use std::io::{self, Write};

use disclosure::frechet::{AuditDetail, Class, PerturbationTable, PerturbedTable, Scope, Solver, audit_in_detail};
use disclosure::privacy_core::prf::Secret;
use disclosure::privacy_core::promise::{Promise, PromiseKind};
use disclosure::privacy_core::{AttrSet, ContingencyTable, Domain, Provenance};
use disclosure::resplan;
use privacy_data::{CsvField, CsvWriter, TableFormat};
use serde::{Deserialize, Serialize};

use crate::digest::sha256;
use crate::document::{FileDigest, Imprint, file_name};
use crate::error::JobError;
use crate::exact::documents::RuleDocument;
use crate::exact::job::{Job, LoadedJob, check_classes};
use crate::exact::problem::{Attacker, UnknownTable, check_cells};
use crate::exact::record_keys::keyed;
use crate::exact::release::Versions;
use crate::exact::rounding::{COLUMN, RoundedFile, reject_fields_of_plans, write_counts};
use crate::exact::schemas::PerturbationSchema;
use crate::input::{DataSource, domain_error};
use crate::observer::{Observer, during};
use crate::registry::Claim;
use crate::sink::{Sink, write_json};

/// `release.json` of a perturbed table: what was promised, and the digest of every file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PerturbationDocument {
    /// `disclosure.frechet-perturbation/1`.
    pub schema: PerturbationSchema,
    /// What the perturbed numbers promise.
    pub promise: Promise,
    /// When a class counts as disclosed.
    pub policy: RuleDocument,
    /// The title of the job.
    pub title: String,
    /// Who answers for it, and its date.
    #[serde(flatten)]
    pub imprint: Imprint,
    /// No number is further from its count than this.
    pub max_deviation: u32,
    /// The variance of the deviation of every count above 0, over the keys.
    pub variance: f64,
    /// The smallest number that is published besides 0.
    pub smallest_published: u32,
    /// What a reader must know.
    pub notes: Vec<String>,
    /// What the promise leaves open.
    pub not_covered: Vec<String>,
    /// Versions of the programs.
    pub versions: Versions,
    /// The probabilities of the deviations of every count.
    pub perturbation: FileDigest,
    /// The table and its totals.
    pub files: Vec<RoundedFile>,
}

/// A table that was perturbed and judged, to be written.
#[derive(Debug)]
#[must_use = "a perturbed table that is not written is lost"]
pub struct Perturbed {
    job: LoadedJob,
    perturbed: PerturbedTable,
    /// Digest of the declared attributes, which the keys of lines are made of.
    declared: String,
}

impl Job {
    /// Reads the data and perturbs the one margin of the job, with all its totals, by keys of the
    /// secret; then judges every class in scope as a reader sees it who knows the method and the
    /// facts of `known`. The key of a line is that of everything that the declared attributes say
    /// of it.
    ///
    /// # Errors
    /// E0234 without `cell_key`, for one out of range, for `min_frequency` above 1, and for
    /// `epsilon`, `forbid`, `decide_on` and the like, which are about plans; E0231 for a
    /// job that is not about one table of counts; E0236 for one without data; E0401 for attributes
    /// that are read off the data; E0215 for an attribute with the name of the output column; E0445
    /// if a class is disclosed; as [`LoadedJob::audit`].
    pub fn perturb(
        self,
        source: &dyn DataSource,
        secret: &Secret,
        observer: &dyn Observer,
    ) -> Result<Perturbed, JobError> {
        let design = self.check_perturbed()?;
        let options = self.spec.csv_options();
        let columns = self.declared.as_ref().map(|declared| declared.file.clone());
        // A label that is listed because somebody has it is known to count somebody.
        let mut columns = columns.ok_or(resplan::Error::DomainLearntFromData)?;
        columns.attributes.retain(|attribute| Some(&attribute.name) != self.spec.count.as_ref());
        let declared = sha256(columns.to_toml().as_bytes());
        let schema = columns.into_schema()?;
        let all = schema.domain();
        if all.provenance() == Provenance::LearntFromData {
            return Err(resplan::Error::DomainLearntFromData.into());
        }
        let names: Vec<&str> = self.spec.named_attributes().into_iter().flatten().collect();
        let named = all.set_of(&names).map_err(|error| domain_error("E0231", all, &error))?;
        let attributes = named.iter().map(|attribute| all.attributes()[attribute].clone()).collect();
        let domain = Domain::new(attributes).map_err(|_| JobError::new("E0237", "the job names no attribute"))?;
        check_cells(&domain)?;
        let mut problem = UnknownTable { domain: domain.clone(), table: None, people: None, response: None };
        // Every class of every set of attributes is a number of the output.
        check_classes(&problem, Scope::All, self.most_classes())?;
        let rows = during(observer, "reading", || source.read_rows(&schema, &options))?;
        let people = during(observer, "keying", || keyed(&rows, named, domain, secret))?;
        problem.table = Some(people.table().clone());
        let job = self.about(problem, None, observer)?;
        let axes = job.one_margin()?;
        job.check_deviations(&design, axes)?;
        let perturbed = design.perturb(&people, axes, secret)?;
        match during(observer, "auditing", || job.is_undisclosed_by(&perturbed))? {
            true => Ok(Perturbed { job, perturbed, declared }),
            false => Err(JobError::new(
                "E0445",
                "a reader who knows the perturbed table, the method and the facts in known can bound a class too closely",
            )
            .next("use a larger max_deviation and variance, or a smaller min_interval_width")),
        }
    }

    /// What can be refused before the data are read.
    fn check_perturbed(&self) -> Result<PerturbationTable, JobError> {
        let design = self.spec.perturbation()?;
        reject_fields_of_plans(&self.spec.fields_of_plans(), "frechet perturb")?;
        if self.spec.response.is_some() {
            return Err(JobError::new("E0231", "the cell-key method applies to counts of people: leave response out"));
        }
        if self.spec.data.is_none() {
            return Err(JobError::new("E0236", "the cell-key method requires data = \"table.csv\""));
        }
        Ok(design)
    }
}

impl LoadedJob {
    fn one_margin(&self) -> Result<AttrSet, JobError> {
        let mut margins = self.disclosed.margins.keys();
        match (margins.next(), margins.next(), self.disclosed.publish.is_empty()) {
            (Some(&axes), None, true) => Ok(axes),
            _ => Err(JobError::new(
                "E0231",
                "the cell-key method applies to one table with its totals: give one margin, and no [[publish]]",
            )),
        }
    }

    /// What is decided before a number is looked at.
    fn check_deviations(&self, design: &PerturbationTable, axes: AttrSet) -> Result<(), JobError> {
        let most = u64::from(design.max_deviation());
        if most <= self.rule.min_interval_width() {
            let words = format!("a number that is published as 0 is known to within {most} counts");
            return Err(
                JobError::new("E0445", words).next("use a larger max_deviation, or a smaller min_interval_width")
            );
        }
        if self.problem.domain.names(axes).any(|name| name == COLUMN) {
            let words = format!("attribute {COLUMN:?} has the name of a column of the outputs");
            return Err(JobError::new("E0215", words));
        }
        Ok(())
    }

    /// Whether no class in scope is known to within the width of the rule. This is asked of the
    /// published numbers and public facts alone, so that anyone could, and a refusal under one
    /// secret tells readers of a release under another nothing.
    fn is_undisclosed_by(&self, perturbed: &PerturbedTable) -> Result<bool, JobError> {
        let mut knowledge = self.problem.background(&self.disclosed, Attacker::Facts)?;
        knowledge.publish_perturbed(perturbed)?;
        let table = self.problem.table.iter().flat_map(ContingencyTable::cells);
        let table: Vec<i64> = table.map(|&count| i64::try_from(count).expect("a total is at most 2^53")).collect();
        let mut solver = Solver::with_table(knowledge, self.limits.clone(), &table)?;
        self.limits.stop.begin(self.classes(self.rule.scope()));
        Ok(audit_in_detail(&mut solver, &self.rule, AuditDetail::Status)?.meets(self.target)
            && self.is_total_open(&mut solver)?)
    }

    /// Whether tables that fit have totals that are further apart than the width of the rule. The
    /// total is a number of the output, and a class of every scope but the cells.
    fn is_total_open(&self, solver: &mut Solver) -> Result<bool, JobError> {
        if self.rule.scope() == Scope::Cells {
            return Ok(true);
        }
        let total = solver.ranges(&[Class::new(AttrSet::EMPTY, [])])?;
        Ok(total.iter().all(|total| total.attained.1.abs_diff(total.attained.0) > self.rule.min_interval_width()))
    }
}

impl Perturbed {
    /// The perturbed numbers.
    #[must_use]
    pub fn table(&self) -> &PerturbedTable {
        &self.perturbed
    }

    /// What the registry of the secret must admit before anything is written: a secret is for one
    /// design and one list of attributes. Under two, the same draw of a class gives two numbers,
    /// which narrow its count; and so do two draws.
    #[must_use]
    pub fn claim(&self) -> Claim {
        let design = self.perturbed.design();
        let terms = [
            ("use", "cell-key".to_owned()),
            ("record_keys", "of people together".to_owned()),
            ("max_deviation", design.max_deviation().to_string()),
            ("variance", design.variance().to_string()),
            ("smallest_published", design.smallest_published().to_string()),
            ("attributes", self.declared.clone()),
        ];
        Claim { terms: terms.map(|(name, value)| (name.to_owned(), value)).to_vec(), publication: None }
    }

    /// The same table, written in this format, if one is given, whatever the job says.
    pub fn with_tables(self, tables: Option<TableFormat>) -> Self {
        Self { job: self.job.with_tables(tables), ..self }
    }

    /// Dates the release, unless the job does.
    pub fn with_default_date(self, date: &str) -> Self {
        Self { job: self.job.with_default_date(date), ..self }
    }

    /// Writes the table, its totals, the probabilities of deviations and `release.json`, and
    /// commits once.
    ///
    /// # Errors
    /// What the sink reports.
    pub fn write(&self, sink: &mut dyn Sink) -> Result<PerturbationDocument, JobError> {
        let (job, domain, design) = (&self.job, &self.job.problem.domain, self.perturbed.design());
        let all = 1 << self.perturbed.attributes().len();
        let mut files = Vec::with_capacity(all);
        for (index, (axes, margin)) in self.perturbed.margins().enumerate() {
            let attributes: Vec<String> = domain.names(axes).map(str::to_owned).collect();
            let name = file_name(index, all, &attributes, job.tables);
            let digest = sink.write_with(&name, &mut |out| write_counts(job.tables, out, domain, margin))?;
            files.push(RoundedFile { digest, attributes, numbers: margin.cells().len() });
        }
        let perturbation = sink.write_with("perturbation.csv", &mut |out| write_laws(out, design))?;
        let document = PerturbationDocument {
            schema: PerturbationSchema::V1,
            promise: self.promise(),
            policy: RuleDocument::of(job),
            title: job.title.clone(),
            imprint: job.imprint.clone(),
            max_deviation: design.max_deviation(),
            variance: design.variance(),
            smallest_published: design.smallest_published(),
            notes: self.notes(),
            not_covered: self.not_covered(),
            versions: Versions { disclosure: env!("CARGO_PKG_VERSION").to_owned() },
            perturbation,
            files,
        };
        write_json(sink, "release.json", &document)?;
        sink.commit()?;
        Ok(document)
    }

    fn promise(&self) -> Promise {
        let width = self.job.rule.min_interval_width();
        let statement = format!(
            "no class in scope is known to within {width} counts: for each class, tables that give exactly these \
             numbers under some keys have counts that are further apart"
        );
        let facts = match self.job.disclosed.known.len() {
            0 => String::new(),
            1 => ", 1 fact of the job".to_owned(),
            facts => format!(", {facts} facts of the job"),
        };
        let against = format!(
            "anyone who knows the perturbed table with its totals, the probabilities of the deviations, \
             this program{facts}, but not the secret key"
        );
        Promise::new(PromiseKind::Guarantee, statement).with_attacker(against).with_unit("a person in the table")
    }

    fn notes(&self) -> Vec<String> {
        let design = self.perturbed.design();
        let (most, variance, smallest) = (design.max_deviation(), design.variance(), design.smallest_published());
        let small = match smallest {
            1 => "every number is".to_owned(),
            _ => format!("every number is 0 or at least {smallest}, and"),
        };
        vec![
            format!("{small} at most {most} away from its count; a count of 0 is always published as 0"),
            format!(
                "over all keys, the deviation of every count above 0 has mean 0 and variance {variance} (a calibration)"
            ),
            "totals are perturbed separately, so they are not the sums of their parts".to_owned(),
            "the same people have the same number in every table under this secret key, which is valid only for this \
             design and these declared attributes"
                .to_owned(),
        ]
    }

    fn not_covered(&self) -> Vec<String> {
        let known = (!self.job.disclosed.known.is_empty())
            .then_some("a class whose count is a fact in known: it is judged for readers who do not know the facts");
        let always = [
            "which of the possible counts of a number are more likely than others",
            "other tables about the same people, which are not judged together with this one",
            "the same people under another secret key: deviations are drawn independently, and averages over many keys \
             approach the counts",
            "data to which a few people were added, or from which a few were removed: the numbers that change disclose \
             their attributes",
        ];
        always.into_iter().chain(known).map(str::to_owned).collect()
    }
}

/// The probabilities of all deviations; the last count stands for all larger ones.
fn write_laws(out: impl Write, design: &PerturbationTable) -> io::Result<()> {
    let mut table = CsvWriter::new(out, ["count", "deviation", "probability"])?;
    for count in 0..=design.last_count() {
        for (deviation, probability) in design.law(count) {
            table.line([CsvField::from(count), CsvField::from(deviation), CsvField::from(probability)])?;
        }
    }
    Ok(())
}
