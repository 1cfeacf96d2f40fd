//! A ledger in a file.
//!
//! Writers take an exclusive lock (`FILE.lock`); the file is replaced whole (temporary file,
//! sync, rename), so that a crash leaves it as it was before the charge or as it is after it.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use privacy_data::storage::{ExposedPlace, StorageRef, system};
use privacy_data::unfinished::whole;
use privacy_data::{FileOptions, OutputError};
use rand_core::CryptoRng;

use crate::lock::{self, Lock};
use crate::regular::{Misplaced, Readers, Unread, read_regular};

use super::chain::Salt;
use super::{Chain, ChargeRequest, Ledger, LedgerError, LedgerTerms, Receipt};

/// A ledger of a hundred thousand releases is a quarter of this, in bytes.
const LARGEST: u64 = 1 << 26;

/// What this process has charged to files.
static CHARGED: Mutex<Vec<Receipt>> = Mutex::new(Vec::new());

/// How many charges these are: read without a lock, which a child that was forked may find held for
/// ever.
static CHARGES: AtomicUsize = AtomicUsize::new(0);

/// How many charges this process has made to ledgers in files.
pub(crate) fn number_charged() -> usize {
    CHARGES.load(Ordering::Acquire)
}

/// The receipts of every charge that this process has made to a ledger in a file: what it has spent
/// if it has to end now.
#[must_use]
pub fn charged_so_far() -> Vec<Receipt> {
    CHARGED.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// A ledger in a file that [`create`](Self::create) has made.
#[derive(Clone, Debug)]
pub struct FileLedger {
    storage: StorageRef,
    path: PathBuf,
}

impl FileLedger {
    /// The ledger at `path`, which is opened when it is used.
    #[must_use]
    pub fn at(path: &Path) -> Self {
        Self::on(&system(), path)
    }

    /// The same on another storage than the file system of the machine.
    #[must_use]
    pub fn on(storage: &StorageRef, path: &Path) -> Self {
        Self { storage: Arc::clone(storage), path: path.to_owned() }
    }

    /// Makes a new ledger with this budget, in rho of zCDP.
    ///
    /// # Errors
    /// [`LedgerError::Exists`], [`LedgerError::Budget`], and what the file system reports.
    pub fn create(path: &Path, budget: f64, terms: LedgerTerms, rng: &mut dyn CryptoRng) -> Result<Self, LedgerError> {
        let ledger = Self::at(path);
        ledger.make(budget, terms, rng)?;
        Ok(ledger)
    }

    /// Makes the file of this ledger, with this budget in rho of zCDP.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub fn make(&self, budget: f64, terms: LedgerTerms, rng: &mut dyn CryptoRng) -> Result<(), LedgerError> {
        self.make_salted(budget, terms, &Salt::draw(rng))
    }

    pub(super) fn make_salted(&self, budget: f64, terms: LedgerTerms, salt: &Salt) -> Result<(), LedgerError> {
        let chain = Chain::salted(budget, terms, salt)?;
        let _lock = self.lock()?;
        if self.is_there()? {
            return Err(LedgerError::Exists { path: self.path.clone() });
        }
        Ok(self.replace(&chain)?)
    }

    /// Whether something is at the path. A system that does not say has not said no.
    pub(super) fn is_there(&self) -> Result<bool, LedgerError> {
        match self.storage.look_at(&self.path) {
            Ok(_) => Ok(true),
            Err(source) if source.kind() == ErrorKind::NotFound => Ok(false),
            Err(source) => Err(LedgerError::System { path: self.path.clone(), source }),
        }
    }

    fn replace(&self, chain: &Chain) -> Result<(), OutputError> {
        let options = FileOptions { for_owner: false, replaces: true };
        options.keep_on(&self.storage, &self.path, chain.text().as_bytes())
    }

    fn lock(&self) -> Result<Lock, LedgerError> {
        lock::exclusive(&self.storage, &self.path).map_err(|(path, misplaced)| match misplaced {
            // There is no directory for the lock: the ledger is what its user named.
            Misplaced::System(source) if source.kind() == ErrorKind::NotFound => {
                LedgerError::System { path: self.path.clone(), source }
            }
            Misplaced::System(source) => LedgerError::System { path, source },
            Misplaced::Exposed(place) => LedgerError::Exposed { path: self.path.clone(), place },
        })
    }

    /// Reads the ledger and checks every line.
    ///
    /// # Errors
    /// [`LedgerError::Tampered`], [`LedgerError::NotALedger`], [`LedgerError::System`].
    pub fn read(&self) -> Result<Chain, LedgerError> {
        let name = self.name();
        let text = String::from_utf8(self.bytes()?);
        let text = text.map_err(|_| LedgerError::Tampered { ledger: name.clone(), line: 1 })?;
        Chain::parse(text, &name)
    }

    /// The bytes: a regular file of reasonable size, and not through a link.
    fn bytes(&self) -> Result<Vec<u8>, LedgerError> {
        let path = self.path.clone();
        read_regular(&*self.storage, &self.path, LARGEST, Readers::All).map_err(|unread| match unread {
            Unread::System(source) => LedgerError::System { path, source },
            Unread::Irregular => LedgerError::NotALedger { path },
            Unread::TooOpen => LedgerError::Exposed { place: ExposedPlace::WorldWritable(path.clone()), path },
            Unread::Exposed(place) => LedgerError::Exposed { path, place },
        })
    }

    fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// The ledger with one more charge: a file that can be read again.
    fn with_charge(&self, request: &ChargeRequest<'_>, time: u64) -> Result<Chain, LedgerError> {
        let mut chain = self.read()?;
        chain.charge(request, time)?;
        match chain.text().len() as u64 > LARGEST {
            true => Err(LedgerError::Full { path: self.path.clone() }),
            false => Ok(chain),
        }
    }

    /// Records a charge made at a time in seconds since 1970.
    pub(super) fn charge_at(&self, request: &ChargeRequest<'_>, time: u64) -> Result<Receipt, LedgerError> {
        let _lock = self.lock()?;
        let chain = self.with_charge(request, time)?;
        let receipt = Receipt::recorded(request.rho, chain.hash().to_owned(), self.name());
        // A process that had to end between the two would not say that the budget is gone.
        whole(|| {
            let replaced = self.replace(&chain);
            if matches!(replaced, Ok(()) | Err(OutputError::NotSynced { .. })) {
                let mut charged = CHARGED.lock().unwrap_or_else(PoisonError::into_inner);
                charged.push(receipt.clone());
                CHARGES.store(charged.len(), Ordering::Release);
            }
            match replaced {
                Ok(()) => Ok(receipt),
                Err(OutputError::NotSynced { path, source }) => {
                    Err(LedgerError::NotSynced { path, rho: request.rho, source })
                }
                Err(error) => Err(error.into()),
            }
        })
    }
}

impl Ledger for FileLedger {
    /// Also takes the lock once: a process that can create the lock file can replace the ledger.
    /// And syncs the directory: after a charge that cannot be synced, nothing could be released.
    fn check(&self, request: &ChargeRequest<'_>) -> Result<(), LedgerError> {
        drop(self.lock()?);
        let directory = Path::new(".").join(self.path.parent().unwrap_or(Path::new("")));
        let synced = self.storage.sync_directory(&directory);
        synced.map_err(|source| LedgerError::System { path: self.path.clone(), source })?;
        // A time with all the digits that one may have.
        self.with_charge(request, u64::MAX).map(drop)
    }

    fn charge(&mut self, request: &ChargeRequest<'_>) -> Result<Receipt, LedgerError> {
        // A clock before 1970 is wrong, and no reason to refuse a release.
        let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs());
        self.charge_at(request, time)
    }
}
