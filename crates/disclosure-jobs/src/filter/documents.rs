//! The documents of a filtered table, as they are written in JSON.

use std::borrow::Cow;

use disclosure::lcf::{
    AuditReport, ColumnRule, DrawMode, FilterDescription, FilteredTable, MembershipPosterior, Reason, ReportedGroup,
    Rest, SizeClass, ThresholdLaw, ThresholdTable,
};
use serde::{Deserialize, Serialize};

use super::counts::CountsReport;
use super::labels::{Label, Labels};
use super::spec::ROWS;
use super::statement::FilterStatement;
use crate::digest::hexadecimal;

/// Says that a document stays with the owner of the data.
pub const OWNER_ONLY: &str = "for the owner of the data: it reveals which groups exist and were suppressed";

/// The groups that are reported: what may leave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FilterDocument {
    /// `disclosure.lcf-filter/2`.
    pub schema: Cow<'static, str>,
    /// What the table promises.
    pub promise: FilterStatement,
    /// The heading.
    pub title: String,
    /// The grouping columns.
    pub group_by: Vec<String>,
    /// The columns that identify who is protected, with their laws.
    #[serde(rename = "aid")]
    pub entities: Vec<EntityReport>,
    /// How several columns decided together.
    pub rule: ColumnRule,
    /// What draws depended on.
    pub draws: DrawMode,
    /// The number beside a group.
    pub counts: CountsReport,
    /// Whether the people of groups of low effect, which are not shown, may be counted in others:
    /// by the job, whatever the data. Which groups were merged is for the audit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub may_hold_merged: bool,
    /// The reported groups, in the order of their labels.
    pub groups: Vec<LabelledGroup>,
    /// All suppressed groups as one; null where it was not asked for, or may not be reported.
    pub rest: Option<RestRow>,
}

/// A column that identifies entities, and its law.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EntityReport {
    /// The name of the column; `row` where every row is an entity.
    pub column: String,
    /// What the identifiers denote.
    pub kind: String,
    /// The smallest number of entities that may be reported.
    pub floor: u64,
    /// The smallest number that is always reported.
    pub certain: u64,
    /// The law of the threshold.
    pub law: ThresholdLaw,
    /// SHA-256 of the table of cut-offs that decided.
    pub cutoffs_sha256: String,
}

impl EntityReport {
    /// The threshold distribution in one sentence.
    #[must_use]
    pub fn law_sentence(&self) -> String {
        let law = match self.law {
            ThresholdLaw::ClampedNormal(law) => {
                format!("normal threshold, mean {}, sd {}", law.mean(), law.sd().get())
            }
            other => format!("threshold distribution {}", other.name()),
        };
        let (floor, certain) = (self.floor, self.certain);
        let name = match self.kind == self.column {
            true => self.column.clone(),
            false => format!("{} ({})", self.column, self.kind),
        };
        format!("{name}: {law}; groups of fewer than {floor} are never published, groups of {certain} or more always")
    }
}

/// A reported group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabelledGroup {
    /// Its label in every grouping column.
    pub group: Labels,
    /// Its number.
    #[serde(flatten)]
    pub number: NumberBeside,
}

/// The number beside a group, never below the floor: as `counts` of the job says, of rows or of
/// entities, and none where numbers are hidden.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NumberBeside {
    /// The number of rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
    /// The number of entities.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entities: Option<u64>,
}

impl NumberBeside {
    /// The number in a column of outputs.
    pub(super) fn new(column: Option<&str>, number: Option<u64>) -> Self {
        match column {
            Some(ROWS) => Self { rows: number, entities: None },
            _ => Self { rows: None, entities: number },
        }
    }

    /// The number, whatever it counts.
    #[must_use]
    pub fn get(&self) -> Option<u64> {
        self.rows.or(self.entities)
    }
}

/// All suppressed groups as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RestRow {
    /// The number of the suppressed groups together.
    #[serde(flatten)]
    pub number: NumberBeside,
}

/// The outcome of every group: for the owner of the data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AuditDocument {
    /// `disclosure.lcf-audit/1`.
    pub schema: Cow<'static, str>,
    /// What the table promises.
    pub promise: FilterStatement,
    /// That the document stays with the owner of the data.
    pub for_whom: Cow<'static, str>,
    /// SHA-256 of the specification.
    pub spec_sha256: String,
    /// Distinguishes the secret from others, and reveals nothing about it.
    pub secret_fingerprint: String,
    /// The columns that identify who is protected, with their laws and curves.
    #[serde(rename = "aid")]
    pub entities: Vec<AuditedEntity>,
    /// All groups together.
    pub summary: AuditReport,
    /// The suppressed groups together.
    pub rest: Rest,
    /// Every group, in the order of their labels.
    pub groups: Vec<AuditedGroup>,
}

/// A column that identifies entities, its law, and what the law reveals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AuditedEntity {
    /// The column and its law.
    #[serde(flatten)]
    pub entity: EntityReport,
    /// What a decision reveals to an attacker who knows all entities of a group but one, for the
    /// sizes that a draw decides about; for the clamped normal law.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub one_more: Vec<MembershipPosterior>,
}

/// One group, and why it is reported or not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AuditedGroup {
    /// Its label in every grouping column.
    pub group: Labels,
    /// Whether it is reported.
    pub reported: bool,
    /// Why.
    pub reason: Reason,
    /// The kind of entity that decided.
    #[serde(rename = "aid")]
    pub kind: Label,
    /// The range of the law in which the number of entities lies; it names no number below the
    /// floor.
    pub entities: String,
    /// Whether its entities were added to the groups that isolate it.
    pub merged: bool,
    /// How many other groups differ from it by one entity.
    pub near_duplicates: u64,
}

/// One group, and why: for the owner of the data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExplainDocument {
    /// `disclosure.lcf-explain/1`.
    pub schema: Cow<'static, str>,
    /// What the table promises.
    pub promise: FilterStatement,
    /// That the document stays with the owner of the data.
    pub for_whom: Cow<'static, str>,
    /// The group.
    #[serde(flatten)]
    pub group: AuditedGroup,
    /// The column that decided, and its law.
    pub decided_by: EntityReport,
}

/// Makes documents of one decided table: the names of its columns and kinds are stored once.
pub(super) struct DocumentMaker<'a> {
    table: &'a FilteredTable,
    columns: Vec<Label>,
    kinds: Vec<Label>,
}

impl<'a> DocumentMaker<'a> {
    pub(super) fn new(table: &'a FilteredTable) -> Self {
        Self {
            table,
            columns: table.table().columns().map(Label::from).collect(),
            kinds: table.filter().columns().iter().map(|column| column.kind.as_str().into()).collect(),
        }
    }

    /// The labels of a group by its position.
    pub(super) fn labels(&self, group: usize) -> Labels {
        let labels = self.table.table().shared_labels(group).map(Label::from);
        self.columns.iter().cloned().zip(labels).collect()
    }

    /// The reported groups.
    pub(super) fn reported(&self, column: Option<&str>) -> Vec<LabelledGroup> {
        let reported = self.table.reported();
        let line = |group: ReportedGroup<'_>| LabelledGroup {
            group: self.labels(group.position()),
            number: NumberBeside::new(column, group.number),
        };
        reported.map(line).collect()
    }

    /// The outcome of a group by its position.
    pub(super) fn audited(&self, group: usize) -> AuditedGroup {
        let outcome = self.table.outcomes()[group];
        AuditedGroup {
            group: self.labels(group),
            reported: outcome.is_reported(),
            reason: outcome.decision.reason,
            kind: self.kinds[outcome.decision.working].clone(),
            entities: range_of_entities(self.table.size_class(group)),
            merged: outcome.is_merged,
            near_duplicates: outcome.near_duplicates,
        }
    }
}

/// The columns that identify entities, with their laws.
pub(super) fn entity_reports<'a>(
    columns: impl IntoIterator<Item = &'a str>,
    filter: &FilterDescription,
) -> Vec<EntityReport> {
    let report = |(column, entity): (&str, &disclosure::lcf::EntityColumn)| EntityReport {
        column: column.to_owned(),
        kind: entity.kind.clone(),
        floor: entity.thresholds.floor(),
        certain: entity.thresholds.cap(),
        law: *entity.thresholds.law(),
        cutoffs_sha256: hexadecimal(&entity.thresholds.digest()),
    };
    columns.into_iter().zip(filter.columns()).map(report).collect()
}

/// Largest number of sizes in a curve.
const CURVE_SIZES: u64 = 200;

/// What a decision reveals about one entity, for the sizes around the drawn ones.
pub(super) fn curve(thresholds: &ThresholdTable) -> Vec<MembershipPosterior> {
    if !matches!(thresholds.law(), ThresholdLaw::ClampedNormal(_)) {
        return Vec::new();
    }
    let first = thresholds.floor().saturating_sub(1);
    let last = thresholds.cap().min(thresholds.floor().saturating_add(CURVE_SIZES));
    (first..=last).map(|n| thresholds.membership_posterior(n)).collect()
}

fn range_of_entities(class: SizeClass) -> String {
    match class {
        SizeClass::Below { floor } => format!("below {floor}"),
        SizeClass::Drawn { floor, cap } if floor + 1 == cap => format!("{floor}"),
        SizeClass::Drawn { floor, cap } => format!("{floor} to {}", cap - 1),
        SizeClass::AtLeast { cap } => format!("{cap} or more"),
    }
}
