//! SPEC.toml of a filtered table.

use std::collections::BTreeSet;
use std::path::Path;

use disclosure::core::prf::Secret;
use disclosure::lcf::{
    ColumnRule, DrawMode, EntityColumn, Error, GroupLimits, IdentifierField, IdentifierForm, LowCountFilter,
    TableOptions,
};
use privacy_data::{CsvOptions, parse_toml};
use serde::Deserialize;

use super::law::LawSpec;
use crate::args::EncodingArg;
use crate::error::{Failure, reject_job_fields};
use crate::files::read_text;

/// Names of columns that the outputs add.
pub(super) const ROWS: &str = "rows";

/// The file as it is written. Unknown fields are refused.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SpecFile {
    /// The text that it was read from.
    #[serde(skip)]
    pub(super) text: String,
    pub(super) title: Option<String>,
    pub(super) group_by: Vec<String>,
    #[serde(rename = "entity", alias = "aid", deserialize_with = "aids")]
    pub(super) aids: Vec<AidEntry>,
    always_suppress_upper_bound: Option<f64>,
    mean: Option<f64>,
    sd: Option<f64>,
    law: Option<LawSpec>,
    #[serde(default)]
    pub(super) rule: ColumnRule,
    #[serde(default)]
    pub(super) draws: DrawMode,
    low_effect: Option<bool>,
    pub(super) encoding: Option<EncodingArg>,
    #[serde(default)]
    limits: LimitsSpec,
}

/// A column of identifiers: its name, or more about it.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "expected \"user\" or {column = \"sender\", kind = \"user\"}")]
pub(super) enum AidEntry {
    Column(String),
    Full(AidSpec),
    /// No column: every row is an entity.
    #[serde(skip)]
    Row,
}

/// What an entity is called when it is a row.
const ROW: &str = "row";

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum RowWord {
    Row,
}

#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "expected a list of columns, or \"row\"")]
enum Aids {
    Row(RowWord),
    Columns(Vec<AidEntry>),
}

fn aids<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<AidEntry>, D::Error> {
    Ok(match Aids::deserialize(deserializer)? {
        Aids::Row(RowWord::Row) => vec![AidEntry::Row],
        Aids::Columns(columns) => columns,
    })
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AidSpec {
    pub(super) column: String,
    kind: Option<String>,
    #[serde(default)]
    form: IdentifierForm,
    separator: Option<char>,
    #[serde(default)]
    null: BTreeSet<String>,
    law: Option<LawSpec>,
}

/// A column of identifiers, checked.
#[derive(Debug)]
pub(super) struct AidColumn {
    pub(super) column: String,
    /// How its fields are read; none where the row itself is the entity.
    pub(super) field: Option<IdentifierField>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct LimitsSpec {
    groups: Option<u64>,
    mebibytes: Option<u64>,
}

impl SpecFile {
    /// Reads and checks the names in a spec.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let text = read_text(path)?;
        let file: Self = parse_toml(&text).map_err(|error| Failure::new("E0210", error.to_string()).within(path))?;
        file.check_names().map_err(|failure| failure.within(path))?;
        Ok(Self { text, ..file })
    }

    pub(super) fn check_names(&self) -> Result<(), Failure> {
        if self.aids.is_empty() {
            return Err(Failure::new("E0273", "aid names no column: nobody would be protected"));
        }
        let identified: Vec<&str> = self.aids.iter().map(AidEntry::column).collect();
        let grouped: Vec<&str> = self.group_by.iter().map(String::as_str).collect();
        for names in [grouped, identified] {
            let mut seen = BTreeSet::new();
            if let Some(name) = names.into_iter().find(|&name| !seen.insert(name)) {
                return Err(Failure::new("E0273", format!("the column {name:?} is listed twice")));
            }
        }
        if self.group_by.iter().any(|name| name == ROWS) {
            return Err(Failure::new("E0273", format!("a grouping column has the name {ROWS:?}, which outputs add")));
        }
        if self.draws == DrawMode::Publish && self.low_effect == Some(true) {
            return Err(Error::MergedPublication.into());
        }
        Ok(())
    }

    /// Whether every row is an entity.
    pub(super) fn protects_rows(&self) -> bool {
        matches!(self.aids[..], [AidEntry::Row])
    }

    /// What a part of a job must leave to the job, and what does not go with exact numbers beside it.
    pub(super) fn check_is_part(&self) -> Result<(), Failure> {
        reject_job_fields(&[("title", self.title.is_some()), ("encoding", self.encoding.is_some())])?;
        if self.low_effect == Some(true) {
            let message =
                "low_effect merges groups, and a merged group's number is no count of its label beside exact ones";
            return Err(Failure::new("E0243", message));
        }
        Ok(())
    }

    /// Whether a group can have fewer rows than entities.
    pub(super) fn may_have_fewer_rows(&self) -> bool {
        self.aids.iter().any(|aid| matches!(aid, AidEntry::Full(AidSpec { separator: Some(_), .. })))
    }

    /// What to say where the kinds of several columns of identifiers were taken from their names.
    pub(super) fn unsaid_kinds(&self) -> Option<String> {
        let unsaid: Vec<String> =
            self.aids.iter().filter(|aid| !aid.says_kind()).map(|aid| format!("{:?}", aid.column())).collect();
        (self.aids.len() > 1 && !unsaid.is_empty()).then(|| {
            format!(
                "aid: no kind is given for {}, so each column is taken for entities of its own. If the same people can be in \
                 two columns, give both one kind, or the same set of people draws twice: {{ column = \"sender\", kind = \"user\" }}",
                unsaid.join(", ")
            )
        })
    }

    /// The filter under a secret.
    pub(super) fn filter(&self, secret: &Secret) -> Result<LowCountFilter, Failure> {
        let common = self.common_law()?;
        let column = |entry: &AidEntry| {
            let law = entry.law().or(common.as_ref()).ok_or_else(|| {
                let name = entry.column();
                Failure::new(
                    "E0272",
                    format!("there is no law for {name:?}: give mean, sd and always_suppress_upper_bound"),
                )
            })?;
            Ok(EntityColumn { kind: entry.kind().to_owned(), thresholds: law.table()? })
        };
        let columns = self.aids.iter().map(column).collect::<Result<Vec<_>, Failure>>()?;
        Ok(LowCountFilter::new(columns, self.rule, self.draws, secret)?)
    }

    fn common_law(&self) -> Result<Option<LawSpec>, Failure> {
        let normal = match (self.mean, self.sd, self.always_suppress_upper_bound) {
            (None, None, None) => None,
            (Some(mean), Some(sd), Some(always_suppress_upper_bound)) => {
                Some(LawSpec::ClampedNormal { mean, sd, always_suppress_upper_bound })
            }
            _ => return Err(Failure::new("E0272", "mean, sd and always_suppress_upper_bound are given together")),
        };
        match (normal, &self.law) {
            (Some(_), Some(_)) => Err(Failure::new("E0272", "the law is given twice: by mean and sd, and by law")),
            (normal, law) => Ok(normal.or_else(|| law.clone())),
        }
    }

    /// The columns of identifiers.
    pub(super) fn aid_columns(&self) -> Vec<AidColumn> {
        let column = |entry: &AidEntry| AidColumn { column: entry.column().to_owned(), field: entry.field() };
        self.aids.iter().map(column).collect()
    }

    pub(super) fn csv(&self) -> CsvOptions {
        CsvOptions { encoding: self.encoding.unwrap_or_default().into(), ..CsvOptions::default() }
    }

    pub(super) fn table_options(&self) -> TableOptions {
        let usual = TableOptions::of(self.draws);
        TableOptions { low_effect: self.low_effect.unwrap_or(usual.low_effect), ..usual }
    }

    pub(super) fn group_limits(&self) -> GroupLimits {
        let default = GroupLimits::default();
        GroupLimits {
            groups: self.limits.groups.unwrap_or(default.groups),
            bytes: self.limits.mebibytes.map_or(default.bytes, |mebibytes| mebibytes.saturating_mul(1 << 20)),
            ..default
        }
    }
}

impl AidEntry {
    /// The name of the column.
    fn column(&self) -> &str {
        match self {
            Self::Column(column) => column,
            Self::Full(spec) => &spec.column,
            Self::Row => ROW,
        }
    }

    /// How the fields of the column are read.
    fn field(&self) -> Option<IdentifierField> {
        match self {
            Self::Column(_) => Some(IdentifierField::default()),
            Self::Full(spec) => {
                Some(IdentifierField { form: spec.form, separator: spec.separator, null: spec.null.clone() })
            }
            Self::Row => None,
        }
    }

    /// The kind of entity; the column's name unless it says more.
    fn kind(&self) -> &str {
        match self {
            Self::Full(AidSpec { kind: Some(kind), .. }) => kind,
            _ => self.column(),
        }
    }

    fn says_kind(&self) -> bool {
        matches!(self, Self::Full(AidSpec { kind: Some(_), .. }))
    }

    fn law(&self) -> Option<&LawSpec> {
        match self {
            Self::Column(_) | Self::Row => None,
            Self::Full(spec) => spec.law.as_ref(),
        }
    }
}
