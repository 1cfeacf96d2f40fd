//! From ideal variances to those of a plan: what residuals cost, and what is scaled.

use privacy_core::noise::Rational;
use privacy_core::rng::{SimRng, below};
use privacy_core::stop::StopFlag;
use privacy_core::{AttrSet, Domain};

use super::{ADD_REMOVE, REPLACE};
use crate::planning::adjacency::Adjacency;
use crate::planning::budget::{Spending, all_measured, costs, unspent, variance_below, within_budget};
use crate::planning::closure::Closure;
use crate::planning::cost::{total_cost, worst_cost};
use crate::strategy::axes::Axes;
use crate::tests::exact::Fraction;

/// All residuals of two attributes.
fn closure() -> (Axes, Closure) {
    let axes = Axes::identity(&Domain::of_cardinalities(&[2, 3]).unwrap());
    let closure = Closure::new(&axes, &[(AttrSet::first(2), 1.0)], &StopFlag::never()).unwrap();
    (axes, closure)
}

#[test]
fn rows_of_a_person_cost_their_square() {
    let (axes, closure) = closure();
    for adjacency in [ADD_REMOVE, REPLACE] {
        let adjacency = Adjacency { rows_per_person: 3, ..adjacency };
        let want: Vec<f64> = closure.sets().iter().map(|&set| 9.0 * worst_cost(&axes, set, adjacency)).collect();
        assert_eq!(costs(&axes, &closure, adjacency), want);
        assert!(want.iter().all(|&cost| cost > 0.0));
    }
}

#[test]
fn what_no_answer_needs_gets_a_millionth_of_the_least_precision() {
    assert_eq!(all_measured(vec![1.0, f64::INFINITY, 4.0, 0.0]), [1.0, 4e6, 4.0, 0.0]);
}

#[test]
fn a_budget_that_is_spent_to_the_last_bit_is_not_scaled() {
    let axes = Axes::identity(&Domain::of_cardinalities(&[2]).unwrap());
    let closure = Closure::new(&axes, &[(AttrSet::EMPTY, 1.0)], &StopFlag::never()).unwrap();
    // The total alone: 1 over its variance, exactly.
    let (variances, cost) = within_budget(&axes, &closure, ADD_REMOVE, &[4.0], Spending::cost(0.25)).unwrap();
    assert_eq!((variances, cost), (vec![Rational::new(4, 1).unwrap()], 0.25));
}

#[test]
fn only_the_cost_of_replaced_rows_may_be_unspent() {
    let (axes, closure) = closure();
    let variances = [0.0, 1.0, 2.0, 3.0];
    let residuals: Vec<(AttrSet, f64)> = closure.sets().iter().copied().zip(variances).collect();
    let share = unspent(&axes, &closure, REPLACE, &variances, 2.0);
    assert_eq!(share, total_cost(&axes, &residuals, REPLACE) / 2.0);
    assert!(share != 1.0);
    // Nothing is measured with noise: there is nothing to make smaller.
    assert_eq!(unspent(&axes, &closure, REPLACE, &[0.0; 4], 2.0), 1.0);
    // A row that is added or removed costs the sum of the residuals' costs.
    assert_eq!(unspent(&axes, &closure, ADD_REMOVE, &[1.0, 1.0, 2.0, 3.0], 100.0), 1.0);
}

/// Any integer of at most 127 bits.
fn some_integer(rng: &mut SimRng) -> u128 {
    let [high, low] = [(); 2].map(|()| below(1 << 63, rng) as u128);
    (high << 64 | low) >> below(127, rng) | 1
}

#[test]
fn a_variance_that_no_number_has_is_rounded_down() {
    let mut rng = SimRng::for_trial(1, "resplan variance", 0);
    for _ in 0..5_000 {
        let [numerator, denominator] = [some_integer(&mut rng), some_integer(&mut rng)];
        let got = variance_below(Rational::new(numerator, denominator).unwrap());
        let exact = Fraction::new(numerator, denominator);
        assert!(Fraction::of(got) <= exact, "{numerator}/{denominator}");
        assert!(Fraction::of(got).plus_units(3, &exact) >= exact, "{numerator}/{denominator}");
        if let Ok(number) = Rational::round_up(got, 53) {
            assert_eq!(variance_below(number), got, "a number is itself");
        }
    }
    assert_eq!(variance_below(Rational::ZERO).to_bits(), 0);
    let largest = variance_below(Rational::new(u128::MAX, 1).unwrap());
    assert_eq!(largest, 128_f64.exp2().next_down());
    assert_eq!(variance_below(Rational::new(1, u128::MAX).unwrap()), (-128_f64).exp2());
}
