//! Requests for bits: how many are asked for, and how they are put together.

use proptest::prelude::*;
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

use super::rational;
use crate::noise::Rational;
use crate::noise::bits::{BitSource, RngBits, uniform_below};
use crate::noise::gamma::Gamma;
use crate::noise::shape::Shape;

/// Answers each request from a word of its own, and remembers how many bits were asked for.
struct Script {
    words: Vec<u64>,
    requests: Vec<u32>,
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
    let mut script = Script { words, requests: Vec::new() };
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
    let mut script = Script { words, requests: Vec::new() };
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

#[test]
fn a_point_and_u_share_a_word_while_they_fit() {
    let word = 0x0123_4567_89ab_cdef;
    let of_sigma = |sigma: u128| Shape::for_gamma(rational(sigma * sigma, 1).into());
    for (sigma, shift) in [(8, 0), (1 << 20, 17), ((1 << 36) - 1, 32), (1 << 36, 33), ((1 << 50) - 1, 46)] {
        let mut script = Script { words: vec![word, !word], requests: Vec::new() };
        let shape = of_sigma(sigma);
        let (offset, first): (i64, u64) = shape.offset_and_first(&mut script);
        let together = script.requests == [shift + 32];
        assert_eq!(together, shift <= 32, "sigma {sigma}: {:?}", script.requests);
        assert!(together || script.requests == [shift, 32]);
        let after = if together { word << shift } else { !word };
        assert_eq!((offset as u64, first), (word.checked_shr(64 - shift).unwrap_or(0), after >> 32), "sigma {sigma}");
    }
}

#[test]
fn a_wide_point_takes_its_bits_above_the_lowest_64_first() {
    let words = [0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210, 0x0f1e_2d3c_4b5a_6978_u64];
    for (doublings, requests) in
        [(50, vec![0, 47, 32]), (67, vec![0, 64, 32]), (68, vec![1, 64, 32]), (111, vec![44, 64, 32])]
    {
        let gamma = Gamma { sigma2: Rational::ONE, doublings };
        let mut script = Script { words: words.to_vec(), requests: Vec::new() };
        let (offset, first): (i128, u64) = Shape::for_gamma(gamma).offset_and_first(&mut script);
        assert_eq!(script.requests, requests, "gamma 2^{doublings}");
        let top = |i: usize| u128::from(words[i].checked_shr(64 - requests[i]).unwrap_or(0));
        assert_eq!((offset as u128, u128::from(first)), (top(0) << 64 | top(1), top(2)), "gamma 2^{doublings}");
    }
}
