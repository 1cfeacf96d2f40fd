//! The parameter of the noise on integers beside the exact fraction, and what noise is refused.

use std::sync::Arc;

use dashu_int::IBig;
use privacy_core::noise::Rational;
use privacy_core::rng::{SimRng, below};
use privacy_core::{AttrSet, Domain};

use crate::measurement::lattice::{check_noise, lattice_variance};
use crate::strategy::axes::Axes;
use crate::strategy::axis::{Axis, DIGITS};
use crate::tests::exact::{Fraction, dense_axis};

#[test]
fn the_parameter_is_rounded_down_and_within_some_units() {
    let mut rng = SimRng::for_trial(1, "resplan lattice", 0);
    let (sizes, dense) = ([7, 12], 2);
    let all = [Axis::identity(sizes[0]), Axis::identity(sizes[1]), dense_axis(3, false, &mut rng)];
    let axes = Axes::new(all.map(Arc::new).to_vec());
    for _ in 0..2_000 {
        let [numerator, denominator] = [(); 2].map(|()| {
            let bits = 1 + below(62, &mut rng);
            1 + below(1 << bits, &mut rng) as u128
        });
        let sigma2 = Rational::new(numerator, denominator).unwrap();
        for set in AttrSet::first(3).subsets() {
            let identity: usize = set.iter().filter(|&i| i != dense).map(|i| sizes[i]).product();
            let doublings = if set.contains(dense) { DIGITS as usize } else { 0 };
            let unit = (IBig::from(identity) * IBig::from(identity)) << (2 * doublings);
            let exact = Fraction::new(IBig::from(numerator) * unit, denominator);
            let got = Fraction::of(lattice_variance(&axes, set, sigma2).unwrap());
            assert!(got <= exact && got.plus_units(5, &exact) >= exact, "{set:?} {sigma2:?}");
        }
    }
}

#[test]
fn noise_that_cannot_be_drawn_is_refused_beforehand() {
    let mut rng = SimRng::for_trial(2, "resplan lattice", 0);
    let identity = Axes::identity(&Domain::of_cardinalities(&[4]).unwrap());
    let dense = Axes::new(vec![Arc::new(dense_axis(3, false, &mut rng))]);
    let set = AttrSet::first(1);
    for axes in [&identity, &dense] {
        assert!(check_noise(axes, set, Rational::ZERO).is_err(), "no noise");
        assert!(check_noise(axes, set, Rational::ONE).is_ok());
    }
    // gamma^2 is 4^2 sigma^2 and below 2^100; along the other, no fraction is too large.
    assert!(check_noise(&identity, set, Rational::new(1 << 96, 1).unwrap()).is_err());
    assert!(check_noise(&identity, set, Rational::new((1 << 96) - 1, 1).unwrap()).is_ok());
    assert!(check_noise(&dense, set, Rational::new(1 << 96, 1).unwrap()).is_ok());
}
