//! Calls in the order of a host, without its memory: what they answer is what the client does.

use privacy_core::Attribute;
use privacy_core::param::{Epsilon, Probability};

use super::*;
use crate::feature::{Feature, Protocol};
use crate::noise::BitNoise;

fn schema() -> Schema {
    let noise = |p: f64, q: f64| BitNoise::new(Probability::new(p).unwrap(), Probability::new(q).unwrap()).unwrap();
    let symbols = Protocol::generalised_response(Epsilon::new(1.0).unwrap(), 5).unwrap();
    let rappor = Protocol::Rappor { permanent: noise(0.25, 0.75), instantaneous: noise(0.1, 0.9) };
    let features = [("party", 5, symbols), ("site", 9, rappor)];
    let features = features
        .map(|(name, values, protocol)| Feature::new(Attribute::codes(name, values).unwrap(), protocol).unwrap());
    Schema::new(features.to_vec()).unwrap()
}

/// Leaves bytes where the host would write them.
fn give(parts: &[&[u8]]) {
    let bytes = parts.concat();
    ldp_input(bytes.len() as u32);
    SESSION.with_borrow_mut(|session| session.input.copy_from_slice(&bytes));
}

/// What the host finds after an answer.
fn output() -> Vec<u8> {
    let output = SESSION.with_borrow(|session| session.output.clone());
    assert_eq!(ldp_output_length() as usize, output.len());
    output
}

fn result(answer: i32) -> Vec<u8> {
    let bytes = output();
    assert_eq!(usize::try_from(answer), Ok(bytes.len()), "the answer is the length");
    assert!(SESSION.with_borrow(|session| session.input.iter().all(|&byte| byte == 0)), "the input is forgotten");
    bytes
}

fn message(answer: i32) -> String {
    assert_eq!(answer, FAILED);
    String::from_utf8(output()).unwrap()
}

fn open(schema: &Schema) -> i32 {
    give(&[&schema.to_bytes()]);
    ldp_open()
}

fn rng(seed: u8) -> ChaCha20Rng {
    ChaCha20Rng::from_seed([seed; SEED_BYTES])
}

#[test]
fn calls_answer_what_the_client_does() {
    let schema = schema();
    let (client, row) = (Client::new(schema.clone()), [3_u32, 7]);
    let bytes = row.map(u32::to_le_bytes).concat();
    assert_eq!((open(&schema), open(&schema)), (0, 1));
    for (handle, seed) in [(0, 1_u8), (1, 2)] {
        give(&[&[seed; SEED_BYTES], &bytes]);
        assert_eq!(result(ldp_randomise(handle)), client.randomise(&row, &mut rng(seed)).unwrap());

        give(&[&[seed; SEED_BYTES], &bytes]);
        let stored = result(ldp_memoize(handle));
        let memoized = client.memoize(&row, &mut rng(seed)).unwrap();
        assert_eq!(stored, memoized.to_bytes());

        give(&[&[9; SEED_BYTES], &stored]);
        assert_eq!(result(ldp_report(handle)), client.report(&memoized, &mut rng(9)).unwrap());
    }
    let described = String::from_utf8(result(ldp_describe(1))).unwrap();
    let start =
        format!("{{\"reportBytes\":{},\"epsilonPerReport\":{}", client.report_bytes(), schema.epsilon_per_report());
    assert!(described.starts_with(&start), "{described}");
}

#[test]
fn what_cannot_be_done_is_said_and_answers_minus_1() {
    give(&[b"no schema"]);
    assert!(!message(ldp_open()).is_empty());
    let handle = open(&schema());
    give(&[&[1; SEED_BYTES - 1]]);
    assert_eq!(message(ldp_randomise(handle)), "32 random bytes come first");
    give(&[&[1; SEED_BYTES], &[0; 7]]);
    assert_eq!(message(ldp_randomise(handle)), "a row has 4 bytes for each feature");
    give(&[&[1; SEED_BYTES], &[0; 4]]);
    assert!(!message(ldp_memoize(handle)).is_empty());
    give(&[&[1; SEED_BYTES], b"no response"]);
    assert!(!message(ldp_report(handle)).is_empty());
    ldp_close(handle);
    assert_eq!(message(ldp_describe(handle)), "the client was closed");
    assert_eq!(message(ldp_describe(FAILED)), "the client was closed");
}
