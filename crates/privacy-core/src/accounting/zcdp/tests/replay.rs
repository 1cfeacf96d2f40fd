//! (4) to (6) step by step, every sum, product and quotient rounded by comparing integers: a
//! rounding that goes the other way shows in the last bit, also where the room that logarithms
//! have hides it from the exact value.

use std::cmp::Ordering;

use dashu_int::IBig;

use super::{draws, size};
use crate::accounting::zcdp::{best_order, epsilon, epsilon_at, from_pure, ln_delta_at, rho, rho_at};
use crate::param::{Delta, Epsilon, Rho};
use crate::rng::SimRng;

/// `v = integer / 2^1074`, exactly.
fn integer(v: f64) -> IBig {
    let bits = v.abs().to_bits();
    let (exponent, fraction) = (bits >> 52, bits & ((1 << 52) - 1));
    let magnitude =
        if exponent == 0 { IBig::from(fraction) } else { IBig::from(fraction | 1 << 52) << (exponent as usize - 1) };
    if v < 0.0 { -magnitude } else { magnitude }
}

/// The least number that is not below a value, of which `side` says where a number is; `near` is
/// close to it.
fn least_above(near: f64, side: impl Fn(f64) -> Ordering) -> f64 {
    let mut v = near;
    while side(v).is_lt() {
        v = v.next_up();
    }
    while side(v.next_down()).is_ge() {
        v = v.next_down();
    }
    v
}

fn sum_above(a: f64, b: f64) -> f64 {
    let exact = integer(a) + integer(b);
    least_above(a + b, |v| integer(v).cmp(&exact))
}

fn product_above(a: f64, b: f64) -> f64 {
    let exact = integer(a) * integer(b);
    least_above(a * b, |v| (integer(v) << 1074).cmp(&exact))
}

/// `b` is above 0.
fn quotient_above(a: f64, b: f64) -> f64 {
    let (numerator, denominator) = (integer(a) << 1074, integer(b));
    least_above(a / b, |v| (integer(v) * &denominator).cmp(&numerator))
}

fn sum_below(a: f64, b: f64) -> f64 {
    -sum_above(-a, -b)
}

fn quotient_below(a: f64, b: f64) -> f64 {
    -quotient_above(-a, b)
}

/// Two steps below the logarithm of the library, whose error is below one.
fn ln_1p_below(x: f64) -> f64 {
    libm::log1p(x).next_down().next_down()
}

/// `ln(1 / delta)`, at least.
fn loss_above(delta: f64) -> f64 {
    -libm::log(delta).next_down().next_down()
}

fn ln_delta_replayed(beta: f64, rho: f64, epsilon: f64) -> f64 {
    let spent = sum_above(product_above(beta, rho), sum_above(rho, -epsilon));
    let inner = sum_above(spent, -ln_1p_below(quotient_below(1.0, beta)));
    sum_above(product_above(beta, inner), -ln_1p_below(beta))
}

fn epsilon_replayed(beta: f64, rho: f64, loss: f64) -> f64 {
    let spent = sum_above(product_above(beta, rho), rho);
    let rest = quotient_above(sum_above(loss, -ln_1p_below(beta)), beta);
    sum_above(sum_above(spent, -ln_1p_below(quotient_below(1.0, beta))), rest)
}

fn rho_replayed(beta: f64, epsilon: f64, loss: f64) -> f64 {
    let kept = sum_below(epsilon, ln_1p_below(quotient_below(1.0, beta)));
    let rest = quotient_above(sum_above(loss, -ln_1p_below(beta)), beta);
    quotient_below(sum_below(kept, -rest), sum_above(1.0, beta))
}

#[test]
fn every_rounding_goes_where_it_must() {
    // Terms of one size, so that a last bit anywhere is a last bit of the answer.
    let mut rng = SimRng::for_trial(6, "zcdp rounding", 0);
    let even = (0..400).map(|_| [(); 3].map(|()| size(&mut rng, (-3.0, 3.0)))).collect::<Vec<_>>();
    for case in even.into_iter().chain(draws(7, 200)) {
        let [beta, one, other] = case;
        assert_eq!(ln_delta_at(beta, one, other), ln_delta_replayed(beta, one, other), "{case:?}");
        assert_eq!(epsilon_at(beta, one, other), epsilon_replayed(beta, one, other), "{case:?}");
        assert_eq!(rho_at(beta, one, other), rho_replayed(beta, one, other), "{case:?}");
    }
}

#[test]
fn the_logarithm_of_delta_is_taken_on_its_safe_side() {
    let mut rng = SimRng::for_trial(8, "zcdp rounding", 0);
    for _ in 0..60 {
        let [spent, allowed, delta] = [(-6.0, 3.0), (-2.0, 4.0), (-40.0, -4.0)].map(|range| size(&mut rng, range));
        let loss = loss_above(delta);
        let at = Delta::new(delta).unwrap();
        let order = best_order(|beta| beta * beta * spent + libm::log1p(beta) - loss);
        let found = epsilon(Rho::new(spent).unwrap(), at).unwrap().get();
        assert_eq!(found, epsilon_replayed(order, spent, loss), "{spent:e} {delta:e}");
        let order = best_order(|beta| {
            allowed + libm::log1p(1.0 / beta) - (loss - libm::log1p(beta)) * (2.0 + 1.0 / beta) / beta
        });
        let found = rho(Epsilon::new(allowed).unwrap(), at).unwrap().get();
        assert_eq!(found, rho_replayed(order, allowed, loss), "{allowed:e} {delta:e}");
    }
}

/// Half of the least number there is has no number: it is rounded up as well.
#[test]
fn the_charge_of_a_tiny_epsilon_is_above_0() {
    let rho = from_pure(Epsilon::new(1e-200).unwrap()).unwrap().get();
    assert_eq!(rho, f64::from_bits(1));
}
