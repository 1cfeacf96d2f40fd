//! Published and 40-digit values, and the source's defects.

use crate::support::{numbers, spec, spec_of, uniform};
use hetero_screen::{
    Column, Coverage, CoverageMethod, ScreenLimits, ScreenTargets, SourceProxy, TargetLevel, own_variance,
    required_evidence,
};
use serde_json::Value;
use testkit::{fixtures, relative_error};

fn close(got: f64, want: f64, tolerance: f64) -> bool {
    relative_error(got, want) <= tolerance || (got - want).abs() <= 1e-13
}

fn check(case: &Value) {
    let cardinalities: Vec<u64> = numbers(&case["cardinalities"]).iter().map(|&d| d as u64).collect();
    let (rows, below) = (case["rows"].as_u64().unwrap(), case["suppress_below"].as_u64().unwrap());
    let spec =
        spec(rows, uniform(&cardinalities), &numbers(&case["classes"]), below, case["noise"].as_u64().unwrap() as u32);
    let coverage = Coverage::of(&spec, &ScreenLimits::default()).unwrap();
    let want = |name: &str| case["exact"][name].as_f64().unwrap();
    let name = format!("R = {rows}, D = {cardinalities:?}, T = {below}");
    assert_eq!(coverage.method, CoverageMethod::Groups);
    for (what, got, want, tolerance) in [
        ("d_eff", coverage.all_classes.value, want("d_eff"), 1e-12),
        ("d_true", coverage.own_class.value, want("d_true_eff"), 1e-12),
        ("var_true", coverage.variance_own, want("var_true"), 1e-10),
        ("var_eff", coverage.variance_all, want("var_eff_quadrature"), 1e-10),
    ] {
        assert!(close(got, want, tolerance), "{name}: {what} {got} {want}");
    }
    for statement in case["statements"].as_array().unwrap() {
        let level = |name: &'static str| TargetLevel::new(name, statement[name].as_f64().unwrap()).unwrap();
        let targets = ScreenTargets { alpha: level("alpha"), beta: level("beta_target"), ..ScreenTargets::default() };
        check_statement(&name, &SourceProxy::of(&spec, &coverage, &targets), statement, &want);
    }
    let proxy = SourceProxy::of(&spec, &coverage, &ScreenTargets::default());
    let interval = &case["accuracy"]["eff"]["0.95"]["accuracy_ci"];
    assert!(close(proxy.accuracy_interval.low, interval[0].as_f64().unwrap(), 1e-12), "{name}");
    assert!(close(proxy.accuracy_interval.high, interval[1].as_f64().unwrap(), 1e-12), "{name}");
}

fn check_statement(name: &str, proxy: &SourceProxy, statement: &Value, want: &impl Fn(&str) -> f64) {
    for (what, got, want) in [
        ("d_min", proxy.d_min, want("d_min")),
        ("d_true_min", proxy.d_true_min, want("d_true_min")),
        ("I_eff", proxy.i_eff, want("I_eff")),
        ("I_min", proxy.i_min, want("I_min")),
        ("I_true_eff", proxy.i_true, want("I_true_eff")),
        ("I_true_min", proxy.i_true_min, want("I_true_min")),
        ("p_row_eff", proxy.p_row_eff, want("p_row_eff")),
        ("p_row_het", proxy.p_row_het, want("p_row_het")),
        ("p_row", proxy.p_row_min, want("p_row")),
    ] {
        assert!(close(got, want, 1e-10), "{name}: {what} {got} {want}");
    }
    let (bound, required) = (&statement["beta_bound"], &statement["required_I_true_min_correct"]);
    assert!(close(proxy.failure_bound, bound.as_f64().unwrap(), 1e-9), "{name}: {} {bound}", proxy.failure_bound);
    assert_eq!(proxy.meets_target, statement["meets_target"].as_bool().unwrap(), "{name}");
    if let Some(required) = required.as_f64() {
        assert!(close(proxy.required_i_true_min, required, 1e-12), "{name}: {} {required}", proxy.required_i_true_min);
    }
}

#[test]
fn coverage_and_proxies_are_the_40_digit_values() {
    let cases = fixtures::json("screen/golden.json");
    assert!(cases.as_array().unwrap().len() >= 17);
    cases.as_array().unwrap().iter().for_each(check);
}

#[test]
fn exact_variances_are_those_of_brute_force_at_40_digits() {
    let extra = fixtures::json("screen/extra.json");
    for case in extra["exact_variance"].as_array().unwrap() {
        let spec = spec_of(case);
        let coverage = Coverage::of(&spec, &ScreenLimits::default()).unwrap();
        let (got, want) = (
            own_variance(&spec, &coverage, &ScreenLimits::default()).unwrap(),
            case["var_true_exact"].as_f64().unwrap(),
        );
        assert!(close(got, want, 1e-10), "{case}: {got}");
        for (got, want) in coverage.by_class.iter().zip(numbers(&case["d_true_by_class"])) {
            assert!(close(*got, want, 1e-12), "{case}: {got}");
        }
    }
}

#[test]
fn simulated_variances_are_within_their_sampling_error_and_the_seeds_are_not() {
    let cases = fixtures::json("screen/variance.json");
    let mut apart = 0;
    for case in cases.as_array().unwrap() {
        let spec = spec_of(case);
        let coverage = Coverage::of(&spec, &ScreenLimits::default()).unwrap();
        let got =
            own_variance(&spec, &coverage, &ScreenLimits { variance_terms: 1e9, ..ScreenLimits::default() }).unwrap();
        let of = |name: &str| case[name].as_f64().unwrap();
        assert!(close(got, of("var_exact"), 1e-8), "{case}: {got}");
        assert!((got - of("var_sim")).abs() < 6.2 * of("se_var"), "{case}: {got}");
        apart += usize::from((coverage.variance_own - of("var_sim")).abs() > 6.2 * of("se_var"));
    }
    assert!(apart >= 5, "subsets taken for independent are wrong in {apart} cases");
}

#[test]
fn the_evidence_that_a_target_requires_is_finite_and_right() {
    let extra = fixtures::json("screen/extra.json");
    for case in extra["required_I_true_min_correct"].as_array().unwrap() {
        let level = |name| TargetLevel::new(name, case[name].as_f64().unwrap()).unwrap();
        let classes = case["K"].as_u64().unwrap() as usize;
        let got = required_evidence(case["R"].as_u64().unwrap(), classes, level("alpha"), level("beta"));
        assert!(close(got, case["I_required"].as_f64().unwrap(), 1e-12), "{case}: {got}");
    }
}

#[test]
fn frequencies_of_values_and_short_queries_are_as_simulated() {
    let extra = fixtures::json("screen/extra.json");
    for case in extra["nonuniform_and_max_dim"].as_array().unwrap() {
        let columns: Vec<Column> =
            case["cols"].as_array().unwrap().iter().map(|c| Column::with_frequencies(&numbers(c)).unwrap()).collect();
        let spec = spec(case["R"].as_u64().unwrap(), columns, &numbers(&case["pi"]), case["T"].as_u64().unwrap(), 2);
        let spec = spec.with_max_order(case["max_dim"].as_u64().unwrap() as usize).unwrap();
        let coverage = Coverage::of(&spec, &ScreenLimits::default()).unwrap();
        let of = |name: &str| case[name].as_f64().unwrap();
        assert!(close(coverage.own_class.value, of("d_true"), 1e-12), "{case}: {}", coverage.own_class.value);
        assert!(close(coverage.all_classes.value, of("d_eff"), 1e-12), "{case}: {}", coverage.all_classes.value);
        assert!((of("d_true") - of("sim_mean")).abs() < 6.2 * of("sim_se"));
    }
}

#[test]
fn many_columns_are_exact_in_groups_and_the_lattice_brackets_them() {
    let cases = fixtures::json("screen/scaling.json");
    for case in cases.as_array().unwrap() {
        let spec = spec_of(case);
        let coverage = Coverage::of(&spec, &ScreenLimits::default()).unwrap();
        let lattice_alone = ScreenLimits { groups: 0.0, lattice_steps: 1e10, ..ScreenLimits::default() };
        let on_lattice = Coverage::of(&spec, &lattice_alone).unwrap();
        let (low, high) = (on_lattice.own_class.low, on_lattice.own_class.high);
        let (theirs, name) = (numbers(&case["bracket"]), format!("{} columns", spec.columns().len()));
        assert_eq!(on_lattice.method, CoverageMethod::Lattice);
        assert!(low <= theirs[1] && theirs[0] <= high, "{name}: {low} {high} {theirs:?}");
        assert!(on_lattice.own_class.relative_width() < 5e-4, "{name}: {low} {high}");
        if let Some(want) = case["d_true"].as_f64() {
            assert!(close(coverage.own_class.value, want, 1e-11), "{name}: {}", coverage.own_class.value);
            assert!(close(coverage.variance_own, case["var_true"].as_f64().unwrap(), 1e-9), "{name}");
            assert!(low <= want && want <= high, "{name}: {low} {want} {high}");
            let all = on_lattice.all_classes;
            assert!(all.low <= coverage.all_classes.value && coverage.all_classes.value <= all.high, "{name}");
            assert!(close(on_lattice.own_class.value, want, 5e-4), "{name}: {} {want}", on_lattice.own_class.value);
            assert!(close(on_lattice.variance_all, coverage.variance_all, 1e-2), "{name}");
        }
    }
}
