//! Laws that hold for every release, and the naive sum over subsets as an oracle.

use crate::support;
use hetero_screen::{
    Classes, Column, Coverage, CoverageMethod, Error, ScreenLimits, ScreenSpec, ScreenTargets, SourceProxy,
    Suppression, UniformNoise, own_variance, screen,
};
use proptest::prelude::*;
use testkit::relative_error;
use testkit::tails::binomial_tails;

prop_compose! {
    fn columns()(cardinalities in prop::collection::vec(1_u64..12, 1..8), weights in prop::collection::vec(0.1_f64..1.0, 3)) -> Vec<Column> {
        let mut columns: Vec<Column> = cardinalities.iter().map(|&d| Column::uniform(d).unwrap()).collect();
        columns[0] = Column::with_frequencies(&weights).unwrap();
        columns
    }
}

prop_compose! {
    fn specs()(rows in 2_u64..400, columns in columns(), classes in prop::collection::vec(0.05_f64..1.0, 1..5),
               rule in prop_oneof![(0_u64..9).prop_map(Suppression::ClassCount), (0_u64..9).prop_map(Suppression::GroupSize)],
               half_width in 0_u32..15, clamped: bool, order in 0_usize..9, empty: bool) -> ScreenSpec {
        let noise = UniformNoise { half_width, is_clamped: clamped };
        let spec = ScreenSpec::new(rows, columns, Classes::with_shares(&classes).unwrap(), rule, noise).unwrap();
        let spec = spec.with_max_order(order).unwrap();
        if empty || order == 0 { spec } else { spec.without_empty_query().unwrap() }
    }
}

/// Coverage by every subset and every combination of frequencies, each tail a plain sum.
fn naive(spec: &ScreenSpec) -> (f64, f64) {
    let at_least = |m: u64, q: f64| match m {
        0 => 1.0,
        m if m > spec.rows() - 1 => 0.0,
        m => binomial_tails(spec.rows() - 1, q, m).1,
    };
    let mut groups = vec![(1.0, 1.0, 0)];
    for column in spec.columns() {
        let with = |&(weight, p, order): &(f64, f64, usize)| {
            let values = (0..column.cardinality()).map(move |value| {
                let q = column.frequency(value);
                (weight * q, p * q, order + 1)
            });
            values.collect::<Vec<_>>()
        };
        let used: Vec<_> = groups.iter().flat_map(with).collect();
        groups.extend(used);
        // Merging what is alike keeps the oracle fast; it is still a sum over all subsets.
        groups.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.2.cmp(&b.2)));
        groups.dedup_by(|a, b| {
            let same = a.1 == b.1 && a.2 == b.2;
            b.0 += if same { a.0 } else { 0.0 };
            same
        });
    }
    let (mut own, mut all) = (0.0, 0.0);
    for (weight, p, order) in groups.into_iter().filter(|(_, _, order)| spec.answers_order(*order)) {
        for &share in spec.classes().shares() {
            let below = spec.suppression().below();
            let (mine, other) = match spec.suppression() {
                Suppression::ClassCount(_) if below > 0 => (at_least(below - 1, p * share), at_least(below, p * share)),
                Suppression::ClassCount(_) => (1.0, 1.0),
                Suppression::GroupSize(_) => {
                    (at_least(below.saturating_sub(1), p), at_least(below.saturating_sub(1), p))
                }
            };
            own += weight * share * mine;
            all += weight * (share * mine + (1.0 - share) * other);
        }
        let _ = order;
    }
    (own, all)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn coverage_is_the_naive_sum(spec in specs()) {
        let (own, all) = naive(&spec);
        let got = Coverage::of(&spec, &ScreenLimits::default()).unwrap();
        prop_assert!(relative_error(got.own_class.value, own) < 1e-9 || own < 1e-12, "{} {own}", got.own_class.value);
        prop_assert!(relative_error(got.all_classes.value, all) < 1e-9 || all < 1e-12, "{} {all}", got.all_classes.value);
    }

    #[test]
    fn the_lattice_holds_the_value_between_its_bounds(spec in specs()) {
        let exact = Coverage::of(&spec, &ScreenLimits::default()).unwrap();
        let lattice = Coverage::of(&spec, &ScreenLimits { groups: 0.0, ..ScreenLimits::default() }).unwrap();
        let (value, bounds) = (exact.own_class.value, lattice.own_class);
        prop_assert!(bounds.low <= value * (1.0 + 1e-12) && value <= bounds.high * (1.0 + 1e-12) + 1e-9, "{value} {bounds:?}");
        let (value, bounds) = (exact.all_classes.value, lattice.all_classes);
        prop_assert!(bounds.low <= value * (1.0 + 1e-12) && value <= bounds.high * (1.0 + 1e-12) + 1e-9, "{value} {bounds:?}");
        if spec.suppression().below() > 0 {
            prop_assert!(bounds.low <= bounds.value && bounds.value <= bounds.high);
        }
    }

    #[test]
    fn coverage_falls_with_the_threshold_and_grows_with_the_order(spec in specs()) {
        let own = |spec: &ScreenSpec| Coverage::of(spec, &ScreenLimits::default()).unwrap().own_class.value;
        let here = own(&spec);
        let below = spec.suppression().below();
        prop_assert!(own(&spec.clone().with_threshold(below + 1).unwrap()) <= here * (1.0 + 1e-12));
        let longer = spec.clone().with_max_order(spec.max_order() + 1).unwrap();
        prop_assert!(own(&longer) >= here * (1.0 - 1e-12));
        prop_assert!((0.0..=spec.subsets() * (1.0 + 1e-12)).contains(&here));
    }

    #[test]
    fn every_number_of_a_report_is_in_its_range(spec in specs()) {
        let report = screen(&spec, &ScreenTargets::default(), &ScreenLimits::default()).unwrap();
        let estimate = report.estimate;
        prop_assert!(estimate.floor <= estimate.accuracy && estimate.accuracy <= 1.0, "{estimate:?}");
        prop_assert!(estimate.floor <= estimate.ceiling + 1e-2 && estimate.ceiling <= 1.0 + 1e-12, "{estimate:?}");
        prop_assert!(estimate.evidence >= 0.0 && estimate.unbounded <= 1.0, "{estimate:?}");
        let SourceProxy { p_row_eff, p_row_het, p_row_min, failure_bound, accuracy_interval, .. } = report.proxy;
        for p in [p_row_eff, p_row_het, p_row_min, failure_bound, accuracy_interval.low, accuracy_interval.high] {
            prop_assert!((0.0..=1.0).contains(&p), "{:?}", report.proxy);
        }
        prop_assert!(accuracy_interval.low <= accuracy_interval.high);
        prop_assert!(p_row_min >= p_row_eff - 1e-12 && report.coverage.variance_own >= 0.0);
        prop_assert!(report.coverage.variance_all >= -1e-9);
        prop_assert!(report.variance_own_exact.is_none_or(|variance| variance >= 0.0));
    }

    #[test]
    fn clamping_never_helps_the_solver(spec in specs()) {
        let noise = |is_clamped| UniformNoise { is_clamped, ..spec.noise() };
        let of = |noise: UniformNoise| {
            let columns = spec.columns().to_vec();
            let spec = ScreenSpec::new(spec.rows(), columns, spec.classes().clone(), spec.suppression(), noise).unwrap();
            screen(&spec, &ScreenTargets::default(), &ScreenLimits::default()).unwrap().estimate.unbounded
        };
        prop_assert!(of(noise(true)) <= of(noise(false)) + 1e-9);
    }
}

#[test]
fn the_seeds_defects_are_not_here() {
    let uniform = |ds: &[u64]| support::uniform(ds);
    let limits = ScreenLimits::default();
    // T = 1: the own count is certain, so its variance is 0 and not rounding noise.
    let certain = support::spec(150, uniform(&[2, 3, 5]), &[0.5, 0.5], 1, 8);
    let coverage = Coverage::of(&certain, &limits).unwrap();
    assert_eq!((coverage.own_class.value, coverage.variance_own), (8.0, 0.0));
    assert_eq!(own_variance(&certain, &coverage, &limits), Some(0.0));
    // Identical rows: the proxy says 1, the estimate knows that nothing tells them apart.
    let alike = support::spec(150, uniform(&[2; 4]), &[0.5, 0.5], 1, 0);
    let report = screen(&alike, &ScreenTargets::default(), &limits).unwrap();
    assert!(report.proxy.expected_accuracy > 0.999 && report.estimate.accuracy < 0.64);
    // Little information: the proxy says 0, guessing gives 1/2.
    let little = support::spec(100, uniform(&[9; 3]), &[0.25; 4], 6, 12);
    let report = screen(&little, &ScreenTargets::default(), &limits).unwrap();
    assert!(report.proxy.expected_accuracy < 0.2 && report.estimate.accuracy >= 0.25);
    // One class, and two rows.
    let one = support::spec(100, uniform(&[9; 3]), &[1.0], 3, 2);
    let report = screen(&one, &ScreenTargets::default(), &limits).unwrap();
    assert_eq!((report.proxy.p_row_min, report.proxy.required_i_true_min, report.estimate.accuracy), (0.0, 0.0, 1.0));
    let pair = support::spec(2, uniform(&[5, 5]), &[0.5, 0.5], 2, 1);
    let report = screen(&pair, &ScreenTargets::default(), &limits).unwrap();
    assert_eq!(report.proxy.d_true_min, report.coverage.own_class.value);
}

#[test]
fn blow_ups_are_refused_or_bracketed_and_never_hang() {
    let many = support::spec(1 << 53, (2..502).map(|d| Column::uniform(d).unwrap()).collect(), &[0.3, 0.7], 5, 2);
    let coverage = Coverage::of(&many, &ScreenLimits::default());
    assert!(coverage.is_ok_and(|c| c.method == CoverageMethod::Lattice && c.own_class.low <= c.own_class.high));
    let short = many.with_max_order(250).unwrap();
    let refused = Coverage::of(&short, &ScreenLimits { bytes: 1e6, ..ScreenLimits::default() }).unwrap_err();
    assert!(matches!(refused, Error::TooLarge { .. }), "{refused}");
    // The law of a count at one column's value, with every subset of 128 equal ones.
    let alike = support::spec(1000, support::uniform(&[2; 128]), &[0.5, 0.5], 3, 2);
    assert_eq!(Coverage::of(&alike, &ScreenLimits::default()).unwrap().method, CoverageMethod::Groups);
}
