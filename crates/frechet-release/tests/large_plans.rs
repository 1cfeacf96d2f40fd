//! Plans of large linked and hierarchical tables: they end, and an audit finds what they promise.

use frechet_release::{
    CellRelation, CellStatus, DisclosureRule, DisclosureStatus, DisclosureTarget, Knowledge, Limits, LinkedCell,
    LinkedTable, Protection, ProtectionStatus, ReleasePlan, ReleaseProblem, Scope, SuppressionStatus, plan,
};
use privacy_core::{AttrSet, ContingencyTable, Domain};

/// A linear congruential generator's high bits.
struct Draws(u64);

impl Draws {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }

    fn level(&mut self, size: usize) -> usize {
        let (a, b) = (self.below(size), self.below(size));
        a.min(b)
    }
}

/// 1,260 cells of four attributes.
fn table(people: usize, seed: u64) -> ContingencyTable {
    let sizes = [7, 6, 6, 5];
    let domain = Domain::of_cardinalities(&sizes).unwrap();
    let (mut counts, mut draws) = (vec![0_u64; sizes.iter().product()], Draws(seed));
    for _ in 0..people {
        counts[sizes.iter().fold(0, |cell, &size| cell * size + draws.level(size))] += 1;
    }
    ContingencyTable::from_cells(&domain, domain.all(), counts).unwrap()
}

fn planned(table: &ContingencyTable, width: u64) -> ReleasePlan {
    let domain = Domain::of_cardinalities(&[7, 6, 6, 5]).unwrap();
    let rule = DisclosureRule::new(width, 0.5, 3, Scope::Cells).unwrap();
    let background = Knowledge::of_counts(domain.clone()).unwrap();
    let mut problem = ReleaseProblem::new(background, rule, DisclosureTarget::Undisclosed, Limits::default());
    for pair in AttrSet::first(4).subsets_of_size(2) {
        problem = problem.request_margin(pair, 1.0).unwrap();
    }
    plan(&problem.allow_suppression().decide_on_counts(table).unwrap()).unwrap()
}

fn numbers(plan: &ReleasePlan, status: CellStatus) -> usize {
    plan.actions().iter().flat_map(|action| &action.statuses).filter(|own| **own == status).count()
}

#[test]
fn a_plan_of_six_margins_over_a_large_table_keeps_the_rule() {
    for (people, width) in [(2_000, 0), (3_000, 1)] {
        let table = table(people, 7);
        let plan = planned(&table, width);
        let audit = plan.audit(&table).unwrap();
        assert_eq!(audit.count(DisclosureStatus::Disclosed) + audit.count(DisclosureStatus::Unknown), 0);
        assert!(audit.primary_cells.is_empty(), "{people}");
        // Of 215 numbers; withholding everything would keep the rule as well.
        let (shown, withheld) = (numbers(&plan, CellStatus::Exact), numbers(&plan, CellStatus::Suppressed));
        assert!(shown > 100 && withheld > 0, "{shown} and {withheld} of {people}");
    }
}

#[test]
fn the_same_table_gets_the_same_plan() {
    let table = table(4_000, 3);
    assert_eq!(planned(&table, 0).actions(), planned(&table, 0).actions());
}

/// Three branches, three twigs each, four leaves each, crossed with `columns` levels, all with
/// totals.
fn hierarchy(columns: usize, people: usize, protection: Protection) -> LinkedTable {
    let parent = |node: usize| {
        if node < 4 {
            0
        } else if node < 13 {
            (node - 1) / 3
        } else {
            4 + (node - 13) / 4
        }
    };
    let (height, width) = (49, columns + 1);
    let (mut counts, mut draws) = (vec![0_u64; height * width], Draws(11));
    for _ in 0..people {
        let (mut node, column) = (13 + draws.level(36), draws.level(columns));
        loop {
            counts[node * width + column] += 1;
            counts[node * width + columns] += 1;
            if node == 0 {
                break;
            }
            node = parent(node);
        }
    }
    let mut links = Vec::new();
    for node in 0..height {
        let own = (0..columns).map(|column| (node * width + column, false));
        links.push(CellRelation { constant: 0, terms: own.chain([(node * width + columns, true)]).collect() });
        let children: Vec<usize> = (1..height).filter(|&child| parent(child) == node).collect();
        for column in (0..width).filter(|_| !children.is_empty()) {
            let own = children.iter().map(|child| (child * width + column, false));
            links.push(CellRelation { constant: 0, terms: own.chain([(node * width + column, true)]).collect() });
        }
    }
    let cell = |&count: &u64| LinkedCell {
        count,
        status: if (1..3).contains(&count) { SuppressionStatus::Primary } else { SuppressionStatus::Published },
        known: (0, people as u64),
        protection,
    };
    LinkedTable::new(counts.iter().map(cell).collect(), links).unwrap()
}

#[test]
fn a_hierarchy_with_more_than_1024_withheld_cells_is_protected_and_audited() {
    for (sliding, upper) in [(1, 0), (3, 2)] {
        let table = hierarchy(120, 3_500, Protection { lower: 0, upper, sliding });
        let weights: Vec<u64> = table.cells().iter().map(|cell| cell.count).collect();
        let protected = table.suppress(&weights, &Limits::default()).unwrap();
        assert!(protected.suppressed().len() > 1_024);
        let published =
            |table: &LinkedTable| table.cells().iter().filter(|c| c.status == SuppressionStatus::Published).count();
        assert!(5 * published(&protected) > 4 * published(&table), "{} is little", published(&protected));
        let mut solver = protected.solver(Limits::default()).unwrap().unwrap();
        let found = protected.audit(&mut solver).unwrap();
        let primaries = found.iter().filter(|own| own.status == SuppressionStatus::Primary);
        assert!(primaries.clone().all(|own| own.protected == ProtectionStatus::Yes));
        // Bounds are outer ones: they hold the counts.
        let holds = |own: &&frechet_release::LinkedFinding| {
            let count = table.cells()[own.cell].count as i64;
            own.lower <= count && count <= own.upper
        };
        assert!(primaries.count() > 900 && found.iter().all(|own| holds(&own)));
    }
}

#[test]
fn without_the_secondary_cells_the_audit_finds_what_is_exposed() {
    let table = hierarchy(120, 3_500, Protection::default());
    let mut solver = table.solver(Limits::default()).unwrap().unwrap();
    let found = table.audit(&mut solver).unwrap();
    assert!(found.len() > 1_024 && found.iter().any(|own| own.protected == ProtectionStatus::No));
}
