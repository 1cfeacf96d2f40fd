use super::*;
use crate::bound::{Ratio, Witness};

fn total(cells: u32, sum: i64) -> Vec<Row> {
    vec![Row::new("total", (0..cells).collect(), sum, sum)]
}

fn bound(value: i64, counts: &[(u32, i64)], held: i64, proof: Proof) -> Bound {
    let witness = Witness { value: held, table: SparseTable::new(counts.to_vec()) };
    Bound { value, relaxed: Ratio::whole(value), proof, witness }
}

fn by_total(numerator: i64, denominator: i64) -> Proof {
    Proof::by_rows(Multipliers { denominator, numerators: vec![(0, numerator)] })
}

#[test]
fn a_bound_is_checked_with_its_witness() {
    let (capacities, rows) = ([9, 9], total(2, 5));
    let mut checker = Checker::new(&capacities, &rows).unwrap();
    let check = |checker: &mut Checker<'_>, bound: &Bound| checker.check(&[0], Side::Upper, bound);
    assert_eq!(check(&mut checker, &bound(5, &[(0, 5)], 5, by_total(1, 1))), Ok(()));
    assert_eq!(check(&mut checker, &bound(6, &[(0, 5)], 5, by_total(1, 1))), Ok(()), "an outer bound");
    assert_eq!(check(&mut checker, &bound(4, &[(0, 4), (1, 1)], 4, by_total(1, 1))), Err(Flaw::Weak));
    assert_eq!(check(&mut checker, &bound(4, &[(0, 5)], 5, by_total(1, 1))), Err(Flaw::Value));
    assert_eq!(check(&mut checker, &bound(5, &[(0, 5)], 4, by_total(1, 1))), Err(Flaw::Value));
    assert_eq!(check(&mut checker, &bound(5, &[(0, 4)], 4, by_total(1, 1))), Err(Flaw::Witness));
    assert_eq!(check(&mut checker, &bound(5, &[(0, 5)], 5, by_total(1, 0))), Err(Flaw::Malformed));
    assert_eq!(checker.check(&[0, 0], Side::Upper, &bound(5, &[(0, 5)], 5, by_total(1, 1))), Err(Flaw::Malformed));
    assert_eq!(checker.check(&[2], Side::Upper, &bound(5, &[(0, 5)], 5, by_total(1, 1))), Err(Flaw::Malformed));
}

#[test]
fn fractions_are_rounded_to_whole_numbers_by_the_margin_of_one() {
    // 2 x + 2 y <= 5 as two rows over the same cells: half the sum bounds x + y by 2.5, so by 2.
    let rows = vec![Row::new("a", vec![0, 1], 0, 3), Row::new("b", vec![0, 1], 0, 2)];
    let mut checker = Checker::new(&[9, 9], &rows).unwrap();
    let halves = Proof::by_rows(Multipliers { denominator: 2, numerators: vec![(0, 1), (1, 1)] });
    assert_eq!(checker.check(&[0, 1], Side::Upper, &bound(2, &[(0, 2)], 2, halves)), Ok(()));
}

#[test]
fn a_contradiction_in_a_case_closes_it() {
    // x + y = 1 has no table with x >= 2, and only cases say so where nothing else bounds x.
    let rows = vec![Row::new("a", vec![0, 1], 1, 1)];
    let mut checker = Checker::new(&[9, 9], &rows).unwrap();
    let leaf = Multipliers::integral(vec![(0, 1)]);
    let split = Node::Split(Split { cell: 0, at_most: 1, below: 1, above: 2 });
    let cases = |above| Proof { nodes: vec![split.clone(), Node::Bound(Multipliers::integral(vec![])), above] };
    let claim = |proof| bound(1, &[(0, 1)], 1, proof);
    assert_eq!(checker.check(&[0], Side::Upper, &claim(cases(Node::Empty(leaf.clone())))), Ok(()));
    let without = Node::Empty(Multipliers::integral(vec![]));
    assert_eq!(checker.check(&[0], Side::Upper, &claim(cases(without))), Err(Flaw::Weak));
}

#[test]
fn numbers_beyond_128_bits_prove_nothing() {
    let rows = vec![Row::new("a", vec![0], i64::MIN, i64::MAX)];
    let capacities = [i64::MAX];
    let mut checker = Checker::new(&capacities, &rows).unwrap();
    let numerators = vec![(0, i64::MIN); 8];
    let huge = Proof::by_rows(Multipliers { denominator: 1, numerators });
    assert_eq!(checker.check(&[0], Side::Lower, &bound(0, &[], 0, huge)), Err(Flaw::Overflow));
    let last = Node::Split(Split { cell: 0, at_most: i64::MAX, below: 0, above: 0 });
    assert_eq!(checker.check(&[0], Side::Lower, &bound(0, &[], 0, Proof { nodes: vec![last] })), Err(Flaw::Overflow));
    // Whatever was left behind, the next check starts anew.
    let good = Proof::by_rows(Multipliers::integral(vec![]));
    assert_eq!(checker.check(&[0], Side::Lower, &bound(0, &[], 0, good)), Ok(()));
}

#[test]
fn systems_that_make_no_sense_are_refused() {
    let rows = |row| vec![Row::new("good", vec![0], 0, 1), row];
    let malformed = |rows: &[Row]| Checker::new(&[1, 1], rows).map(|_| ()).unwrap_err();
    assert_eq!(malformed(&rows(Row::new("beyond", vec![2], 0, 1))), MalformedSystem::Row(1));
    assert_eq!(malformed(&rows(Row::new("empty", vec![0], 1, 0))), MalformedSystem::Row(1));
    let unsorted = Row { name: String::new(), cells: vec![1, 0].into(), lower: 0, upper: 1 };
    assert_eq!(malformed(&rows(unsorted)), MalformedSystem::Row(1));
    assert_eq!(Checker::new(&[1, -1], &[]).map(|_| ()).unwrap_err(), MalformedSystem::Capacity(1));
    assert!(Checker::new(&[1, 0], &[]).is_ok(), "a cell that is empty in every table");
}

#[test]
fn a_row_without_cells_must_admit_zero() {
    let admits = |lower, upper| {
        let rows = [Row::new("nobody", vec![], lower, upper)];
        Checker::new(&[1], &rows).unwrap().admits(&SparseTable::new(vec![(0, 1)]))
    };
    assert!(admits(0, 0) && admits(-1, 1) && !admits(1, 1) && !admits(-2, -1));
}
