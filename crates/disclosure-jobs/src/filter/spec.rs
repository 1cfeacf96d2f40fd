//! SPEC.toml of a filtered table, and the section `[filtered]` of a pipeline.

use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::path::PathBuf;

use disclosure::lcf::{
    ColumnRule, Counted, DrawMode, EntityColumn, Error, FEWEST_MERGING_COLUMNS, GroupLimits, GroupNumber,
    GroupsPerEntity, IdentifierField, IdentifierForm, LowCountFilter, TableOptions, ThresholdLaw, ThresholdTable,
};
use disclosure::privacy_core::prf::Secret;
use disclosure::privacy_core::stop::StopFlag;
use privacy_data::{AttributeSpec, CsvOptions, TableFormat};
use serde::{Deserialize, Deserializer};

use super::counts::{CountsKind, CountsSpec};
use super::law::LawSpec;
use crate::budget::warnings;
use crate::error::{JobError, reject_job_fields};
use crate::input::EncodingName;

/// The column of numbers that outputs add, where they are of rows.
pub const ROWS: &str = "rows";

/// The column of numbers that outputs add, where they are of entities.
pub const ENTITIES: &str = "entities";

/// The name of an entity that is a row.
const ROW: &str = "row";

/// The specification as it is written. Unknown fields are refused.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FilterSpec {
    /// The heading of the table.
    pub title: Option<String>,
    /// The grouping columns; none for the whole table as one group.
    pub group_by: Vec<String>,
    /// The columns that identify who is protected, or every row. The key `aid` is accepted as
    /// well.
    #[serde(rename = "entity", alias = "aid", deserialize_with = "entities")]
    pub entities: Vec<EntityEntry>,
    /// Groups of at most this many entities are never reported.
    pub always_suppress_upper_bound: Option<f64>,
    /// Mean of the threshold, in entities.
    pub mean: Option<f64>,
    /// Standard deviation of the threshold, in entities.
    pub sd: Option<f64>,
    /// Another law, instead of the three fields above.
    pub law: Option<LawSpec>,
    /// How several columns decide together.
    #[serde(default)]
    pub rule: ColumnRule,
    /// What draws depend on.
    #[serde(default)]
    pub draws: DrawMode,
    /// In how many groups of a published table an entity counts; where rows are not the entities,
    /// and `draws` is `publish`.
    pub groups_per_entity: Option<NonZeroU32>,
    /// The number beside a group: none unless one is asked for.
    #[serde(default)]
    pub counts: CountsSpec,
    /// Whether low-effect groups are merged.
    pub low_effect: Option<bool>,
    /// Whether a difference guard answers: groups that differ by one entity from a group whose
    /// answer was drawn get that answer. It keeps its answers beside the secret.
    #[serde(default)]
    pub guard: bool,
    /// How the data spell text.
    pub encoding: Option<EncodingName>,
    /// A domain file beside the specification, instead of `[[attribute]]` tables.
    pub domain: Option<PathBuf>,
    /// What the grouping columns are: their labels with names, or bins of numbers. The labels of
    /// columns that are not among them are the texts of the data.
    #[serde(default, rename = "attribute")]
    pub attributes: Vec<AttributeSpec>,
    /// How large the state may become.
    #[serde(default)]
    pub limits: LimitsSpec,
}

/// A column of identifiers: its name, or more about it.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "expected \"user\" or {column = \"sender\", kind = \"user\"}")]
pub enum EntityEntry {
    /// The name of the column.
    Column(String),
    /// The column with its kind, form and law.
    Full(EntitySpec),
    /// No column: every row is an entity.
    #[serde(skip)]
    Row,
}

/// A column of identifiers with its kind, form and law.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntitySpec {
    /// The name of the column.
    pub column: String,
    /// What the identifiers denote; the name of the column by default.
    pub kind: Option<String>,
    /// How an identifier is read.
    #[serde(default)]
    pub form: IdentifierForm,
    /// What separates the identifiers of a field that holds several.
    pub separator: Option<char>,
    /// Texts that stand for no entity, besides the empty one.
    #[serde(default)]
    pub null: BTreeSet<String>,
    /// A law of its own.
    pub law: Option<LawSpec>,
}

/// How large the state of the groups may become.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LimitsSpec {
    /// Largest number of groups.
    pub groups: Option<u64>,
    /// Largest memory.
    pub mebibytes: Option<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum RowWord {
    Row,
}

#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "expected a list of columns, or \"row\"")]
enum Entities {
    Row(RowWord),
    Columns(Vec<EntityEntry>),
}

fn entities<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<EntityEntry>, D::Error> {
    Ok(match Entities::deserialize(deserializer)? {
        Entities::Row(RowWord::Row) => vec![EntityEntry::Row],
        Entities::Columns(columns) => columns,
    })
}

impl FilterSpec {
    /// Checks what can be checked without data.
    ///
    /// # Errors
    /// E0273 for names that are missing, repeated or reserved; E0281 for merging in publish mode;
    /// E0282 for a bound on the groups of an entity; E0284 for a difference guard.
    pub fn check_names(&self) -> Result<(), JobError> {
        if self.entities.is_empty() {
            return Err(JobError::new("E0273", "entity names no column, so no one would be protected"));
        }
        let identified: Vec<&str> = self.entities.iter().map(EntityEntry::column).collect();
        let grouped: Vec<&str> = self.group_by.iter().map(String::as_str).collect();
        for names in [grouped, identified] {
            let mut seen = BTreeSet::new();
            if let Some(name) = names.into_iter().find(|&name| !seen.insert(name)) {
                return Err(JobError::new("E0273", format!("the column {name:?} is listed twice")));
            }
        }
        if let Some(added) = self.number_column().filter(|added| self.group_by.iter().any(|name| name == added)) {
            return Err(JobError::new(
                "E0273",
                format!("a grouping column has the name {added:?}, which is the name of an added output column"),
            ));
        }
        if self.draws == DrawMode::Publish && self.low_effect == Some(true) {
            return Err(Error::MergedPublication.into());
        }
        self.check_guard()?;
        self.check_groups_per_entity()
    }

    /// A difference guard compares one set per group, and a number would show what it hides.
    fn check_guard(&self) -> Result<(), JobError> {
        let message = match self {
            Self { guard: false, .. } => return Ok(()),
            Self { draws: DrawMode::Publish, .. } => {
                "guard = true requires draws = \"query\": a publication is drawn only once"
            }
            Self { entities, .. } if entities.len() > 1 => "guard = true requires one column of identifiers",
            Self { counts, .. } if counts.kind() != CountsKind::Hidden => {
                "guard = true requires counts = \"hidden\": a published count would disclose the entity that the guard hides"
            }
            _ => return Ok(()),
        };
        Err(JobError::new("E0284", message))
    }

    /// Publish mode takes a bound on the groups of an entity where nothing else bounds them; it is
    /// never read off the data.
    fn check_groups_per_entity(&self) -> Result<(), JobError> {
        let takes_bound = self.draws == DrawMode::Publish && self.entities.len() == 1 && !self.is_one_group_each();
        let message = match self.groups_per_entity {
            None if takes_bound => {
                "draws = \"publish\" requires groups_per_entity, because an entity influences each of its groups"
            }
            Some(_) if self.draws == DrawMode::Query => "groups_per_entity is only used with draws = \"publish\"",
            Some(_) if !takes_bound => {
                "groups_per_entity requires one column of identifiers, whose entities can be in several groups"
            }
            _ => return Ok(()),
        };
        Err(JobError::new("E0282", message))
    }

    /// Whether an entity is in one group, whatever the data.
    fn is_one_group_each(&self) -> bool {
        self.protects_rows() || self.group_by.is_empty()
    }

    /// Refuses the fields that belong to the whole pipeline, and merging, after which a group's
    /// number would not be the count of its label.
    pub(super) fn check_is_section(&self) -> Result<(), JobError> {
        reject_job_fields(&[
            ("title", self.title.is_some()),
            ("encoding", self.encoding.is_some()),
            ("domain", self.domain.is_some()),
            ("[[attribute]]", !self.attributes.is_empty()),
        ])?;
        if self.guard {
            return Err(JobError::new(
                "E0284",
                "guard = true is only used with `lcf filter`: a pipeline is answered once",
            ));
        }
        if self.low_effect == Some(true) {
            let message =
                "low_effect merges groups, so the count of a merged group would not be comparable with exact numbers";
            return Err(JobError::new("E0243", message));
        }
        Ok(())
    }

    /// Whether every row is an entity.
    #[must_use]
    pub fn protects_rows(&self) -> bool {
        matches!(self.entities[..], [EntityEntry::Row])
    }

    /// The column of numbers in outputs; none where they are hidden.
    #[must_use]
    pub fn number_column(&self) -> Option<&'static str> {
        let of_rows = self.counts.counted() == Counted::Rows || self.protects_rows();
        (self.counts.kind() != CountsKind::Hidden).then_some(if of_rows { ROWS } else { ENTITIES })
    }

    /// Refuses a format that cannot hold the groups: Parquet without a column is opened by no
    /// reader.
    ///
    /// # Errors
    /// E0273 for Parquet where neither labels nor numbers are written.
    pub fn check_tables(&self, format: TableFormat) -> Result<(), JobError> {
        match format == TableFormat::Parquet && self.group_by.is_empty() && self.number_column().is_none() {
            true => {
                Err(JobError::new("E0273", "group_by is empty and counts are hidden, so a Parquet file has no column")
                    .next("write CSV, name a column in group_by, or set counts"))
            }
            false => Ok(()),
        }
    }

    /// Whether a group can have fewer rows than entities.
    pub(super) fn may_have_fewer_rows(&self) -> bool {
        self.entities.iter().any(|entry| matches!(entry, EntityEntry::Full(EntitySpec { separator: Some(_), .. })))
    }

    /// What to say before the data are read.
    pub(super) fn notes(&self) -> impl Iterator<Item = String> {
        let own = self.entities.iter().filter_map(|entry| match entry {
            EntityEntry::Full(entity) => entity.law.as_ref(),
            EntityEntry::Column(_) | EntityEntry::Row => None,
        });
        let deltas = own.chain(&self.law).filter_map(LawSpec::delta);
        self.note_on_kinds().into_iter().chain(deltas.filter_map(|delta| warnings::of_delta(delta.get())))
    }

    /// The note for a specification whose kinds were taken from the names of several columns.
    fn note_on_kinds(&self) -> Option<String> {
        let without: Vec<String> = self
            .entities
            .iter()
            .filter(|entry| !entry.says_kind())
            .map(|entry| format!("{:?}", entry.column()))
            .collect();
        (self.entities.len() > 1 && !without.is_empty()).then(|| {
            format!(
                "entity: no kind is given for {}, so each column counts as a kind of its own. If the same people can be in two \
                 columns, give both the same kind; otherwise one set of people has two draws: {{ column = \"sender\", kind = \"user\" }}",
                without.join(", ")
            )
        })
    }

    /// The filter under a secret.
    ///
    /// # Errors
    /// E0271, E0272 and E0655 for laws, E0273 for too many columns, E0283 for the number beside a
    /// group.
    pub fn filter(&self, secret: &Secret) -> Result<LowCountFilter, JobError> {
        let common = self.common_law()?;
        let columns = self.entities.iter().map(|entry| entry.entity_column(common.as_ref()));
        let mut columns = columns.collect::<Result<Vec<_>, JobError>>()?;
        let first = columns.first().ok_or(Error::NoEntity)?;
        let number = self.counts.number(self.draws, first.thresholds.law())?;
        if self.draws == DrawMode::Publish && columns.len() == 1 {
            let groups = match self.groups_per_entity {
                Some(groups) => GroupsPerEntity::AtMost(groups),
                None => GroupsPerEntity::OneRow,
            };
            let column = columns.remove(0);
            check_law(column.thresholds.law(), groups)?;
            let column = EntityColumn { thresholds: beside(column.thresholds, &number)?, ..column };
            return Ok(LowCountFilter::publishing(column, groups, secret)?.with_number(number)?);
        }
        Ok(LowCountFilter::new(columns, self.rule, self.draws, secret)?.with_number(number)?)
    }

    fn common_law(&self) -> Result<Option<LawSpec>, JobError> {
        let normal = match (self.mean, self.sd, self.always_suppress_upper_bound) {
            (None, None, None) => None,
            (Some(mean), Some(sd), Some(always_suppress_upper_bound)) => {
                Some(LawSpec::ClampedNormal { mean, sd, always_suppress_upper_bound })
            }
            _ => return Err(JobError::new("E0272", "mean, sd and always_suppress_upper_bound must be given together")),
        };
        match (normal, &self.law) {
            (Some(_), Some(_)) => {
                Err(JobError::new("E0272", "the threshold distribution is given twice: by mean and sd, and by law"))
            }
            (normal, law) => Ok(normal.or_else(|| law.clone())),
        }
    }

    pub(super) fn csv_options(&self) -> CsvOptions {
        CsvOptions { encoding: self.encoding.unwrap_or_default().into(), ..CsvOptions::default() }
    }

    /// Whether low-effect groups are merged, as written or as the mode has it.
    pub(super) fn merges_low_effect(&self) -> bool {
        self.low_effect.unwrap_or(TableOptions::of(self.draws).low_effect)
    }

    /// Whether groups of some data would be merged.
    pub(super) fn may_merge(&self) -> bool {
        self.merges_low_effect() && self.group_by.len() >= FEWEST_MERGING_COLUMNS
    }

    pub(super) fn table_options(&self, stop: StopFlag) -> TableOptions {
        TableOptions { low_effect: self.merges_low_effect(), stop, ..TableOptions::of(self.draws) }
    }

    /// How large the groups may become, and what stops their reading.
    #[must_use]
    pub fn group_limits(&self, stop: StopFlag) -> GroupLimits {
        let default = GroupLimits::default();
        GroupLimits {
            groups: self.limits.groups.unwrap_or(default.groups),
            bytes: self.limits.mebibytes.map_or(default.bytes, |mebibytes| mebibytes.saturating_mul(1 << 20)),
            stop,
        }
    }
}

/// The law of decisions that keep their promise together with the numbers beside groups.
pub(super) fn beside(thresholds: ThresholdTable, number: &GroupNumber) -> Result<ThresholdTable, JobError> {
    match (thresholds.law(), number) {
        (ThresholdLaw::OptimalSelection(law), GroupNumber::Noisy(noise)) => {
            Ok(ThresholdTable::new(law.beside_number(noise.epsilon().unwrap_or(f64::INFINITY))?))
        }
        _ => Ok(thresholds),
    }
}

/// A law that was made for a number of groups is for that number.
fn check_law(law: &ThresholdLaw, groups: GroupsPerEntity) -> Result<(), JobError> {
    match law {
        ThresholdLaw::OptimalSelection(law) if law.groups_per_entity() != groups.get() => Err(JobError::new(
            "E0282",
            format!(
                "the threshold distribution is for {} group(s) per entity, but an entity counts in {}: use the same groups_per_entity for both",
                law.groups_per_entity(),
                groups.get()
            ),
        )),
        _ => Ok(()),
    }
}

impl EntityEntry {
    /// The name of the column; `row` where every row is an entity.
    #[must_use]
    pub fn column(&self) -> &str {
        match self {
            Self::Column(column) => column,
            Self::Full(spec) => &spec.column,
            Self::Row => ROW,
        }
    }

    /// The kind of entity: the name of the column unless one is given.
    #[must_use]
    pub fn kind(&self) -> &str {
        match self {
            Self::Full(EntitySpec { kind: Some(kind), .. }) => kind,
            _ => self.column(),
        }
    }

    /// How the fields of the column are read; none where every row is an entity.
    pub(super) fn field(&self) -> Option<IdentifierField> {
        match self {
            Self::Column(_) => Some(IdentifierField::default()),
            Self::Full(spec) => {
                Some(IdentifierField { form: spec.form, separator: spec.separator, null: spec.null.clone() })
            }
            Self::Row => None,
        }
    }

    fn says_kind(&self) -> bool {
        matches!(self, Self::Full(EntitySpec { kind: Some(_), .. }))
    }

    fn entity_column(&self, common: Option<&LawSpec>) -> Result<EntityColumn, JobError> {
        let own = match self {
            Self::Full(spec) => spec.law.as_ref(),
            Self::Column(_) | Self::Row => None,
        };
        let law = own.or(common).ok_or_else(|| {
            let message = format!(
                "no threshold distribution is given for {:?}: write mean, sd and always_suppress_upper_bound",
                self.column()
            );
            JobError::new("E0272", message)
        })?;
        Ok(EntityColumn { kind: self.kind().to_owned(), thresholds: law.table()? })
    }
}
