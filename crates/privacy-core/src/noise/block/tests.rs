//! The second look against big integers, and the third against the second.

use proptest::prelude::*;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

use super::*;
use crate::noise::bits::RngBits;
use crate::noise::tests::gammas;
use crate::noise::tests::words::Script;

mod envelope;

/// The table that production uses.
fn table<X: Integer>(gamma: Gamma) -> BlockTable<X> {
    BlockTable::new(gamma, Shape::for_gamma(gamma)).expect("the shape suits")
}

/// A point the given number of gammas from zero, with digits of its own below the 53 that come
/// from `f64`.
fn point(gamma: Gamma, gammas: f64, low_digits: i128) -> i128 {
    let x = (gammas * gamma.square().sqrt()) as i128;
    x ^ (low_digits & (x >> 40))
}

proptest! {
    /// The bound that `docs/math/noise.md` proves, against big integers: to 22 gamma, from the
    /// smallest to the largest gamma, and so with x above 2^53 and above 2^64.
    #[test]
    fn the_second_look_errs_by_less_than_is_proved(
        gamma in gammas(), away in 0_f64..22.7, low_digits: i128, height in 1_u64..1 << 40, halvings in 0_u32..=520,
    ) {
        let (table, x) = (table(gamma), point(gamma, away, low_digits));
        if let Some(ratio) = table.ratio(x, height, halvings) {
            prop_assert!(halvings <= 512);
            // Both sides times H 2^1200.
            let p = UBig::from(x as u128).pow(2) * UBig::from(gamma.sigma2.denominator());
            let four = UBig::from(4_u8).pow(gamma.doublings as usize);
            let q = UBig::from(2_u8) * UBig::from(gamma.sigma2.numerator()) * four;
            let (low, high) = exp_minus_bracket(&p, &q, 1200);
            let want = |bound: UBig| (bound * UBig::from(table.scale)) << halvings as usize;
            let (mantissa, exponent) = (ratio.to_bits() & ((1 << 52) - 1) | 1 << 52, ratio.to_bits() >> 52);
            let got = (UBig::from(mantissa) * UBig::from(height)) << (1200 + exponent as usize - 1075);
            let allowed = &got >> 41;
            prop_assert!(&got + &allowed >= want(low) && got - allowed <= want(high));
        } else {
            prop_assert!(away > 22.6 || halvings > 512);
        }
    }

    #[test]
    fn the_third_look_agrees_with_the_second(
        gamma in gammas(), away in 0_f64..6.0, low_digits: i128, height: u64, negative: bool,
    ) {
        let (table, x) = (table(gamma), point(gamma, away, low_digits));
        let height = table.scale + 1 + height % table.scale; // above S, so that the ratio is below 1
        let mut rng = ChaCha20Rng::from_seed([21; 32]);
        let mut accept = |u: f64| {
            let x = if negative { -x } else { x };
            table.accept_exactly(x, height, 0, u as u64, &mut RngBits::new(&mut rng))
        };
        // In units of 64 bits of U: above exp(-18.1) / 2 of 2^64, and so far above the 1 that
        // truncation takes.
        let boundary = table.ratio(x, height, 0).expect("6^2 / 2 is below 256") * power_of_two(64);
        prop_assert!(accept(boundary * (1.0 - MARGIN) - 1.0));
        prop_assert!(!accept(boundary * (1.0 + MARGIN) + 1.0));
    }

    #[test]
    fn both_widths_of_integers_have_one_table(gamma in gammas(), away in 0_f64..22.7, low_digits: i128) {
        prop_assume!(gamma.floor_log2() < 50);
        let (narrow, wide, x) = (table::<i64>(gamma), table::<i128>(gamma), point(gamma, away, low_digits));
        prop_assert_eq!(narrow.ratio(x as i64, 1, 0), wide.ratio(x, 1, 0));
        prop_assert_eq!(narrow.scale, wide.scale);
    }
}

/// The first `bits` binary digits of S exp(-x^2 / (2 gamma^2)) / H, and whether the bracket of
/// 1200 digits gives these and no others.
fn digits(table: &BlockTable<i128>, x: i128, height: u64, bits: usize) -> (UBig, bool) {
    let (p, q) = table.gamma.exponent(UBig::from(x.magnitude()).pow(2));
    let (low, high) = exp_minus_bracket(&p, &q, 1200);
    let first = |bound: UBig| ((bound * UBig::from(table.scale)) << bits) / (UBig::from(height) << 1200);
    let (low, high) = (first(low), first(high));
    let same = low == high;
    (low, same)
}

/// The words of 32 bits of a number of 64 and `more` words: the first 64 bits, then one each.
fn words(number: &UBig, more: usize) -> (u64, Vec<u64>) {
    let from = |dropped: usize, mask: u64| u64::try_from((number >> dropped) & UBig::from(mask)).unwrap();
    let top = |word: usize| from(32 * (more - 1 - word), u32::MAX.into()) << 32;
    (from(32 * more, u64::MAX), (0..more).map(top).collect())
}

proptest! {
    /// U that has the digits of the ratio for some words is decided by the word in which they
    /// part, and not before it.
    #[test]
    fn the_last_look_goes_on_until_the_digits_part(
        gamma in gammas(), away in 0.1_f64..6.0, low_digits: i128, height: u64, more in 1_usize..5, apart in 2_u32..1000,
    ) {
        let (table, x) = (table::<i128>(gamma), point(gamma, away, low_digits));
        let height = table.scale + 1 + height % table.scale;
        let (want, same) = digits(&table, x, height, 64 + 32 * more);
        // Exactly 0 decides at once, and words that are nearly all ones or all zeros may decide
        // earlier or carry.
        let last = u64::try_from(&want & UBig::from(u32::MAX)).unwrap();
        prop_assume!(x != 0 && same && (2_000..u64::from(u32::MAX) - 2_000).contains(&last));
        for (u, below) in [(&want - UBig::from(apart), true), (&want + UBig::from(apart), false)] {
            let (first, rest) = words(&u, more);
            let mut source = Script::new(rest);
            prop_assert_eq!(table.accept_exactly(x, height, 0, first, &mut source), below);
            prop_assert_eq!(source.requests, vec![32; more]);
        }
    }

    /// The first bits of U and those of the second look are one number.
    #[test]
    fn the_second_look_reads_all_of_u(
        gamma in gammas(), away in 0_f64..6.0, low_digits: i128, height: u64, apart in 30_u32..40,
    ) {
        let (table, x) = (table::<i128>(gamma), point(gamma, away, low_digits));
        let height = table.scale + 1 + height % table.scale;
        let ratio = table.ratio(x, height, 0).expect("6^2 / 2 is below 256");
        prop_assume!(ratio > 1e-3 && ratio < 0.999);
        let first_bits = table.shape.first_accept_bits;
        let exact = (ratio * power_of_two(64)) as u64;
        for (u, below) in [(exact - (exact >> apart), true), (exact + (exact >> apart), false)] {
            let first = u >> (64 - first_bits);
            let mut source = Script::new(vec![u << first_bits]);
            prop_assert_eq!(table.accept(x, height, 0, first, &mut source), below);
            // Where the first bits are those of the ratio, they leave it open.
            if first == exact >> (64 - first_bits) {
                prop_assert_eq!(source.requests, vec![64 - first_bits]);
            }
        }
    }
}

#[test]
fn u_is_decided_outside_of_the_margin_and_only_there() {
    // In units of 2^-8, the ratio is 128: U from 127 to 128 and from 128 to 129 may be on either side.
    let decided = [126, 127, 128, 129].map(|u| is_surely_below(u, 8, 0.5));
    assert_eq!(decided, [Some(true), None, None, Some(false)]);
    let half = 1_u64 << 63;
    for (distance, is_decided) in [(1_u64 << 26, true), (1 << 24, false)] {
        let decided = [half - distance, half + distance].map(|u| is_surely_below(u, 64, 0.5));
        let want = if is_decided { [Some(true), Some(false)] } else { [None, None] };
        assert_eq!(decided, want, "{distance} of 2^64");
    }
    // No bits: only a ratio of 1 or more, with its margin, is certain.
    assert_eq!([0.5, 1.0, 1.1].map(|ratio| is_surely_below(0, 0, ratio)), [None, None, Some(true)]);
}
