use std::collections::BTreeMap;
use std::time::Duration;

use privacy_core::stop::StopFlag;
use privacy_core::{ContingencyTable, Domain};

use super::*;
use crate::engine::linear_program::Limits;
use crate::engine::tests::{number_of, of_margins};
use crate::table::class::Region;

/// A table of four rows and five columns whose margins are published, and its moves.
struct Case {
    knowledge: Knowledge,
    counts: Vec<i64>,
    moves: BlockMoves,
}

impl Case {
    fn random(number: u64) -> Self {
        let mut rng = SimRng::for_trial(0, "tables to climb in", number);
        let counts: Vec<u64> = (0..20).map(|_| below(6, &mut rng) as u64).collect();
        let (knowledge, counts) = of_margins(&[4, 5], &[&[0], &[1]], counts);
        let moves = BlockMoves::of(&knowledge).unwrap();
        Self { knowledge, counts, moves }
    }

    /// The least and largest count of a cell: what rows and columns leave (Fréchet).
    fn ends(&self, cell: usize) -> (i64, i64) {
        let row: i64 = self.counts[cell / 5 * 5..][..5].iter().sum();
        let column: i64 = self.counts[cell % 5..].iter().step_by(5).sum();
        let total: i64 = self.counts.iter().sum();
        ((row + column - total).max(0), row.min(column))
    }
}

/// An end that makes a search without end a failed test, long after any that has one.
fn watched() -> SearchEnd {
    Limits { deadline: StopFlag::after(Duration::from_secs(120)), ..Limits::default() }.search_end()
}

#[test]
fn a_climb_ends_at_its_goal_and_says_where_it_is() {
    let end = watched();
    let (mut reached, mut asked) = (0, 0);
    for number in 0..4 {
        let case = Case::random(number);
        for cell in 0..20 {
            let (least, most) = case.ends(cell);
            let own = case.counts[cell];
            // To both ends, and half the way.
            for (sign, goal) in [(-1, least), (1, most), (-1, (own + least) / 2), (1, (own + most + 1) / 2)] {
                let mut table = case.counts.clone();
                let mut rng = SimRng::for_trial(0, "climb", cell as u64);
                let cells = [small(cell)];
                let value = case.moves.climb(&mut table, &cells, sign, goal, (&mut rng, &end));
                assert_eq!(value, table[cell], "what is said is what the table holds");
                assert!(case.knowledge.system.admits(&table), "{table:?}");
                assert!(sign * value >= sign * own && sign * value <= sign * goal, "{own} {value} {goal}");
                reached += usize::from(value == goal);
                asked += 1;
            }
        }
    }
    assert!(!end.is_set() && reached * 10 > asked * 9, "{reached} of {asked}");
}

#[test]
fn a_climb_over_several_cells_counts_all_that_a_move_gains() {
    // The diagonal: a move gains 1 where it enters one of its cells, and 2 where it enters two.
    let end = watched();
    for number in 0..10 {
        let case = Case::random(number);
        let cells = [0, 6, 12, 18];
        let sum = |table: &[i64]| cells.iter().map(|&cell| table[cell as usize]).sum::<i64>();
        for (sign, goal) in [(1, 1_000), (-1, 0)] {
            let mut table = case.counts.clone();
            let mut rng = SimRng::for_trial(0, "climb", number);
            let value = case.moves.climb(&mut table, &cells, sign, goal, (&mut rng, &end));
            assert_eq!(value, sum(&table));
            assert!(case.knowledge.system.admits(&table) && sign * value > sign * sum(&case.counts));
        }
    }
    assert!(!end.is_set());
}

#[test]
fn what_is_reached_is_what_is_wanted_or_all_that_can_be_had() {
    let end = watched();
    for number in 0..4 {
        let case = Case::random(number);
        for cell in 0..20 {
            let (least, most) = case.ends(cell);
            let own = case.counts[cell];
            for (sign, room) in [(1, most - own), (-1, own - least)] {
                // As much as there is, and more: the search ends by itself.
                for wanted in [1, room, room + 3] {
                    let mut table = case.counts.clone();
                    let mut rng = SimRng::for_trial(0, "reach", cell as u64);
                    let how = ((sign, wanted), (4, |_| true));
                    let made = case.moves.reach(&mut table, &[small(cell)], how.0, how.1, (&mut rng, &end));
                    let gained = sign * (table[cell] - own);
                    assert!(gained >= 0 && gained <= wanted.min(room), "{gained} of {wanted} in {room}");
                    assert!(wanted != 1 || room == 0 || gained == 1, "one is nearly always there");
                    assert!(case.knowledge.system.admits(&table));
                    made.iter().for_each(|&(cell, more)| table[cell as usize] -= more);
                    assert_eq!(table, case.counts, "the difference is what was changed");
                }
            }
        }
    }
    assert!(!end.is_set(), "a search that finds no more ends");
}

#[test]
fn a_search_takes_no_more_than_is_wanted() {
    let end = watched();
    for number in 0..4 {
        let case = Case::random(number);
        for cell in 0..20 {
            let own = case.counts[cell];
            let room = case.ends(cell).1 - own;
            for wanted in 1..=room {
                let (mut table, mut rng) = (case.counts.clone(), SimRng::for_trial(0, "reach", cell as u64));
                case.moves.reach(&mut table, &[small(cell)], (1, wanted), (4, |_| true), (&mut rng, &end));
                assert!(table[cell] - own <= wanted, "{} of {wanted}", table[cell] - own);
            }
        }
        // On the diagonal a move gains 2 at most, so it goes 1 too far at most.
        let cells = [0, 6, 12, 18];
        let sum = |table: &[i64]| cells.iter().map(|&cell| table[cell as usize]).sum::<i64>();
        for wanted in 1..5 {
            let (mut table, mut rng) = (case.counts.clone(), SimRng::for_trial(0, "reach", wanted as u64));
            case.moves.reach(&mut table, &cells, (1, wanted), (4, |_| true), (&mut rng, &end));
            assert!(case.knowledge.system.admits(&table) && sum(&table) <= sum(&case.counts) + wanted + 1);
            let (mut table, goal) = (case.counts.clone(), sum(&case.counts) + wanted);
            assert!(case.moves.climb(&mut table, &cells, 1, goal, (&mut rng, &end)) <= goal + 1);
        }
        // No move changes the sum of a row.
        let (mut table, mut rng) = (case.counts.clone(), SimRng::for_trial(0, "reach", 0));
        let made = case.moves.reach(&mut table, &[0, 1, 2, 3, 4], (1, 1), (4, |_| true), (&mut rng, &end));
        assert!(made.is_empty() && table == case.counts);
    }
}

#[test]
fn a_move_goes_as_far_as_its_cells_have_room() {
    let people = vec![4, 3, 5, 2, 4, 3, 5, 4, 2];
    let domain = Domain::of_cardinalities(&[3, 3]).unwrap();
    let people = ContingencyTable::from_cells(&domain, domain.all(), people).unwrap();
    let knowledge = Knowledge::with_population(domain, &people).unwrap();
    let moves = BlockMoves::of(&knowledge).unwrap();
    let (table, mut rng) = (vec![1, 3, 2, 0, 2, 1, 4, 2, 1], SimRng::for_trial(0, "room", 0));
    for number in 0..200 {
        let sign = [1, -1][number % 2];
        let mut proposed = BlockMove::default();
        if !moves.propose(&table, number % 9, sign, &mut rng, &mut proposed) {
            continue;
        }
        for (times, is_within) in [(proposed.reach, true), (proposed.reach + 1, false)] {
            let mut moved = table.clone();
            proposed.cells.iter().for_each(|&(cell, s)| moved[cell] += s * times);
            assert_eq!(knowledge.system.admits(&moved), is_within, "{times} to {moved:?}");
        }
    }
}

#[test]
fn moves_keep_what_is_published_of_a_margin_and_change_what_is_not() {
    // All of one margin, and three of the nine classes of another.
    let (mut knowledge, _) = of_margins(&[2, 3, 3], &[&[0, 1]], vec![2; 18]);
    for levels in [[0, 0], [1, 1], [2, 0]] {
        let region = Region::everything().with(1, [levels[0]]).with(2, [levels[1]]);
        knowledge.publish_count("class", &region, 4).unwrap();
    }
    for moves in [BlockMoves::of(&knowledge).unwrap(), BlockMoves::by_margins(&knowledge).unwrap()] {
        let (mut kept, mut changed, mut rng) = (0, 0, SimRng::for_trial(0, "in part", 0));
        for number in 0..600 {
            let Some(cells) = moves.blindly(number % 18, &mut rng) else { continue };
            let mut sums = BTreeMap::new();
            for row in &knowledge.system.rows {
                let of_row = cells.iter().filter(|&&(cell, _)| row.cells().binary_search(&small(cell)).is_ok());
                assert_eq!(of_row.map(|&(_, sign)| sign).sum::<i64>(), 0, "{cells:?} and {}", row.name());
            }
            cells.iter().for_each(|&(cell, sign)| *sums.entry(cell % 9).or_insert(0) += sign);
            kept += 1;
            changed += usize::from(sums.values().any(|&sum: &i64| sum != 0));
        }
        assert!(kept > 50 && changed > 5, "{changed} of {kept}");
        assert!(!moves.is_complete_for_swaps(), "other rows are kept as well");
    }
}

#[test]
fn a_published_cell_leaves_a_small_table_its_other_moves() {
    let (mut knowledge, counts) = of_margins(&[3, 3], &[&[0], &[1]], vec![2; 9]);
    knowledge.publish_count("cell", &Region::everything().with(0, [0]).with(1, [0]), 2).unwrap();
    let moves = BlockMoves::of(&knowledge).expect("swaps among the other cells");
    let (mut table, mut rng) = (counts, SimRng::for_trial(0, "climb", 0));
    assert_eq!(moves.climb(&mut table, &[4], 1, 4, (&mut rng, &watched())), 4);
    assert!(knowledge.system.admits(&table));
}

#[test]
fn swaps_are_complete_for_margins_alone_that_fall_apart() {
    let is_complete = |shape: &[usize], margins: &[&[usize]]| {
        let (knowledge, _) = of_margins(shape, margins, vec![1; shape.iter().product()]);
        BlockMoves::of(&knowledge).unwrap().is_complete_for_swaps()
    };
    assert!(is_complete(&[4, 5], &[&[0], &[1]]) && is_complete(&[2, 3, 2], &[&[0, 1], &[1, 2]]));
    // Three blocks.
    assert!(!is_complete(&[2, 2, 2], &[&[0, 1], &[0, 2], &[1, 2]]));
    // More systems than are kept.
    assert!(!is_complete(&[2; 8], &[&[0], &[1], &[2], &[3], &[4], &[5], &[6], &[7]]));
}

#[test]
fn margins_in_part_are_looked_after_as_a_whole_in_a_large_table() {
    for (columns, in_part) in [(MOST_SMALL / 2, 0), (MOST_SMALL / 2 + 1, 1)] {
        let (mut knowledge, _) = of_margins(&[2, columns], &[&[0]], vec![1; 2 * columns]);
        knowledge.publish_count("column", &Region::everything().with(1, [0]), 2).unwrap();
        let moves = BlockMoves::of(&knowledge).unwrap();
        assert_eq!((moves.partial.len(), moves.rows.len()), (in_part, 1 - in_part), "{columns} columns");
    }
}

#[test]
fn as_many_rows_as_the_limit_are_looked_after() {
    let (mut knowledge, _) = of_margins(&[9, 9], &[&[0], &[1]], vec![1; 81]);
    for cell in 0..=MOST_ROWS {
        assert!(BlockMoves::of(&knowledge).is_some_and(|moves| moves.rows.len() == cell), "{cell} rows");
        let region = Region::everything().with(0, [cell / 9]).with(1, [cell % 9]);
        knowledge.publish_count("cell", &region, 1).unwrap();
    }
    assert!(BlockMoves::of(&knowledge).is_none());
}

#[test]
fn a_search_that_may_not_stall_looks_at_nothing() {
    let case = Case::random(0);
    for (most_stalls, has_looked) in [(0, false), (1, true)] {
        let (looks, mut table) = (std::cell::Cell::new(0), case.counts.clone());
        let mut rng = SimRng::for_trial(0, "reach", 0);
        let is_free = |_| {
            looks.set(looks.get() + 1);
            false
        };
        let made = case.moves.reach(&mut table, &[7], (1, 1), (most_stalls, is_free), (&mut rng, &watched()));
        assert!(made.is_empty() && (looks.get() > 0) == has_looked);
        assert!(looks.get() <= LOOKS, "{} looks", looks.get());
    }
}

#[test]
fn searches_make_the_moves_that_they_made() {
    let mut made = String::new();
    for number in 0..12 {
        let mut rng = SimRng::for_trial(0, "large counts", number);
        let counts: Vec<u64> = (0..20).map(|_| below(90, &mut rng) as u64).collect();
        let (knowledge, counts) = of_margins(&[4, 5], &[&[0], &[1]], counts);
        let moves = BlockMoves::of(&knowledge).unwrap();
        for (sign, wanted) in [(1, 1), (-1, 2), (1, 30), (-1, 41), (1, 120)] {
            let mut table = counts.clone();
            let how = ((sign, wanted), (2, |_| true));
            made += &format!("{:?}", moves.reach(&mut table, &[0, 6, 12, 18], how.0, how.1, (&mut rng, &watched())));
            assert!(knowledge.system.admits(&table));
        }
    }
    // Among cells of which some are published.
    let (mut knowledge, _) = of_margins(&[2, 3, 3], &[&[0, 1]], vec![2; 18]);
    knowledge.publish_count("class", &Region::everything().with(1, [0]).with(2, [0]), 4).unwrap();
    let (moves, mut rng) = (BlockMoves::by_margins(&knowledge).unwrap(), SimRng::for_trial(0, "in part", 0));
    for number in 0..60 {
        made += &format!("{:?}", moves.blindly(number % 18, &mut rng));
    }
    assert_eq!(number_of(&made), 0x728e_6902_4f3f_db07, "other moves: {:#018x}", number_of(&made));
}
