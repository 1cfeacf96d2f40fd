//! What a residual costs, step by step, every sum, product and quotient rounded by comparing
//! integers: a rounding that goes the other way shows in the last bit, also where the steps up
//! that come before hide it from the exact value.

use ndarray::array;
use privacy_core::AttrSet;
use privacy_core::rng::{SimRng, below};

use super::{ADD_REMOVE, REPLACE, axes_of};
use crate::QueryBasis;
use crate::planning::cost::worst_cost;
use crate::strategy::axes::Axes;
use crate::strategy::axis::Axis;
use crate::tests::exact::{dense_axis, product_above, quotient_above, some_axis, sum_above};

fn length_replayed(axes: &Axes, set: AttrSet) -> f64 {
    axes.of(set).fold(1.0, |p, axis| product_above(p, axis.columns().0.next_up()))
}

/// The largest `-c / p` of an attribute alone, or all `c` together where none is below 0.
fn pair_replayed(axes: &Axes, set: AttrSet) -> f64 {
    let p = length_replayed(axes, set);
    let columns: Vec<(f64, f64)> = axes.of(set).map(Axis::columns).collect();
    let opposite = columns.iter().any(|&(_, c)| c < 0.0);
    let less = if opposite {
        let ratios = columns.iter().map(|&(p, c)| quotient_above(-c, p));
        product_above(p, ratios.fold(0.0, f64::max).next_up())
    } else {
        let mut least = 1.0;
        for (_, c) in columns {
            least = f64::next_down(least * c.next_down());
        }
        -f64::max(least, 0.0)
    };
    2.0 * sum_above(p, less)
}

#[test]
fn every_rounding_of_the_worst_pair_goes_up() {
    let mut rng = SimRng::for_trial(1, "resplan rounding", 0);
    for case in 0..1_500 {
        let attributes = 1 + below(4, &mut rng);
        let axes = match case % 3 {
            // No inner product below 0.
            0 => axes_of((0..attributes).map(|_| dense_axis(2, true, &mut rng))),
            _ => axes_of((0..attributes).map(|_| some_axis(&mut rng))),
        };
        let set = AttrSet::first(attributes);
        assert_eq!(worst_cost(&axes, set, ADD_REMOVE), length_replayed(&axes, set), "case {case}");
        assert_eq!(worst_cost(&axes, set, REPLACE), pair_replayed(&axes, set), "case {case}");
    }
}

/// Perpendicular columns have nothing to round but their lengths.
#[test]
fn perpendicular_columns_cost_twice_the_longest() {
    let axes = axes_of([Axis::of_integers(QueryBasis::Prefix, array![[8, 0]], 3, 0.0).unwrap()]);
    let got = worst_cost(&axes, AttrSet::first(1), REPLACE);
    assert!((2.0..=2.0 * 1.0_f64.next_up()).contains(&got), "{got}");
}
