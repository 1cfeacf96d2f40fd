//! The margin for rounding of the cost over all sets of attributes that differ, and up to how many
//! attributes it is computed.
//!
//! Attributes whose columns have powers of two for lengths and inner products, and variances that
//! are powers of two: every number before the margin is exact.

use ndarray::array;
use privacy_core::AttrSet;
use privacy_core::rng::{SimRng, below};

use super::{REPLACE, axes_of, pair_cost};
use crate::QueryBasis;
use crate::planning::cost::{EXACT_REPLACE_ATTRIBUTES, total_cost, worst_cost};
use crate::strategy::axes::Axes;
use crate::strategy::axis::Axis;
use crate::tests::exact::Fraction;

/// Columns `4` and `-4`: `p` is 16, `c` is -16.
fn long_axis() -> Axis {
    Axis::of_integers(QueryBasis::Prefix, array![[4, -4]], 0, 0.0).unwrap()
}

/// `4 slack`, with `slack = precisions (8 d + 8 + n) 2^-52` for `d` attributes and `n` residuals;
/// precisions count by the longest columns where those are longer than 1.
fn margin(axes: &Axes, attributes: usize, residuals: &[(AttrSet, f64)]) -> Fraction {
    let measured = residuals.iter().filter(|(set, _)| !set.is_empty());
    let precisions = measured.fold(Fraction::zero(), |sum, &(set, variance)| {
        let longest = axes.of(set).map(|axis| if axis.columns().0 > 1.0 { 16.0 } else { 1.0 }).product::<f64>();
        &sum + &(&Fraction::of(longest) / &Fraction::of(variance))
    });
    Fraction::zero().plus_units(4 * (8 * attributes + 8 + residuals.len()), &precisions)
}

#[test]
fn the_margin_is_what_all_roundings_come_to() {
    let mut rng = SimRng::for_trial(1, "resplan margin", 0);
    for case in 0..400 {
        let attributes = 2 + below(3, &mut rng);
        let long = below(2, &mut rng);
        let axes = (0..attributes).map(|i| if i % 2 < long { long_axis() } else { Axis::identity(2) });
        let axes = axes_of(axes.collect::<Vec<_>>());
        // Large precisions, and small ones beside which 1 is much.
        let scale = [-40, 0, 40][below(3, &mut rng)];
        let sets = AttrSet::first(attributes).subsets();
        let residuals: Vec<_> = sets.map(|set| (set, 2_f64.powi(scale + below(4, &mut rng) as i32))).collect();
        let exact = pair_cost(&axes, &residuals);
        let worst = residuals.iter().fold(Fraction::zero(), |sum, &(set, variance)| {
            &sum + &(&Fraction::of(worst_cost(&axes, set, REPLACE)) / &Fraction::of(variance))
        });
        let with_margin = &exact + &margin(&axes, attributes, &residuals);
        assert!(worst > with_margin, "case {case}: the sum of the worst costs is well above");
        let got = total_cost(&axes, &residuals, REPLACE);
        assert!(Fraction::of(got) >= with_margin, "case {case}: less than the margin");
        assert!(Fraction::of(got.next_down()) < with_margin, "case {case}: more than the margin");
    }
}

/// The worst pair for attributes 0 and 1 differs from that for their pair; the others stand alone.
fn chain(attributes: usize) -> (Axes, Vec<(AttrSet, f64)>) {
    let singles = (0..attributes).map(|i| (AttrSet::single(i), 1.0));
    let residuals = singles.chain([(AttrSet::first(2), 0.25)]).collect();
    (axes_of((0..attributes).map(|_| Axis::identity(2))), residuals)
}

#[test]
fn the_worst_pair_is_sought_up_to_the_largest_number_of_attributes() {
    let (axes, residuals) = chain(EXACT_REPLACE_ATTRIBUTES);
    // Of attributes 0 and 1, a pair differs in one: 2 for it and 4 for the residual over both.
    // 2 for each other attribute.
    let exact = 6.0 + 2.0 * (EXACT_REPLACE_ATTRIBUTES - 2) as f64;
    let got = total_cost(&axes, &residuals, REPLACE);
    assert!(got >= exact && got < exact * (1.0 + 1e-12), "{got}");
    // Above, a pair that differs in both and in one of them.
    let (axes, residuals) = chain(EXACT_REPLACE_ATTRIBUTES + 1);
    let bound = 8.0 + 2.0 * (EXACT_REPLACE_ATTRIBUTES - 1) as f64;
    let got = total_cost(&axes, &residuals, REPLACE);
    assert!(got >= bound && got < bound * (1.0 + 1e-12), "{got}");
}
