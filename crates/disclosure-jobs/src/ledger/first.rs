//! A ledger that its first charge makes.

use std::path::Path;

use privacy_data::storage::{StorageRef, system};
use rand_core::CryptoRng;

use super::chain::Salt;
use super::{Chain, ChargeRequest, FileLedger, Ledger, LedgerError, Receipt};

/// A ledger in a file that is made by the first charge, with the terms of that release. A ledger
/// that is there already stays as it is, with its own budget.
#[derive(Clone, Debug)]
pub struct NewLedger {
    file: FileLedger,
    budget: f64,
    salt: Salt,
}

impl NewLedger {
    /// The ledger at `path`, or a new one with this budget, in rho of zCDP.
    #[must_use]
    pub fn at(path: &Path, budget: f64, rng: &mut dyn CryptoRng) -> Self {
        Self::on(&system(), path, budget, rng)
    }

    /// The same on another storage than the file system of the machine.
    #[must_use]
    pub fn on(storage: &StorageRef, path: &Path, budget: f64, rng: &mut dyn CryptoRng) -> Self {
        Self { file: FileLedger::on(storage, path), budget, salt: Salt::draw(rng) }
    }
}

impl Ledger for NewLedger {
    fn check(&self, request: &ChargeRequest<'_>) -> Result<(), LedgerError> {
        match self.file.is_there()? {
            true => self.file.check(request),
            false => Chain::salted(self.budget, request.terms, &self.salt)?.check(request),
        }
    }

    fn charge(&mut self, request: &ChargeRequest<'_>) -> Result<Receipt, LedgerError> {
        // A charge that the budget does not cover makes no file.
        self.check(request)?;
        match self.file.make_salted(self.budget, request.terms, &self.salt) {
            Ok(()) | Err(LedgerError::Exists { .. }) => self.file.charge(request),
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use disclosure::privacy_core::accounting::Neighbours;
    use rand_chacha::ChaCha20Rng;
    use rand_core::SeedableRng;

    use super::*;
    use crate::ledger::{ChargeSubject, LedgerTerms};

    fn request(rho: f64) -> ChargeRequest<'static> {
        let terms = LedgerTerms { neighbours: Neighbours::AddRemove, rows_per_person: 2 };
        ChargeRequest { rho, dominated_by: None, terms, spec_sha256: NO_JOB, subject: ChargeSubject::default() }
    }

    const NO_JOB: &str = "0000000000000000000000000000000000000000000000000000000000000000";

    #[test]
    fn the_first_charge_makes_the_file_and_later_ones_never_raise_its_budget() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("data.ledger");
        let mut ledger = NewLedger::at(&path, 1.0, &mut ChaCha20Rng::from_seed([7; 32]));
        ledger.check(&request(0.6)).unwrap();
        assert!(ledger.charge(&request(1.5)).is_err() && !path.exists(), "nothing is made for a refused charge");
        let _ = ledger.charge(&request(0.6)).unwrap();
        let mut again = NewLedger::at(&path, 100.0, &mut ChaCha20Rng::from_seed([8; 32]));
        assert!(matches!(again.check(&request(0.6)), Err(LedgerError::Exhausted { .. })));
        assert!(again.charge(&request(0.6)).is_err());
        let _ = again.charge(&request(0.3)).unwrap();
        let chain = FileLedger::at(&path).read().unwrap();
        assert_eq!((chain.budget(), chain.charges().len(), chain.terms().rows_per_person), (1.0, 2, 2));
        let names: Vec<_> =
            std::fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert!(names.iter().all(|name| !name.to_string_lossy().contains("tmp")), "{names:?}");
    }
}
