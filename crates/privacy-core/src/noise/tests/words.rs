//! Requests for bits: how many are asked for, and how they are put together.

use proptest::prelude::*;
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

use super::rational;
use crate::noise::Rational;
use crate::noise::bits::{BitSource, RngBits, uniform_below};
use crate::noise::gamma::Gamma;
use crate::noise::shape::{Deal, Shape};

/// Answers each request from the top of a word of its own, and remembers how many bits were asked
/// for.
pub(in crate::noise) struct Script {
    words: Vec<u64>,
    pub requests: Vec<u32>,
}

impl Script {
    pub(in crate::noise) fn new(words: Vec<u64>) -> Self {
        Self { words, requests: Vec::new() }
    }
}

impl BitSource for Script {
    fn bits(&mut self, n: u32) -> u64 {
        let word = self.words[self.requests.len()];
        self.requests.push(n);
        word.checked_shr(64 - n).unwrap_or(0)
    }
}

/// A uniform number is the first string of `width` bits below the bound; those above the lowest
/// 64 are drawn first.
fn check_uniform(bound: u128, words: Vec<u64>) {
    let width = (0_u32..128).find(|&width| bound <= 1 << width).unwrap_or(128);
    let (above, below) = (width.saturating_sub(64), width.min(64));
    let top = |word: u64, n: u32| u128::from(word) >> (64 - n);
    let mut candidates = words.chunks(2).map(|round| top(round[0], above) * (1 << 64) + top(round[1], below));
    let want = candidates.find(|&candidate| candidate < bound).expect("64 rounds, each good with probability 1/2");
    let mut script = Script::new(words);
    assert_eq!(uniform_below(bound, &mut script), want, "below {bound}");
    assert_eq!(script.requests, [above, below].repeat(script.requests.len() / 2), "below {bound}");
}

const LONG_BOUNDS: [u128; 7] =
    [(1 << 64) - 1, 1 << 64, (1 << 64) + 1, (1 << 100) + 3, 1 << 127, (1 << 127) + 1, u128::MAX];

proptest! {
    #[test]
    fn uniform_numbers_are_made_of_all_their_bits(
        words in proptest::collection::vec(any::<u64>(), 128), bound in 1_u128.., shorter in 0_u32..128,
    ) {
        check_uniform((bound >> shorter).max(1), words.clone());
        for bound in LONG_BOUNDS {
            check_uniform(bound, words.clone());
        }
    }
}

#[test]
fn a_candidate_at_the_bound_is_drawn_again() {
    // 2^100 + 3 itself, one above it in the high part alone, then 2^100 + 2.
    let high = |value: u64| value << (64 - 37);
    let words = vec![high(1 << 36), 3, high((1 << 36) + 1), 0, high(1 << 36), 2];
    let mut script = Script::new(words);
    assert_eq!(uniform_below((1 << 100) + 3, &mut script), (1 << 100) + 2);
    assert_eq!(script.requests, [37, 64].repeat(3));
}

#[test]
fn small_requests_share_a_word_and_large_ones_take_their_own() {
    let words = || ChaCha20Rng::from_seed([17; 32]);
    let [first, second, third] = std::array::from_fn({
        let mut rng = words();
        move |_| rng.next_u64()
    });
    let mut rng = words();
    let mut source = RngBits::new(&mut rng);
    let got = [20, 12, 46, 0, 32, 1].map(|n| source.bits(n));
    let mask = |word: u64, n: u32| word & ((1 << n) - 1);
    let want = [mask(first, 20), mask(first >> 20, 12), second >> 18, 0, first >> 32, mask(third, 1)];
    assert_eq!(got, want);
}

/// The top `n` bits of a word from its bit `start` on, counted from the top.
fn part(word: u64, start: u32, n: u32) -> u64 {
    word.checked_shl(start).unwrap_or(0).checked_shr(64 - n).unwrap_or(0)
}

#[test]
fn a_round_begins_with_one_word_while_it_holds_thirteen_bits_of_each_decision() {
    let words = [0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210, 0x0f1e_2d3c_4b5a_6978];
    for (log2_sigma, shift, firsts) in [(3, 0, (28, 28)), (20, 17, (19, 20)), (32, 29, (13, 14)), (33, 30, (13, 13))] {
        let shape = Shape::for_gamma(rational(1 << (2 * log2_sigma), 1).into());
        let mut script = Script::new(words.to_vec());
        let deal = shape.deal::<i64>(&mut script);
        assert_eq!((shape.shift, (shape.first_weight_bits, shape.first_accept_bits)), (shift, firsts));
        assert_eq!(script.requests, [64], "sigma 2^{log2_sigma}");
        let (weight, accept) = (part(words[0], 8, firsts.0), part(words[0], 64 - firsts.1, firsts.1));
        let offset = part(words[0], 8 + firsts.0, shift) as i64;
        assert_eq!(deal, Deal { index: (words[0] >> 56) as usize, weight, offset, accept });
    }
}

#[test]
fn a_point_and_u_share_the_second_word_while_they_fit() {
    let words = [0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210, 0x0f1e_2d3c_4b5a_6978];
    for (log2_sigma, requests) in
        [(34, vec![40, 63]), (35, vec![40, 64]), (36, vec![40, 33, 32]), (49, vec![40, 46, 32])]
    {
        let shape = Shape::for_gamma(rational(1 << (2 * log2_sigma), 1).into());
        let mut script = Script::new(words.to_vec());
        let deal = shape.deal::<i64>(&mut script);
        assert_eq!(script.requests, requests, "sigma 2^{log2_sigma}");
        assert_eq!((deal.index as u64, deal.weight), (part(words[0], 0, 8), part(words[0], 8, 32)));
        let shift = shape.shift;
        let accept = if requests.len() == 2 { part(words[1], shift, 32) } else { part(words[2], 0, 32) };
        assert_eq!((deal.offset as u64, deal.accept), (part(words[1], 0, shift), accept), "sigma 2^{log2_sigma}");
    }
}

#[test]
fn a_wide_point_takes_its_bits_above_the_lowest_64_first() {
    let words: [u64; 4] = [0x5a5a_0f0f_3c3c_9669, 0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210, 0x0f1e_2d3c_4b5a_6978];
    for (doublings, requests) in
        [(50, vec![40, 0, 47, 32]), (67, vec![40, 0, 64, 32]), (68, vec![40, 1, 64, 32]), (111, vec![40, 44, 64, 32])]
    {
        let gamma = Gamma { sigma2: Rational::ONE, doublings };
        let mut script = Script::new(words.to_vec());
        let deal = Shape::for_gamma(gamma).deal::<i128>(&mut script);
        assert_eq!(script.requests, requests, "gamma 2^{doublings}");
        let top = |i: usize| u128::from(part(words[i], 0, requests[i]));
        let got = (deal.offset as u128, u128::from(deal.accept));
        assert_eq!(got, (top(1) << 64 | top(2), top(3)), "gamma 2^{doublings}");
    }
}
