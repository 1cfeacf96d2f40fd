use privacy_core::stop::StopFlag;
use privacy_core::{AttrSet, ContingencyTable, Domain};

use super::*;
use crate::engine::linear_program::Limits;
use crate::engine::tests::{number_of, of_margins};
use crate::table::knowledge::Knowledge;

/// One person in each cell of the diagonal of a 3 x 3 x 3 table, all two-way margins.
fn diagonal() -> (Knowledge, Vec<i64>) {
    let counts: Vec<u64> = (0..27).map(|cell| u64::from((cell / 9 + cell / 3 + cell) % 3 == 0)).collect();
    of_margins(&[3, 3, 3], &[&[0, 1], &[0, 2], &[1, 2]], counts)
}

fn sought(knowledge: &Knowledge, table: &mut [i64], wanted: &Wanted<'_>) -> Option<Difference> {
    let moves = BlockMoves::of(knowledge).unwrap();
    let mut rng = SimRng::for_trial(0, "sought", 0);
    moves.seek(table, wanted, 5_000, (&mut rng, &Limits::default().search_end()))
}

#[test]
fn a_table_that_no_single_move_leads_to_is_found() {
    // A Latin square: a move takes from four cells, and no four people stand where one starts,
    // so that each move leads below zero.
    let (knowledge, own) = diagonal();
    let mut table = own.clone();
    let empty = u32::try_from(own.iter().position(|&count| count == 0).unwrap()).unwrap();
    let wanted = Wanted { cells: &[empty], sign: 1, goal: 1 };
    let made = sought(&knowledge, &mut table, &wanted).unwrap();
    assert_eq!(table, own, "the table is as before");
    made.iter().for_each(|&(cell, more)| table[cell as usize] += more);
    assert!(knowledge.system.admits(&table) && table[empty as usize] == 1);
    // Its other end, from there.
    let back = sought(&knowledge, &mut table, &Wanted { sign: -1, goal: 0, ..wanted }).unwrap();
    back.iter().for_each(|&(cell, more)| table[cell as usize] += more);
    assert!(knowledge.system.admits(&table) && table[empty as usize] == 0);
}

#[test]
fn what_no_table_has_is_not_found() {
    // Each sum of the square is 1, so no cell holds 2; three cells hold 1 and one holds nothing.
    let (knowledge, own) = diagonal();
    let mut table = own.clone();
    for cell in [0, 7, 14, 21] {
        assert!(sought(&knowledge, &mut table, &Wanted { cells: &[cell], sign: 1, goal: 2 }).is_none());
        assert_eq!(table, own);
    }
}

#[test]
fn ways_lead_to_the_ends_of_all_tables_within_their_people() {
    // Rows and columns of 3 x 3 with people in each cell; all tables are tried as an oracle.
    let mut there = 0;
    for number in 0..10 {
        let mut rng = SimRng::for_trial(0, "tables with people", number);
        let people: Vec<u64> = (0..9).map(|_| below(4, &mut rng) as u64).collect();
        let counts: Vec<u64> = people.iter().map(|&most| below(most as usize + 1, &mut rng) as u64).collect();
        let domain = Domain::of_cardinalities(&[3, 3]).unwrap();
        let [people, table] =
            [people, counts.clone()].map(|own| ContingencyTable::from_cells(&domain, domain.all(), own).unwrap());
        let mut knowledge = Knowledge::with_population(domain, &people).unwrap();
        for axis in 0..2 {
            knowledge.publish_margin(&table.marginal(AttrSet::single(axis)).unwrap()).unwrap();
        }
        let mut all = vec![Vec::new()];
        for &most in &knowledge.system.capacity {
            let longer = |own: &Vec<i64>| (0..=most).map(|count| [own.as_slice(), &[count]].concat()).collect();
            all = all.iter().flat_map::<Vec<Vec<i64>>, _>(longer).collect();
        }
        all.retain(|table| knowledge.system.admits(table));
        let own: Vec<i64> = counts.into_iter().map(u64::cast_signed).collect();
        for (cell, sign) in (0..9).flat_map(|cell| [(cell, 1), (cell, -1)]) {
            let furthest = all.iter().map(|table| sign * table[cell as usize]).max().unwrap() * sign;
            let mut table = own.clone();
            let wanted = Wanted { cells: &[cell], sign, goal: furthest };
            let made = sought(&knowledge, &mut table, &wanted).expect("a way to the end");
            assert_eq!(table, own, "the table is as before");
            made.iter().for_each(|&(cell, more)| table[cell as usize] += more);
            assert!(knowledge.system.admits(&table) && table[cell as usize] == furthest, "{number}: {table:?}");
            there += usize::from(!made.is_empty());
        }
    }
    assert!(there > 20, "{there}");
}

#[test]
fn a_move_that_mends_counts_is_worth_what_it_mends() {
    let (knowledge, mut table) = diagonal();
    let moves = BlockMoves::of(&knowledge).unwrap();
    (table[0], table[1]) = (-2, 0);
    let wanted = Wanted { cells: &[1], sign: 1, goal: 1 };
    let (outside, made, place) = (vec![0], Difference::new(), vec![INSIDE; 27]);
    let way = Way { moves: &moves, table: &mut table, wanted: &wanted, short: 1, lacking: 2, outside, place, made };
    assert_eq!([-1, 1, 2, 3].map(|more| way.cost(&[(0, more)])), [1, -1, -2, -2]);
    assert_eq!((way.cost(&[(1, 1)]), way.cost(&[(1, 2)]), way.cost(&[(1, -1)])), (-1, -1, 2));
    assert_eq!(way.lacks(), 3, "2 in one cell and 1 to the goal");
}

#[test]
fn what_lacks_is_counted_as_moves_are_made() {
    let (knowledge, own) = diagonal();
    let moves = BlockMoves::of(&knowledge).unwrap();
    let mut table = own;
    let wanted = Wanted { cells: &[1, 5], sign: 1, goal: 3 };
    let (outside, made, place) = (Vec::new(), Difference::new(), vec![INSIDE; 27]);
    let short = 3 - table[1] - table[5];
    let mut way = Way { moves: &moves, table: &mut table, wanted: &wanted, short, lacking: 0, outside, place, made };
    let mut rng = SimRng::for_trial(0, "moves", 0);
    for number in 0..300 {
        let Some(cells) = moves.blindly(number % 27, &mut rng) else { continue };
        way.make(&cells);
        assert_eq!(way.short, 3 - way.table[1] - way.table[5]);
        assert_eq!(way.lacking, way.table.iter().map(|&count| (-count).max(0)).sum::<i64>());
        for cell in 0..27 {
            let is_outside = way.table[cell] < 0;
            assert_eq!(way.outside.contains(&cell), is_outside, "{:?}", way.table);
            assert!(!is_outside || way.outside[way.place[cell]] == cell);
        }
    }
    // Once the goal is there, only cells below zero are mended.
    way.short = 0;
    assert!(!way.outside.is_empty());
    for _ in 0..100 {
        let (cell, sign) = way.to_mend(&mut rng);
        assert!(way.table[cell] < 0 && sign == 1);
    }
}

#[test]
fn roaming_leads_from_one_latin_square_to_others() {
    let (knowledge, own) = diagonal();
    let moves = BlockMoves::of(&knowledge).unwrap();
    let (mut table, mut met) = (own.clone(), std::collections::BTreeSet::new());
    for number in 0..20 {
        let mut rng = SimRng::for_trial(0, "roam", number);
        moves.roam(&mut table, &knowledge.system, 2, (&mut rng, &Limits::default().search_end()));
        assert!(knowledge.system.admits(&table));
        met.insert(table.clone());
    }
    assert!(met.len() > 4, "{} of 12 squares", met.len());
}

#[test]
fn a_search_looks_at_its_end_every_64_steps() {
    let (knowledge, mut table) = diagonal();
    let moves = BlockMoves::of(&knowledge).unwrap();
    let wanted = Wanted { cells: &[0], sign: 1, goal: 2 };
    for (steps, set_after, looks) in [(1, 99, 1), (64, 99, 1), (65, 99, 2), (300, 99, 5), (300, 0, 1), (300, 2, 3)] {
        let deadline = StopFlag::set_after(set_after);
        let end = Limits { deadline: deadline.clone(), ..Limits::default() }.search_end();
        let mut rng = SimRng::for_trial(0, "sought", 0);
        assert!(moves.seek(&mut table, &wanted, steps, (&mut rng, &end)).is_none());
        assert_eq!(deadline.looks(), looks, "{steps} steps");
    }
}

#[test]
fn roaming_goes_the_way_it_went() {
    let counts = (0..36).map(|cell| [0, 2, 1, 0, 3][cell % 5]).collect();
    let (knowledge, own) = of_margins(&[3, 3, 4], &[&[0, 1], &[0, 2], &[1, 2]], counts);
    let moves = BlockMoves::of(&knowledge).unwrap();
    let (mut table, mut rng, mut met) = (own, SimRng::for_trial(0, "roam", 0), String::new());
    for _ in 0..20 {
        moves.roam(&mut table, &knowledge.system, 2, (&mut rng, &Limits::default().search_end()));
        assert!(knowledge.system.admits(&table));
        met += &format!("{table:?}");
    }
    assert_eq!(number_of(&met), 0xd467_9dfa_b2d1_7489, "another way: {:#018x}", number_of(&met));
}
