//! (4) to (6) against exact arithmetic: a rounding in the wrong direction shows, although it moves
//! an answer by one unit in the last place.
//!
//! Other roundings on the right side hide a wrong one most of the time, so each formula is looked
//! at some thousand times, where its terms are of unequal sizes: then the few units that a
//! logarithm is widened by are below the last place of the answer.

mod replay;

use dashu_int::IBig;
use dashu_int::ops::DivEuclid;

use super::*;
use crate::accounting::tests::exact::size;
use crate::rng::SimRng;

/// Binary digits behind the point.
const DIGITS: usize = 400;

/// A number in fixed point; every `f64` of these tests is one exactly.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
struct Fixed(IBig);

impl Fixed {
    fn of(v: f64) -> Self {
        let bits = v.abs().to_bits();
        let (exponent, fraction) = (bits >> 52, bits & ((1 << 52) - 1));
        assert!(exponent > 0 || fraction == 0, "no subnormal number is drawn");
        if v == 0.0 {
            return Self(IBig::ZERO);
        }
        let magnitude = IBig::from(fraction | 1 << 52);
        // A number is its fraction times 2 to the power exponent - 1075.
        let magnitude = magnitude << (exponent as usize + DIGITS - 1_075);
        Self(if v < 0.0 { -magnitude } else { magnitude })
    }

    fn plus(&self, other: &Self) -> Self {
        Self(&self.0 + &other.0)
    }

    fn minus(&self, other: &Self) -> Self {
        Self(&self.0 - &other.0)
    }

    fn times(&self, other: &Self) -> Self {
        Self((&self.0 * &other.0) >> DIGITS)
    }

    /// Rounded down; `other` is positive.
    fn over(&self, other: &Self) -> Self {
        Self((&self.0 << DIGITS).div_euclid(&other.0))
    }

    /// `ln(1 + x)` of `x >= 0` to more digits than any `f64` here has: `2 atanh(x / (2 + x))`.
    fn ln_1p(&self) -> Self {
        let two = Self::of(2.0);
        let z = self.over(&self.plus(&two));
        let (square, mut power, mut sum) = (z.times(&z), z.clone(), z);
        for odd in (3..4_000_u32).step_by(2) {
            power = power.times(&square);
            // 110 digits behind the point are enough.
            if power.0 < IBig::ONE << (DIGITS - 110) {
                break;
            }
            sum = sum.plus(&Self(&power.0 / IBig::from(odd)));
        }
        Self(sum.0 << 1)
    }
}

fn ln_delta_exactly(beta: f64, rho: f64, epsilon: f64) -> Fixed {
    let [b, r, e, one] = [beta, rho, epsilon, 1.0].map(Fixed::of);
    let inner = b.times(&r).plus(&r).minus(&e).minus(&one.over(&b).ln_1p());
    b.times(&inner).minus(&b.ln_1p())
}

fn epsilon_exactly(beta: f64, rho: f64, loss: f64) -> Fixed {
    let [b, r, l, one] = [beta, rho, loss, 1.0].map(Fixed::of);
    b.times(&r).plus(&r).minus(&one.over(&b).ln_1p()).plus(&l.minus(&b.ln_1p()).over(&b))
}

fn rho_exactly(beta: f64, epsilon: f64, loss: f64) -> Fixed {
    let [b, e, l, one] = [beta, epsilon, loss, 1.0].map(Fixed::of);
    e.plus(&one.over(&b).ln_1p()).minus(&l.minus(&b.ln_1p()).over(&b)).over(&one.plus(&b))
}

/// Two sides of the exact value, and how far apart: `answer` is on the safe side of it, by at
/// most `units` of the largest term.
#[track_caller]
fn assert_beside(answer: f64, exact: &Fixed, is_up: bool, largest: f64, units: f64, case: [f64; 3]) {
    // What truncation of a quotient or a series may leave out, far below any last place.
    let hair = Fixed(IBig::ONE << (DIGITS - 100));
    let above = Fixed::of(answer).minus(exact);
    let safe = if is_up { above.plus(&hair).0 >= IBig::ZERO } else { above.minus(&hair).0 <= IBig::ZERO };
    assert!(safe, "{answer:e} is on the wrong side at {case:?}");
    let most = Fixed::of(units * f64::EPSILON * largest);
    let distance = if above.0 < IBig::ZERO { -above.0.clone() } else { above.0.clone() };
    assert!(distance <= most.0, "{answer:e} is far away at {case:?}");
}

/// Orders and sizes under which each term is the largest one now and then. Logarithms have two
/// units to spare: among terms a thousand times larger these do not show.
fn draws(seed: u64, cases: u32) -> impl Iterator<Item = [f64; 3]> {
    let mut rng = SimRng::for_trial(seed, "zcdp rounding", 0);
    (0..cases).map(move |_| [(-6.0, 3.0), (4.0, 30.0), (4.0, 30.0)].map(|range| size(&mut rng, range)))
}

#[test]
fn delta_is_not_below_the_exponential_of_its_logarithm() {
    let one = Fixed::of(1.0);
    let mut compared = 0;
    for step in 1..=400 {
        let (rho, epsilon) = (Rho::new(f64::from(step) / 256.0), Epsilon::new(f64::from(step % 20 + 1) / 16.0));
        let (rho, epsilon) = (rho.unwrap(), epsilon.unwrap());
        // The series of the logarithm wants a delta above 1/32.
        let Some(own) = delta(rho, epsilon).ok().filter(|own| own.get() > 1.0 / 32.0) else { continue };
        let minus_ln = one.over(&Fixed::of(own.get())).minus(&one).ln_1p();
        assert!(minus_ln <= Fixed::of(-ln_delta(rho, epsilon)), "{rho:?} {epsilon:?}");
        compared += 1;
    }
    assert!(compared > 100, "{compared} compared");
}

#[test]
fn ln_delta_is_on_its_safe_side_to_the_last_place() {
    for [beta, rho, epsilon] in draws(1, 3_000) {
        let largest = (1.0 + beta) * ((1.0 + beta) * rho + epsilon);
        let case = [beta, rho, epsilon];
        assert_beside(ln_delta_at(beta, rho, epsilon), &ln_delta_exactly(beta, rho, epsilon), true, largest, 8.0, case);
    }
}

#[test]
fn epsilon_is_on_its_safe_side_to_the_last_place() {
    for [beta, rho, loss] in draws(2, 3_000) {
        let largest = (1.0 + beta) * rho + loss / beta;
        let case = [beta, rho, loss];
        assert_beside(epsilon_at(beta, rho, loss), &epsilon_exactly(beta, rho, loss), true, largest, 8.0, case);
    }
}

#[test]
fn rho_is_on_its_safe_side_to_the_last_place() {
    for [beta, epsilon, loss] in draws(3, 6_000) {
        let largest = (epsilon + loss / beta) / (1.0 + beta);
        let case = [beta, epsilon, loss];
        // What is below 0 is refused, and its quotient is not rounded for it.
        if epsilon <= loss / beta {
            continue;
        }
        assert_beside(rho_at(beta, epsilon, loss), &rho_exactly(beta, epsilon, loss), false, largest, 8.0, case);
    }
}

/// Where nothing but the logarithms is left, the answers tell on which side these were taken.
#[test]
fn logarithms_are_taken_on_their_safe_side() {
    let mut rng = SimRng::for_trial(4, "zcdp rounding", 0);
    for _ in 0..400 {
        let beta = size(&mut rng, (-6.0, 3.0));
        let tiny = 2f64.powi(-80);
        let case = [beta, tiny, tiny];
        let largest = 1.0 + beta + 1.0 / beta;
        assert_beside(ln_delta_at(beta, tiny, tiny), &ln_delta_exactly(beta, tiny, tiny), true, largest, 16.0, case);
        assert_beside(epsilon_at(beta, tiny, tiny), &epsilon_exactly(beta, tiny, tiny), true, largest, 16.0, case);
        if beta < 4.0 {
            // ln(1 + 1/beta) + ln(1 + beta) / beta, over 1 + beta.
            assert_beside(rho_at(beta, tiny, tiny), &rho_exactly(beta, tiny, tiny), false, largest, 16.0, case);
        }
    }
}

#[test]
fn the_charge_of_pure_noise_is_the_least_number_above_half_its_square() {
    let mut rng = SimRng::for_trial(5, "zcdp rounding", 0);
    for _ in 0..1_000 {
        let epsilon = size(&mut rng, (-10.0, 10.0));
        let rho = from_pure(Epsilon::new(epsilon).unwrap()).unwrap().get();
        let e = Fixed::of(epsilon);
        let exact = Fixed(e.times(&e).0 >> 1);
        assert!(Fixed::of(rho) >= exact && Fixed::of(rho.next_down()) < exact, "{epsilon:e}");
    }
}

/// The oracle: logarithms known to more digits than a number has.
#[test]
fn the_oracle_knows_its_logarithms() {
    // ln 2, and ln(9/8): their first 60 binary digits, rounded down.
    for (x, ln) in [(1.0, std::f64::consts::LN_2), (0.125, 0.117_783_035_656_383_45)] {
        let found = Fixed::of(x).ln_1p();
        assert!(found > Fixed::of(f64::next_down(ln)) && found < Fixed::of(f64::next_up(ln)), "{x}");
    }
}

/// Epsilons around the one whose budget is the least number there is.
#[test]
fn the_least_budget_is_given_and_what_is_less_is_refused() {
    let delta = Delta::new(1.2e-154).unwrap();
    let budget = |epsilon: f64| rho(Epsilon::new(epsilon).unwrap(), delta).ok().map(Rho::get);
    let (mut low, mut high) = (1e-160, 1e-150);
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        *(if budget(middle).is_some() { &mut high } else { &mut low }) = middle;
    }
    let around = std::iter::successors(Some(high * (1.0 - 1e-14)), |e| Some(e.next_up())).take(200);
    let found: Vec<Option<f64>> = around.map(budget).collect();
    assert!(found.contains(&None) && found.contains(&Some(LEAST)) && found.iter().flatten().all(|&rho| rho >= LEAST));
}
