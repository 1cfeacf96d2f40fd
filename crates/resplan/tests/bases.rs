//! Plans and releases with queries other than the categories, against definitions.

use std::sync::Arc;

use ndarray::{Array2, array};
use privacy_core::accounting::PrivacyCost;
use privacy_core::linalg::pseudo_inverse;
use privacy_core::param::{Probability, StdDev};
use privacy_core::table::TableSource;
use privacy_core::{AttrSet, Domain};
use proptest::prelude::*;
use rand_chacha::{ChaCha20Rng, rand_core::SeedableRng};
use resplan::{
    Error, Neighbours, NoisyMarginal, NormOrder, Objective, Plan, PlanLimits, PlanSpec, QueryBasis, QueryIndex,
    Strategy, Tilt, TreeNodes, Workload,
};
use statrs::distribution::{ChiSquared, ContinuousCDF};

fn spec(sizes: &[usize], bases: &[QueryBasis], workload: Workload) -> PlanSpec {
    let domain = Domain::of_cardinalities(sizes).unwrap();
    PlanSpec { bases: bases.to_vec(), ..PlanSpec::new(domain, workload, PrivacyCost::new(1.0).unwrap()) }
}

fn plan(sizes: &[usize], bases: &[QueryBasis], workload: Workload) -> Plan {
    Plan::new(spec(sizes, bases, workload), &PlanLimits::default()).unwrap()
}

fn tree(k: usize) -> QueryBasis {
    let labels: Vec<String> = (0..k).map(|c| c.to_string()).collect();
    QueryBasis::Hierarchical(Arc::new(TreeNodes::balanced(&labels, 2).unwrap()))
}

/// A basis of each kind for an attribute of `k` categories.
fn some_basis(kind: usize, k: usize) -> QueryBasis {
    match kind {
        0 => QueryBasis::Identity,
        1 => QueryBasis::Prefix,
        2 => QueryBasis::Range,
        3 => tree(k),
        4 => QueryBasis::Queries(Arc::new(Array2::from_shape_fn((3, k), |(q, c)| ((q * 5 + c * 3) % 4) as f64 - 1.0))),
        _ => {
            let weights = (0..QueryBasis::Prefix.queries(k)).map(|q| 1.0 + q as f64).collect();
            QueryBasis::Weighted(Box::new(QueryBasis::Prefix), Arc::new(weights))
        }
    }
}

fn kron(matrices: &[Array2<f64>]) -> Array2<f64> {
    matrices.iter().fold(array![[1.0]], |left, right| ndarray::linalg::kron(&left, right))
}

/// Rows of W, or the total, along every attribute.
fn query_matrix(sizes: &[usize], bases: &[QueryBasis], set: AttrSet) -> Array2<f64> {
    let along = |i: usize| {
        let k = sizes[i];
        let queries = bases[i].queries(k);
        if set.contains(i) {
            let rows: Vec<f64> = (0..queries).flat_map(|q| bases[i].query(k, q)).collect();
            Array2::from_shape_vec((queries, k), rows).unwrap()
        } else {
            Array2::ones((1, k))
        }
    };
    kron(&(0..sizes.len()).map(along).collect::<Vec<_>>())
}

/// The total precision over the whole domain: of every residual, its queries' Gram matrix over
/// its variance.
fn precision(plan: &Plan, sizes: &[usize]) -> Array2<f64> {
    let cells = sizes.iter().product();
    let mut sum = Array2::<f64>::zeros((cells, cells));
    for (set, sigma2) in plan.residuals() {
        let along = |i: usize| match set.contains(i) {
            true => {
                let b = plan.residual_queries(i);
                b.t().dot(&b)
            }
            false => Array2::ones((sizes[i], sizes[i])),
        };
        sum = sum + kron(&(0..sizes.len()).map(along).collect::<Vec<_>>()) / sigma2.to_f64();
    }
    sum
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Covariances by the formula and by the definition, for all marginals of the closure and
    /// across them.
    #[test]
    fn covariance_is_that_of_the_best_linear_unbiased_estimate(
        attributes in proptest::collection::vec((1_usize..5, 0_usize..6), 1..4), up_to in 1_usize..4,
    ) {
        let sizes: Vec<usize> = attributes.iter().map(|(k, _)| *k).collect();
        let bases: Vec<QueryBasis> = attributes.iter().map(|&(k, kind)| some_basis(kind, k)).collect();
        let plan = plan(&sizes, &bases, Workload::UpTo(up_to));
        prop_assert!(plan.pcost().get() <= 1.0 && plan.pcost().get() > 1.0 - 1e-6);
        let precision = precision(&plan, &sizes);
        let inverse = pseudo_inverse(precision.view()).unwrap();
        // What a person adds: the diagonal of the total precision.
        let worst = precision.diag().iter().copied().fold(0.0, f64::max);
        prop_assert!(worst <= plan.pcost().get() * (1.0 + 1e-12), "{worst} of {}", plan.pcost().get());
        let sets: Vec<AttrSet> = plan.marginals().map(|m| m.attributes).collect();
        for &one in &sets {
            let left = query_matrix(&sizes, &bases, one);
            for &other in &sets {
                let right = query_matrix(&sizes, &bases, other);
                let want = left.dot(&inverse).dot(&right.t());
                let got = plan.covariance_matrix(one, other).unwrap();
                let scale = want.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
                let error = (&got - &want).iter().fold(0.0_f64, |m, x| m.max(x.abs()));
                prop_assert!(error < 1e-7 * scale, "{one:?} {other:?}: {error:e} of {scale}");
                if one == other {
                    let planned = plan.marginals().find(|m| m.attributes == one).unwrap();
                    let diagonal = want.diag();
                    let mean = diagonal.mean().unwrap();
                    prop_assert!((planned.mean_variance / mean - 1.0).abs() < 1e-6);
                    let largest = diagonal.iter().copied().fold(0.0, f64::max);
                    prop_assert!((planned.max_variance / largest - 1.0).abs() < 1e-6);
                }
            }
        }
    }

    /// Any order of the attributes gives the same plan.
    #[test]
    fn permuting_the_attributes_permutes_the_plan(
        attributes in proptest::collection::vec((2_usize..6, 0_usize..6), 2..5), rotate in 1_usize..4,
    ) {
        let made = |attributes: &[(usize, usize)]| {
            let sizes: Vec<usize> = attributes.iter().map(|(k, _)| *k).collect();
            let bases: Vec<QueryBasis> = attributes.iter().map(|&(k, kind)| some_basis(kind, k)).collect();
            plan(&sizes, &bases, Workload::UpTo(2))
        };
        let n = attributes.len();
        let mut rotated = attributes.clone();
        rotated.rotate_left(rotate % n);
        let (one, other) = (made(&attributes), made(&rotated));
        for marginal in other.marginals() {
            let back: AttrSet = marginal.attributes.iter().map(|i| (i + rotate % n) % n).collect();
            // A search over tilts may end at another of two neighbours that are equally good.
            prop_assert!((one.mean_variance(back).unwrap() / marginal.mean_variance - 1.0).abs() < 1e-3);
        }
        prop_assert!((one.objective_value() / other.objective_value() - 1.0).abs() < 1e-6);
    }

    /// Replacing a row, on every pair of rows: the plan's cost is the largest, and hardly more.
    #[test]
    fn replacing_a_row_costs_at_most_what_the_plan_says(
        attributes in proptest::collection::vec((2_usize..5, 0_usize..6), 1..4), up_to in 1_usize..4,
    ) {
        let sizes: Vec<usize> = attributes.iter().map(|(k, _)| *k).collect();
        let bases: Vec<QueryBasis> = attributes.iter().map(|&(k, kind)| some_basis(kind, k)).collect();
        let spec = PlanSpec { neighbours: Neighbours::Replace, ..spec(&sizes, &bases, Workload::UpTo(up_to)) };
        let plan = Plan::new(spec, &PlanLimits::default()).unwrap();
        let mut worst = 0.0_f64;
        let mut sum = Array2::<f64>::zeros((sizes.iter().product(), sizes.iter().product()));
        for (set, sigma2) in plan.residuals().filter(|(set, _)| !set.is_empty()) {
            let along = |i: usize| match set.contains(i) {
                true => plan.residual_queries(i).t().dot(&plan.residual_queries(i)),
                false => Array2::ones((sizes[i], sizes[i])),
            };
            sum = sum + kron(&(0..sizes.len()).map(along).collect::<Vec<_>>()) / sigma2.to_f64();
        }
        for a in 0..sum.nrows() {
            for b in 0..sum.nrows() {
                worst = worst.max(sum[[a, a]] + sum[[b, b]] - 2.0 * sum[[a, b]]);
            }
        }
        prop_assert!(plan.residuals().all(|(set, sigma2)| set.is_empty() == sigma2.is_zero()));
        prop_assert!(worst <= plan.pcost().get() * (1.0 + 1e-12), "{worst} of {}", plan.pcost().get());
    }
}

const TRIALS: u64 = 3_000;
const ERROR_RATE: f64 = 1e-9;

/// Every answer's squared errors over the trials, in units of `variance`: a chi-squared with as
/// many degrees.
fn accepted(measure: impl Fn(u64) -> Vec<NoisyMarginal>, plan: &Plan, exact: &[Vec<f64>], shrink: f64) -> bool {
    let answers: usize = exact.iter().map(Vec::len).sum();
    let (mut sums, mut squares) = (vec![0.0; answers], vec![0.0; answers]);
    let variances: Vec<f64> = plan
        .marginals()
        .zip(exact)
        .flat_map(|(m, exact)| {
            let variances = plan.variances(m.attributes).unwrap();
            (0..exact.len()).map(move |i| variances.at(i) * shrink)
        })
        .collect();
    for trial in 0..TRIALS {
        let values = measure(trial);
        let errors = values.iter().zip(exact).flat_map(|(m, exact)| m.values.iter().zip(exact).map(|(x, y)| x - y));
        for (i, error) in errors.enumerate() {
            sums[i] += error;
            squares[i] += error * error;
        }
    }
    let law = ChiSquared::new(TRIALS as f64).unwrap();
    let tail = ERROR_RATE / (3.0 * answers as f64);
    let (low, high) = (law.inverse_cdf(tail), law.inverse_cdf(1.0 - tail));
    let z = 6.8; // beyond it 1e-11 of a normal law
    (0..answers).all(|i| {
        let (square, mean) = (squares[i] / variances[i], sums[i] / (variances[i] * TRIALS as f64).sqrt());
        low <= square && square <= high && mean.abs() <= z
    })
}

#[test]
fn released_and_simulated_answers_are_unbiased_with_the_planned_variances_and_a_tenth_less_is_caught() {
    let (sizes, bases) = ([4, 3, 5], [QueryBasis::Prefix, QueryBasis::Identity, tree(5)]);
    let workload = Workload::from_sets([AttrSet::first(3), AttrSet::single(0), AttrSet::EMPTY]);
    let domain = Domain::of_cardinalities(&sizes).unwrap();
    let people: Vec<u64> = (0..60).map(|i| i * 7 % 13).collect();
    let source = TableSource::new(domain, people.clone()).unwrap();
    let planned = || plan(&sizes, &bases, workload.clone());
    let people = ndarray::Array1::from_iter(people.into_iter().map(|x| x as f64));
    let exact: Vec<Vec<f64>> =
        planned().marginals().map(|m| query_matrix(&sizes, &bases, m.attributes).dot(&people).to_vec()).collect();
    let plan = planned();
    let released = |trial: u64| {
        let mut key = [3; 32];
        key[..8].copy_from_slice(&trial.to_le_bytes());
        plan.duplicate().measure(&source, &mut ChaCha20Rng::from_seed(key)).unwrap().marginals()
    };
    let simulated = |trial: u64| plan.simulate(&source, 11, trial).unwrap().marginals();
    assert!(accepted(released, &plan, &exact, 1.0));
    assert!(accepted(simulated, &plan, &exact, 1.0));
    assert!(!accepted(released, &plan, &exact, 0.8), "the twin");
}

#[test]
fn prefix_sums_ranges_and_nodes_add_up_across_marginals() {
    let (sizes, bases) = ([6, 4], [QueryBasis::Range, tree(4)]);
    let source = TableSource::new(Domain::of_cardinalities(&sizes).unwrap(), (0..24).collect()).unwrap();
    let plan = plan(&sizes, &bases, Workload::UpTo(2));
    let measured = plan.measure(&source, &mut ChaCha20Rng::from_seed([1; 32])).unwrap();
    let (both, one) = (measured.marginal(AttrSet::first(2)).unwrap(), measured.marginal(AttrSet::single(0)).unwrap());
    for range in 0..21 {
        // Node 0 of the tree is everybody.
        assert!((both.values[[range, 0]] - one.values[[range]]).abs() < 1e-9);
        // TreeNodes 1 and 2 are its halves.
        assert!((both.values[[range, 1]] + both.values[[range, 2]] - both.values[[range, 0]]).abs() < 1e-9);
    }
}

#[test]
fn combinations_of_answers_have_the_variance_of_their_covariances() {
    let (sizes, bases) = ([5, 3], [QueryBasis::Prefix, QueryBasis::Identity]);
    let plan = plan(&sizes, &bases, Workload::UpTo(2));
    let answer = |attributes: AttrSet, queries: &[usize]| QueryIndex { attributes, queries: queries.to_vec() };
    let (both, age) = (AttrSet::first(2), AttrSet::single(0));
    // The second category of the prefix attribute, as a difference, is what the categories'
    // covariance says.
    let terms = [(answer(age, &[1]), 1.0), (answer(age, &[0]), -1.0)];
    let cov = plan.covariance_matrix(age, age).unwrap();
    let want = cov[[1, 1]] + cov[[0, 0]] - 2.0 * cov[[0, 1]];
    assert!((plan.combination_variance(&terms).unwrap() - want).abs() < 1e-12);
    // A row of the two-way table sums to the one-way answer, without error.
    let mut terms: Vec<(QueryIndex, f64)> = (0..3).map(|c| (answer(both, &[2, c]), 1.0)).collect();
    terms.push((answer(age, &[2]), -1.0));
    assert!(plan.combination_variance(&terms).unwrap() < 1e-9);
    assert!(plan.covariance(&answer(both, &[2]), &answer(age, &[2])).is_err());
    assert!(plan.covariance(&answer(both, &[2, 3]), &answer(age, &[2])).is_err());
}

#[test]
fn the_largest_variance_of_prefix_sums_is_least_with_its_own_objective() {
    let (sizes, bases) = ([20, 8, 3], [QueryBasis::Prefix, QueryBasis::Range, QueryBasis::Identity]);
    let made = |objective| {
        let spec = PlanSpec { objective, ..spec(&sizes, &bases, Workload::UpTo(3)) };
        Plan::new(spec, &PlanLimits::default()).unwrap()
    };
    let largest = |plan: &Plan| plan.marginals().map(|m| m.max_variance).fold(0.0, f64::max);
    let (sum, max) = (made(Objective::SumVariance), made(Objective::MaxVariance));
    assert!(largest(&max) < 0.9 * largest(&sum) && sum.rmse() < max.rmse());
    assert!((max.objective_value() / largest(&max) - 1.0).abs() < 1e-12);
    assert!(max.gap() <= 1e-4, "{}", max.gap());
}

#[test]
fn bounds_are_kept_at_little_more_than_the_least_sum() {
    let sd = |sd: f64| StdDev::new(sd).unwrap();
    for bases in [
        [QueryBasis::Identity, QueryBasis::Identity, QueryBasis::Identity],
        [QueryBasis::Prefix, QueryBasis::Range, QueryBasis::Identity],
    ] {
        let sizes = [8, 5, 3];
        let made = |bounds: Vec<(AttrSet, StdDev)>, budget: f64| {
            let budget = PrivacyCost::new(budget).unwrap();
            Plan::new(PlanSpec { bounds, budget, ..spec(&sizes, &bases, Workload::UpTo(3)) }, &PlanLimits::default())
        };
        let free = made(Vec::new(), 1.0).unwrap();
        let sds: Vec<(AttrSet, f64)> = free.marginals().map(|m| (m.attributes, m.max_variance.sqrt())).collect();
        // What is kept already changes nothing.
        let loose = made(sds.iter().map(|&(set, x)| (set, sd(1.01 * x))).collect(), 1.0).unwrap();
        assert!(loose.residuals().eq(free.residuals()) && loose.gap() == 0.0);
        // Halving some of them costs the others something.
        let tight: Vec<(AttrSet, StdDev)> =
            sds.iter().filter(|(set, _)| set.len() == 1).map(|&(set, x)| (set, sd(0.8 * x))).collect();
        let plan = made(tight.clone(), 1.0).unwrap();
        for (set, bound) in &tight {
            assert!(plan.max_variance(*set).unwrap() <= bound.get().powi(2), "{set:?}");
        }
        assert!(plan.pcost().get() <= 1.0 && plan.objective_value() > free.objective_value());
        assert!(plan.gap() <= 1e-4, "{}", plan.gap());
        // Out of reach at this budget, and within it at the one that the error names.
        let hard: Vec<(AttrSet, StdDev)> = sds.iter().map(|&(set, x)| (set, sd(0.3 * x))).collect();
        let Err(Error::BoundsOutOfReach { needed, .. }) = made(hard.clone(), 1.0) else { panic!("out of reach") };
        assert!(needed > 1.0 && made(hard.clone(), needed * 1.001).is_ok());
        assert!(matches!(made(hard, needed * 0.99), Err(Error::BoundsOutOfReach { .. })));
    }
    let elsewhere = vec![(AttrSet::first(2), sd(1.0))];
    let spec = PlanSpec {
        bounds: elsewhere,
        ..spec(&[2, 3], &[QueryBasis::Identity, QueryBasis::Identity], Workload::UpTo(1))
    };
    assert!(matches!(Plan::new(spec, &PlanLimits::default()), Err(Error::BadBound { .. })));
}

#[test]
fn questions_that_leave_something_open_are_planned_and_answered() {
    let queries = |rows: Vec<[f64; 4]>| {
        QueryBasis::Queries(Arc::new(Array2::from_shape_vec((rows.len(), 4), rows.concat()).unwrap()))
    };
    for basis in [
        // A contrast alone needs no total; and two questions about four categories.
        queries(vec![[1.0, -1.0, 0.0, 0.0]]),
        queries(vec![[-2.0, 0.0, 0.0, 1.0], [0.0, 1.0, 1.0, 0.0]]),
        queries(vec![[0.0, 0.0, 0.0, 1e-3]]),
        queries(vec![[1e6, 0.0, 0.0, 0.0], [0.0, 1e-6, 0.0, 0.0]]),
    ] {
        for objective in [Objective::SumVariance, Objective::MaxVariance] {
            for strategy in [Strategy::Automatic, Strategy::Orthogonal, Strategy::Isotropic] {
                let spec = PlanSpec {
                    objective,
                    strategy,
                    ..spec(&[4, 3], &[basis.clone(), QueryBasis::Identity], Workload::Exactly(1))
                };
                let plan = Plan::new(spec, &PlanLimits::default()).unwrap();
                assert!(plan.pcost().get() <= 1.0 && plan.pcost().get() > 0.999, "{}", plan.pcost().get());
                let variances: Vec<f64> = plan.marginals().map(|m| m.max_variance).collect();
                assert!(variances.iter().all(|v| v.is_finite() && *v > 0.0), "{basis:?} {objective:?} {strategy:?}");
            }
        }
    }
}

#[test]
fn bounds_hold_for_replaced_rows_wherever_the_least_largest_variance_keeps_them() {
    let (sizes, bases) = ([2, 9], [QueryBasis::Identity, QueryBasis::Identity]);
    let made = |objective, bounds: Vec<(AttrSet, StdDev)>| {
        let replace = PlanSpec { neighbours: Neighbours::Replace, ..spec(&sizes, &bases, Workload::UpTo(2)) };
        Plan::new(PlanSpec { objective, bounds, ..replace }, &PlanLimits::default())
    };
    let safest = made(Objective::MaxVariance, Vec::new()).unwrap();
    let largest = safest.marginals().map(|m| m.max_variance).fold(0.0, f64::max).sqrt();
    let sets: Vec<AttrSet> = safest.marginals().map(|m| m.attributes).filter(|set| !set.is_empty()).collect();
    for times in [1.001, 1.01, 1.05, 1.3] {
        let bounds = sets.iter().map(|&set| (set, StdDev::new(times * largest).unwrap())).collect();
        let plan = made(Objective::SumVariance, bounds).unwrap();
        assert!(plan.pcost().get() <= 1.0);
        assert!(sets.iter().all(|&set| plan.max_variance(set).unwrap().sqrt() <= times * largest), "{times}");
    }
    let bounds = sets.iter().map(|&set| (set, StdDev::new(0.9 * largest).unwrap())).collect();
    assert!(matches!(made(Objective::SumVariance, bounds), Err(Error::BoundsOutOfReach { .. })));
}

#[test]
fn questions_about_every_second_category_are_planned() {
    let k = 70;
    let queries =
        |entry: &dyn Fn(usize) -> f64| QueryBasis::Queries(Arc::new(Array2::from_shape_fn((1, k), |(_, c)| entry(c))));
    let contrast = queries(&|c| f64::from(u8::from(c == 1)) - f64::from(u8::from(c == 3)));
    let odd = queries(&|c| (c % 2) as f64);
    let total = queries(&|_| 1.0);
    for basis in [contrast, odd, total] {
        let zero = Strategy::Tilted(Tilt::new(0.0).unwrap());
        for strategy in [Strategy::Automatic, zero, Strategy::Orthogonal, Strategy::Isotropic] {
            let spec = PlanSpec { strategy, ..spec(&[k], std::slice::from_ref(&basis), Workload::Exactly(1)) };
            let plan = Plan::new(spec, &PlanLimits::default());
            assert!(
                plan.as_ref().is_ok_and(|plan| plan.rmse().is_finite() && plan.rmse() > 0.0),
                "{strategy:?} {plan:?} {:?}",
                basis.query(k, 0)
            );
        }
    }
}

#[test]
fn what_costs_nothing_is_planned_for_every_objective() {
    for objective in
        [Objective::SumVariance, Objective::MaxVariance, Objective::NormVariance(NormOrder::new(3.0).unwrap())]
    {
        let replace = PlanSpec {
            neighbours: Neighbours::Replace,
            objective,
            ..spec(&[3], &[QueryBasis::Identity], Workload::from_sets([AttrSet::EMPTY]))
        };
        let plan = Plan::new(replace, &PlanLimits::default()).unwrap();
        assert!(plan.is_free() && plan.pcost().get() < 1e-300, "{objective:?}");
        assert_eq!(plan.max_variance(AttrSet::EMPTY).unwrap(), 0.0, "{objective:?}");
    }
}

#[test]
fn many_attributes_with_strategies_are_measured_with_fewer_digits() {
    for pcost in [1e-6, 1.0, 1e4] {
        let bases = vec![QueryBasis::Prefix; 8];
        let spec = PlanSpec {
            budget: PrivacyCost::new(pcost).unwrap(),
            ..spec(&[2; 8], &bases, Workload::from_sets([AttrSet::first(8)]))
        };
        let plan = Plan::new(spec, &PlanLimits::default()).unwrap();
        let source = TableSource::new(Domain::of_cardinalities(&[2; 8]).unwrap(), vec![3; 256]).unwrap();
        let measured = plan.measure(&source, &mut ChaCha20Rng::from_seed([9; 32])).unwrap();
        let (marginal, everybody) = (measured.marginal(AttrSet::first(8)).unwrap(), 768.0);
        let last = *marginal.values.last().unwrap();
        assert!((last - everybody).abs() < 8.0 * marginal.variances.at(255).sqrt(), "{last}");
    }
}

/// A constant attribute may carry a factor: the lattice of the answers is that much wider.
#[test]
fn intervals_cover_answers_about_an_attribute_of_one_category() {
    let basis = QueryBasis::Queries(Arc::new(array![[1000.0]]));
    let plan = plan(&[1], &[basis], Workload::Exactly(1));
    let source = TableSource::new(Domain::of_cardinalities(&[1]).unwrap(), vec![40]).unwrap();
    let interval = plan.margin_of_error(AttrSet::single(0), Probability::new(0.95).unwrap()).unwrap();
    let missed = (0_u64..4_000).filter(|trial| {
        let mut key = [1; 32];
        key[..8].copy_from_slice(&trial.to_le_bytes());
        let measured = plan.duplicate().measure(&source, &mut ChaCha20Rng::from_seed(key)).unwrap();
        let answer = measured.marginal(AttrSet::single(0)).unwrap();
        (answer.values[[0]] - 40_000.0).abs() > interval.half_width(answer.variances.at(0))
    });
    // 5 % of 4,000, and six standard deviations.
    assert!(missed.count() <= 200 + 83);
}

#[test]
fn attributes_of_one_category_take_no_digits_from_the_others() {
    let mut sizes = vec![1; 120];
    sizes[7] = 5;
    let plan = plan(&sizes, &vec![QueryBasis::Prefix; 120], Workload::from_sets([AttrSet::first(120)]));
    let alone = self::plan(&[5], &[QueryBasis::Prefix], Workload::from_sets([AttrSet::single(0)]));
    assert!((plan.rmse() / alone.rmse() - 1.0).abs() < 1e-9, "{} {}", plan.rmse(), alone.rmse());
}
