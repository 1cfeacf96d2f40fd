//! The cost of a plan in Gaussian differential privacy, against all outcomes of small releases.

use privacy_core::accounting::{Neighbours, PrivacyCost, gaussian};
use privacy_core::param::{Epsilon, StdDev};
use privacy_core::{AttrSet, Domain};
use resplan::{Objective, Plan, PlanLimits, PlanSpec, QueryBasis, Workload};

fn cost(c: f64) -> PrivacyCost {
    PrivacyCost::new(c).unwrap()
}

fn spec(sizes: &[usize], order: usize, pcost: f64) -> PlanSpec {
    PlanSpec::new(Domain::of_cardinalities(sizes).unwrap(), Workload::UpTo(order), cost(pcost))
}

fn plan(spec: PlanSpec) -> Plan {
    Plan::new(spec, &PlanLimits::default()).unwrap()
}

/// The integers by which one more person changes a residual of identity attributes, and the
/// parameter of the noise on them: columns of the product of `k I - 11^T`.
fn shifts(plan: &Plan, sizes: &[usize]) -> Vec<(i32, f64)> {
    let mut all = Vec::new();
    for (set, sigma2) in plan.residuals() {
        let attributes: Vec<usize> = set.iter().collect();
        let mut column = vec![1];
        let mut cells = 1.0;
        for &attribute in &attributes {
            let k = sizes[attribute] as i32;
            column =
                column.iter().flat_map(|&d| (0..k).map(move |cell| if cell == 0 { d * (k - 1) } else { -d })).collect();
            cells *= f64::from(k);
        }
        all.extend(column.into_iter().map(|d| (d, sigma2.to_f64() * cells * cells)));
    }
    all
}

/// Privacy losses of one number and their probabilities, without what is rarer than 1e-18.
fn losses(shift: i32, gamma2: f64) -> Vec<(f64, f64)> {
    let weight = |y: i32| (-f64::from(y * y) / (2.0 * gamma2)).exp();
    let most = (9.2 * gamma2.sqrt()).ceil() as i32;
    let total: f64 = (-most..=most).map(weight).sum();
    let (d, g) = (f64::from(shift), gamma2);
    (-most..=most).map(|y| ((d * d - 2.0 * d * f64::from(y)) / (2.0 * g), weight(y) / total)).collect()
}

/// `sum of (P - e^epsilon Q)_+` over all outcomes of all numbers but those that are too rare.
fn delta(numbers: &[(i32, f64)], epsilon: f64) -> f64 {
    let mut all = vec![(0.0, 1.0)];
    for &(shift, gamma2) in numbers {
        let one = losses(shift, gamma2);
        let joint = all.iter().flat_map(|&(l, p)| one.iter().map(move |&(loss, share)| (l + loss, p * share)));
        let mut joint: Vec<(f64, f64)> = joint.filter(|(_, p)| *p > 1e-16).collect();
        joint.sort_by(|a, b| a.0.total_cmp(&b.0));
        // Outcomes of equal loss are one: sums of multiples of the same numbers.
        joint.dedup_by(|next, kept| {
            let equal = next.0 - kept.0 < 1e-12;
            if equal {
                kept.1 += next.1;
            }
            equal
        });
        all = joint;
    }
    all.iter().map(|(loss, p)| p * -(epsilon - loss).min(0.0).exp_m1()).sum()
}

#[test]
fn a_release_is_within_its_gaussian_cost_and_beyond_that_of_continuous_noise() {
    for (sizes, order, pcost) in [(vec![2], 1, 1.0), (vec![2], 1, 4.0), (vec![3], 1, 2.0), (vec![2, 2], 1, 3.0)] {
        let plan = plan(spec(&sizes, order, pcost));
        let numbers = shifts(&plan, &sizes);
        let continuous: f64 = numbers.iter().map(|(d, g)| f64::from(d * d) / g).sum();
        assert!((continuous - plan.pcost().get()).abs() < 1e-9 * pcost, "{sizes:?}");
        let ours = plan.gaussian_cost().unwrap();
        assert!(ours > plan.pcost());
        let mut above_continuous = 0;
        for step in 1..60 {
            let at = 0.1 * f64::from(step);
            let truth = delta(&numbers, at);
            let epsilon = Epsilon::new(at).unwrap();
            let bound = gaussian::delta(ours, epsilon).unwrap().get();
            assert!(truth <= bound + 1e-13, "{sizes:?} at {at}: {truth} above {bound}");
            let too_low = gaussian::delta(plan.pcost(), epsilon).unwrap().get();
            above_continuous += usize::from(truth > too_low * (1.0 + 1e-6) + 1e-12);
        }
        assert!(above_continuous >= 5, "{sizes:?}: {above_continuous} of 59");
    }
}

#[test]
fn a_budget_in_gaussian_differential_privacy_is_kept_and_used() {
    for neighbours in [Neighbours::AddRemove, Neighbours::Replace] {
        for (sizes, bases, pcost) in [
            (vec![2, 3], vec![QueryBasis::Identity; 2], 4.0),
            (vec![4, 3], vec![QueryBasis::Prefix, QueryBasis::Identity], 1.0),
            (vec![2], vec![QueryBasis::Identity], 2.0),
        ] {
            let base = PlanSpec { bases, neighbours, ..spec(&sizes, 2, pcost) };
            let free = plan(base.clone());
            let kept = plan(PlanSpec { gaussian_budget: Some(cost(pcost)), ..base });
            let spent = kept.gaussian_cost().unwrap().get();
            assert!(spent <= pcost && spent > 0.999 * pcost, "{sizes:?} {neighbours:?}: {spent} of {pcost}");
            assert!(kept.pcost() <= free.pcost() && kept.objective_value() >= free.objective_value());
        }
    }
}

/// Noise of less than a step of its lattice has no bound: a larger budget is then not spent, and
/// costs nothing.
#[test]
fn a_larger_budget_in_gaussian_differential_privacy_is_never_more_noise() {
    for (sizes, bounds) in [(vec![2, 4, 2], vec![]), (vec![3, 2], vec![(AttrSet::EMPTY, StdDev::new(0.9).unwrap())])] {
        let value = |mu: f64| {
            let pcost = mu * mu;
            let base = PlanSpec { bounds: bounds.clone(), ..spec(&sizes, 2, pcost) };
            let kept = plan(PlanSpec { gaussian_budget: Some(cost(pcost)), ..base });
            assert!(kept.gaussian_cost().unwrap().get() <= pcost);
            kept.objective_value()
        };
        let values: Vec<f64> =
            [2.0, 2.1, 3.0, 4.0, 4.3, 4.5, 5.0, 8.0, 20.0, 50.0, 100.0].into_iter().map(value).collect();
        let slack = if bounds.is_empty() { 1e-6 } else { 2e-3 };
        assert!(values.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + slack)), "{sizes:?}: {values:?}");
    }
}

#[test]
fn bounds_hold_within_a_budget_in_gaussian_differential_privacy() {
    let total = (AttrSet::EMPTY, StdDev::new(0.9).unwrap());
    let base = PlanSpec { bounds: vec![total], ..spec(&[2, 3], 2, 4.0) };
    let kept = plan(PlanSpec { gaussian_budget: Some(cost(4.0)), ..base });
    assert!(kept.gaussian_cost().unwrap().get() <= 4.0);
    assert!(kept.max_variance(AttrSet::EMPTY).unwrap() <= 0.81);
}

#[test]
fn noise_of_less_than_a_step_and_public_totals_have_no_gaussian_cost() {
    let tiny = plan(spec(&[2], 1, 1e4));
    assert!(tiny.gaussian_cost().is_none());
    let total_alone = PlanSpec { neighbours: Neighbours::Replace, ..spec(&[2], 0, 1.0) };
    assert!(plan(total_alone.clone()).gaussian_cost().is_none());
    let bounds = vec![(AttrSet::EMPTY, StdDev::new(0.1).unwrap())];
    let within = PlanSpec { gaussian_budget: Some(cost(1.0)), bounds, ..total_alone };
    assert!(plan(within).is_free(), "what costs nothing is within every budget");
    let wide = plan(PlanSpec { objective: Objective::MaxVariance, ..spec(&[5, 4], 2, 1e-6) });
    let ratio = wide.gaussian_cost().unwrap().get() / wide.pcost().get();
    assert!((1.0..1.0 + 1e-6).contains(&ratio));
}
