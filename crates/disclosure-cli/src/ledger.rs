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

use disclosure::core::accounting::Neighbours;
use disclosure::core::param::{ParamError, Rho};
use disclosure::core::round::{add_up, sub_down};
use privacy_data::{OutputError, write_atomic};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::args::LedgerCommand;
use crate::digest::sha256;
use crate::error::Failure;
use crate::files::{named, print, print_json, say};
use crate::screen::{Align, Table, short_down, short_up};

/// What a release costs, and under which promise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Spend {
    /// Rho of zCDP, rounded up.
    pub(crate) rho: f64,
    /// SHA-256 of the spec that was carried out.
    pub(crate) spec_sha256: String,
    /// Seconds since 1970.
    pub(crate) time: u64,
}

/// The promise that every release from a ledger makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Promise {
    pub(crate) neighbours: Neighbours,
    pub(crate) rows_per_person: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum Entry {
    Open { schema: String, budget_rho: f64, promise: Promise },
    Spend(Spend),
}

/// What can be wrong with a ledger.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LedgerError {
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
    pub(crate) fn code(&self) -> &'static str {
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
        let digest = self.spec_sha256.len() == 64 && self.spec_sha256.bytes().all(|byte| byte.is_ascii_hexdigit());
        self.rho >= 0.0 && self.rho < f64::INFINITY && digest
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
pub(crate) struct Ledger {
    path: PathBuf,
    text: String,
    hash: String,
    budget: f64,
    promise: Promise,
    spends: Vec<Spend>,
}

/// The exclusive right to write a ledger; given back when dropped.
struct Lock(#[expect(dead_code, reason = "held for its lock")] File);

impl Promise {
    fn words(self) -> String {
        let relation = match self.neighbours {
            Neighbours::AddRemove => "add-remove",
            Neighbours::Replace => "replace",
        };
        format!("{relation} neighbours with {} row(s) a person", self.rows_per_person)
    }
}

impl Ledger {
    /// Whether a spend could be written: whoever may lock the ledger may replace it.
    pub(crate) fn check_writable(path: &Path) -> Result<(), LedgerError> {
        lock(path).map(drop)
    }

    /// Makes a new ledger.
    pub(crate) fn open(path: &Path, budget: f64, promise: Promise) -> Result<(), LedgerError> {
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
    pub(crate) fn read(path: &Path) -> Result<Self, LedgerError> {
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
    pub(crate) fn spent(&self) -> f64 {
        self.spends.iter().fold(0.0, |sum, spend| add_up(sum, spend.rho))
    }

    /// What is left, rounded down.
    pub(crate) fn left(&self) -> f64 {
        sub_down(self.budget, self.spent()).max(0.0)
    }

    /// Whether a release could be paid for.
    pub(crate) fn check(&self, rho: f64, promise: Promise) -> Result<(), LedgerError> {
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

    /// Writes a spend down, durably, and returns the hash of its line. The release comes after.
    pub(crate) fn spend(path: &Path, spend: Spend, promise: Promise) -> Result<String, LedgerError> {
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

/// `disclosure ledger ...`
pub(crate) fn run(command: LedgerCommand) -> Result<(), Failure> {
    match command {
        LedgerCommand::Open { ledger, rho, neighbours, rows_per_person } => {
            Ledger::open(named(&ledger)?, rho, Promise { neighbours, rows_per_person })?;
            say(&format!("Opened {} with rho {rho}. Release with --ledger {0}.", ledger.display()));
            Ok(())
        }
        LedgerCommand::Show { ledger, json } => show(&Ledger::read(&ledger)?, json),
    }
}

fn show(ledger: &Ledger, json: bool) -> Result<(), Failure> {
    if json {
        return print_json(&json!({
            "schema": "disclosure.ledger-state/1",
            "budget_rho": ledger.budget,
            "spent_rho": ledger.spent(),
            "left_rho": ledger.left(),
            "promise": ledger.promise,
            "releases": ledger.spends,
            "hash": ledger.hash,
        }));
    }
    let mut text = format!(
        "\n  {}\n  budget rho {}, spent {}, left {}\n\n",
        ledger.promise.words(),
        short_down(ledger.budget),
        short_up(ledger.spent()),
        short_down(ledger.left()),
    );
    if ledger.spends.is_empty() {
        return print((text + "  no release yet\n").as_bytes());
    }
    let mut table = Table::new([("release", Align::Right), ("rho", Align::Right), ("spec (SHA-256)", Align::Left)]);
    for (number, spend) in (1..).zip(&ledger.spends) {
        let digest = spend.spec_sha256.get(..16).unwrap_or_default();
        table.row([number.to_string(), short_up(spend.rho), digest.to_owned()]);
    }
    text += &table.render();
    print(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROMISE: Promise = Promise { neighbours: Neighbours::AddRemove, rows_per_person: 1 };

    fn spend(rho: f64) -> Spend {
        Spend { rho, spec_sha256: "0".repeat(64), time: 1 }
    }

    fn opened(directory: &tempfile::TempDir, budget: f64) -> PathBuf {
        let path = directory.path().join("ledger");
        Ledger::open(&path, budget, PROMISE).unwrap();
        path
    }

    #[test]
    fn a_budget_is_never_exceeded_and_never_rounded_in_the_spenders_favour() {
        let directory = tempfile::tempdir().unwrap();
        let path = opened(&directory, 1.0);
        for _ in 0..9 {
            Ledger::spend(&path, spend(0.1), PROMISE).unwrap();
        }
        // Ten times the double nearest to 0.1 is above 1.
        assert!(matches!(Ledger::spend(&path, spend(0.1), PROMISE), Err(LedgerError::Exhausted { .. })));
        assert!(matches!(Ledger::spend(&path, spend(f64::NAN), PROMISE), Err(LedgerError::Exhausted { .. })));
        assert_eq!(Ledger::read(&path).unwrap().spends.len(), 9);
    }

    #[test]
    fn every_single_byte_that_changes_is_found() {
        let directory = tempfile::tempdir().unwrap();
        let path = opened(&directory, 1.0);
        Ledger::spend(&path, spend(0.25), PROMISE).unwrap();
        Ledger::spend(&path, spend(0.125), PROMISE).unwrap();
        let good = fs::read(&path).unwrap();
        for at in 0..good.len() {
            for flip in [1, 2, 16, 0x80] {
                let mut bad = good.clone();
                bad[at] ^= flip;
                fs::write(&path, bad).unwrap();
                assert!(matches!(Ledger::read(&path), Err(LedgerError::Tampered { .. })), "byte {at}");
            }
        }
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad.remove(at);
            fs::write(&path, bad).unwrap();
            assert!(Ledger::read(&path).is_err(), "byte {at} removed");
        }
        let lines: Vec<&[u8]> = good.split_inclusive(|&b| b == b'\n').collect();
        for order in [vec![0, 2], vec![0, 2, 1], vec![0, 1, 1, 2], vec![1, 2], vec![0, 1, 2, 0]] {
            fs::write(&path, order.iter().flat_map(|&i| lines[i].to_vec()).collect::<Vec<u8>>()).unwrap();
            assert!(Ledger::read(&path).is_err(), "{order:?}");
        }
    }

    #[test]
    fn sixty_four_writers_at_once_spend_exactly_what_there_is() {
        let directory = tempfile::tempdir().unwrap();
        let path = opened(&directory, 1.0);
        let paid = std::thread::scope(|scope| {
            let writer = || scope.spawn(|| Ledger::spend(&path, spend(1.0 / 32.0), PROMISE).is_ok());
            let writers: Vec<_> = (0..64).map(|_| writer()).collect();
            writers.into_iter().map(|writer| writer.join().unwrap()).filter(|&ok| ok).count()
        });
        let ledger = Ledger::read(&path).unwrap();
        assert_eq!((paid, ledger.spends.len(), ledger.spent()), (32, 32, 1.0));
    }

    #[test]
    fn lines_that_no_release_writes_are_refused_whatever_their_hash() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("ledger");
        let open = |budget_rho, schema: &str| Entry::Open { schema: schema.to_owned(), budget_rho, promise: PROMISE };
        let write = |entries: &[Entry]| {
            let mut text = String::new();
            entries.iter().fold(String::new(), |before, entry| {
                let (line, hash) = line_of(entry, &before);
                text += &line;
                hash
            });
            fs::write(&path, text).unwrap();
            Ledger::read(&path).is_ok()
        };
        assert!(write(&[open(1.0, SCHEMA), Entry::Spend(spend(0.5))]));
        assert!(!write(&[open(1.0, "other/9")]) && !write(&[open(-1.0, SCHEMA)]) && !write(&[open(0.0, SCHEMA)]));
        assert!(!write(&[open(1.0, SCHEMA), Entry::Spend(spend(-5.0))]));
        let digest = |digest: &str| Entry::Spend(Spend { spec_sha256: digest.to_owned(), ..spend(0.5) });
        assert!(!write(&[open(1.0, SCHEMA), digest("ab")]) && !write(&[open(1.0, SCHEMA), digest(&"é".repeat(32))]));
    }

    #[test]
    fn costs_of_another_promise_are_not_added_up() {
        let directory = tempfile::tempdir().unwrap();
        let path = opened(&directory, 1.0);
        for promise in
            [Promise { neighbours: Neighbours::Replace, ..PROMISE }, Promise { rows_per_person: 2, ..PROMISE }]
        {
            assert!(matches!(Ledger::spend(&path, spend(0.1), promise), Err(LedgerError::OtherPromise { .. })));
        }
        assert!(matches!(Ledger::open(&path, 1.0, PROMISE), Err(LedgerError::Exists { .. })));
        assert!(matches!(Ledger::open(&directory.path().join("x"), f64::NAN, PROMISE), Err(LedgerError::Budget(_))));
    }
}
