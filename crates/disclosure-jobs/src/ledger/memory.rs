//! A ledger in memory.

use rand_core::CryptoRng;

use super::{Chain, ChargeRequest, Ledger, LedgerError, LedgerTerms, Receipt};

/// A ledger in memory, for callers who store its [text](Chain::text) themselves, and for tests.
///
/// It has no clock: charges are written down with the time 0, or with that of
/// [`set_time`](Self::set_time).
#[derive(Clone, Debug)]
pub struct MemoryLedger {
    chain: Chain,
    time: u64,
}

impl MemoryLedger {
    /// A new ledger with this budget, in rho of zCDP.
    ///
    /// # Errors
    /// [`LedgerError::Budget`] unless the budget is finite and above 0.
    pub fn new(budget: f64, terms: LedgerTerms, rng: &mut dyn CryptoRng) -> Result<Self, LedgerError> {
        Ok(Self { chain: Chain::open(budget, terms, rng)?, time: 0 })
    }

    /// The ledger of a text that was stored.
    ///
    /// # Errors
    /// [`LedgerError::Tampered`] when a line is not as it was written.
    pub fn parse(text: String) -> Result<Self, LedgerError> {
        Ok(Self { chain: Chain::parse(text, NAME)?, time: 0 })
    }

    /// The time of later charges, in seconds since 1970.
    pub fn set_time(&mut self, seconds: u64) {
        self.time = seconds;
    }

    /// The lines, and what is left.
    #[must_use]
    pub fn chain(&self) -> &Chain {
        &self.chain
    }
}

/// What messages call it.
const NAME: &str = "in memory";

impl Ledger for MemoryLedger {
    fn check(&self, request: &ChargeRequest<'_>) -> Result<(), LedgerError> {
        self.chain.check(request)
    }

    fn charge(&mut self, request: &ChargeRequest<'_>) -> Result<Receipt, LedgerError> {
        self.chain.charge(request, self.time)?;
        Ok(Receipt::recorded(request.rho, self.chain.hash().to_owned(), NAME.to_owned()))
    }
}
