//! What the outputs say, as they are written in JSON.

use disclosure::lcf::{
    AuditReport, ColumnRule, DrawMode, FilterDescription, FilteredTable, GroupOutcome, Reason, Rest, SizeClass,
    ThresholdLaw,
};
use serde::{Serialize, Serializer};

use super::promise::Promise;
use crate::digest::hexadecimal;

/// The groups that are shown.
#[derive(Debug, Serialize)]
pub(super) struct FilterReport<'a> {
    pub(super) schema: &'static str,
    pub(super) promise: Promise,
    pub(super) title: &'a str,
    pub(super) group_by: &'a [String],
    pub(super) aid: Vec<AidReport<'a>>,
    pub(super) rule: ColumnRule,
    pub(super) draws: DrawMode,
    pub(super) groups: Vec<GroupReport<'a>>,
    /// All suppressed groups as one; null where it was not asked for, or may not be shown.
    pub(super) rest: Option<RestReport>,
}

/// A column of identifiers and its law.
#[derive(Debug, Serialize)]
pub(super) struct AidReport<'a> {
    pub(super) column: String,
    pub(super) kind: &'a str,
    /// The smallest number of entities that may be shown.
    pub(super) floor: u64,
    /// The smallest number that is always shown.
    pub(super) certain: u64,
    pub(super) law: ThresholdLaw,
    /// SHA-256 of the cut-offs that decided.
    pub(super) cutoffs_sha256: String,
}

#[derive(Debug, Serialize)]
pub(super) struct GroupReport<'a> {
    pub(super) group: Labels<'a>,
    pub(super) rows: u64,
}

#[derive(Debug, Serialize)]
pub(super) struct RestReport {
    pub(super) rows: u64,
}

/// The labels of a group by their columns.
#[derive(Debug)]
pub(super) struct Labels<'a>(pub(super) Vec<(&'a str, &'a str)>);

impl Serialize for Labels<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}

/// What happened to every group: for the owner of the data.
#[derive(Debug, Serialize)]
pub(super) struct AuditDocument<'a> {
    pub(super) schema: &'static str,
    pub(super) promise: Promise,
    pub(super) for_whom: &'static str,
    pub(super) spec_sha256: String,
    pub(super) secret_fingerprint: String,
    pub(super) aid: Vec<AidReport<'a>>,
    pub(super) summary: AuditReport,
    pub(super) rest: Rest,
    pub(super) groups: Vec<AuditedGroup<'a>>,
}

/// One group and why it is shown or not.
#[derive(Debug, Serialize)]
pub(super) struct AuditedGroup<'a> {
    pub(super) group: Labels<'a>,
    pub(super) reported: bool,
    pub(super) reason: Reason,
    /// The kind of entity that decided.
    pub(super) aid: &'a str,
    /// In which stretch of the law the number of entities lies; never a number below the floor.
    pub(super) entities: String,
    /// Its people were added to the groups that isolate it.
    pub(super) merged: bool,
    /// How many other groups differ from it by one entity.
    pub(super) near_duplicates: u64,
}

/// Whom an audit is for.
pub(super) const FOR_THE_OWNER: &str = "for the owner of the data: it tells which groups exist and were suppressed";

pub(super) fn aids<'a>(columns: impl Iterator<Item = String>, filter: &'a FilterDescription) -> Vec<AidReport<'a>> {
    let report = |(at, column): (usize, String)| {
        let entity = &filter.columns()[at];
        AidReport {
            column,
            kind: &entity.kind,
            floor: entity.thresholds.floor(),
            certain: entity.thresholds.cap(),
            law: *entity.thresholds.law(),
            cutoffs_sha256: hexadecimal(&entity.thresholds.digest()),
        }
    };
    columns.enumerate().map(report).collect()
}

/// The labels of a group by its position.
pub(super) fn labels<'a>(table: &'a FilteredTable, group: usize) -> Labels<'a> {
    Labels(table.table().columns().zip(table.table().labels(group)).collect())
}

/// What became of a group by its position.
pub(super) fn audited<'a>(table: &'a FilteredTable, group: usize) -> AuditedGroup<'a> {
    let outcome: GroupOutcome = table.outcomes()[group];
    AuditedGroup {
        group: labels(table, group),
        reported: outcome.is_reported(),
        reason: outcome.decision.reason,
        aid: &table.filter().columns()[outcome.decision.working].kind,
        entities: entities(table.size_class(group)),
        merged: outcome.is_merged,
        near_duplicates: outcome.near_duplicates,
    }
}

fn entities(class: SizeClass) -> String {
    match class {
        SizeClass::Below { floor } => format!("below {floor}"),
        SizeClass::Drawn { floor, cap } if floor + 1 == cap => format!("{floor}"),
        SizeClass::Drawn { floor, cap } => format!("{floor} to {}", cap - 1),
        SizeClass::AtLeast { cap } => format!("{cap} or more"),
    }
}
