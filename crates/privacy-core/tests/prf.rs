//! The keyed function reproduces vectors that were computed independently, and keeps its secret.

use std::collections::BTreeSet;

use privacy_core::prf::{EntityHasher, Secret, SecretError};
use proptest::prelude::*;
use serde_json::Value;

fn golden() -> Value {
    testkit::fixtures::json("lcf/prf_vectors.json")
}

fn golden_secret() -> Secret {
    let digits = golden()["salt_hex"].as_str().unwrap().to_owned();
    let bytes = (0..digits.len()).step_by(2).map(|i| u8::from_str_radix(&digits[i..i + 2], 16).unwrap());
    Secret::new(&bytes.collect::<Vec<_>>()).unwrap()
}

fn hex(value: &Value) -> u64 {
    u64::from_str_radix(value.as_str().unwrap(), 16).unwrap()
}

fn hash(hasher: &EntityHasher, form: &str, identifier: &str) -> u64 {
    match (form, identifier.parse::<i64>()) {
        ("int", Ok(signed)) => hasher.hash_i64(signed),
        ("int", Err(_)) => hasher.hash_u64(identifier.parse().unwrap()),
        ("str", _) => hasher.hash_str(identifier),
        _ => panic!("unknown form {form}"),
    }
}

#[test]
fn identifiers_hash_to_the_golden_values() {
    let (golden, secret) = (golden(), golden_secret());
    let cases = golden["aid_hash"].as_array().unwrap();
    assert_eq!(cases.len(), 15);
    for case in cases {
        let hasher = secret.entity_hasher(case["ns"].as_str().unwrap());
        let got = hash(&hasher, case["type"].as_str().unwrap(), case["value"].as_str().unwrap());
        assert_eq!(got, hex(&case["hash"]), "{case}");
    }
    assert_eq!(secret.entity_hasher("branch").hash_i64(1), hex(&golden["aid_hash_branch_1"]));
}

#[test]
fn sets_of_identifiers_draw_the_golden_numbers_and_decisions() {
    let (golden, secret) = (golden(), golden_secret());
    let (hasher, sticky) = (secret.entity_hasher("user"), secret.sticky_draw());
    let cases = golden["decisions"].as_array().unwrap();
    assert_eq!(cases.len(), 19);
    for case in cases {
        let members: BTreeSet<i64> = case["aids"].as_array().unwrap().iter().map(|a| a.as_i64().unwrap()).collect();
        let seed = members.iter().fold(0, |seed, &member| seed ^ hasher.hash_i64(member));
        let draw = sticky.draw(seed);
        assert_eq!(members.len() as u64, case["n"].as_u64().unwrap());
        assert_eq!(seed, hex(&case["seed"]), "{case}");
        assert_eq!(draw.to_string(), case["draw"].as_str().unwrap(), "{case}");
        let configurations = golden["cutoffs"].as_array().unwrap();
        for (decision, configuration) in case["by_config"].as_array().unwrap().iter().zip(configurations) {
            assert_eq!((&decision["mean"], &decision["sd"]), (&configuration["mean"], &configuration["sd"]));
            // A cut-off of `null`, or none, is certainty.
            let cutoff = configuration["table"].get(members.len().to_string()).and_then(Value::as_str);
            let reported = cutoff.is_none_or(|c| draw < c.parse().unwrap());
            assert_eq!(!reported, decision["suppressed"].as_bool().unwrap(), "{case}");
        }
    }
}

#[test]
fn secrets_of_another_length_are_refused() {
    for got in [0, 1, 16, 31, 33, 64] {
        assert_eq!(Secret::new(&vec![7; got]).unwrap_err(), SecretError::Length { got });
    }
}

#[test]
fn debug_shows_the_type_and_nothing_else() {
    let secret = Secret::new(&[0xA7; 32]).unwrap();
    assert_eq!(format!("{secret:?}"), "Secret { .. }");
    assert_eq!(format!("{:#?}", secret.entity_hasher("user")), "EntityHasher { .. }");
    assert_eq!(format!("{:?}", secret.sticky_draw()), "StickyDraw { .. }");
}

#[test]
fn draws_of_consecutive_seeds_are_uniform() {
    let sticky = golden_secret().sticky_draw();
    let draws: Vec<i64> = (0..200_000).map(|seed| (sticky.draw(seed) >> 56) as i64).collect();
    let uniform = |byte: i64| if (0..256).contains(&byte) { 1.0 / 256.0 } else { 0.0 };
    testkit::assert_law(&draws, uniform);
    testkit::refute_law(&draws, |byte| if byte < 128 { 1.02 * uniform(byte) } else { 0.98 * uniform(byte) });
}

proptest! {
    #[test]
    fn signed_and_unsigned_integers_are_the_same_entity(large: u64) {
        let hasher = golden_secret().entity_hasher("user");
        if let Ok(signed) = i64::try_from(large) {
            prop_assert_eq!(hasher.hash_i64(signed), hasher.hash_u64(large));
        }
        // Read as a signed number, a large one would be another entity.
        let above = large | 1 << 63;
        prop_assert_ne!(hasher.hash_u64(above), hasher.hash_i64(above as i64));
    }

    #[test]
    fn the_same_bytes_in_other_forms_kinds_and_secrets_are_other_entities(identifier: i64, byte in 1_u8..) {
        let secret = golden_secret();
        let hasher = secret.entity_hasher("user");
        let bytes = identifier.to_le_bytes();
        prop_assert_ne!(hasher.hash_i64(identifier), hasher.hash_bytes(&bytes));
        prop_assert_ne!(hasher.hash_i64(identifier), hasher.hash_str(&identifier.to_string()));
        prop_assert_ne!(hasher.hash_i64(identifier), secret.entity_hasher("branch").hash_i64(identifier));
        let other = Secret::new(&[byte; 32]).unwrap();
        prop_assert_ne!(hasher.hash_i64(identifier), other.entity_hasher("user").hash_i64(identifier));
        prop_assert_ne!(secret.sticky_draw().draw(identifier as u64), other.sticky_draw().draw(identifier as u64));
    }
}
