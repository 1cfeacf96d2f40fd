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

/// Of a delta within 2^-44 of 1 the logarithm has more digits than the error that is added.
#[test]
fn the_error_of_the_curve_is_added_upwards_where_delta_is_nearly_1() {
    for step in 0..64 {
        let c = 200.0 + f64::from(step);
        assert_eq!(ln_delta(cost_of(c), epsilon_of(0.1)), ln_bound_replayed(c, 0.1), "{c}");
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

/// The factor that goes with an exponent. `near^2 / 2 = (epsilon - c / 2)^2 / (2 c)` is rational;
/// what the exponent lacks of it is the factor's.
fn factor_wanted(c: f64, e: f64, exponent: f64) -> f64 {
    // Over 2^1075 for the gap; twice the exponent of e^(-near^2 / 2), over 2^1074.
    let gap = (integer(e) << 1) - integer(c);
    let twice = (&gap * &gap).div_euclid(integer(c) << 2);
    let rest = 0.5 * as_number(&(twice - (integer(exponent) << 1)));
    let (near, mu) = ((e - 0.5 * c) / c.sqrt(), c.sqrt());
    let end = 2.0 * DECAY / (near + (near * near + 2.0 * DECAY).sqrt());
    let integral = integrate_exp(end, |t| t * (near + 0.5 * t), |t| -libm::expm1(-mu * t));
    INV_SQRT_2_PI * integral * libm::exp(-rest)
}

#[test]
fn the_exponent_is_exact_far_out() {
    let mut rng = SimRng::for_trial(3, "curve exponent", 0);
    for _ in 0..400 {
        let c = size(&mut rng, (-12.0, 8.0));
        let e = 0.5 * c + c.sqrt() * size(&mut rng, (4.0, 19.0));
        let Scaled { factor, exponent } = curve(c, e);
        let want = factor_wanted(c, e, exponent);
        assert!((factor / want - 1.0).abs() < 1e-12, "{c:e} {e:e}: {factor:e} for {want:e}");
    }
}

/// The quotient of some is the farthest point itself, to the last place, and its remainder below 0:
/// the exact delta is above that of the farthest point.
#[test]
fn delta_is_not_below_the_exact_one_at_the_farthest_point() {
    let (mut rng, mut before) = (SimRng::for_trial(4, "curve exponent", 0), 0);
    for _ in 0..400 {
        let c = size(&mut rng, (-4.0, 4.0));
        let e = 0.5 * c + c.sqrt() * FARTHEST;
        let Scaled { factor, exponent } = curve(c, e);
        let want = factor_wanted(c, e, exponent);
        assert!(factor >= want * (1.0 - 1e-12), "{c:e} {e:e}: {factor:e} for {want:e}");
        before +=
            u32::from((e - 0.5 * c) / c.sqrt() == FARTHEST && want > factor_wanted(1.0, FARTHEST + 0.5, exponent));
    }
    assert!(before > 20, "{before}");
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
fn a_delta_near_1_leaves_a_cost_that_is_not_wasteful() {
    for e in [1e-6, 1e-3, 0.1, 3.0] {
        let d = delta_of(1.0 - 1e-9);
        let c = cost(epsilon_of(e), d).unwrap().get();
        assert!(delta(cost_of(c), epsilon_of(e)).unwrap() <= d, "{e:e}");
        assert!(ln_delta(cost_of(1.001 * c), epsilon_of(e)) > libm::log(d.get()), "{e:e}: {c:e}");
    }
}

/// A delta that gives `LEAST` as the cost at which the search begins.
#[test]
fn a_cost_that_begins_at_the_least_number_is_found() {
    let about = (LEAST / 6.0).sqrt();
    let all = std::iter::successors(Some(about * (1.0 - 1e-14)), |d| Some(d.next_up())).take(200);
    let exact: Vec<f64> = all.filter(|d| 6.0 * d * d == LEAST).collect();
    assert!(!exact.is_empty());
    for d in exact {
        assert!(cost(epsilon_of(1e-300), delta_of(d)).is_ok(), "{d:e}");
        assert!(cost(epsilon_of(1e-300), delta_of(d * (1.0 - 1e-15))).is_err(), "{d:e}");
    }
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
