//! A ledger in a file.
//!
//! Writers take an exclusive lock (`FILE.lock`); the file is replaced whole (temporary file,
//! sync, rename), so that a crash leaves it as it was before the charge or as it is after it.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use privacy_data::unfinished::whole;
use privacy_data::write_atomic;
use rand_core::CryptoRng;

use crate::lock::{self, Lock};
use crate::regular::{Unread, read_regular};

use super::chain::Salt;
use super::{Chain, ChargeRequest, Ledger, LedgerError, LedgerTerms, Receipt};

/// A ledger of a hundred thousand releases is a quarter of this, in bytes.
const LARGEST: u64 = 1 << 26;

/// What this process has charged to files.
static CHARGED: Mutex<Vec<Receipt>> = Mutex::new(Vec::new());

/// The receipts of every charge that this process has made to a ledger in a file: what it has spent
/// if it has to end now.
#[must_use]
pub fn charged_so_far() -> Vec<Receipt> {
    CHARGED.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// A ledger in a file that [`create`](Self::create) has made.
#[derive(Clone, Debug)]
pub struct FileLedger {
    path: PathBuf,
}

impl FileLedger {
    /// The ledger at `path`, which is opened when it is used.
    #[must_use]
    pub fn at(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    /// Makes a new ledger with this budget, in rho of zCDP.
    ///
    /// # Errors
    /// [`LedgerError::Exists`], [`LedgerError::Budget`], and what the file system reports.
    pub fn create(path: &Path, budget: f64, terms: LedgerTerms, rng: &mut impl CryptoRng) -> Result<Self, LedgerError> {
        Self::create_salted(path, budget, terms, &Salt::draw(rng))
    }

    pub(super) fn create_salted(
        path: &Path,
        budget: f64,
        terms: LedgerTerms,
        salt: &Salt,
    ) -> Result<Self, LedgerError> {
        let chain = Chain::salted(budget, terms, salt)?;
        let _lock = lock(path)?;
        if path.symlink_metadata().is_ok() {
            return Err(LedgerError::Exists { path: path.to_owned() });
        }
        write_atomic(path, chain.text().as_bytes())?;
        Ok(Self::at(path))
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
        read_regular(&self.path, LARGEST).map_err(|unread| match unread {
            Unread::System(source) => LedgerError::System { path, source },
            Unread::Irregular => LedgerError::NotALedger { path },
        })
    }

    fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// Records a charge made at a time in seconds since 1970.
    pub(super) fn charge_at(&self, request: &ChargeRequest<'_>, time: u64) -> Result<Receipt, LedgerError> {
        let _lock = lock(&self.path)?;
        let mut chain = self.read()?;
        chain.charge(request, time)?;
        let receipt = Receipt::recorded(request.rho, chain.hash().to_owned(), self.name());
        // A process that had to end between the two would not say that the budget is gone.
        whole(|| {
            write_atomic(&self.path, chain.text().as_bytes())?;
            CHARGED.lock().unwrap_or_else(PoisonError::into_inner).push(receipt.clone());
            Ok(receipt)
        })
    }
}

impl Ledger for FileLedger {
    /// Also takes the lock once: a process that can create the lock file can replace the ledger.
    fn check(&self, request: &ChargeRequest<'_>) -> Result<(), LedgerError> {
        drop(lock(&self.path)?);
        self.read()?.check(request)
    }

    fn charge(&mut self, request: &ChargeRequest<'_>) -> Result<Receipt, LedgerError> {
        // A clock before 1970 is wrong, and no reason to refuse a release.
        let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs());
        self.charge_at(request, time)
    }
}

fn lock(path: &Path) -> Result<Lock, LedgerError> {
    lock::exclusive(path).map_err(|(path, source)| LedgerError::System { path, source })
}
