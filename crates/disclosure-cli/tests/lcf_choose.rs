//! Odds and advice from the outside: fixed field names, golden numbers, refusals.

use crate::support::{Bench, fixture};
use serde_json::Value;

fn words(command: &str) -> Vec<&str> {
    command.split(' ').collect()
}

fn odds(bench: &Bench, parameters: &str) -> Value {
    bench.json(&words(&format!("lcf odds {parameters} --json")))
}

fn refused(bench: &Bench, command: &[&str], code: i32, error: &str) -> String {
    let run = bench.run(command);
    assert_eq!((run.code, run.out.as_str()), (code, ""), "{command:?}: {}", run.err);
    assert!(run.err.contains(&format!("[{error}]")), "{command:?}: {}", run.err);
    run.err
}

fn close(got: &Value, want: &str) -> bool {
    let want: f64 = want.parse().unwrap();
    (got.as_f64().unwrap() - want).abs() <= 1e-12 * want
}

#[test]
fn odds_are_the_published_tables() {
    let golden: Value =
        serde_json::from_str(&std::fs::read_to_string(fixture("lcf/seed_tables.json")).unwrap()).unwrap();
    let bench = Bench::new();
    let eight = odds(&bench, "--mean 8 --sd 1.5 --floor 2 --up-to 10");
    assert_eq!(eight["schema"], "disclosure.lcf-odds/1");
    let (mut chances, mut decisions) = (0, 0);
    let is_eight = |case: &&Value| case["mean"] == 8.0 && case["sd"] == 1.5;
    for case in golden["report_probability"].as_array().unwrap().iter().filter(is_eight) {
        let n = case["n"].as_u64().unwrap();
        let got = &eight["report_probability"][n as usize - 1];
        assert_eq!(got["n"], n);
        assert!(close(&got["p_without_clamps"], case["reported"].as_str().unwrap()), "{case}");
        assert!(n <= 2 || close(&got["p"], case["reported"].as_str().unwrap()), "{case}");
        assert!(n <= 2 || close(&got["p_suppressed"], case["suppressed"].as_str().unwrap()), "{case}");
        chances += 1;
    }
    for case in golden["one_more"].as_array().unwrap().iter().filter(|case| is_eight(case) && case["bound"] == 2) {
        let got = &eight["one_more"][case["n"].as_u64().unwrap() as usize - 1];
        assert!(close(&got["p_reported"], case["reported"].as_str().unwrap()), "{case}");
        assert!(close(&got["p_n_given_suppressed"], case["n_given_suppressed"].as_str().unwrap()), "{case}");
        match case["n1_given_reported"].as_str() {
            Some(want) => assert!(close(&got["p_n1_given_reported"], want), "{case}"),
            None => assert!(got["p_n1_given_reported"].is_null(), "{case}"),
        }
        decisions += 1;
    }
    assert_eq!((chances, decisions, eight["one_more"].as_array().unwrap().len()), (18, 14, 10));
}

#[test]
fn both_sides_of_the_threshold_and_repeated_questions_are_shown() {
    let report = odds(&Bench::new(), "--mean 8 --sd 1.5 --floor 2");
    assert_eq!(report["law"]["cap"], 15);
    assert_eq!(report["report_probability"].as_array().unwrap().len(), 15);
    let odds = &report["odds"];
    assert_eq!((&odds["certain_when_reported"]["n"], &odds["certain_when_suppressed"]["n"]), (&2.into(), &14.into()));
    assert!(close(&odds["certainty"], "0.00021453016659841865") && close(&odds["posterior"], "0.9312587989415299"));
    assert_eq!(odds["sticky_equality"]["pairs_for_99_percent"], 7);
    assert_eq!(report["release_profile"]["kind"], "guarantee");
    assert!(close(&report["release_profile"]["least_delta"], "0.0004290603331968372"));
}

#[test]
fn every_law_has_its_odds() {
    let bench = Bench::new();
    for (parameters, law, floor, cap) in [
        ("--law thin-uniform --at-least 4", "thin-uniform", 4, 6),
        ("--law elm --at-least 3 --gap 2 --sd 1", "elm", 3, 15),
        ("--law hard --at-least 5", "hard", 5, 5),
        ("--law optimal-selection --epsilon 1 --delta 1e-5 --at-least 2", "optimal-selection", 2, 24),
        (
            "--law optimal-selection --epsilon 2 --delta 2e-5 --at-least 2 --groups-per-entity 2",
            "optimal-selection",
            2,
            24,
        ),
    ] {
        let report = odds(&bench, parameters);
        let said = (&report["law"]["law"], &report["law"]["floor"], &report["law"]["cap"]);
        assert_eq!(said, (&law.into(), &floor.into(), &cap.into()), "{parameters}");
        assert!(report["report_probability"][0].get("p_without_clamps").is_none());
    }
}

#[test]
fn the_first_line_says_that_sticky_answers_are_not_private() {
    let bench = Bench::new();
    let advise = fixture("jobs/lcf-advise.toml");
    for command in [words("lcf odds --mean 8 --sd 1.5 --floor 2"), vec!["lcf", "advise", advise.to_str().unwrap()]] {
        let run = bench.run(&command);
        assert_eq!(run.code, 0, "{}", run.err);
        assert!(run.out.lines().next().unwrap().contains("are not differentially private"), "{}", run.out);
    }
    let json = bench.run(&words("lcf odds --law hard --at-least 5 --json")).out;
    assert!(json.find("are not differentially private").unwrap() < json.find("\"law\"").unwrap());
}

#[test]
fn advice_meets_its_target_and_says_what_it_costs() {
    let bench = Bench::new();
    let report = bench.json(&["lcf", "advise", fixture("jobs/lcf-advise.toml").to_str().unwrap(), "--json"]);
    assert_eq!(report["schema"], "disclosure.lcf-advise/1");
    assert_eq!((&report["law"]["mean"], &report["law"]["sd"]), (&9.0.into(), &1.8.into()));
    assert!(
        report["odds"]["certainty"].as_f64().unwrap() <= 2.2e-4 && report["odds"]["posterior"].as_f64().unwrap() <= 0.9
    );
    assert!(report["optimal_selection"].is_null());
    // By hand: 310 groups of 8 at 0.2892, all of 16 and 64, and 700 of 4 at 0.0027 of 6360
    // groups.
    assert!((report["utility"]["groups"].as_f64().unwrap() - 0.0537).abs() < 1e-4, "{}", report["utility"]);

    let spec = bench
        .write("a.toml", "always_suppress_upper_bound = 1\nepsilon = 1\ndelta = 1e-5\ngroup_sizes = \"sizes.csv\"\n");
    bench.write("sizes.csv", "entities,groups\n1,100\n40,10\n");
    let report = bench.json(&["lcf", "advise", &spec, "--json"]);
    assert_eq!(
        (&report["law"]["mean"], &report["law"]["sd"], &report["law"]["n99"]),
        (&18.3.into(), &3.8.into(), &28.into())
    );
    assert_eq!(
        (&report["optimal_selection"]["law"]["n50"], &report["optimal_selection"]["law"]["n99"]),
        (&13.into(), &17.into())
    );
    assert!(report["release_profile"]["delta_at_epsilon"][0]["delta"].as_f64().unwrap() <= 1e-5);
    assert_eq!(report["utility"], serde_json::json!({"groups": 10.0 / 110.0, "entities": 0.8}));
}

#[test]
fn thresholds_that_cannot_be_are_refused_with_what_to_change() {
    let bench = Bench::new();
    for (parameters, error) in [
        ("--mean 8 --sd 1.5", "E0276"),
        ("--mean 8 --sd 1.5 --floor 2 --gap 1", "E0276"),
        ("--law hard --mean 8", "E0276"),
        ("--mean 8 --sd 1.5 --floor 0", "E0277"),
        ("--mean 0.5 --sd 1.5 --floor 1", "E0277"),
        ("--mean 8 --sd 0 --floor 2", "E0277"),
        ("--mean NaN --sd 1 --floor 2", "E0277"),
        ("--mean 8 --sd NaN --floor 2", "E0277"),
        ("--mean 8 --sd 1.5 --floor inf", "E0277"),
        ("--mean 8 --sd 1.5 --floor 2 --prior 2", "E0277"),
        ("--law hard --at-least 1", "E0277"),
        ("--law optimal-selection --epsilon 0 --delta 1e-5 --at-least 2", "E0277"),
    ] {
        refused(&bench, &words(&format!("lcf odds {parameters}")), 2, error);
    }
    for parameters in
        ["--mean 80000 --sd 1 --floor 2", "--law optimal-selection --epsilon 1e-9 --delta 1e-15 --at-least 2"]
    {
        refused(&bench, &words(&format!("lcf odds {parameters}")), 6, "E0655");
    }
    assert_eq!(bench.run(&words("lcf odds --mean 8 --sd 1.5 --floor 2 --up-to 100001")).code, 2);
}

#[test]
fn targets_and_sizes_that_mean_nothing_are_refused() {
    let bench = Bench::new();
    let meets = "always_suppress_upper_bound = 2\ncertainty_odds = 1e-3\nposterior = 0.9\n";
    for (spec, code, error) in [
        ("always_suppress_upper_bound = 2\n".to_owned(), 2, "E0278"),
        ("always_suppress_upper_bound = 2\ncertainty_odds = 1e-3\n".to_owned(), 2, "E0278"),
        ("always_suppress_upper_bound = 2\nepsilon = 1\n".to_owned(), 2, "E0278"),
        (meets.replace("0.9", "0.5"), 2, "E0278"),
        (meets.replace("1e-3", "0"), 2, "E0278"),
        (meets.replace("= 2", "= 0.5"), 2, "E0277"),
        (meets.replace("0.9", "1.5"), 2, "E0210"),
        (format!("{meets}colour = 1\n"), 2, "E0210"),
        (format!("{meets}group_sizes = []\n"), 2, "E0279"),
        (format!("{meets}group_sizes = [{{entities = 4711, groups = 9007199254740993}}]\n"), 2, "E0279"),
        (format!("{meets}group_sizes = \"bad.csv\"\n"), 2, "E0279"),
        (format!("{meets}group_sizes = \"none.csv\"\n"), 1, "E0104"),
        (format!("{meets}max_mean = 5\n"), 4, "E0425"),
        (format!("{meets}max_mean = 65536\nmean_steps = 4294967295\nsd_steps = 4294967295\n"), 6, "E0654"),
    ] {
        bench.write("bad.csv", "entities,groups\n1,4711\n4711,x\n");
        let file = bench.write("a.toml", &spec);
        let said = refused(&bench, &["lcf", "advise", &file], code, error);
        assert!(!said.contains("4711"), "{said}");
    }
}
