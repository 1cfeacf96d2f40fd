//! Rounds of reports about the same people: what is kept from one to the next.
//!
//! RAPPOR's permanent stage is worth something only if it is drawn once. So a schema that has one
//! is encoded either once, as the caller says, or with a memory: a file of permanent stages, keyed
//! by person. It is stored before any report leaves.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use disclosure::lcf::{IdentifierField, IdentifierForm};
use disclosure::ldp::{ChangedAnswer, Client, ResponseMemory, RowError, Schema};
use privacy_data::storage::{Storage, StorageRef};
use privacy_data::{CsvOptions, Defect, Encoding, FileOptions};
use rand_core::CryptoRng;
use serde::{Deserialize, Serialize};

use super::nullable;
use super::rows::Rows;
use crate::error::JobError;
use crate::input::{DataSource, TextColumns};
use crate::lock::{Lock, exclusive, not_locked};
use crate::regular::{MOST_STORED, Readers, check_stored, read_regular};

/// What the caller says about other rounds of reports about the same people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Rounds {
    /// Nothing: refused where the schema has permanent stages.
    #[default]
    Unstated,
    /// There is no other round, so permanent stages are not kept.
    Once,
    /// Permanent stages are kept in a file, by person.
    Remembered(RoundSpec),
}

/// The memory of a round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundSpec {
    /// The file; the first round makes it.
    pub memory: PathBuf,
    /// The column of the data that names the person of a row.
    pub person: String,
    /// What becomes of a person whose answer changed.
    pub changed: ChangedAnswer,
}

/// What rounds have cost so far, this one included.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoundDocument {
    /// Epsilon of all reports about one person together, of the person for whom it is largest;
    /// `null` where it is infinite. Where `has_drawn_again`, between two histories of answers that
    /// change in the same rounds.
    #[serde(with = "nullable::infinite")]
    pub epsilon: f64,
    /// Epsilon of any number of reports about a person whose permanent stages are drawn once;
    /// `null` where it is infinite because a feature has none.
    #[serde(with = "nullable::infinite")]
    pub epsilon_forever: f64,
    /// Most reports about one person.
    pub most_reports: u64,
    /// People who are remembered.
    pub people: u64,
    /// Those whose permanent stage was drawn in this round.
    pub new_people: u64,
    /// Whether a permanent stage was drawn for a second answer of somebody, so that reports show
    /// when it changed.
    pub has_drawn_again: bool,
}

impl Rounds {
    pub(super) fn check(&self, schema: &Schema) -> Result<(), JobError> {
        let message = match (self, schema.has_permanent_stage()) {
            (Self::Unstated, true) => {
                "a feature has protocol = \"rappor\", so its permanent responses must be stored; otherwise another round about the same people costs its epsilon again"
            }
            (Self::Remembered(_), false) => "no feature has protocol = \"rappor\", so there is nothing to store",
            _ => return Ok(()),
        };
        Err(JobError::new("E0270", message))
    }
}

/// A round that is under way.
#[derive(Debug)]
pub(super) struct Round {
    storage: StorageRef,
    path: PathBuf,
    memory: ResponseMemory,
    changed: ChangedAnswer,
    /// Names, row by row.
    people: Vec<String>,
    new_people: u64,
    /// No other round reads what this one has not written.
    _lock: Lock,
}

impl Round {
    /// Reads the memory and who the rows are about; nothing without one.
    pub(super) fn open(
        storage: &StorageRef,
        rounds: &Rounds,
        client: &Client,
        source: &dyn DataSource,
        encoding: Encoding,
        rows: usize,
    ) -> Result<Option<Self>, JobError> {
        let Rounds::Remembered(RoundSpec { memory: path, person, changed }) = rounds else { return Ok(None) };
        let people = names(source, person, encoding)?;
        if people.len() != rows {
            let message = format!("{}: the data changed while being read", source.name());
            return Err(JobError::new("E0104", message));
        }
        let lock = exclusive(storage, path).map_err(not_locked)?;
        // A system that does not say whether there is a memory has not said no.
        let memory = match storage.look_at(path) {
            Ok(_) => read(&**storage, path, client)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => ResponseMemory::new(client),
            Err(error) => return Err(JobError::reading(path, &error)),
        };
        Ok(Some(Self {
            storage: Arc::clone(storage),
            path: path.clone(),
            memory,
            changed: *changed,
            people,
            new_people: 0,
            _lock: lock,
        }))
    }

    /// Draws the permanent stage of everybody who is new, and stores all.
    pub(super) fn recall(&mut self, client: &Client, rows: &Rows, rng: &mut dyn CryptoRng) -> Result<(), JobError> {
        self.memory.begin_round();
        let mut people = self.people.iter();
        rows.try_for_each(|row| {
            let person = people.next().map_or("", String::as_str);
            let recalled = self.memory.recall(client, person, row, self.changed, rng);
            let number = self.people.len() - people.len();
            self.new_people += u64::from(recalled.map_err(|error| refused(number, &error))?);
            Ok::<_, JobError>(())
        })?;
        let bytes = self.memory.to_bytes();
        check_stored("memory of reports", &self.path, &bytes)?;
        let options = FileOptions { for_owner: true, replaces: true };
        Ok(options.keep_on(&self.storage, &self.path, &bytes)?)
    }

    /// Appends the report of a row, by its position.
    pub(super) fn report(
        &mut self,
        position: usize,
        client: &Client,
        row: &[u32],
        reports: &mut Vec<u8>,
        rng: &mut dyn CryptoRng,
    ) -> Result<(), RowError> {
        let person = self.people.get(position).ok_or(RowError::NotInThisRound)?;
        self.memory.report(client, person, row, self.changed, reports, rng)
    }

    pub(super) fn document(&self, schema: &Schema) -> RoundDocument {
        RoundDocument {
            epsilon: self.memory.epsilon(schema),
            epsilon_forever: schema.epsilon_forever(),
            most_reports: self.memory.most_reports(),
            people: self.memory.people() as u64,
            new_people: self.new_people,
            has_drawn_again: self.memory.has_drawn_again(),
        }
    }
}

/// A row, from 1, that cannot be in the round.
fn refused(number: usize, error: &RowError) -> JobError {
    let code = if matches!(error, RowError::AnswerChanged { .. }) { "E0418" } else { "E0390" };
    JobError::new(code, format!("row {number} of the data: {error}"))
}

/// The name of every row's person: without the white space around it, and in Unicode normalization
/// form C, so that a name is one text however it was typed.
fn names(source: &dyn DataSource, column: &str, encoding: Encoding) -> Result<Vec<String>, JobError> {
    let field = IdentifierField { form: IdentifierForm::Text, ..IdentifierField::default() };
    let options = CsvOptions { encoding, ..CsvOptions::default() };
    let mut people = Vec::new();
    source.for_each_text_row(TextColumns::Named(&[column]), &options, &mut |row| {
        let before = people.len();
        field.for_each(row.field(0), |name| {
            people.extend(name.text().map(str::to_owned));
            Ok(())
        })?;
        if people.len() > before { Ok(()) } else { Err(row.error(0, Defect::MissingValue).into()) }
    })?;
    Ok(people)
}

/// A regular file, and not through a link.
fn read(storage: &dyn Storage, path: &Path, client: &Client) -> Result<ResponseMemory, JobError> {
    let bytes = read_regular(storage, path, MOST_STORED, Readers::Owner).map_err(|unread| {
        let irregular =
            JobError::new("E0391", "the file given by --memory is not a regular file of at most 1 GiB").within(path);
        unread.into_error(path, irregular)
    })?;
    ResponseMemory::from_bytes(&bytes, client).map_err(|error| JobError::from(error).within(path))
}
