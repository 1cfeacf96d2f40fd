//! A filtered table as a part of a job that has others, over attributes by their labels.

use std::io::{self, Write};
use std::path::Path;

use disclosure::lcf::{DrawMode, FilteredTable, LowCountFilter, TableOptions};
use privacy_data::Microdata;
use serde::Serialize;

use super::filter::{audit, report, write_csv};
use super::promise::{NOT_PRIVATE, Promise};
use super::read::group_coded;
use super::report::labels;
use super::secret::secret_of;
use super::show::law;
use super::spec::SpecFile;
use crate::args::EncodingArg;
use crate::error::Failure;
use crate::files::say;

/// A filter and the groups that it is for.
pub(crate) struct FilteredPart {
    spec: SpecFile,
    filter: LowCountFilter,
}

/// The groups, decided.
pub(crate) struct Filtered<'a> {
    spec: &'a SpecFile,
    table: FilteredTable,
}

/// What the filter promises, by its kind.
pub(crate) struct FilterPromises {
    pub(crate) warning: &'static str,
    pub(crate) guarantee: String,
    pub(crate) calibration: &'static str,
    pub(crate) publication: Option<&'static str>,
    /// The law of each column of identifiers, in words.
    pub(crate) laws: Vec<String>,
    /// What an entity is.
    pub(crate) unit: String,
}

impl FilteredPart {
    /// Checks a section of a job whose text is `job`, and reads the secret, which `is_new` makes where there is none.
    pub(crate) fn new(
        section: SpecFile,
        job: &str,
        encoding: EncodingArg,
        secret_file: &Path,
        is_new: bool,
    ) -> Result<Self, Failure> {
        section.check_names()?;
        section.check_is_part()?;
        let mut spec = section;
        (spec.text, spec.encoding) = (job.to_owned(), Some(encoding));
        if let Some(warning) = spec.unsaid_kinds() {
            say(&warning);
        }
        let filter = spec.filter(&secret_of(secret_file, is_new)?)?;
        Ok(Self { spec, filter })
    }

    /// The attributes that it groups by.
    pub(crate) fn group_by(&self) -> &[String] {
        &self.spec.group_by
    }

    /// Decides about every group of the rows, which were coded from `data`. Groups are not merged for low effect: beside other
    /// numbers of the table, a merged group's would be no count of its label.
    pub(crate) fn apply(&self, data: &[u8], rows: &Microdata) -> Result<Filtered<'_>, Failure> {
        let groups = group_coded(&self.spec, data, rows, &self.filter)?;
        let options = TableOptions { low_effect: false, ..self.spec.table_options() };
        Ok(Filtered { spec: &self.spec, table: self.filter.apply(groups, options)? })
    }
}

impl Filtered<'_> {
    /// The columns that it is grouped by.
    pub(crate) fn group_by(&self) -> &[String] {
        &self.spec.group_by
    }

    /// The groups that are shown, each with its labels and its rows: the least and the largest number that the shown one stands for.
    pub(crate) fn shown(&self) -> impl Iterator<Item = (Vec<&str>, (u64, u64))> {
        let floor = self.table.filter().floor();
        // With several identifiers in a field, a group can have fewer rows than entities, and is shown with the floor.
        let can_be_less = move |rows: u64| self.spec.may_have_fewer_rows() && rows <= floor;
        self.table.reported().map(move |group| {
            let least = if can_be_less(group.rows) { 0 } else { group.rows };
            (group.labels().collect(), (least, group.rows))
        })
    }

    /// The labels of the groups that have rows and are not shown.
    pub(crate) fn withheld(&self) -> impl Iterator<Item = Vec<&str>> {
        let is_withheld = |group: &usize| !self.table.outcomes()[*group].is_reported();
        let labels_of = |group| labels(&self.table, group).0.into_iter().map(|(_, label)| label).collect();
        (0..self.table.table().len()).filter(is_withheld).map(labels_of)
    }

    /// The most rows that a group can have and not be shown, where everybody can tell: where every row is an entity.
    pub(crate) fn most_withheld(&self) -> Option<u64> {
        let certain = || self.table.filter().columns()[0].thresholds.cap();
        self.spec.protects_rows().then(|| certain() - 1)
    }

    /// What happened to every group, for the owner of the data.
    pub(crate) fn audit(&self) -> impl Serialize {
        audit(self.spec, &self.table)
    }

    /// Writes the groups that are shown.
    pub(crate) fn write_csv(&self, out: &mut dyn Write) -> io::Result<()> {
        write_csv(out, &report(self.spec, &self.table, None), None)
    }

    /// What it promises.
    pub(crate) fn promises(&self) -> FilterPromises {
        let report = report(self.spec, &self.table, None);
        let Promise { guarantee, calibration, publication, .. } = report.promise;
        let kinds: Vec<&str> = report.aid.iter().map(|aid| aid.kind).collect();
        FilterPromises {
            // What is drawn once, by the group's name as well, is no sticky answer.
            warning: match self.table.filter().mode() {
                DrawMode::Query => NOT_PRIVATE,
                DrawMode::Publish => {
                    "Publish once: changed data, groups by other columns and another secret are drawn anew."
                }
            },
            guarantee,
            calibration,
            publication,
            laws: report.aid.iter().map(law).collect(),
            unit: if self.spec.protects_rows() { "a row of the data".to_owned() } else { kinds.join(", ") },
        }
    }
}
