//! Prints the test vectors of `fixtures/ldp/vectors/clients.json`: schemas, rows, random bytes,
//! and what comes of them.
//!
//! ```sh
//! cargo run -q -p ldp-client --example vectors > fixtures/ldp/vectors/clients.json
//! cargo run -q -p xtask -- fixtures --write
//! ```
#![allow(clippy::print_stdout, reason = "a program that prints")]

use ldp_client::{BitNoise, Client, Feature, Protocol, Schema};
use privacy_core::Attribute;
use privacy_core::param::{Epsilon, Probability};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use serde_json::{Value, json};

type AnyError = Box<dyn std::error::Error>;

fn main() -> Result<(), AnyError> {
    let clients = [
        vector("one bit", Schema::new(vec![yes_no("smokes", 1.0)?])?, &[vec![0], vec![1]])?,
        vector("every protocol", every_protocol()?, &[vec![0, 0, 0, 0, 0], vec![1, 2, 3, 4, 2], vec![1, 0, 3, 1, 1]])?,
        vector(
            "two of four features",
            Schema::new(["a", "b", "c", "d"].map(|name| yes_no(name, 2.0)).into_iter().collect::<Result<_, _>>()?)?
                .with_features_per_person(2)?,
            &[vec![0, 1, 0, 1], vec![1, 1, 1, 1]],
        )?,
        vector("labels of other alphabets", other_alphabets()?, &[vec![2], vec![0]])?,
        vector("joint symbol", joint_symbol(3)?, &[vec![1, 2, 0], vec![0, 0, 4]])?,
        vector("sets of three of seven values", subset_selection()?, &[vec![6, 0], vec![2, 1]])?,
        vector("one feature or the parity of two", parities()?, &[vec![1, 0, 1, 1, 0], vec![0, 0, 0, 0, 0]])?,
        vector("two of three features as a joint symbol", joint_symbol(2)?, &[vec![1, 2, 0], vec![0, 0, 4]])?,
    ];
    println!("{}", serde_json::to_string_pretty(&json!({ "clients": clients }))?);
    Ok(())
}

fn yes_no(name: &str, epsilon: f64) -> Result<Feature, AnyError> {
    let noise = BitNoise::symmetric(Epsilon::new(epsilon)?)?;
    Ok(Feature::new(Attribute::new(name, ["no", "yes"])?, Protocol::RandomisedResponse(noise))?)
}

fn every_protocol() -> Result<Schema, AnyError> {
    let noise = |p, q| -> Result<BitNoise, AnyError> { Ok(BitNoise::new(Probability::new(p)?, Probability::new(q)?)?) };
    let rappor = Protocol::Rappor { permanent: noise(0.25, 0.75)?, instantaneous: noise(0.5, 0.75)? };
    let protocols = [
        ("rr", 2, Protocol::RandomisedResponse(BitNoise::symmetric(Epsilon::new(1.0)?)?)),
        ("ue", 3, Protocol::UnaryEncoding(BitNoise::optimised_unary(Epsilon::new(2.0)?)?)),
        ("grr", 5, Protocol::generalised_response(Epsilon::new(1.5)?, 5)?),
        ("lh", 70, Protocol::local_hashing(Epsilon::new(1.0)?, None)?),
        ("rappor", 3, rappor),
    ];
    let feature = |(name, values, protocol)| -> Result<Feature, AnyError> {
        Ok(Feature::new(Attribute::codes(name, values)?, protocol)?)
    };
    Ok(Schema::new(protocols.into_iter().map(feature).collect::<Result<_, _>>()?)?)
}

/// Features of 2, 3 and 5 values that are answered together.
fn joint_symbol(asked: usize) -> Result<Schema, AnyError> {
    let attributes = [("a", 2), ("b", 3), ("c", 5)].into_iter();
    let attributes = attributes.map(|(name, values)| Attribute::codes(name, values)).collect::<Result<_, _>>()?;
    Ok(Schema::of_joint_symbol(attributes, asked, Epsilon::new(2.0)?)?)
}

/// Sets of values, beside a bit.
fn subset_selection() -> Result<Schema, AnyError> {
    let epsilon = Epsilon::new(0.5)?;
    let sets = Feature::new(Attribute::codes("city", 7)?, Protocol::subset_selection(epsilon, 7, None)?)?;
    Ok(Schema::new(vec![sets, yes_no("smokes", 1.0)?])?)
}

/// Five features, a report about one or two of them.
fn parities() -> Result<Schema, AnyError> {
    let attributes = ["a", "b", "c", "d", "e"].map(|name| Attribute::codes(name, 2));
    Ok(Schema::of_parities(attributes.into_iter().collect::<Result<_, _>>()?, Epsilon::new(1.5)?, None)?)
}

/// Names that a wrong escape or a wrong length would spoil; and an epsilon that is infinite.
fn other_alphabets() -> Result<Schema, AnyError> {
    let certain = Protocol::generalised_response_with_truth(Probability::new(1.0)?);
    let attribute =
        Attribute::new("St\u{e4}dte \"\u{6771}\u{4eac}\"\\", ["M\u{fc}nchen", "\u{6771}\u{4eac}", "tab\there"])?;
    Ok(Schema::new(vec![Feature::new(attribute, certain)?])?)
}

fn vector(name: &str, schema: Schema, rows: &[Vec<u32>]) -> Result<Value, AnyError> {
    let epsilon = schema.epsilon_per_report();
    let client = Client::new(schema);
    let mut number = 0;
    let mut reports = Vec::new();
    let mut memoized = Vec::new();
    for row in rows {
        for _ in 0..3 {
            let seed = seed(&mut number);
            let report = client.randomise(row, &mut ChaCha20Rng::from_seed(seed))?;
            reports.push(json!({ "seed": hex(&seed), "row": row, "report": hex(&report) }));
        }
        let drawn_with = seed(&mut number);
        let stored = client.memoize(row, &mut ChaCha20Rng::from_seed(drawn_with))?;
        let mut later = Vec::new();
        for _ in 0..2 {
            let seed = seed(&mut number);
            let report = client.report(&stored, &mut ChaCha20Rng::from_seed(seed))?;
            later.push(json!({ "seed": hex(&seed), "report": hex(&report) }));
        }
        let bytes = hex(&stored.to_bytes());
        memoized.push(json!({ "seed": hex(&drawn_with), "row": row, "memoized": bytes, "reports": later }));
    }
    Ok(json!({
        "name": name,
        "schema": hex(&client.schema().to_bytes()),
        "digest": hex(&client.digest()),
        "epsilon_per_report": if epsilon.is_finite() { json!(epsilon) } else { Value::Null },
        "report_bytes": client.report_bytes(),
        "reports": reports,
        "memoized": memoized,
    }))
}

/// A seed for each report: vectors are public, and so are their seeds.
fn seed(number: &mut u8) -> [u8; 32] {
    *number += 1;
    std::array::from_fn(|i| number.wrapping_mul(37).wrapping_add(i as u8))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
