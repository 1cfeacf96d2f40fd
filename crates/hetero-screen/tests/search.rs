//! Settings that keep a target, and the grid.

use crate::support::{numbers, spec, uniform};
use hetero_screen::{
    ScreenGrid, ScreenLimits, ScreenSetting, ScreenSpec, ScreenTargets, TargetLevel, grid, largest_order, screen,
    smallest_noise, smallest_threshold,
};
use testkit::fixtures;

fn four_by_four() -> ScreenSpec {
    spec(150, uniform(&[4; 4]), &[1.0, 1.0], 3, 2)
}

fn accuracy(spec: &ScreenSpec) -> f64 {
    screen(spec, &ScreenTargets::default(), &ScreenLimits::default()).unwrap().estimate.accuracy
}

fn level(target: f64) -> TargetLevel {
    TargetLevel::new("target", target).unwrap()
}

#[test]
fn what_is_found_keeps_the_target_and_its_neighbour_does_not() {
    let (spec, limits) = (four_by_four(), ScreenLimits::default());
    for target in [0.55, 0.7, 0.8] {
        let check = |found: ScreenSetting, neighbour: ScreenSpec| {
            assert!(
                found.estimate.accuracy <= target && (accuracy(&found.spec) - found.estimate.accuracy).abs() < 1e-12
            );
            assert!(accuracy(&neighbour) > target, "{target}: {neighbour:?}");
        };
        let found = smallest_threshold(&spec, level(target), &limits).unwrap().unwrap();
        let below = found.spec.suppression().below();
        check(found, spec.clone().with_threshold(below - 1).unwrap());
        let found = smallest_noise(&spec, level(target), &limits).unwrap().unwrap();
        let half_width = found.spec.noise().half_width;
        check(found, spec.clone().with_half_width(half_width - 1).unwrap());
        let found = largest_order(&spec, level(target), &limits).unwrap().unwrap();
        let order = found.spec.max_order();
        check(found, spec.clone().with_max_order(order + 1).unwrap());
    }
}

#[test]
fn a_target_below_guessing_has_no_setting_and_one_that_is_kept_changes_nothing() {
    let (spec, limits) = (four_by_four(), ScreenLimits::default());
    assert_eq!(smallest_threshold(&spec, level(0.4), &limits).unwrap(), None);
    assert_eq!(smallest_noise(&spec, level(0.4), &limits).unwrap(), None);
    assert_eq!(largest_order(&spec, level(0.4), &limits).unwrap(), None);
    let kept = smallest_threshold(&spec, level(0.95), &limits).unwrap().unwrap();
    assert_eq!(kept.spec.suppression().below(), 0);
    assert_eq!(largest_order(&spec, level(0.95), &limits).unwrap().unwrap().spec.max_order(), 4);
}

#[test]
fn the_grid_is_the_one_computed_before() {
    let want = fixtures::json("screen/grid.json");
    for point in want["grid"].as_array().unwrap() {
        let (below, noise) = (point["T"].as_u64().unwrap(), point["e"].as_u64().unwrap() as u32);
        let one = ScreenGrid { suppress_below: vec![below], noise: vec![noise] };
        let got = grid(&four_by_four(), &one, &ScreenLimits::default()).unwrap()[0];
        assert!((got.estimate.accuracy - point["se"].as_f64().unwrap()).abs() < 2e-3, "{point}: {got:?}");
        assert!((got.proxy_accuracy - point["proxy_eff"].as_f64().unwrap()).abs() < 1e-10, "{point}");
    }
    assert_eq!(numbers(&want["D"]), [4.0; 4]);
    let whole = grid(&four_by_four(), &ScreenGrid::default(), &ScreenLimits::default()).unwrap();
    assert_eq!(whole.len(), 72);
    // The estimate only falls along either axis.
    for pair in whole.chunks(9).flat_map(|row| row.windows(2)) {
        assert!(pair[1].estimate.accuracy <= pair[0].estimate.accuracy + 1e-9, "{pair:?}");
    }
}
