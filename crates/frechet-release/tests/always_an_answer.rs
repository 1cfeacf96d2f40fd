//! Small tables are decided whatever is published of them, and an audit that runs out of time
//! answers with what it has.

use std::time::Duration;

use frechet_release::{
    Class, DisclosureRule, DisclosureStatus, DisclosureTarget, Error, Knowledge, Limits, Region, ReleaseProblem,
    ReplayLimits, Scope, Solver, Treatment, audit, plan,
};
use privacy_core::stop::StopFlag;
use privacy_core::{AttrSet, ContingencyTable, Domain};

/// A linear congruential generator's high bits.
struct Draws(u64);

impl Draws {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// Some margins of a random table, and the exact counts of some products of levels: what is left
/// has no structure, and whole numbers of one parity are missing here and there.
fn random_job(number: u64) -> (Knowledge, Vec<i64>) {
    let mut draws = Draws(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    for _ in 0..8 {
        draws.below(2);
    }
    let axes = 2 + draws.below(3) as usize;
    let sizes: Vec<usize> = (0..axes).map(|_| 2 + draws.below(3) as usize).collect();
    let domain = Domain::of_cardinalities(&sizes).unwrap();
    let most = [3, 20, 1_000, 100_000][draws.below(4) as usize];
    let counts: Vec<u64> = (0..sizes.iter().product::<usize>()).map(|_| draws.below(most)).collect();
    let table = ContingencyTable::from_cells(&domain, domain.all(), counts.clone()).unwrap();
    let mut knowledge = Knowledge::of_counts(domain).unwrap();
    knowledge.publish_margin(&table.marginal(AttrSet::EMPTY).unwrap()).unwrap();
    for set in AttrSet::first(axes).subsets().filter(|set| !set.is_empty() && set.len() < axes) {
        if draws.below(3) == 0 {
            knowledge.publish_margin(&table.marginal(set).unwrap()).unwrap();
        }
    }
    for row in 0..draws.below(7) {
        let mut region = Region::everything();
        for (axis, &size) in sizes.iter().enumerate() {
            let levels: Vec<usize> = (0..size).filter(|_| draws.below(2) == 0).collect();
            if !levels.is_empty() {
                region = region.with(axis, levels);
            }
        }
        let cells = knowledge.cells_of(&region).unwrap();
        let count = cells.iter().map(|&cell| counts[cell as usize]).sum();
        knowledge.publish_count(format!("region {row}"), &region, count).unwrap();
    }
    (knowledge, counts.into_iter().map(|count| i64::try_from(count).unwrap()).collect())
}

/// How many ends are not attained in the jobs of these numbers.
fn open_ends(jobs: std::ops::Range<u64>) -> Vec<(u64, usize)> {
    let mut open = Vec::new();
    for number in jobs {
        let (knowledge, table) = random_job(number);
        let mut solver = Solver::with_table(knowledge, Limits::default(), &table).unwrap();
        for (cell, interval) in solver.cells().unwrap().into_iter().enumerate() {
            assert!((interval.lower.value..=interval.upper.value).contains(&table[cell]));
            if !interval.is_sharp() {
                open.push((number, cell));
            }
        }
    }
    open
}

#[test]
fn random_small_jobs_are_decided() {
    assert_eq!(open_ends(0..100), []);
}

#[test]
#[ignore = "takes minutes"]
fn many_random_small_jobs_are_decided() {
    assert_eq!(open_ends(0..1_500), []);
}

/// `n` pairwise sums of three cells in a cycle, each 1,001: fractions of one half everywhere, and
/// the cells that make sums even have long ranges.
#[test]
fn long_ranges_of_one_parity_are_no_cases_within_cases() {
    let domain = Domain::of_cardinalities(&[7]).unwrap();
    let mut knowledge = Knowledge::of_counts(domain).unwrap();
    let table = [500, 501, 500, 1, 400, 601, 400];
    let rows: [&[usize]; 5] = [&[0, 1], &[1, 2], &[0, 2, 3], &[4, 5], &[3, 5, 6]];
    for (number, levels) in rows.into_iter().enumerate() {
        let count: i64 = levels.iter().map(|&level| table[level]).sum();
        knowledge
            .publish_count(format!("{number}"), &Region::everything().with(0, levels), count.unsigned_abs())
            .unwrap();
    }
    let mut solver = Solver::with_table(knowledge, Limits::default(), &table).unwrap();
    assert!(solver.cells().unwrap().iter().all(frechet_release::CountInterval::is_sharp));
    // x3 = 1001 - x0 - x2 = 1001 - 2 x0 + (x0 - x2) with x0 = x2: odd.
    let third = solver.interval(&Class::cell([3])).unwrap();
    assert_eq!((third.lower.value, third.upper.value), (1, 1_001));
}

fn two_way_margins(size: usize) -> (Knowledge, ContingencyTable) {
    let domain = Domain::of_cardinalities(&[size; 3]).unwrap();
    let mut draws = Draws(7);
    let counts = (0..size.pow(3)).map(|_| draws.below(3)).collect();
    let table = ContingencyTable::from_cells(&domain, domain.all(), counts).unwrap();
    let mut knowledge = Knowledge::of_counts(domain).unwrap();
    for pair in AttrSet::first(3).subsets_of_size(2) {
        knowledge.publish_margin(&table.marginal(pair).unwrap()).unwrap();
    }
    (knowledge, table)
}

fn truth(table: &ContingencyTable) -> Vec<i64> {
    table.cells().iter().map(|&count| i64::try_from(count).unwrap()).collect()
}

#[test]
fn an_audit_whose_time_is_over_says_what_it_has() {
    let (knowledge, table) = two_way_margins(6);
    let rule = DisclosureRule::new(0, 0.5, 1, Scope::Cells).unwrap();
    let late = Limits { deadline: StopFlag::after(Duration::ZERO), ..Limits::default() };
    let mut solver = Solver::with_table(knowledge.clone(), late, &truth(&table)).unwrap();
    let found = audit(&mut solver, &rule).unwrap();
    let mut solver = Solver::with_table(knowledge, Limits::default(), &truth(&table)).unwrap();
    let whole = audit(&mut solver, &rule).unwrap();
    assert!(found.count(DisclosureStatus::Unknown) > 0 && whole.count(DisclosureStatus::Unknown) == 0);
    assert!(!found.meets(DisclosureTarget::Undisclosed), "what is unknown counts as disclosed");
    for (late, full) in found.findings.iter().zip(&whole.findings) {
        assert!(late.lower <= full.lower && late.upper >= full.upper, "bounds hold whenever the search ends");
        assert!(late.status == full.status || late.status == DisclosureStatus::Unknown);
    }
}

#[test]
fn a_plan_whose_time_is_over_withholds_what_was_not_decided() {
    let (_, table) = two_way_margins(4);
    let rule = DisclosureRule::new(1, 0.5, 3, Scope::Cells).unwrap();
    let limits = Limits { deadline: StopFlag::after(Duration::ZERO), ..Limits::default() };
    let background = Knowledge::of_counts(Domain::of_cardinalities(&[4; 3]).unwrap()).unwrap();
    let problem = ReleaseProblem::new(background, rule, DisclosureTarget::Undisclosed, limits);
    let problem = problem.request_margin(AttrSet::first(2), 1.0).unwrap();
    let late = plan(&problem.clone().decide_on_counts(&table).unwrap()).unwrap();
    assert_eq!(late.actions()[0].treatment, Treatment::Withheld, "it has small counts");
    // The rule of a robust plan is a function of the table, and not of time.
    assert_eq!(plan(&problem.decide_robustly(&table).unwrap()).err(), Some(Error::OutOfTime));
}

/// Of three linked margins of large counts two leave: the third would need a search.
#[test]
fn a_late_plan_keeps_margins_that_fall_apart() {
    let (_, table) = two_way_margins(4);
    let larger = table.cells().iter().map(|count| count + 5).collect();
    let domain = Domain::of_cardinalities(&[4; 3]).unwrap();
    let table = ContingencyTable::from_cells(&domain, domain.all(), larger).unwrap();
    let rule = DisclosureRule::new(1, 0.5, 3, Scope::Cells).unwrap();
    let limits = Limits { deadline: StopFlag::after(Duration::ZERO), ..Limits::default() };
    let background = Knowledge::of_counts(domain).unwrap();
    let problem = ReleaseProblem::new(background, rule, DisclosureTarget::Undisclosed, limits);
    let problem = AttrSet::first(3)
        .subsets_of_size(2)
        .fold(problem, |problem, pair| problem.request_margin(pair, 1.0).unwrap())
        .decide_on_counts(&table)
        .unwrap();
    let late = plan(&problem).unwrap();
    let kept = |treatment| late.actions().iter().filter(|action| action.treatment == treatment).count();
    assert_eq!((kept(Treatment::Exact), kept(Treatment::Withheld)), (2, 1));
    assert!(late.audit(&table).unwrap().meets(DisclosureTarget::Undisclosed));
    // A reader who knows that the time was over plans just this for other tables.
    let replayed = late.replay(&table, ReplayLimits { tables: 1, draws: 5 }).unwrap();
    assert_eq!((replayed.looked_at, replayed.same), (5, 5));
}

#[test]
fn a_table_of_any_size_has_an_answer() {
    let (knowledge, table) = two_way_margins(30);
    let mut solver = Solver::with_table(knowledge, Limits::default(), &truth(&table)).unwrap();
    solver.limit_all_steps(0);
    let classes: Vec<Class> = (0..64).map(|cell| Class::cell([cell / 8, cell % 8, cell % 7])).collect();
    for (range, class) in solver.ranges(&classes).unwrap().iter().zip(&classes) {
        let at = (class.levels[0] * 30 + class.levels[1]) * 30 + class.levels[2];
        assert!((range.lower..=range.upper).contains(&truth(&table)[at]));
        assert!(range.attained.0 >= range.lower && range.attained.1 <= range.upper);
    }
}
