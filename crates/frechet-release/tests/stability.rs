//! The search goes the way it went: its bounds, proofs and witnesses, the tables that it found and
//! the steps that it took, as one number for each kind of table.
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

/// Simplex steps: more than any of these searches takes.
const ALL_STEPS: u64 = 1 << 40;

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

    /// Of some classes at once, then of single ones; with all tables that were found on the way,
    /// and how many simplex steps it took.
    fn intervals(&mut self, solver: &mut Solver, classes: &[Class]) {
        solver.limit_all_steps(ALL_STEPS);
        solver.intervals(classes).unwrap().iter().for_each(|interval| self.interval(interval));
        for class in classes.iter().step_by(5) {
            self.interval(&solver.interval(class).unwrap());
        }
        self.way(solver);
    }

    fn way(&mut self, solver: &mut Solver) {
        self.words(&format!("{} {:?}", solver.steps_left(), solver.tables().unwrap()));
    }
}

fn pairs(axes: usize) -> Vec<Vec<usize>> {
    AttrSet::first(axes).subsets_of_size(2).map(|set| set.iter().collect()).collect()
}

/// Counts below `most`, of which many are 0, with these margins.
fn drawn(shape: &[usize], most: usize, margins: Vec<Vec<usize>>, seed: u64) -> Case {
    let mut rng = SimRng::for_trial(seed, "tables that are searched", 0);
    let counts = (0..shape.iter().product()).map(|_| below(most, &mut rng).saturating_sub(1) as u64).collect();
    Case::of(shape, counts, margins)
}

/// All classes on two attributes.
fn classes_on(case: &Case, one: usize, other: usize) -> Vec<Class> {
    let levels = (0..case.shape[one]).flat_map(|level| (0..case.shape[other]).map(move |next| [level, next]));
    levels.map(|levels| Class::new([one, other].into_iter().collect(), levels)).collect()
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
    trace.ends(0x2b8c_33d9_90d1_8720);
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
    trace.ends(0xbc2a_1e76_cb0a_e6f1);
}

#[test]
fn sparse_tables_are_searched_as_before() {
    let mut trace = Trace::new();
    for seed in 0..8 {
        let case = drawn(&[4, 4, 4], 2 + seed as usize / 2, pairs(3), seed);
        trace.intervals(&mut case.solver(nodes(20)), &lanes::classes(&case));
    }
    trace.ends(0x7aa9_fc6c_bb78_448f);
}

#[test]
fn tables_of_hundreds_are_searched_as_before() {
    let mut trace = Trace::new();
    for seed in 0..4 {
        for margins in [vec![vec![0, 1], vec![1, 2]], pairs(3), vec![vec![0, 1], vec![2]]] {
            let case = drawn(&[5, 4, 6], 300, margins, seed);
            let classes = [classes_on(&case, 0, 2), classes_on(&case, 1, 2)].concat();
            trace.intervals(&mut case.solver(nodes(20)), &classes);
        }
    }
    trace.ends(0xda4d_6b2c_5263_9b62);
}

/// An audit of every cell, with an interval that is to be wider than `width`; then some intervals.
fn audited(trace: &mut Trace, case: &Case, width: u64, detail: AuditDetail) {
    let table: Vec<i64> = case.counts.iter().map(|&count| count.cast_signed()).collect();
    let mut solver = Solver::with_table(case.knowledge(), nodes(20), &table).unwrap();
    solver.limit_all_steps(ALL_STEPS);
    let rule = DisclosureRule::new(width, 0.1, 1, Scope::Cells).unwrap();
    trace.words(&format!("{:?}", audit_in_detail(&mut solver, &rule, detail).unwrap().findings));
    trace.way(&mut solver);
    trace.intervals(&mut solver, &lanes::classes(case)[..24]);
}

#[test]
fn large_tables_are_searched_as_before() {
    use AuditDetail::{Linear, Status};
    let mut trace = Trace::new();
    for (shape, most, width, detail) in [
        (vec![12, 10, 9], 3, 0, Status),
        (vec![12, 10, 9], 3, 1, Linear),
        (vec![12, 10, 9], 2, 0, Status),
        (vec![12, 10, 9], 4, 4, Status),
        (vec![9, 2, 8, 8], 4, 2, Status),
    ] {
        audited(&mut trace, &drawn(&shape, most, pairs(shape.len()), 1), width, detail);
    }
    trace.ends(0x46ed_0a81_b83c_a825);
}

#[test]
fn tables_with_many_rows_are_searched_as_before() {
    let mut trace = Trace::new();
    audited(&mut trace, &drawn(&[16, 14, 15], 3, pairs(3), 1), 0, AuditDetail::Status);
    audited(&mut trace, &drawn(&[6, 6, 6, 5], 5, pairs(4), 1), 2, AuditDetail::Status);
    trace.ends(0xd4de_2c03_bbac_5482);
}

#[test]
fn a_linear_audit_of_four_attributes_is_searched_as_before() {
    let mut trace = Trace::new();
    audited(&mut trace, &drawn(&[6, 6, 6, 5], 3, pairs(4), 1), 1, AuditDetail::Linear);
    trace.ends(0x3c06_da2a_e57c_22fb);
}
