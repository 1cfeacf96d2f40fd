//! Reports have the law that their schema says, and a slightly different law is refused.

use ldp_pmdh::{Aggregator, BitNoise, Channel, Client, Feature, Protocol, Schema, StateDetail};
use privacy_core::Attribute;
use privacy_core::param::{Epsilon, Probability};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use testkit::law::{assert_law, refute_law};

const DRAWS: usize = 200_000;

fn noise(p: f64, q: f64) -> BitNoise {
    BitNoise::new(Probability::new(p).unwrap(), Probability::new(q).unwrap()).unwrap()
}

fn one_feature(values: usize, protocol: Protocol) -> Schema {
    let attribute = Attribute::codes("feature", values).unwrap();
    Schema::new(vec![Feature::new(attribute, protocol).unwrap()]).unwrap()
}

/// Support patterns of reports about one row, bit `i` for column `i`.
fn patterns(schema: &Schema, row: &[u32]) -> Vec<i64> {
    let client = Client::new(schema.clone());
    let mut rng = ChaCha20Rng::from_seed([31; 32]);
    let mut pattern = || {
        let mut aggregator = Aggregator::new(schema.clone(), StateDetail::Full, 1e6).unwrap();
        aggregator.push(&client.randomise(row, &mut rng).unwrap()).unwrap();
        let state = aggregator.finish().unwrap();
        state.histogram().unwrap().iter().position(|&count| count == 1).unwrap() as i64
    };
    (0..DRAWS).map(|_| pattern()).collect()
}

/// Probability of a pattern when bit `true_column` is 1 with probability `q` and every other with
/// `p`, independently.
fn product(columns: usize, true_column: usize, p: f64, q: f64) -> impl Fn(i64) -> f64 {
    move |pattern| {
        let bit = |i: usize| {
            let one = if i == true_column { q } else { p };
            if pattern >> i & 1 == 1 { one } else { 1.0 - one }
        };
        if (0..1 << columns).contains(&pattern) { (0..columns).map(bit).product() } else { 0.0 }
    }
}

/// The law is accepted, and refuted with `p` or `q` off by 3 percent.
fn check(schema: &Schema, value: u32, channel: Channel) {
    let columns = schema.columns().len();
    let (samples, (p, q)) = (patterns(schema, &[value]), (channel.p(), channel.q()));
    assert_law(&samples, product(columns, value as usize, p, q));
    refute_law(&samples, product(columns, value as usize, 1.03 * p, q));
    refute_law(&samples, product(columns, value as usize, p, 0.97 * q));
    refute_law(&samples, product(columns, (value as usize + 1) % columns, p, q));
}

#[test]
fn unary_encoding_noises_every_bit_by_itself() {
    check(&one_feature(3, Protocol::UnaryEncoding(noise(0.2, 0.6))), 1, Channel::new(0.2, 0.6).unwrap());
}

#[test]
fn both_stages_of_rappor_are_one_channel() {
    let (first, second) = (noise(0.1, 0.8), noise(0.2, 0.9));
    let schema = one_feature(3, Protocol::Rappor { permanent: first, instantaneous: second });
    // p1 (q2 - p2) + p2 and q1 (q2 - p2) + p2.
    check(&schema, 2, Channel::new(0.27, 0.76).unwrap());
}

/// With an ideal hash, local hashing is unary encoding with p = 1 / buckets in law: the seeded
/// hash cannot be distinguished from it by a test of this size.
#[test]
fn local_hashing_has_the_law_of_unary_encoding() {
    let epsilon = Epsilon::new(3_f64.ln()).unwrap();
    let schema = one_feature(3, Protocol::local_hashing(epsilon, Some(4)).unwrap());
    check(&schema, 0, Channel::new(0.25, 0.5).unwrap());
}

#[test]
fn generalised_response_tells_the_truth_or_any_other_value_alike() {
    let protocol = Protocol::generalised_response_with_truth(Probability::new(0.4).unwrap());
    let samples = patterns(&one_feature(5, protocol), &[3]);
    let law = |truth: f64| {
        move |pattern: i64| match pattern {
            8 => truth,
            1 | 2 | 4 | 16 => (1.0 - truth) / 4.0,
            _ => 0.0,
        }
    };
    assert_law(&samples, law(0.4));
    refute_law(&samples, law(0.41));
    let uneven = |pattern: i64| match pattern {
        8 => 0.4,
        1 => 0.16,
        2 => 0.14,
        4 | 16 => 0.15,
        _ => 0.0,
    };
    refute_law(&samples, uneven);
}

#[test]
fn bits_of_different_features_are_independent() {
    let bit = |name: &str, p, q| {
        Feature::new(Attribute::codes(name, 2).unwrap(), Protocol::RandomisedResponse(noise(p, q))).unwrap()
    };
    let schema = Schema::new(vec![bit("a", 0.1, 0.8), bit("b", 0.3, 0.6)]).unwrap();
    let samples = patterns(&schema, &[1, 0]);
    let law = |a: f64, b: f64, both: f64| {
        move |pattern: i64| match pattern {
            0 => 1.0 - a - b + both,
            1 => a - both,
            2 => b - both,
            3 => both,
            _ => 0.0,
        }
    };
    assert_law(&samples, law(0.8, 0.3, 0.24));
    refute_law(&samples, law(0.8, 0.3, 0.25));
    refute_law(&samples, law(0.79, 0.3, 0.79 * 0.3));
}

#[test]
fn many_rows_at_once_have_the_law_of_one_at_a_time() {
    let client = Client::new(one_feature(3, Protocol::UnaryEncoding(noise(0.2, 0.6))));
    let reports = client.randomise_rows(&vec![1; DRAWS], &mut ChaCha20Rng::from_seed([32; 32])).unwrap();
    let samples: Vec<i64> = reports.into_iter().map(i64::from).collect();
    assert_law(&samples, product(3, 1, 0.2, 0.6));
    refute_law(&samples, product(3, 1, 0.206, 0.6));
}
