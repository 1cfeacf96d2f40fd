//! Patterns of withheld cells: a published example, and all patterns of tiny tables.

use crate::common::{counts, numbers, sets};
use frechet_release::{
    CellStatus, Class, DisclosureRule, DisclosureTarget, Knowledge, Limits, PrimaryCell, Region, ReleaseProblem, Scope,
    Solver, SuppressibleCell, SuppressionPattern, Treatment, plan, suppress,
};
use privacy_core::{AttrSet, ContingencyTable, Domain};
use proptest::prelude::*;
use testkit::fixtures::json;

/// A two-way table whose margins are public.
struct TwoWay {
    rows: usize,
    columns: usize,
    counts: Vec<u64>,
}

impl TwoWay {
    fn domain(&self) -> Domain {
        Domain::of_cardinalities(&[self.rows, self.columns]).unwrap()
    }

    fn table(&self) -> ContingencyTable {
        ContingencyTable::from_cells(&self.domain(), AttrSet::first(2), self.counts.clone()).unwrap()
    }

    fn background(&self) -> Knowledge {
        let mut knowledge = Knowledge::of_counts(self.domain()).unwrap();
        knowledge.publish_margin(&self.table().marginal(AttrSet::single(0)).unwrap()).unwrap();
        knowledge.publish_margin(&self.table().marginal(AttrSet::single(1)).unwrap()).unwrap();
        knowledge
    }

    fn cells(&self) -> Vec<SuppressibleCell> {
        let cell = |(index, &count): (usize, &u64)| SuppressibleCell {
            name: format!("cell {index}"),
            region: Region::from(&Class::cell([index / self.columns, index % self.columns])),
            count,
            weight: count.max(1),
        };
        self.counts.iter().enumerate().map(cell).collect()
    }

    fn suppressed(&self, primary: &[usize], width: u64) -> SuppressionPattern {
        let primaries: Vec<PrimaryCell> = primary.iter().map(|&cell| PrimaryCell { cell, width }).collect();
        suppress(&self.background(), &self.cells(), &primaries, &Limits::default()).unwrap()
    }

    /// The interval of each cell when these are withheld.
    fn intervals(&self, withheld: &[usize]) -> Vec<(u64, u64)> {
        let mut knowledge = self.background();
        for (index, cell) in self.cells().into_iter().enumerate().filter(|(index, _)| !withheld.contains(index)) {
            knowledge.publish_count(format!("cell {index}"), &cell.region, cell.count).unwrap();
        }
        let cells = Solver::new(knowledge, Limits::default()).unwrap().cells().unwrap();
        let ends = |i: &frechet_release::CountInterval| {
            assert!(i.is_sharp());
            (u64::try_from(i.lower.value).unwrap(), u64::try_from(i.upper.value).unwrap())
        };
        cells.iter().map(ends).collect()
    }
}

fn delinquents() -> (TwoWay, Vec<usize>, serde_json::Value) {
    let fixture = json("frechet/wp22_delinquent.json");
    let table = TwoWay { rows: 4, columns: 4, counts: counts(&fixture["counts"]) };
    let primary = sets(&fixture["primary"]).iter().map(|cell| cell[0] * 4 + cell[1]).collect();
    (table, primary, fixture)
}

#[test]
fn two_withheld_cells_a_line_leave_one_cell_exact() {
    let (table, _, fixture) = delinquents();
    let naive: Vec<usize> = sets(&fixture["naive_two_per_line_pattern"]).iter().map(|c| c[0] * 4 + c[1]).collect();
    let intervals = table.intervals(&naive);
    for cell in naive {
        let want = numbers(&fixture["naive_bounds"][format!("({}, {})", cell / 4, cell % 4)]);
        assert_eq!(intervals[cell], (want[0] as u64, want[1] as u64), "cell {cell}");
    }
    assert_eq!(intervals[3], (1, 1), "withheld, and known exactly");
}

#[test]
fn the_lightest_patterns_of_the_published_example_are_found() {
    let (table, primary, fixture) = delinquents();
    for (width, want) in fixture["optimal_secondary"].as_object().unwrap() {
        let got = table.suppressed(&primary, width.parse().unwrap());
        assert!(got.is_lightest, "width {width}");
        assert_eq!(got.secondary_weight, want["value_secondary"].as_u64().unwrap(), "width {width}");
        assert_eq!(got.secondary.len() as u64, want["n_secondary"].as_u64().unwrap(), "width {width}");
        let intervals = table.intervals(&got.withheld);
        assert!(primary.iter().all(|&cell| intervals[cell].1 - intervals[cell].0 >= width.parse().unwrap()));
    }
}

#[test]
fn a_plan_withholds_the_same_three_cells() {
    let (table, primary, _) = delinquents();
    let policy = DisclosureRule::new(0, 0.1, 5, Scope::All).unwrap();
    let problem = ReleaseProblem::new(table.background(), policy, DisclosureTarget::Undisclosed, Limits::default())
        .request_margin(AttrSet::first(2), 1.0)
        .unwrap()
        .decide_on_counts(&table.table())
        .unwrap();
    // Without suppression the margin goes out in one group of all: what is public already.
    assert_ne!(plan(&problem).unwrap().actions()[0].treatment, Treatment::Exact);
    let wanted = problem.allow_suppression();
    let plan = plan(&wanted).unwrap();
    let withheld: Vec<usize> = (0..plan.actions()[0].statuses.len())
        .filter(|&c| plan.actions()[0].statuses[c] == CellStatus::Suppressed)
        .collect();
    assert_eq!(plan.actions()[0].treatment, Treatment::Suppressed);
    assert_eq!(withheld.len(), 9);
    assert!(primary.iter().all(|cell| withheld.contains(cell)));
    assert!([9, 12, 14].iter().all(|cell| withheld.contains(cell)), "{withheld:?}");
    // What leaves with the table does not tell how many of the nine are small.
    let words = plan.explain();
    assert!(words.contains("9 of 16 cells are withheld, so that"), "{words}");
    assert!(!words.contains("must not be published") && !words.contains("3 more"), "{words}");
    assert!(plan.explain().contains("the pattern itself"));
}

/// Every table with the same margins and the same cells outside `withheld`.
fn width(table: &TwoWay, withheld: &[usize], asked: usize) -> u64 {
    let mut ends: Option<(u64, u64)> = None;
    let most = table.counts.iter().sum::<u64>();
    let mut trial = table.counts.clone();
    let sums = |counts: &[u64]| -> Vec<u64> {
        let row = |r: usize| counts[r * table.columns..(r + 1) * table.columns].iter().sum();
        let column = |c: usize| (0..table.rows).map(|r| counts[r * table.columns + c]).sum();
        (0..table.rows).map(row).chain((0..table.columns).map(column)).collect()
    };
    let want = sums(&table.counts);
    fn walk(trial: &mut Vec<u64>, left: &[usize], most: u64, visit: &mut impl FnMut(&[u64])) {
        let Some((&cell, rest)) = left.split_first() else { return visit(trial) };
        for value in 0..=most {
            trial[cell] = value;
            walk(trial, rest, most - value, visit);
        }
        trial[cell] = 0;
    }
    let fixed: u64 = (0..table.counts.len()).filter(|c| !withheld.contains(c)).map(|c| table.counts[c]).sum();
    withheld.iter().for_each(|&cell| trial[cell] = 0);
    walk(&mut trial, withheld, most - fixed, &mut |counts| {
        if sums(counts) == want {
            let (low, high) = ends.unwrap_or((u64::MAX, 0));
            ends = Some((low.min(counts[asked]), high.max(counts[asked])));
        }
    });
    let (low, high) = ends.unwrap();
    high - low
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn no_lighter_pattern_protects_a_tiny_table(counts in proptest::collection::vec(0_u64..4, 6), primary in proptest::collection::btree_set(0_usize..6, 1..3), asked in 1_u64..3) {
        let table = TwoWay { rows: 2, columns: 3, counts };
        let primary: Vec<usize> = primary.into_iter().collect();
        let primaries: Vec<PrimaryCell> = primary.iter().map(|&cell| PrimaryCell { cell, width: asked }).collect();
        let weight = |withheld: &[usize]| -> u64 { withheld.iter().filter(|c| !primary.contains(c)).map(|&c| table.counts[c].max(1)).sum() };
        let patterns = (0_u32..64).map(|mask| (0..6).filter(|cell| mask >> cell & 1 == 1).collect::<Vec<usize>>());
        let protects = |withheld: &Vec<usize>| primary.iter().all(|p| withheld.contains(p) && width(&table, withheld, *p) >= asked);
        let best = patterns.filter(protects).map(|withheld| weight(&withheld)).min();
        match suppress(&table.background(), &table.cells(), &primaries, &Limits::default()) {
            Ok(got) => {
                prop_assert!(got.is_lightest && protects(&got.withheld));
                prop_assert_eq!(Some(got.secondary_weight), best);
            }
            Err(_) => prop_assert_eq!(best, None),
        }
    }
}
