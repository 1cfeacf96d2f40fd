use std::time::Duration;

use privacy_core::stop::StopFlag;

use super::*;
use crate::engine::linear_program::Limits;
use crate::engine::tests::of_margins;

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
