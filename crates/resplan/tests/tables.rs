//! Tables that the caller counted, and sources that are not believed.

use std::collections::BTreeMap;

use privacy_core::accounting::PrivacyCost;
use privacy_core::table::{CountError, TableSource};
use privacy_core::{AttrSet, ContingencyTable, CountSource, Domain, Provenance};
use rand_chacha::{ChaCha20Rng, rand_core::SeedableRng};
use resplan::{Error, Plan, PlanLimits, PlanSpec, Workload};

fn domain() -> Domain {
    Domain::of_cardinalities(&[2, 3, 4]).unwrap()
}

fn plan(domain: Domain, workload: Workload) -> Plan {
    let spec = PlanSpec::new(domain, workload, PrivacyCost::new(1.0).unwrap());
    Plan::new(spec, &PlanLimits::default()).unwrap()
}

fn source() -> TableSource {
    TableSource::new(domain(), (0..24).map(|i| (i * i * 5 + i) % 31).collect()).unwrap()
}

fn rng() -> ChaCha20Rng {
    ChaCha20Rng::from_seed([4; 32]) // tests only
}

fn set(attributes: &[usize]) -> AttrSet {
    attributes.iter().copied().collect()
}

/// Answers some sets with tables of its own.
struct Altered(TableSource, BTreeMap<AttrSet, Vec<u64>>);

impl CountSource for Altered {
    fn domain(&self) -> &Domain {
        self.0.domain()
    }

    fn marginals(&self, sets: &[AttrSet]) -> Result<Vec<ContingencyTable>, CountError> {
        let answer = |&set: &AttrSet| match self.1.get(&set) {
            Some(cells) => ContingencyTable::from_cells(self.0.domain(), set, cells.clone()),
            None => Ok(self.0.marginals(&[set])?.remove(0)),
        };
        sets.iter().map(answer).collect()
    }
}

/// What a measurement of these tables says, by a source, in a simulation and by tables that the
/// caller counted: the same.
fn refused(workload: Workload, altered: &[(AttrSet, Vec<u64>)]) -> Option<Error> {
    let source = Altered(source(), altered.iter().cloned().collect());
    let plan = plan(domain(), workload);
    let tables = source.marginals(&plan.batches().concat()).unwrap();
    let checked = plan.check_tables(tables).map(|_| ());
    let simulated = plan.simulate(&source, 1, 1).map(|_| ());
    let measured = plan.measure(&source, &mut rng()).map(|_| ());
    let shown = |result: &Result<(), Error>| format!("{result:?}");
    assert_eq!(shown(&checked), shown(&measured));
    assert_eq!(shown(&simulated), shown(&measured));
    measured.err()
}

/// 40, 80 and 120 rows: without the check the release has a total of its own, about 43 in one
/// run, and says nothing.
#[test]
fn tables_of_different_totals_are_refused() {
    let ways = [(set(&[0]), vec![10, 30]), (set(&[1]), vec![20, 30, 30]), (set(&[2]), vec![30; 4])];
    let error = refused(Workload::UpTo(1), &ways).unwrap();
    assert!(matches!(error, Error::TotalsDiffer { .. }), "{error}");
    let words = error.to_string();
    assert!(!words.contains("40") && !words.contains("80"), "no counts: {words}");
}

/// One `GROUP BY` of three dropped its NULLs.
#[test]
fn one_table_that_lacks_rows_is_found_in_any_place() {
    for attributes in [[0, 1], [0, 2], [1, 2]] {
        let mut cells = source().marginals(&[set(&attributes)]).unwrap()[0].cells().to_vec();
        cells[1] -= 1;
        let error = refused(Workload::UpTo(2), &[(set(&attributes), cells)]).unwrap();
        assert!(matches!(error, Error::TotalsDiffer { .. }), "{attributes:?}: {error}");
    }
}

/// The same total, but one row is coded otherwise in one of the tables.
#[test]
fn tables_that_disagree_about_what_they_share_are_refused() {
    for attributes in [[0, 1], [0, 2], [1, 2]] {
        let mut cells = source().marginals(&[set(&attributes)]).unwrap()[0].cells().to_vec();
        let last = cells.len() - 1;
        (cells[0], cells[last]) = (cells[0] + 1, cells[last] - 1);
        let error = refused(Workload::UpTo(2), &[(set(&attributes), cells)]).unwrap();
        let Error::MarginsDiffer { one, other, common } = error else { panic!("{error}") };
        assert!(common.is_subset_of(one.intersection(other)) && !common.is_empty() && one != other);
    }
    // A difference within what no other table holds is no contradiction.
    let mut cells = source().marginals(&[set(&[0, 1])]).unwrap()[0].cells().to_vec();
    (cells[0], cells[1], cells[3], cells[4]) = (cells[0] + 1, cells[1] - 1, cells[3] - 1, cells[4] + 1);
    assert!(refused(Workload::UpTo(2), &[(set(&[0, 1]), cells)]).is_none());
}

/// The intersection of two largest tables may be smaller than either by more than one attribute.
#[test]
fn shared_attributes_are_found_where_tables_overlap_a_little() {
    let sizes = [2, 2, 3, 2, 2];
    let domain = Domain::of_cardinalities(&sizes).unwrap();
    let source = TableSource::new(domain.clone(), (0..48).map(|i| i % 7).collect()).unwrap();
    let workload = || Workload::from_sets([set(&[0, 1, 2]), set(&[2, 3, 4])]);
    let mut tables = source.marginals(&[set(&[0, 1, 2]), set(&[2, 3, 4])]).unwrap();
    let plan = plan(domain.clone(), workload());
    assert!(plan.check_tables(tables.clone()).is_ok());
    let mut cells = tables[1].cells().to_vec();
    (cells[0], cells[11]) = (cells[0] + 1, cells[11] - 1);
    tables[1] = ContingencyTable::from_cells(&domain, set(&[2, 3, 4]), cells).unwrap();
    let error = plan.check_tables(tables).unwrap_err();
    assert!(matches!(error, Error::MarginsDiffer { common, .. } if common == set(&[2])), "{error}");
}

#[test]
fn tables_that_were_handed_over_give_the_release_of_the_source() {
    let one = plan(domain(), Workload::UpTo(2));
    let mut tables = source().marginals(&one.batches().concat()).unwrap();
    tables.reverse();
    let checked = one.check_tables(tables).unwrap();
    assert_eq!(checked.total(), source().marginals(&[AttrSet::EMPTY]).unwrap()[0].total());
    assert!(!format!("{checked:?}").contains(&checked.total().to_string()));
    let two = one.duplicate();
    let (by_tables, by_source) =
        (one.measure_tables(checked, &mut rng()).unwrap(), two.measure(&source(), &mut rng()).unwrap());
    for (a, b) in by_tables.marginals().iter().zip(by_source.marginals()) {
        assert_eq!((&a.values, &a.variances), (&b.values, &b.variances));
    }
}

#[test]
fn tables_that_the_plan_does_not_need_are_refused_and_it_stays_usable() {
    let pairs = plan(domain(), Workload::UpTo(2));
    let tables = || source().marginals(&pairs.batches().concat()).unwrap();
    let wrong = |tables: Vec<ContingencyTable>| matches!(pairs.check_tables(tables), Err(Error::WrongTable { .. }));
    assert!(wrong(Vec::new()) && wrong(tables()[1..].to_vec()));
    assert!(wrong([tables(), tables()[..1].to_vec()].concat()));
    assert!(wrong([tables(), source().marginals(&[AttrSet::EMPTY]).unwrap()].concat()));
    let other = Domain::of_cardinalities(&[2, 3, 5]).unwrap();
    let larger = TableSource::new(other, vec![1; 30]).unwrap();
    assert!(wrong(larger.marginals(&pairs.batches().concat()).unwrap()));
    // Checked for another plan.
    let singles = plan(domain(), Workload::UpTo(1));
    let checked = singles.check_tables(source().marginals(&singles.batches().concat()).unwrap()).unwrap();
    assert!(matches!(pairs.duplicate().measure_tables(checked, &mut rng()), Err(Error::WrongTable { .. })));
    let checked = pairs.check_tables(tables()).unwrap();
    assert!(pairs.measure_tables(checked, &mut rng()).is_ok());
}

#[test]
fn a_domain_learnt_from_the_data_is_refused_with_tables_as_with_a_source() {
    let learnt = plan(domain().with_provenance(Provenance::LearntFromData), Workload::UpTo(1));
    let tables = source().marginals(&learnt.batches().concat()).unwrap();
    assert!(matches!(learnt.check_tables(tables), Err(Error::DomainLearntFromData)));
}
