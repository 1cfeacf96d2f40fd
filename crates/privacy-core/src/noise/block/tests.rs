//! The second look against big integers, and the third against the second.

use proptest::prelude::*;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

use super::*;
use crate::noise::bits::RngBits;
use crate::noise::tests::gammas;

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
