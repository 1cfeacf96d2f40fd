//! Which marginals are compared, and what they say, by all families of tables.

use std::collections::BTreeSet;

use privacy_core::accounting::PrivacyCost;
use privacy_core::rng::{SimRng, below};
use privacy_core::{AttrSet, ContingencyTable, Domain};

use super::{Agreement, Tables};
use crate::error::Error;
use crate::{Plan, PlanLimits, PlanSpec, Workload};

const SIZES: [usize; 5] = [2, 3, 2, 2, 3];

fn domain() -> Domain {
    Domain::of_cardinalities(&SIZES).unwrap()
}

fn plan_of(sets: impl IntoIterator<Item = AttrSet>) -> Plan {
    let spec = PlanSpec::new(domain(), Workload::from_sets(sets), PrivacyCost::new(1.0).unwrap());
    Plan::new(spec, &PlanLimits::default()).unwrap()
}

/// A plan of two to five marginals.
fn some_plan(rng: &mut SimRng) -> Plan {
    let all: Vec<AttrSet> = AttrSet::first(SIZES.len()).subsets().skip(1).collect();
    let sets: BTreeSet<AttrSet> = (0..2 + below(4, rng)).map(|_| all[below(all.len(), rng)]).collect();
    plan_of(sets)
}

/// The table of all attributes, and those that a plan needs of it.
fn some_tables(plan: &Plan, rng: &mut SimRng) -> (Vec<AttrSet>, Tables) {
    let cells = SIZES.iter().product();
    let counts = (0..cells).map(|_| below(9, rng) as u64).collect();
    let whole = ContingencyTable::from_cells(&domain(), AttrSet::first(SIZES.len()), counts).unwrap();
    let needed = plan.batches().concat();
    let tables = needed.iter().map(|&set| (set, whole.marginal(set).unwrap())).collect();
    (needed, tables)
}

/// What one table and at least one other have in common, for all choices of others.
fn intersections(one: AttrSet, tables: &[AttrSet]) -> BTreeSet<AttrSet> {
    let others: Vec<AttrSet> = tables.iter().copied().filter(|&other| other != one).collect();
    let choices = 1_usize..1 << others.len();
    let common = choices.map(|choice| {
        let chosen = others.iter().enumerate().filter(|(i, _)| choice >> i & 1 == 1);
        chosen.fold(one, |common, (_, &other)| common.intersection(other))
    });
    common.filter(|set| !set.is_empty()).collect()
}

#[test]
fn compared_marginals_are_the_intersections_of_tables() {
    let mut rng = SimRng::for_trial(1, "resplan agreement", 0);
    for _ in 0..300 {
        let plan = some_plan(&mut rng);
        let (needed, tables) = some_tables(&plan, &mut rng);
        let agreement = Agreement::new(&plan);
        for &set in &needed {
            let digests = agreement.shared_digests(&tables[&set]).unwrap();
            let compared: BTreeSet<AttrSet> = digests.iter().map(|&(common, _)| common).collect();
            assert_eq!(compared, intersections(set, &needed), "{set:?} of {needed:?}");
            assert_eq!(compared.len(), digests.len(), "each once");
        }
    }
}

#[test]
fn every_subset_of_a_table_has_it_for_a_holder() {
    let mut rng = SimRng::for_trial(2, "resplan agreement", 0);
    for _ in 0..100 {
        let plan = some_plan(&mut rng);
        let (needed, agreement) = (plan.batches().concat(), Agreement::new(&plan));
        for set in AttrSet::first(SIZES.len()).subsets() {
            let want = needed.iter().filter(|table| set.is_subset_of(**table)).count();
            assert_eq!(agreement.holders(set), want as u32, "{set:?} of {needed:?}");
        }
    }
}

/// Moves a row of one table to another of its cells: no total shows it.
fn with_a_moved_row(tables: &mut Tables, set: AttrSet, rng: &mut SimRng) {
    let mut cells = tables[&set].cells().to_vec();
    let from = cells.iter().position(|&count| count > 0).unwrap();
    cells[from] -= 1;
    let to = below(cells.len(), rng);
    cells[to] += 1;
    tables.insert(set, ContingencyTable::from_cells(&domain(), set, cells).unwrap());
}

/// Whether any two tables have different marginals over what they have in common.
fn disagree(tables: &Tables) -> bool {
    tables.values().any(|one| {
        tables.values().any(|other| {
            let common = one.attributes().intersection(other.attributes());
            one.marginal(common).unwrap().cells() != other.marginal(common).unwrap().cells()
        })
    })
}

#[test]
fn tables_are_refused_where_two_of_them_disagree_and_nowhere_else() {
    let mut rng = SimRng::for_trial(3, "resplan agreement", 0);
    let mut refused = 0;
    for _ in 0..400 {
        let plan = some_plan(&mut rng);
        let (needed, mut tables) = some_tables(&plan, &mut rng);
        with_a_moved_row(&mut tables, needed[below(needed.len(), &mut rng)], &mut rng);
        let (expected, copy) = (disagree(&tables), tables.clone());
        match Agreement::new(&plan).checked(tables) {
            Ok(_) => assert!(!expected, "{needed:?}"),
            Err(Error::MarginsDiffer { one, other, common }) => {
                refused += 1;
                let (one, other) = (copy[&one].marginal(common).unwrap(), copy[&other].marginal(common).unwrap());
                assert!(expected && one.cells() != other.cells(), "{needed:?}");
            }
            Err(error) => panic!("{error}"),
        }
    }
    assert!((50..350).contains(&refused), "both kinds are many: {refused}");
}
