//! Budgets, tampering, and writers at once.

use super::*;

const PROMISE: LedgerTerms = LedgerTerms { neighbours: Neighbours::AddRemove, rows_per_person: 1 };

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
        [LedgerTerms { neighbours: Neighbours::Replace, ..PROMISE }, LedgerTerms { rows_per_person: 2, ..PROMISE }]
    {
        assert!(matches!(Ledger::spend(&path, spend(0.1), promise), Err(LedgerError::OtherPromise { .. })));
    }
    assert!(matches!(Ledger::open(&path, 1.0, PROMISE), Err(LedgerError::Exists { .. })));
    assert!(matches!(Ledger::open(&directory.path().join("x"), f64::NAN, PROMISE), Err(LedgerError::Budget(_))));
}
