//! What is kept beside data and secrets: ledgers, registries, stored groups.

use disclosure_jobs::disclosure::lcf::Registry;
use disclosure_jobs::disclosure::privacy_core::prf::Secret;
use disclosure_jobs::filter::{Job, is_stored_table};
use disclosure_jobs::ledger::Chain;
use disclosure_jobs::observer::Silent;

/// The filter of stored groups in the corpus.
pub const STORED_FILTER: &str = "group_by = [\"town\"]\nentity = [{ column = \"user\", form = \"integer\" }]\nalways_suppress_upper_bound = 2\nmean = 8.0\nsd = 1.5\n";

/// The secret of everything in the corpus.
pub(crate) fn secret() -> Secret {
    Secret::new(&[7; 32]).expect("32 bytes are a secret")
}

/// A ledger: what is accepted is as it was written, and spends no more than its budget.
pub(crate) fn ledger(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let Ok(chain) = Chain::parse(text.to_owned(), "any") else { return false };
    assert_eq!(chain.text(), text, "every byte of a ledger is checked");
    assert!(chain.spent() <= chain.budget() * (1.0 + 1e-12), "never exceeded");
    true
}

/// A registry of a secret.
pub(crate) fn registry(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let secret = secret();
    let Ok(registry) = Registry::from_text(text, &secret) else { return false };
    assert_eq!(registry.to_text(&secret), text, "every byte of a registry is sealed");
    true
}

/// Groups that were stored under a filter.
pub(crate) fn filter_table(bytes: &[u8]) -> bool {
    let job = Job::parse(STORED_FILTER).expect("a job of the tests");
    let filter = job.filter(&secret(), &Silent).expect("a law of the tests");
    let _ = is_stored_table(bytes);
    let Ok(table) = job.stored(bytes, &filter) else { return false };
    assert_eq!(table.to_bytes(&filter).as_deref(), Ok(bytes), "every byte of stored groups is sealed");
    true
}
