//! The jobs of the commands that write: each with what is there before it, and what it writes.
//!
//! Every command that writes has a scene, but for `lcf explain`, of which only the registry of
//! the secret is written, as by `lcf group`.

mod amounts;
mod groups;
mod noise;
mod reports;
mod start;
mod tables;

use std::path::Path;

use disclosure_jobs::JobError;
use disclosure_jobs::disclosure::privacy_core::accounting::Neighbours;
use disclosure_jobs::disclosure::privacy_core::prf::Secret;
use disclosure_jobs::input::MemoryFiles;
use disclosure_jobs::ledger::{ChargeRequest, ChargeSubject, FileLedger, Ledger, LedgerTerms};
use disclosure_jobs::privacy_data::FileOptions;
use disclosure_jobs::privacy_data::storage::StorageRef;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;

use super::disk::Disk;

pub(crate) use amounts::AMOUNTS;
pub(crate) use groups::{GROUPS, asked};
pub(crate) use noise::NOISE;
pub(crate) use reports::REPORTS;
pub(crate) use start::START;
pub(crate) use tables::TABLES;

pub(crate) const LEDGER: &str = "/w/ledger";
pub(crate) const KEY: &str = "/w/key";
const NO_JOB: &str = "0000000000000000000000000000000000000000000000000000000000000000";
const TERMS: LedgerTerms = LedgerTerms { neighbours: Neighbours::AddRemove, rows_per_person: 1 };

/// A file of an option: `--force`, and one that the owner alone may read.
const NEW: FileOptions = FileOptions { for_owner: false, replaces: false };
const REPLACING: FileOptions = FileOptions { for_owner: false, replaces: true };
const FOR_OWNER: FileOptions = FileOptions { for_owner: true, replaces: false };

/// How an output is found to be whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whole {
    /// It has a record with the digest of every file.
    Recorded,
    /// Its bytes are those of a run without a fault.
    Same,
}

/// What a command does on a storage; the disk is what it reads from, and its last output is at the
/// path.
pub(crate) type Run = fn(&StorageRef, &Disk, &str) -> Result<(), JobError>;

/// A command that writes, on a disk.
pub(crate) struct Scene {
    pub(crate) name: &'static str,
    pub(crate) prepare: fn(&Disk),
    pub(crate) run: Run,
    pub(crate) whole: Whole,
    /// Files that have to be there before the output may be.
    pub(crate) before: &'static [&'static str],
    /// Files that nobody but the owner may read, wherever they are there.
    pub(crate) for_owner: &'static [&'static str],
}

/// A command with an output that has a record, and nothing on the disk before it.
const fn recorded(name: &'static str, run: Run) -> Scene {
    Scene { name, prepare: with_nothing, run, whole: Whole::Recorded, before: &[], for_owner: &[] }
}

/// A command whose output is the same each time, and nothing on the disk before it.
const fn same(name: &'static str, run: Run) -> Scene {
    Scene { whole: Whole::Same, ..recorded(name, run) }
}

fn with_nothing(_: &Disk) {}

fn with_an_old_output(disk: &Disk) {
    disk.put("/w/out", b"what was there before");
}

/// A ledger with one charge.
fn with_a_ledger(disk: &Disk) {
    let mut ledger = FileLedger::on(&disk.storage(), Path::new(LEDGER));
    ledger.make(9.0, TERMS, &mut rng()).unwrap();
    let request = ChargeRequest {
        rho: 0.25,
        dominated_by: None,
        terms: TERMS,
        spec_sha256: NO_JOB,
        subject: ChargeSubject::default(),
    };
    let _ = ledger.charge(&request).unwrap();
    disk.settle();
}

fn rng() -> ChaCha20Rng {
    ChaCha20Rng::from_seed([7; 32])
}

fn none() -> MemoryFiles {
    MemoryFiles::default()
}

fn secret(disk: &Disk) -> Result<Secret, JobError> {
    let bytes = disk.file(KEY).unwrap_or_default();
    Secret::new(&bytes).map_err(|_| JobError::new("E0407", "the secret must be exactly 32 bytes"))
}
