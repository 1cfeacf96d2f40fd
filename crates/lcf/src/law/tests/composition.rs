//! Bounds of compositions are on their side of the exact numbers, by hardly more than their slack.

use std::num::NonZeroU32;

use privacy_core::param::Epsilon;
use privacy_core::rng::SimRng;

use super::composed::{
    gaussian_exactly, mu_of_number_exactly, pure_exactly, reaches, sum_of_squares, together_exactly,
};
use super::exact::{Exact, size};
use crate::law::composition::{each, gaussian, mu_of_line, mu_of_number, pure, together};

fn groups(k: u32) -> NonZeroU32 {
    NonZeroU32::new(k).unwrap()
}

/// Whether a bound is at least a value, and more by this part of it at most.
fn covers(bound: f64, value: &Exact, more: f64) -> bool {
    Exact::from(bound) >= *value && bound <= value.near() * (1.0 + more)
}

#[test]
fn sums_over_answers_are_rounded_up_by_their_slack() {
    let mut rng = SimRng::for_trial(1, "bounds of compositions", 0);
    for _ in 0..60 {
        let (epsilon, k) = (size(&mut rng, (-3.0, 2.0)), size(&mut rng, (0.0, 6.0)) as u32);
        // Between basic composition, under which nothing is left, and all of epsilon.
        let one = epsilon * f64::from(k).powf(-size(&mut rng, (-6.0, -0.1)));
        let exact = pure_exactly(epsilon, &Exact::from(one), k);
        assert!(covers(pure(epsilon, one, groups(k)), &exact, 1.1e-9), "{epsilon} {one} {k}: {}", exact.near());
    }
}

#[test]
fn curves_and_the_mu_of_lines_are_rounded_up() {
    let mut rng = SimRng::for_trial(2, "bounds of compositions", 0);
    for _ in 0..60 {
        let (mu, number) = (size(&mut rng, (-4.0, 0.0)), size(&mut rng, (-30.0, 3.0)));
        let of_number = mu_of_number_exactly(number);
        // A number of hardly any epsilon has a vertex next to 1/2, whose last bit is worth 1e-15.
        let found = mu_of_number(number);
        assert!(Exact::from(found) >= of_number && found <= of_number.near() * (1.0 + 1.1e-9) + 1.1e-12, "{number}");
        let line = mu_of_line(mu, number);
        let square = sum_of_squares(mu, &of_number, 1);
        assert!(covers(line, &square.root(), 3e-9) && line >= mu, "{mu} {number}: {line}");
        let k = size(&mut rng, (0.0, 4.0)) as u32;
        let epsilon = mu * f64::from(k).sqrt() * size(&mut rng, (-3.0, 2.5));
        let exact = gaussian_exactly(epsilon, &sum_of_squares(mu, &Exact::from(0.0), k));
        let bound = gaussian(Epsilon::new(epsilon).unwrap(), mu, groups(k));
        assert!(covers(bound, &exact, 1e-11), "{epsilon} {mu} {k}: {bound} {}", exact.near());
    }
}

#[test]
fn delta_of_all_is_rounded_up_and_delta_of_one_is_rounded_down() {
    let mut rng = SimRng::for_trial(3, "bounds of compositions", 0);
    for _ in 0..200 {
        let (one, rest) = (size(&mut rng, (-50.0, -0.1)), Exact::from(size(&mut rng, (-50.0, -0.1))));
        let k = size(&mut rng, (0.0, 9.0)) as u32;
        let exact = together_exactly(one, k, &rest);
        assert!(covers(together(one, groups(k), rest.near()), &exact, 1.1e-9), "{one:e} {k}: {}", exact.near());
        let delta = size(&mut rng, (-50.0, -0.01));
        let rest = delta * (1.0 - size(&mut rng, (-12.0, 0.0)));
        let one = each(delta, groups(k), rest).unwrap();
        assert!(reaches(&together_exactly(one, k, &Exact::from(rest)), delta, 1e-8), "{delta:e} {k} {rest:e}");
    }
    assert_eq!(each(f64::from_bits(1), groups(3), 0.0), None, "a third of the least number is no number");
}
