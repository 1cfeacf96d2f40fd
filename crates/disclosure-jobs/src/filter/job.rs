//! From a specification to decided groups, and to what may leave.

use std::io::{self, Write};
use std::sync::Arc;

use disclosure::lcf::{DifferenceGuard, DrawMode, FilteredTable, LowCountFilter, Rest};
use disclosure::privacy_core::prf::Secret;
use privacy_data::{ColumnKind, CsvField, TableFormat, TableWriter, fields_of_line, parse_toml};

use super::counts::CountsReport;
use super::documents::{
    AuditDocument, AuditedEntity, DocumentMaker, EntityReport, ExplainDocument, FilterDocument, NumberBeside,
    OWNER_ONLY, RestRow, curve, entity_reports,
};
use super::grouped::{GroupedTable, check_stored};
use super::read::group_texts;
use super::spec::FilterSpec;
use super::statement::FilterStatement;
use crate::digest::sha256;
use crate::document::FileDigest;
use crate::error::JobError;
use crate::input::{DataSource, DeclaredDomain, Files, MemoryFiles, TextLabels};
use crate::observer::{Observer, check_stop, during};
use crate::registry::Claim;
use crate::sink::Sink;

/// A checked specification of a filtered table.
#[derive(Clone, Debug)]
pub struct Job {
    spec: FilterSpec,
    labels: TextLabels,
    /// The specification as it is written.
    text: Arc<str>,
    /// SHA-256 of the text.
    spec_sha256: String,
}

impl Job {
    /// Reads and checks a specification that names no file. No rows are read.
    ///
    /// # Errors
    /// As [`parse_with`](Self::parse_with).
    pub fn parse(text: &str) -> Result<Self, JobError> {
        Self::parse_with(text, &MemoryFiles::default())
    }

    /// Reads and checks a specification, with the domain file that it may name. No rows are read.
    ///
    /// # Errors
    /// E0210 for a text that is not a specification; as [`FilterSpec::check_names`]; those of a
    /// domain that cannot be read or be.
    pub fn parse_with(text: &str, files: &dyn Files) -> Result<Self, JobError> {
        let spec: FilterSpec = parse_toml(text).map_err(|error| JobError::new("E0210", error.to_string()))?;
        spec.check_names()?;
        let declared = DeclaredDomain::read(files, spec.domain.as_deref(), &spec.attributes)?;
        let labels = TextLabels::new(&spec.group_by, declared.as_ref().map(|declared| &declared.file))?;
        Ok(Self { spec, labels, text: text.into(), spec_sha256: sha256(text.as_bytes()) })
    }

    /// The text that [`parse`](Self::parse) reads: another process makes the same job of it.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The specification.
    #[must_use]
    pub fn spec(&self) -> &FilterSpec {
        &self.spec
    }

    /// The filter of the specification under a secret. The observer hears where kinds were taken
    /// from the names of columns.
    ///
    /// # Errors
    /// As [`FilterSpec::filter`].
    pub fn filter(&self, secret: &Secret, observer: &dyn Observer) -> Result<LowCountFilter, JobError> {
        self.spec.notes().for_each(|note| observer.note(&note));
        self.spec.filter(secret)
    }

    /// Refuses what a rest may not be asked for.
    ///
    /// # Errors
    /// E0281 in publish mode.
    pub fn check_rest(&self) -> Result<(), JobError> {
        match self.spec.draws {
            DrawMode::Query => Ok(()),
            DrawMode::Publish => Err(JobError::new(
                "E0281",
                "--rest cannot be combined with draws = \"publish\", whose guarantee does not cover merged groups",
            )),
        }
    }

    /// The labels of a group from one line of CSV.
    ///
    /// # Errors
    /// E0274 for a line that is not one label per grouping column, or has one that is not among
    /// those declared.
    pub fn labels_of_line(&self, line: &str) -> Result<Vec<String>, JobError> {
        let labels =
            fields_of_line(line).map_err(|error| JobError::new("E0274", error.to_string()).in_section("--group"))?;
        let (expected, got) = (self.spec.group_by.len(), labels.len());
        if expected == got {
            let mut columns = labels.iter().enumerate();
            let checked = columns.try_for_each(|(column, label)| self.labels.check_label(column, label));
            return checked.map(|()| labels).map_err(|error| error.in_section("--group"));
        }
        let message = format!("--group has {got} labels, but group_by has {expected} columns");
        Err(JobError::new("E0274", message).next(format!("--group \"{}\"", self.spec.group_by.join(","))))
    }

    /// Reads the rows and decides about every group: [`group`](Self::group) and
    /// [`decide`](Self::decide). Decisions are drawn by the secret of the filter alone, so doing
    /// this again gives the same ones.
    ///
    /// # Errors
    /// As both; E0284 where a difference guard answers.
    pub fn plan(
        &self,
        source: &dyn DataSource,
        filter: &LowCountFilter,
        observer: &dyn Observer,
    ) -> Result<Decided, JobError> {
        self.decide(self.group(source, filter, observer)?, filter, None, observer)
    }

    /// Reads the rows and counts their groups.
    ///
    /// # Errors
    /// Those of data that cannot be read, E0389 and E0397 for identifiers that are not of their
    /// form, E0651 and E0652 above the limits, E0108 for a stopped job.
    pub fn group(
        &self,
        source: &dyn DataSource,
        filter: &LowCountFilter,
        observer: &dyn Observer,
    ) -> Result<GroupedTable, JobError> {
        let grouped = during(observer, "reading", || group_texts(&self.spec, &self.labels, source, filter, observer))?;
        check_stop(observer)?;
        Ok(grouped)
    }

    /// Refuses a specification whose groups are not [stored](GroupedTable::to_bytes).
    ///
    /// # Errors
    /// E0285 where a row is an entity, or a form of identifiers is not declared.
    pub fn check_stored(&self) -> Result<(), JobError> {
        check_stored(&self.spec)
    }

    /// The groups that were [stored](GroupedTable::to_bytes) before.
    ///
    /// # Errors
    /// As [`check_stored`](Self::check_stored); E0375 for bytes that are no table of this filter,
    /// sealed under its secret, with the grouping columns of the specification.
    pub fn stored(&self, bytes: &[u8], filter: &LowCountFilter) -> Result<GroupedTable, JobError> {
        GroupedTable::from_bytes(bytes, &self.spec, filter)
    }

    /// Both parts of the data as one. A part that is added twice has its rows counted twice.
    ///
    /// # Errors
    /// E0375, E0651 and E0652, as [`group`](Self::group) and [`stored`](Self::stored).
    pub fn add(
        &self,
        mut table: GroupedTable,
        part: &GroupedTable,
        filter: &LowCountFilter,
    ) -> Result<GroupedTable, JobError> {
        table.add(part, &self.spec, filter)?;
        Ok(table)
    }

    /// Decides about every group. For a specification under a difference guard, `guard` has the
    /// answers that were given, and new ones are added to them. Store them before anything of the
    /// table leaves: [`RegistryFile::admit_answers`](crate::registry::RegistryFile::admit_answers).
    ///
    /// # Errors
    /// E0284 for a guard that the specification does not ask for, or asks for and does not get;
    /// E0108 for a stopped job.
    pub fn decide(
        &self,
        grouped: GroupedTable,
        filter: &LowCountFilter,
        guard: Option<&mut DifferenceGuard>,
        observer: &dyn Observer,
    ) -> Result<Decided, JobError> {
        if self.spec.guard != guard.is_some() {
            return Err(JobError::new("E0284", "guard = true requires the answers stored for its secret key"));
        }
        let claim = grouped.claim(filter)?;
        let options = self.spec.table_options(observer.stop_flag());
        let table = during(observer, "deciding", || match guard {
            Some(guard) => filter.apply_guarded(grouped.table, options, guard),
            None => filter.apply(grouped.table, options),
        })?;
        Ok(Decided::new(self.spec.clone(), self.spec_sha256.clone(), table, claim))
    }
}

/// A table whose groups are decided. Nothing has left.
#[derive(Clone, Debug)]
pub struct Decided {
    spec: FilterSpec,
    spec_sha256: String,
    table: FilteredTable,
    claim: Claim,
}

impl Decided {
    pub(super) fn new(spec: FilterSpec, spec_sha256: String, table: FilteredTable, claim: Claim) -> Self {
        Self { spec, spec_sha256, table, claim }
    }

    /// What the registry of the secret has to [admit](crate::registry::RegistryFile::admit)
    /// before anything of the table leaves.
    #[must_use]
    pub fn claim(&self) -> &Claim {
        &self.claim
    }

    pub(super) fn spec(&self) -> &FilterSpec {
        &self.spec
    }

    /// Every group with its outcome: for the owner of the data.
    #[must_use]
    pub fn table(&self) -> &FilteredTable {
        &self.table
    }

    fn statement(&self) -> FilterStatement {
        match self.table.is_guarded() {
            true => FilterStatement::guarded(self.table.filter()),
            false => FilterStatement::new(self.table.filter()),
        }
    }

    /// The columns that identify who is protected, with their laws.
    #[must_use]
    pub fn entities(&self) -> Vec<EntityReport> {
        entity_reports(self.columns(), self.table.filter())
    }

    fn columns(&self) -> impl Iterator<Item = &str> {
        self.spec.entities.iter().map(|entry| entry.column())
    }

    /// The groups that may leave; with a label for the rest, also all suppressed groups as one.
    ///
    /// # Errors
    /// E0275 for a label of the rest that is the label of a reported group.
    pub fn release(&self, rest_label: Option<&str>) -> Result<Released, JobError> {
        let rest = rest_label.map(|label| self.rest(label)).transpose()?.flatten();
        let document = FilterDocument {
            schema: "disclosure.lcf-filter/2".into(),
            promise: self.statement(),
            title: self.spec.title.clone().unwrap_or_else(|| "Groups".to_owned()),
            group_by: self.spec.group_by.clone(),
            entities: self.entities(),
            rule: self.table.filter().rule(),
            draws: self.table.filter().mode(),
            counts: CountsReport::new(&self.table.filter().number()),
            may_hold_merged: self.spec.may_merge(),
            groups: DocumentMaker::new(&self.table).reported(self.spec.number_column()),
            rest,
        };
        Ok(Released { document, rest_label: rest_label.map(str::to_owned), number_column: self.spec.number_column() })
    }

    /// The rest, where it may be reported. Its label must not be that of a reported group;
    /// whether it is the label of a suppressed one must make no difference, since that would
    /// reveal the group.
    fn rest(&self, label: &str) -> Result<Option<RestRow>, JobError> {
        let labels = vec![label; self.spec.group_by.len()];
        let same = self.table.table().find(&labels).filter(|_| !labels.is_empty());
        if same.is_some_and(|group| self.table.outcomes()[group].is_reported()) {
            return Err(JobError::new("E0275", "the label of the rest is also the label of a group that is shown"));
        }
        Ok(match self.table.rest() {
            Rest::Reported { number } => Some(RestRow { number: NumberBeside::new(self.spec.number_column(), number) }),
            _ => None,
        })
    }

    /// The outcome of every group: for the owner of the data.
    #[must_use]
    pub fn audit(&self) -> AuditDocument {
        let filter = self.table.filter();
        let maker = DocumentMaker::new(&self.table);
        let entities = self.entities().into_iter().zip(filter.columns());
        AuditDocument {
            schema: "disclosure.lcf-audit/1".into(),
            promise: self.statement(),
            for_whom: OWNER_ONLY.into(),
            spec_sha256: self.spec_sha256.clone(),
            secret_fingerprint: format!("{:016x}", filter.fingerprint()),
            entities: entities
                .map(|(entity, column)| AuditedEntity { entity, one_more: curve(&column.thresholds) })
                .collect(),
            summary: self.table.audit(),
            rest: self.table.rest(),
            groups: (0..self.table.table().len()).map(|group| maker.audited(group)).collect(),
        }
    }

    /// Why a group is reported or not: for the owner of the data.
    ///
    /// # Errors
    /// E0398 where no row has these labels.
    pub fn explain(&self, labels: &[impl AsRef<str>]) -> Result<ExplainDocument, JobError> {
        let labels: Vec<&str> = labels.iter().map(AsRef::as_ref).collect();
        let group = self.table.table().find(&labels);
        let group = group.ok_or_else(|| JobError::new("E0398", "the data have no row in this group"))?;
        let working = self.table.outcomes()[group].decision.working;
        Ok(ExplainDocument {
            schema: "disclosure.lcf-explain/1".into(),
            promise: self.statement(),
            for_whom: OWNER_ONLY.into(),
            group: DocumentMaker::new(&self.table).audited(group),
            decided_by: self.entities().swap_remove(working),
        })
    }
}

/// The groups that may leave.
#[derive(Clone, Debug)]
pub struct Released {
    document: FilterDocument,
    rest_label: Option<String>,
    number_column: Option<&'static str>,
}

impl Released {
    /// The groups as a document.
    #[must_use]
    pub fn document(&self) -> &FilterDocument {
        &self.document
    }

    /// The name of the numbers beside groups; none where they are hidden.
    #[must_use]
    pub fn number_column(&self) -> Option<&'static str> {
        self.number_column
    }

    /// The label of the rest, where one was asked for.
    #[must_use]
    pub fn rest_label(&self) -> Option<&str> {
        self.rest_label.as_deref()
    }

    /// Writes the groups as CSV: one line per group, and one for the rest. No line says that it
    /// holds the people of merged groups, which would prove that a group is not shown.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_csv(&self, out: &mut dyn Write) -> io::Result<()> {
        self.write_table(TableFormat::Csv, out)
    }

    /// Writes the same lines in this format.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_table(&self, format: TableFormat, out: &mut dyn Write) -> io::Result<()> {
        let document = &self.document;
        let names = document.group_by.iter().map(|name| (name.as_str(), ColumnKind::Text));
        let numbers = self.number_column.into_iter().map(|name| (name, ColumnKind::Integer));
        let mut table = TableWriter::new(format, out, names.chain(numbers))?;
        for group in &document.groups {
            let labels = group.group.iter().map(|(_, label)| CsvField::Text(label));
            table.line(labels.chain(group.number.get().map(CsvField::from)))?;
        }
        if let (Some(label), Some(rest)) = (&self.rest_label, &document.rest) {
            let labels = document.group_by.iter().map(|_| CsvField::Text(label));
            table.line(labels.chain(rest.number.get().map(CsvField::from)))?;
        }
        table.finish()
    }

    /// Writes the groups as one file of a sink, in this format.
    ///
    /// # Errors
    /// Those of the sink.
    pub fn write(&self, format: TableFormat, sink: &mut dyn Sink, name: &str) -> Result<FileDigest, JobError> {
        sink.write_with(name, &mut |file| self.write_table(format, file))
    }
}
