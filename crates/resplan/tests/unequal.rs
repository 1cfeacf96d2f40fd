//! Weighted queries, contrasts and workloads of very unequal weights: bounds are about answers,
//! every plan is found, and how far it is from any mechanism is known.

use std::sync::Arc;

use ndarray::{Array2, array};
use privacy_core::accounting::{Neighbours, PrivacyCost};
use privacy_core::param::StdDev;
use privacy_core::rng::SimRng;
use privacy_core::{AttrSet, Domain};
use rand_core::Rng;
use resplan::{Error, NormOrder, Objective, Plan, PlanLimits, PlanSpec, QueryBasis, Workload};
use serde_json::Value;
use testkit::fixtures::{json, relative_error};

fn spec(sizes: &[usize], bases: Vec<QueryBasis>, workload: Workload) -> PlanSpec {
    let domain = Domain::of_cardinalities(sizes).unwrap();
    PlanSpec { bases, ..PlanSpec::new(domain, workload, PrivacyCost::new(1.0).unwrap()) }
}

fn plan(spec: PlanSpec) -> Result<Plan, Error> {
    Plan::new(spec, &PlanLimits::default())
}

fn sd(value: f64) -> StdDev {
    StdDev::new(value).unwrap()
}

fn weighted(basis: QueryBasis, weights: Vec<f64>) -> QueryBasis {
    QueryBasis::Weighted(Box::new(basis), Arc::new(weights))
}

#[test]
fn a_bound_is_on_the_answers_whatever_weights_they_have() {
    let only = AttrSet::single(0);
    let made = |weight: f64, bound: f64| {
        let basis = weighted(QueryBasis::Prefix, vec![weight; 8]);
        plan(PlanSpec { bounds: vec![(only, sd(bound))], ..spec(&[8], vec![basis], Workload::Exactly(1)) })
    };
    let free = plan(spec(&[8], vec![QueryBasis::Prefix], Workload::Exactly(1))).unwrap();
    let largest = free.max_variance(only).unwrap().sqrt();
    for weight in [0.01, 1.0, 100.0] {
        // A weight for all queries changes nothing: not what is refused, and not the plan.
        assert!(matches!(made(weight, 0.6 * largest), Err(Error::BoundsOutOfReach { .. })), "{weight}");
        let bounded = made(weight, 0.99 * largest).unwrap();
        assert!(bounded.max_variance(only).unwrap().sqrt() <= 0.99 * largest, "{weight}");
        let loose = made(weight, 1.01 * largest).unwrap();
        assert!(relative_error(loose.max_variance(only).unwrap().sqrt(), largest) < 1e-6, "{weight}");
    }
}

/// What no bounded answer needs is measured as well, and paid for: the bound holds all the same.
#[test]
fn a_bound_on_the_total_alone_is_kept_among_many_tables() {
    for bases in [vec![QueryBasis::Identity; 4], vec![QueryBasis::Prefix; 4]] {
        let sizes = [9, 2, 4, 8];
        let free = plan(spec(&sizes, bases.clone(), Workload::UpTo(2))).unwrap();
        let target = 0.6 * free.max_variance(AttrSet::EMPTY).unwrap().sqrt();
        let bounds = vec![(AttrSet::EMPTY, sd(target))];
        let bounded = plan(PlanSpec { bounds, ..spec(&sizes, bases, Workload::UpTo(2)) }).unwrap();
        let got = bounded.max_variance(AttrSet::EMPTY).unwrap().sqrt();
        assert!(got <= target && got > target * (1.0 - 1e-5), "{got} for {target}");
    }
}

#[test]
fn the_least_budget_for_a_target_keeps_the_bounds_and_no_less_does() {
    // A total that must be known well at this budget, and at ten times as much is so anyway.
    let total = (AttrSet::EMPTY, sd(1.2));
    let of = |budget: f64| {
        let budget = PrivacyCost::new(budget).unwrap();
        plan(PlanSpec {
            bounds: vec![total],
            budget,
            ..spec(&[9, 7], vec![QueryBasis::Identity; 2], Workload::UpTo(2))
        })
    };
    let bounded = of(1.0).unwrap();
    let scaled = |target: f64| (bounded.rmse() / target).powi(2);
    for target in [0.5 * bounded.rmse(), 0.8 * bounded.rmse(), 1.5 * bounded.rmse()] {
        let cost = bounded.cost_for_rmse(sd(target)).unwrap().get();
        assert!(of(cost).unwrap().rmse() <= target * (1.0 + 1e-9), "{target}");
        assert!(of(cost * 0.999).is_ok_and(|plan| plan.rmse() > target) || of(cost * 0.999).is_err(), "{target}");
        if target < bounded.rmse() {
            assert!(cost < scaled(target) * 0.999, "{target}: {cost}, and {} by scaling", scaled(target));
        }
    }
    let largest = |plan: &Plan| plan.marginals().map(|marginal| marginal.max_variance).fold(0.0, f64::max).sqrt();
    let target = 0.7 * largest(&bounded);
    let cost = bounded.cost_for_largest_sd(sd(target)).unwrap().get();
    assert!(largest(&of(cost).unwrap()) <= target * (1.0 + 1e-9) && largest(&of(cost * 0.999).unwrap()) > target);
    // Without bounds the closed form stands.
    let free = plan(spec(&[9, 7], vec![QueryBasis::Identity; 2], Workload::UpTo(2))).unwrap();
    let cost = free.cost_for_rmse(sd(free.rmse() / 2.0)).unwrap().get();
    assert!(relative_error(cost, 4.0) < 1e-8);
}

fn contrasts() -> QueryBasis {
    QueryBasis::Queries(Arc::new(array![[1.0, -1.0, 0.0], [0.0, 1.0, -1.0]]))
}

#[test]
fn contrasts_alone_have_plans_under_every_objective_and_relation() {
    let norm = Objective::NormVariance(NormOrder::new(4.0).unwrap());
    for neighbours in [Neighbours::AddRemove, Neighbours::Replace] {
        for objective in [Objective::SumVariance, Objective::MaxVariance, norm] {
            let alone = spec(&[3, 3], vec![contrasts(), contrasts()], Workload::Exactly(1));
            let found = plan(PlanSpec { objective, neighbours, ..alone }).unwrap();
            assert!(found.pcost().get() <= 1.0 && found.rmse() > 0.1 && found.rmse() < 10.0, "{neighbours:?}");
        }
        let bounded = spec(&[3, 3], vec![contrasts(), contrasts()], Workload::Exactly(1));
        let free = plan(PlanSpec { neighbours, ..bounded.clone() }).unwrap();
        let bounds = vec![(AttrSet::single(0), sd(0.9 * free.max_variance(AttrSet::single(0)).unwrap().sqrt()))];
        let found = plan(PlanSpec { neighbours, bounds, ..bounded }).unwrap();
        assert!(
            found.max_variance(AttrSet::single(0)).unwrap() <= 0.82 * free.max_variance(AttrSet::single(0)).unwrap()
        );
    }
}

/// From 0 to 1.
fn unit(rng: &mut SimRng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

fn below(rng: &mut SimRng, end: usize) -> usize {
    (rng.next_u64() % end as u64) as usize
}

fn any_basis(rng: &mut SimRng, size: usize) -> QueryBasis {
    let spread = |rng: &mut SimRng| 10f64.powf(10.0 * unit(rng) - 5.0);
    match below(rng, 5) {
        0 => QueryBasis::Identity,
        1 => QueryBasis::Prefix,
        2 => weighted(QueryBasis::Prefix, (0..size).map(|_| spread(rng)).collect()),
        3 => weighted(QueryBasis::Range, (0..size * (size + 1) / 2).map(|_| spread(rng)).collect()),
        _ => {
            let rows = 1 + below(rng, 4);
            let scales: Vec<f64> = (0..rows).map(|_| spread(rng).sqrt()).collect();
            let mut queries = Array2::from_shape_fn((rows, size), |(row, _)| {
                if below(rng, 3) == 0 { 0.0 } else { scales[row] * (2.0 * unit(rng) - 1.0) }
            });
            // No row of zeros alone.
            queries.rows_mut().into_iter().zip(&scales).for_each(|(mut row, scale)| row[0] = *scale);
            QueryBasis::Queries(Arc::new(queries))
        }
    }
}

#[test]
fn weights_over_ten_orders_of_magnitude_have_plans() {
    let norm = Objective::NormVariance(NormOrder::new(3.0).unwrap());
    for trial in 0..80 {
        let mut rng = SimRng::for_trial(2026, "unequal plans", trial);
        let sizes: Vec<usize> = (0..1 + below(&mut rng, 3)).map(|_| 2 + below(&mut rng, 4)).collect();
        let bases: Vec<QueryBasis> = sizes.iter().map(|&size| any_basis(&mut rng, size)).collect();
        let sets = AttrSet::first(sizes.len()).subsets();
        let sets = sets.map(|set| (set, 10f64.powf(10.0 * unit(&mut rng) - 5.0))).collect();
        let objective =
            [Objective::SumVariance, Objective::SumVariance, Objective::MaxVariance, norm][below(&mut rng, 4)];
        let neighbours = [Neighbours::AddRemove, Neighbours::Replace][below(&mut rng, 2)];
        let case = format!("{trial}: {sizes:?} {bases:?} {objective:?} {neighbours:?}");
        let found = plan(PlanSpec { objective, neighbours, ..spec(&sizes, bases, Workload::Sets(sets)) });
        let found = found.unwrap_or_else(|error| panic!("{case}: {error}"));
        assert!(found.rmse().is_finite() && found.objective_value() > 0.0 && found.pcost().get() <= 1.0, "{case}");
        assert!(found.pcost().get() > 0.99 || found.is_free(), "{case}: {}", found.pcost().get());
    }
}

#[test]
fn the_gap_to_any_mechanism_is_that_of_an_independent_optimum() {
    let mut largest = 0.0_f64;
    for case in json("resplan/select_sum_small.json").as_array().unwrap() {
        let sizes: Vec<usize> =
            case["domains"].as_array().unwrap().iter().map(|k| k.as_u64().unwrap() as usize).collect();
        let letter = |letter| match letter {
            'P' => QueryBasis::Prefix,
            'R' => QueryBasis::Range,
            _ => QueryBasis::Identity,
        };
        let bases = case["bases"].as_str().unwrap().chars().map(letter).collect();
        let set = |value: &Value| -> AttrSet {
            value.as_array().unwrap().iter().map(|a| a.as_u64().unwrap() as usize).collect()
        };
        let workload = Workload::from_sets(case["workload"].as_array().unwrap().iter().map(set));
        let found = plan(spec(&sizes, bases, workload)).unwrap();
        let gap = found.gap_to_any_mechanism().unwrap();
        let (low, high) = (case["global_lower_bound"].as_f64().unwrap(), case["global_upper_bound"].as_f64().unwrap());
        // Never less than the truth says, and no more than 1e-4 above it.
        let value = found.objective_value();
        assert!(gap >= value / high - 1.0 - 1e-7 && gap <= value / low - 1.0 + 1e-4, "{}: {gap}", case["domains"]);
        largest = largest.max(gap);
    }
    assert!(largest < 0.0021, "{largest}");
}

#[test]
fn unequal_weights_leave_more_of_a_gap_than_equal_ones() {
    // 6 x 6 prefix sums, the total beside pairs that count a fiftieth: a semidefinite program has
    // 2.47 % less.
    let sets = vec![(AttrSet::EMPTY, 1.0), (AttrSet::first(2), 0.02)];
    let found = plan(spec(&[6, 6], vec![QueryBasis::Prefix; 2], Workload::Sets(sets))).unwrap();
    let gap = found.gap_to_any_mechanism().unwrap();
    assert!(gap > 0.015 && gap < 0.03, "{gap}");
    assert_eq!(found.gap(), 0.0, "the other gap is for these strategies");
}

#[test]
fn no_bound_is_claimed_where_none_is_known() {
    let prefix = |sizes: &[usize]| spec(sizes, vec![QueryBasis::Prefix; sizes.len()], Workload::UpTo(2));
    let gap = |spec: PlanSpec| plan(spec).unwrap().gap_to_any_mechanism();
    let norm = Objective::NormVariance(NormOrder::new(3.0).unwrap());
    assert_eq!(gap(PlanSpec { objective: norm, ..prefix(&[3, 3]) }), None);
    assert_eq!(gap(PlanSpec { bounds: vec![(AttrSet::EMPTY, sd(9.0))], ..prefix(&[3, 3]) }), None);
    assert_eq!(gap(PlanSpec { neighbours: Neighbours::Replace, rows_per_person: 2, ..prefix(&[3, 3]) }), None);
    assert_eq!(gap(PlanSpec { neighbours: Neighbours::Replace, ..prefix(&[9, 8]) }), None);
    assert_eq!(gap(prefix(&[17, 17])), None);
    // Replaced rows and the largest variance have one: the best of all is below these plans.
    for known in [
        PlanSpec { neighbours: Neighbours::Replace, ..prefix(&[3, 3]) },
        PlanSpec { objective: Objective::MaxVariance, ..prefix(&[3, 3]) },
    ] {
        let gap = gap(known).unwrap();
        assert!((0.0..0.1).contains(&gap), "{gap}");
    }
    // Three rows a person cost nine times as much, whatever the mechanism.
    let (one, three) = (gap(prefix(&[3, 4])), gap(PlanSpec { rows_per_person: 3, ..prefix(&[3, 4]) }));
    assert!((one.unwrap() - three.unwrap()).abs() < 1e-6);
    let categories = spec(&[40, 50, 60], vec![QueryBasis::Identity; 3], Workload::UpTo(2));
    assert!(gap(categories).unwrap() < 1e-8);
}
