//! Directed rounding against exact integer arithmetic: every `f64` is an integer times 2^-1074.

use std::cmp::Ordering;

use dashu_int::IBig;
use privacy_core::round;
use proptest::prelude::*;
use testkit::{fixtures, hex_f64};

/// Every `f64` is an integer over two to this power.
const UNIT: usize = 1074;

/// `v = integer / 2^1074`, exactly.
fn integer(v: f64) -> IBig {
    let bits = v.abs().to_bits();
    let (exponent, fraction) = (bits >> 52, bits & ((1 << 52) - 1));
    let magnitude =
        if exponent == 0 { IBig::from(fraction) } else { IBig::from(fraction | 1 << 52) << (exponent as usize - 1) };
    if v < 0.0 { -magnitude } else { magnitude }
}

/// `v` against `numerator / denominator` for a positive denominator, both over 2^1074; infinities
/// are beyond all.
fn compare(v: f64, numerator: &IBig, denominator: &IBig) -> Ordering {
    if v.is_infinite() { v.total_cmp(&0.0) } else { (integer(v) * denominator).cmp(numerator) }
}

/// `down <= exact <= up`; unless `loose`, equal when the exact value is a number and neighbours
/// when not.
fn assert_encloses(down: f64, up: f64, numerator: &IBig, denominator: &IBig, loose: bool) -> Result<(), TestCaseError> {
    prop_assert!(compare(down, numerator, denominator).is_le(), "{down:e} is above");
    prop_assert!(compare(up, numerator, denominator).is_ge(), "{up:e} is below");
    if !loose {
        prop_assert!(down == up || down.next_up() == up, "{down:e} and {up:e} are not neighbours");
        let exact = [down, up].iter().any(|&v| v.is_finite() && compare(v, numerator, denominator).is_eq());
        prop_assert_eq!(exact, down == up);
    } else {
        prop_assert!(down.next_up().next_up() >= up, "{down:e} and {up:e} are far apart");
    }
    Ok(())
}

fn check(a: f64, b: f64) -> Result<(), TestCaseError> {
    let (x, y, one) = (integer(a), integer(b), IBig::ONE);
    let unit = IBig::ONE << 1074; // the integer of 1.0
    assert_encloses(round::add_down(a, b), round::add_up(a, b), &(&x + &y), &one, false)?;
    assert_encloses(round::sub_down(a, b), round::sub_up(a, b), &(&x - &y), &one, false)?;
    let tiny = |v: f64| v.abs() < 1e-291;
    assert_encloses(round::mul_down(a, b), round::mul_up(a, b), &(&x * &y), &unit, tiny(a * b))?;
    if b != 0.0 {
        let (numerator, denominator) = if b < 0.0 { (-&x, -&y) } else { (x.clone(), y) };
        let loose = tiny(a) || tiny(a / b);
        assert_encloses(round::div_down(a, b), round::div_up(a, b), &(numerator * &unit), &denominator, loose)?;
    }
    if a >= 0.0 {
        // Squares: down^2 <= a <= up^2, over 2^2148.
        let (down, up) = (round::sqrt_down(a), round::sqrt_up(a));
        let radicand = &x * &unit;
        prop_assert!(integer(down) * integer(down) <= radicand && integer(up) * integer(up) >= radicand);
        prop_assert!(tiny(a) || down == up || down.next_up() == up);
    }
    Ok(())
}

/// Numbers where rounding has its corners: powers of two and their neighbours, thirds, the ends
/// of the range.
fn corners() -> Vec<f64> {
    let mut all = vec![0.0, 1.0 / 3.0, 0.1, 1e16, 3.0, f64::MAX, f64::from_bits(1), f64::from_bits((1 << 52) - 1)];
    for exponent in [-1074, -1022, -970, -969, -968, -540, -53, -1, 0, 1, 52, 53, 512, 1023] {
        let power = hex_f64(&format!("0x1p{exponent}"));
        all.extend([power, power.next_up(), power.next_down()]);
    }
    all.iter().flat_map(|&v| [v, -v]).collect()
}

#[test]
fn every_pair_of_corners_is_enclosed_by_neighbours() {
    for a in corners() {
        for b in corners() {
            check(a, b).unwrap_or_else(|e| panic!("a = {a:e}, b = {b:e}: {e}"));
        }
    }
}

proptest! {
    #[test]
    fn any_pair_is_enclosed_by_neighbours(a in any::<f64>(), b in any::<f64>()) {
        prop_assume!(a.is_finite() && b.is_finite());
        check(a, b)?;
    }

    #[test]
    fn pairs_of_ordinary_size_are_enclosed_by_neighbours(a in -1e3..1e3f64, b in -1e3..1e3f64, shift in -60i32..60) {
        check(a, b * f64::from(shift).exp2())?;
        // Exact results: small integers and dyadic fractions.
        check(a.round(), (b * 8.0).round() / 8.0)?;
    }

    #[test]
    fn sums_enclose_the_exact_sum(values in prop::collection::vec(-1e9..1e9f64, 0..40)) {
        let exact = values.iter().fold(IBig::ZERO, |sum, &v| sum + integer(v));
        prop_assert!(integer(round::sum_down(&values)) <= exact && integer(round::sum_up(&values)) >= exact);
        // Each partial sum is the nearest number on its side, as integers see it.
        let up = values.iter().fold(0.0, |sum: f64, &v| {
            let nearest = sum + v;
            if integer(nearest) < integer(sum) + integer(v) { nearest.next_up() } else { nearest }
        });
        let down = values.iter().fold(0.0, |sum: f64, &v| {
            let nearest = sum + v;
            if integer(nearest) > integer(sum) + integer(v) { nearest.next_down() } else { nearest }
        });
        prop_assert_eq!((round::sum_up(&values), round::sum_down(&values)), (up, down));
    }
}

#[test]
fn exact_results_stay_exact() {
    assert_eq!(round::add_up(0.5, 0.25), 0.75);
    assert!(round::sum_up(&[0.1; 10]) > 1.0);
    assert_eq!((round::mul_up(1.5, 1.5), round::div_up(9.0, 4.0), round::sqrt_up(2.25)), (2.25, 2.25, 1.5));
    assert_eq!(
        (round::exp_up(0.0), round::exp_down(0.0), round::ln_up(1.0), round::ln_down(1.0)),
        (1.0, 1.0, 0.0, 0.0)
    );
    assert_eq!((round::ln_1p_up(0.0), round::ln_1p_down(0.0), round::exp_up(f64::NEG_INFINITY)), (0.0, 0.0, 0.0));
}

#[test]
fn overflow_is_infinite_on_one_side_only() {
    assert_eq!((round::add_up(f64::MAX, f64::MAX), round::add_down(f64::MAX, f64::MAX)), (f64::INFINITY, f64::MAX));
    assert_eq!((round::mul_up(-1e200, 1e200), round::mul_down(-1e200, 1e200)), (f64::MIN, f64::NEG_INFINITY));
    assert_eq!((round::div_up(-1e200, 1e-200), round::div_down(1e200, 1e-200)), (f64::MIN, f64::MAX));
    assert!(round::exp_up(710.0) == f64::INFINITY && round::exp_down(710.0) < f64::INFINITY);
    assert!(round::exp_up(-800.0) > 0.0 && round::exp_down(-800.0) == 0.0);
    assert!(round::add_up(f64::NAN, 1.0).is_nan() && round::sqrt_up(-1.0).is_nan() && round::ln_up(-1.0).is_nan());
}

/// An infinite argument is no overflow, and neither is a quotient by 0.
#[test]
fn infinite_arguments_are_taken_at_their_word() {
    for infinite in [f64::INFINITY, f64::NEG_INFINITY] {
        for b in corners() {
            assert_eq!((round::add_up(infinite, b), round::add_down(infinite, b)), (infinite, infinite), "{b:e}");
            assert_eq!((round::add_up(b, infinite), round::add_down(b, infinite)), (infinite, infinite), "{b:e}");
            assert_eq!((round::sub_up(infinite, b), round::sub_down(b, infinite)), (infinite, -infinite), "{b:e}");
            if b != 0.0 {
                let product = infinite * b;
                assert_eq!((round::mul_up(infinite, b), round::mul_down(infinite, b)), (product, product), "{b:e}");
                assert_eq!((round::mul_up(b, infinite), round::mul_down(b, infinite)), (product, product), "{b:e}");
                assert_eq!((round::div_up(infinite, b), round::div_down(infinite, b)), (product, product), "{b:e}");
                assert_eq!((round::div_up(b, 0.0), round::div_down(b, 0.0)), (b / 0.0, b / 0.0), "{b:e}");
            }
            assert_eq!((round::div_up(b, infinite), round::div_down(b, infinite)), (0.0, 0.0), "{b:e}");
        }
    }
    let (most, least) = (f64::INFINITY, f64::NEG_INFINITY);
    assert_eq!((round::sqrt_up(most), round::sqrt_down(most)), (most, most));
    assert_eq!((round::exp_up(most), round::exp_down(most), round::exp_down(least)), (most, most, 0.0));
    assert_eq!(
        (round::ln_up(most), round::ln_down(most), round::ln_up(0.0), round::ln_down(0.0)),
        (most, most, least, least)
    );
    assert_eq!((round::ln_1p_up(most), round::ln_1p_down(most)), (most, most));
    assert_eq!((round::ln_1p_up(-1.0), round::ln_1p_down(-1.0)), (least, least));
}

/// Where a remainder may underflow, a result is widened without asking: but not that of 0.
#[test]
fn zeros_stay_exact() {
    for b in corners() {
        assert_eq!((round::mul_up(0.0, b), round::mul_down(0.0, b)), (0.0, 0.0), "{b:e}");
        assert_eq!((round::mul_up(b, 0.0), round::mul_down(b, 0.0)), (0.0, 0.0), "{b:e}");
        if b != 0.0 {
            assert_eq!((round::div_up(0.0, b), round::div_down(0.0, b)), (0.0, 0.0), "{b:e}");
        }
    }
    assert_eq!((round::sqrt_up(0.0), round::sqrt_down(0.0)), (0.0, 0.0));
}

/// From 2^-968 on, remainders are exact, and so are results that are numbers.
#[test]
fn exact_results_at_the_threshold_of_remainders_stay_exact() {
    let [least, root, large, shift] = ["0x1p-968", "0x1p-484", "0x1p-900", "0x1p122"].map(hex_f64);
    for a in [least, -least] {
        assert_eq!((round::mul_up(a, 1.0), round::mul_down(a, 1.0)), (a, a));
        assert_eq!((round::div_up(a, 1.0), round::div_down(a, 1.0)), (a, a));
    }
    assert_eq!((round::sqrt_up(least), round::sqrt_down(least)), (root, root));
    // A quotient that is the least normal number.
    let quotient = f64::MIN_POSITIVE;
    assert_eq!((round::div_up(large, shift), round::div_down(large, shift)), (quotient, quotient));
}

#[test]
fn elementary_functions_enclose_values_known_to_four_hundred_digits() {
    for line in fixtures::text("core/directed.txt").lines().skip(1) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (x, floor) = (hex_f64(words[1]), hex_f64(words[2]));
        let (down, up) = match words[0] {
            "exp" => (round::exp_down(x), round::exp_up(x)),
            "ln" => (round::ln_down(x), round::ln_up(x)),
            "ln_1p" => (round::ln_1p_down(x), round::ln_1p_up(x)),
            other => panic!("unknown function {other}"),
        };
        // The exact value is above `floor` and below its neighbour.
        assert!(down <= floor && up > floor, "{line}: [{down:e}, {up:e}]");
        let widest = (0..4).fold(down, |v, _| v.next_up());
        assert!(up <= widest, "{line}: [{down:e}, {up:e}] is wide");
    }
}

/// The integers around every power of two, where doubles become sparser.
fn integers_at_the_ends_of_binades() -> Vec<u128> {
    let at = |bit: u32| [1_u128 << bit, (1 << bit) + 1, (1 << bit) + 3, (1_u128 << bit) - 1, u128::MAX >> bit];
    (2..128).flat_map(at).chain([0, 1, u128::MAX, u128::MAX - 1]).collect()
}

/// As a big integer, since a double may be 2^128.
fn check_integer(n: u128) -> Result<(), TestCaseError> {
    let (down, up) = (round::integer_down(n), round::integer_up(n));
    let exact = IBig::from(n) << UNIT;
    prop_assert!(integer(down) <= exact && exact <= integer(up), "{n}: [{down:e}, {up:e}]");
    let nearest = if integer(down) == exact { down } else { down.next_up() };
    prop_assert_eq!(up, nearest, "{} in [{:e}, {:e}]", n, down, up);
    Ok(())
}

#[test]
fn integers_are_enclosed_by_neighbours_and_exact_ones_stay_as_they_are() {
    for n in integers_at_the_ends_of_binades() {
        check_integer(n).unwrap();
    }
    let first = 1_u128 << 53; // from here on, doubles are two apart
    assert_eq!((round::integer_down(first + 1), round::integer_up(first + 1)), (first as f64, (first + 2) as f64));
    assert_eq!(round::integer_up(u128::MAX), hex_f64("0x1p128"));
}

proptest! {
    #[test]
    fn any_integer_is_enclosed_by_neighbours(n in any::<u128>(), shift in 0_u32..128) {
        check_integer(n >> shift)?;
    }
}
