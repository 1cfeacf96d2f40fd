//! The roundings around the curve, its exponent in exact arithmetic, and where its inverses begin.

use dashu_int::IBig;
use dashu_int::ops::DivEuclid;

use super::*;
use crate::accounting::tests::exact::{exp_above, integer, loss_above, product_above, size, sum_above};
use crate::rng::SimRng;

fn cost_of(c: f64) -> PrivacyCost {
    PrivacyCost::new(c).expect("a cost")
}

fn epsilon_of(e: f64) -> Epsilon {
    Epsilon::new(e).expect("an epsilon")
}

fn delta_of(d: f64) -> Delta {
    Delta::new(d).expect("a delta")
}

/// At least the logarithm of delta, from the curve as it is.
fn ln_bound_replayed(c: f64, e: f64) -> f64 {
    let Scaled { factor, exponent } = curve(c, e);
    let ln = libm::log(factor).next_up().next_up();
    sum_above(sum_above(ln, CURVE_ERROR), -exponent)
}

#[test]
fn delta_and_its_logarithm_are_rounded_up() {
    let mut rng = SimRng::for_trial(1, "curve rounding", 0);
    for _ in 0..400 {
        let (c, e) = (size(&mut rng, (-6.0, 3.0)), size(&mut rng, (-6.0, 3.0)));
        let Scaled { factor, exponent } = curve(c, e);
        let want = product_above(product_above(factor, 1.0 + CURVE_ERROR), exp_above(-exponent));
        if want < 1e-280 {
            continue; // products are widened by one step there
        }
        match delta(cost_of(c), epsilon_of(e)) {
            Ok(found) => assert_eq!(found.get(), want.max(LEAST), "{c:e} {e:e}"),
            Err(_) => assert!(want >= 1.0, "{c:e} {e:e}"),
        }
        assert_eq!(ln_delta(cost_of(c), epsilon_of(e)), ln_bound_replayed(c, e), "{c:e} {e:e}");
    }
}

/// The logarithm of delta is taken down before it is inverted, by up to four units in the last
/// place: what is found holds for that one.
#[test]
fn what_is_found_holds_at_a_logarithm_that_is_rounded_down() {
    let mut rng = SimRng::for_trial(2, "curve rounding", 0);
    for _ in 0..4_000 {
        let (x, d) = (size(&mut rng, (-4.0, 4.0)), size(&mut rng, (-60.0, -4.0)));
        let target = -loss_above(d);
        let e = epsilon(cost_of(x), delta_of(d)).unwrap().get();
        assert!(ln_bound(x, e) <= target, "cost {x:e}, delta {d:e}");
        let c = cost(epsilon_of(x), delta_of(d)).unwrap().get();
        assert!(ln_bound(c, x) <= target, "epsilon {x:e}, delta {d:e}");
    }
}

/// `near^2 / 2 = (epsilon - c / 2)^2 / (2 c)` is rational. What the exponent lacks of it is the
/// factor's.
#[test]
fn the_exponent_is_exact_far_out() {
    let mut rng = SimRng::for_trial(3, "curve exponent", 0);
    for _ in 0..400 {
        let c = size(&mut rng, (-12.0, 8.0));
        let e = 0.5 * c + c.sqrt() * size(&mut rng, (4.0, 19.0));
        let Scaled { factor, exponent } = curve(c, e);
        // Over 2^1075 for the gap; twice the exponent of e^(-near^2 / 2), over 2^1074.
        let gap = (integer(e) << 1) - integer(c);
        let twice = (&gap * &gap).div_euclid(integer(c) << 2);
        let rest = twice - (integer(exponent) << 1);
        let rest = 0.5 * as_number(&rest);
        let (near, mu) = ((e - 0.5 * c) / c.sqrt(), c.sqrt());
        let end = 2.0 * DECAY / (near + (near * near + 2.0 * DECAY).sqrt());
        let integral = integrate_exp(end, |t| t * (near + 0.5 * t), |t| -libm::expm1(-mu * t));
        let want = INV_SQRT_2_PI * integral * libm::exp(-rest);
        assert!((factor / want - 1.0).abs() < 1e-12, "{c:e} {e:e}: {factor:e} for {want:e}");
    }
}

/// An integer over 2^1074, to the precision of a number.
fn as_number(v: &IBig) -> f64 {
    (v >> 560).to_f64().value() * 2.0_f64.powi(-514)
}

#[test]
fn an_epsilon_far_below_the_classical_bound_is_found() {
    for (c, e) in [(1.0, 1e-6), (1.0, 1e-4), (100.0, 1e-3), (100.0, 0.05), (1e-4, 1e-9), (9.0, 3.0)] {
        let d = delta(cost_of(c), epsilon_of(e)).unwrap();
        let found = epsilon(cost_of(c), d).unwrap().get();
        assert!(found >= e * (1.0 - 1e-5) && found <= e * (1.0 + 1e-5), "{c:e}: {found:e} for {e:e}");
    }
}

#[test]
fn a_large_epsilon_leaves_a_cost_that_is_not_wasteful() {
    for e in [1e2, 1e3, 1e4, 1e6, 1e9] {
        let d = delta_of(1e-6);
        let c = cost(epsilon_of(e), d).unwrap().get();
        assert!(delta(cost_of(c), epsilon_of(e)).unwrap() <= d, "{e:e}");
        assert!(delta(cost_of(c * (1.0 + 1e-9)), epsilon_of(e)).unwrap() > d, "{e:e}: {c:e}");
    }
    assert!(cost(epsilon_of(1e308), delta_of(1e-6)).unwrap().get() > 9e307);
}

#[test]
fn a_cost_at_the_end_of_the_range_has_no_epsilon() {
    let found = epsilon(cost_of(f64::MAX), delta_of(1e-6));
    assert!(matches!(found, Err(AccountingError::NoEpsilon { .. })));
}

/// A delta whose logarithm, taken down, is the bound at the least epsilon there is.
#[test]
fn a_delta_that_suffices_to_the_last_bit_needs_no_epsilon() {
    for c in [0.01, 0.1, 1e-3] {
        let target = ln_bound(c, LEAST);
        let mut d = libm::exp(target);
        while -loss_above(d) < target {
            d = d.next_up();
        }
        while -loss_above(d) > target {
            d = d.next_down();
        }
        assert_eq!(-loss_above(d), target, "{c}");
        assert_eq!(epsilon(cost_of(c), delta_of(d)).unwrap().get(), LEAST, "{c}");
    }
}
