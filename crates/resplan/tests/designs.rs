//! What a design says about itself, by what its definition makes of other numbers of it.

use privacy_core::accounting::PrivacyCost;
use privacy_core::param::StdDev;
use privacy_core::{AttrSet, Domain};
use resplan::{
    Neighbours, NormOrder, Objective, Plan, PlanFile, PlanLimits, PlanSpec, QueryBasis, Strategy, Tilt, Workload,
};
use serde_json::{Value, json};

fn spec(sizes: &[usize], workload: Workload, pcost: f64) -> PlanSpec {
    PlanSpec::new(Domain::of_cardinalities(sizes).unwrap(), workload, PrivacyCost::new(pcost).unwrap())
}

fn plan(spec: PlanSpec) -> Plan {
    Plan::new(spec, &PlanLimits::default()).unwrap()
}

/// The plan with a change of its file.
fn changed(plan: &Plan, change: impl Fn(&mut Value)) -> Plan {
    let mut file = serde_json::to_value(plan.to_file()).unwrap();
    change(&mut file);
    PlanFile::from_json(&file.to_string()).unwrap().plan(&PlanLimits::default()).unwrap()
}

#[test]
fn a_norm_is_the_power_mean_of_weighted_variances_over_all_answers() {
    let sets =
        vec![(AttrSet::EMPTY, 0.3), (AttrSet::single(0), 2.0), (AttrSet::first(2), 1.0), (AttrSet::single(2), 0.7)];
    for order in [1.0, 2.0, 3.5] {
        let objective = Objective::NormVariance(NormOrder::new(order).unwrap());
        let plan = plan(PlanSpec { objective, ..spec(&[3, 4, 2], Workload::Sets(sets.clone()), 0.4) });
        let (mut sum, mut answers) = (0.0, 0.0);
        for marginal in plan.marginals() {
            sum += marginal.queries * (marginal.weight * marginal.mean_variance).powf(order);
            answers += marginal.queries;
        }
        assert_eq!(answers, 1.0 + 3.0 + 12.0 + 2.0);
        let want = (sum / answers).powf(1.0 / order);
        assert!((plan.objective_value() / want - 1.0).abs() < 1e-9, "{order}: {} {want}", plan.objective_value());
    }
}

#[test]
fn a_design_says_how_many_rows_of_a_person_it_covers() {
    let planned = |rows_per_person| plan(PlanSpec { rows_per_person, ..spec(&[3, 4], Workload::UpTo(1), 1.0) });
    assert_eq!([1, 3, 7].map(|rows| planned(rows).rows_per_person()), [1, 3, 7]);
}

/// One residual with `t` times the noise of the best plan, in which it has a share `a` of the cost
/// and so of the loss: the loss is `1 + (t - 1) a` times the least at the old cost, and the cost is
/// `1 + (1/t - 1) a` times the old one.
#[test]
fn the_gap_of_a_plan_of_categories_that_is_not_the_best_is_that_of_its_shares() {
    let best = plan(spec(&[3, 4], Workload::UpTo(2), 0.4));
    assert!(best.gap_to_any_mechanism().unwrap() < 1e-6);
    let (_, of_total) = best.residuals().next().unwrap();
    // The total alone changes by 1 with a row.
    let share = 1.0 / of_total.to_f64() / best.pcost().get();
    assert!((0.05..0.95).contains(&share), "{share}");
    for times in [2_u128, 9] {
        let noisier = changed(&best, |file| {
            let total = &mut file["residuals"][0]["sigma2"][0];
            *total = json!((times * total.as_str().unwrap().parse::<u128>().unwrap()).to_string());
        });
        let t = times as f64;
        let want = (1.0 + (t - 1.0) * share) * (1.0 + (1.0 / t - 1.0) * share) - 1.0;
        let gap = noisier.gap_to_any_mechanism().unwrap();
        assert!((gap - want).abs() < 1e-5 && want > 0.01, "{times}: {gap} {want}");
    }
}

#[test]
fn the_gap_to_any_mechanism_does_not_depend_on_the_budget() {
    // The total beside pairs that count a fiftieth: measured together they would take 2 % less.
    let sets = vec![(AttrSet::EMPTY, 1.0), (AttrSet::first(2), 0.02)];
    let gaps = [0.04, 1.0, 25.0].map(|pcost| {
        let bases = vec![QueryBasis::Prefix; 2];
        plan(PlanSpec { bases, ..spec(&[3, 4], Workload::Sets(sets.clone()), pcost) }).gap_to_any_mechanism().unwrap()
    });
    assert!(gaps[1] > 0.01, "attributes are measured one by one: {gaps:?}");
    assert!(gaps.iter().all(|gap| (gap - gaps[1]).abs() < 2e-3 * (1.0 + gaps[1])), "{gaps:?}");
}

#[test]
fn objectives_and_bounds_of_categories_have_the_gap_of_their_own_plan() {
    let loose = plan(spec(&[3, 4], Workload::UpTo(2), 0.4));
    let sd = loose.max_variance(AttrSet::single(1)).unwrap().sqrt();
    let bounds = vec![(AttrSet::single(1), StdDev::new(0.9 * sd).unwrap())];
    let bounded = plan(PlanSpec { bounds, ..spec(&[3, 4], Workload::UpTo(2), 0.4) });
    // The bound costs much: the sum is far above the least without it, and near the least with it.
    assert!(bounded.objective_value() > 1.005 * loose.objective_value());
    assert_eq!(bounded.gap_to_any_mechanism(), Some(bounded.gap()));
    let most = plan(PlanSpec { objective: Objective::MaxVariance, ..spec(&[3, 4], Workload::UpTo(2), 0.4) });
    assert_eq!(most.gap_to_any_mechanism(), Some(most.gap()));
    assert!(most.gap() < 1e-3 && bounded.gap() < 1e-2);
}

#[test]
fn a_strategy_that_is_asked_for_is_measured_whatever_is_to_be_small() {
    let measured = |strategy, objective| {
        let bases = vec![QueryBasis::Prefix, QueryBasis::Identity];
        let plan = plan(PlanSpec { bases, strategy, objective, ..spec(&[5, 3], Workload::UpTo(2), 1.0) });
        plan.residual_queries(0)
    };
    for strategy in [Strategy::Isotropic, Strategy::Orthogonal, Strategy::Tilted(Tilt::new(3.0).unwrap())] {
        let [sum, most] = [Objective::SumVariance, Objective::MaxVariance].map(|o| measured(strategy, o));
        assert_eq!(sum, most, "{strategy:?}");
    }
    // Control: where it is chosen, it depends on the objective.
    let [sum, most] = [Objective::SumVariance, Objective::MaxVariance].map(|o| measured(Strategy::Automatic, o));
    assert_ne!(sum, most);
}

/// No tilt that is the same for all attributes makes the largest mean variance smaller.
#[test]
fn strategies_for_equal_errors_count_tables_alike() {
    let sets = vec![(AttrSet::EMPTY, 1.0), (AttrSet::first(2), 1.0)];
    let largest_mean = |strategy| {
        let (bases, objective) = (vec![QueryBasis::Prefix; 2], Objective::EqualError);
        let spec = spec(&[5, 4], Workload::Sets(sets.clone()), 1.0);
        plan(PlanSpec { bases, objective, strategy, ..spec }).objective_value()
    };
    let best = largest_mean(Strategy::Automatic);
    for tau in [0.1, 0.3, 1.0] {
        let other = largest_mean(Strategy::Tilted(Tilt::new(tau).unwrap()));
        assert!(best <= other * 1.0002, "{tau}: {best} {other}");
    }
}

#[test]
fn what_is_free_has_no_norm_and_comes_back_from_its_file() {
    for objective in [Objective::SumVariance, Objective::NormVariance(NormOrder::new(2.0).unwrap())] {
        let neighbours = Neighbours::Replace;
        let total = Workload::from_sets([AttrSet::EMPTY]);
        let free = plan(PlanSpec { neighbours, objective, ..spec(&[3, 4], total, 0.4) });
        assert!(free.is_free() && free.objective_value() == 0.0);
        assert!(changed(&free, |_| ()).is_free());
    }
}
