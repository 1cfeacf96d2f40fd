//! Every protocol of the client against the law of its reports, at the number of reports that a
//! release of the project asks for, and the same reports against the law of an epsilon that is 2 %
//! more, which they must not follow:
//! `cargo run --release -p ldp-client --example report_laws -- 10000000 [PART OF A NAME]`.
//!
//! A report is a number, its bits from the least one on. Laws are written from the definition of
//! each protocol, in floating point, and share no code with the client. The tests and their
//! critical values are those of `testkit::law`; a right client fails with a probability of 1e-9.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a program that prints what it measured")]

use std::process::ExitCode;

use ldp_client::{BitNoise, Client, Feature, Parities, Protocol, Schema};
use privacy_core::Attribute;
use privacy_core::param::{Epsilon, Probability};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use siphasher::sip::SipHasher24;
use testkit::{LawJudge, masses};

/// What the wrong epsilon is, of the right one.
const WRONG: f64 = 1.02;

type Judge = LawJudge<ChaCha20Rng>;

fn schema(protocols: &[(usize, Protocol)]) -> Schema {
    let feature = |(place, &(values, protocol)): (usize, &(usize, Protocol))| {
        Feature::new(Attribute::codes(place.to_string(), values).unwrap(), protocol).unwrap()
    };
    Schema::new(protocols.iter().enumerate().map(feature).collect()).unwrap()
}

fn attributes(values: &[usize]) -> Vec<Attribute> {
    values.iter().enumerate().map(|(place, &values)| Attribute::codes(place.to_string(), values).unwrap()).collect()
}

fn epsilon(epsilon: f64) -> Epsilon {
    Epsilon::new(epsilon).unwrap()
}

/// A report as a number.
fn number(report: &[u8]) -> i64 {
    report.iter().rev().fold(0, |number, &byte| number << 8 | i64::from(byte))
}

/// Compares what is read off the reports about a row, of both shapes, with the law at an epsilon.
fn compare(
    judge: &mut Judge,
    name: &str,
    (schema, row): (&Schema, &[u32]),
    read: fn(&[u8]) -> i64,
    law: impl Fn(f64) -> Vec<f64>,
) {
    let clients = [("", Client::new(schema.clone())), (", constant", Client::new(schema.clone()).in_constant_shape())];
    for (shape, client) in clients {
        let mut report = Vec::new();
        let draw = |rng: &mut ChaCha20Rng| {
            report.clear();
            client.randomise_into(row, &mut report, rng).unwrap();
            read(&report)
        };
        judge.compare(&format!("{name}{shape}"), draw, masses::listed(law(1.0)), masses::listed(law(WRONG)));
    }
}

/// The masses of all strings of bits that are 1 with these chances, the first bit the least one.
fn bits(chances: &[f64]) -> Vec<f64> {
    let mass = |string: usize| {
        let chance = |(i, &one): (usize, &f64)| if string >> i & 1 == 1 { one } else { 1.0 - one };
        chances.iter().enumerate().map(chance).product()
    };
    (0..1 << chances.len()).map(mass).collect()
}

/// The masses of symbols, one of which is `e^epsilon` times as likely as each other.
fn symbols(epsilon: f64, values: usize, own: usize) -> Vec<f64> {
    let total = epsilon.exp() + values as f64 - 1.0;
    (0..values).map(|value| if value == own { epsilon.exp() / total } else { 1.0 / total }).collect()
}

/// The masses of sets of `size` values, those with the own one `e^epsilon` times as likely.
fn sets(epsilon: f64, values: usize, size: u32, own: usize) -> Vec<f64> {
    let weight = |set: usize| match (set.count_ones() == size, set >> own & 1) {
        (false, _) => 0.0,
        (true, 1) => epsilon.exp(),
        (true, _) => 1.0,
    };
    let total: f64 = (0..1 << values).map(weight).sum();
    (0..1 << values).map(|set| weight(set) / total).collect()
}

/// The chance of the larger of two answers.
fn larger(epsilon: f64) -> f64 {
    epsilon.exp() / (1.0 + epsilon.exp())
}

fn bit_protocols(judge: &mut Judge) {
    let noise = BitNoise::symmetric(epsilon(1.0)).unwrap();
    for value in [0, 1] {
        let law = |more: f64| bits(&[if value == 1 { larger(more) } else { 1.0 - larger(more) }]);
        let response = schema(&[(2, Protocol::RandomisedResponse(noise))]);
        compare(judge, &format!("rr, epsilon 1, value {value}"), (&response, &[value]), number, law);
    }
    let optimised = Protocol::UnaryEncoding(BitNoise::optimised_unary(epsilon(1.5)).unwrap());
    let law = |more: f64| bits(&[0, 1, 2].map(|v| if v == 1 { 0.5 } else { 1.0 - larger(1.5 * more) }));
    compare(judge, "ue-optimised, epsilon 1.5", (&schema(&[(3, optimised)]), &[1]), number, law);
    let noise = |p, q| BitNoise::new(Probability::new(p).unwrap(), Probability::new(q).unwrap()).unwrap();
    let rappor = Protocol::Rappor { permanent: noise(0.25, 0.75), instantaneous: noise(0.375, 0.75) };
    // Without an epsilon of its own, the wrong law has a larger share of ones.
    let one = |permanent: f64| permanent * 0.75 + (1.0 - permanent) * 0.375;
    let law = |more: f64| bits(&[0, 1, 2].map(|v| more * one(if v == 2 { 0.75 } else { 0.25 })));
    compare(judge, "rappor", (&schema(&[(3, rappor)]), &[2]), number, law);
}

fn symbol_protocols(judge: &mut Judge) {
    for (values, own, e) in [(3, 1, 0.5), (5, 4, 1.5), (200, 0, 2.0), (1_000, 700, 3.0)] {
        let response = schema(&[(values, Protocol::generalised_response(epsilon(e), values as u32).unwrap())]);
        let law = |more: f64| symbols(more * e, values, own);
        compare(judge, &format!("grr, {values} values, epsilon {e}"), (&response, &[own as u32]), number, law);
    }
    for (values, size, own, e) in [(6, 2, 4, 0.7), (7, 3, 0, 1.0), (9, 1, 8, 2.0)] {
        let selection = Protocol::subset_selection(epsilon(e), values as u32, Some(size)).unwrap();
        let law = |more: f64| sets(more * e, values, size, own);
        let name = format!("ss, {size} of {values} values, epsilon {e}");
        compare(judge, &name, (&schema(&[(values, selection)]), &[own as u32]), number, law);
    }
}

/// Buckets of local hashing, and the value that hashes to them.
const BUCKETS: u32 = 4;
const HASHED: u32 = 3;

/// How far the bucket that is shown is from that of the value under the seed of the report.
fn bucket_ahead(report: &[u8]) -> i64 {
    let seed = u64::from_le_bytes(report[..8].try_into().unwrap());
    let hash = SipHasher24::new_with_keys(seed, 0).hash(&HASHED.to_le_bytes());
    let own = ((u128::from(hash) * u128::from(BUCKETS)) >> 64) as i64;
    (i64::from(report[8]) - own).rem_euclid(i64::from(BUCKETS))
}

/// The first and the last four bits of a seed.
fn ends_of_seed(report: &[u8]) -> i64 {
    i64::from(report[0] & 15) | i64::from(report[7] >> 4) << 4
}

fn local_hashing(judge: &mut Judge) {
    let hashing = schema(&[(6, Protocol::local_hashing(epsilon(1.0), Some(BUCKETS)).unwrap())]);
    let law = |more: f64| symbols(more, BUCKETS as usize, 0);
    compare(judge, "lh, 4 buckets, epsilon 1", (&hashing, &[HASHED]), bucket_ahead, law);
    // A seed has no epsilon: the wrong law has one value more.
    let law = |more: f64| vec![1.0 / if more > 1.0 { 257.0 } else { 256.0 }; if more > 1.0 { 257 } else { 256 }];
    compare(judge, "lh, ends of the seed", (&hashing, &[HASHED]), ends_of_seed, law);
}

/// All features together: a coin keeps the row, or any combination is drawn.
fn joint_symbols(judge: &mut Judge) {
    let joint = Schema::of_joint_symbol(attributes(&[2, 3]), 2, epsilon(1.0)).unwrap();
    let law = |more: f64| {
        let cells = symbols(more, 6, 0);
        // The own combination is (1, 2); the first feature has one bit, the second has two.
        let mass = |report: usize| match (report & 1, report >> 1) {
            (1, 2) => cells[0],
            (_, 3) => 0.0,
            _ => cells[1],
        };
        (0..8).map(mass).collect()
    };
    compare(judge, "joint symbol of 2 by 3 values, epsilon 1", (&joint, &[1, 2]), number, law);
}

/// One of three features or three pairs, and a bit about it.
fn parities(judge: &mut Judge) {
    let schema = Schema::of_parities(attributes(&[2, 2, 2]), epsilon(1.0), None).unwrap();
    let law = |more: f64| {
        let alone = Parities::best_share_alone(3);
        // Of the row (1, 0, 1): the features, then the pairs (0, 1), (0, 2), (1, 2).
        let truths = [true, false, true, true, false, true];
        let mass = |report: usize| {
            let (question, answer) = (report & 7, report >> 3 == 1);
            let asked = if question < 3 { alone / 3.0 } else { (1.0 - alone) / 3.0 };
            let is_true = truths.get(question).map(|&truth| truth == answer);
            is_true.map_or(0.0, |is_true| asked * if is_true { larger(more) } else { 1.0 - larger(more) })
        };
        (0..16).map(mass).collect()
    };
    compare(judge, "parities of 3 features, epsilon 1", (&schema, &[1, 0, 1]), number, law);
}

/// Two of four bits; which, is said after them.
fn sampled_features(judge: &mut Judge) {
    let bit = (2, Protocol::RandomisedResponse(BitNoise::symmetric(epsilon(1.0)).unwrap()));
    let schema = schema(&[bit; 4]).with_features_per_person(2).unwrap();
    let row = [1, 0, 1, 1];
    let law = |more: f64| {
        let mass = |report: usize| {
            let (shown, covered) = (report & 15, report >> 4);
            if covered.count_ones() != 2 || shown & !covered != 0 {
                return 0.0;
            }
            let own = |i: usize| (shown >> i & 1 == 1) == (row[i] == 1);
            let chance = |i: usize| if own(i) { larger(more) } else { 1.0 - larger(more) };
            (0..4).filter(|i| covered >> i & 1 == 1).map(chance).product::<f64>() / 6.0
        };
        (0..256).map(mass).collect()
    };
    compare(judge, "2 of 4 features, epsilon 1 each", (&schema, &row), number, law);
}

fn main() -> ExitCode {
    let rng = ChaCha20Rng::from_seed([23; 32]);
    let Some(mut judge) = Judge::of_command_line(rng, std::env::args().skip(1)) else {
        println!("report_laws [DRAWS] [PART OF A NAME]");
        return ExitCode::from(2);
    };
    bit_protocols(&mut judge);
    symbol_protocols(&mut judge);
    local_hashing(&mut judge);
    joint_symbols(&mut judge);
    parities(&mut judge);
    sampled_features(&mut judge);
    judge.end()
}
