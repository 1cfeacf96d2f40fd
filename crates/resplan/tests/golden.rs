//! Published and independently computed plans, at pcost 1.

use privacy_core::accounting::PrivacyCost;
use privacy_core::{AttrSet, Domain};
use resplan::{NormOrder, Objective, Plan, PlanLimits, PlanSpec, Workload};
use serde_json::Value;
use testkit::fixtures::{json, relative_error};

/// Variances are rounded up to 32 bits, an excess of at most 4.7e-10.
const TOLERANCE: f64 = 1e-9;

fn plan(sizes: &[usize], workload: Workload) -> Plan {
    plan_for(Objective::SumVariance, sizes, workload)
}

fn plan_for(objective: Objective, sizes: &[usize], workload: Workload) -> Plan {
    let domain = Domain::of_cardinalities(sizes).unwrap();
    let spec = PlanSpec { objective, ..PlanSpec::new(domain, workload, PrivacyCost::new(1.0).unwrap()) };
    Plan::new(spec, &PlanLimits::unlimited()).unwrap()
}

fn sizes(case: &Value) -> Vec<usize> {
    let sizes = case["domains"].as_array().map(|a| a.iter().map(|k| k.as_u64().unwrap() as usize).collect());
    sizes.unwrap_or_else(|| {
        let name = case["dataset"].as_str().unwrap();
        let (size, power) = name.strip_prefix("Synth-").unwrap().split_once('^').unwrap();
        vec![size.parse().unwrap(); power.parse().unwrap()]
    })
}

fn assert_close(got: f64, want: &Value, what: &str) {
    let want = want.as_f64().unwrap();
    assert!(relative_error(got, want) <= TOLERANCE, "{what}: {got} for {want}");
}

#[test]
fn identity_plans_are_the_published_optima() {
    let mut checked = 0;
    for case in json("resplan/select_sum_identity.json").as_array().unwrap() {
        let (name, sizes) = (format!("{} {}", case["dataset"], case["workload"]), sizes(case));
        if sizes.len() > AttrSet::MAX_ATTRIBUTES {
            continue;
        }
        let workload = plan_workload(case);
        let plan = plan(&sizes, workload);
        assert_close(plan.objective_value(), &case["objective"], &name);
        assert_close(plan.rmse(), &case["rmse"], &name);
        assert_close(plan.marginals().map(|m| m.queries).sum(), &case["num_cells"], &name);
        assert!((plan.rmse() - case["published_rmse"].as_f64().unwrap()).abs() <= 1.1e-3, "{name}");
        assert!(plan.pcost().get() <= 1.0 && plan.pcost().get() > 1.0 - 1e-9, "{name}: {}", plan.pcost().get());
        if case.get("num_residuals").is_some() {
            assert_eq!(plan.residuals().len() as u64, case["num_residuals"].as_u64().unwrap(), "{name}");
        }
        if case.get("sigma2_by_order").is_some() {
            for (set, sigma2) in plan.residuals() {
                assert_close(sigma2.to_f64(), &case["sigma2_by_order"][set.len().to_string()], &name);
            }
        }
        if case.get("min_cell_variance").is_some() {
            let variances = || plan.marginals().map(|m| m.mean_variance);
            assert_close(variances().fold(f64::INFINITY, f64::min), &case["min_cell_variance"], &name);
            assert_close(variances().fold(0.0, f64::max), &case["max_cell_variance"], &name);
            assert_close(plan.residuals().next().unwrap().1.to_f64(), &case["sigma2_empty"], &name);
        }
        checked += 1;
    }
    assert_eq!(checked, 40, "all cases but the one with 200 attributes");
}

fn set_of(value: &Value) -> AttrSet {
    value.as_array().unwrap().iter().map(|a| a.as_u64().unwrap() as usize).collect()
}

#[test]
fn small_identity_plans_agree_residual_by_residual() {
    let mut checked = 0;
    for case in json("resplan/select_sum_small.json").as_array().unwrap() {
        if case["bases"].as_str().unwrap().contains(|base| base != 'I') {
            continue;
        }
        let plan = plan(&sizes(case), Workload::from_sets(case["workload"].as_array().unwrap().iter().map(set_of)));
        let want = &case["variants"]["rpp_head"];
        assert_close(plan.objective_value(), &want["objective"], "objective");
        assert_close(plan.rmse(), &want["rmse"], "rmse");
        let residuals = want["residuals"].as_object().unwrap();
        assert_eq!(residuals.len(), plan.residuals().len());
        for (set, sigma2) in plan.residuals() {
            let name = set.iter().map(|a| a.to_string()).collect::<Vec<_>>().join(",");
            assert_close(sigma2.to_f64(), &residuals[&name]["sigma2"], &name);
        }
        let bound = case["global_lower_bound"].as_f64().unwrap();
        assert!(plan.objective_value() <= bound * (1.0 + 1e-8), "at most the certified optimum of all mechanisms");
        checked += 1;
    }
    assert_eq!(checked, 7);
}

#[test]
fn the_papers_toy_has_its_published_optimum() {
    let toy = &json("resplan/paper_examples.json")["toy"];
    let plan = plan(&sizes(toy), Workload::from_sets(toy["workload"].as_array().unwrap().iter().map(set_of)));
    assert_close(plan.objective_value(), &toy["T_at_c1"], "T");
    // cost = sum of p_B / sigma_B^2 and loss = sum of v_B sigma_B^2, with the paper's
    // coefficients.
    let (mut cost, mut loss) = (0.0, 0.0);
    for (set, sigma2) in plan.residuals() {
        let name = set.iter().map(|a| a.to_string()).collect::<Vec<_>>().join(",");
        cost += toy["pcost_coeff"][&name].as_f64().unwrap() / sigma2.to_f64();
        loss += toy["sov_coeff"][&name].as_f64().unwrap() * sigma2.to_f64();
    }
    assert!(relative_error(cost, 1.0) <= TOLERANCE && relative_error(loss, plan.objective_value()) <= TOLERANCE);
}

/// The workload of all marginals of at most 3 attributes under the paper's three weightings.
#[test]
fn weights_trade_the_error_of_small_marginals_for_that_of_large_ones() {
    let file = json("resplan/weights.json");
    let sizes: Vec<usize> = file["domains"].as_array().unwrap().iter().map(|k| k.as_u64().unwrap() as usize).collect();
    let domain = Domain::of_cardinalities(&sizes).unwrap();
    for case in file["cases"].as_array().unwrap() {
        let power = case["weight_is_cells_to_the"].as_f64().unwrap();
        let sets = (0..=3).flat_map(|order| domain.all().subsets_of_size(order));
        let weighted = sets.map(|set| (set, (domain.cells(set).unwrap() as f64).powf(power))).collect();
        let plan = plan(&sizes, Workload::Sets(weighted));
        let variances = || plan.marginals().map(|m| m.mean_variance);
        let ends = [variances().fold(f64::INFINITY, f64::min), variances().fold(0.0, f64::max)];
        for (got, want) in ends.iter().zip([&case["smallest"], &case["largest"]]) {
            // Published with five digits.
            assert!(relative_error(*got, want.as_f64().unwrap()) < 5e-5, "power {power}: {got} for {want}");
        }
    }
}

/// All published maxima of identity marginals, between the dual and the primal that were computed
/// independently.
#[test]
fn the_least_maximum_is_the_published_one_and_its_gap_is_certified() {
    for case in json("resplan/select_max_identity.json").as_array().unwrap() {
        let (name, sizes) = (format!("{} {}", case["dataset"], case["workload"]), sizes(case));
        let workload = plan_workload(case);
        let plan = plan_for(Objective::MaxVariance, &sizes, workload);
        let (value, number) = (plan.objective_value(), |field: &str| case[field].as_f64().unwrap());
        assert!(plan.gap() <= 1e-7, "{name}: gap {}", plan.gap());
        assert!(value >= number("dual") * (1.0 - 1e-9), "{name}: {value}");
        assert!(value <= number("primal") * (1.0 + 2e-7), "{name}: {value} for {}", number("primal"));
        assert!((value - number("published")).abs() <= 1e-3, "{name}");
        assert!(plan.pcost().get() <= 1.0 && plan.pcost().get() > 1.0 - 1e-9, "{name}");
        // Making the largest small is not making the sum small.
        let sum = plan_for(Objective::SumVariance, &sizes, plan_workload(case));
        assert!(sum.rmse() <= plan.rmse() * (1.0 + 1e-9), "{name}");
    }
}

fn plan_workload(case: &Value) -> Workload {
    match case["workload"].as_str().unwrap() {
        "<=3" => Workload::UpTo(3),
        order => Workload::Exactly(order.parse().unwrap()),
    }
}

/// Order 1 is the closed form of the sum, a high order comes near the maximum, and on the way the
/// largest variance falls while the sum rises.
#[test]
fn norms_lead_from_the_least_sum_to_the_least_maximum() {
    let sizes = [50, 100, 7, 4, 2];
    let plan_of = |objective| plan_for(objective, &sizes, Workload::UpTo(3));
    let largest = |plan: &Plan| plan.marginals().map(|m| m.mean_variance).fold(0.0, f64::max);
    let (sum, max) = (plan_of(Objective::SumVariance), plan_of(Objective::MaxVariance));
    let mut before = sum.duplicate();
    for order in [1.0, 1.5, 2.0, 4.0, 16.0, 64.0] {
        let plan = plan_of(Objective::NormVariance(NormOrder::new(order).unwrap()));
        assert!(plan.gap() <= 1e-7 && plan.pcost().get() <= 1.0, "order {order}: gap {}", plan.gap());
        assert!(
            plan.rmse() >= before.rmse() * (1.0 - 1e-9) && largest(&plan) <= largest(&before) * (1.0 + 1e-7),
            "order {order}"
        );
        assert!(largest(&plan) >= max.objective_value() * (1.0 - 1e-7));
        if order == 1.0 {
            assert!(relative_error(plan.rmse(), sum.rmse()) < 1e-8);
        }
        before = plan;
    }
    // At order 64 a cell's share still counts, by its 64th root: a tenth for the smallest of
    // these.
    assert!(relative_error(largest(&before), max.objective_value()) < 0.1);
    assert!(largest(&sum) > 2.0 * max.objective_value(), "there was a way to go");
    for bad in [0.5, f64::NAN, f64::INFINITY, -1.0] {
        assert!(NormOrder::new(bad).is_err());
    }
}
