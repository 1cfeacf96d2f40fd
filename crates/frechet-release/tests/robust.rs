//! Plans that survive a reader who knows the planner, judged by an oracle that lists every table
//! and runs the planner on each.

use crate::common::Case;
use frechet_release::{
    CellStatus, DecisionData, DisclosureRule, DisclosureStatus, DisclosureTarget, Knowledge, Limits, ReleasePlan,
    ReleaseProblem, ReplayLimits, Scope, Solver, Treatment, audit, plan,
};
use privacy_core::{AttrSet, ContingencyTable, Domain};
use rand_core::SeedableRng;

const KAPPA: u64 = 3;

fn table(shape: &[usize], counts: &[u64]) -> ContingencyTable {
    let domain = Domain::of_cardinalities(shape).unwrap();
    ContingencyTable::from_cells(&domain, domain.all(), counts.to_vec()).unwrap()
}

/// Both one-way margins and the table itself, of which small counts must be withheld.
fn problem(shape: &[usize], basis: DecisionData, counts: &ContingencyTable) -> ReleaseProblem {
    let domain = Domain::of_cardinalities(shape).unwrap();
    let rule = DisclosureRule::new(0, 0.1, KAPPA, Scope::All).unwrap();
    let background = Knowledge::of_counts(domain).unwrap();
    let mut problem = ReleaseProblem::new(background, rule, DisclosureTarget::Undisclosed, Limits::default());
    for axes in [AttrSet::single(0), AttrSet::single(1), AttrSet::first(2)] {
        problem = problem.request_margin(axes, 1.0).unwrap();
    }
    let problem = problem.allow_suppression();
    match basis {
        DecisionData::Robust => problem.decide_robustly(counts).unwrap(),
        _ => problem.decide_on_counts(counts).unwrap(),
    }
}

/// The cells that a plan publishes of the full table, where it publishes both margins.
fn shown(plan: &ReleasePlan) -> Option<Vec<bool>> {
    let actions = plan.actions();
    if actions[..2].iter().any(|action| action.treatment != Treatment::Exact) || actions[2].margin.is_none() {
        return None;
    }
    actions[2].margin.as_ref().filter(|margin| margin.is_finest())?;
    Some(actions[2].statuses.iter().map(|&status| status == CellStatus::Exact).collect())
}

/// Withheld cells that all tables have in common for which the same is planned; and how many
/// tables these are.
fn known(shape: &[usize], counts: &[u64]) -> Option<(usize, usize, usize)> {
    let basis = DecisionData::Robust;
    let own = plan(&problem(shape, basis, &table(shape, counts))).ok()?;
    let shown = shown(&own)?;
    let consistent = Case::axial(shape, counts.to_vec()).fiber().into_iter().filter(|other: &Vec<u64>| {
        other.iter().zip(counts).zip(&shown).all(|((other, own), shown)| !shown || other == own)
    });
    let alike: Vec<Vec<u64>> = consistent
        .filter(|other| {
            plan(&problem(shape, basis, &table(shape, other))).is_ok_and(|other| {
                other.actions().iter().zip(own.actions()).all(|(a, b)| a.margin == b.margin && a.statuses == b.statuses)
            })
        })
        .collect();
    assert!(alike.contains(&counts.to_vec()), "the planner plans the same twice");
    let withheld = (0..counts.len()).filter(|&cell| !shown[cell]);
    let is_known = |&cell: &usize| alike.iter().all(|other| other[cell] == counts[cell]);
    Some((withheld.clone().filter(is_known).count(), withheld.count(), alike.len()))
}

/// Tables of small counts, as they are in surveys; the same ones every time.
fn tables(shape: &[usize], number: u64) -> Vec<Vec<u64>> {
    let cells = shape.iter().product::<usize>() as u64;
    let mut state = 88_172_645_463_325_252_u64;
    let mut draw = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..number).map(|_| (0..cells).map(|_| [0, 1, 2, 3, 4, 5, 6, 8, 9, 12][(draw() % 10) as usize]).collect()).collect()
}

#[test]
fn nobody_gains_by_running_a_robust_planner_on_every_table() {
    let mut partial = 0;
    for shape in [[2, 4], [2, 5]] {
        for counts in tables(&shape, 8) {
            if let Some((known, withheld, alike)) = known(&shape, &counts) {
                assert_eq!(known, 0, "{counts:?}: of {withheld} withheld cells, from {alike} tables");
                partial += usize::from(withheld > 0);
            }
        }
    }
    assert!(partial >= 4, "only {partial} plans withheld a part of the table");
}

/// One cell of 2 and one of 1. The lightest pattern withholds four cells, and nine tables are
/// consistent with what it publishes. Eight of them have another lightest pattern.
#[test]
fn the_lightest_pattern_gives_away_what_it_withholds_and_blocks_do_not() {
    let shape = [4, 4];
    let counts = table(&shape, &[2, 10, 7, 3, 11, 17, 1, 8, 11, 5, 17, 9, 5, 10, 14, 3]);
    let limits = ReplayLimits { tables: 100, draws: 0 };
    let lightest = plan(&problem(&shape, DecisionData::Counts, &counts)).unwrap().replay(&counts, limits).unwrap();
    assert!(lightest.is_whole);
    assert_eq!((lightest.looked_at, lightest.same, lightest.withheld, lightest.known_exactly), (9, 1, 4, 4));
    let robust = plan(&problem(&shape, DecisionData::Robust, &counts)).unwrap();
    let said = robust.robustness().unwrap();
    assert!(said.same > 1 && said.withheld == 8 && (said.known, said.disclosed_classes) == (0, 0), "{said:?}");
}

#[test]
fn what_a_robust_plan_says_of_itself_is_what_its_reader_finds() {
    let shape = [4, 4];
    let counts = [12, 13, 11, 6, 10, 7, 6, 17, 13, 2, 7, 10, 8, 14, 14, 4];
    let own = plan(&problem(&shape, DecisionData::Robust, &table(&shape, &counts))).unwrap();
    let said = own.robustness().unwrap();
    let found = own.replay(&table(&shape, &counts), ReplayLimits { tables: 1_000, draws: 0 }).unwrap();
    assert!(said.is_whole && found.is_whole);
    assert_eq!((said.same, said.withheld, said.known), (found.same, found.withheld, found.known));
    assert_eq!((found.known, found.disclosed_classes), (0, 0));
    assert_eq!(own.decision_data(), DecisionData::Robust);
    assert!(own.explain().contains("in blocks that do not depend on the counts"));
    let released = own.release(&table(&shape, &counts), &mut rand_chacha::ChaCha20Rng::from_seed([1; 32]));
    assert!(released.is_ok());
}

#[test]
fn a_table_without_small_counts_is_published_whole() {
    let shape = [3, 4];
    let counts: Vec<u64> = (0..12).map(|cell| 3 + cell).collect();
    let own = plan(&problem(&shape, DecisionData::Robust, &table(&shape, &counts))).unwrap();
    assert!(own.actions().iter().all(|action| action.treatment == Treatment::Exact));
}

#[test]
fn a_larger_table_is_judged_by_draws_that_do_not_depend_on_its_own() {
    let shape = [8, 9];
    let counts: Vec<u64> = (0..72).map(|cell| 20 + cell % 7).collect();
    let mut small = counts.clone();
    (small[0], small[40], small[61]) = (1, 2, 2);
    let own = plan(&problem(&shape, DecisionData::Robust, &table(&shape, &small))).unwrap();
    let said = own.robustness().unwrap();
    assert!(!said.is_whole && said.same >= 2 && said.known == 0, "{said:?}");
    let withheld = own.actions()[2].statuses.iter().filter(|&&status| status == CellStatus::Suppressed).count();
    assert_eq!(withheld, 4 + 4 + 6);
    // Another table with the same published numbers has the same plan: the evidence is its own.
    let mut other = small.clone();
    let columns = 9;
    other[0] += 1;
    other[1] -= 1;
    other[columns] -= 1;
    other[columns + 1] += 1;
    let again = plan(&problem(&shape, DecisionData::Robust, &table(&shape, &other))).unwrap();
    assert_eq!(again.actions(), own.actions());
    assert_eq!(again.robustness(), own.robustness());
}

/// All two-way margins of a table over three attributes, as a linked release requests them.
fn linked(shape: &[usize], counts: &ContingencyTable, basis: DecisionData) -> ReleaseProblem {
    let domain = Domain::of_cardinalities(shape).unwrap();
    let rule = DisclosureRule::new(0, 0.1, KAPPA, Scope::Cells).unwrap();
    let background = Knowledge::of_counts(domain.clone()).unwrap();
    let mut problem = ReleaseProblem::new(background, rule, DisclosureTarget::Undisclosed, Limits::default());
    for pair in domain.all().subsets_of_size(2) {
        problem = problem.request_margin(pair, 1.0).unwrap();
    }
    let problem = problem.allow_suppression();
    match basis {
        DecisionData::Robust => problem.decide_robustly(counts).unwrap(),
        _ => problem.decide_on_counts(counts).unwrap(),
    }
}

fn published(plan: &ReleasePlan) -> usize {
    let statuses = plan.actions().iter().flat_map(|action| &action.statuses);
    statuses.filter(|&&status| status == CellStatus::Exact).count()
}

/// A cell of a margin without people empties cells of the table that are in scope, so publishing it
/// discloses them.
#[test]
fn zeros_that_disclose_finer_classes_are_withheld_and_the_reader_gains_nothing() {
    let shape = [2, 2, 4];
    let limits = ReplayLimits { tables: 2_000, draws: 0 };
    let mut partial = 0;
    for (number, mut counts) in tables(&shape, 3).into_iter().enumerate() {
        // Nobody is in one cell of the margin of the second and the third attribute.
        (counts[number % 4], counts[8 + number % 4]) = (0, 0);
        let counts = table(&shape, &counts);
        let robust = plan(&linked(&shape, &counts, DecisionData::Robust)).unwrap();
        let found = robust.replay(&counts, limits).unwrap();
        if found.is_whole && published(&robust) > 0 {
            assert_eq!((found.known, found.disclosed_classes), (0, 0), "{found:?}");
            partial += 1;
        }
        // The negative control: with all margins, the empty cell discloses.
        let domain = Domain::of_cardinalities(&shape).unwrap();
        let mut knowledge = Knowledge::of_counts(domain.clone()).unwrap();
        for pair in domain.all().subsets_of_size(2) {
            knowledge.publish_margin(&counts.marginal(pair).unwrap()).unwrap();
        }
        let mut solver = Solver::new(knowledge, Limits::default()).unwrap();
        let rule = DisclosureRule::new(0, 0.1, KAPPA, Scope::Cells).unwrap();
        assert!(audit(&mut solver, &rule).unwrap().count(DisclosureStatus::Disclosed) >= 2);
    }
    assert!(partial >= 2, "only {partial} plans published a part");
}

#[test]
fn a_sparse_linked_table_of_a_thousand_cells_is_published_in_part() {
    let shape = [7, 6, 5, 5];
    let domain = Domain::of_cardinalities(&shape).unwrap();
    let mut state = 12_345_u64;
    let mut below = |bound: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % bound
    };
    let mut counts = vec![0_u64; 1_050];
    for _ in 0..1_500 {
        counts[shape.iter().fold(0, |cell, &size| cell * size + below(size).min(below(size)))] += 1;
    }
    let counts = ContingencyTable::from_cells(&domain, domain.all(), counts).unwrap();
    let own = plan(&linked(&shape, &counts, DecisionData::Robust)).unwrap();
    let said = own.robustness().unwrap();
    assert!(published(&own) > 60 && said.same > 100 && said.known == 0, "{} {said:?}", published(&own));
    let audited = own.audit(&counts).unwrap();
    assert!(audited.meets(DisclosureTarget::Undisclosed));
}
