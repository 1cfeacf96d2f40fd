//! Cancellation: a flag ends every long call, in time and with an error of its own.

use std::time::{Duration, Instant};

use frechet_release::{
    Class, DisclosureRule, DisclosureTarget, EntropyOptions, EnumerationLimits, Error, FiberSampler, Knowledge, Limits,
    MaxEntropy, PrimaryCell, Prior, Region, ReleaseProblem, Scope, Slack, Solver, SuppressibleCell, audit,
    count_tables, plan, suppress,
};
use privacy_core::rng::SimRng;
use privacy_core::stop::StopFlag;
use privacy_core::{AttrSet, ContingencyTable, Domain};

/// All two-way margins of a table whose cells differ: no closed form, and every cell takes linear
/// programs.
fn knowledge(size: usize) -> (Knowledge, ContingencyTable) {
    let domain = Domain::of_cardinalities(&[size; 3]).unwrap();
    let cells = (0..size.pow(3) as u64).map(|cell| cell * 7919 % 23).collect();
    let table = ContingencyTable::from_cells(&domain, domain.all(), cells).unwrap();
    let mut knowledge = Knowledge::of_counts(domain).unwrap();
    for pair in AttrSet::first(3).subsets_of_size(2) {
        knowledge.publish_margin(&table.marginal(pair).unwrap()).unwrap();
    }
    (knowledge, table)
}

fn set() -> Limits {
    let stop = StopFlag::new();
    stop.set();
    Limits { stop, ..Limits::default() }
}

/// A solver that was made in time, and is stopped afterwards.
fn stopped_solver(knowledge: Knowledge) -> Solver {
    let stop = StopFlag::new();
    let solver = Solver::new(knowledge, Limits { stop: stop.clone(), ..Limits::default() }).unwrap();
    stop.set();
    solver
}

#[test]
fn a_flag_that_is_set_before_ends_every_call() {
    let (known, table) = knowledge(3);
    let rule = DisclosureRule::new(1, 0.1, 5, Scope::All).unwrap();
    assert_eq!(Solver::new(known.clone(), set()).err(), Some(Error::Stopped));
    assert_eq!(Slack::least(known.clone(), &set()).err(), Some(Error::Stopped));
    let mut solver = stopped_solver(known.clone());
    assert_eq!(solver.interval(&Class::cell([0, 0, 0])).err(), Some(Error::Stopped));
    assert_eq!(solver.region(&Region::everything().with(0, [0, 1])).err(), Some(Error::Stopped));
    assert_eq!(solver.cells().err(), Some(Error::Stopped));
    assert_eq!(audit(&mut solver, &rule).err(), Some(Error::Stopped));
    assert_eq!(FiberSampler::new(&mut solver, Prior::People).err(), Some(Error::Stopped));
    let options = EntropyOptions { stop: set().stop, ..EntropyOptions::default() };
    assert_eq!(MaxEntropy::fit(&known, &options).err(), Some(Error::Stopped));
    let limits = EnumerationLimits { tables: 1_000, stop: set().stop };
    assert_eq!(count_tables(&known, &limits).err(), Some(Error::Stopped));
    let cell = |name: &str, level| SuppressibleCell {
        name: name.to_owned(),
        region: Region::from(&Class::cell([level, 0, 0])),
        count: 4,
        weight: 4,
    };
    let primary = PrimaryCell { cell: 0, width: 1 };
    let pattern = suppress(&known, &[cell("a", 0), cell("b", 1)], &[primary], &set());
    assert_eq!(pattern.err(), Some(Error::Stopped));
    let background = Knowledge::of_counts(table_domain(3)).unwrap();
    let problem = ReleaseProblem::new(background, rule, DisclosureTarget::Undisclosed, set());
    let problem = problem.request_margin(AttrSet::first(2), 1.0).unwrap().decide_on_counts(&table).unwrap();
    assert_eq!(plan(&problem).err(), Some(Error::Stopped));
}

fn table_domain(size: usize) -> Domain {
    Domain::of_cardinalities(&[size; 3]).unwrap()
}

#[test]
fn a_sampler_ends_by_the_flag_of_its_solver() {
    let stop = StopFlag::new();
    let limits = Limits { stop: stop.clone(), ..Limits::default() };
    let mut solver = Solver::new(knowledge(3).0, limits).unwrap();
    let mut sampler = FiberSampler::new(&mut solver, Prior::People).unwrap();
    let mut rng = SimRng::for_trial(1, "stop", 0);
    sampler.advance(100, &mut rng).unwrap();
    stop.set();
    assert_eq!(sampler.advance(1, &mut rng), Err(Error::Stopped));
    assert_eq!(sampler.frequencies(&Class::cell([0, 0, 0]), 10, 1, &mut rng).err(), Some(Error::Stopped));
}

#[test]
fn a_flag_that_another_thread_sets_ends_the_bounds_of_a_large_table() {
    let stop = StopFlag::new();
    let limits = Limits { stop: stop.clone(), ..Limits::default() };
    let (started, call) = (Instant::now(), std::thread::spawn(move || Solver::new(knowledge(16).0, limits)?.cells()));
    std::thread::sleep(Duration::from_millis(30));
    stop.set();
    let set = started.elapsed();
    assert_eq!(call.join().unwrap().err(), Some(Error::Stopped));
    // Uninterrupted it takes minutes. A busy machine may be slow to end, but not by that much.
    assert!(started.elapsed() - set < Duration::from_secs(10));
}
