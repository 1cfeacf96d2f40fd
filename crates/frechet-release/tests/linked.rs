//! Suppression patterns of linked tables, judged as an attacker would: against enumeration, and
//! against margins.

use std::collections::BTreeSet;

use crate::common::{self, counts, sets, strides};
use frechet_release::{
    CellRelation, Error, Limits, LinkedCell, LinkedFinding, LinkedTable, Protection, ProtectionStatus,
    SuppressionStatus,
};
use proptest::prelude::*;
use testkit::fixtures::json;

/// A table with all its sums over axes, of which those listed are suppressed; an index past the
/// levels means "all".
fn additive(shape: &[usize], inner: &[u64], primary: &[Vec<usize>], secondary: &[Vec<usize>]) -> LinkedTable {
    let wide: Vec<usize> = shape.iter().map(|size| size + 1).collect();
    let (own, all) = (strides(shape), strides(&wide));
    let cells: usize = wide.iter().product();
    let key = |cell: usize| -> Vec<usize> { (0..shape.len()).map(|axis| cell / all[axis] % wide[axis]).collect() };
    let count = |key: &[usize]| -> u64 {
        let within = |&cell: &usize| (0..shape.len()).all(|a| key[a] == shape[a] || cell / own[a] % shape[a] == key[a]);
        (0..inner.len()).filter(within).map(|cell| inner[cell]).sum()
    };
    let status = |key: &Vec<usize>| match (primary.contains(key), secondary.contains(key)) {
        (true, _) => SuppressionStatus::Primary,
        (false, true) => SuppressionStatus::Secondary,
        (false, false) => SuppressionStatus::Published,
    };
    let most = inner.iter().sum();
    let cell = |cell: usize| {
        let key = key(cell);
        let protection = Protection { lower: 0, upper: 0, sliding: 1 };
        LinkedCell { count: count(&key), status: status(&key), known: (0, most), protection }
    };
    LinkedTable::new((0..cells).map(cell).collect(), relations_of(shape)).unwrap()
}

/// Every sum over an axis, as a relation.
fn relations_of(shape: &[usize]) -> Vec<CellRelation> {
    let wide: Vec<usize> = shape.iter().map(|size| size + 1).collect();
    let all = strides(&wide);
    let mut links = Vec::new();
    for total in 0..wide.iter().product() {
        for axis in (0..shape.len()).filter(|&axis| total / all[axis] % wide[axis] == shape[axis]) {
            let parts = (1..=shape[axis]).map(|back| (total - back * all[axis], false));
            links.push(CellRelation { constant: 0, terms: parts.chain([(total, true)]).collect() });
        }
    }
    links
}

fn findings(table: &LinkedTable) -> Vec<LinkedFinding> {
    let mut solver = table.solver(Limits::default()).unwrap().unwrap();
    table.audit(&mut solver).unwrap()
}

#[test]
fn the_known_pattern_with_two_in_every_line_leaks_one_count() {
    let wp22 = json("frechet/wp22_delinquent.json");
    let inner = counts(&wp22["counts"]);
    let primary = sets(&wp22["primary"]);
    let pattern = sets(&wp22["naive_two_per_line_pattern"]);
    let table = additive(&[4, 4], &inner, &primary, &pattern);
    let found = findings(&table);
    let bounds = wp22["naive_bounds"].as_object().unwrap();
    for finding in &found {
        let key = format!("({}, {})", finding.cell / 5, finding.cell % 5);
        let expected = common::numbers(&bounds[&key]);
        assert_eq!([finding.lower, finding.upper], [expected[0] as i64, expected[1] as i64], "{key}");
        assert!(finding.is_sharp);
        assert_eq!(finding.is_exactly_disclosed, key == "(0, 3)", "{key}");
        assert_eq!(
            finding.protected,
            if finding.is_exactly_disclosed { ProtectionStatus::No } else { ProtectionStatus::Yes },
            "{key}"
        );
    }
    assert_eq!(found.len(), pattern.len());
}

#[test]
fn cells_that_another_tool_took_for_protected_are_known_exactly() {
    let peer = json("frechet/peer_gausssuppression_10x10x10.json");
    let (primary, suppressed) = (sets(&peer["primary"]), sets(&peer["suppressed"]));
    let table = additive(&[10, 10, 10], &counts(&peer["counts"]), &primary, &suppressed);
    let found = findings(&table);
    assert!(found.iter().all(|finding| finding.is_sharp));
    let exposed: BTreeSet<usize> = found
        .iter()
        .filter(|f| f.status == SuppressionStatus::Primary && f.is_exactly_disclosed)
        .map(|f| f.cell)
        .collect();
    // The same 37 as from the margins of the table, by another model: see interop.rs.
    assert_eq!(exposed.len(), 37);
    assert_eq!(
        found.iter().filter(|f| f.status == SuppressionStatus::Primary && f.protected == ProtectionStatus::No).count(),
        37
    );
}

#[test]
fn protection_levels_are_asked_for_on_both_sides() {
    let cell = |count, status, lower, upper, sliding| LinkedCell {
        count,
        status,
        known: (0, 20),
        protection: Protection { lower, upper, sliding },
    };
    let with = |protection: (u64, u64, u64)| {
        let primary = cell(4, SuppressionStatus::Primary, protection.0, protection.1, protection.2);
        let cells = vec![
            primary,
            cell(6, SuppressionStatus::Secondary, 0, 0, 0),
            cell(10, SuppressionStatus::Published, 0, 0, 0),
        ];
        let link = CellRelation { constant: 0, terms: vec![(0, false), (1, false), (2, true)] };
        findings(&LinkedTable::new(cells, vec![link]).unwrap())[0].clone()
    };
    assert_eq!((with((4, 6, 10)).lower, with((4, 6, 10)).upper), (0, 10));
    assert_eq!(with((4, 6, 10)).protected, ProtectionStatus::Yes);
    assert_eq!(with((5, 0, 0)).protected, ProtectionStatus::No);
    assert_eq!(with((0, 7, 0)).protected, ProtectionStatus::No);
    assert_eq!(with((0, 0, 11)).protected, ProtectionStatus::No);
}

/// Cells that may hold up to `most`, of which all are suppressed and the first is sensitive.
fn suppressed(counts: [u64; 3], most: u64, lower: u64) -> LinkedTable {
    let cell = |(place, count)| LinkedCell {
        count,
        status: if place == 0 { SuppressionStatus::Primary } else { SuppressionStatus::Secondary },
        known: (0, most),
        protection: Protection { lower, upper: 0, sliding: 0 },
    };
    let link = CellRelation { constant: 0, terms: vec![(0, false), (1, false), (2, true)] };
    LinkedTable::new(counts.into_iter().enumerate().map(cell).collect(), vec![link]).unwrap()
}

#[test]
fn a_bound_of_two_to_the_53_is_a_bound_like_any() {
    for most in [(1 << 53) - 1, 1 << 53] {
        let found = findings(&suppressed([8, 12, 20], most, 2));
        let ends: Vec<(i64, i64)> = found.iter().map(|cell| (cell.lower, cell.upper)).collect();
        assert_eq!(ends, [(0, most as i64); 3], "{most}");
        assert!(found.iter().all(|cell| cell.is_sharp && cell.protected == ProtectionStatus::Yes), "{most}");
    }
}

#[test]
fn what_comes_after_the_last_step_is_not_decided_and_not_wrong() {
    let table = suppressed([8, 12, 20], 30, 2);
    let within = |steps: u64| {
        let mut solver = table.solver(Limits::default()).unwrap().unwrap();
        solver.limit_all_steps(steps);
        table.audit(&mut solver).unwrap()
    };
    assert!(within(1_000_000).iter().all(|cell| cell.protected == ProtectionStatus::Yes));
    let none = within(0);
    assert!(none.iter().all(|cell| !cell.is_sharp && (cell.lower, cell.upper) == (0, 30)));
    assert_eq!(none[0].protected, ProtectionStatus::Unknown);
    let decided = |steps: u64| within(steps).iter().filter(|cell| cell.protected == ProtectionStatus::Yes).count();
    let more: Vec<usize> = [0, 8, 64, 512, 4_096].map(decided).to_vec();
    assert!(more.is_sorted() && more[4] == 3, "{more:?}");
    assert_eq!(within(64), within(64));
}

#[test]
fn a_table_that_does_not_add_up_is_refused_with_the_relation() {
    let cell = |count| LinkedCell {
        count,
        status: SuppressionStatus::Published,
        known: (0, 9),
        protection: Protection::default(),
    };
    let link = |terms: &[(usize, bool)]| CellRelation { constant: 0, terms: terms.to_vec() };
    let table = |counts: &[u64], terms: &[(usize, bool)]| {
        LinkedTable::new(counts.iter().map(|&count| cell(count)).collect(), vec![link(terms)])
    };
    let sum = [(0, false), (1, false), (2, true)];
    assert!(table(&[1, 2, 3], &sum).unwrap().solver(Limits::default()).unwrap().is_none());
    assert_eq!(table(&[1, 2, 4], &sum).unwrap_err(), Error::BrokenRelation { link: 0 });
    assert_eq!(table(&[1, 2, 11], &sum).unwrap_err(), Error::OutsideKnown { cell: 2 });
    assert_eq!(table(&[1, 2], &sum).unwrap_err(), Error::NoSuchLevel { axis: 0, level: 2 });
    assert_eq!(table(&[1, 2], &[(0, false), (0, true)]).unwrap_err(), Error::RepeatedCell { link: 0, cell: 0 });
}

/// Least and largest count of every suppressed cell over all fillings, by trying them.
fn by_trying(table: &LinkedTable, links: &[CellRelation]) -> Vec<(i64, i64)> {
    let open = table.suppressed();
    let mut counts: Vec<i64> = table.cells().iter().map(|cell| cell.count as i64).collect();
    let mut ends = vec![(i64::MAX, i64::MIN); open.len()];
    let most: Vec<i64> = open.iter().map(|&cell| table.cells()[cell].known.1 as i64).collect();
    let mut tried: i64 = most.iter().map(|most| most + 1).product();
    while tried > 0 {
        tried -= 1;
        let mut rest = tried;
        for (&cell, most) in open.iter().zip(&most) {
            counts[cell] = rest % (most + 1);
            rest /= most + 1;
        }
        let holds = |link: &CellRelation| {
            let signed = |&(cell, is_taken): &(usize, bool)| if is_taken { -counts[cell] } else { counts[cell] };
            link.terms.iter().map(signed).sum::<i64>() == link.constant
        };
        if links.iter().all(holds) {
            for (end, &cell) in ends.iter_mut().zip(open) {
                *end = (end.0.min(counts[cell]), end.1.max(counts[cell]));
            }
        }
    }
    ends
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Signs and sums that no table over axes has: any links between six cells.
    #[test]
    fn bounds_of_any_links_are_those_of_enumeration(
        values in prop::collection::vec(0_u64..=4, 6),
        hidden in prop::collection::vec(any::<bool>(), 6),
        signs in prop::collection::vec(prop::collection::vec(0_u8..3, 6), 1..4),
    ) {
        let link = |signs: &Vec<u8>| {
            let terms: Vec<(usize, bool)> =
                signs.iter().enumerate().filter(|&(_, &sign)| sign > 0).map(|(cell, &sign)| (cell, sign == 2)).collect();
            let signed = |&(cell, is_taken): &(usize, bool)| {
                if is_taken { -(values[cell] as i64) } else { values[cell] as i64 }
            };
            CellRelation { constant: terms.iter().map(signed).sum(), terms }
        };
        let links: Vec<CellRelation> = signs.iter().map(link).collect();
        let cells = values.iter().zip(&hidden).map(|(&count, &is_hidden)| LinkedCell {
            count,
            status: if is_hidden { SuppressionStatus::Primary } else { SuppressionStatus::Published },
            known: (0, 4),
            protection: Protection::default(),
        });
        let table = LinkedTable::new(cells.collect(), links.clone()).unwrap();
        let Some(mut solver) = table.solver(Limits::default()).unwrap() else { return Ok(()) };
        let found = table.audit(&mut solver).unwrap();
        let ends: Vec<(i64, i64)> = found.iter().map(|finding| (finding.lower, finding.upper)).collect();
        prop_assert_eq!(ends, by_trying(&table, &links));
    }
}

fn primaries_protected(table: &LinkedTable) -> bool {
    let mut primaries = findings(table).into_iter().filter(|found| found.status == SuppressionStatus::Primary);
    primaries.all(|found| found.protected == ProtectionStatus::Yes)
}

fn secondary_weight(table: &LinkedTable) -> u64 {
    let secondary = table.cells().iter().filter(|cell| cell.status == SuppressionStatus::Secondary);
    secondary.map(|cell| cell.count).sum()
}

#[test]
fn suppression_beside_sensitive_cells_protects_them() {
    let wp22 = json("frechet/wp22_delinquent.json");
    let alone = additive(&[4, 4], &counts(&wp22["counts"]), &sets(&wp22["primary"]), &[]);
    assert!(!primaries_protected(&alone));
    let weights: Vec<u64> = alone.cells().iter().map(|cell| cell.count).collect();
    let protected = alone.suppress(&weights, &Limits::default()).unwrap();
    assert!(primaries_protected(&protected));
    // The lightest pattern has the weight 29; this one need not be it, and cannot be lighter.
    assert!((29..=60).contains(&secondary_weight(&protected)), "{}", secondary_weight(&protected));
    // What is protected needs nothing more.
    assert_eq!(
        secondary_weight(&protected.suppress(&weights, &Limits::default()).unwrap()),
        secondary_weight(&protected)
    );
}

#[test]
fn a_sensitive_cell_that_a_relation_gives_away_cannot_be_protected() {
    let cell = |count, status| LinkedCell { count, status, known: (0, 9), protection: Protection::default() };
    let link = CellRelation { constant: 2, terms: vec![(0, false)] };
    let cells = vec![cell(2, SuppressionStatus::Primary), cell(4, SuppressionStatus::Published)];
    let table = LinkedTable::new(cells, vec![link]).unwrap();
    assert_eq!(
        table.suppress(&[2, 4], &Limits::default()).err(),
        Some(Error::CannotSuppress { cell: "cell 0".to_owned() })
    );
    assert!(matches!(table.suppress(&[2], &Limits::default()), Err(Error::Shape { .. })));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn patterns_of_random_tables_protect_every_sensitive_cell(
        inner in proptest::collection::vec(0_u64..12, 24),
        three in proptest::bool::ANY,
    ) {
        let shape: &[usize] = if three { &[2, 3, 4] } else { &[4, 6] };
        let all = additive(shape, &inner, &[], &[]);
        let cells: Vec<LinkedCell> = all.cells().iter().map(|&cell| LinkedCell {
            status: if (1..3).contains(&cell.count) { SuppressionStatus::Primary } else { SuppressionStatus::Published },
            protection: Protection { lower: 0, upper: 0, sliding: 2 },
            ..cell
        }).collect();
        let weights: Vec<u64> = cells.iter().map(|cell| cell.count).collect();
        let relations = relations_of(shape);
        let table = LinkedTable::new(cells, relations).unwrap();
        let protected = table.suppress(&weights, &Limits::default()).unwrap();
        prop_assert!(protected.suppressed().is_empty() || primaries_protected(&protected));
    }
}
