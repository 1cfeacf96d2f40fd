//! Decisions through the real path: hashes, seeds, draws, cut-offs.

use std::collections::BTreeSet;

use lcf::{
    ClampedNormal, ColumnRule, DrawMode, EntityColumn, EntitySet, Error, GroupName, HardThreshold, Identifier,
    LowCountFilter, Reason, ThinUniform, ThresholdTable,
};
use privacy_core::param::StdDev;
use privacy_core::prf::Secret;
use proptest::prelude::*;
use serde_json::Value;

fn golden() -> Value {
    testkit::fixtures::json("lcf/prf_vectors.json")
}

fn golden_secret() -> Secret {
    Secret::new(&std::array::from_fn::<u8, 32, _>(|i| i as u8)).unwrap()
}

fn normal(mean: f64, sd: f64, bound: f64) -> ThresholdTable {
    ThresholdTable::new(ClampedNormal::new(mean, StdDev::new(sd).unwrap(), bound).unwrap())
}

fn column(kind: &str, thresholds: ThresholdTable) -> EntityColumn {
    EntityColumn { kind: kind.into(), thresholds }
}

fn set(filter: &LowCountFilter, column: usize, members: impl IntoIterator<Item = i64>) -> EntitySet {
    let mut set = EntitySet::new(filter.cap());
    members.into_iter().for_each(|member| set.insert(Identifier::from(member).hash(filter.hasher(column).unwrap())));
    set
}

#[test]
fn golden_sets_are_decided_as_the_golden_thresholds_say() {
    let golden = golden();
    let cases = golden["decisions"].as_array().unwrap();
    assert_eq!(cases.len(), 19);
    let mut seen = BTreeSet::new();
    for case in cases {
        for said in case["by_config"].as_array().unwrap() {
            let number = |name: &str| said[name].as_f64().unwrap();
            let thresholds = normal(number("mean"), number("sd"), number("asub"));
            let columns = vec![column("user", thresholds)];
            let filter =
                LowCountFilter::new(columns, ColumnRule::WorkingColumn, DrawMode::Query, &golden_secret()).unwrap();
            let members = case["aids"].as_array().unwrap().iter().map(|aid| aid.as_i64().unwrap());
            let decision = filter.decide(&[set(&filter, 0, members)], None).unwrap();
            assert_eq!(!decision.is_reported(), said["suppressed"].as_bool().unwrap(), "{case}");
            // The rule on real numbers: suppressed iff n <= threshold, which is clamped already.
            let threshold: f64 = said["threshold"].as_str().unwrap().parse().unwrap();
            let (n, upper) = (case["n"].as_f64().unwrap(), 2.0 * number("mean") - number("asub"));
            assert_eq!(decision.is_reported(), n > threshold.clamp(number("asub"), upper), "{case}");
            seen.insert(decision.reason);
        }
    }
    let reasons = [Reason::BelowFloor, Reason::SuppressedByDraw, Reason::ReportedByDraw, Reason::Certain];
    assert!(seen.into_iter().eq(reasons), "the golden sets reach every reason but that of the empty set");
}

#[test]
fn a_group_without_identifiers_is_suppressed_under_every_law() {
    for thresholds in [normal(4.0, 0.8, 1.0), ThresholdTable::new(ThinUniform::at_least(2).unwrap())] {
        let filter =
            LowCountFilter::new(vec![column("user", thresholds)], ColumnRule::All, DrawMode::Query, &golden_secret());
        let filter = filter.unwrap();
        let decision = filter.decide(&[EntitySet::new(filter.cap())], None).unwrap();
        assert_eq!((decision.reason, decision.is_reported()), (Reason::NoEntity, false));
    }
}

#[test]
fn draws_are_the_same_from_every_column_of_one_kind_and_other_for_other_kinds() {
    let kinds = ["user", "user", "branch"].map(|kind| column(kind, normal(8.0, 1.5, 2.0)));
    let filter = LowCountFilter::new(kinds.to_vec(), ColumnRule::All, DrawMode::Query, &golden_secret()).unwrap();
    let seeds: Vec<_> = (0..3).map(|column| set(&filter, column, 0..8).seed()).collect();
    assert_eq!(seeds[0], seeds[1]);
    assert_ne!(seeds[0], seeds[2]);
}

/// A set of eight users under a fair draw, decided in another place, for many such sets.
fn decisions(mode: DrawMode, name: impl Fn(i64) -> GroupName) -> Vec<bool> {
    let columns = vec![column("user", normal(8.0, 1.5, 2.0))];
    let filter = LowCountFilter::new(columns, ColumnRule::WorkingColumn, mode, &golden_secret()).unwrap();
    let decide = |i: i64| filter.decide(&[set(&filter, 0, 8 * i..8 * i + 8)], Some(&name(i))).unwrap().is_reported();
    (0..400).map(decide).collect()
}

#[test]
fn query_mode_is_blind_to_names_and_publish_mode_draws_by_them() {
    let city = |label: &str| GroupName::new([("city", Some(label))]);
    let (a, b) = (|_| city("a"), |_| city("b"));
    assert_eq!(decisions(DrawMode::Query, a), decisions(DrawMode::Query, b));
    let (published_a, published_b) = (decisions(DrawMode::Publish, a), decisions(DrawMode::Publish, b));
    assert_eq!(published_a, decisions(DrawMode::Publish, a));
    let changed = published_a.iter().zip(&published_b).filter(|(a, b)| a != b).count() as u64;
    // Independent fair draws differ in half of 400: outside 130..=270 with probability 2e-12.
    assert!((130..=270).contains(&changed), "{changed}");
}

#[test]
fn publish_mode_draws_the_golden_number() {
    // Users 1, 2, 3 in the group whose name is these bytes: draw from ChaCha20 and SipHash-2-4 in
    // plain Python.
    let secret = golden_secret();
    let name = GroupName::new([("city", Some("a"))]);
    let bytes = b"\x04\0\0\0\0\0\0\0city\x01\x01\0\0\0\0\0\0\0a";
    assert_eq!(name.as_bytes(), bytes);
    let seed = 0x8877_e63a_e812_c33f_u64 ^ secret.group_hasher().hash(bytes);
    assert_eq!(secret.sticky_draw().draw(seed), 7594666367671635449);
}

#[test]
fn publish_mode_draws_by_the_seed_of_the_set_and_the_name() {
    let (thresholds, secret) = (normal(8.0, 1.5, 2.0), golden_secret());
    let columns = vec![column("user", thresholds.clone())];
    let filter = LowCountFilter::new(columns, ColumnRule::WorkingColumn, DrawMode::Publish, &secret).unwrap();
    for group in 0..200 {
        let (set, label) = (set(&filter, 0, 8 * group..8 * group + 8), group.to_string());
        let name = GroupName::new([("city", Some(label.as_str()))]);
        let seed = set.seed().unwrap() ^ secret.group_hasher().hash(name.as_bytes());
        let is_reported = secret.sticky_draw().draw(seed) < thresholds.cutoffs()[8];
        assert_eq!(filter.decide(&[set], Some(&name)).unwrap().is_reported(), is_reported, "{group}");
    }
}

#[test]
fn states_that_do_not_fit_are_refused() {
    let columns = || vec![column("user", normal(8.0, 1.5, 2.0))];
    let filter =
        LowCountFilter::new(columns(), ColumnRule::WorkingColumn, DrawMode::Publish, &golden_secret()).unwrap();
    let empty = EntitySet::new(filter.cap());
    assert_eq!(filter.decide(&[], None).unwrap_err(), Error::SetCount { expected: 1, got: 0 });
    assert_eq!(filter.decide(&[EntitySet::new(8)], None).unwrap_err(), Error::OtherCap { expected: 15, got: 8 });
    assert_eq!(filter.decide(&[empty], None).unwrap_err(), Error::NoName);
    let none = LowCountFilter::new(Vec::new(), ColumnRule::All, DrawMode::Query, &golden_secret());
    assert_eq!(none.unwrap_err(), Error::NoEntity);
    let most = LowCountFilter::new(vec![columns().remove(0); 64], ColumnRule::All, DrawMode::Query, &golden_secret());
    assert_eq!(most.unwrap().columns(), 64);
    let many = LowCountFilter::new(vec![columns().remove(0); 65], ColumnRule::All, DrawMode::Query, &golden_secret());
    assert_eq!(many.unwrap_err(), Error::TooManyColumns { limit: 64 });
}

#[test]
fn debug_shows_laws_and_no_secret() {
    let columns = vec![column("user", normal(8.0, 1.5, 2.0))];
    let secret = Secret::new(&[0xA7; 32]).unwrap();
    let filter = LowCountFilter::new(columns, ColumnRule::WorkingColumn, DrawMode::Query, &secret).unwrap();
    let shown = format!("{filter:?}").to_lowercase();
    assert!(shown.contains("user") && shown.contains("workingcolumn"));
    assert!(!shown.contains("a7") && !shown.contains("167") && !shown.contains(&format!("{:x}", filter.fingerprint())));
}

/// The rule of the document on whole sets, without a cap: counts, seeds and draws from the start.
fn model(filter: &LowCountFilter, members: &[BTreeSet<i64>], secret: &Secret) -> bool {
    let seed = |column: usize| {
        let hasher = secret.entity_hasher(&filter.column(column).unwrap().kind);
        members[column].iter().fold(0, |seed, &member| seed ^ hasher.hash_i64(member))
    };
    let reports = |column: usize| {
        let draw = secret.sticky_draw().draw(seed(column));
        let thresholds = &filter.column(column).unwrap().thresholds;
        members[column].len() as u64 >= thresholds.cap()
            || draw < *thresholds.cutoffs().get(members[column].len()).unwrap_or(&u64::MAX)
    };
    match filter.rule() {
        ColumnRule::All => (0..members.len()).all(reports),
        ColumnRule::WorkingColumn => {
            reports((0..members.len()).min_by_key(|&column| (members[column].len(), seed(column))).unwrap())
        }
    }
}

fn two_laws(rule: ColumnRule) -> LowCountFilter {
    let columns = vec![
        column("user", normal(4.0, 0.8, 1.0)),
        column("branch", normal(3.0, 1.0, 1.5)),
        column("user", ThresholdTable::new(HardThreshold::at_least(3).unwrap())),
    ];
    LowCountFilter::new(columns, rule, DrawMode::Query, &golden_secret()).unwrap()
}

fn some_members() -> impl Strategy<Value = BTreeSet<i64>> {
    proptest::collection::btree_set(-15_i64..15, 0..14)
}

proptest! {
    #[test]
    fn the_cap_changes_no_decision(sets in proptest::collection::vec(some_members(), 3)) {
        for rule in [ColumnRule::WorkingColumn, ColumnRule::All] {
            let filter = two_laws(rule);
            let states: Vec<EntitySet> =
                (0..3).map(|column| set(&filter, column, sets[column].iter().copied())).collect();
            let decision = filter.decide(&states, None).unwrap();
            prop_assert_eq!(decision.is_reported(), model(&filter, &sets, &golden_secret()));
        }
    }

    #[test]
    fn nobody_alone_is_ever_reported(member: i64, byte: u8, mean in 1.01..30.0_f64, sd in 0.01..20.0_f64) {
        let columns = vec![column("user", normal(mean, sd, 1.0))];
        let secret = Secret::new(&[byte; 32]).unwrap();
        let filter = LowCountFilter::new(columns, ColumnRule::WorkingColumn, DrawMode::Query, &secret).unwrap();
        let decision = filter.decide(&[set(&filter, 0, [member])], None).unwrap();
        prop_assert_eq!(decision.reason, Reason::BelowFloor);
        prop_assert!(filter.floor() >= 2);
    }
}

#[test]
fn a_set_that_knows_more_than_the_filter_needs_is_decided_alike() {
    let columns = vec![column("user", normal(8.0, 1.5, 2.0))];
    let filter = LowCountFilter::new(columns, ColumnRule::WorkingColumn, DrawMode::Query, &golden_secret()).unwrap();
    for entities in 0..40_u64 {
        let hashes = (0..entities).map(|user| filter.hasher(0).unwrap().hash_u64(user));
        let mut capped = EntitySet::new(filter.cap());
        capped.extend(hashes.clone());
        let collected: EntitySet = hashes.collect();
        assert_eq!(filter.decide(&[capped], None), filter.decide(&[collected], None), "{entities}");
    }
}
