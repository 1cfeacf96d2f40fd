//! One step of (4) and of (4'), against the same step in exact numbers: no size is reported with
//! more draws than it may be, and with hardly fewer.

use privacy_core::rng::SimRng;

use super::super::*;
use crate::law::tests::exact::{Exact, all_draws, draws, size};

/// The draws that (4) allows: by growth, and by what is left to suppress.
fn allowed(step: Step, draws: u64) -> (u128, u128) {
    let (grow, shrink, delta) = (Exact::from(step.grow), Exact::from(step.shrink), Exact::from(step.delta));
    let grown = &(&grow * &Exact::from(u128::from(draws))) + &delta;
    let left = &Exact::from(ALL_DRAWS - u128::from(draws)) - &delta;
    (grown.floor(), (&shrink * &left).ceil().clamp(1, ALL_DRAWS))
}

/// What three roundings to a double, each below `2^-52`, and one to an integer may take.
fn room(draws: u128) -> u128 {
    (draws >> 50) + 1
}

fn check_step(step: Step, draws: u64) {
    let suppressing = Exact::from(ALL_DRAWS - u128::from(draws));
    let Some(next) = step.after(draws) else {
        assert!(suppressing <= Exact::from(step.delta), "{step:?} {draws}: certain");
        return;
    };
    if suppressing <= Exact::from(step.delta) {
        return; // what suppresses was rounded up, and one draw too many is left
    }
    let (most, least_suppressing) = allowed(step, draws);
    let exact = most.min(ALL_DRAWS - least_suppressing).max(draws.into());
    assert!(u128::from(next) <= exact, "{step:?} {draws}: {next} for {exact}");
    // A difference keeps the rounding of what it is taken from.
    let left = room(ALL_DRAWS - u128::from(draws));
    let least = (most - room(most).min(most)).min(ALL_DRAWS - least_suppressing.saturating_add(left));
    assert!(u128::from(next) >= least, "{step:?} {draws}: {next} for {exact}");
}

#[test]
fn a_step_of_the_recurrence_is_rounded_down() {
    let mut rng = SimRng::for_trial(1, "steps of selection", 0);
    for _ in 0..4_000 {
        let epsilon = size(&mut rng, (-12.0, 3.0));
        let delta = size(&mut rng, (-2.0, 60.0));
        check_step(Step { grow: exp_down(epsilon), shrink: exp_up(-epsilon), delta }, draws(&mut rng));
    }
}

#[test]
fn a_size_is_certain_where_delta_covers_what_suppresses_and_not_before() {
    let spared = 1_u64 << 44;
    let step = Step { grow: exp_down(0.1), shrink: exp_up(-0.1), delta: spared as f64 };
    assert_eq!(step.after(spared.wrapping_neg()), None);
    assert_eq!(step.after(spared.wrapping_neg() - (1 << 11)).map(|draws| draws > u64::MAX - (1 << 12)), Some(true));
    let step = GaussianStep { mu: 0.1, delta: 0.25 };
    assert_eq!(step.after(3 << 62), None);
    assert!(step.after((3 << 62) - (1 << 40)).is_some());
}

/// `pi(n)` of (4) in draws, from those of `pi(n-1)`, and the suppressing ones; no size is negative.
fn exactly_after(epsilon: f64, delta: f64, draws: u64) -> (Exact, Exact) {
    let spared = &Exact::from(delta) * &all_draws();
    let grow = Exact::from(epsilon).exp();
    let left = &Exact::from(ALL_DRAWS - u128::from(draws)) - &spared;
    (&(&grow * &Exact::from(u128::from(draws))) + &spared, &left / &grow)
}

/// Whether draws are within one of a bound, and seven doubles, four of them of an exponential.
fn reaches(draws: &Exact, bound: &Exact) -> bool {
    (draws - bound).near().abs() <= 2.0 + 7.0 * f64::EPSILON * bound.near()
}

#[test]
fn sizes_in_succession_are_within_epsilon_and_delta_and_use_both() {
    for (epsilon, delta) in [(1.0, 1e-5), (0.1, 1e-9), (0.37, 1e-3), (2.5, 1e-14), (0.05, 0.01), (7.0, 1e-17)] {
        let share = SelectionShare::Pure { epsilon, delta };
        let (mut before, mut compared) = (0, 0);
        for draws in share.draws() {
            let (most, least) = exactly_after(epsilon, delta, before);
            let (reporting, suppressing) = (Exact::from(u128::from(draws)), Exact::from(ALL_DRAWS - u128::from(draws)));
            assert!(reporting <= most && suppressing >= least, "{epsilon} {delta} after {before}: {draws}");
            assert!(reaches(&reporting, &most) || reaches(&suppressing, &least), "{epsilon} {delta}: {draws}");
            (before, compared) = (draws, compared + 1);
        }
        let (_, least) = exactly_after(epsilon, delta, before);
        assert!(compared > 2 && least <= Exact::from(0.0), "{epsilon} {delta}: {compared} sizes, and then all draws");
    }
}

/// `D - D pi(n)` of (4') in draws, and `D pi(n)`, from the draws of `pi(n-1)`; all report where
/// delta covers what suppresses.
fn gaussian_exactly_after(step: GaussianStep, draws: u64) -> Option<(Exact, Exact)> {
    let spared = &Exact::from(step.delta) * &all_draws();
    let whole = &all_draws() - &spared;
    let before = &Exact::from(u128::from(draws)) / &whole;
    if before >= Exact::one() {
        return None;
    }
    let after = match draws {
        0 => Exact::from(0.0),
        _ => (&before.quantile() + &Exact::from(step.mu)).normal(),
    };
    let reporting = &spared + &(&whole * &after);
    Some((&all_draws() - &reporting, reporting))
}

fn check_gaussian(step: GaussianStep, draws: u64) {
    let exact = gaussian_exactly_after(step, draws);
    let Some(next) = step.after(draws) else {
        assert_eq!(exact, None, "{step:?} {draws}: certain");
        return;
    };
    let Some((suppressing, reporting)) = exact else { return };
    let (next, left) = (Exact::from(u128::from(next)), Exact::from(ALL_DRAWS - u128::from(next)));
    assert!(next <= reporting && left >= suppressing, "{step:?} {draws}: {next:?} for {reporting:?}");
    // The slack of a step, of what it is computed from; the errors that it covers; and one draw.
    let half = 0.5 * (1.0 - step.delta) * DRAWS;
    let tail = if suppressing.near() > half { reporting.near() } else { suppressing.near() };
    let lost = (&reporting - &next).near();
    assert!(lost <= 1.0 + 1.2e-11 * tail, "{step:?} {draws}: {lost} draws of {tail}");
}

#[test]
fn a_step_along_the_normal_law_is_rounded_down_by_its_slack_and_a_draw() {
    let mut rng = SimRng::for_trial(2, "steps of selection", 0);
    for _ in 0..400 {
        let step = GaussianStep { mu: size(&mut rng, (-9.0, 2.0)), delta: size(&mut rng, (-66.0, -1.0)) };
        check_gaussian(step, draws(&mut rng));
    }
    for (mu, delta) in [(0.3, 1e-5), (0.9, 1e-17), (0.05, 1e-3)] {
        let share = SelectionShare::Gaussian { mu, delta };
        let mut before = 0;
        for draws in share.draws().take(80) {
            check_gaussian(GaussianStep { mu, delta }, before);
            assert!(draws >= before, "{mu} {delta}");
            before = draws;
        }
        check_gaussian(GaussianStep { mu, delta }, before);
    }
}
