//! The client makes the reports of the test vectors, byte for byte: so does every other build of
//! it.

use ldp_client::{Client, FormatError, MemoizedResponse, Schema};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use serde_json::Value;
use testkit::fixtures::json;

fn bytes(hex: &Value) -> Vec<u8> {
    let digits = hex.as_str().unwrap().as_bytes();
    digits.chunks(2).map(|two| u8::from_str_radix(std::str::from_utf8(two).unwrap(), 16).unwrap()).collect()
}

fn rng(seed: &Value) -> ChaCha20Rng {
    ChaCha20Rng::from_seed(bytes(seed).try_into().unwrap())
}

fn row(values: &Value) -> Vec<u32> {
    values.as_array().unwrap().iter().map(|value| value.as_u64().unwrap() as u32).collect()
}

fn list(values: &Value) -> &Vec<Value> {
    values.as_array().unwrap()
}

fn check(vector: &Value) {
    let schema = Schema::from_bytes(&bytes(&vector["schema"])).unwrap();
    assert_eq!(schema.to_bytes(), bytes(&vector["schema"]));
    assert_eq!(schema.digest().to_vec(), bytes(&vector["digest"]));
    assert_eq!(vector["epsilon_per_report"].as_f64().unwrap_or(f64::INFINITY), schema.epsilon_per_report());
    let client = Client::new(schema);
    assert_eq!(vector["report_bytes"], client.report_bytes());
    for case in list(&vector["reports"]) {
        assert_eq!(client.randomise(&row(&case["row"]), &mut rng(&case["seed"])).unwrap(), bytes(&case["report"]));
    }
    for case in list(&vector["memoized"]) {
        let drawn = client.memoize(&row(&case["row"]), &mut rng(&case["seed"])).unwrap();
        assert_eq!(drawn.to_bytes(), bytes(&case["memoized"]));
        let stored = MemoizedResponse::from_bytes(&bytes(&case["memoized"]), &client).unwrap();
        assert!(stored == drawn);
        for later in list(&case["reports"]) {
            assert_eq!(client.report(&stored, &mut rng(&later["seed"])).unwrap(), bytes(&later["report"]));
        }
    }
}

#[test]
fn reports_are_those_of_the_vectors() {
    let vectors = json("ldp/vectors/clients.json");
    assert_eq!(list(&vectors["clients"]).len(), 8);
    list(&vectors["clients"]).iter().for_each(check);
}

/// Every byte of a stored response matters: a changed one is refused, and so are another length
/// and another schema.
#[test]
fn a_stored_response_that_was_touched_is_refused() {
    let vectors = json("ldp/vectors/clients.json");
    let [one, every] = [0, 1].map(|i| &vectors["clients"][i]);
    let client = Client::new(Schema::from_bytes(&bytes(&every["schema"])).unwrap());
    let stored = bytes(&every["memoized"][0]["memoized"]);
    for at in 0..stored.len() {
        let mut changed = stored.clone();
        changed[at] ^= 0x10;
        assert!(MemoizedResponse::from_bytes(&changed, &client).is_err(), "{at}");
    }
    for length in 0..stored.len() {
        assert!(MemoizedResponse::from_bytes(&stored[..length], &client).is_err(), "{length}");
    }
    let longer = [stored, vec![0]].concat();
    assert!(matches!(MemoizedResponse::from_bytes(&longer, &client), Err(FormatError::Length { .. })));
    let other = MemoizedResponse::from_bytes(&bytes(&one["memoized"][0]["memoized"]), &client);
    assert_eq!(other.err(), Some(FormatError::OtherSchema));
}

#[test]
fn a_schema_that_was_touched_is_refused() {
    let vectors = json("ldp/vectors/clients.json");
    for vector in list(&vectors["clients"]) {
        let stored = bytes(&vector["schema"]);
        for at in 0..stored.len() {
            let mut changed = stored.clone();
            changed[at] ^= 0x10;
            assert!(Schema::from_bytes(&changed).is_err(), "{at}");
            assert!(Schema::from_bytes(&stored[..at]).is_err(), "{at}");
        }
        assert_eq!(Schema::from_bytes(&[stored, vec![0]].concat()), Err(FormatError::Damaged));
    }
}

/// A checksum can be made for any content: what is inside is checked as well.
#[test]
fn a_schema_with_a_sound_checksum_and_unsound_content_is_refused() {
    use sha2::{Digest, Sha256};
    let sealed = |content: &[u8]| {
        let digest: [u8; 32] = Sha256::digest(content).into();
        [b"LDPQ\x01\0\0\0".as_slice(), content, &digest].concat()
    };
    let vectors = json("ldp/vectors/clients.json");
    let good = bytes(&vectors["clients"][0]["schema"]);
    let content = &good[8..good.len() - 32];
    assert!(Schema::from_bytes(&sealed(content)).is_ok());
    assert_eq!(Schema::from_bytes(&sealed(&[content, &[0]].concat())), Err(FormatError::Damaged));
    for at in 0..content.len() {
        assert!(Schema::from_bytes(&sealed(&content[..at])).is_err(), "{at}");
        // A length that the bytes cannot hold takes no memory.
        let mut long = content.to_vec();
        long[at] = 0xff;
        if let Ok(schema) = Schema::from_bytes(&sealed(&long)) {
            assert_eq!(schema.to_bytes(), sealed(&long), "{at}");
        }
    }
}

/// Serde carries the same response, and a client refuses one that was put together by hand.
#[test]
#[cfg(feature = "serde")]
fn a_stored_response_comes_back_through_serde() {
    let vectors = json("ldp/vectors/clients.json");
    let vector = list(&vectors["clients"]).iter().find(|vector| vector["memoized"][0].is_object()).unwrap();
    let client = Client::new(Schema::from_bytes(&bytes(&vector["schema"])).unwrap());
    let case = &vector["memoized"][0];
    let drawn = client.memoize(&row(&case["row"]), &mut rng(&case["seed"])).unwrap();
    let text = serde_json::to_value(&drawn).unwrap();
    assert!(serde_json::from_value::<MemoizedResponse>(text.clone()).unwrap() == drawn);
    let changed = |field: &str, value: Value| {
        let mut changed = text.clone();
        changed[field] = value;
        serde_json::from_value::<MemoizedResponse>(changed)
    };
    assert!(changed("version", 2.into()).is_err() && changed("permanent", Value::Array(Vec::new())).is_err());
    let mut rng = rng(&case["seed"]);
    for (field, value) in [("row", &text["row"]), ("permanent", &text["permanent"])] {
        let mut other = value.clone();
        // The last feature of the schema is a RAPPOR feature in none or all: both are changed.
        for item in other.as_array_mut().unwrap() {
            *item = if field == "row" { 1_000_000.into() } else { Value::Array(vec![true.into()]) };
        }
        assert!(client.report(&changed(field, other).unwrap(), &mut rng).is_err(), "{field}");
    }
}
