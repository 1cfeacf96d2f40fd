//! (4) to (6) step by step, every sum, product and quotient rounded by comparing integers: a
//! rounding that goes the other way shows in the last bit, also where the room that logarithms
//! have hides it from the exact value.

use super::draws;
use crate::accounting::tests::exact::{
    ln_1p_below, loss_above, product_above, quotient_above, quotient_below, size, sum_above, sum_below,
};
use crate::accounting::zcdp::{best_order, epsilon, epsilon_at, from_pure, ln_delta_at, rho, rho_at};
use crate::param::{Delta, Epsilon, Rho};
use crate::rng::SimRng;

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
