//! Budgets, tampering, and writers at once.

use std::fs;

use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

use super::chain::{Entry, FileSchema, line_of};
use super::*;

const TERMS: LedgerTerms = LedgerTerms { neighbours: Neighbours::AddRemove, rows_per_person: 1 };
const DIGEST: &str = "0000000000000000000000000000000000000000000000000000000000000000";

fn request(rho: f64) -> ChargeRequest<'static> {
    ChargeRequest { rho, dominated_by: None, terms: TERMS, spec_sha256: DIGEST, subject: subject() }
}

fn subject() -> ChargeSubject {
    ChargeSubject::new("Census", Some("Statistics Office"), [vec!["age".to_owned(), "sex".to_owned()], Vec::new()])
}

#[test]
fn a_line_says_what_it_was_charged_for_and_lines_of_earlier_versions_are_read() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = opened(&directory, 1.0);
    let _ = ledger.charge_at(&request(0.25), 1).unwrap();
    assert_eq!(ledger.read().unwrap().charges()[0].subject, Some(subject()));
    let earlier: Entry =
        serde_json::from_str(&format!(r#"{{"spend":{{"rho":0.25,"spec_sha256":"{DIGEST}","time":1}}}}"#)).unwrap();
    let first = fs::read_to_string(directory.path().join("ledger")).unwrap().lines().next().unwrap().to_owned() + "\n";
    let hash = Chain::parse(first.clone(), "ledger").unwrap().hash().to_owned();
    let text = first + &line_of(&earlier, &hash).0;
    let chain = Chain::parse(text, "ledger").unwrap();
    assert_eq!((chain.charges().len(), &chain.charges()[0].subject), (1, &None));
    let many = ChargeSubject::new("t", None, (0..100).map(|n| vec![n.to_string()]));
    assert_eq!((many.tables.len(), many.more_tables), (64, 36));
    let written = |subject: &ChargeSubject| serde_json::to_string(subject).unwrap();
    assert!(written(&many).contains("\"more_tables\":36") && !written(&subject()).contains("more_tables"));
}

fn rng() -> ChaCha20Rng {
    ChaCha20Rng::from_seed([7; 32])
}

fn in_memory() -> MemoryLedger {
    MemoryLedger::new(1.0, TERMS, &mut rng()).unwrap()
}

fn opened(directory: &tempfile::TempDir, budget: f64) -> FileLedger {
    FileLedger::create(&directory.path().join("ledger"), budget, TERMS, &mut rng()).unwrap()
}

#[test]
fn a_budget_is_never_exceeded_and_never_rounded_in_the_spenders_favour() {
    let directory = tempfile::tempdir().unwrap();
    let mut ledgers: [Box<dyn Ledger>; 2] = [Box::new(opened(&directory, 1.0)), Box::new(in_memory())];
    for ledger in &mut ledgers {
        for _ in 0..9 {
            let _ = ledger.charge(&request(0.1)).unwrap();
        }
        // Ten times the double nearest to 0.1 is above 1.
        for rho in [0.1, f64::NAN] {
            assert!(matches!(ledger.check(&request(rho)), Err(LedgerError::Exhausted { .. })));
            assert!(matches!(ledger.charge(&request(rho)), Err(LedgerError::Exhausted { .. })));
        }
    }
    assert_eq!(FileLedger::at(&directory.path().join("ledger")).read().unwrap().charges().len(), 9);
}

/// The sum of the doubles nearest to 0.1 and 0.2 is between the one nearest to 0.3 and the next.
#[test]
fn sums_are_rounded_up_and_what_is_left_is_rounded_down() {
    let mut ledger = MemoryLedger::new(0.3, TERMS, &mut rng()).unwrap();
    let _ = ledger.charge(&request(0.1)).unwrap();
    assert!(matches!(ledger.charge(&request(0.2)), Err(LedgerError::Exhausted { .. })));
    let _ = ledger.charge(&request(0.2_f64.next_down())).unwrap();
    assert_eq!((ledger.chain().budget(), ledger.chain().spent()), (0.3, 0.3));
    let mut ledger = in_memory();
    let _ = ledger.charge(&request(0.1)).unwrap();
    // 1 less the double nearest to 0.1 is between two doubles, of which 0.9 is the upper one.
    assert_eq!(ledger.chain().left(), 0.9_f64.next_down());
}

#[test]
fn every_single_byte_that_changes_is_found() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = opened(&directory, 1.0);
    for rho in [0.25, 0.125] {
        let _ = ledger.charge_at(&request(rho), 1).unwrap();
    }
    let path = directory.path().join("ledger");
    let good = fs::read(&path).unwrap();
    for at in 0..good.len() {
        for flip in [1, 2, 16, 0x80] {
            let mut bad = good.clone();
            bad[at] ^= flip;
            fs::write(&path, bad).unwrap();
            assert!(matches!(ledger.read(), Err(LedgerError::Tampered { .. })), "byte {at}");
        }
    }
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad.remove(at);
        fs::write(&path, bad).unwrap();
        assert!(ledger.read().is_err(), "byte {at} removed");
    }
    let lines: Vec<&[u8]> = good.split_inclusive(|&b| b == b'\n').collect();
    for order in [vec![0, 2], vec![0, 2, 1], vec![0, 1, 1, 2], vec![1, 2], vec![0, 1, 2, 0]] {
        fs::write(&path, order.iter().flat_map(|&i| lines[i].to_vec()).collect::<Vec<u8>>()).unwrap();
        assert!(ledger.read().is_err(), "{order:?}");
    }
}

#[test]
fn sixty_four_writers_at_once_spend_exactly_what_there_is() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = opened(&directory, 1.0);
    let paid = std::thread::scope(|scope| {
        let writer = || scope.spawn(|| ledger.clone().charge(&request(1.0 / 32.0)).is_ok());
        let writers: Vec<_> = (0..64).map(|_| writer()).collect();
        writers.into_iter().map(|writer| writer.join().unwrap()).filter(|&ok| ok).count()
    });
    let chain = ledger.read().unwrap();
    assert_eq!((paid, chain.charges().len(), chain.spent()), (32, 32, 1.0));
}

#[test]
fn lines_that_no_release_writes_are_refused_whatever_their_hash() {
    let open = |budget_rho| Entry::Open { schema: FileSchema::V1, budget_rho, promise: TERMS, salt: None };
    let parse = |entries: &[Entry]| {
        let mut text = String::new();
        entries.iter().fold(String::new(), |before, entry| {
            let (line, hash) = line_of(entry, &before);
            text += &line;
            hash
        });
        Chain::parse(text, "test").is_ok()
    };
    let charge = |rho, digest: &str| {
        Entry::Spend(Charge { rho, dominated_by: None, spec_sha256: digest.to_owned(), subject: None, time: 1 })
    };
    assert!(parse(&[open(1.0), charge(0.5, DIGEST)]));
    assert!(!parse(&[open(-1.0)]) && !parse(&[open(0.0)]) && !parse(&[]) && !parse(&[charge(0.5, DIGEST)]));
    assert!(!parse(&[open(1.0), charge(-5.0, DIGEST)]) && !parse(&[open(1.0), open(1.0)]));
    assert!(parse(&[open(1.0), charge(0.5, DIGEST), charge(0.5, DIGEST)]));
    assert!(!parse(&[open(1.0), charge(0.5, DIGEST), charge(0.500_000_1, DIGEST)]), "beyond the budget");
    assert!(!parse(&[open(0.3), charge(0.1, DIGEST), charge(0.2, DIGEST)]), "beyond it by less than a double");
    // What is spent is rounded up before the next charge, too.
    let charges = [open(0.5), charge(0.1, DIGEST), charge(0.2, DIGEST), charge(0.2, DIGEST)];
    assert!(!parse(&charges) && parse(&charges[..3]));
    assert!(parse(&[open(1.0), charge(0.0, DIGEST)]) && !parse(&[open(1.0), charge(f64::NAN, DIGEST)]));
    assert!(!parse(&[open(1.0), charge(f64::INFINITY, DIGEST)]), "no number of JSON");
    assert!(!parse(&[open(1.0), charge(0.5, "ab")]) && !parse(&[open(1.0), charge(0.5, &"é".repeat(32))]));
}

#[test]
fn a_line_of_another_version_is_refused_whatever_its_hash() {
    let entry =
        r#"{"open":{"schema":"other/9","budget_rho":1.0,"promise":{"neighbours":"add-remove","rows_per_person":1}}}"#;
    let line = |entry: &str| {
        let hash = crate::digest::sha256(entry.as_bytes());
        Chain::parse(format!("{{\"entry\":{entry},\"hash\":\"{hash}\"}}\n"), "test").is_ok()
    };
    assert!(!line(entry) && line(&entry.replace("other/9", "disclosure.ledger/1")));
}

#[test]
fn costs_under_other_terms_are_not_added_up() {
    let directory = tempfile::tempdir().unwrap();
    let mut ledger = opened(&directory, 1.0);
    for terms in [LedgerTerms { neighbours: Neighbours::Replace, ..TERMS }, LedgerTerms { rows_per_person: 2, ..TERMS }]
    {
        let request = ChargeRequest { terms, ..request(0.1) };
        assert!(matches!(ledger.charge(&request), Err(LedgerError::OtherTerms { .. })));
    }
    let again = |name: &str, budget| FileLedger::create(&directory.path().join(name), budget, TERMS, &mut rng());
    assert!(matches!(again("ledger", 1.0), Err(LedgerError::Exists { .. })));
    assert!(matches!(again("x", f64::NAN), Err(LedgerError::Budget(_))));
}

#[test]
fn a_chain_in_memory_is_read_back_from_its_text() {
    let mut ledger = in_memory();
    ledger.set_time(7);
    let receipt = ledger.charge(&request(0.25)).unwrap();
    let again = MemoryLedger::parse(ledger.chain().text().to_owned()).unwrap();
    assert_eq!((receipt.rho(), receipt.hash()), (0.25, Some(again.chain().hash())));
    assert_eq!(again.chain().document(), ledger.chain().document());
    let json = serde_json::to_string(&again.chain().document()).unwrap();
    assert_eq!(serde_json::from_str::<LedgerDocument>(&json).unwrap(), ledger.chain().document());
    assert!(serde_json::from_str::<LedgerDocument>(&json.replace("state/1", "state/2")).is_err());
    assert!(Uncounted.charge(&request(9.0)).unwrap().hash().is_none());
}

#[test]
fn a_ledger_states_the_epsilon_of_all_releases_together() {
    use disclosure::privacy_core::accounting::{DominatingPair, PrivacyCost, gaussian};
    use disclosure::privacy_core::param::Delta;

    let delta = Delta::new(1e-6).unwrap();
    let mut ledger = in_memory();
    assert!(ledger.chain().epsilons(&[delta]).is_empty());
    assert_eq!(ledger.chain().budget_epsilons(&[delta]).len(), 1);
    let pair = || DominatingPair::gaussian(PrivacyCost::new(0.21).unwrap());
    for _ in 0..4 {
        let _ = ledger.charge(&ChargeRequest { dominated_by: Some(pair()), ..request(0.1) }).unwrap();
    }
    let [stated] = ledger.chain().epsilons(&[delta])[..] else { panic!("one delta") };
    let whole = gaussian::epsilon(PrivacyCost::new(0.84).unwrap(), delta).unwrap().get();
    assert!((stated.epsilon / whole - 1.0).abs() < 1e-9);
    assert!(stated.epsilon_by_zcdp.is_some_and(|other| other > stated.epsilon));
    // The lines are read back with their pairs, and an old line has none: rho alone counts then.
    let read = MemoryLedger::parse(ledger.chain().text().to_owned()).unwrap();
    assert_eq!(read.chain().charges(), ledger.chain().charges());
    let _ = ledger.charge(&request(0.1)).unwrap();
    let [by_rho] = ledger.chain().epsilons(&[delta])[..] else { panic!("one delta") };
    assert!(by_rho.epsilon_by_zcdp.is_none() && by_rho.epsilon > stated.epsilon);
}

#[test]
fn a_cost_below_0_gives_nothing_back_and_nothing_left_has_no_sign() {
    let mut ledger = MemoryLedger::new(0.5, TERMS, &mut ChaCha20Rng::from_seed([1; 32])).unwrap();
    for rho in [-0.1, -f64::MIN_POSITIVE, f64::NAN, f64::NEG_INFINITY] {
        assert!(matches!(ledger.charge(&request(rho)), Err(LedgerError::Exhausted { .. })), "{rho}");
    }
    // A part that is free, such as a pattern drawn without a cost.
    let _ = ledger.charge(&request(0.0)).unwrap();
    let _ = ledger.charge(&request(0.5)).unwrap();
    assert_eq!((ledger.chain().left().to_bits(), ledger.chain().charges().len()), (0, 2));
}

/// The hash of a charge is in `release.json`: who knows the program, the clock and the budget must
/// not find the job by trying.
#[test]
fn the_hash_of_a_charge_does_not_follow_from_what_was_charged() {
    let salts = [[1; 32], [2; 32]].map(ChaCha20Rng::from_seed);
    let [first, second] = salts.map(|mut rng| {
        let mut ledger = MemoryLedger::new(1.0, TERMS, &mut rng).unwrap();
        let receipt = ledger.charge(&request(0.5)).unwrap();
        receipt.hash().unwrap().to_owned()
    });
    assert_ne!(first, second);
    // What an attacker can compute without the salt, which a ledger of before had.
    let open = Entry::Open { schema: FileSchema::V1, budget_rho: 1.0, promise: TERMS, salt: None };
    let mut older = MemoryLedger::parse(line_of(&open, "").0).unwrap();
    let guessed = older.charge(&request(0.5)).unwrap();
    assert!([first, second].iter().all(|hash| guessed.hash() != Some(hash)));
}
