//! The exact law of whole reports: every string of random bytes up to a depth is followed, and the
//! mass of each report is held against the chance that the channel states.

use std::cell::Cell;
use std::collections::BTreeMap;

use privacy_core::Attribute;
use privacy_core::param::Probability;
use rand_core::{Infallible, TryCryptoRng, TryRng};

use super::*;
use crate::feature::Feature;
use crate::probability::FixedProbability;

/// Bytes of a string; 24 bits in all.
const DEPTH: u32 = 3;

/// Bytes that are given, then zeros, and how many words were asked for.
struct Script<'a> {
    bytes: &'a [u8],
    words: &'a Cell<usize>,
}

impl TryRng for Script<'_> {
    type Error = Infallible;
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        unreachable!("coins take eight bytes at a time")
    }
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let bytes = self.bytes.iter().skip(8 * self.words.replace(self.words.get() + 1)).take(8);
        Ok(bytes.rev().fold(0, |word, &byte| word << 8 | u64::from(byte)))
    }
    fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Infallible> {
        unreachable!("coins take eight bytes at a time")
    }
}
impl TryCryptoRng for Script<'_> {}

/// How often each report comes, in units of `256^-DEPTH`, and how much is left to further bytes.
struct Law {
    reports: BTreeMap<Vec<u8>, u128>,
    undecided: u128,
}

impl Law {
    /// Follows every string of bytes until the report is made of it.
    fn of(client: &Client, row: &[u32]) -> Self {
        let mut law = Self { reports: BTreeMap::new(), undecided: 0 };
        let mut open = vec![Vec::new()];
        while let Some(string) = open.pop() {
            let words = Cell::new(0);
            let mut script = Script { bytes: &string, words: &words };
            let mut report = Vec::new();
            let mut coins = client.coins(&mut script);
            client.append(row, None, &mut report, &mut coins);
            let taken = 8 * words.get() - coins.unused();
            match DEPTH - string.len() as u32 {
                left if taken <= string.len() => *law.reports.entry(report).or_default() += 256_u128.pow(left),
                0 => law.undecided += 1,
                _ => open.extend((0..=u8::MAX).map(|byte| [&string[..], &[byte]].concat())),
            }
        }
        law
    }

    /// Whether a report has this chance, as far as the strings decide. All is whole numbers.
    fn allows(&self, report: &[u8], (numerator, denominator): (u128, u128)) -> bool {
        let mass = self.reports.get(report).copied().unwrap_or(0);
        let chance = numerator * 256_u128.pow(DEPTH);
        mass * denominator <= chance && chance <= (mass + self.undecided) * denominator
    }
}

fn client(values: usize, protocol: Protocol) -> Client {
    let feature = Feature::new(Attribute::codes("a", values).unwrap(), protocol).unwrap();
    Client::new(Schema::new(vec![feature]).unwrap())
}

/// The report with this number in the field of the only feature.
fn report(client: &Client, shown: u64) -> Vec<u8> {
    let mut report = vec![0; client.report_bytes()];
    write(&mut report, client.fields()[0].first_bit, client.fields()[0].bits, shown);
    report
}

fn chance(probability: f64) -> FixedProbability {
    FixedProbability::nearest(Probability::new(probability).unwrap())
}

#[test]
fn generalised_responses_have_the_stated_law_on_every_string_of_24_bits() {
    let truth = chance(0.602_113);
    for values in [2, 3, 4, 5, 9] {
        let client = client(values, Protocol::GeneralisedResponse { truth });
        let (own, others) = (truth.numerator(), truth.complement().numerator());
        let one = (1_u128 << 64) * (values as u128 - 1);
        let law = Law::of(&client, &[1]);
        assert_eq!(law.reports.len(), values);
        // Draws below a bound that is no power of two are repeated.
        let is_decided = (values - 1).is_power_of_two();
        assert!(law.undecided < if is_decided { 1 << 10 } else { 1 << 19 }, "{values}: {}", law.undecided);
        for shown in 0..values as u64 {
            let expected = if shown == 1 { own * (values as u128 - 1) } else { others };
            assert!(law.allows(&report(&client, shown), (expected, one)), "{values} {shown}");
            // The negative control: two thousandths more.
            assert!(!is_decided || !law.allows(&report(&client, shown), (expected + expected / 500, one)));
        }
    }
}

#[test]
fn bits_of_unary_encoding_have_the_stated_law_on_every_string_of_24_bits() {
    // Multiples of 2^-32, whose products are exact.
    let [q, p] = [0.701_171_875 + 0.5_f64.powi(20), 0.187_5 - 0.5_f64.powi(19)];
    let noise = BitNoise::from_fixed(chance(p), chance(q)).unwrap();
    let client = client(2, Protocol::UnaryEncoding(noise));
    let law = Law::of(&client, &[1]);
    assert!(law.reports.len() == 4 && law.undecided < 1 << 10, "{}", law.undecided);
    let chances = [noise.p(), noise.q()];
    for shown in 0..4_u64 {
        let chance_of = |bit: usize| if shown >> bit & 1 == 1 { chances[bit] } else { chances[bit].complement() };
        let numerator = [0, 1].map(|bit| chance_of(bit).numerator() >> 32).iter().product::<u128>();
        assert!(law.allows(&report(&client, shown), (numerator, 1 << 64)), "{shown}");
        assert!(!law.allows(&report(&client, shown), (numerator + numerator / 500, 1 << 64)), "{shown}");
    }
    // The negative control: p and q in each other's place.
    let swapped = (noise.p().numerator() >> 32) * (noise.q().complement().numerator() >> 32);
    assert!(!law.allows(&report(&client, 2), (swapped, 1 << 64)));
}

#[test]
fn sets_of_subset_selection_have_the_stated_law_on_every_string_of_24_bits() {
    let truth = chance(0.731_058);
    let client = client(5, Protocol::SubsetSelection { size: 2, truth });
    let law = Law::of(&client, &[1]);
    // Of the ten sets four have the true value, all alike, and six do not.
    assert_eq!(law.reports.len(), 10);
    for set in 0..32_u64 {
        if set.count_ones() == 2 {
            let (all, of) = if set >> 1 & 1 == 1 { (truth, 4) } else { (truth.complement(), 6) };
            assert!(law.allows(&report(&client, set), (all.numerator(), of << 64)), "{set:b}");
        }
    }
    assert!(!law.allows(&report(&client, 0b11), (truth.complement().numerator(), 6 << 64)));
}
