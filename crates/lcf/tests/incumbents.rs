//! Decisions of pg_diffix and SynDiffix, bit for bit, and their defects, which must not be ours.
#![allow(clippy::unwrap_used, reason = "a test may panic; this file is a program of its own too")]

use std::collections::BTreeSet;

use lcf::compat::{PgDiffix, SynDiffix, blake2b64, box_muller, fnv1a};
use lcf::{ClampedNormal, ColumnRule, DrawMode, EntityColumn, EntitySet, Identifier, LowCountFilter, ThresholdTable};
use privacy_core::param::StdDev;
use privacy_core::prf::{EntityHasher, Secret};
use serde_json::Value;

const SALT: &[u8] = b"secret";

fn golden(name: &str) -> Vec<Value> {
    testkit::fixtures::json("lcf/prf_vectors.json")[name].as_array().unwrap().clone()
}

fn hex(value: &Value) -> u64 {
    u64::from_str_radix(value.as_str().unwrap(), 16).unwrap()
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 4.0 * f64::EPSILON * b.abs()
}

fn users() -> EntityHasher {
    Secret::new(&[5; 32]).unwrap().entity_hasher("user")
}

#[test]
fn hashes_are_those_of_their_definitions() {
    // The FNV authors' vectors, and BLAKE2b with 8 bytes by CPython's hashlib.
    assert_eq!((fnv1a(b""), fnv1a(b"foobar")), (0xCBF2_9CE4_8422_2325, 0x8594_4171_F739_67E8));
    assert_eq!(blake2b64(b""), 0xB4B2_7974_57A0_A6E4);
    assert_eq!(blake2b64(b"suppress"), 0x9AA5_026A_B91D_6B51);
}

#[test]
fn pg_diffix_decides_as_it_does() {
    let cases = golden("compat_pg_diffix");
    assert_eq!(cases.len(), 4);
    for case in cases {
        let members = case["aids"].as_array().unwrap().iter().map(|aid| PgDiffix::hash_int8(aid.as_i64().unwrap()));
        let (hashes, filter) = (members.collect::<BTreeSet<u64>>(), PgDiffix::default());
        let (seed, salt) = (PgDiffix::seed(&hashes), case["salt"].as_str().unwrap().as_bytes());
        assert_eq!(seed, hex(&case["seed"]));
        assert!(close(PgDiffix::noise(salt, seed), case["noise"].as_f64().unwrap()), "{case}");
        assert!(close(filter.threshold(salt, seed), case["threshold_default_params"].as_f64().unwrap()), "{case}");
        assert_eq!(filter.is_low_count(salt, &hashes), case["low_count"].as_bool().unwrap(), "{case}");
    }
}

#[test]
fn syndiffix_decides_as_it_does() {
    let cases = golden("compat_syndiffix");
    assert_eq!(cases.len(), 3);
    for case in cases {
        let members = case["pids"].as_array().unwrap().iter().filter_map(|pid| SynDiffix::hash(pid.as_i64().unwrap()));
        let hashes: BTreeSet<u64> = members.collect();
        let seed = hashes.iter().fold(0, |seed, hash| seed ^ hash);
        assert_eq!(seed, hex(&case["seed"]));
        assert!(close(SynDiffix::noise(SALT, seed), case["noise"].as_f64().unwrap()), "{case}");
        assert_eq!(SynDiffix::default().is_low_count(SALT, &hashes), case["low_count"].as_bool().unwrap(), "{case}");
    }
}

/// Sets of 1 to 12 people, and settings in which no two of the parameters and 1 are alike.
fn sets(hash: impl Fn(i64) -> u64) -> Vec<BTreeSet<u64>> {
    (0..240).map(|set| (0..1 + set % 12).map(|member| hash(1 + 100 * set + member)).collect()).collect()
}

#[test]
fn thresholds_of_pg_diffix_follow_all_of_its_parameters() {
    let filter = PgDiffix { min_threshold: 4, gap: 1.5, sd: 3.0 };
    for hashes in sets(PgDiffix::hash_int8) {
        let seed = PgDiffix::seed(&hashes);
        let mean = 4.0 + 1.5 * 3.0 * 2_f64.sqrt();
        let threshold = f64::max(4.0, mean + 3.0 * PgDiffix::noise(SALT, seed));
        assert!((filter.threshold(SALT, seed) - threshold).abs() < 1e-12, "{}", hashes.len());
    }
    // A threshold that the noise takes below the least one is the least one, which is reported.
    let least = PgDiffix { min_threshold: 3, gap: 0.0, sd: 1.0 };
    let three: Vec<_> = sets(PgDiffix::hash_int8).into_iter().filter(|hashes| hashes.len() == 3).collect();
    let falls = |hashes: &&BTreeSet<u64>| PgDiffix::noise(SALT, PgDiffix::seed(hashes)) < 0.0;
    let (lower, higher): (Vec<_>, Vec<_>) = three.iter().partition(falls);
    assert!(lower.len() > 3 && higher.len() > 3);
    assert!(lower.iter().all(|hashes| !least.is_low_count(SALT, hashes)));
    assert!(higher.iter().all(|hashes| least.is_low_count(SALT, hashes)));
}

#[test]
fn decisions_of_syndiffix_follow_all_of_its_parameters() {
    let sets = sets(|member| SynDiffix::hash(member).unwrap());
    for (low_threshold, layer_gap, sd) in [(4, 0.7, 3.0), (2, 5.0, 0.8), (3, 0.0, 2.5)] {
        let filter = SynDiffix { low_threshold, layer_gap, sd };
        let mut reported = 0;
        for hashes in &sets {
            let seed = hashes.iter().fold(0, |seed, hash| seed ^ hash);
            let threshold = f64::from(low_threshold) + sd * (layer_gap + SynDiffix::noise(SALT, seed));
            let shown = hashes.len() >= low_threshold as usize && hashes.len() as f64 >= threshold;
            assert_eq!(filter.is_low_count(SALT, hashes), !shown, "{filter:?} {}", hashes.len());
            reported += u32::from(shown);
        }
        assert!((20..220).contains(&reported), "both decisions are made: {reported}");
    }
    // Without noise the threshold is the least number, which is reported.
    let certain = SynDiffix { low_threshold: 5, layer_gap: 2.0, sd: 0.0 };
    assert!(sets.iter().all(|hashes| certain.is_low_count(SALT, hashes) == (hashes.len() < 5)));
}

/// Quadruples among 0..n whose hashes cancel. Every one shows as a pair of pairs with one XOR, in
/// three ways.
fn zero_sums(n: i64, hash: impl Fn(i64) -> u64) -> usize {
    let hashes: Vec<u64> = (0..n).map(hash).collect();
    let mut pairs: Vec<u64> =
        (0..hashes.len()).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| hashes[i] ^ hashes[j]).collect();
    pairs.sort_unstable();
    pairs.chunk_by(|a, b| a == b).map(|equal| equal.len() * (equal.len() - 1) / 2).sum::<usize>() / 3
}

#[test]
fn people_whose_unkeyed_hashes_cancel_can_be_chosen_and_ours_cannot() {
    let four = [86, 370, 540, 824];
    let of = |members: &[i64]| members.iter().map(|&member| PgDiffix::hash_int8(member)).collect::<BTreeSet<u64>>();
    assert_eq!(PgDiffix::seed(&of(&four)), 0);
    let (without, with) = (of(&[1, 2, 3]), of(&[1, 2, 3, 86, 370, 540, 824]));
    assert_eq!(PgDiffix::noise(SALT, PgDiffix::seed(&without)), PgDiffix::noise(SALT, PgDiffix::seed(&with)));
    assert_eq!(zero_sums(3000, PgDiffix::hash_int8), 13, "random hashes would have none, with probability 0.9999998");
    assert_eq!(zero_sums(3000, |member| users().hash_i64(member)), 0);
}

#[test]
fn a_uniform_number_of_0_breaks_box_muller_and_every_draw_of_ours_decides() {
    assert!(box_muller(0.0, 0.3) == f64::INFINITY && box_muller(0.0, 0.8) == f64::NEG_INFINITY);
    assert!(box_muller(0.0, 0.0).is_nan());
    let thresholds = normal();
    assert!((3..15).all(|n| thresholds.is_reported(n, 0) && !thresholds.is_reported(n, u64::MAX)));
    assert!(!thresholds.is_reported(2, 0) && thresholds.is_reported(15, u64::MAX));
}

#[test]
fn one_integer_in_two_widths_is_two_people_there_and_one_here() {
    assert_ne!(PgDiffix::hash_int4(-1), PgDiffix::hash_int8(-1));
    assert_eq!(PgDiffix::hash_int4(7), PgDiffix::hash_int8(7));
    let hasher = users();
    assert_eq!(Identifier::from(-1_i32).hash(&hasher), Identifier::from(-1_i64).hash(&hasher));
}

#[test]
fn the_person_0_and_the_empty_name_are_people_here() {
    assert_eq!(SynDiffix::hash(0), None);
    let golden = testkit::fixtures::json("lcf/prf_vectors.json");
    assert_eq!(
        (golden["syndiffix_hash_pid_0"].as_u64(), golden["syndiffix_hash_pid_empty"].as_u64()),
        (Some(0), Some(0))
    );
    let (hasher, mut set) = (users(), EntitySet::new(15));
    set.insert(Identifier::from(0_i64).hash(&hasher));
    set.insert(Identifier::from("").hash(&hasher));
    assert_eq!(set.distinct(), lcf::EntityCount::Exactly(2));
}

fn normal() -> ThresholdTable {
    ThresholdTable::new(ClampedNormal::new(8.0, StdDev::new(1.5).unwrap(), 2.0).unwrap())
}

/// Groups of eight people, named by number and by address: how many of 4,000 are reported.
fn reported(rule: ColumnRule) -> u64 {
    let columns = ["user", "email"].map(|kind| EntityColumn { kind: kind.into(), thresholds: normal() });
    let filter = LowCountFilter::new(columns.to_vec(), rule, DrawMode::Query, &Secret::new(&[5; 32]).unwrap()).unwrap();
    let set = |column: usize, group: i64| {
        let mut set = EntitySet::new(filter.cap());
        (8 * group..8 * group + 8).for_each(|user| set.insert(filter.hasher(column).unwrap().hash_i64(user)));
        set
    };
    let decide = |group: &i64| filter.decide(&[set(0, *group), set(1, *group)], None).unwrap().is_reported();
    (0..4000).filter(decide).count() as u64
}

#[test]
fn columns_that_say_the_same_square_the_chance_under_all_and_not_under_the_working_one() {
    // 4,000 fair draws leave 1800..=2200 with probability 3e-10; so do 4,000 of probability 1/4
    // and 830..=1170.
    let (working, all) = (reported(ColumnRule::WorkingColumn), reported(ColumnRule::All));
    assert!((1800..=2200).contains(&working), "{working}");
    assert!((830..=1170).contains(&all), "{all}");
}
