//! The tables of "Operation of LCF": in closed form, and as printed from a million simulated
//! trials.

use lcf::{ClampedNormal, ThresholdTable, unclamped_reporting_probability};
use privacy_core::param::StdDev;
use serde_json::Value;
use testkit::tails::{binomial_p_value, binomial_tails};
use testkit::{fixtures, relative_error};

fn decimal(value: &Value) -> f64 {
    value.as_str().map_or_else(|| value.as_f64().unwrap(), |text| text.parse().unwrap())
}

fn law(case: &Value) -> (f64, StdDev) {
    (decimal(&case["mean"]), StdDev::new(decimal(&case["sd"])).unwrap())
}

fn filter(case: &Value) -> ThresholdTable {
    let (mean, sd) = law(case);
    ThresholdTable::new(ClampedNormal::new(mean, sd, decimal(&case["bound"])).unwrap())
}

fn n(case: &Value) -> u64 {
    case["n"].as_u64().unwrap()
}

/// The chances of a report as the document tabulates them, with the bound set to 0: upper bound
/// twice the mean.
fn chance_as_tabulated(case: &Value) -> (f64, f64) {
    let (mean, sd) = law(case);
    let chance = unclamped_reporting_probability(n(case) as f64, mean, sd);
    if n(case) as f64 > 2.0 * mean { (1.0, 0.0) } else { (chance.reported, chance.suppressed) }
}

#[test]
fn report_probabilities_are_the_closed_form_in_both_tails() {
    let golden = fixtures::json("lcf/seed_tables.json");
    let cases = golden["report_probability"].as_array().unwrap();
    for case in cases {
        let (reported, suppressed) = chance_as_tabulated(case);
        assert!(relative_error(reported, decimal(&case["reported"])) <= 1e-12, "{case}: {reported}");
        assert!(relative_error(suppressed, decimal(&case["suppressed"])) <= 1e-12, "{case}: {suppressed}");
    }
    assert_eq!(cases.len(), 459);
}

#[test]
fn posteriors_after_one_decision_are_the_closed_form() {
    let golden = fixtures::json("lcf/seed_tables.json");
    let cases = golden["one_more"].as_array().unwrap();
    for case in cases {
        let got = filter(case).membership_posterior(n(case));
        assert!(relative_error(got.p_reported, decimal(&case["reported"])) <= 1e-12, "{case}");
        let given = |got: Option<f64>, want: &Value| match got {
            Some(got) => relative_error(got, decimal(want)) <= 1e-12,
            None => want.is_null(),
        };
        assert!(given(got.p_n_given_suppressed, &case["n_given_suppressed"]), "{case}");
        assert!(given(got.p_n1_given_reported, &case["n1_given_reported"]), "{case}");
    }
    assert_eq!(cases.len(), 236);
}

/// The counts that are printed as `text` with a resolution of `unit`, out of `trials`; printing
/// rounds to the nearest.
fn counts(text: &str, unit: f64, trials: u64) -> (u64, u64) {
    let value: f64 = text.parse().unwrap();
    let count = |share: f64| (share * trials as f64).clamp(0.0, trials as f64);
    // A hair wider, for counts that round exactly at the edge.
    ((count(value - 0.5 * unit) - 1e-6).ceil().max(0.0) as u64, (count(value + 0.5 * unit) + 1e-6).floor() as u64)
}

/// Two-sided p-value of the statement that a binomial count lies in a range: that of the nearest
/// count in it.
fn p_value_of_range(trials: u64, p: f64, (low, high): (u64, u64)) -> f64 {
    let mean = trials as f64 * p;
    if (low as f64..=high as f64).contains(&mean) {
        return 1.0;
    }
    binomial_p_value(trials, p, if mean < low as f64 { low } else { high })
}

#[test]
fn printed_report_probabilities_fit_a_million_trials_but_for_line_86() {
    let golden = fixtures::json("lcf/seed_tables.json");
    let trials = golden["trials"].as_u64().unwrap();
    let mut misfits = Vec::new();
    for case in golden["report_probability"].as_array().unwrap() {
        let range = counts(case["printed"].as_str().unwrap(), 1e-5, trials);
        let p_value = p_value_of_range(trials, chance_as_tabulated(case).0, range);
        if p_value < 1e-3 {
            misfits.push((case["line"].as_u64().unwrap(), n(case), p_value));
        }
        // Lines 85 and 86 are of an older program: bound 1.5, upper bound 2 mean - 1.5,
        // suppressed below the threshold.
        if let Some(older) = case.get("older_program") {
            assert!(p_value_of_range(trials, decimal(older), range) > 1e-3, "{case}");
        }
    }
    // 88 suppressions are expected in a million, and the printed 1 means at most 5.
    assert_eq!(misfits.len(), 1, "{misfits:?}");
    assert_eq!((misfits[0].0, misfits[0].1), (86, 7));
    assert!(misfits[0].2 < 1e-25, "{misfits:?}");
}

#[test]
fn the_row_of_line_86_was_rerun_in_the_main_table_and_fits_there() {
    let golden = fixtures::json("lcf/seed_tables.json");
    let cases = golden["report_probability"].as_array().unwrap();
    let rerun = cases.iter().find(|case| case["line"] == 120 && case["n"] == 7).unwrap();
    assert_eq!((decimal(&rerun["mean"]), decimal(&rerun["sd"])), (4.0, 0.8));
    assert_eq!(rerun["printed"], "0.99989");
    let range = counts("0.99989", 1e-5, 1_000_000);
    assert!(p_value_of_range(1_000_000, chance_as_tabulated(rerun).0, range) > 0.01);
}

/// Counts of reports that are printed as `1/d`: `d` is the whole part of trials over reports.
fn reports(printed: &str, trials: u64) -> (u64, u64) {
    match printed.strip_suffix("++") {
        Some(_) => (0, 0),
        None => {
            let d: u64 = printed.strip_prefix("1/").unwrap().parse().unwrap();
            (trials / (d + 1) + 1, trials / d)
        }
    }
}

#[test]
fn printed_likelihoods_of_a_report_fit_a_million_trials() {
    let golden = fixtures::json("lcf/seed_tables.json");
    let trials = golden["trials"].as_u64().unwrap();
    for case in golden["one_more"].as_array().unwrap() {
        let range = reports(case["printed"][2].as_str().unwrap(), trials);
        let p_value = p_value_of_range(trials, filter(case).membership_posterior(n(case)).p_reported, range);
        assert!(p_value > 1e-3, "{case}: {p_value}");
    }
}

#[test]
fn printed_posteriors_fit_as_many_decisions_as_there_were() {
    let golden = fixtures::json("lcf/seed_tables.json");
    let trials = golden["trials"].as_u64().unwrap();
    let mut compared = 0;
    for case in golden["one_more"].as_array().unwrap() {
        let one_more = filter(case).membership_posterior(n(case));
        let (low, high) = reports(case["printed"][2].as_str().unwrap(), trials);
        let (reported, unit) =
            ((low + high) / 2, |text: &str| if text.contains('.') { 10_f64.powi(2 - text.len() as i32) } else { 1.0 });
        let sides =
            [(one_more.p_n_given_suppressed, 0, trials - reported), (one_more.p_n1_given_reported, 1, reported)];
        for (posterior, column, decisions) in sides {
            let text = case["printed"][column].as_str().unwrap();
            let Some(posterior) = posterior.filter(|_| decisions > 0) else { continue };
            let p_value = p_value_of_range(decisions, posterior, counts(text, unit(text), decisions));
            assert!(p_value > 1e-3, "{case}, column {column}: {p_value}");
            compared += 1;
        }
    }
    assert!(compared > 400, "{compared}");
}

#[test]
fn a_slightly_wrong_law_does_not_fit_the_printed_tables() {
    let golden = fixtures::json("lcf/seed_tables.json");
    let trials = golden["trials"].as_u64().unwrap();
    for (shift, stretch) in [(0.01, 1.0), (-0.01, 1.0), (0.0, 1.01)] {
        let misfits = golden["report_probability"].as_array().unwrap().iter().filter(|case| {
            let (mean, sd) = law(case);
            let sd = StdDev::new(sd.get() * stretch).unwrap();
            let chance = unclamped_reporting_probability(n(case) as f64, mean + shift, sd);
            let range = counts(case["printed"].as_str().unwrap(), 1e-5, trials);
            n(case) as f64 <= 2.0 * mean && p_value_of_range(trials, chance.reported, range) < 1e-9
        });
        assert!(misfits.count() > 20, "{shift} {stretch}");
    }
}

#[test]
fn the_prose_is_right_about_how_rare_reports_are() {
    let one_in =
        |n: f64, mean: f64, sd: f64| 1.0 / unclamped_reporting_probability(n, mean, StdDev::new(sd).unwrap()).reported;
    assert_eq!(one_in(2.0, 8.0, 1.5).floor(), 31_574.0); // "once in every 30K buckets"
    assert_eq!((2.0 * one_in(3.0, 8.0, 1.5)).floor(), 4_661.0); // "once in every 4500 or so"
    assert_eq!((2.0 * one_in(2.0, 4.0, 0.8)).floor(), 322.0); // "1 in 300"
    let (below, above) = binomial_tails(1_000_000, 1.0 / 4_661.0, 210);
    assert!(below > 0.01 && above > 0.01, "1/4761 is 210 reports in a million");
}
