//! Profiles against exact numbers: a cost is on its side of what the integers of the table say, by
//! hardly more than its roundings and slacks.

use privacy_core::param::StdDev;
use privacy_core::rng::SimRng;

use super::*;
use crate::law::tests::exact::{Exact, all_draws, draws, size};
use crate::law::{ClampedNormal, Elm};

fn groups(k: u32) -> NonZeroU32 {
    NonZeroU32::new(k).unwrap()
}

fn selection(k: u32) -> OptimalSelection {
    OptimalSelection::new(Epsilon::new(1.0).unwrap(), Delta::new(1e-5).unwrap(), groups(k), 2).unwrap()
}

fn tables() -> [ThresholdTable; 4] {
    let sd = StdDev::new(1.5).unwrap();
    [
        ThresholdTable::new(ClampedNormal::new(8.0, sd, 2.0).unwrap()),
        ThresholdTable::new(Elm::new(3, 1.0, sd).unwrap()),
        ThresholdTable::new(selection(1)),
        ThresholdTable::new(selection(4)),
    ]
}

/// Both sides of (8), for every size: what may be more, and what it is compared with.
fn integer_pairs(table: &ThresholdTable) -> Vec<(u128, u128)> {
    let all = 1_u128 << 64;
    let reporting = |n: usize| table.cutoffs().get(n).map_or(all, |&cutoff| u128::from(cutoff));
    let pairs = (0..table.cutoffs().len()).map(|n| (reporting(n), reporting(n + 1)));
    pairs.flat_map(|(fewer, more)| [(more, fewer), (all - fewer, all - more)]).collect()
}

/// (9) for `e^epsilon`.
fn delta_exactly(table: &ThresholdTable, factor: &Exact) -> Exact {
    let excess = integer_pairs(table).into_iter().map(|(here, there)| {
        let allowed = factor * &Exact::from(there);
        &Exact::from(here) - &allowed
    });
    &excess.max().unwrap() / &all_draws()
}

/// Epsilons of one decision, of all sizes.
fn epsilons(seed: u64, number: usize) -> Vec<f64> {
    let mut rng = SimRng::for_trial(seed, "profiles", 0);
    (0..number).map(|_| size(&mut rng, (-9.0, 2.0))).collect()
}

#[test]
fn delta_of_one_group_is_at_least_the_exact_one_and_hardly_more() {
    for table in tables() {
        let profile = table.release_profile(groups(1));
        for epsilon in epsilons(1, 100) {
            let found = profile.delta_of_one(epsilon);
            let exact = delta_exactly(&table, &Exact::from(epsilon).exp());
            // The room of the exponential does not hide the roundings behind it.
            assert!(Exact::from(found) >= delta_exactly(&table, &Exact::from(exp_down(epsilon))), "{epsilon}: {found}");
            // The roundings of two numbers of at most all draws, the factor among them.
            let room = 6.0 * f64::EPSILON * epsilon.exp();
            assert!(Exact::from(found) >= exact, "{epsilon}: {found}");
            assert!(found - exact.near() <= room, "{epsilon}: {found} for {}", exact.near());
        }
    }
}

/// Under a law of a large epsilon, what a small one allows is far below what there is: the
/// difference of the two has more digits than a number.
#[test]
fn differences_of_unequal_numbers_of_draws_are_rounded_up() {
    let law = OptimalSelection::new(Epsilon::new(4.0).unwrap(), Delta::new(1e-5).unwrap(), groups(1), 2);
    let table = ThresholdTable::new(law.unwrap());
    for epsilon in epsilons(9, 100) {
        let found = table.release_profile(groups(1)).delta_of_one(epsilon);
        assert!(Exact::from(found) >= delta_exactly(&table, &Exact::from(exp_down(epsilon))), "{epsilon}: {found}");
    }
}

#[test]
fn delta_of_several_groups_is_that_many_times_the_delta_of_their_part_of_epsilon() {
    let mut rng = SimRng::for_trial(2, "profiles", 0);
    for table in tables() {
        for epsilon in epsilons(3, 50) {
            let k = size(&mut rng, (0.0, 6.0)) as u32;
            let part = (&Exact::from(epsilon) / &Exact::from(u128::from(k))).below();
            let profile = table.release_profile(groups(k));
            let all = &Exact::from(u128::from(k)) * &Exact::from(profile.delta_of_one(part));
            assert_eq!(profile.basic_delta(Epsilon::new(epsilon).unwrap()), all.above(), "{epsilon} {k}");
            assert!(profile.delta(Epsilon::new(epsilon).unwrap()) <= all.above());
        }
    }
}

#[test]
fn a_number_takes_its_epsilon_from_that_of_the_line() {
    let mut rng = SimRng::for_trial(4, "profiles", 0);
    for table in tables() {
        let profile = table.release_profile(groups(1));
        for _ in 0..50 {
            let epsilon = size(&mut rng, (-1.0, 1.0));
            let number = epsilon * size(&mut rng, (-6.0, -0.5));
            let rest = (&Exact::from(epsilon) - &Exact::from(number)).below();
            let found = profile.beside_number(number).delta(Epsilon::new(epsilon).unwrap());
            assert_eq!(found, profile.delta_of_one(rest), "{epsilon} {number}");
        }
        let one = Epsilon::new(1.0).unwrap();
        assert_eq!(profile.beside_number(1.0).delta(one), profile.delta_of_one(0.0));
        assert_eq!(profile.beside_number(1.01).delta(one), 1.0);
    }
}

#[test]
fn the_least_delta_is_that_of_decisions_that_are_proofs() {
    for table in tables() {
        let proofs = integer_pairs(&table).into_iter().filter(|&(_, there)| there == 0).map(|(here, _)| here);
        let most = Exact::from(proofs.max().unwrap());
        for k in [1_u32, 3, 7] {
            let exact = &(&Exact::from(u128::from(k)) * &most) / &all_draws();
            let found = table.release_profile(groups(k)).least_delta();
            assert!(Exact::from(found) >= exact && found <= exact.near() * (1.0 + 3.0 * f64::EPSILON), "{k}: {found}");
        }
    }
}

/// Whether (8) holds at an epsilon, for a delta in draws.
fn holds(pairs: &[(u128, u128)], epsilon: &Exact, delta: &Exact) -> bool {
    let factor = epsilon.exp();
    pairs.iter().all(|&(here, there)| Exact::from(here) <= &(&factor * &Exact::from(there)) + delta)
}

#[test]
fn epsilon_of_one_group_holds_and_the_next_smaller_ones_do_not() {
    let mut rng = SimRng::for_trial(5, "profiles", 0);
    for table in tables() {
        let pairs = integer_pairs(&table);
        let profile = table.release_profile(groups(1));
        for _ in 0..30 {
            let delta = size(&mut rng, (-17.0, -0.5));
            let spared = &Exact::from(delta) * &all_draws();
            let Some(found) = profile.epsilon(Delta::new(delta).unwrap()) else {
                assert!(delta < profile.least_delta());
                continue;
            };
            assert!(holds(&pairs, &Exact::from(found), &spared), "{delta}: {found}");
            let less = found * (1.0 - 2e-15) - 1e-15;
            assert!(found == 0.0 || !holds(&pairs, &Exact::from(less), &spared), "{delta}: {found}");
        }
        assert_eq!(profile.epsilon(Delta::new(0.9 * profile.least_delta()).unwrap()), None);
    }
}

/// `k (e + n)` for the epsilon `e` of one decision at this part of delta, with rounded steps.
fn basic_epsilon(table: &ThresholdTable, k: u32, number: f64, delta: f64) -> f64 {
    let k = Exact::from(u128::from(k));
    let part = Delta::new((&Exact::from(delta) / &k).below()).unwrap();
    let line = &Exact::from(table.release_profile(groups(1)).epsilon(part).unwrap()) + &Exact::from(number);
    (&k * &Exact::from(line.above())).above()
}

/// Whether the epsilon of several groups is that of basic composition; else it is the least that
/// holds, as far as halving 40 times finds it.
fn is_basic(table: &ThresholdTable, k: u32, number: f64, delta: Delta) -> bool {
    let profile = table.release_profile(groups(k)).beside_number(number);
    let found = profile.epsilon(delta).unwrap();
    let most = basic_epsilon(table, k, number, delta.get());
    // What is found by halving is less by 2^-40 of it at least.
    if found >= most * (1.0 - 4e-13) {
        assert_eq!(found, most, "{k} {number} {delta:?}");
        return true;
    }
    assert!(profile.delta(Epsilon::new(found).unwrap()) <= delta.get(), "{k} {number} {delta:?}: {found}");
    if let Ok(less) = Epsilon::new(found - 2e-12 * most) {
        assert!(profile.delta(less) > delta.get(), "{k} {number} {delta:?}: {found} is not the least");
    }
    false
}

#[test]
fn epsilon_of_several_groups_is_that_of_basic_composition_or_the_least_that_holds() {
    let (mut rng, mut basic) = (SimRng::for_trial(8, "profiles", 0), 0);
    for round in 0..15 {
        for table in tables() {
            let k = size(&mut rng, (1.0, 3.0)) as u32;
            let number = if round % 3 == 0 { 0.0 } else { size(&mut rng, (-4.0, 2.0)) };
            let least = table.release_profile(groups(k)).least_delta();
            let delta = Delta::new((least * size(&mut rng, (0.01, 12.0))).min(0.9)).unwrap();
            basic += u32::from(is_basic(&table, k, number, delta));
        }
    }
    assert!((10..50).contains(&basic), "{basic} of 60");
}

/// A part of delta that is nearly as large as what it is subtracted from: its last place is seen in
/// the epsilon of basic composition, and in those that halving finds below it.
#[test]
fn the_part_of_delta_of_one_of_several_groups_is_rounded_down() {
    let mut rng = SimRng::for_trial(10, "profiles", 0);
    let table = ThresholdTable::new(ClampedNormal::new(5.0, StdDev::new(0.6).unwrap(), 2.0).unwrap());
    let profile = table.release_profile(groups(3));
    for _ in 0..12 {
        let delta = 0.3 + 0.65 * size(&mut rng, (-10.0, 0.0));
        let (mut low, mut high) = (0.0, basic_epsilon(&table, 3, 0.0, delta));
        for _ in 0..40 {
            let middle = f64::midpoint(low, high);
            let holds = profile.delta(Epsilon::new(middle).unwrap()) <= delta;
            *(if holds { &mut high } else { &mut low }) = middle;
        }
        assert_eq!(profile.epsilon(Delta::new(delta).unwrap()), Some(high), "{delta}");
    }
}

/// The least epsilon of pairs that differ by little, where a last bit counts.
#[test]
fn epsilon_of_a_pair_is_rounded_up() {
    let mut rng = SimRng::for_trial(6, "profiles", 0);
    for _ in 0..400 {
        let there = size(&mut rng, (20.0, 63.0));
        let delta = there * size(&mut rng, (-8.0, 1.0));
        let here = there * (1.0 + size(&mut rng, (-20.0, -3.0))) + delta;
        let found = Pair { here, there }.epsilon(delta).unwrap();
        let excess = &Exact::from(here) - &Exact::from(delta);
        let reached = &Exact::from(found).exp() * &Exact::from(there);
        assert!(reached >= excess, "{here} {there} {delta}: {found}");
        let room = f64::EPSILON * (2.0 + here / there);
        assert!((&reached - &excess).near() <= room * there, "{here} {there} {delta}: {found}");
        // Each step again, rounded by comparing integers.
        let ratio = (&Exact::from(excess.above()) / &Exact::from(there)).above();
        assert_eq!(found, libm::log(ratio).next_up().next_up(), "{here} {there} {delta}");
    }
    let within = Pair { here: 5.0, there: 0.0 };
    assert_eq!((within.epsilon(5.0), within.epsilon(4.0)), (Some(0.0), None));
}

/// (16) for one size.
fn mu_exactly(fewer: u64, more: u64, each: f64) -> Exact {
    let spared = &Exact::from(each) * &all_draws();
    let whole = &all_draws() - &spared;
    let to = &(&Exact::from(u128::from(more)) - &spared) / &whole;
    let from = &Exact::from(u128::from(fewer)) / &whole;
    &to.quantile() - &from.quantile()
}

#[test]
fn the_mu_of_two_sizes_is_at_least_the_exact_one() {
    let (mut rng, mut compared) = (SimRng::for_trial(7, "profiles", 0), 0);
    for _ in 0..300 {
        let (mut fewer, mut more) = (draws(&mut rng), draws(&mut rng));
        if fewer > more {
            (fewer, more) = (more, fewer);
        }
        let each = size(&mut rng, (-70.0, -4.0));
        let found = mu_between(fewer.into(), more.into(), each).unwrap();
        let spared = each * DRAWS;
        if more as f64 <= spared || (ALL_DRAWS - u128::from(fewer)) as f64 <= spared {
            assert_eq!(found, 0.0);
            continue;
        }
        let exact = mu_exactly(fewer, more, each);
        // Tails of few draws, of which some are spared, are as exact as the number that is left.
        assert!(Exact::from(found) >= exact, "{fewer} {more} {each}: {found} for {}", exact.near());
        assert!(found <= exact.near().max(0.0) * (1.0 + 1.1e-9) + 1.1e-10, "{fewer} {more} {each}: {found}");
        compared += 1;
    }
    assert!(compared > 150, "{compared}");
    let (quarter, all) = (1_u128 << 62, ALL_DRAWS);
    assert_eq!((mu_between(0, quarter, 0.25), mu_between(0, quarter + (1 << 40), 0.25)), (Some(0.0), None));
    assert_eq!((mu_between(all - quarter, all, 0.25), mu_between(quarter, all, 0.25)), (Some(0.0), None));
}

#[test]
fn shares_are_the_laws_own_and_a_grid() {
    let basic = selection(4).with_share(selection(4).basic_share().unwrap()).unwrap();
    for (law, number) in [(selection(1), 0.0), (selection(4), 0.03), (basic, 0.03)] {
        let table = ThresholdTable::new(law);
        let profile = table.release_profile(groups(4)).beside_number(number);
        let (mut pure, mut curves) = (profile.pure_shares(Epsilon::new(1.0).unwrap()), profile.gaussian_shares());
        match law.share() {
            SelectionShare::Pure { epsilon, .. } => {
                assert_eq!(pure.remove(0), (&Exact::from(epsilon) + &Exact::from(number)).above());
            }
            SelectionShare::Gaussian { delta, .. } => assert_eq!(curves.remove(0), delta),
        }
        let ratio = libm::exp(libm::log(4.0) / f64::from(STEPS));
        let ends = [0.25].into_iter().chain(pure).chain([1.0]).collect::<Vec<_>>();
        assert_eq!(ends.len(), STEPS as usize + 1);
        assert!(ends.windows(2).all(|pair| (pair[1] / pair[0] / ratio - 1.0).abs() < 1e-13), "{ends:?}");
        assert!((curves[0] / (profile.least_delta() / 4.0) - 1.0).abs() < 1e-15);
        assert!(curves.windows(2).all(|pair| pair[1] == 2.0 * pair[0]) && curves.iter().all(|&each| each < 0.5));
    }
}
