//! Covariances agree with each other and with what answers have to add up to.

use std::sync::Arc;

use ndarray::{Array2, array};
use privacy_core::accounting::PrivacyCost;
use privacy_core::{AttrSet, Domain};
use resplan::{Neighbours, Plan, PlanLimits, PlanSpec, QueryBasis, QueryIndex, Strategy, Workload};

const SIZES: [usize; 3] = [3, 4, 2];

/// Categories, prefix sums, and two queries of their own, whose parts of the total are not alike.
fn plan(strategy: Strategy, neighbours: Neighbours) -> Plan {
    let domain = Domain::of_cardinalities(&SIZES).unwrap();
    let own = Arc::new(array![[1.0, 0.5], [-2.0, 3.0]]);
    let spec = PlanSpec {
        bases: vec![QueryBasis::Identity, QueryBasis::Prefix, QueryBasis::Queries(own)],
        strategy,
        neighbours,
        ..PlanSpec::new(domain, Workload::UpTo(3), PrivacyCost::new(0.7).unwrap())
    };
    Plan::new(spec, &PlanLimits::default()).unwrap()
}

fn plans() -> [Plan; 3] {
    [
        plan(Strategy::Automatic, Neighbours::AddRemove),
        plan(Strategy::Automatic, Neighbours::Replace),
        plan(Strategy::Joint, Neighbours::AddRemove),
    ]
}

fn sets(plan: &Plan) -> Vec<AttrSet> {
    plan.marginals().map(|marginal| marginal.attributes).collect()
}

/// All answers about a marginal, in row-major order. Every attribute has as many queries as
/// categories here.
fn answers(attributes: AttrSet) -> Vec<QueryIndex> {
    let with = |all: Vec<Vec<usize>>, attribute: usize| {
        let longer =
            |queries: &Vec<usize>| (0..SIZES[attribute]).map(|query| [&queries[..], &[query]].concat()).collect();
        all.iter().flat_map(|queries| -> Vec<Vec<usize>> { longer(queries) }).collect()
    };
    let all: Vec<Vec<usize>> = attributes.iter().fold(vec![vec![]], with);
    all.into_iter().map(|queries| QueryIndex { attributes, queries }).collect()
}

fn assert_near(got: f64, want: f64) {
    assert!((got - want).abs() <= 1e-9 * (1.0 + want.abs()), "{got} {want}");
}

#[test]
fn a_matrix_holds_the_covariance_of_every_two_answers() {
    for plan in plans() {
        for (one, other) in sets(&plan).iter().flat_map(|&one| sets(&plan).into_iter().map(move |other| (one, other))) {
            let matrix = plan.covariance_matrix(one, other).unwrap();
            for (row, first) in answers(one).iter().enumerate() {
                for (column, second) in answers(other).iter().enumerate() {
                    assert_near(plan.covariance(first, second).unwrap(), matrix[[row, column]]);
                }
            }
        }
    }
}

#[test]
fn variances_are_the_diagonal_with_its_mean_and_its_largest() {
    for (plan, set) in plans().iter().flat_map(|plan| sets(plan).into_iter().map(move |set| (plan, set))) {
        let diagonal = plan.covariance_matrix(set, set).unwrap().diag().to_vec();
        let variances = plan.variances(set).unwrap();
        diagonal.iter().enumerate().for_each(|(place, &variance)| assert_near(variances.at(place), variance));
        assert_near(variances.mean(), diagonal.iter().sum::<f64>() / diagonal.len() as f64);
        assert_near(variances.max(), diagonal.iter().copied().fold(0.0, f64::max));
        // Of a known total nothing is in doubt.
        assert!(diagonal.iter().all(|&variance| variance >= 0.0));
    }
}

/// `sum of a_i a_j cov(i, j)`, from the matrices.
fn by_matrices(plan: &Plan, terms: &[(QueryIndex, f64)]) -> f64 {
    let place = |answer: &QueryIndex| answers(answer.attributes).iter().position(|other| other == answer).unwrap();
    let pairs = terms.iter().flat_map(|one| terms.iter().map(move |other| (one, other)));
    let products = pairs.map(|((one, a), (other, b))| {
        let matrix: Array2<f64> = plan.covariance_matrix(one.attributes, other.attributes).unwrap();
        a * b * matrix[[place(one), place(other)]]
    });
    products.sum()
}

#[test]
fn the_variance_of_a_combination_is_that_of_its_matrix() {
    for plan in plans() {
        for first in sets(&plan) {
            let [one, two] = [&answers(first)[0], answers(first).last().unwrap()].map(QueryIndex::clone);
            let whole = answers(AttrSet::first(3))[7].clone();
            let terms = [(one, 2.0), (whole, -3.0), (two, 0.5)];
            assert_near(plan.combination_variance(&terms).unwrap(), by_matrices(&plan, &terms));
        }
    }
}

/// The last prefix sum counts everybody: an answer with it is the answer without that attribute.
/// So is the sum over all categories.
#[test]
fn answers_that_are_one_have_one_variance_and_differ_by_nothing() {
    for plan in plans() {
        for own in 0..2 {
            let alone = QueryIndex { attributes: AttrSet::single(2), queries: vec![own] };
            let variance = plan.covariance(&alone, &alone).unwrap();
            let everybody = QueryIndex { attributes: [1, 2].into_iter().collect(), queries: vec![3, own] };
            assert_near(plan.covariance(&alone, &everybody).unwrap(), variance);
            let with_category =
                |category| QueryIndex { attributes: [0, 2].into_iter().collect(), queries: vec![category, own] };
            let sum: f64 = (0..3).map(|category| plan.covariance(&alone, &with_category(category)).unwrap()).sum();
            assert_near(sum, variance);
            let mut terms = vec![(everybody, -1.0)];
            terms.extend((0..3).map(|category| (with_category(category), 1.0)));
            assert_near(plan.combination_variance(&terms).unwrap(), 0.0);
        }
    }
}
