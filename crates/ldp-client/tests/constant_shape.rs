//! A client of constant shape takes the same random words whatever the answers are, and its
//! reports have the law of the other.

use ldp_client::{BitNoise, Client, Feature, Protocol, ReportReader, Schema};
use privacy_core::Attribute;
use privacy_core::param::{Epsilon, Probability};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Infallible, Rng, SeedableRng, TryCryptoRng, TryRng};
use testkit::fixtures::json;
use testkit::law::{assert_law, refute_law};

/// Counts the words that are taken of a generator.
struct Counted {
    rng: ChaCha20Rng,
    words: u64,
}

impl TryRng for Counted {
    type Error = Infallible;
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        unreachable!("coins take eight bytes at a time")
    }
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.words += 1;
        Ok(self.rng.next_u64())
    }
    fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Infallible> {
        unreachable!("coins take eight bytes at a time")
    }
}
impl TryCryptoRng for Counted {}

fn epsilon() -> Epsilon {
    Epsilon::new(1.5).unwrap()
}

fn probability(value: f64) -> Probability {
    Probability::new(value).unwrap()
}

fn feature(name: &str, values: usize, protocol: Protocol) -> Feature {
    Feature::new(Attribute::codes(name, values).unwrap(), protocol).unwrap()
}

/// Every protocol of a feature, side by side; joint symbols and parities come from the vectors.
fn every_protocol() -> Schema {
    let unary = BitNoise::optimised_unary(epsilon()).unwrap();
    let bit = BitNoise::symmetric(epsilon()).unwrap();
    Schema::new(vec![
        feature("rr", 2, Protocol::RandomisedResponse(bit)),
        feature("ue", 5, Protocol::UnaryEncoding(unary)),
        feature("grr", 6, Protocol::generalised_response(epsilon(), 6).unwrap()),
        feature("lh", 9, Protocol::local_hashing(epsilon(), None).unwrap()),
        feature("rappor", 3, Protocol::Rappor { permanent: unary, instantaneous: bit }),
        feature("ss", 7, Protocol::subset_selection(epsilon(), 7, Some(3)).unwrap()),
    ])
    .unwrap()
}

#[test]
fn a_value_beyond_the_last_one_is_refused_and_the_last_one_is_not() {
    let client = Client::new(every_protocol());
    let last = [1, 4, 5, 8, 2, 6];
    let mut rng = ChaCha20Rng::from_seed([5; 32]);
    assert!(client.randomise(&last, &mut rng).is_ok());
    for feature in 0..last.len() {
        let mut beyond = last;
        beyond[feature] += 1;
        assert!(client.randomise(&beyond, &mut rng).is_err(), "{feature}");
    }
}

fn schemas() -> Vec<Schema> {
    let vectors = json("ldp/vectors/clients.json");
    let bytes = |hex: &str| -> Vec<u8> {
        (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
    };
    let of_vectors = vectors["clients"].as_array().unwrap().iter();
    let mut all: Vec<_> =
        of_vectors.map(|vector| Schema::from_bytes(&bytes(vector["schema"].as_str().unwrap())).unwrap()).collect();
    all.push(every_protocol());
    all
}

/// Words that a report about this row takes of the stream with this number.
fn words_of(client: &Client, row: &[u32], stream: u64) -> u64 {
    let mut seed = [0; 32];
    seed[..8].copy_from_slice(&stream.to_le_bytes());
    let mut rng = Counted { rng: ChaCha20Rng::from_seed(seed), words: 0 };
    client.randomise(row, &mut rng).unwrap();
    let memoized = client.memoize(row, &mut rng).unwrap();
    client.report(&memoized, &mut rng).unwrap();
    rng.words
}

/// Streams in which the first and the last values of all features take different numbers of words.
fn streams_that_tell(client: &Client) -> usize {
    let features = client.schema().features();
    let first = vec![0; features.len()];
    let last: Vec<u32> = features.iter().map(|feature| feature.attribute().cardinality() as u32 - 1).collect();
    (0..500).filter(|&stream| words_of(client, &first, stream) != words_of(client, &last, stream)).count()
}

#[test]
fn all_answers_take_the_same_random_words() {
    for schema in schemas() {
        let client = Client::new(schema).in_constant_shape();
        assert_eq!(streams_that_tell(&client), 0);
    }
}

/// The other client must not pass.
#[test]
fn without_constant_shape_answers_take_other_random_words() {
    assert!(streams_that_tell(&Client::new(every_protocol())) > 0);
}

/// Support patterns of 200,000 reports about one value, bit `i` for column `i`.
fn patterns(schema: &Schema, row: &[u32]) -> Vec<i64> {
    let client = Client::new(schema.clone()).in_constant_shape();
    let mut reader = ReportReader::new(schema);
    let mut rng = ChaCha20Rng::from_seed([77; 32]);
    let mut pattern = || {
        let mut stored = [0];
        reader.read(&client.randomise(row, &mut rng).unwrap(), &mut stored).unwrap();
        stored[0] as i64
    };
    (0..200_000).map(|_| pattern()).collect()
}

fn alone(values: usize, protocol: Protocol) -> Schema {
    Schema::new(vec![feature("one", values, protocol)]).unwrap()
}

#[test]
fn bits_have_the_law_of_their_noise() {
    let noise = BitNoise::new(probability(0.2), probability(0.6)).unwrap();
    let samples = patterns(&alone(3, Protocol::UnaryEncoding(noise)), &[1]);
    let law = |p: f64, q: f64| {
        move |pattern: i64| {
            let bit = |i: usize, one: f64| if pattern >> i & 1 == 1 { one } else { 1.0 - one };
            if (0..8).contains(&pattern) { bit(0, p) * bit(1, q) * bit(2, p) } else { 0.0 }
        }
    };
    assert_law(&samples, law(0.2, 0.6));
    refute_law(&samples, law(0.206, 0.6));
    refute_law(&samples, law(0.2, 0.59));
}

#[test]
fn symbols_have_the_law_of_generalised_response() {
    let protocol = Protocol::generalised_response_with_truth(probability(0.4));
    let samples = patterns(&alone(5, protocol), &[3]);
    let law = |truth: f64| {
        move |pattern: i64| match pattern {
            8 => truth,
            1 | 2 | 4 | 16 => (1.0 - truth) / 4.0,
            _ => 0.0,
        }
    };
    assert_law(&samples, law(0.4));
    refute_law(&samples, law(0.41));
}

/// Of the six sets of two of four values the three with the own one have the chance of the truth
/// together, the others the rest.
#[test]
fn sets_have_the_law_of_subset_selection() {
    let protocol = Protocol::subset_selection(epsilon(), 4, Some(2)).unwrap();
    let schema = alone(4, protocol);
    let Protocol::SubsetSelection { truth, .. } = protocol else { unreachable!("it was made so") };
    let law = |truth: f64| {
        move |pattern: i64| match pattern {
            5 | 6 | 12 => truth / 3.0,
            3 | 9 | 10 => (1.0 - truth) / 3.0,
            _ => 0.0,
        }
    };
    let samples = patterns(&schema, &[2]);
    assert_law(&samples, law(truth.to_f64()));
    refute_law(&samples, law(truth.to_f64() - 0.03));
    // A set whose first member leaves, not any, is uneven.
    let uneven = |pattern: i64| match pattern {
        5 => truth.to_f64() / 3.0 - 0.02,
        12 => truth.to_f64() / 3.0 + 0.02,
        other => law(truth.to_f64())(other),
    };
    refute_law(&samples, uneven);
}

#[test]
fn combinations_have_the_law_of_the_joint_symbol() {
    let attributes = vec![Attribute::codes("a", 2).unwrap(), Attribute::codes("b", 3).unwrap()];
    let schema = Schema::of_joint_symbol(attributes, 2, epsilon()).unwrap();
    let keep = schema.features().iter().find_map(|feature| match feature.protocol() {
        Protocol::JointSymbol { keep } => Some(keep.to_f64()),
        _ => None,
    });
    // Columns: a=1, b=0, b=1, b=2.
    let law = |keep: f64| {
        move |pattern: i64| match (pattern >> 1, pattern & 1) {
            (4, 1) => keep + (1.0 - keep) / 6.0,
            (1 | 2 | 4, 0 | 1) => (1.0 - keep) / 6.0,
            _ => 0.0,
        }
    };
    let samples = patterns(&schema, &[1, 2]);
    assert_law(&samples, law(keep.unwrap()));
    refute_law(&samples, law(keep.unwrap() - 0.05));
}
