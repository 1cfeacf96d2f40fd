//! Exact laws of patterns on tiny tables, and brute force for what the rule promises.

use std::collections::BTreeMap;

use privacy_core::accounting::Neighbours;
use privacy_core::param::{Delta, Epsilon};
use privacy_core::{AttrSet, ContingencyTable, Domain};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

use crate::audit::classes::DisclosureTarget;
use crate::audit::rule::DisclosureRule;
use crate::engine::linear_program::Limits;
use crate::planner::action::CellStatus;
use crate::planner::private::coarsening::draw;
use crate::planner::private::complement::LargeCells;
use crate::planner::private::cost::PatternBudget;
use crate::planner::private::pattern::PrivatePattern;
use crate::planner::problem::ReleaseProblem;
use crate::table::class::Scope;
use crate::table::error::Error;
use crate::table::hierarchy::Hierarchy;
use crate::table::knowledge::Knowledge;

fn budget(epsilon: f64, delta: f64) -> PatternBudget {
    PatternBudget {
        epsilon: Epsilon::new(epsilon).unwrap(),
        delta: Delta::new(delta).unwrap(),
        neighbours: Neighbours::AddRemove,
        rows_per_person: 1,
    }
}

fn problem(shape: &[usize], margins: &[AttrSet], (kappa, tau): (u64, u64)) -> ReleaseProblem {
    let background = Knowledge::of_counts(Domain::of_cardinalities(shape).unwrap()).unwrap();
    let rule = DisclosureRule::new(tau, 0.1, kappa, Scope::All).unwrap();
    let problem = ReleaseProblem::new(background, rule, DisclosureTarget::Undisclosed, Limits::default());
    let problem = margins.iter().fold(problem, |problem, &axes| problem.request_margin(axes, 1.0).unwrap());
    problem.allow_suppression()
}

fn table(shape: &[usize], counts: &[u64]) -> ContingencyTable {
    let domain = Domain::of_cardinalities(shape).unwrap();
    ContingencyTable::from_cells(&domain, domain.all(), counts.to_vec()).unwrap()
}

/// The margins of a two-way table and the table itself.
fn lattice() -> [AttrSet; 3] {
    [AttrSet::single(0), AttrSet::single(1), AttrSet::first(2)]
}

/// What a pattern publishes: the statuses of all margins.
type Output = Vec<Vec<CellStatus>>;

fn statuses(pattern: &PrivatePattern, noisy: &[i64]) -> Output {
    let drawn = pattern.of_noisy_counts(0, noisy).unwrap();
    drawn.actions().iter().map(|action| action.statuses.clone()).collect()
}

/// Which cells each set of large cells publishes, in the order of the bits of the set.
fn outputs(pattern: &PrivatePattern, cells: usize) -> Vec<Output> {
    let least = pattern.threshold();
    let noisy = |set: usize| (0..cells).map(|cell| least - 1 + (set >> cell & 1) as i64).collect::<Vec<i64>>();
    (0..1 << cells).map(|set| statuses(pattern, &noisy(set))).collect()
}

/// The exact law of the pattern of a table: each cell is large by itself, with a tail of the
/// discrete Laplace law.
fn law(counts: &[u64], least: i64, epsilon: f64, outputs: &[Output]) -> BTreeMap<String, f64> {
    let a = (-epsilon).exp();
    // Both tails as tails: a complement of one would lose the other.
    let beyond = |steps: i64| (-epsilon * steps as f64).exp() / (1.0 + a);
    let both = |steps: i64| {
        if steps >= 1 { (beyond(steps), 1.0 - beyond(steps)) } else { (1.0 - beyond(1 - steps), beyond(1 - steps)) }
    };
    let tails: Vec<(f64, f64)> = counts.iter().map(|&count| both(least - count as i64)).collect();
    let mut law = BTreeMap::new();
    for (set, output) in outputs.iter().enumerate() {
        let own = tails.iter().enumerate().map(|(cell, tails)| if set >> cell & 1 == 1 { tails.0 } else { tails.1 });
        *law.entry(format!("{output:?}")).or_insert(0.0) += own.product::<f64>();
    }
    law
}

#[test]
fn the_likelihood_ratio_of_every_pattern_is_within_its_epsilon() {
    let shape = [2, 3];
    for epsilon in [0.5, 1.0, 2.0] {
        let pattern = PrivatePattern::new(&problem(&shape, &lattice(), (3, 0)), &budget(epsilon, 1e-3)).unwrap();
        assert!(pattern.cost().epsilon <= epsilon && pattern.cost().epsilon > 0.999_999 * epsilon);
        let outputs = outputs(&pattern, 6);
        let different = outputs.iter().map(|output| format!("{output:?}")).collect::<std::collections::BTreeSet<_>>();
        assert!(different.len() > 3, "{}", different.len());
        let (least, mut worst) = (pattern.threshold(), 0.0_f64);
        for base in [[0, 1, 2, 3, 0, 5], [9, 9, 9, 9, 9, 9], [2, 30, 7, 12, 3, 11], [14, 0, 13, 12, 15, 16]] {
            for cell in 0..6 {
                let mut more: [u64; 6] = base;
                more[cell] += 1;
                let [one, other] = [base, more].map(|counts| law(&counts, least, epsilon, &outputs));
                let total: f64 = one.values().sum();
                assert!((total - 1.0).abs() < 1e-12);
                for (output, p) in &one {
                    worst = worst.max((p.ln() - other[output].ln()).abs());
                }
            }
        }
        assert!(worst <= epsilon * (1.0 + 1e-9), "{worst} {epsilon}");
        assert!(worst > 0.5 * epsilon, "the bound is nearly attained: {worst} {epsilon}");
        // A threshold on the counts themselves tells neighbours apart for sure.
        let sure = |counts: [i64; 6]| statuses(&pattern, &counts);
        let edge = least - 1;
        assert_ne!(sure([edge, 99, 99, 99, 99, 99]), sure([edge + 1, 99, 99, 99, 99, 99]));
    }
}

#[test]
fn a_cell_below_the_floor_is_called_large_with_the_stated_probability_at_most() {
    for (epsilon, delta) in [(0.25, 1e-3), (1.0, 1e-6), (4.0, 1e-9)] {
        let pattern = PrivatePattern::new(&problem(&[3, 4], &lattice(), (5, 1)), &budget(epsilon, delta)).unwrap();
        let cost = pattern.cost();
        assert!(cost.refusal_probability * (1.0 + cost.epsilon.exp()) <= cost.delta * (1.0 + 1e-12));
        let a = (-cost.threshold_row_epsilon).exp();
        let steps = pattern.threshold() - (i64::try_from(pattern.floor()).unwrap() - 1);
        let each = |steps: i64| 12.0 * a.powi(i32::try_from(steps).unwrap()) / (1.0 + a);
        assert!(each(steps) <= cost.refusal_probability);
        assert!(each(steps - 1) > cost.refusal_probability, "no lower threshold will do");
    }
}

/// All tables with these published sums, each cell at most `most`.
fn fiber(sums: &[(Vec<usize>, u64)], cells: usize, most: u64) -> Vec<Vec<u64>> {
    let mut found = vec![Vec::new()];
    for cell in 0..cells {
        found = found
            .into_iter()
            .flat_map(|table: Vec<u64>| (0..=most).map(move |count| [table.clone(), vec![count]].concat()))
            .filter(|table: &Vec<u64>| {
                sums.iter().all(|(own, count)| {
                    let sum: u64 = own.iter().filter(|&&own| own <= cell).map(|&own| table[own]).sum();
                    let is_whole = own.iter().all(|&own| own <= cell);
                    if is_whole { sum == *count } else { sum <= *count }
                })
            })
            .collect();
    }
    found
}

#[test]
fn every_pattern_protects_every_table_whose_large_cells_are_large() {
    let (shape, floor, width) = ([2, 3], 2, 1);
    let margins = [AttrSet::EMPTY, AttrSet::single(0), AttrSet::single(1), AttrSet::first(2)];
    let cells_of = |axes: AttrSet, index: usize| -> Vec<usize> {
        let class = |cell: usize| match (axes.contains(0), axes.contains(1)) {
            (false, false) => 0,
            (true, false) => cell / 3,
            (false, true) => cell % 3,
            (true, true) => cell,
        };
        (0..6).filter(|&cell| class(cell) == index).collect()
    };
    let mut protected = 0;
    for set in 0..64_usize {
        let is_large: Vec<bool> = (0..6).map(|cell| set >> cell & 1 == 1).collect();
        let rule = LargeCells { shape: &shape, margins: &margins, is_large: &is_large, floor, width };
        let shown = rule.shown(&Limits::default()).unwrap();
        let numbers = margins.iter().zip(&shown).flat_map(|(&axes, shown)| {
            shown.iter().enumerate().map(move |(index, &shown)| (cells_of(axes, index), shown))
        });
        let numbers: Vec<(Vec<usize>, bool)> = numbers.collect();
        for extra in [[0, 0, 0, 0, 0, 0], [1, 0, 1, 0, 2, 0], [0, 1, 0, 1, 0, 0]] {
            let table: Vec<u64> = (0..6).map(|cell| extra[cell] + if is_large[cell] { floor } else { 0 }).collect();
            let count = |own: &[usize]| own.iter().map(|&cell| table[cell]).sum::<u64>();
            let published = numbers.iter().filter(|(_, shown)| *shown);
            let sums: Vec<(Vec<usize>, u64)> = published.map(|(own, _)| (own.clone(), count(own))).collect();
            assert!(sums.iter().all(|(_, count)| *count >= floor));
            let tables = fiber(&sums, 6, 6);
            for (own, _) in numbers.iter().filter(|(_, shown)| !shown) {
                let values = tables.iter().map(|table| own.iter().map(|&cell| table[cell]).sum::<u64>());
                let (least, most) = values.fold((u64::MAX, 0), |(a, b), own| (a.min(own), b.max(own)));
                assert!(most - least > width, "{set:06b} {extra:?} {own:?} {least} {most}");
                protected += usize::from(!sums.is_empty());
            }
        }
    }
    assert!(protected > 300, "patterns that publish something: {protected}");
}

#[test]
fn the_rule_sees_which_cells_are_large_and_nothing_else() {
    let shape = [3, 3];
    let pattern = PrivatePattern::new(&problem(&shape, &lattice(), (3, 0)), &budget(1.0, 1e-6)).unwrap();
    let least = pattern.threshold();
    let one = [least, least + 900, least + 3, 0, least, least, least + 7, least, least];
    let other = [least + 50, least, least, least - 1, least + 2, least, least, least, least + 400];
    assert_eq!(statuses(&pattern, &one), statuses(&pattern, &other));
    let shown = statuses(&pattern, &one);
    assert!(shown[0].iter().chain(&shown[1]).all(|&status| status == CellStatus::Exact));
    assert_eq!(shown[2].iter().filter(|&&status| status == CellStatus::Suppressed).count(), 4, "one block");
}

#[test]
fn scores_are_drawn_by_the_exponential_mechanism() {
    let mut rng = ChaCha20Rng::from_seed([5; 32]);
    let (scores, epsilon, draws) = ([4, 0, 3, -2], 1.5, 40_000);
    let mut seen = [0_f64; 4];
    (0..draws).for_each(|_| seen[draw(&scores, epsilon, 2, &mut rng).unwrap()] += 1.0);
    let weights = scores.map(|score| (epsilon * f64::from(score as i32) / 4.0).exp());
    let total: f64 = weights.iter().sum();
    for (seen, weight) in seen.iter().zip(weights) {
        let (mean, share) = (f64::from(draws) * weight / total, weight / total);
        // Six and a half standard deviations: four times 8e-11.
        assert!((seen - mean).abs() < 6.5 * (mean * (1.0 - share)).sqrt(), "{seen} {mean}");
    }
}

#[test]
fn a_hierarchy_offers_coarsenings_and_a_release_publishes_in_groups() {
    let shape = [4, 2];
    let problem = problem(&shape, &lattice(), (3, 0));
    let attribute = problem.background.domain().attributes()[0].clone();
    let labels = attribute.labels();
    let hrc = format!("low\n@{}\n@{}\nhigh\n@{}\n@{}\n", &labels[0], &labels[1], &labels[2], &labels[3]);
    let problem = problem.with_hierarchy(0, Hierarchy::from_hrc(&hrc, &attribute).unwrap()).unwrap();
    let pattern = PrivatePattern::new(&problem, &budget(4.0, 1e-6)).unwrap();
    assert_eq!(pattern.coarsenings(), 2);
    assert!(pattern.cost().coarsening_row_epsilon > 0.0 && pattern.cost().epsilon <= 4.0);
    // Single levels have too few people, pairs of them enough.
    let counts = table(&shape, &[8, 7, 8, 9, 7, 9, 8, 8]);
    let mut rng = ChaCha20Rng::from_seed([9; 32]);
    let coarse = (0..40)
        .filter(|_| {
            let drawn = pattern.draw(&counts, &mut rng).unwrap();
            drawn.actions()[0].margin.as_ref().is_some_and(|margin| margin.cells() == 2)
        })
        .count();
    assert!(coarse > 25, "{coarse} of 40");
}

#[test]
fn a_release_of_large_counts_leaves_and_a_failed_threshold_is_refused() {
    let shape = [2, 2];
    let pattern = PrivatePattern::new(&problem(&shape, &lattice(), (3, 0)), &budget(1.0, 1e-6)).unwrap();
    let mut rng = ChaCha20Rng::from_seed([3; 32]);
    let counts = table(&shape, &[90, 80, 70, 95]);
    let published = pattern.draw(&counts, &mut rng).unwrap().release(&counts).unwrap();
    let values = published.margins.iter().flat_map(|margin| margin.cells.iter().map(|cell| cell.value));
    assert!(values.eq([170, 165, 160, 175, 90, 80, 70, 95].map(Some)));
    // Noise that called every cell large, which has the probability of a refusal at most.
    let small = table(&shape, &[1, 80, 70, 95]);
    let all = pattern.of_noisy_counts(0, &[pattern.threshold(); 4]).unwrap();
    assert!(matches!(all.release(&small), Err(Error::TargetMissed { .. })));
}

#[test]
fn a_threshold_that_failed_for_a_cell_that_stays_protected_is_no_refusal() {
    let shape = [2, 2];
    let only = [AttrSet::first(2)];
    let pattern = PrivatePattern::new(&problem(&shape, &only, (3, 0)), &budget(1.0, 1e-6)).unwrap();
    // Whether it leaves is a function of what leaves: an exact 0 violates no rule of the audit.
    let counts = table(&shape, &[0, 80, 70, 95]);
    let all = pattern.of_noisy_counts(0, &[pattern.threshold(); 4]).unwrap();
    assert!(all.release(&counts).is_ok());
}

#[test]
fn what_is_public_beforehand_and_noise_are_refused() {
    let shape = [2, 2];
    let mut background = Knowledge::of_counts(Domain::of_cardinalities(&shape).unwrap()).unwrap();
    background.publish_count("total", &crate::table::class::Region::everything(), 9).unwrap();
    let rule = DisclosureRule::new(0, 0.1, 3, Scope::All).unwrap();
    let known = ReleaseProblem::new(background, rule, DisclosureTarget::Undisclosed, Limits::default());
    assert_eq!(PrivatePattern::new(&known, &budget(1.0, 1e-6)).err(), Some(Error::PatternBackground));
    let people =
        Knowledge::with_population(Domain::of_cardinalities(&shape).unwrap(), &table(&shape, &[9; 4])).unwrap();
    let public = ReleaseProblem::new(people, rule, DisclosureTarget::Undisclosed, Limits::default());
    assert_eq!(PrivatePattern::new(&public, &budget(1.0, 1e-6)).err(), Some(Error::PatternBackground));
}

#[test]
fn a_person_with_several_rows_who_is_replaced_costs_the_same_with_more_noise() {
    let problem = problem(&[2, 2], &lattice(), (3, 0));
    let several = PatternBudget { neighbours: Neighbours::Replace, rows_per_person: 3, ..budget(1.0, 1e-6) };
    let [one, six] = [budget(1.0, 1e-6), several].map(|budget| PrivatePattern::new(&problem, &budget).unwrap());
    assert!((one.cost().rho - 0.5).abs() < 1e-6 && (six.cost().rho - 0.5).abs() < 1e-6);
    assert!((6.0 * six.cost().threshold_row_epsilon - 1.0).abs() < 1e-6);
    assert!(six.threshold() > 5 * one.threshold());
}
