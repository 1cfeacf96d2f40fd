//! Groups that were counted and not decided: of one file, or of many days and machines.

use std::io::{self, Read};
use std::path::Path;

use disclosure::lcf::{DrawMode, GroupLimits, IdentifierForm, LabelledGroups, LabelledTable, LowCountFilter};
use disclosure::privacy_core::stop::StopFlag;
use privacy_data::storage::open_without_waiting;

use super::spec::FilterSpec;
use super::terms::terms;
use crate::error::JobError;
use crate::registry::Claim;
use crate::regular::MOST_STORED;

/// The groups of a specification with their entities, for its owner: as confidential as the data.
#[derive(Clone, Debug)]
pub struct GroupedTable {
    pub(super) table: LabelledTable,
    pub(super) terms: Vec<(String, String)>,
}

impl GroupedTable {
    /// The table that all of these bytes encode, under a specification with these columns.
    ///
    /// # Errors
    /// E0285 for a specification whose tables are not stored; E0375 for bytes that are no table of
    /// this filter and these columns.
    pub(super) fn from_bytes(bytes: &[u8], spec: &FilterSpec, filter: &LowCountFilter) -> Result<Self, JobError> {
        check_stored(spec)?;
        let table = LabelledTable::from_bytes(bytes, filter)?;
        if !table.columns().eq(spec.group_by.iter().map(String::as_str)) {
            return Err(disclosure::lcf::Error::OtherColumns.into());
        }
        Ok(Self { table, terms: terms(spec, filter, None) })
    }

    /// Adds the groups of another part of the data. Sets become unions and numbers of rows sums, so
    /// each part is added once.
    pub(super) fn add(&mut self, part: &Self, spec: &FilterSpec, filter: &LowCountFilter) -> Result<(), JobError> {
        let limits: GroupLimits = spec.group_limits(StopFlag::never());
        let mut groups = LabelledGroups::new(&spec.group_by, filter, limits);
        groups.merge(&self.table)?;
        groups.merge(&part.table)?;
        self.table = groups.into_table();
        Ok(())
    }

    /// The table as bytes, sealed under the secret.
    ///
    /// # Errors
    /// E0375 unless the table was grouped for this filter.
    pub fn to_bytes(&self, filter: &LowCountFilter) -> Result<Vec<u8>, JobError> {
        Ok(self.table.to_bytes(filter)?)
    }

    /// What the registry of the secret has to [admit](crate::registry::RegistryFile::admit) before
    /// the table is stored, or anything of it leaves.
    ///
    /// # Errors
    /// As [`to_bytes`](Self::to_bytes).
    pub fn claim(&self, filter: &LowCountFilter) -> Result<Claim, JobError> {
        let publication = match filter.mode() {
            DrawMode::Query => None,
            DrawMode::Publish => Some(self.table.digest(filter)?),
        };
        Ok(Claim { terms: self.terms.clone(), publication })
    }
}

/// Parts of a table agree on who is who: not where a row is an entity, since a copy of it may be in
/// another part, and not where each part could be spelled alike and all of them together not.
pub(super) fn check_stored(spec: &FilterSpec) -> Result<(), JobError> {
    let is_auto = |form: Option<IdentifierForm>| form.is_none_or(|form| form == IdentifierForm::Auto);
    let message = match spec.entities.iter().find(|entry| is_auto(entry.field().map(|field| field.form))) {
        None => return Ok(()),
        Some(_) if spec.protects_rows() => {
            "a stored table requires columns of identifiers, because equal rows of two parts cannot be distinguished"
                .to_owned()
        }
        Some(entry) => format!("a stored table requires a declared form of {:?}", entry.column()),
    };
    let next = "aid = [{ column = \"user\", form = \"integer\" }], or form = \"text\"";
    Err(JobError::new("E0285", message).next(next))
}

/// The bytes of a file of stored groups; `None` for a file of another kind, which holds rows, and
/// for what is not a regular file and can be read once alone.
///
/// # Errors
/// E0104 for a file that cannot be read, E0375 for one of more than 1 GiB.
pub fn stored_groups(path: &Path) -> Result<Option<Vec<u8>>, JobError> {
    let reading = |source: io::Error| JobError::reading(path, &source);
    let Ok(mut file) = open_without_waiting(path) else { return Ok(None) };
    let found = file.metadata().map_err(reading)?;
    let mut bytes = Vec::new();
    if !found.is_file() || file.by_ref().take(4).read_to_end(&mut bytes).is_err() || !is_stored_table(&bytes) {
        return Ok(None);
    }
    if found.len() > MOST_STORED {
        return Err(JobError::new("E0375", "the stored groups are larger than 1 GiB").within(path));
    }
    file.take(MOST_STORED).read_to_end(&mut bytes).map_err(reading)?;
    Ok(Some(bytes))
}

/// Whether bytes begin as those of a stored table do.
#[must_use]
pub fn is_stored_table(bytes: &[u8]) -> bool {
    bytes.starts_with(b"LCG2")
}
