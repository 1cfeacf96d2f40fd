//! Threshold laws as integers: who is never reported, what is refused, how exact the tables are.

use std::num::NonZeroU32;

use lcf::{
    ClampedNormal, Elm, HardThreshold, LawError, MAX_CAP, OptimalSelection, ThinUniform, ThresholdLaw, ThresholdTable,
};
use privacy_core::param::{Delta, Epsilon, StdDev};
use proptest::prelude::*;
use testkit::{fixtures, relative_error};

fn normal(mean: f64, sd: f64, bound: f64) -> Result<ClampedNormal, LawError> {
    ClampedNormal::new(mean, StdDev::new(sd).unwrap(), bound)
}

fn elm(least: u32, gap: f64, sd: f64) -> Result<Elm, LawError> {
    Elm::new(least, gap, StdDev::new(sd).unwrap())
}

fn selection(epsilon: f64, delta: f64, groups: u32, least: u32) -> Result<OptimalSelection, LawError> {
    OptimalSelection::new(
        Epsilon::new(epsilon).unwrap(),
        Delta::new(delta).unwrap(),
        NonZeroU32::new(groups).unwrap(),
        least,
    )
}

fn decimal(value: &serde_json::Value) -> f64 {
    value.as_str().map_or_else(|| value.as_f64().unwrap(), |text| text.parse().unwrap())
}

#[test]
fn cutoffs_are_the_golden_ones_as_far_as_a_double_goes() {
    let golden = fixtures::json("lcf/prf_vectors.json");
    let mut compared = 0;
    for case in golden["cutoffs"].as_array().unwrap() {
        let [mean, sd, bound] = ["mean", "sd", "asub"].map(|name| decimal(&case[name]));
        let thresholds = ThresholdTable::new(normal(mean, sd, bound).unwrap());
        for (n, cutoff) in case["table"].as_object().unwrap() {
            let n: u64 = n.parse().unwrap();
            // Null: no draw suppresses.
            let cutoff: u128 = cutoff.as_str().map_or(1 << 64, |digits| digits.parse().unwrap());
            let got = thresholds.cutoffs().get(n as usize).map_or(1 << 64, |&cutoff| u128::from(cutoff));
            let tail = cutoff.min((1 << 64) - cutoff);
            // Half a unit of the integer, and four ulps of the smaller tail.
            assert!(got.abs_diff(cutoff) as f64 <= 0.5 + tail as f64 * 1e-15, "n = {n}: {got} for {cutoff}");
            compared += 1;
        }
    }
    assert!(compared >= 30, "{compared}");
}

#[test]
fn both_tails_are_exact_at_and_beside_the_clamps() {
    let golden = fixtures::json("lcf/seed_tables.json");
    for case in golden["boundary"].as_array().unwrap() {
        let [mean, sd, bound] = ["mean", "sd", "bound"].map(|name| decimal(&case[name]));
        let thresholds = ThresholdTable::new(normal(mean, sd, bound).unwrap());
        let chance = thresholds.reporting_probability(case["n"].as_u64().unwrap());
        assert!(relative_error(chance.reported, decimal(&case["reported"])) <= 1e-12, "{case}");
        assert!((chance.reported + chance.suppressed - 1.0).abs() <= f64::EPSILON, "{case}");
    }
}

#[test]
fn the_chance_of_suppression_keeps_its_digits_where_a_report_is_all_but_certain() {
    // Upper tails of the normal law at 5, 9 and 10, to 20 digits.
    let thresholds = ThresholdTable::new(normal(12.0, 1.0, 1.0).unwrap());
    for (steps, tail) in
        [(5, 2.8665157187919391167e-7), (9, 1.1285884059538406473e-19), (10, 7.6198530241605260660e-24)]
    {
        assert!(relative_error(thresholds.reporting_probability(12 + steps).suppressed, tail) <= 1e-12, "{steps}");
        assert!(relative_error(thresholds.reporting_probability(12 - steps).reported, tail) <= 1e-12, "{steps}");
    }
    // Not certain in the law, so not certain in the table: one draw is left.
    assert_eq!(thresholds.cutoffs()[22], u64::MAX);
    assert!(!thresholds.is_reported(23, u64::MAX) && thresholds.is_reported(24, u64::MAX));
}

#[test]
fn groups_at_the_hard_bound_are_suppressed_and_at_the_upper_bound_are_not_certain() {
    for (mean, sd, bound, first, cap) in
        [(8.0, 1.5, 2.0, 3, 15), (4.0, 0.8, 1.0, 2, 8), (3.5, 0.6, 1.0, 2, 7), (3.5, 0.6, 1.5, 2, 6)]
    {
        let thresholds = ThresholdTable::new(normal(mean, sd, bound).unwrap());
        assert_eq!((thresholds.floor(), thresholds.cap()), (first, cap));
        assert!(!thresholds.is_reported(first - 1, 0) && thresholds.is_reported(first, 0));
        assert!(!thresholds.is_reported(cap - 1, u64::MAX) && thresholds.is_reported(cap, u64::MAX));
        assert!(!thresholds.is_reported(0, 0) && thresholds.is_reported(u64::MAX, u64::MAX));
    }
}

#[test]
fn laws_that_could_show_a_group_of_one_are_refused() {
    for bound in [0.0, 0.999, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(matches!(normal(8.0, 1.5, bound), Err(LawError::SingletonsVisible { .. })), "{bound}");
    }
    // At mean 0.5 the upper clamp would be 0, below the hard bound.
    for mean in [0.5, 1.0, -3.0, f64::NAN, f64::NEG_INFINITY] {
        assert!(matches!(normal(mean, 1.0, 1.0), Err(LawError::MeanNotAboveBound { .. })), "{mean}");
    }
    for least in [0, 1] {
        assert!(matches!(ThinUniform::at_least(least), Err(LawError::BelowTwo { .. })));
        assert!(matches!(HardThreshold::at_least(least), Err(LawError::BelowTwo { .. })));
        assert!(matches!(elm(least, 2.0, 1.0), Err(LawError::BelowTwo { .. })));
        assert!(matches!(selection(1.0, 1e-5, 1, least), Err(LawError::BelowTwo { .. })));
    }
    for gap in [-0.1, f64::NAN, f64::INFINITY] {
        assert!(matches!(elm(3, gap, 1.0), Err(LawError::BadGap { .. })), "{gap}");
    }
}

#[test]
fn laws_whose_table_would_be_too_long_are_refused() {
    let most = MAX_CAP as f64;
    for law in [
        normal(f64::INFINITY, 1.0, 1.0),
        normal(f64::MAX, 1.0, 1.0),
        normal(most, 1.0, 1.0),
        normal(most / 2.0 + 1.0, 1.0, 2.0),
    ] {
        assert_eq!(law, Err(LawError::TableTooLong));
    }
    assert_eq!(ThresholdTable::new(normal(most / 2.0, 1.0, 1.0).unwrap()).cap(), MAX_CAP);
    assert_eq!(HardThreshold::at_least(MAX_CAP as u32 + 1), Err(LawError::TableTooLong));
    assert_eq!(ThresholdTable::new(HardThreshold::at_least(MAX_CAP as u32).unwrap()).cap(), MAX_CAP);
    assert_eq!(ThinUniform::at_least(MAX_CAP as u32 - 1), Err(LawError::TableTooLong));
    assert_eq!(ThresholdTable::new(ThinUniform::at_least(MAX_CAP as u32 - 2).unwrap()).cap(), MAX_CAP);
    assert_eq!(ThinUniform::at_least(u32::MAX), Err(LawError::TableTooLong));
    for (least, gap, sd) in [(3, 2.0, 1e4), (u32::MAX, 0.0, 1.0), (3, f64::MAX, f64::MAX)] {
        assert_eq!(elm(least, gap, sd), Err(LawError::TableTooLong), "{least} {gap} {sd}");
    }
    // A delta below one draw, an epsilon that rounding eats, a threshold beyond the table, too
    // many groups.
    for (epsilon, delta, groups, least) in
        [(1.0, 1e-21, 1, 2), (1e-300, 1e-19, 1, 2), (1.0, 1e-5, 1, u32::MAX), (1.0, 1e-5, u32::MAX, 2)]
    {
        assert_eq!(selection(epsilon, delta, groups, least), Err(LawError::TableTooLong));
    }
}

#[test]
fn thirds_are_thirds_and_hard_thresholds_have_no_noise() {
    let thin = ThresholdTable::new(ThinUniform::at_least(4).unwrap());
    assert_eq!(thin.cutoffs(), [0, 0, 0, 0, 6_148_914_691_236_517_205, 12_297_829_382_473_034_411]);
    assert_eq!((thin.floor(), thin.cap()), (4, 6));
    let hard = ThresholdTable::new(HardThreshold::at_least(5).unwrap());
    assert_eq!((hard.floor(), hard.cap(), hard.cutoffs()), (5, 5, &[0; 5][..]));
    assert!(!hard.is_reported(4, 0) && hard.is_reported(5, u64::MAX));
}

#[test]
fn the_law_of_elm_is_that_of_the_incumbents_at_their_defaults() {
    // pg_diffix: minimum 3, gap 2, sd 1: mean 5.83. SynDiffix: mean 5, so a gap smaller by the
    // root of 2.
    let pg_diffix = ThresholdTable::new(elm(3, 2.0, 1.0).unwrap());
    let syndiffix = ThresholdTable::new(elm(3, std::f64::consts::SQRT_2, 1.0).unwrap());
    let printed = |thresholds: &ThresholdTable, first: u64, chances: &[&str]| {
        for (n, &want) in (first..).zip(chances) {
            let digits = want.len() - 2;
            assert_eq!(format!("{:.digits$}", thresholds.reporting_probability(n).reported), want, "n = {n}");
        }
    };
    printed(&pg_diffix, 3, &["0.0023", "0.0337", "0.204", "0.568", "0.879", "0.985", "0.999"]);
    printed(&syndiffix, 3, &["0.0228", "0.159", "0.5", "0.841", "0.977", "0.999"]);
    assert_eq!((pg_diffix.floor(), pg_diffix.cap()), (3, 15));
    // The table ends where less than half a draw suppresses.
    let (last, end) = (pg_diffix.reporting_probability(14).suppressed, 1.0 / (1_u128 << 65) as f64);
    assert!(last >= end && pg_diffix.cutoffs()[14] > u64::MAX / 2, "{last}");
}

#[test]
fn digests_tell_tables_apart_and_nothing_else() {
    let digest = |law: ThresholdLaw| ThresholdTable::new(law).digest();
    let eight = digest(normal(8.0, 1.5, 2.0).unwrap().into());
    assert_eq!(eight, digest(normal(8.0, 1.5, 2.0).unwrap().into()));
    assert_ne!(eight, digest(normal(8.0, 1.5, 3.0).unwrap().into()));
    assert_ne!(digest(HardThreshold::at_least(5).unwrap().into()), digest(HardThreshold::at_least(6).unwrap().into()));
    // 2.5 and 2 admit the same groups, so with upper bounds 13.5 and 14 only the ends differ.
    assert_ne!(eight, digest(normal(8.0, 1.5, 2.5).unwrap().into()));
}

fn any_law() -> impl Strategy<Value = ThresholdLaw> {
    let bound = prop_oneof![1.0..9.0, 1.0..400.0, Just(1.0)];
    let sd = || prop_oneof![0.01..5.0, 1e-300..1e300, Just(f64::MIN_POSITIVE)];
    let epsilon = prop_oneof![0.05..5.0, 1e-300..800.0];
    prop_oneof![
        (bound, 1e-9..300.0, sd())
            .prop_filter_map("normal", |(b, gap, sd)| normal(b + gap, sd, b).ok().map(Into::into)),
        (2..500_u32).prop_map(|k| ThinUniform::at_least(k).unwrap().into()),
        (2..500_u32).prop_map(|k| HardThreshold::at_least(k).unwrap().into()),
        (2..99_u32, 0.0..9.0, sd()).prop_filter_map("elm", |(k, gap, sd)| elm(k, gap, sd).ok().map(Into::into)),
        (epsilon, -18.0..-0.01, 1..9_u32, 2..20_u32).prop_filter_map("selection", |(e, d, k, t)| selection(
            e,
            10_f64.powf(d),
            k,
            t
        )
        .ok()
        .map(Into::into)),
    ]
}

proptest! {
    #[test]
    fn no_law_ever_reports_a_group_of_one(law in any_law(), draw: u64) {
        let thresholds = ThresholdTable::new(law);
        prop_assert!(thresholds.floor() >= 2);
        for n in 0..thresholds.floor() {
            prop_assert!(!thresholds.is_reported(n, 0) && !thresholds.is_reported(n, draw));
        }
        prop_assert_eq!((thresholds.reporting_probability(0).reported, thresholds.reporting_probability(1).reported), (0.0, 0.0));
    }

    #[test]
    fn larger_groups_are_never_less_likely_to_be_reported(law in any_law()) {
        let thresholds = ThresholdTable::new(law);
        prop_assert!(thresholds.cap() <= MAX_CAP && thresholds.is_reported(thresholds.cap(), u64::MAX));
        prop_assert!(thresholds.cutoffs().is_sorted());
        for n in 0..thresholds.cap() {
            let (chance, next) = (thresholds.reporting_probability(n), thresholds.reporting_probability(n + 1));
            prop_assert!(chance.reported <= next.reported && chance.suppressed >= next.suppressed);
            prop_assert!((chance.reported + chance.suppressed - 1.0).abs() <= f64::EPSILON);
            let realised = thresholds.cutoffs()[n as usize] as f64 / 2_f64.powi(64);
            prop_assert!((realised - chance.reported).abs() <= f64::EPSILON);
        }
    }

    #[test]
    fn a_decision_is_the_comparison_of_the_clamped_threshold(
        bound in 1..6_u32, half_steps in 1..30_u32, sd in 0.3..4.0, n in 0..30_u64, draw: u64,
    ) {
        let (bound, mean) = (f64::from(bound), f64::from(bound) + f64::from(half_steps) / 2.0);
        let law = normal(mean, sd, bound).unwrap();
        // The threshold of this draw, and not where rounding decides.
        let uniform = privacy_core::param::Probability::new((draw as f64 + 0.5) / 2_f64.powi(64)).unwrap();
        let noise = mean + sd * privacy_core::normal::quantile(uniform);
        let threshold = noise.max(bound).min(law.upper());
        prop_assume!((noise - n as f64).abs() > 1e-9);
        prop_assert_eq!(ThresholdTable::new(law).is_reported(n, draw), n as f64 > threshold);
    }
}
