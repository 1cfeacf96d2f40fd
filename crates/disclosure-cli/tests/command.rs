//! The other subcommands, and the words of the command, from the outside.

use crate::support::{Bench, ROWS, fixture, spec};
use serde_json::Value;

#[cfg(unix)]
#[test]
fn a_small_stack_is_enough() {
    let limited = "ulimit -s 192 && exec \"$0\" \"$@\"";
    let job = fixture("jobs/titanic.toml");
    let words = ["-c", limited, env!("CARGO_BIN_EXE_disclosure"), "resplan", "plan", job.to_str().unwrap()];
    let ended = std::process::Command::new("sh").args(words).output().unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
}

#[test]
fn a_plan_tells_its_cost_and_its_error_before_any_data() {
    let bench = Bench::new();
    let job = fixture("jobs/titanic.toml");
    let plan = bench.json(&["resplan", "plan", job.to_str().unwrap(), "--json"]);
    assert_eq!(plan["schema"], "disclosure.resplan-plan/1");
    assert!((plan["rho"].as_f64().unwrap() - 0.5).abs() < 1e-9);
    assert_eq!(plan["pcost"].as_f64().unwrap(), 2.0 * plan["rho"].as_f64().unwrap());
    let marginals = plan["marginals"].as_array().unwrap();
    let sum = |field: &str| {
        marginals.iter().map(|m| m["queries"].as_f64().unwrap() * m[field].as_f64().unwrap()).sum::<f64>()
    };
    assert!((sum("mean_variance") - plan["objective_value"].as_f64().unwrap()).abs() < 1e-6);
    let queries: f64 = marginals.iter().map(|m| m["queries"].as_f64().unwrap()).sum();
    assert!(((sum("max_variance") / queries).sqrt() - plan["rmse"].as_f64().unwrap()).abs() < 1e-9);
    assert_eq!(plan["residuals"].as_array().unwrap().len(), 11);
    let cost = |r: &Value| {
        let sizes = r["attributes"].as_array().unwrap().iter().map(|a| if a == "Class" { 4.0 } else { 2.0 });
        sizes.map(|k: f64| (k - 1.0) / k).product::<f64>() / r["sigma2"].as_f64().unwrap()
    };
    let total: f64 = plan["residuals"].as_array().unwrap().iter().map(cost).sum();
    assert!((total - plan["pcost"].as_f64().unwrap()).abs() < 1e-9);
}

#[test]
fn every_objective_is_planned_and_named() {
    let bench = Bench::new();
    for (word, name) in
        [("\"sum-variance\"", "sum-variance"), ("\"max-variance\"", "max-variance"), ("{norm = 3}", "norm-3")]
    {
        let spec = bench.write("s.toml", &spec(&format!("objective = {word}")));
        let plan = bench.json(&["resplan", "plan", &spec, "--json"]);
        assert_eq!(plan["objective"], name);
        assert!(plan["objective_gap"].as_f64().unwrap() <= 1e-7);
        assert!(plan["objective_value"].as_f64().unwrap() > 0.0);
    }
}

#[test]
fn a_plan_answers_what_budget_an_error_takes() {
    let bench = Bench::new();
    let ask = |rho: f64| {
        let spec = bench.write("s.toml", &spec("").replace("rho = 0.5", &format!("rho = {rho:?}")));
        bench.json(&["resplan", "plan", &spec, "--target-rmse", "2", "--target-sd", "3.5", "--json"])
    };
    let first = ask(0.5);
    let again = ask(first["rho_for_target_rmse"].as_f64().unwrap());
    let rmse = again["rmse"].as_f64().unwrap();
    assert!(rmse <= 2.0 && rmse > 2.0 - 1e-6, "{rmse}");
    let again = ask(first["rho_for_target_sd"].as_f64().unwrap());
    let largest = again["marginals"].as_array().unwrap().iter().map(|m| m["sd"].as_f64().unwrap()).fold(0.0, f64::max);
    assert!(largest <= 3.5 && largest > 3.5 - 1e-6, "{largest}");
    let run = bench.run(&["resplan", "plan", &bench.write("s.toml", &spec("")), "--target-rmse", "-1"]);
    assert_eq!(run.code, 2, "{}", run.err);
}

#[test]
fn simulation_repeats_with_its_seed_and_meets_the_prediction() {
    let bench = Bench::new();
    let (spec, data) = (bench.write("s.toml", &spec("")), bench.write("d.csv", ROWS));
    let simulate =
        |seed: &str| bench.json(&["resplan", "simulate", &spec, &data, "--trials", "4000", "--seed", seed, "--json"]);
    let one = simulate("1");
    assert_eq!(one, simulate("1"));
    assert_ne!(one, simulate("2"));
    for marginal in one["marginals"].as_array().unwrap() {
        let of = |field: &str| marginal[field].as_f64().unwrap();
        let room = 8.0 * of("variance_standard_error");
        assert!((of("variance_measured") - of("variance_predicted")).abs() < room, "{marginal}");
    }
    assert_eq!(bench.run(&["resplan", "simulate", &spec, &data]).code, 2, "a seed is required");
}

#[test]
fn init_writes_a_domain_that_says_where_it_comes_from() {
    let bench = Bench::new();
    let data = fixture("data/titanic.csv");
    let run = bench.run(&["init", data.to_str().unwrap(), "--count", "n"]);
    assert_eq!(run.code, 0);
    assert!(run.out.contains("learnt_from_data = true") && run.out.contains("name = \"Class\""));
    assert!(!run.out.contains("name = \"n\""), "the count column is no attribute");
    assert!(run.err.contains("Learnt 4 attribute(s)"));
}

#[test]
fn words_that_are_off_end_in_exit_code_2() {
    let bench = Bench::new();
    bench.write("d.csv", ROWS);
    let cases = [
        (spec("mistyped = 1"), "E0210"),
        (spec("objective = \"least-regret\""), "E0210"),
        (spec("objective = {norm = 0.5}"), "E0216"),
        (spec("objective = {order = 2}"), "E0210"),
        (spec("domain = \"d.toml\""), "E0211"),
        (spec("marginals = [[\"sex\"]]"), "E0211"),
        (spec("").replace("rho = 0.5", "rho = 0.5\nmu = 1"), "E0212"),
        (spec("").replace("rho = 0.5", "rho = -1"), "E0225"),
        (spec("").replace("rho = 0.5", "rho = nan"), "E0225"),
        (spec("strategy = \"best\""), "E0210"),
        (spec("strategy = {tilted = -1.0}"), "E0217"),
        (spec("after = [\"raked\"]"), "E0210"),
        (spec("").replace("up_to = 2", "marginals = [[\"sex\", \"height\"]]"), "E0222"),
        (spec("").replace("up_to = 2", "marginals = [[\"sex\", \"sex\"]]"), "E0222"),
        (spec("").replace("up_to = 2", "marginals = [[\"sex\", \"age\"], [\"age\", \"sex\"]]"), "E0223"),
        (spec("").replace("up_to = 2", "marginals = [{set = [\"sex\"], weight = 0.0}]"), "E0224"),
        (spec("").replace("up_to = 2", "marginals = []"), "E0221"),
        (spec("rows_per_person = 0"), "E0225"),
        (spec("").replace("neighbours = \"add-remove\"", ""), "E0210"),
        (spec("").replace("size = 3", "size = 0"), "E0207"),
        (spec("").replace("rho = 0.5", "rho = 1e-300"), "E0226"),
    ];
    for (text, code) in cases {
        let spec = bench.write("s.toml", &text);
        let run = bench.run(&["resplan", "release", &spec, "d.csv", "-o", "out", "--json"]);
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{text}\n{}", run.err);
        let error: Value = serde_json::from_str(&run.err).unwrap();
        assert_eq!(error["code"], code, "{text}\n{}", run.err);
        assert_eq!(error["exit_code"], 2);
    }
    let continuous = bench.write("s.toml", &spec("noise = \"continuous\""));
    let run = bench.run(&["resplan", "release", &continuous, "d.csv", "-o", "out"]);
    assert!(run.code == 2 && run.err.contains("E0214"));
    assert_eq!(bench.run(&["resplan", "plan", &continuous]).code, 0);
    let wrong = bench.run(&["resplam"]);
    assert!(wrong.err.starts_with("error[E0200]: ") && wrong.err.ends_with("\n  more: disclosure explain E0200\n"));
    assert!(wrong.code == 2 && !bench.run(&["resplan"]).err.contains("E0200"), "its help is all there is");
    let wrong = bench.run(&["resplam", "--json"]);
    assert_eq!(wrong.code, 2);
    assert_eq!(serde_json::from_str::<Value>(&wrong.err).unwrap()["code"], "E0200");
    assert_eq!(bench.names(), ["d.csv", "s.toml"]);
}

#[test]
fn a_spec_is_never_cut_and_never_shows_its_lines() {
    let bench = Bench::new();
    bench.write("d.csv", ROWS);
    let long = spec("") + &"# padding\n".repeat(2_000_000);
    let run = bench.run(&["resplan", "plan", &bench.write("s.toml", &long)]);
    assert!(run.code == 6 && run.err.contains("E0614"), "{}", run.err);
    let latin = bench.path("latin.toml");
    std::fs::write(&latin, b"title = \"caf\xe9\"").unwrap();
    assert_eq!(bench.run(&["resplan", "plan", latin.to_str().unwrap()]).code, 2);
    for name in ["value", "reason"] {
        let spec =
            bench.write("s.toml", &spec("").replace("name = \"sex\"", &format!("name = {name:?}\ncolumn = \"sex\"")));
        let run = bench.run(&["resplan", "plan", &spec]);
        assert!(run.code == 2 && run.err.contains("E0215"), "{}", run.err);
    }
    // Escapes and direction marks of a terminal never reach it.
    let run = bench.run(&["resplan", "plan", "no\u{1b}[31msuch\u{202e}.toml"]);
    assert!(run.code == 1 && !run.err.contains(['\u{1b}', '\u{202e}']), "{}", run.err);
    let hostile = spec("title = \"a\\u001b[31mb\\u202Ec\"");
    let run = bench.run(&["resplan", "plan", &bench.write("s.toml", &hostile)]);
    assert!(run.code == 0 && run.out.contains("a?[31mb?c"), "{}", run.out);
}

#[cfg(target_os = "linux")]
#[test]
fn an_output_that_cannot_be_written_is_an_error_and_no_panic() {
    let bench = Bench::new();
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let job = fixture("jobs/titanic.toml");
    let plan = ["resplan", "plan", job.to_str().unwrap()];
    for words in [&["explain", "E0301"][..], &["man"], &["--help"], &["--version"], &plan] {
        let run = |out: bool| {
            let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("disclosure"));
            command.args(words).current_dir(bench.path("."));
            if out { command.stdout(full()).output() } else { command.stderr(full()).output() }.unwrap()
        };
        assert_eq!(run(true).status.code(), Some(1), "{words:?}");
        assert!(String::from_utf8_lossy(&run(true).stderr).contains("E0107"));
        assert_eq!(run(false).status.code(), Some(0), "{words:?}");
    }
}

#[test]
fn missing_files_end_in_exit_code_1() {
    let bench = Bench::new();
    let spec = bench.write("s.toml", &spec(""));
    let run = bench.run(&["resplan", "release", &spec, "none.csv", "-o", "out"]);
    assert!(run.code == 1 && run.err.contains("none.csv"), "{}", run.err);
    assert_eq!(bench.run(&["resplan", "plan", "none.toml"]).code, 1);
    assert_eq!(bench.run(&["ledger", "show", "none"]).code, 1);
    let run = bench.run(&["resplan", "release", &spec, &spec, "-o", "out", "--ledger", "none"]);
    assert!(run.code == 1 && run.err.contains("E0105"), "{}", run.err);
}

#[test]
fn every_error_code_can_be_explained_and_others_cannot() {
    let bench = Bench::new();
    let run = bench.run(&["explain", "e0301"]);
    assert!(run.code == 0 && run.out.starts_with("E0301: invalid data (exit code 3)"), "{}", run.out);
    assert_eq!(bench.run(&["explain", "E9999"]).code, 2);
}

#[test]
fn completions_and_the_manual_name_every_subcommand() {
    let bench = Bench::new();
    for words in [["completions", "bash"], ["completions", "zsh"], ["completions", "fish"]] {
        let run = bench.run(&words);
        assert!(run.code == 0 && run.out.contains("resplan") && run.out.contains("ledger"));
    }
    let manual = bench.run(&["man"]);
    assert!(manual.code == 0 && manual.out.contains("simulate") && manual.out.contains(".TH"));
    assert_eq!(bench.run(&["--help"]).code, 0);
    assert_eq!(bench.run(&["--version"]).code, 0);
}

#[test]
fn no_colour_leaves_no_escape() {
    let bench = Bench::new();
    let job = fixture("jobs/titanic.toml");
    let run = bench.run(&["resplan", "plan", job.to_str().unwrap()]);
    assert!(!run.out.contains('\u{1b}') && run.out.contains("Class × Sex"), "not a terminal: no escapes");
}

#[test]
fn weights_are_compared_on_the_command_line_and_written_in_the_spec() {
    let bench = Bench::new();
    let default = bench.write("s.toml", &spec(""));
    let equal = bench.write("e.toml", &spec("weights = \"equal-error\""));
    let compared = bench.json(&["resplan", "plan", &default, "--weights", "equal-error", "--json"]);
    assert_eq!(compared, {
        let mut written = bench.json(&["resplan", "plan", &equal, "--json"]);
        written["title"] = compared["title"].clone();
        written
    });
    let sds: Vec<f64> = compared["marginals"].as_array().unwrap().iter().map(|m| m["sd"].as_f64().unwrap()).collect();
    assert!(sds.iter().all(|sd| (sd / sds[0] - 1.0).abs() < 1e-9), "{sds:?}");
    // What would be stored is the spec, so a plan with other weights is not.
    let run = bench.run(&["resplan", "plan", &default, "--weights", "by-tables", "-o", "p.resplan"]);
    assert_eq!(run.code, 2);
}
