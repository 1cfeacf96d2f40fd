use privacy_core::rng::{SimRng, below};
use privacy_core::{AttrSet, Domain};

use super::*;
use crate::engine::general::Engine;
use crate::engine::tests::{number_of, of_margins};
use crate::table::class::Region;
use crate::table::system::verify;

/// Cells that rows speak of; all others are empty.
const CELLS: usize = 7;

/// Random rows over a few cells of a line, and all values that a cell and the sum of all have in
/// some table.
struct Case {
    knowledge: Knowledge,
    fiber: Vec<Vec<i64>>,
}

impl Case {
    fn random(number: u64, cells: usize) -> Option<Self> {
        let mut rng = SimRng::for_trial(0, "rows over a line", number);
        let mut knowledge = Knowledge::of_counts(Domain::of_cardinalities(&[cells]).unwrap()).unwrap();
        for cell in 0..CELLS {
            let most = 1 + below(2, &mut rng) as u64;
            knowledge.publish_range("cell", &Region::everything().with(0, [cell]), 0, most).unwrap();
        }
        for _ in 0..6 {
            let first = below(CELLS, &mut rng);
            let members: BTreeSet<usize> =
                [0, 1, 3].map(|step| (first + step * (1 + below(2, &mut rng))) % CELLS).into();
            let lower = below(2, &mut rng) as u64;
            let members: Vec<usize> = members.into_iter().collect();
            let upper = lower.max(1) + below(2, &mut rng) as u64;
            knowledge.publish_range("row", &Region::everything().with(0, members), lower, upper).unwrap();
        }
        let rest: Vec<usize> = (CELLS..cells).collect();
        knowledge.publish_count("rest", &Region::everything().with(0, rest), 0).unwrap();
        let tables = (0..3_usize.pow(CELLS as u32)).map(|number| {
            let digit = |cell: usize| (number / 3_usize.pow(cell as u32) % 3) as i64;
            (0..cells).map(|cell| if cell < CELLS { digit(cell) } else { 0 }).collect::<Vec<i64>>()
        });
        let is_small = |row: &&frechet_certificate::Row| row.cells().len() < CELLS + 1;
        let rows: Vec<_> = knowledge.system.rows.iter().filter(is_small).collect();
        let holds = |table: &Vec<i64>| {
            rows.iter().all(|row| {
                let sum: i64 = row.cells().iter().map(|&cell| table[cell as usize]).sum();
                (row.lower()..=row.upper()).contains(&sum)
            })
        };
        let fiber: Vec<Vec<i64>> = tables.filter(holds).collect();
        (!fiber.is_empty()).then_some(Self { knowledge, fiber })
    }

    fn ends(&self, cells: &[u32]) -> (i64, i64) {
        let sums = || self.fiber.iter().map(|table| cells.iter().map(|&cell| table[cell as usize]).sum::<i64>());
        (sums().min().unwrap(), sums().max().unwrap())
    }

    fn check(&self, cells: &[u32], interval: &CountInterval) {
        let (least, most) = self.ends(cells);
        assert!(interval.lower.value <= least && interval.upper.value >= most);
        verify(&self.knowledge.system, cells, Side::Lower, &interval.lower).unwrap();
        verify(&self.knowledge.system, cells, Side::Upper, &interval.upper).unwrap();
    }
}

fn all() -> Class {
    Class::new(AttrSet::EMPTY, [])
}

#[test]
fn ends_of_random_rows_are_those_of_all_tables() {
    let mut cases = 0;
    for case in (0..80).filter_map(|number| Case::random(number, CELLS + 1)) {
        let mut engine = Engine::new(case.knowledge.clone(), Limits::default(), None).unwrap();
        let classes = (0..CELLS).map(|cell| Class::cell([cell])).chain([all()]);
        for class in classes {
            let cells = case.knowledge.grid.cells_of(&class);
            let interval = engine.interval(&class);
            assert_eq!((interval.lower.value, interval.upper.value), case.ends(&cells));
            assert!(interval.is_sharp());
            case.check(&cells, &interval);
            cases += usize::from(interval.method == Method::Ilp);
        }
        // Some cells that are no class.
        let some = [0, 2, 3, 5];
        let interval = engine.over(&some);
        assert_eq!((interval.lower.value, interval.upper.value), case.ends(&some));
        case.check(&some, &interval);
    }
    assert!(cases > 3, "{cases} questions needed cases");
}

#[test]
fn a_large_table_is_said_to_be_wide_exactly_when_it_is() {
    let mut cases = 0;
    for case in (0..12).filter_map(|number| Case::random(number, MOST_SMALL + 1)) {
        let first = case.fiber[case.fiber.len() / 2].clone();
        let cells = case.knowledge.grid.cells_of(&all());
        let (least, most) = case.ends(&cells);
        for width in (most - least - 1).max(0)..=most - least {
            for need in [Need::WiderThan(width), Need::OnlyWiderThan(width)] {
                let mut engine = Engine::new(case.knowledge.clone(), Limits::default(), Some(&first)).unwrap();
                let interval = engine.intervals(&[all()], need).remove(0);
                case.check(&cells, &interval);
                let shown = interval.upper.witness.value - interval.lower.witness.value;
                assert_eq!(shown > width, most - least > width, "{need:?} {least} {most}");
                assert!(shown > width || interval.width() <= width, "{need:?}: {least} {most}");
                cases += usize::from(interval.method == Method::Ilp);
            }
        }
    }
    assert!(cases > 0, "{cases} questions needed cases");
}

#[test]
fn linear_programs_decide_what_propagation_leaves_open() {
    // Three cells, of each two of which one person is: all together at most 1.5, so 1; sums of
    // pairs alone allow 3.
    let mut knowledge = Knowledge::of_counts(Domain::of_cardinalities(&[MOST_SMALL + 1]).unwrap()).unwrap();
    for pair in [[0, 1], [0, 2], [1, 2]] {
        knowledge.publish_range("pair", &Region::everything().with(0, pair), 0, 1).unwrap();
    }
    let rest: Vec<usize> = (3..=MOST_SMALL).collect();
    knowledge.publish_count("rest", &Region::everything().with(0, rest), 0).unwrap();
    let mut engine = Engine::new(knowledge.clone(), Limits::default(), Some(&vec![0; MOST_SMALL + 1])).unwrap();
    let interval = engine.intervals(&[all()], Need::LinearlyWiderThan(1)).remove(0);
    assert_eq!((interval.lower.value, interval.upper.value), (0, 1));
    let cells = knowledge.grid.cells_of(&all());
    verify(&knowledge.system, &cells, Side::Upper, &interval.upper).unwrap();
}

#[test]
fn cases_come_where_linear_programs_leave_a_width_open_and_not_before() {
    // Three cells of which each two hold one person at most, and three more: all hold 3 at most by
    // linear programs, and 2 in whole numbers.
    let mut knowledge = Knowledge::of_counts(Domain::of_cardinalities(&[MOST_SMALL + 1]).unwrap()).unwrap();
    for pair in [[0, 1], [0, 2], [1, 2], [3, 4], [3, 5], [4, 5]] {
        knowledge.publish_range("pair", &Region::everything().with(0, pair), 0, 1).unwrap();
    }
    let rest: Vec<usize> = (6..=MOST_SMALL).collect();
    knowledge.publish_count("rest", &Region::everything().with(0, rest), 0).unwrap();
    for (need, expected) in [
        (Need::OnlyWiderThan(2), (2, Method::Ilp)),
        (Need::OnlyWiderThan(3), (3, Method::Lp)),
        (Need::LinearlyWiderThan(2), (3, Method::Lp)),
        (Need::LinearlyWiderThan(3), (3, Method::Lp)),
    ] {
        let mut engine = Engine::new(knowledge.clone(), Limits::default(), Some(&vec![0; MOST_SMALL + 1])).unwrap();
        let interval = engine.intervals(&[all()], need).remove(0);
        assert_eq!((interval.upper.value, interval.method), expected, "{need:?}");
        assert_eq!(interval.lower.value, 0);
    }
}

#[test]
fn cases_on_one_side_are_spared_where_the_other_shows_the_width() {
    // Twice three cells of which each two hold 1 at most, and twice three of which each two hold 1
    // or 2: all hold 3 to 9 by linear programs, and 4 to 8 in whole numbers.
    let mut knowledge = Knowledge::of_counts(Domain::of_cardinalities(&[MOST_SMALL + 1]).unwrap()).unwrap();
    for (first, lower) in [(0, 0), (3, 0), (6, 1), (9, 1)] {
        for pair in [[first, first + 1], [first, first + 2], [first + 1, first + 2]] {
            knowledge.publish_range("pair", &Region::everything().with(0, pair), lower, lower + 1).unwrap();
        }
    }
    let rest: Vec<usize> = (12..=MOST_SMALL).collect();
    knowledge.publish_count("rest", &Region::everything().with(0, rest), 0).unwrap();
    let mut first = vec![0; MOST_SMALL + 1];
    [6, 7, 9, 10].into_iter().for_each(|cell| first[cell] = 1);
    for (width, ends, attained) in [(3, (3, 9), (4, 8)), (4, (4, 8), (4, 8)), (6, (3, 9), (4, 4))] {
        let mut engine = Engine::new(knowledge.clone(), Limits::default(), Some(&first)).unwrap();
        let interval = engine.intervals(&[all()], Need::OnlyWiderThan(width)).remove(0);
        assert_eq!((interval.lower.value, interval.upper.value), ends, "{width}");
        assert_eq!((interval.lower.witness.value, interval.upper.witness.value), attained, "{width}");
    }
}

#[test]
fn a_bound_of_real_numbers_is_rounded_without_cases_as_well() {
    // Each two of three cells hold at least 1 and at most 2 (or at most 1) people: all hold at least
    // 1.5, so 2, and at most 1.5, so 1.
    for (side, ends, expected) in [(Side::Lower, (1, 2), 2), (Side::Upper, (0, 1), 1)] {
        let mut knowledge = Knowledge::of_counts(Domain::of_cardinalities(&[3]).unwrap()).unwrap();
        for pair in [[0, 1], [0, 2], [1, 2]] {
            knowledge.publish_range("pair", &Region::everything().with(0, pair), ends.0, ends.1).unwrap();
        }
        let mut engine = Engine::new(knowledge.clone(), Limits { nodes: 0, ..Limits::default() }, None).unwrap();
        let (bound, method) = engine.end(&all(), side);
        assert_eq!((bound.value, bound.relaxed, method), (expected, Ratio::new(3, 2), Method::Lp));
        verify(&knowledge.system, &[0, 1, 2], side, &bound).unwrap();
    }
}

#[test]
fn without_linear_programs_rows_bound_what_they_cover() {
    // Nothing is known of the three cells as a class, and the rows bound them by 5 and 9.
    let mut knowledge = Knowledge::of_counts(Domain::of_cardinalities(&[5]).unwrap()).unwrap();
    for (members, most) in [(vec![0, 1], 5), (vec![2, 3, 4], 9)] {
        knowledge.publish_range("row", &Region::everything().with(0, members), 0, most).unwrap();
    }
    let limits = Limits { steps: 0, ..Limits::default() };
    let mut engine = Engine::new(knowledge.clone(), limits, Some(&[0, 1, 2, 0, 0])).unwrap();
    let interval = engine.over(&[1, 2, 4]);
    assert_eq!((interval.lower.value, interval.upper.value), (0, 14));
    verify(&knowledge.system, &[1, 2, 4], Side::Lower, &interval.lower).unwrap();
    verify(&knowledge.system, &[1, 2, 4], Side::Upper, &interval.upper).unwrap();
}

#[test]
fn a_table_of_1_025_cells_is_large() {
    for (columns, is_large) in [(MOST_SMALL / 2, false), (MOST_SMALL / 2 + 1, true)] {
        let (knowledge, counts) = of_margins(&[2, columns], &[&[0]], vec![1; 2 * columns]);
        let engine = Engine::new(knowledge, Limits::default(), Some(&counts)).unwrap();
        assert_eq!(engine.context.is_large(), is_large);
    }
}

/// The upper end of a cell that may hold as many as its column, `people`, and holds nobody, in a
/// table of three rows: its value, and whether a linear program was solved.
fn upper_end(columns: usize, people: u64) -> (i64, bool) {
    let mut counts = vec![1; 3 * columns];
    (counts[0], counts[columns], counts[2 * columns]) = (0, people, 0);
    let (knowledge, counts) = of_margins(&[3, columns], &[&[0], &[1]], counts);
    let mut engine = Engine::new(knowledge, Limits::default(), Some(&counts)).unwrap();
    let (bound, _) = engine.end(&Class::cell([0, 0]), Side::Upper);
    assert!(bound.witness.value == bound.value);
    (bound.value, engine.steps_left < u64::MAX)
}

#[test]
fn a_table_that_is_near_is_sought_before_a_linear_program_is_solved() {
    assert_eq!([16, 17].map(|people| upper_end(342, people)), [(16, false), (17, true)]);
}

#[test]
fn moves_come_before_linear_programs_of_more_than_500_rows() {
    assert_eq!([498, 499].map(|columns| upper_end(columns, 17)), [(17, true), (17, false)]);
}

#[test]
fn what_is_sought_in_vain_is_approached() {
    let mut rng = SimRng::for_trial(0, "two long rows", 0);
    let counts: Vec<u64> = (0..2 * 520).map(|_| below(4, &mut rng) as u64).collect();
    let (knowledge, counts) = of_margins(&[2, 520], &[&[0], &[1]], counts);
    let engine = Engine::new(knowledge, Limits::default(), Some(&counts)).unwrap();
    let mut program = LinearProgram::idle(engine.context.knowledge.system.clone(), &Limits::default()).unwrap();
    let mut runner = QueryRunner::new(&engine.context, &mut program, engine.pool());
    let mut way = String::new();
    for (cell, side) in (0..12).flat_map(|cell| [(cell, Side::Lower), (cell, Side::Upper)]) {
        // A column is all in the one row or all in the other, and no more than that.
        let furthest = if side == Side::Upper { counts[cell] + counts[520 + cell] } else { 0 };
        let cells = [u32::try_from(cell).unwrap()];
        let query = Query { cells: &cells, side, node: None, enough: None };
        let mut best = runner.best(&query);
        runner.approach(&query, &mut best, furthest + 3 * side.sign(), FEW_STEPS);
        assert_eq!(best.value, furthest, "{cell}");
        way += &format!("{:?}", best.table);
    }
    assert_eq!(number_of(&way), 0xe01b_42f7_68b5_bd19, "another way: {:#018x}", number_of(&way));
}

#[test]
fn questions_go_as_far_as_they_went() {
    let mut way = String::new();
    // Of the large ones, which take longer, those where linear programs leave most open.
    let (small, large) =
        ((0..30).map(|number| (number, CELLS + 1)), [17, 19, 29].map(|number| (number, MOST_SMALL + 1)));
    for case in small.chain(large).filter_map(|(number, cells)| Case::random(number, cells)) {
        let first = &case.fiber[case.fiber.len() / 2];
        for width in 0..3 {
            for need in [Need::WiderThan(width), Need::OnlyWiderThan(width), Need::LinearlyWiderThan(width)] {
                let mut engine = Engine::new(case.knowledge.clone(), Limits::default(), Some(first)).unwrap();
                for class in [Class::cell([0]), Class::cell([3]), all()] {
                    let interval = engine.intervals(&[class], need).remove(0);
                    way += &format!("{interval:?} {}", engine.steps_left);
                }
                way += &format!("{:?}", engine.pool.tables());
            }
        }
    }
    assert_eq!(number_of(&way), 0x0f12_98ee_4f82_c24b, "another way: {:#018x}", number_of(&way));
}
