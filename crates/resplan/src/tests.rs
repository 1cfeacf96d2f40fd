//! Golden values of the steps that the public interface does not show.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

pub(crate) mod exact;

use std::sync::Arc;

use dashu_int::UBig;
use ndarray::Array2;
use privacy_core::accounting::PrivacyCost;
use privacy_core::noise::Rational;
use privacy_core::subsets::AxisLayout;
use privacy_core::table::TableSource;
use privacy_core::{AttrSet, ContingencyTable, CountSource, Domain};
use serde_json::Value;
use testkit::fixtures::json;

use crate::measurement::integers::narrow_residual;
use crate::measurement::lattice::scaled_variance;
use crate::measurement::measured::{Measured, SimulatedNoise};
use crate::measurement::transform::{residual_table, subtract_means};
use crate::planning::adjacency::Adjacency;
use crate::planning::closure::Closure;
use crate::strategy::axes::Axes;
use crate::strategy::axis::{Axis, DIGITS, Residual};
use crate::{Design, Neighbours, Objective, Plan, PlanLimits, PlanSpec, QueryBasis, TreeNodes, Workload};

fn floats(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

fn integers(value: &Value) -> Vec<i64> {
    value.as_array().unwrap().iter().map(|v| v.as_i64().unwrap()).collect()
}

fn domain_of(value: &Value) -> Domain {
    let sizes: Vec<usize> = integers(value).into_iter().map(|k| k as usize).collect();
    Domain::of_cardinalities(&sizes).unwrap()
}

/// "0,2" is the set of attributes 0 and 2.
fn set_of(text: &str) -> AttrSet {
    text.split(',').filter(|part| !part.is_empty()).map(|part| part.parse::<usize>().unwrap()).collect()
}

fn assert_close(got: &[f64], want: &[f64], tolerance: f64) {
    assert_eq!(got.len(), want.len());
    let largest = want.iter().fold(1.0_f64, |m, v| m.max(v.abs()));
    for (g, w) in got.iter().zip(want) {
        assert!((g - w).abs() <= tolerance * largest, "{g} for {w}");
    }
}

/// The table with one person in `cell` and nobody elsewhere.
fn one_person(domain: &Domain, cell: usize) -> ContingencyTable {
    let cells = domain.cells(domain.all()).unwrap() as usize;
    let counts = (0..cells).map(|c| u64::from(c == cell)).collect();
    ContingencyTable::from_cells(domain, domain.all(), counts).unwrap()
}

#[test]
fn integer_residuals_and_their_noise_are_the_discrete_mechanism() {
    for case in json("resplan/discrete_mechanism.json").as_array().unwrap() {
        let domain = domain_of(&case["domains"]);
        let rows: Vec<Vec<i64>> = case["Xi"].as_array().unwrap().iter().map(integers).collect();
        for person in 0..rows.len() {
            let column: Vec<i64> = rows.iter().map(|row| row[person]).collect();
            assert_eq!(narrow_residual(&Axes::identity(&domain), &one_person(&domain, person)).unwrap(), column);
            let length: i64 = column.iter().map(|x| x * x).sum();
            assert_eq!(length, case["sensitivity2"].as_i64().unwrap(), "squared sensitivity");
        }
        let fraction = |value: &Value| {
            let parts = integers(value);
            Rational::new(parts[0] as u128, parts[1] as u128).unwrap()
        };
        let (s, t) = (fraction(&case["sigma"]).numerator(), fraction(&case["sigma"]).denominator());
        let gamma2 =
            scaled_variance(&Axes::identity(&domain), domain.all(), Rational::new(s * s, t * t).unwrap()).unwrap();
        assert_eq!(gamma2, fraction(&case["gamma2"]));
        // rho = sensitivity^2 / (2 gamma^2), exactly.
        let sensitivity2 = case["sensitivity2"].as_u64().unwrap() as u128;
        let rho = Rational::new(sensitivity2 * gamma2.denominator(), 2 * gamma2.numerator()).unwrap();
        assert_eq!(rho, fraction(&case["rho"]));
    }
}

#[test]
fn projection_is_the_subtraction_matrix_and_its_pseudo_inverse() {
    for case in json("resplan/subtract.json").as_array().unwrap() {
        let k = case["k"].as_u64().unwrap() as usize;
        let matrix = |name: &str| {
            let rows: Vec<f64> = case[name].as_array().unwrap().iter().flat_map(floats).collect();
            let columns = floats(&case[name][0]).len();
            Array2::from_shape_vec((rows.len() / columns, columns), rows).unwrap()
        };
        for (inverse, forward) in [("v1_pinv", "v1"), ("v2_pinv", "v2")] {
            let projection = matrix(inverse).dot(&matrix(forward));
            for row in 0..k {
                let mut unit: Vec<f64> = (0..k).map(|i| f64::from(u8::from(i == row))).collect();
                subtract_means(&mut unit, AxisLayout::of(&[k], 0));
                assert_close(&unit, &projection.column(row).to_vec(), 1e-9);
            }
        }
    }
}

#[test]
fn fixed_noise_is_measured_and_reconstructed_as_computed_by_matrices() {
    for case in json("resplan/recon_fixed_noise.json").as_array().unwrap() {
        let domain = domain_of(&case["domains"]);
        let set: AttrSet = integers(&case["attrs"]).into_iter().map(|a| a as usize).collect();
        let spec = PlanSpec::new(domain.clone(), Workload::from_sets([set]), PrivacyCost::new(1.0).unwrap());
        let plan = Plan::new(spec, &PlanLimits::default()).unwrap();
        let people = floats(&case["x"]).into_iter().map(|x| x as u64).collect();
        let source = TableSource::new(domain.clone(), people).unwrap();
        let mut residuals = vec![Vec::new(); plan.closure().sets().len()];
        for (name, residual) in case["residuals"].as_object().unwrap() {
            let subset = set_of(name);
            let table = &source.marginals(&[subset]).unwrap()[0];
            assert_close(
                &table.cells().iter().map(|&c| c as f64).collect::<Vec<_>>(),
                &floats(&residual["marginal"]),
                0.0,
            );
            let sigma = residual["sigma2"].as_f64().unwrap().sqrt();
            let noisy = table.cells().iter().zip(floats(&residual["z"])).map(|(&cell, z)| cell as f64 + sigma * z);
            let cells: Vec<f64> = noisy.collect();
            let cells = residual_table(&Axes::identity(&domain), subset, cells);
            assert_close(&cells, &floats(&residual["residual_table"]), 1e-9);
            residuals[plan.closure().position(subset).unwrap()] = cells;
        }
        let measured: Measured<SimulatedNoise> = Measured::new(plan.into_design(), residuals);
        let got = measured.marginal(set).unwrap();
        assert_close(got.values.as_slice().unwrap(), &floats(&case["reconstructed"]), 1e-9);
    }
}

#[test]
fn totals_that_leave_62_bits_are_refused() {
    let domain = Domain::of_cardinalities(&[2, 3]).unwrap();
    let cells = |total: u64| ContingencyTable::from_cells(&domain, domain.all(), vec![total, 0, 0, 0, 0, 0]).unwrap();
    assert!(narrow_residual(&Axes::identity(&domain), &cells(1 << 53)).is_ok());
    let wide = Domain::of_cardinalities(&[1 << 10]).unwrap();
    let mut people = vec![0; 1 << 10];
    people[7] = 1 << 53;
    let table = ContingencyTable::from_cells(&wide, wide.all(), people).unwrap();
    assert!(matches!(narrow_residual(&Axes::identity(&wide), &table), Err(crate::Error::CountsTooLarge { .. })));
}

/// A plan with given strategies and variances, as the golden files have them.
fn plan_of(case: &Value) -> Design {
    let domain = domain_of(&case["domains"]);
    let matrix = |value: &Value| {
        let rows: Vec<f64> = value.as_array().unwrap().iter().flat_map(floats).collect();
        let k = value.as_array().unwrap().len();
        Array2::from_shape_vec((k, k), rows).unwrap()
    };
    let letters = case["bases"].as_str().unwrap().chars();
    let axes =
        letters.zip(case["strategies"].as_array().unwrap()).zip(domain.attributes()).map(|((letter, strategy), a)| {
            let dense = |basis| Axis::of_precision(basis, &matrix(&strategy["K"]), DIGITS, 0.0).unwrap();
            Arc::new(match letter {
                'P' => dense(QueryBasis::Prefix),
                'R' => dense(QueryBasis::Range),
                _ => Axis::identity(a.cardinality()),
            })
        });
    let axes = Axes::new(axes.collect());
    let sets = case["workload"].as_array().unwrap().iter();
    let workload: Vec<(AttrSet, f64)> =
        sets.map(|set| (integers(set).into_iter().map(|a| a as usize).collect(), 1.0)).collect();
    let closure = Closure::new(&axes, &workload, &privacy_core::stop::StopFlag::never()).unwrap();
    // Precision is counted in units of the strategy: ours have a largest diagonal entry of 1.
    let scale = |set: AttrSet| -> f64 {
        let of = |attribute: usize| match axes.get(attribute).basis() {
            QueryBasis::Identity => 1.0,
            _ => axes.get(attribute).columns().0 / case["strategies"][attribute]["p"].as_f64().unwrap(),
        };
        set.iter().map(of).product()
    };
    let sigma2 = |set: &AttrSet| {
        let name: Vec<String> = set.iter().map(|a| a.to_string()).collect();
        Rational::round_up(case["sigma2"][name.join(",")].as_f64().unwrap() * scale(*set), 53).unwrap()
    };
    let variances = closure.sets().iter().map(sigma2).collect();
    let adjacency = Adjacency { neighbours: Neighbours::AddRemove, rows_per_person: 1 };
    let objective = Objective::SumVariance;
    Design {
        domain,
        axes,
        workload,
        closure,
        variances,
        adjacency,
        objective,
        bounds: Vec::new(),
        gap: 0.0,
        pcost: 1.0,
    }
}

#[test]
fn covariances_are_those_of_the_matrices() {
    for case in json("resplan/covariance.json").as_array().unwrap() {
        let plan = plan_of(case);
        for (name, marginal) in case["marginals"].as_object().unwrap() {
            let set = set_of(name);
            let want: Vec<f64> = marginal["covariance"].as_array().unwrap().iter().flat_map(floats).collect();
            let got = plan.covariance_matrix(set, set).unwrap();
            assert_close(got.as_slice().unwrap(), &want, 1e-5);
            let variances = plan.variances(set).unwrap();
            let diagonal: Vec<f64> = (0..got.nrows()).map(|i| variances.at(i)).collect();
            assert_close(&diagonal, &got.diag().to_vec(), 1e-12);
            assert_close(&diagonal, &floats(&marginal["variances"]), 1e-5);
            let largest = diagonal.iter().copied().fold(0.0, f64::max);
            assert!((plan.max_variance(set).unwrap() / largest - 1.0).abs() < 1e-12);
            let sum = diagonal.iter().sum::<f64>();
            assert!((plan.mean_variance(set).unwrap() * diagonal.len() as f64 / sum - 1.0).abs() < 1e-12);
        }
    }
}

/// Sums of fractions, without rounding.
fn exact_sum(fractions: impl IntoIterator<Item = (UBig, UBig)>) -> (UBig, UBig) {
    fractions.into_iter().fold((UBig::ZERO, UBig::ONE), |(a, b), (c, d)| (&a * &d + c * &b, b * d))
}

#[test]
fn the_cost_is_within_the_budget_in_exact_fractions() {
    let tree = QueryBasis::Hierarchical(Arc::new(TreeNodes::balanced(["a", "b", "c"].map(str::to_owned), 2).unwrap()));
    let cases = [
        (vec![2, 3], vec![QueryBasis::Identity, QueryBasis::Identity]),
        (vec![2, 3], vec![QueryBasis::Prefix, QueryBasis::Identity]),
        (vec![4, 3, 2], vec![QueryBasis::Range, tree, QueryBasis::Prefix]),
    ];
    for (sizes, bases) in cases {
        for (budget, objective) in [
            (1.0, Objective::SumVariance),
            (0.1, Objective::MaxVariance),
            (1.0 / 3.0, Objective::SumVariance),
            (7e-5, Objective::SumVariance),
            (123.456, Objective::MaxVariance),
        ] {
            let domain = Domain::of_cardinalities(&sizes).unwrap();
            let spec = PlanSpec {
                bases: bases.clone(),
                objective,
                ..PlanSpec::new(domain, Workload::UpTo(3), PrivacyCost::new(budget).unwrap())
            };
            let plan = Plan::new(spec, &PlanLimits::default()).unwrap();
            // What the largest column of each integer query costs over the variance of its noise,
            // in the query's own unit.
            let cost = |(set, sigma2): (AttrSet, Rational)| {
                let (mut numerator, mut denominator) =
                    (UBig::from(sigma2.denominator()), UBig::from(sigma2.numerator()));
                for axis in plan.axes().of(set) {
                    let (squared, unit) = match axis.residual() {
                        Residual::Centred => (axis.size() as u64 * (axis.size() as u64 - 1), axis.size() as u64),
                        Residual::Dense(dense) => (dense.sensitivity2, 1 << dense.digits),
                    };
                    numerator *= UBig::from(squared);
                    denominator *= UBig::from(unit) * UBig::from(unit);
                }
                (numerator, denominator)
            };
            let (spent, unit) = exact_sum(plan.residuals().map(cost));
            // budget = mantissa 2^exponent, exactly.
            let (mantissa, exponent) = (budget.to_bits() & ((1 << 52) - 1) | 1 << 52, 1075 - (budget.to_bits() >> 52));
            let (left, right) = (spent << exponent as usize, unit * UBig::from(mantissa));
            assert!(left <= right, "{sizes:?} {budget}");
            assert!(
                left * UBig::from(1_000_001_u32) > right * UBig::from(1_000_000_u32),
                "{sizes:?} {budget}: unspent"
            );
        }
    }
}
