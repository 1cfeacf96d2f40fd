//! What is kept beside data and secrets: ledgers, registries, stored groups.

use disclosure_jobs::disclosure::lcf::{
    DifferenceGuard, EntitySet, GroupLimits, GroupState, LabelledGroups, LowCountFilter, Registry,
};
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
    assert!(chain.spent() <= chain.budget(), "never exceeded");
    let document = chain.document();
    let epsilons = [&document.epsilon_at_delta, &document.budget_epsilon_at_delta];
    assert!(epsilons.into_iter().flatten().all(|at| at.epsilon >= 0.0), "no epsilon is negative or no number");
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

/// The filter of everything in the corpus that is kept under one.
pub(crate) fn stored_filter() -> LowCountFilter {
    let job = Job::parse(STORED_FILTER).expect("a job of the tests");
    job.filter(&secret(), &Silent).expect("a law of the tests")
}

/// Groups that were stored under a filter.
pub(crate) fn filter_table(bytes: &[u8]) -> bool {
    let job = Job::parse(STORED_FILTER).expect("a job of the tests");
    let filter = stored_filter();
    let _ = is_stored_table(bytes);
    let Ok(table) = job.stored(bytes, &filter) else { return false };
    assert_eq!(table.to_bytes(&filter).as_deref(), Ok(bytes), "every byte of stored groups is sealed");
    let mut shown = Vec::new();
    let decided = job.decide(table, &filter, None, &Silent).expect("stored groups are decided on");
    for rest in [None, Some("(rest)")] {
        if let Ok(released) = decided.release(rest) {
            released.write_csv(&mut shown).expect("and what is shown is written");
        }
    }
    let _ = decided.audit();
    true
}

/// The answers of a guard against differences.
pub(crate) fn filter_answers(bytes: &[u8]) -> bool {
    let filter = stored_filter();
    let Ok(mut guard) = DifferenceGuard::from_bytes(bytes, &filter) else { return false };
    assert!(guard.continues(DifferenceGuard::seal_of(bytes)), "they are the newest where theirs is noted");
    let mut set = EntitySet::new(filter.cap());
    set.extend(0..20);
    let first = guard.decide(&filter, &[set.clone()]).map(|decision| decision.is_reported());
    let second = guard.decide(&filter, &[set]).map(|decision| decision.is_reported());
    assert_eq!(first, second, "an answer is given again");
    let again = guard.to_bytes(&filter);
    assert!(DifferenceGuard::from_bytes(&again, &filter).is_ok(), "what is written is read");
    true
}

/// The state of one group, as an engine sends it.
pub(crate) fn group_state(bytes: &[u8]) -> bool {
    let filter = stored_filter();
    let Ok(state) = GroupState::from_bytes(bytes, &filter) else { return false };
    assert_eq!(state.to_bytes(&filter).as_deref(), Ok(bytes), "every byte of a state is sealed");
    let mut groups = LabelledGroups::new(["town"], &filter, GroupLimits::default());
    let twice = groups.add_state(["a"], &state).and_then(|()| groups.add_state(["a"], &state));
    assert!(twice.is_ok() || state.rows > u64::MAX / 2, "rows of a group add up: {twice:?}");
    true
}

/// A set of entities, as an engine sends it.
pub(crate) fn entity_set(bytes: &[u8]) -> bool {
    let filter = stored_filter();
    let Ok(set) = EntitySet::from_bytes(bytes, &filter) else { return false };
    assert_eq!(set.to_bytes(&filter), bytes, "every byte of a set is sealed");
    let mut merged = set.clone();
    assert!(merged.merge(&set).is_ok(), "a set has the cap that it has");
    assert_eq!(merged.to_bytes(&filter), bytes, "a set with itself is itself");
    true
}
