//! Specs are read back as they were written, and checked on reading; documents keep their words.

use std::fmt::Debug;

use frechet_release::{
    AllocationLoss, CellRelation, CellStatus, Change, Class, DecisionData, DisclosureRule, DisclosureStatus,
    DisclosureTarget, EntropyOptions, Knowledge, Limits, LinkedCell, LinkedTable, NoiseBudget, PrimaryCell,
    PrimaryReason, Prior, Protection, Region, Scope, Solver, SuppressionStatus, audit,
};
use privacy_core::param::{Delta, Epsilon};
use privacy_core::{ContingencyTable, Domain};
use serde_json::{Value, from_value, json, to_value};

fn check<T: serde::Serialize + serde::de::DeserializeOwned + PartialEq + Debug>(spec: &T) {
    assert_eq!(&from_value::<T>(to_value(spec).unwrap()).unwrap(), spec);
}

#[test]
fn what_a_caller_writes_is_read_back() {
    check(&DisclosureRule::new(1, 0.1, 20, Scope::Pairs).unwrap());
    check(&Class::new([0, 2].into_iter().collect(), [1, 0]));
    check(&Region::everything().with(1, [0, 2]));
    check(&Limits { steps: 7, nodes: 8, super_cells: 9, rows: 10, ..Limits::default() });
    check(&EntropyOptions { tolerance: 1e-6, max_sweeps: 3, ..EntropyOptions::default() });
    let (epsilon, delta) = (Epsilon::new(0.5).unwrap(), Delta::new(1e-6).unwrap());
    check(&NoiseBudget { epsilon, delta: Some(delta), loss: AllocationLoss::AbsoluteError });
    [DisclosureTarget::Certified, DisclosureTarget::Undisclosed].iter().for_each(check);
    [DecisionData::PublicSizes, DecisionData::Counts].iter().for_each(check);
    [Prior::Tables, Prior::People].iter().for_each(check);
    check(&linked_cell());
    check(&CellRelation { constant: 3, terms: vec![(0, false), (1, true)] });
    check(&PrimaryCell { cell: 2, width: 5 });
}

fn linked_cell() -> LinkedCell {
    let protection = Protection { lower: 1, upper: 2, sliding: 3 };
    LinkedCell { count: 4, status: SuppressionStatus::Primary, known: (0, 9), protection }
}

#[test]
fn a_spec_that_a_constructor_refuses_is_refused_on_reading() {
    let rule = |rate_margin: f64| json!({"min_interval_width": 0, "rate_margin": rate_margin, "min_frequency": 5, "scope": "all"});
    assert!(from_value::<DisclosureRule>(rule(0.1)).is_ok());
    assert!(from_value::<DisclosureRule>(rule(0.7)).is_err());
    assert!(from_value::<DisclosureRule>(json!({"min_interval_width": 0})).is_err());
    assert!(from_value::<Class>(json!({"axes": [0, 1], "levels": [2, 3]})).is_ok());
    assert!(from_value::<Class>(json!({"axes": [1, 0], "levels": [2, 3]})).is_err(), "levels would be exchanged");
    assert!(from_value::<Class>(json!({"axes": [0], "levels": []})).is_err());
    assert!(from_value::<Class>(json!({"axes": [128], "levels": [0]})).is_err());
}

#[test]
fn the_letters_of_a_rule_are_accepted() {
    let letters = json!({"tau": 1, "beta": 0.1, "kappa": 20, "scope": "all"});
    assert_eq!(from_value::<DisclosureRule>(letters).unwrap(), DisclosureRule::new(1, 0.1, 20, Scope::All).unwrap());
}

#[test]
fn documents_keep_their_words() {
    let words = |value: Value, word: &str| assert_eq!(value, json!(word));
    words(to_value(DisclosureStatus::Ambiguous).unwrap(), "ambiguous");
    words(to_value(PrimaryReason::Unanimous).unwrap(), "unanimous");
    words(to_value(CellStatus::Noised).unwrap(), "noised");
    words(to_value(SuppressionStatus::Secondary).unwrap(), "secondary");
    words(to_value(DecisionData::PublicSizes).unwrap(), "public-sizes");
    words(to_value(AllocationLoss::AbsoluteError).unwrap(), "absolute-error");
    words(to_value(Change::OneResponse).unwrap(), "one-vote");
    words(to_value(Change::ExchangeOfResponses).unwrap(), "exchange-of-votes");
    let cells = vec![linked_cell(), LinkedCell { status: SuppressionStatus::Published, ..linked_cell() }];
    let relation = CellRelation { constant: 0, terms: vec![(0, false), (1, true)] };
    let table = LinkedTable::new(cells, vec![relation]).unwrap();
    let findings = table.audit(&mut table.solver(Limits::default()).unwrap().unwrap()).unwrap();
    assert_eq!(to_value(&findings).unwrap()[0]["is_pinned"], json!(true));
}

#[test]
fn reports_can_be_written() {
    let domain = Domain::of_cardinalities(&[2]).unwrap();
    let table = |cells: [u64; 2]| ContingencyTable::from_cells(&domain, domain.all(), cells.to_vec()).unwrap();
    let mut knowledge = Knowledge::with_population(domain.clone(), &table([50, 60])).unwrap();
    knowledge.publish_margin(&table([20, 60])).unwrap();
    let mut solver = Solver::new(knowledge, Limits::default()).unwrap();
    let report = to_value(audit(&mut solver, &DisclosureRule::new(0, 0.1, 5, Scope::All).unwrap()).unwrap()).unwrap();
    assert_eq!(report["findings"][1]["status"], json!("disclosed"), "{report}");
    assert_eq!(report["primary_cells"][0][1], json!("unanimous"), "{report}");
    let interval = to_value(solver.interval(&Class::cell([1])).unwrap()).unwrap();
    assert_eq!((&interval["lower"]["value"], &interval["method"]), (&json!(60), &json!("published")));
}
