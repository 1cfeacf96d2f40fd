//! Plans for replaced rows, against the optimum over all mechanisms with Gaussian noise.

use privacy_core::accounting::{Neighbours, PrivacyCost};
use privacy_core::{AttrSet, Domain};
use resplan::{Design, Plan, PlanLimits, PlanSpec, Workload};
use testkit::fixtures;

struct Case {
    kinds: String,
    sizes: Vec<usize>,
    workload: Vec<(AttrSet, f64)>,
    optimum: f64,
}

fn cases() -> Vec<Case> {
    let all = fixtures::json("resplan/select_replace.json");
    let whole = |value: &serde_json::Value| value.as_u64().unwrap() as usize;
    let case = |row: &serde_json::Value| Case {
        kinds: row["kinds"].as_str().unwrap().to_owned(),
        sizes: row["sizes"].as_array().unwrap().iter().map(whole).collect(),
        workload: row["workload"]
            .as_array()
            .unwrap()
            .iter()
            .map(|set| (set["set"].as_array().unwrap().iter().map(whole).collect(), set["weight"].as_f64().unwrap()))
            .collect(),
        optimum: row["optimum"].as_f64().unwrap(),
    };
    all["cases"].as_array().unwrap().iter().map(case).collect()
}

fn plan(sizes: &[usize], workload: Workload, rows_per_person: u32) -> Plan {
    let domain = Domain::of_cardinalities(sizes).unwrap();
    let spec = PlanSpec {
        neighbours: Neighbours::Replace,
        rows_per_person,
        ..PlanSpec::new(domain, workload, PrivacyCost::new(1.0).unwrap())
    };
    Plan::new(spec, &PlanLimits::default()).unwrap()
}

#[test]
fn tables_of_categories_are_at_the_optimum_over_all_mechanisms() {
    let mut seen = 0;
    for case in cases().into_iter().filter(|case| !case.kinds.contains('P')) {
        let plan = plan(&case.sizes, Workload::Sets(case.workload.clone()), 1);
        let above = plan.objective_value() / case.optimum - 1.0;
        assert!((-1e-6..2e-6).contains(&above), "{:?} {:?}: {above}", case.sizes, case.workload);
        assert!(plan.pcost().get() <= 1.0 && plan.pcost().get() > 1.0 - 1e-6);
        let certified = plan.gap_to_any_mechanism().unwrap();
        assert!(certified >= above - 1e-6 && certified < 3e-6, "{certified}");
        seen += 1;
    }
    assert!(seen >= 8);
}

/// The cost of residuals that are charged one by one: what a plan without the corners spends.
fn by_worst_residuals(sizes: &[usize], order: usize) -> f64 {
    let add_remove =
        PlanSpec::new(Domain::of_cardinalities(sizes).unwrap(), Workload::UpTo(order), PrivacyCost::new(1.0).unwrap());
    let plan = Plan::new(add_remove, &PlanLimits::default()).unwrap();
    // Twice the cost of adding a row is a cost of replacing one: the plan of half the budget.
    2.0 * plan.objective_value()
}

#[test]
fn the_exact_program_is_never_worse_than_two_added_rows() {
    for (sizes, order) in [(vec![2, 2, 2, 2], 2), (vec![3, 4, 2], 2), (vec![2; 10], 2), (vec![5, 3, 2, 2, 2], 3)] {
        let exact = plan(&sizes, Workload::UpTo(order), 1);
        assert!(exact.objective_value() <= by_worst_residuals(&sizes, order) * (1.0 + 1e-9), "{sizes:?}");
    }
}

#[test]
fn people_with_several_rows_have_a_plan_within_their_budget() {
    for rows in [2, 5] {
        let several = plan(&[3, 2, 4], Workload::UpTo(2), rows);
        assert!(several.pcost().get() <= 1.0 && several.pcost().get() > 1.0 - 1e-6);
        assert!(several.residuals().all(|(_, sigma2)| !sigma2.is_zero()));
    }
}

#[test]
fn fourteen_attributes_are_planned_by_their_corners() {
    for sizes in [vec![2; 12], vec![85, 9, 100, 16, 7, 15, 6, 5, 2, 100, 100, 99, 42, 2]] {
        let many = plan(&sizes, Workload::UpTo(2), 1);
        let certified = Design::gap_to_any_mechanism(&many).unwrap();
        assert!(many.pcost().get() > 1.0 - 1e-6 && certified < 1e-3, "{certified}");
    }
}
