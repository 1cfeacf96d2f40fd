//! Tables of the size that offices publish: firms of very different sizes over regions and
//! branches with groups.

use crate::support::Draws;
use magnitude_release::{
    Axis, AxisNode, Cube, MagnitudeTable, Record, SensitivityRule, Share, SuppressionCost, SuppressionProblem,
    SuppressionStatus, plan,
};

/// Groups of `size` categories each.
fn grouped(name: &str, groups: usize, size: usize) -> Axis {
    let node = |label: String, parent| AxisNode { label, parent };
    let mut nodes = vec![node("all".into(), None)];
    for group in 0..groups {
        nodes.push(node(format!("{group}"), Some(0)));
        let own = nodes.len() - 1;
        nodes.extend((0..size).map(|member| node(format!("{group}.{member}"), Some(own))));
    }
    Axis::new(name, nodes).unwrap()
}

fn firms(cube: Cube, firms: u32) -> MagnitudeTable {
    let mut draws = Draws(7);
    let mut records = Vec::new();
    for respondent in 0..firms {
        // One in ten is a holding with three plants.
        for _ in 0..if respondent % 10 == 0 { 3 } else { 1 } {
            let leaves = cube
                .axes()
                .iter()
                .map(|axis| (draws.below(axis.leaves().len()) + draws.below(axis.leaves().len())) / 2);
            let leaves = leaves.collect();
            let amount = (1_000.0 * (1.0 - draws.next()).powf(-0.9)) as i64;
            records.push(Record { leaves, respondent, amount });
        }
    }
    MagnitudeTable::from_records(cube, &records).unwrap()
}

fn check(name: &str, axes: Vec<Axis>, number: u32, cost: SuppressionCost) {
    let table = firms(Cube::new(axes).unwrap(), number);
    let p = Share::of_percent("p_percent", 10.0).unwrap();
    let rule = SensitivityRule::new(Some(p), vec![], None, 1).unwrap();
    let problem = SuppressionProblem { cost, ..SuppressionProblem::new(&table, &rule) };
    let plan = plan(&problem).unwrap();
    assert!(plan.audit().is_protected());
    let [primary, further] =
        [SuppressionStatus::Primary, SuppressionStatus::Complementary].map(|status| plan.count(status));
    assert!(further <= 4 * primary, "{name}: {further} for {primary}");
    let review = plan.review(&problem).unwrap();
    assert!(review.iter().all(|cell| cell.interval.is_proved && !cell.interval.is_exactly_disclosed()));
}

#[test]
fn two_axes_with_groups() {
    for cost in [SuppressionCost::Value, SuppressionCost::Count, SuppressionCost::Equal] {
        check("11 x 13", vec![grouped("region", 2, 4), grouped("branch", 3, 3)], 600, cost);
    }
}

#[test]
fn three_axes() {
    let flat = |name: &str, size: usize| Axis::flat(name, "all", (0..size).map(|label| label.to_string())).unwrap();
    check("7 x 6 x 4", vec![flat("region", 6), flat("branch", 5), flat("size", 3)], 800, SuppressionCost::Value);
}

#[test]
#[ignore = "a minute in a debug build"]
fn a_large_table() {
    check("41 x 31", vec![grouped("region", 5, 7), grouped("branch", 5, 5)], 6_000, SuppressionCost::Value);
}
