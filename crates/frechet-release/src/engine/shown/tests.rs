use privacy_core::rng::below;
use privacy_core::stop::StopFlag;
use privacy_core::{AttrSet, Domain};

use super::*;
use crate::engine::linear_program::Limits;
use crate::engine::tests::of_margins;
use crate::table::class::Region;
use crate::table::knowledge::Knowledge;
use crate::table::system::verify;

const COLUMNS: usize = 520;

/// Two rows of 520 columns whose sums are published: 1,040 cells are no small table. The rows hold
/// so much that the first cell of a column may hold nothing and may hold all of the column.
fn engine() -> (Engine, Vec<i64>) {
    let mut rng = SimRng::for_trial(0, "two long rows", 0);
    let counts: Vec<u64> = (0..2 * COLUMNS).map(|_| below(4, &mut rng) as u64).collect();
    let (knowledge, counts) = of_margins(&[2, COLUMNS], &[&[0], &[1]], counts);
    (Engine::new(knowledge, Limits::default(), Some(&counts)).unwrap(), counts)
}

fn cell(column: usize) -> Class {
    Class::cell([0, column])
}

fn node(engine: &Engine, class: &Class) -> usize {
    engine.context.knowledge.grid.super_cell(class.axes, &class.levels)
}

#[test]
fn a_class_is_shown_to_be_wide_exactly_when_it_is() {
    let (mut engine, counts) = engine();
    let mut shown = 0;
    for column in 0..60 {
        let most = counts[column] + counts[COLUMNS + column];
        let class = cell(column);
        let node = node(&engine, &class);
        // No range is wider than all of the column, and this one is wider than one less.
        assert!(!engine.is_open(node, most) && engine.shown_range(&class, Need::OnlyWiderThan(most)).is_none());
        assert!(engine.shown_range(&class, Need::Ends).is_none());
        if most == 0 {
            continue;
        }
        assert!(engine.is_open(node, most - 1) || engine.is_shown(node, most - 1));
        let range = engine.shown_range(&class, Need::OnlyWiderThan(most - 1)).expect("two tables show it");
        assert_eq!((range.lower, range.upper, range.attained, range.is_sharp), (0, most, (0, most), true));
        assert!(engine.is_shown(node, most - 1) && !engine.is_shown(node, most) && !engine.is_open(node, most - 1));
        for (side, value) in [(Side::Lower, 0), (Side::Upper, most)] {
            let witness = engine.pool.witness(node, side).unwrap();
            let table = witness.table.to_dense(2 * COLUMNS);
            assert!(engine.context.knowledge.system.admits(&table) && table[column] == value);
        }
        shown += 1;
    }
    assert!(shown > 40, "{shown}");
}

#[test]
fn one_table_moves_many_classes_apart() {
    let (mut engine, counts) = engine();
    let classes: Vec<Class> = (0..40).map(cell).collect();
    let open: Vec<(&Class, usize)> = classes.iter().map(|class| (class, node(&engine, class))).collect();
    let open: Vec<(&Class, usize)> = open.into_iter().filter(|&(_, node)| engine.is_open(node, 1)).collect();
    let moves = engine.context.moves.clone().unwrap();
    let (mut table, mut rng) = (counts.clone(), SimRng::for_trial(0, "many", 0));
    engine.move_many(&mut table, &open, 1, (&moves, &mut rng));
    assert!(engine.context.knowledge.system.admits(&table) && engine.pool.tables().len() == 2);
    let shown = open.iter().filter(|&&(_, node)| engine.is_shown(node, 1)).count();
    assert!(shown * 2 > open.len(), "{shown} of {}", open.len());
}

#[test]
fn ways_through_counts_below_zero_show_what_is_wide() {
    let (mut engine, counts) = engine();
    let classes: Vec<Class> = (0..40).map(cell).collect();
    // One table has to differ from the first by 3 alone.
    let is_far = |column: usize| counts[column] > 2 || counts[COLUMNS + column] > 2;
    let columns: Vec<usize> = (0..40).filter(|&column| is_far(column)).collect();
    let mut open: Vec<(&Class, usize)> =
        columns.iter().map(|&column| (&classes[column], node(&engine, &classes[column]))).collect();
    assert!(open.len() > 10 && open.iter().all(|&(_, node)| engine.is_open(node, 2)));
    let wide = open.clone();
    engine.seek_apart(&mut open, 2, FEW_STEPS);
    assert!(open.is_empty() && engine.dense == counts);
    assert!(wide.iter().all(|&(_, node)| engine.is_shown(node, 2)));
}

#[test]
fn answers_to_whether_classes_are_wide_are_proved() {
    let (mut engine, counts) = engine();
    let classes: Vec<Class> = (0..24).map(cell).collect();
    engine.spread(&classes, Need::OnlyWiderThan(2));
    let system = engine.context.knowledge.system.clone();
    for (column, interval) in engine.intervals(&classes, Need::OnlyWiderThan(2)).into_iter().enumerate() {
        let most = counts[column] + counts[COLUMNS + column];
        assert_eq!((interval.lower.value, interval.upper.value), (0, most));
        assert_eq!(interval.upper.witness.value - interval.lower.witness.value > 2, most > 2);
        verify(&system, &[column as u32], Side::Lower, &interval.lower).unwrap();
        verify(&system, &[column as u32], Side::Upper, &interval.upper).unwrap();
    }
}

#[test]
fn a_margin_published_in_part_is_known_of_its_classes() {
    let mut knowledge = Knowledge::of_counts(Domain::of_cardinalities(&[2, COLUMNS]).unwrap()).unwrap();
    knowledge.publish_count("the first row", &Region::everything().with(0, [0]), 5).unwrap();
    knowledge.publish_count("all", &Region::everything(), 9).unwrap();
    let mut table = vec![0; 2 * COLUMNS];
    (table[3], table[COLUMNS]) = (5, 4);
    let engine = Engine::new(knowledge, Limits::default(), Some(&table)).unwrap();
    let row = |level: usize| engine.known_range(&Class::new(AttrSet::single(0), [level]));
    assert_eq!((row(0).lower, row(0).upper, row(0).is_sharp), (5, 5, true));
    assert_eq!((row(1).lower, row(1).upper, row(1).is_sharp), (4, 4, true));
    // Sharp ends leave nothing open, however large they are.
    let first = node(&engine, &Class::new(AttrSet::single(0), [0]));
    assert!(!engine.is_open(first, 0));
}

#[test]
fn propagation_alone_finds_the_ends_of_two_margins() {
    let mut rng = SimRng::for_trial(0, "small tables", 0);
    for _ in 0..30 {
        let counts: Vec<u64> = (0..4).map(|_| below(9, &mut rng) as u64).collect();
        let (knowledge, counts) = of_margins(&[2, 2], &[&[0], &[1]], counts);
        // No linear program: moves alone lead to the ends.
        let limits = Limits { steps: 0, ..Limits::default() };
        let mut engine = Engine::new(knowledge, limits, Some(&counts)).unwrap();
        for cell in 0..4 {
            let other = [1, 0, 3, 2][cell];
            let (row, column) = (counts[cell] + counts[other], counts[cell] + counts[(cell + 2) % 4]);
            let expected = ((row + column - counts.iter().sum::<i64>()).max(0), row.min(column));
            let class = Class::cell([cell / 2, cell % 2]);
            let range = engine.known_range(&class);
            assert_eq!((range.lower, range.upper), expected, "{counts:?}");
            let interval = engine.interval(&class);
            assert_eq!((interval.lower.witness.value, interval.upper.witness.value), expected, "{counts:?}");
        }
    }
}

#[test]
fn a_caller_who_asks_again_learns_of_classes_that_are_wide() {
    let (mut again, counts) = engine();
    // One table has to differ from the first by 3 alone, as above.
    let is_far = |column: usize| counts[column] > 2 || counts[COLUMNS + column] > 2;
    let classes: Vec<Class> = (0..160).map(cell).collect();
    let is_shown = |engine: &Engine, column: usize, width: i64| engine.is_shown(node(engine, &classes[column]), width);
    let first: Vec<usize> = (0..160).filter(|&column| is_far(column)).take(8).collect();
    again.spread_far(&first.iter().map(|&column| cell(column)).collect::<Vec<Class>>(), 2);
    assert!(first.iter().all(|&column| is_shown(&again, column, 2)));
    // The same where the first classes are narrow: they are few, and do not end the search.
    let (mut again, _) = engine();
    let (far, near): (Vec<usize>, Vec<usize>) = (0..160).partition(|&column| is_far(column));
    let order = near.iter().take(9).chain(&far);
    let mut open: Vec<(&Class, usize)> =
        order.map(|&column| (&classes[column], node(&again, &classes[column]))).collect();
    again.seek_apart(&mut open, 2, FEW_STEPS);
    assert!(far.len() > 64 && far.iter().all(|&column| is_shown(&again, column, 2)), "{}", far.len());
    // Any difference at all: every class with people.
    let (mut again, _) = engine();
    again.spread_far(&classes[..16], 0);
    for column in 0..16 {
        assert_eq!(is_shown(&again, column, 0), counts[column] + counts[COLUMNS + column] > 0, "{column}");
    }
}

#[test]
fn a_search_gives_up_where_fewer_than_one_in_eight_of_64_classes_are_found() {
    /// Enough for a class that is wide.
    const STEPS: usize = 40;
    let counts = engine().1;
    let most = |column: usize| counts[column] + counts[COLUMNS + column];
    let far = || (0..COLUMNS).filter(|&column| counts[column] > 2 || counts[COLUMNS + column] > 2).take(12);
    // 2 at most, and 2 now.
    let near = || (0..COLUMNS).filter(|&column| counts[column] == 2 && most(column) == 2);
    let narrow = || (0..COLUMNS).filter(|&column| most(column) == 2);
    let found = |order: Vec<usize>, known: &[usize]| {
        let mut engine = engine().0;
        for &column in known {
            assert!(engine.shown_range(&cell(column), Need::OnlyWiderThan(1)).is_some(), "0 and 2 are known");
        }
        let classes: Vec<Class> = order.iter().map(|&column| cell(column)).collect();
        let mut open = classes.iter().map(|class| (class, node(&engine, class))).collect();
        engine.seek_apart(&mut open, 2, STEPS);
        far().filter(|&column| engine.is_shown(node(&engine, &cell(column)), 2)).count()
    };
    assert!(near().count() > 20 && narrow().count() >= FIRST_TRIES);
    let near: Vec<usize> = near().cycle().take(FIRST_TRIES).collect();
    let narrow: Vec<usize> = narrow().take(FIRST_TRIES).collect();
    let after = |before: &[usize]| before.iter().copied().chain(far()).collect::<Vec<usize>>();
    assert_eq!(found(after(&near), &[]), 0, "64 were tried");
    assert_eq!(found(after(&near[1..]), &[]), 1, "one in 64");
    assert_eq!(found(after(&narrow), &narrow), 0, "each has 2 at most");
    let eight: Vec<usize> = far().take(8).chain(near[..56].iter().copied()).chain(far().skip(8)).collect();
    assert_eq!(found(eight, &[]), 12, "eight of 64");
}

#[test]
fn nothing_that_is_open_is_the_end_of_a_search() {
    let (knowledge, counts) = of_margins(&[2, COLUMNS], &[&[0], &[1]], vec![1; 2 * COLUMNS]);
    let deadline = StopFlag::set_after(u64::MAX);
    let limits = Limits { deadline: deadline.clone(), ..Limits::default() };
    let mut engine = Engine::new(knowledge, limits, Some(&counts)).unwrap();
    let before = deadline.looks();
    engine.spread(&[], Need::OnlyWiderThan(0));
    assert_eq!(deadline.looks() - before, 1);
}

/// Three rows of 342 columns, of which the sums are published. Each two cells of the first column
/// hold one person at most, so that it holds one: 1.5 by linear programs, and 3 by propagation.
fn odd_column() -> Engine {
    let counts: Vec<u64> = (0..3 * 342).map(|cell| u64::from(cell % 342 > 0)).collect();
    let (mut knowledge, counts) = of_margins(&[3, 342], &[&[0]], counts);
    for pair in [[0, 1], [0, 2], [1, 2]] {
        knowledge.publish_range("pair", &Region::everything().with(0, pair).with(1, [0]), 0, 1).unwrap();
    }
    Engine::new(knowledge, Limits::default(), Some(&counts)).unwrap()
}

#[test]
fn linear_programs_drop_what_is_no_wider_than_asked() {
    let mut engine = odd_column();
    let class = Class::new(AttrSet::single(1), [0]);
    let node = node(&engine, &class);
    assert!(engine.is_open(node, 1) && engine.is_open(node, 2) && !engine.is_open(node, 3));
    let mut open = vec![(&class, node)];
    engine.drop_narrow(&mut open, 1);
    assert!(open.is_empty() && !engine.is_shown(node, 1));
}

#[test]
fn linear_programs_of_many_classes_are_left_to_a_caller_who_asks_for_no_more_than_these() {
    let class = Class::new(AttrSet::single(1), [0]);
    for (need, is_solved) in [(Need::OnlyWiderThan(1), true), (Need::LinearlyWiderThan(1), false)] {
        let mut engine = odd_column();
        engine.spread(std::slice::from_ref(&class), need);
        assert_eq!(engine.steps_left < u64::MAX, is_solved, "{need:?}");
    }
}
