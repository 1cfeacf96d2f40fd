//! Laws of bounds, on small random tables, against brute force.

use crate::common::{Case, strides};
use frechet_release::{
    Class, CountInterval, CountRange, DisclosureStatus, EnumerationLimits, Flaw, Knowledge, Limits, Method,
    Multipliers, Node, Proof, Region, Side, Solver, audit, count_tables, verify,
};
use frechet_release::{DisclosureRule, EntropyOptions, MaxEntropy, Scope};
use privacy_core::AttrSet;
use proptest::prelude::*;

fn fit(knowledge: &Knowledge, tolerance: f64, max_sweeps: u32) -> MaxEntropy {
    let options = EntropyOptions { tolerance, max_sweeps, ..EntropyOptions::default() };
    MaxEntropy::fit(knowledge, &options).unwrap()
}

/// A table of at most 18 cells, some of its margins, and perhaps its people.
fn case() -> impl Strategy<Value = Case> {
    let shape =
        prop::sample::select(vec![vec![2, 2], vec![2, 3], vec![3, 3], vec![2, 2, 2], vec![2, 2, 3], vec![2, 3, 2]]);
    shape.prop_flat_map(|shape: Vec<usize>| {
        let cells: usize = shape.iter().product();
        let subsets = 1_usize << shape.len();
        let margins = prop::collection::btree_set(0..subsets - 1, 1..4);
        let counts = prop::collection::vec(0_u64..3, cells);
        let spare = prop::option::of(prop::collection::vec(0_u64..3, cells));
        (Just(shape), counts, margins, spare).prop_map(|(shape, mut counts, margins, spare)| {
            // Seven people at most, so that every table can be listed.
            let mut left = 7;
            for count in &mut counts {
                *count = (*count).min(left);
                left -= *count;
            }
            let sets = margins.into_iter().map(|m| (0..shape.len()).filter(|axis| m >> axis & 1 == 1).collect());
            let capacity = spare.map(|spare| counts.iter().zip(spare).map(|(c, s)| c + s).collect());
            Case { margins: sets.collect(), shape, counts, capacity }
        })
    })
}

/// The same, always with people.
fn electorate() -> impl Strategy<Value = Case> {
    case().prop_map(|case| {
        let people = case.capacity.clone().unwrap_or_else(|| case.counts.iter().map(|count| count + 1).collect());
        case.with_people(people)
    })
}

fn classes(shape: &[usize]) -> Vec<Class> {
    let mut classes = Vec::new();
    for axes in AttrSet::first(shape.len()).subsets() {
        let mut levels: Vec<Vec<usize>> = vec![vec![]];
        for axis in axes.iter() {
            levels = levels.iter().flat_map(|l| (0..shape[axis]).map(move |v| [l.as_slice(), &[v]].concat())).collect();
        }
        classes.extend(levels.into_iter().map(|levels| Class { axes, levels }));
    }
    classes
}

fn cells_of(shape: &[usize], class: &Class) -> Vec<u32> {
    let strides = strides(shape);
    let holds = |cell: &usize| {
        class.axes.iter().zip(&class.levels).all(|(axis, &level)| cell / strides[axis] % shape[axis] == level)
    };
    (0..shape.iter().product()).filter(holds).map(|cell| u32::try_from(cell).unwrap()).collect()
}

const SIXTY: u64 = 60;

/// The case in sixtieths of a person: bounds of whole numbers are then those of real numbers, at
/// least where the corners of the polytope are fractions over a divisor of 60.
fn in_sixtieths(case: &Case) -> Case {
    let finer = |counts: &[u64]| counts.iter().map(|count| SIXTY * count).collect::<Vec<_>>();
    Case { counts: finer(&case.counts), capacity: case.capacity.as_deref().map(finer), ..case.clone() }
}

fn ends(interval: &CountInterval) -> (i64, i64) {
    (interval.lower.value, interval.upper.value)
}

fn all_ends(knowledge: Knowledge, shape: &[usize]) -> Vec<(i64, i64)> {
    let mut solver = Solver::new(knowledge, Limits::default()).unwrap();
    classes(shape).iter().map(|class| ends(&solver.interval(class).unwrap())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    /// Ends that are asked for without their proofs are those with proofs.
    #[test]
    fn ranges_are_the_ends_of_intervals(case in case()) {
        let classes = classes(&case.shape);
        let intervals = case.solver(Limits::default()).intervals(&classes).unwrap();
        let ranges = case.solver(Limits::default()).ranges(&classes).unwrap();
        let expected: Vec<CountRange> = intervals.iter().map(CountRange::from).collect();
        prop_assert_eq!(ranges, expected);
    }

    /// Groups of levels, as margins in groups publish them.
    #[test]
    fn regions_have_the_range_over_the_fiber(case in case(), masks in prop::collection::vec(1_usize..8, 3)) {
        let chosen: Vec<Vec<usize>> =
            case.shape.iter().zip(&masks).map(|(&size, mask)| (0..size).filter(|level| mask >> level & 1 == 1).collect()).collect();
        let region = chosen.iter().enumerate().fold(Region::everything(), |r, (axis, levels)| r.with(axis, levels.clone()));
        let strides = strides(&case.shape);
        let holds = |cell: &usize| (0..case.shape.len()).all(|axis| chosen[axis].contains(&(cell / strides[axis] % case.shape[axis])));
        let cells: Vec<u32> = (0..case.counts.len()).filter(holds).map(|cell| u32::try_from(cell).unwrap()).collect();
        let fiber = case.fiber();
        let sums = || fiber.iter().map(|t| cells.iter().map(|&c| t[c as usize]).sum::<u64>());
        let mut solver = case.solver(Limits::default());
        let interval = solver.region(&region).unwrap();
        prop_assert!(interval.is_sharp());
        prop_assert_eq!(ends(&interval), (sums().min().unwrap() as i64, sums().max().unwrap() as i64));
        let system = solver.knowledge().system();
        prop_assert_eq!(verify(system, &cells, Side::Lower, &interval.lower), Ok(()));
        prop_assert_eq!(verify(system, &cells, Side::Upper, &interval.upper), Ok(()));
    }

    /// Whatever method was taken, and for every class: the range over all tables, listed one by
    /// one.
    #[test]
    fn bounds_are_the_range_over_the_fiber(case in case()) {
        let fiber = case.fiber();
        let system = case.knowledge().system().clone();
        let mut solver = case.solver(Limits::default());
        for class in classes(&case.shape) {
            let cells = cells_of(&case.shape, &class);
            let sums = || fiber.iter().map(|t| cells.iter().map(|&c| t[c as usize]).sum::<u64>());
            let range = (sums().min().unwrap() as i64, sums().max().unwrap() as i64);
            let interval = solver.interval(&class).unwrap();
            prop_assert!(interval.is_sharp());
            prop_assert_eq!(ends(&interval), range, "{:?} by {:?}", class, interval.method);
            for (side, bound) in [(Side::Lower, &interval.lower), (Side::Upper, &interval.upper)] {
                prop_assert_eq!(verify(&system, &cells, side, bound), Ok(()));
                prop_assert!(side.sign() * bound.relaxed.numerator >= side.sign() * bound.value * bound.relaxed.denominator);
            }
        }
        prop_assert_eq!(count_tables(&case.knowledge(), &EnumerationLimits::tables(1 << 20)).unwrap(), fiber.len() as u64);
    }

    /// The same knowledge with a row that says nothing goes through the general engine.
    #[test]
    fn closed_forms_are_what_the_general_engine_finds(case in case()) {
        let mut general = case.knowledge();
        general.publish_range("nothing new", &Region::everything(), 0, 1 << 40).unwrap();
        prop_assert_eq!(all_ends(case.knowledge(), &case.shape), all_ends(general, &case.shape));
    }

    /// The same on more axes, where margins fall apart in more ways; certificates included.
    #[test]
    fn splits_of_five_axes_are_what_the_general_engine_finds(
        counts in prop::collection::vec(0_u64..5, 32), margins in prop::collection::btree_set(1_usize..31, 1..5),
    ) {
        let sets = margins.into_iter().map(|m| (0..5).filter(|axis| m >> axis & 1 == 1).collect()).collect();
        let case = Case::of(&[2; 5], counts, sets);
        let system = case.knowledge().system().clone();
        let mut general = case.knowledge();
        general.publish_range("nothing new", &Region::everything(), 0, 1 << 40).unwrap();
        let mut general = Solver::new(general, Limits::default()).unwrap();
        let mut solver = case.solver(Limits::default());
        for class in classes(&case.shape) {
            let (here, there) = (solver.interval(&class).unwrap(), general.interval(&class).unwrap());
            prop_assert_eq!(ends(&here), ends(&there), "{:?} by {:?}", class, here.method);
            prop_assert!(here.is_sharp() && there.is_sharp());
            let cells = cells_of(&case.shape, &class);
            prop_assert_eq!(verify(&system, &cells, Side::Lower, &here.lower), Ok(()), "{:?}", here.method);
            prop_assert_eq!(verify(&system, &cells, Side::Upper, &here.upper), Ok(()), "{:?}", here.method);
        }
    }

    #[test]
    fn another_row_never_widens(case in case(), place: prop::sample::Index, slack in 0_u64..2) {
        let before = all_ends(case.knowledge(), &case.shape);
        let all = classes(&case.shape);
        let class = &all[place.index(all.len())];
        let count: u64 = cells_of(&case.shape, class).iter().map(|&cell| case.counts[cell as usize]).sum();
        let mut knowledge = case.knowledge();
        knowledge.publish_range("more", &Region::from(class), count.saturating_sub(slack), count + slack).unwrap();
        for (old, new) in before.iter().zip(all_ends(knowledge, &case.shape)) {
            prop_assert!(old.0 <= new.0 && new.1 <= old.1);
        }
    }

    #[test]
    fn capacities_never_widen(case in electorate()) {
        let without = Case { capacity: None, ..case.clone() };
        for (old, new) in all_ends(without.knowledge(), &case.shape).iter().zip(all_ends(case.knowledge(), &case.shape)) {
            prop_assert!(old.0 <= new.0 && new.1 <= old.1);
        }
    }

    /// Those who did not vote A are as well or as badly protected as those who did.
    #[test]
    fn the_other_side_has_the_mirrored_bounds(case in electorate()) {
        let people = case.capacity.clone().unwrap();
        let others = people.iter().zip(&case.counts).map(|(n, t)| n - t).collect();
        let mirrored = Case { counts: others, ..case.clone() };
        let here = all_ends(case.knowledge(), &case.shape);
        let there = all_ends(mirrored.knowledge(), &case.shape);
        for ((class, here), there) in classes(&case.shape).iter().zip(here).zip(there) {
            let n: u64 = cells_of(&case.shape, class).iter().map(|&cell| people[cell as usize]).sum();
            prop_assert_eq!((n as i64 - here.1, n as i64 - here.0), there);
        }
    }

    /// Reversing the levels of every axis reverses the cells.
    #[test]
    fn names_of_levels_do_not_matter(case in case()) {
        let reverse = |values: &Vec<u64>| values.iter().rev().copied().collect::<Vec<u64>>();
        let turned = Case { counts: reverse(&case.counts), capacity: case.capacity.as_ref().map(reverse), ..case.clone() };
        let mut cells: Vec<(i64, i64)> = case.solver(Limits::default()).cells().unwrap().iter().map(ends).collect();
        cells.reverse();
        let turned: Vec<(i64, i64)> = turned.solver(Limits::default()).cells().unwrap().iter().map(ends).collect();
        prop_assert_eq!(cells, turned);
    }

    /// One unit off in the claim, in a multiplier of a binding row, or in the witness: rejected.
    #[test]
    fn corrupted_certificates_are_rejected(case in case(), place: prop::sample::Index) {
        let system = case.knowledge().system().clone();
        let intervals = case.solver(Limits::default()).cells().unwrap();
        let cell = place.index(intervals.len());
        let cells = [u32::try_from(cell).unwrap()];
        for (side, bound) in [(Side::Lower, &intervals[cell].lower), (Side::Upper, &intervals[cell].upper)] {
            let mut claimed = bound.clone();
            claimed.value -= side.sign();
            prop_assert_eq!(verify(&system, &cells, side, &claimed), Err(Flaw::Value), "a bound below what is attained");
            let mut witness = bound.clone();
            witness.witness.value += 1;
            prop_assert!(verify(&system, &cells, side, &witness).is_err());
            let mut denominator = bound.clone();
            if let [Node::Bound(multipliers)] = denominator.proof.nodes.as_mut_slice() {
                multipliers.denominator = 0;
                prop_assert_eq!(verify(&system, &cells, side, &denominator), Err(Flaw::Malformed));
            }
            // A proof of nothing proves nothing, except where the box of the cell is the bound.
            let mut empty = bound.clone();
            empty.proof = Proof::by_rows(Multipliers::integral(vec![]));
            let at_box = bound.value == if side == Side::Lower { 0 } else { system.capacity()[cell] };
            prop_assert_eq!(verify(&system, &cells, side, &empty).is_ok(), at_box);
        }
    }

    /// Certified means: in every table of the fiber the rate is within the policy's.
    #[test]
    fn certified_classes_keep_their_rates_in_every_table(case in electorate(), tenths in 1_u32..5) {
        let (fiber, people) = (case.fiber(), case.capacity.clone().unwrap());
        let beta = f64::from(tenths) / 10.0;
        let report = audit(&mut case.solver(Limits::default()), &DisclosureRule::new(0, beta, 2, Scope::All).unwrap()).unwrap();
        for finding in &report.findings {
            let class = Class { axes: finding.axes.iter().copied().collect(), levels: finding.levels.clone() };
            let cells = cells_of(&case.shape, &class);
            let n: u64 = cells.iter().map(|&c| people[c as usize]).sum();
            let rates: Vec<f64> = fiber.iter().map(|t| cells.iter().map(|&c| t[c as usize]).sum::<u64>() as f64 / n as f64).collect();
            let within = |rate: &f64| *rate >= beta && 1.0 - rate >= beta - 1e-12;
            if finding.status == DisclosureStatus::Certified {
                prop_assert!(n >= 2 && rates.iter().all(within));
            }
            if finding.unanimity.is_some() {
                prop_assert!(rates.iter().all(|&rate| rate < beta + 1e-12) || rates.iter().all(|&rate| 1.0 - rate < beta + 1e-12));
            }
            prop_assert!(finding.status != DisclosureStatus::Unknown);
        }
    }

    #[test]
    fn the_maximum_entropy_attacker_stays_within_the_bounds_of_tables_of_real_numbers(case in case()) {
        let fit = fit(&case.knowledge(), 1e-9, 20_000);
        let mut solver = in_sixtieths(&case).solver(Limits::default());
        for class in classes(&case.shape) {
            let (lower, upper) = ends(&solver.interval(&class).unwrap());
            let mean = SIXTY as f64 * fit.mean(&class).unwrap();
            // Fits at the edge of the fiber converge slowly; the miss of a row is at most the
            // residual.
            let slack = SIXTY as f64 * (1e-6 + 200.0 * fit.residual());
            prop_assert!(mean >= lower as f64 - slack && mean <= upper as f64 + slack, "{mean} in {lower}..{upper}");
        }
    }
}

/// People of five kinds, one each, and the three margins of a kind: one table of whole numbers, and
/// many of real ones. The attacker does not know that people are whole, so an audit puts the mean
/// back between the bounds.
#[test]
fn the_maximum_entropy_attacker_leaves_the_bounds_where_people_are_whole() {
    let case = Case::axial(&[2, 2, 2], vec![0, 0, 0, 1, 1, 0, 0, 0]).with_people(vec![0, 1, 1, 1, 1, 0, 0, 1]);
    let (fit, mut solver) = (fit(&case.knowledge(), 1e-9, 20_000), case.solver(Limits::default()));
    assert!(fit.residual() <= 1e-9);
    let class = Class { axes: AttrSet::first(3), levels: vec![1, 1, 1] };
    let interval = solver.interval(&class).unwrap();
    assert_eq!(ends(&interval), (0, 0));
    assert!(fit.mean(&class).unwrap() > 0.3);
}

/// The cycle 0-3-4-1 is prime; the sums over its edge {0, 1} are known from a margin of the other
/// side alone.
#[test]
fn a_part_knows_the_sums_of_margins_that_reach_beyond_it() {
    let counts: Vec<u64> = (0..32).map(|cell| cell * cell % 7 % 4).collect();
    let case = Case::of(&[2; 5], counts, vec![vec![0, 1, 2], vec![0, 3], vec![3, 4], vec![1, 4]]);
    let mut general = case.knowledge();
    general.publish_range("nothing new", &Region::everything(), 0, 1 << 40).unwrap();
    let mut general = Solver::new(general, Limits::default()).unwrap();
    let mut solver = case.solver(Limits::default());
    let mut reducible = 0;
    for class in classes(&case.shape) {
        let (here, there) = (solver.interval(&class).unwrap(), general.interval(&class).unwrap());
        assert_eq!(ends(&here), ends(&there), "{class:?} by {:?}", here.method);
        reducible += usize::from(here.method == Method::Reducible);
    }
    assert!(reducible >= 32);
}
