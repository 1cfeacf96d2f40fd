//! A cost is at least the exact one, in the last bit too, and within some units of it.

use privacy_core::AttrSet;
use privacy_core::rng::{SimRng, below};

use super::{ADD_REMOVE, REPLACE, all_columns, axes_of, pair_cost, product, single_cost};
use crate::planning::adjacency::Adjacency;
use crate::planning::cost::{total_cost, worst_cost};
use crate::strategy::axes::Axes;
use crate::strategy::axis::Axis;
use crate::tests::exact::{Fraction, dense_axis, inner_product, some_axis, some_residuals};

/// Some attributes, and some residuals of them.
fn case(rng: &mut SimRng) -> (Axes, Vec<(AttrSet, f64)>) {
    let attributes = 1 + below(3, rng);
    let axes = axes_of((0..attributes).map(|_| some_axis(rng)));
    (axes, some_residuals(attributes, rng))
}

#[test]
fn a_residual_costs_at_least_its_longest_column() {
    let mut rng = SimRng::for_trial(1, "resplan cost", 0);
    for case in 0..4_000 {
        let attributes = 1 + below(6, &mut rng);
        let axes = axes_of((0..attributes).map(|_| some_axis(&mut rng)));
        let set = AttrSet::first(attributes);
        let exact = product(&all_columns(&axes), set, AttrSet::EMPTY);
        let got = Fraction::of(worst_cost(&axes, set, ADD_REMOVE));
        assert!(got >= exact, "case {case} is too low");
        assert!(got <= exact.plus_units(3 * attributes, &exact), "case {case} is too high");
    }
}

#[test]
fn replacing_a_row_costs_at_least_the_worst_difference_of_two_columns() {
    let mut rng = SimRng::for_trial(2, "resplan cost", 0);
    for case in 0..2_000 {
        let attributes = 1 + below(4, &mut rng);
        let axes = axes_of((0..attributes).map(|_| some_axis(&mut rng)));
        let set = AttrSet::first(attributes);
        let exact = pair_cost(&axes, &[(set, 1.0)]);
        let got = Fraction::of(worst_cost(&axes, set, REPLACE));
        assert!(got >= exact, "case {case} is too low");
        // Twice the longest column is what is rounded.
        let length = single_cost(&axes, &[(set, 1.0)]);
        assert!(got <= exact.plus_units(8 * attributes + 8, &length), "case {case} is too high");
    }
}

/// Columns of which no two point away from each other: the worst pair differs everywhere.
#[test]
fn columns_within_a_right_angle_cost_what_they_differ_by() {
    let mut rng = SimRng::for_trial(3, "resplan cost", 0);
    for case in 0..1_000 {
        let attributes = 1 + below(4, &mut rng);
        let axes = axes_of((0..attributes).map(|_| dense_axis(2, true, &mut rng)));
        let set = AttrSet::first(attributes);
        let columns = all_columns(&axes);
        let (p, c) = (product(&columns, set, AttrSet::EMPTY), product(&columns, set, set));
        let exact = &(&p - &c) + &(&p - &c);
        let got = Fraction::of(worst_cost(&axes, set, REPLACE));
        assert!(got >= exact && got <= exact.plus_units(8 * attributes + 8, &p), "case {case}");
    }
}

/// The sum of precisions, times the longest columns where those are longer than 1: what roundings
/// are relative to.
fn all_precisions(axes: &Axes, residuals: &[(AttrSet, f64)]) -> Fraction {
    let columns = all_columns(axes);
    residuals.iter().fold(Fraction::zero(), |sum, &(set, variance)| {
        let one = Fraction::new(1, 1);
        let longest = set.iter().fold(one.clone(), |product, i| &product * (&columns[i].0).max(&one));
        &sum + &(&longest / &Fraction::of(variance))
    })
}

/// The cost at some rows of a person, over their square.
fn cost_of_one(axes: &Axes, residuals: &[(AttrSet, f64)], adjacency: Adjacency, rows: u32) -> Fraction {
    let cost = total_cost(axes, residuals, Adjacency { rows_per_person: rows, ..adjacency });
    &Fraction::of(cost) / &(&Fraction::new(rows, 1) * &Fraction::new(rows, 1))
}

#[test]
fn the_cost_of_a_plan_is_at_least_the_exact_one_for_any_rows_of_a_person() {
    let mut rng = SimRng::for_trial(4, "resplan cost", 0);
    for number in 0..600 {
        let (axes, residuals) = case(&mut rng);
        let (single, pair) = (single_cost(&axes, &residuals), pair_cost(&axes, &residuals));
        let precisions = all_precisions(&axes, &residuals);
        for rows in [1, 2, 1 + below(1 << 20, &mut rng) as u32, u32::MAX - below(1 << 31, &mut rng) as u32] {
            let added = cost_of_one(&axes, &residuals, ADD_REMOVE, rows);
            assert!(added >= single && added <= single.plus_units(20, &single), "case {number}, {rows}");
            let replaced = cost_of_one(&axes, &residuals, REPLACE, rows);
            // A person of several rows may also have fewer of them.
            let exact = if rows == 1 { &pair } else { (&pair).max(&single) };
            assert!(replaced >= *exact, "case {number}, {rows}: too low");
            assert!(replaced <= exact.plus_units(200, &precisions), "case {number}, {rows}: too high");
        }
    }
}

/// Where one length is a power of two, only sums and quotients are rounded.
#[test]
fn quotients_and_sums_of_precisions_are_rounded_up() {
    let mut rng = SimRng::for_trial(5, "resplan cost", 0);
    let axes = axes_of([Axis::identity(2)]);
    for _ in 0..300 {
        let odd = 3.0 + 2.0 * below(1 << 20, &mut rng) as f64;
        let quotient = [(AttrSet::EMPTY, odd)];
        let sum = [(AttrSet::EMPTY, 1.0), (AttrSet::EMPTY, odd * 2_f64.powi(60)), (AttrSet::EMPTY, 0.25)];
        for residuals in [&quotient[..], &sum[..]] {
            let (got, exact) = (total_cost(&axes, residuals, ADD_REMOVE), single_cost(&axes, residuals));
            assert!(Fraction::of(got) >= exact && Fraction::of(got.next_down()) < exact.plus_units(1, &exact));
        }
    }
    // The sum alone: 1 + 2^-60.
    let sum = [(AttrSet::EMPTY, 1.0), (AttrSet::EMPTY, 2_f64.powi(60))];
    assert_eq!(total_cost(&axes, &sum, ADD_REMOVE), 1.0_f64.next_up());
    // (1 + 2^-30) (2^15 + 1)^2 has 61 bits.
    let residuals = [(AttrSet::EMPTY, 1.0), (AttrSet::EMPTY, 2_f64.powi(30))];
    let got = total_cost(&axes, &residuals, Adjacency { rows_per_person: (1 << 15) + 1, ..ADD_REMOVE });
    let exact = &single_cost(&axes, &residuals) * &Fraction::new(((1_u64 << 15) + 1).pow(2), 1);
    assert!(Fraction::of(got) > exact && Fraction::of(got.next_down()) < exact);
}

/// The inner product of what two cells add to the queries of a residual.
fn inner(axes: &Axes, set: AttrSet, [one, other]: [&[usize; 2]; 2]) -> Fraction {
    set.iter().fold(Fraction::new(1, 1), |product, i| &product * &inner_product(axes.get(i), one[i], other[i]))
}

/// The definition: the longest difference of what two people add to all residual queries.
fn by_definition(axes: &Axes, residuals: &[(AttrSet, f64)]) -> Fraction {
    let sizes: Vec<usize> = axes.iter().map(|axis| axis.size()).collect();
    let cells: Vec<[usize; 2]> = (0..sizes[0]).flat_map(|a| (0..sizes[1]).map(move |b| [a, b])).collect();
    let pairs = cells.iter().flat_map(|one| cells.iter().map(move |other| (one, other)));
    let costs = pairs.map(|(one, other)| {
        residuals.iter().fold(Fraction::zero(), |sum, &(set, variance)| {
            let lengths = &inner(axes, set, [one, one]) + &inner(axes, set, [other, other]);
            let both = inner(axes, set, [one, other]);
            &sum + &(&(&lengths - &(&both + &both)) / &Fraction::of(variance))
        })
    });
    costs.max().unwrap()
}

#[test]
fn no_two_people_differ_by_more_than_the_cost() {
    let mut rng = SimRng::for_trial(6, "resplan cost", 0);
    for case in 0..120 {
        let axes = [(); 2].map(|()| {
            let (k, is_positive) = (2 + below(2, &mut rng), below(2, &mut rng) == 0);
            dense_axis(k, is_positive, &mut rng)
        });
        let (axes, residuals) = (axes_of(axes), some_residuals(2, &mut rng));
        let exact = by_definition(&axes, &residuals);
        assert!(Fraction::of(total_cost(&axes, &residuals, REPLACE)) >= exact, "case {case}");
        let worst = residuals.iter().fold(Fraction::zero(), |sum, &(set, variance)| {
            &sum + &(&Fraction::of(worst_cost(&axes, set, REPLACE)) / &Fraction::of(variance))
        });
        assert!(worst >= exact, "case {case}");
    }
}
