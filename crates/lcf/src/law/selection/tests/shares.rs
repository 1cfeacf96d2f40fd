//! Shares of one group: what `k` of them cost together, computed again with exact numbers, is at
//! most what all groups may cost, and hardly less.

use privacy_core::rng::SimRng;

use super::super::*;
use crate::law::tests::composed::{
    gaussian_exactly, mu_of_number_exactly, pure_exactly, reaches, sum_of_squares, together_exactly,
};
use crate::law::tests::exact::{Exact, size};

fn groups(k: u32) -> NonZeroU32 {
    NonZeroU32::new(k).unwrap()
}

/// Whether `k` times a part is at most the whole, exactly.
fn times_is_within(part: f64, k: u32, whole: f64) -> bool {
    &Exact::from(part) * &Exact::from(u128::from(k)) <= Exact::from(whole)
}

#[test]
fn basic_composition_gives_out_all_but_the_last_bit_of_epsilon_and_of_delta() {
    let mut rng = SimRng::for_trial(1, "shares of selection", 0);
    for _ in 0..200 {
        let (all, most) = (size(&mut rng, (-6.0, 3.0)), size(&mut rng, (-50.0, -0.1)));
        let k = size(&mut rng, (0.0, 12.0)) as u32;
        let share = basic(Epsilon::new(all).unwrap(), Delta::new(most).unwrap(), groups(k), 0.0);
        let Some(SelectionShare::Pure { epsilon, delta }) = share else { panic!("no share") };
        for (part, whole) in [(epsilon, all), (delta, most)] {
            assert!(times_is_within(part, k, whole), "{part:e} {k} times is more than {whole:e}");
            assert!(!times_is_within(part.next_up(), k, whole), "{part:e} is not the largest: {whole:e} {k}");
        }
    }
}

#[test]
fn a_number_leaves_the_decision_a_little_less_than_the_rest_of_the_line() {
    let mut rng = SimRng::for_trial(2, "shares of selection", 0);
    for _ in 0..200 {
        let line = size(&mut rng, (-6.0, 3.0));
        let number = line * (1.0 - size(&mut rng, (-20.0, -0.01)));
        let left = less(line, number).unwrap();
        let rest = &Exact::from(line) - &Exact::from(number);
        let given_up = (&(&rest - &Exact::from(left)) / &rest).near();
        assert!((0.9e-9..1.1e-9).contains(&given_up), "{line} {number}: {given_up}");
        // What is given up would hide a difference that is rounded up.
        assert_eq!(left, rest.below() * (1.0 - 1e-9), "{line} {number}");
    }
    assert_eq!((less(0.5, 0.0), less(0.5, 0.5), less(0.5, 0.6)), (Some(0.5), None, None));
}

/// Epsilon, delta, groups and the epsilon of a number.
const CASES: [(f64, f64, u32, f64); 10] = [
    (1.0, 1e-5, 2, 0.0),
    (1.0, 1e-5, 30, 0.0),
    (0.3, 1e-8, 5, 0.01),
    (2.0, 1e-6, 10, 0.1),
    (4.0, 0.2, 3, 0.5),
    (0.5, 1e-3, 60, 0.001),
    (3.0, 1e-10, 8, 0.0),
    (1.0, 0.3, 7, 0.0),
    (2.0, 0.05, 20, 0.02),
    (0.2, 0.6, 12, 0.003),
];

fn shares_of((epsilon, delta, k, number): (f64, f64, u32, f64)) -> Vec<SelectionShare> {
    shares(Epsilon::new(epsilon).unwrap(), Delta::new(delta).unwrap(), groups(k), number)
}

#[test]
fn pure_shares_of_all_groups_cost_delta_and_no_more() {
    let mut compared = 0;
    for case in CASES {
        let (all, most, k, number) = case;
        for share in shares_of(case).into_iter().skip(1) {
            let SelectionShare::Pure { epsilon, delta } = share else { continue };
            let line = &Exact::from(epsilon) + &Exact::from(number);
            let cost = together_exactly(delta, k, &pure_exactly(all, &line, k));
            assert!(reaches(&cost, most, 1e-6), "{case:?} {share:?}: {}", cost.near());
            compared += 1;
        }
    }
    // At a small delta, or for few groups, hardly any share but the basic one is possible.
    assert!(compared >= 9, "{compared}");
}

#[test]
fn shares_of_the_curve_cost_their_part_of_delta_and_delta_together() {
    for case in CASES {
        let (all, most, k, number) = case;
        let of_number = mu_of_number_exactly(number);
        let curves = shares_of(case).into_iter().filter_map(|share| match share {
            SelectionShare::Gaussian { mu, delta } => Some((mu, delta)),
            SelectionShare::Pure { .. } => None,
        });
        let mut parts = GAUSSIAN_PARTS.into_iter();
        for (mu, delta) in curves {
            let curve = gaussian_exactly(all, &sum_of_squares(mu, &of_number, k));
            let part = parts.next().unwrap();
            assert!(reaches(&curve, part * most * (1.0 - 0.99e-5), 2e-7), "{case:?} {part}: {}", curve.near());
            let cost = together_exactly(delta, k, &curve);
            assert!(reaches(&cost, most * (1.0 - 0.99e-5), 2e-7), "{case:?} {part}: {}", cost.near());
        }
        assert_eq!(parts.next(), None, "{case:?}: a share for each part");
    }
}

#[test]
fn shares_of_zcdp_cost_the_rho_of_their_part_and_delta_together() {
    for case in CASES {
        let (all, most, k, number) = case;
        let (epsilon, delta) = (Epsilon::new(all).unwrap(), Delta::new(most).unwrap());
        let shares = zcdp_shares(epsilon, delta, groups(k), number);
        assert_eq!(shares.len(), GAUSSIAN_PARTS.len(), "{case:?}");
        for (share, part) in shares.into_iter().zip(GAUSSIAN_PARTS) {
            let SelectionShare::Gaussian { mu, delta } = share else { panic!("{share:?}") };
            let rho = zcdp::rho(epsilon, Delta::new(part * most).unwrap()).unwrap().get();
            let squares = sum_of_squares(mu, &Exact::from(number), k);
            assert!(reaches(&squares, 2.0 * rho, 1e-11), "{case:?} {part}: {}", squares.near());
            let cost = together_exactly(delta, k, &Exact::from(part * most));
            assert!(reaches(&cost, most, 1e-7), "{case:?} {part}: {}", cost.near());
        }
    }
}

#[test]
fn the_mu_of_a_decision_and_of_its_number_are_within_the_line() {
    let mut rng = SimRng::for_trial(3, "shares of selection", 0);
    for _ in 0..200 {
        let line = size(&mut rng, (-20.0, 2.0));
        // From none of the line to nearly all of it.
        let number = (line * (1.0 - size(&mut rng, (-12.0, 0.0)))).sqrt();
        for number in [0.0, number] {
            let mu = mu_beside(line, number).unwrap();
            let squares = sum_of_squares(mu, &Exact::from(number), 1);
            assert!(reaches(&squares, line, 4e-12), "{line} {number}: {}", squares.near());
        }
    }
    assert_eq!((mu_beside(0.0, 0.0), mu_beside(0.25, 0.5), mu_beside(0.2, 0.5)), (None, None, None));
}

#[test]
fn shares_of_epsilon_go_from_basic_composition_to_all_of_it_with_equal_ratios() {
    for k in [2, 7] {
        // Delta allows a decision everything, so that no share of the grid is left out.
        let (all, steps) = (0.8, f64::from(PURE_STEPS));
        let found = shares_of((all, 0.9, k, 0.0)).into_iter().filter_map(|share| match share {
            SelectionShare::Pure { epsilon, .. } => Some(epsilon),
            SelectionShare::Gaussian { .. } => None,
        });
        let found: Vec<f64> = found.collect();
        assert_eq!(found.len(), PURE_STEPS as usize);
        let ratio = libm::exp(libm::log(f64::from(k)) / steps);
        for pair in found.windows(2).chain([[found[found.len() - 1], all].as_slice()]) {
            assert!((pair[1] / pair[0] / ratio - 1.0).abs() < 1e-13, "{k}: {pair:?}");
        }
    }
}
