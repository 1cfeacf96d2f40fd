//! Sizes that are predicted, and limits up to which everything is let through.

use privacy_core::accounting::PrivacyCost;
use privacy_core::{AttrSet, Domain};
use resplan::{Error, Footprint, Plan, PlanLimits, PlanSpec, QueryBasis, SetFamily, TreeNodes, Workload};

/// A footprint of nothing.
const NOTHING: Footprint = Footprint {
    marginals: 0.0,
    answers: 0.0,
    largest: 0.0,
    residuals: 0.0,
    residual_cells: 0.0,
    expanded: 0.0,
    strategies: 0.0,
    planning_seconds: 0.0,
};

#[test]
fn every_part_of_a_plan_adds_its_own_bytes() {
    let base = NOTHING.bytes();
    assert!((1e7..1e9).contains(&base), "the program itself: {base}");
    // A residual stays as numbers of 8 bytes; a table is expanded twice; an answer is kept with its
    // text; a strategy is some ten matrices while it is computed.
    for (part, each) in [
        (Footprint { residual_cells: 1e6, ..NOTHING }, 8.0),
        (Footprint { expanded: 1e6, ..NOTHING }, 16.0),
        (Footprint { largest: 1e6, ..NOTHING }, 110.0),
        (Footprint { strategies: 1e6, ..NOTHING }, 100.0),
        (Footprint { residuals: 1e6, ..NOTHING }, 400.0),
        (Footprint { marginals: 1e6, ..NOTHING }, 400.0),
        (Footprint { answers: 1e6, ..NOTHING }, 0.0),
    ] {
        assert_eq!(part.bytes() - base, 1e6 * each, "{part:?}");
    }
    let all = Footprint {
        residual_cells: 1e6,
        expanded: 1e6,
        largest: 1e6,
        strategies: 1e6,
        residuals: 1e6,
        marginals: 1e6,
        ..NOTHING
    };
    assert_eq!(all.bytes() - base, 1e6 * (8.0 + 16.0 + 110.0 + 100.0 + 400.0 + 400.0));
}

#[test]
fn attributes_share_a_strategy_where_both_their_sizes_and_their_queries_are_alike() {
    let seconds = |attributes: &[(usize, QueryBasis)]| {
        let sizes: Vec<usize> = attributes.iter().map(|attribute| attribute.0).collect();
        let bases: Vec<QueryBasis> = attributes.iter().map(|attribute| attribute.1.clone()).collect();
        Workload::UpTo(1).footprint(&Domain::of_cardinalities(&sizes).unwrap(), &bases).planning_seconds
    };
    let (prefix, range) = (QueryBasis::Prefix, QueryBasis::Range);
    let [hundred, fifty] = [100, 50].map(|size| seconds(&[(size, prefix.clone())]));
    assert!(hundred > fifty && fifty > 0.0);
    let near = |got: f64, want: f64| assert!((got / want - 1.0).abs() < 1e-12, "{got} {want}");
    near(seconds(&[(100, prefix.clone()), (100, prefix.clone())]), hundred);
    near(seconds(&[(100, prefix.clone()), (100, range.clone())]), 2.0 * hundred);
    near(seconds(&[(100, prefix.clone()), (50, prefix.clone())]), hundred + fifty);
    near(seconds(&[(50, range.clone()), (100, prefix.clone()), (50, range), (100, prefix)]), hundred + fifty);
}

#[test]
fn what_is_as_large_as_a_limit_is_let_through() {
    let domain = Domain::of_cardinalities(&[2, 3, 4]).unwrap();
    let bases = vec![QueryBasis::Identity; 3];
    // 1 + 3 + 3 marginals; 1 + (2 + 3 + 4) + (6 + 8 + 12) answers.
    let with = |marginals: f64, answers: f64| PlanLimits { marginals, answers, ..PlanLimits::default() };
    let sets = |limits: PlanLimits| Workload::UpTo(2).sets(&domain, &bases, &limits);
    assert_eq!(sets(with(7.0, 36.0)).unwrap().len(), 7);
    assert!(matches!(sets(with(6.0, 36.0)), Err(Error::TooLarge { what: "marginals", .. })));
    assert!(matches!(sets(with(7.0, 35.0)), Err(Error::TooLarge { what: "answers of all marginals", .. })));
    let family = SetFamily { sizes: 0..=3, with: AttrSet::EMPTY, among: domain.all(), most_cells: f64::INFINITY };
    assert_eq!(family.sets(&domain, &with(8.0, 1e9)).unwrap().len(), 8);
    assert!(matches!(family.sets(&domain, &with(7.0, 1e9)), Err(Error::TooLarge { .. })));
}

#[test]
fn a_covariance_matrix_of_more_entries_than_the_limit_is_refused() {
    let domain = Domain::of_cardinalities(&[70, 70, 2]).unwrap();
    let spec = PlanSpec::new(domain, Workload::UpTo(2), PrivacyCost::new(1.0).unwrap());
    let plan = Plan::new(spec, &PlanLimits::default()).unwrap();
    let (pair, single) = (AttrSet::first(2), AttrSet::single(2));
    let Err(Error::TooLarge { needed, limit, .. }) = plan.covariance_matrix(pair, pair) else { panic!("4900^2") };
    assert_eq!((needed, limit), (4900.0 * 4900.0, 16_777_216.0));
    assert_eq!(plan.covariance_matrix(pair, single).unwrap().dim(), (4900, 2));
}

#[test]
fn a_balanced_tree_has_no_empty_node_whatever_its_branching() {
    for (k, branching) in (1..12).flat_map(|k| (2..6).map(move |branching| (k, branching))) {
        let labels: Vec<String> = (0..k).map(|label| label.to_string()).collect();
        let tree = TreeNodes::balanced(&labels, branching).unwrap();
        assert!(!tree.is_empty() && tree.len() == tree.names().count());
        // Every node is one category, or the union of nodes below it; every category is a leaf.
        let leaves: Vec<usize> = tree.categories().filter(|node| node.len() == 1).map(|node| node[0]).collect();
        assert_eq!(leaves.iter().collect::<std::collections::BTreeSet<_>>().len(), k, "{k} {branching}");
        assert_eq!(leaves.len(), k);
    }
}
