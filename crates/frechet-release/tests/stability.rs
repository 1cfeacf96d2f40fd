//! The search goes the way it went: its bounds, proofs and witnesses, as one number for each kind
//! of table.
//!
//! Which step comes next, where a search begins and when it gives up change no bound that is proved
//! and no table that shows it, so that no other test notices an error there; answers would take
//! longer, or fewer of them be sharp. After a change on purpose the new numbers are written here,
//! and the benches say what it is worth.

use crate::common::{self, Case};
use crate::lanes;
use frechet_release::{
    AuditDetail, Bound, Class, CountInterval, DisclosureRule, Limits, Scope, Solver, audit_in_detail,
};
use privacy_core::AttrSet;
use privacy_core::rng::{SimRng, below};
use testkit::fixtures::json;

/// Numbers and words, one after the other (FNV-1a).
struct Trace(u64);

impl Trace {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn ends(&self, with: u64) {
        assert_eq!(self.0, with, "a search goes another way: {:#018x}", self.0);
    }

    fn words(&mut self, words: &str) {
        for byte in words.bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    fn interval(&mut self, interval: &CountInterval) {
        self.words(&format!("{:?}", interval.method));
        let bound = |bound: &Bound| format!("{} {:?} {:?}", bound.value, bound.proof, bound.witness);
        self.words(&bound(&interval.lower));
        self.words(&bound(&interval.upper));
    }

    /// Of some classes at once, then of single ones.
    fn intervals(&mut self, solver: &mut Solver, classes: &[Class]) {
        solver.intervals(classes).unwrap().iter().for_each(|interval| self.interval(interval));
        for class in classes.iter().step_by(5) {
            self.interval(&solver.interval(class).unwrap());
        }
    }
}

fn pairs(axes: usize) -> Vec<Vec<usize>> {
    AttrSet::first(axes).subsets_of_size(2).map(|set| set.iter().collect()).collect()
}

/// Small counts, all pairs of three attributes published.
fn sparse(shape: [usize; 3], most: usize, seed: u64) -> Case {
    let mut rng = SimRng::for_trial(seed, "sparse tables", 0);
    let counts = (0..shape.iter().product()).map(|_| below(most, &mut rng).saturating_sub(1) as u64).collect();
    Case::of(&shape, counts, pairs(3))
}

/// With these linear programs in the search for one bound at most.
fn nodes(nodes: u32) -> Limits {
    Limits { nodes, ..Limits::default() }
}

#[test]
fn tables_of_the_literature_are_searched_as_before() {
    let mut trace = Trace::new();
    for case in lanes::cases() {
        trace.intervals(&mut case.solver(nodes(200)), &lanes::classes(&case));
    }
    let czech = common::counts(&json("frechet/czech_autoworkers_2x6.json")["counts"]);
    for order in [2, 3] {
        let margins = AttrSet::first(6).subsets_of_size(order).map(|set| set.iter().collect()).collect();
        let case = Case::of(&[2; 6], czech.clone(), margins);
        trace.intervals(&mut case.solver(nodes(30)), &lanes::classes(&case));
    }
    trace.ends(0x6681_abdb_a384_d61c);
}

#[test]
fn small_tables_are_searched_as_before() {
    let mut trace = Trace::new();
    for instance in json("frechet/fuzz_small.json").as_array().unwrap() {
        let shape = common::numbers(&instance["shape"]);
        let mut case = Case::of(&shape, common::counts(&instance["counts"]), common::sets(&instance["margins"]));
        case.capacity = instance["capacity"].as_array().map(|_| common::counts(&instance["capacity"]));
        trace.intervals(&mut case.solver(Limits::default()), &lanes::classes(&case));
    }
    trace.ends(0xfd71_5bc7_44ab_672f);
}

#[test]
fn sparse_tables_are_searched_as_before() {
    let mut trace = Trace::new();
    for seed in 0..8 {
        let case = sparse([4, 4, 4], 2 + seed as usize / 2, seed);
        trace.intervals(&mut case.solver(nodes(20)), &lanes::classes(&case));
    }
    trace.ends(0x5868_3625_ef45_9ee3);
}

#[test]
fn a_large_table_is_searched_as_before() {
    let mut trace = Trace::new();
    let case = sparse([12, 10, 9], 4, 1);
    let rule = DisclosureRule::new(0, 0.1, 1, Scope::Cells).unwrap();
    for detail in [AuditDetail::Status, AuditDetail::Linear] {
        let mut solver = case.solver(nodes(20));
        trace.words(&format!("{:?}", audit_in_detail(&mut solver, &rule, detail).unwrap().findings));
        trace.intervals(&mut solver, &lanes::classes(&case)[..24]);
    }
    trace.ends(0x59d4_185b_d762_eedd);
}
