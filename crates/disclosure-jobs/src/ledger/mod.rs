//! The ledger of one data set: a budget, and every release that spent from it.
//!
//! JSON Lines. Line 1 opens the ledger, every other line is a release, written *before* its noise is drawn. A line is
//! `{"entry":...,"hash":"..."}` where the hash is the SHA-256 of the hash before (empty for line 1) and the text of the
//! entry, so that no byte can change unseen. What a chain cannot show is that its last lines were cut off: the hash of
//! the line that paid for a release stands in its `release.json`.
//!
//! Writers take an exclusive lock on `FILE.lock`; the file is replaced whole (temporary file, sync, rename).

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use disclosure::core::accounting::Neighbours;
use disclosure::core::param::{ParamError, Rho};
use disclosure::core::round::{add_up, sub_down};
use privacy_data::{OutputError, write_atomic};
use serde::{Deserialize, Serialize};

use crate::digest::{is_sha256, sha256};
use crate::figures::{short_down, short_up};

/// What a release costs, and under which promise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spend {
    /// Rho of zCDP, rounded up.
    pub rho: f64,
    /// SHA-256 of the spec that was carried out.
    pub spec_sha256: String,
    /// Seconds since 1970.
    pub time: u64,
}

/// The promise that every release from a ledger makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LedgerTerms {
    pub neighbours: Neighbours,
    pub rows_per_person: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum Entry {
    Open { schema: String, budget_rho: f64, promise: LedgerTerms },
    Spend(Spend),
}

/// What can be wrong with a ledger.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    #[error("the ledger {} could not be read or written", path.display())]
    System { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Output(#[from] OutputError),
    #[error("line {line} of the ledger {} is not as it was written", path.display())]
    Tampered { path: PathBuf, line: usize },
    #[error("the ledger counts {ledger}, the release promises {release}")]
    OtherPromise { ledger: String, release: String },
    #[error("the release costs rho {}, the ledger has {} left of {budget}", short_up(*asked), short_down(*left))]
    Exhausted { asked: f64, left: f64, budget: f64 },
    #[error("the budget of a ledger: {0}")]
    Budget(#[from] ParamError),
    #[error("{} exists: a ledger is opened once", path.display())]
    Exists { path: PathBuf },
    #[error("{} is not a regular file of at most 64 MiB", path.display())]
    NoLedger { path: PathBuf },
}

impl LedgerError {
    pub fn code(&self) -> &'static str {
        match self {
            Self::System { .. } | Self::Exists { .. } | Self::NoLedger { .. } => "E0105",
            Self::Output(error) => error.code(),
            Self::Tampered { .. } => "E0351",
            Self::OtherPromise { .. } => "E0402",
            Self::Exhausted { .. } => "E0501",
            Self::Budget(_) => "E0225",
        }
    }
}

impl Spend {
    /// Whether it can have been written by a release.
    fn makes_sense(&self) -> bool {
        self.rho >= 0.0 && self.rho < f64::INFINITY && is_sha256(&self.spec_sha256)
    }
}

const SCHEMA: &str = "disclosure.ledger/1";
/// A ledger of a hundred thousand releases is a quarter of this.
const LARGEST: u64 = 1 << 26;

/// The bytes of a ledger: a regular file of reasonable size, and not through a link.
fn read_file(path: &Path) -> Result<Vec<u8>, LedgerError> {
    let system = |source| LedgerError::System { path: path.to_owned(), source };
    let found = fs::symlink_metadata(path).map_err(system)?;
    if !found.is_file() || found.len() > LARGEST {
        return Err(LedgerError::NoLedger { path: path.to_owned() });
    }
    fs::read(path).map_err(system)
}

/// A ledger whose every line was checked.
#[derive(Debug)]
pub struct Ledger {
    path: PathBuf,
    text: String,
    /// The hash of the last line.
    pub hash: String,
    /// The whole budget, in rho of zCDP.
    pub budget: f64,
    /// What every release from the ledger promises.
    pub promise: LedgerTerms,
    /// The releases so far, in order.
    pub spends: Vec<Spend>,
}

/// The exclusive right to write a ledger; given back when dropped.
struct Lock(#[expect(dead_code, reason = "held for its lock")] File);

impl LedgerTerms {
    /// The terms in words.
    #[must_use]
    pub fn words(self) -> String {
        let relation = match self.neighbours {
            Neighbours::AddRemove => "add-remove",
            Neighbours::Replace => "replace",
        };
        format!("{relation} neighbours with {} row(s) a person", self.rows_per_person)
    }
}

impl Ledger {
    /// Whether a spend could be written: whoever may lock the ledger may replace it.
    pub fn check_writable(path: &Path) -> Result<(), LedgerError> {
        lock(path).map(drop)
    }

    /// Makes a new ledger.
    pub fn open(path: &Path, budget: f64, promise: LedgerTerms) -> Result<(), LedgerError> {
        let budget_rho = Rho::new(budget)?.get();
        let _lock = lock(path)?;
        if path.symlink_metadata().is_ok() {
            return Err(LedgerError::Exists { path: path.to_owned() });
        }
        let entry = Entry::Open { schema: SCHEMA.to_owned(), budget_rho, promise };
        let (line, _) = line_of(&entry, "");
        Ok(write_atomic(path, line.as_bytes())?)
    }

    /// Reads a ledger and checks every line.
    pub fn read(path: &Path) -> Result<Self, LedgerError> {
        let tampered = |line| LedgerError::Tampered { path: path.to_owned(), line };
        let text = String::from_utf8(read_file(path)?).map_err(|_| tampered(1))?;
        let (mut hash, mut opened, mut spends) = (String::new(), None, Vec::new());
        for (number, line) in (1..).zip(text.split_inclusive('\n')) {
            let (entry, next) = checked(line, &hash).ok_or_else(|| tampered(number))?;
            match (number, entry) {
                (1, Entry::Open { schema, budget_rho, promise })
                    if schema == SCHEMA && Rho::new(budget_rho).is_ok() =>
                {
                    opened = Some((budget_rho, promise));
                }
                (2.., Entry::Spend(spend)) if spend.makes_sense() => spends.push(spend),
                _ => return Err(tampered(number)),
            }
            hash = next;
        }
        let (budget, promise) = opened.ok_or_else(|| tampered(1))?;
        Ok(Self { path: path.to_owned(), text, hash, budget, promise, spends })
    }

    /// Spent so far, rounded up.
    pub fn spent(&self) -> f64 {
        self.spends.iter().fold(0.0, |sum, spend| add_up(sum, spend.rho))
    }

    /// What is left, rounded down.
    pub fn left(&self) -> f64 {
        sub_down(self.budget, self.spent()).max(0.0)
    }

    /// Whether a release could be paid for.
    pub fn check(&self, rho: f64, promise: LedgerTerms) -> Result<(), LedgerError> {
        if promise != self.promise {
            return Err(LedgerError::OtherPromise { ledger: self.promise.words(), release: promise.words() });
        }
        // Written so that a NaN is refused.
        if add_up(self.spent(), rho) <= self.budget {
            Ok(())
        } else {
            Err(LedgerError::Exhausted { asked: rho, left: self.left(), budget: self.budget })
        }
    }

    /// Writes down that a spec spends now.
    pub fn spend_now(path: &Path, rho: f64, spec_sha256: &str, promise: LedgerTerms) -> Result<String, LedgerError> {
        let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs());
        Self::spend(path, Spend { rho, spec_sha256: spec_sha256.to_owned(), time }, promise)
    }

    /// Writes a spend down, durably, and returns the hash of its line. The release comes after.
    pub fn spend(path: &Path, spend: Spend, promise: LedgerTerms) -> Result<String, LedgerError> {
        let _lock = lock(path)?;
        let ledger = Self::read(path)?;
        ledger.check(spend.rho, promise)?;
        let (line, hash) = line_of(&Entry::Spend(spend), &ledger.hash);
        write_atomic(&ledger.path, (ledger.text + &line).as_bytes())?;
        Ok(hash)
    }
}

const HEAD: &str = "{\"entry\":";
const MIDDLE: &str = ",\"hash\":\"";
const TAIL: &str = "\"}\n";

/// A line and its hash.
fn line_of(entry: &Entry, before: &str) -> (String, String) {
    let entry = serde_json::to_string(entry).expect("an entry has string keys and finite numbers");
    let hash = sha256(format!("{before}{entry}").as_bytes());
    (format!("{HEAD}{entry}{MIDDLE}{hash}{TAIL}"), hash)
}

/// The entry and the hash of a line, unless a byte of it differs from what was written.
fn checked(line: &str, before: &str) -> Option<(Entry, String)> {
    let rest = line.strip_prefix(HEAD)?.strip_suffix(TAIL)?;
    let (entry, hash) = rest.split_at_checked(rest.len().checked_sub(64)?)?;
    let entry = entry.strip_suffix(MIDDLE)?;
    if sha256(format!("{before}{entry}").as_bytes()) != hash {
        return None;
    }
    Some((serde_json::from_str(entry).ok()?, hash.to_owned()))
}

fn lock(path: &Path) -> Result<Lock, LedgerError> {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    let path = PathBuf::from(name);
    let locked = OpenOptions::new().create(true).write(true).truncate(false).open(&path).and_then(|file| {
        file.lock()?;
        Ok(Lock(file))
    });
    locked.map_err(|source| LedgerError::System { path, source })
}

#[cfg(test)]
mod tests;
