//! `disclosure screen`: closed forms, an actual table, the search.

use crate::support::{self, Bench, Run, fixture};
use serde_json::Value;

const SPEC: &str = "rows = 150\ncardinalities = [4, 4, 4, 4]\nclasses = 2\nsuppress_below = 3\nnoise = 2\n";

fn near(value: &Value, want: f64) -> bool {
    (value.as_f64().unwrap() / want - 1.0).abs() < 1e-9
}

fn job(name: &str) -> String {
    fixture(&format!("jobs/{name}")).to_str().unwrap().to_owned()
}

#[test]
fn the_model_has_every_quantity_by_its_fixed_name() {
    let bench = Bench::new();
    let spec = bench.write("spec.toml", &format!("{SPEC}alpha = 0.05\nbeta = 0.05\ngamma = 0.05\nmax_order = 4\n"));
    let report = bench.json(&["screen", "model", &spec, "--json"]);
    assert_eq!(report["schema"], "disclosure.screen/1");
    assert_eq!(report["promise"]["kind"], "proxy");
    for (name, want) in [
        ("d_eff", 22.562905294731053),
        ("d_true", 12.025795102362476),
        ("var_eff", 3.128513698221799),
        ("var_true", 1.202098359702453),
        ("var_true_exact", 2.431242443878697),
        ("d_min", 18.185683561101182),
        ("d_true_min", 9.312484456994923),
        ("i_eff", 4.5125810589462105),
        ("i_true", 2.4051590204724955),
        ("i_min", 3.6371367122202365),
        ("i_true_min", 1.8624968913989846),
        ("p_row_eff", 0.09025114268925673),
        ("p_row_het", 0.09244725130549546),
        ("p_row_min", 0.15528441758045086),
        ("expected_accuracy", 1.0 - 0.09025114268925673),
        ("expected_accuracy_het", 1.0 - 0.09244725130549546),
        ("hard_row_accuracy", 1.0 - 0.15528441758045086),
        ("failure_bound", 1.0),
        ("blind_accuracy", 0.5),
    ] {
        assert!(near(&report[name], want), "{name}: {} {want}", report[name]);
    }
    let interval = &report["accuracy_interval"];
    assert!(near(&interval["low"], 0.86) && near(&interval["high"], 143.0 / 150.0) && near(&interval["level"], 0.95));
    assert_eq!(report["meets_target"], false);
    assert!(report["required_i_true_min"].as_f64().unwrap() > 3.0);
    assert!(report["estimate"]["accuracy"].as_f64().unwrap() < 0.82);
}

#[test]
fn what_people_read_says_the_kind_of_promise_first() {
    let bench = Bench::new();
    let run = bench.run(&["screen", "model", &bench.write("spec.toml", SPEC)]);
    assert_eq!(run.code, 0, "{}", run.err);
    let at = |words: &str| run.out.find(words).unwrap_or_else(|| panic!("{words}: {}", run.out));
    assert!(at("a solver is expected to reconstruct 81.4 %") < at("proxy    a model's prediction"));
    assert!(at("no guarantee") < at("guessing the most frequent class"));
    assert!(at("source's proxy") < at("variance, exact"));
}

#[test]
fn missing_the_own_target_prints_the_report_and_ends_in_exit_code_4() {
    let bench = Bench::new();
    let spec = bench.write("spec.toml", &format!("{SPEC}target_accuracy = 0.7\n"));
    let run = bench.run(&["screen", "model", &spec, "--json"]);
    assert_eq!(run.code, 4);
    assert!(run.err.contains("E0415"), "{}", run.err);
    let report: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(report["keeps_target_accuracy"], false);
    let kept = bench.write("kept.toml", &format!("{SPEC}target_accuracy = 0.9\n"));
    assert_eq!(bench.json(&["screen", "model", &kept, "--json"])["keeps_target_accuracy"], true);
}

#[test]
fn the_search_finds_settings_that_the_model_confirms() {
    let bench = Bench::new();
    let spec = bench
        .write("spec.toml", &format!("{SPEC}target_accuracy = 0.7\n[grid]\nsuppress_below = [3, 5]\nnoise = [2, 8]\n"));
    let report = bench.json(&["screen", "search", &spec, "--grid", "grid.csv", "--json"]);
    assert_eq!(report["schema"], "disclosure.screen-search/1");
    assert_eq!(bench.read("grid.csv").lines().count(), 5);
    assert!(bench.read("grid.csv").starts_with("suppress_below,noise,estimated_accuracy,"));
    for (field, name) in [("smallest_suppress_below", "suppress_below"), ("smallest_noise", "noise")] {
        let found = report[field]["value"].as_u64().unwrap();
        let accuracy = |value: u64| {
            let old = if name == "noise" { "noise = 2" } else { "suppress_below = 3" };
            let text = SPEC.replace(old, &format!("{name} = {value}"));
            bench.json(&["screen", "model", &bench.write("changed.toml", &text), "--json"])["estimate"]["accuracy"]
                .as_f64()
                .unwrap()
        };
        assert!(accuracy(found) <= 0.7 && accuracy(found - 1) > 0.7, "{field}: {found}");
    }
    let never = bench.write("never.toml", &format!("{SPEC}target_accuracy = 0.4\n"));
    assert_eq!(bench.run(&["screen", "search", &never]).code, 4);
}

#[test]
fn a_table_is_screened_row_by_row() {
    let bench = Bench::new();
    let data = fixture("data/anes96.csv");
    let words = ["screen", "table", &job("screen-voters.toml"), data.to_str().unwrap(), "--rows", "rows.csv", "--json"];
    let report = bench.json(&words);
    assert_eq!(report["schema"], "disclosure.screen-table/1");
    let realised = &report["realised"];
    assert_eq!(realised["everybody"]["people"], 944);
    assert_eq!(realised["classes"].as_array().unwrap().len(), 2);
    // Party and vote go together: attackers reach what no law of independent labels predicts.
    let share = |name: &str| realised[name]["accuracy"].as_f64().or(realised[name].as_f64()).unwrap();
    assert_eq!(realised["attacked"]["accuracy"]["mean"], realised["estimate"]["accuracy"]);
    assert!(share("estimate") > share("labels_independent") + 0.05, "{realised}");
    let rows = bench.read("rows.csv");
    assert_eq!(rows.lines().count(), 945);
    let exposures = support::numbers(&rows, 4);
    assert!(exposures.windows(2).all(|pair| pair[0] >= pair[1]));
    let mean = support::numbers(&rows, 1).iter().sum::<f64>() / 944.0;
    assert!(near(&realised["everybody"]["coverage"]["mean"], mean));
}

/// What the guide prints of a table that is screened; `readme.rs` runs it, as a newcomer does.
pub(crate) fn its_report_is_for_the_owner_and_compares_with_guessing(run: &Run) {
    assert!(run.out.contains("keep this as confidential as the data"), "{}", run.out);
    assert!(run.out.contains("more than guessing"), "{}", run.out);
}

#[test]
fn counts_stand_for_people() {
    let bench = Bench::new();
    let spec = "suppress_below = 2\nnoise = 1\n";
    let rows = "a,b,y\n0,0,x\n0,0,x\n0,0,x\n1,0,y\n1,0,y\n0,1,x\n";
    let counted = "a,b,y,n\n0,0,x,3\n1,0,y,2\n0,1,x,1\n1,1,y,0\n";
    let plain = bench.json(&["screen", "table", &bench.write("a.toml", spec), &bench.write("a.csv", rows), "--json"]);
    let by_count = bench.write("b.toml", &format!("count = \"n\"\n{spec}"));
    let weighted = bench.json(&["screen", "table", &by_count, &bench.write("b.csv", counted), "--json"]);
    for field in ["everybody", "estimate", "identical_features"] {
        assert_eq!(plain["realised"][field], weighted["realised"][field], "{field}");
    }
    assert_eq!(plain["d_true"], weighted["d_true"]);
}

#[test]
fn words_that_make_no_sense_are_refused_with_their_code() {
    let bench = Bench::new();
    let code = |text: &str, subcommand: &str| {
        let run = bench.run(&["screen", subcommand, &bench.write("spec.toml", text), "--json"]);
        let error: Value = serde_json::from_str(&run.err).unwrap();
        assert!(run.out.is_empty(), "{text}");
        (run.code, error["code"].as_str().unwrap().to_owned())
    };
    for (text, subcommand, want) in [
        ("suppress_below = 3\nnoise = 2\n".to_owned(), "model", "E0251"),
        (SPEC.replace("150", "1"), "model", "E0252"),
        (SPEC.replace("[4, 4, 4, 4]", "[]"), "model", "E0252"),
        (SPEC.replace("[4, 4, 4, 4]", "[0]"), "model", "E0252"),
        (SPEC.replace("[4, 4, 4, 4]", "[[0.5, -0.5]]"), "model", "E0252"),
        (SPEC.replace("classes = 2", "classes = [nan]"), "model", "E0252"),
        (SPEC.replace("noise = 2", "noise = 99999999999"), "model", "E0252"),
        (format!("{SPEC}max_order = 0\nempty_query = false\n"), "model", "E0252"),
        (format!("{SPEC}alpha = 1.0\n"), "model", "E0253"),
        (format!("{SPEC}typo = 1\n"), "model", "E0210"),
        (SPEC.to_owned(), "search", "E0255"),
        (format!("{SPEC}target_accuracy = 0.8\n[grid]\nsuppress_below = []\nnoise = [1]\n"), "search", "E0256"),
        (
            format!("{SPEC}target_accuracy = 0.8\n[grid]\nsuppress_below = {:?}\nnoise = [1]\n", vec![5; 101]),
            "search",
            "E0256",
        ),
    ] {
        assert_eq!(code(&text, subcommand), (2, want.to_owned()), "{text}");
        assert_eq!(bench.run(&["explain", want]).code, 0);
    }
}

#[test]
fn tables_that_cannot_be_screened_are_refused_without_a_value_of_theirs() {
    let bench = Bench::new();
    let run = |spec: &str, data: &str, more: &[&str]| {
        let (spec, data) = (bench.write("spec.toml", spec), bench.write("data.csv", data));
        bench.run(&[&["screen", "table", spec.as_str(), data.as_str()], more].concat())
    };
    let spec = "suppress_below = 2\nnoise = 1\n";
    for (more, want) in [("target = \"z\"\n", "E0254"), ("known = [\"y\"]\n", "E0254"), ("known = []\n", "E0254")] {
        let run = run(&format!("{spec}{more}"), "a,y\n0,canary\n1,canary2\n", &[]);
        assert!(run.code == 2 && run.err.contains(want) && !run.err.contains("canary"), "{}", run.err);
    }
    let alone = run(spec, "a,y\n0,canary\n", &[]);
    assert!(alone.code == 3 && alone.err.contains("E0381") && !alone.err.contains("canary"), "{}", alone.err);
    let wide: Vec<String> = (0..40).map(|i| format!("c{i}")).collect();
    let line = |i: usize| (0..40).map(|c| ((i >> (c % 5)) & 1).to_string()).collect::<Vec<_>>().join(",");
    let rows: String = (0..32).map(|i| line(i) + "\n").collect();
    let large =
        run("suppress_below = 1\nnoise = 1\n", &format!("{}\n{rows}", wide.join(",")), &["--max-visits", "100000"]);
    assert!(large.code == 6 && large.err.contains("E0632"), "{}", large.err);
}

/// A label that is the exclusive or of two columns: neither says anything alone, and a released
/// table of both says everything.
#[test]
fn a_target_on_an_actual_table_is_judged_by_an_attack_alone() {
    let bench = Bench::new();
    let lines: String =
        (0..80).map(|row| format!("{},{},{}\n", row / 40, row / 20 % 2, (row / 40) ^ (row / 20 % 2))).collect();
    let data = bench.write("d.csv", &format!("a,b,y\n{lines}"));
    let spec =
        |target: &str| bench.write("s.toml", &format!("target = \"y\"\nsuppress_below = 5\nnoise = 0\n{target}\n"));
    let report = bench.json(&["screen", "table", &spec(""), &data, "--json"]);
    assert_eq!(report["realised"]["estimate"]["accuracy"], 1.0, "the released cells say it plainly");
    for (target, code) in [("target_accuracy = 0.9", "E0415"), ("target_accuracy = 0.999999", "E0415")] {
        let run = bench.run(&["screen", "table", &spec(target), &data]);
        assert!(run.code == 4 && run.err.contains(code), "{target}: {}", run.err);
    }
    // Below 41 every count of these 80 rows is withheld.
    let withheld = bench.write("w.toml", "target = \"y\"\nsuppress_below = 41\nnoise = 0\ntarget_accuracy = 0.9\n");
    let run = bench.run(&["screen", "table", &withheld, &data]);
    assert!(run.code == 4 && run.err.contains("E0417"), "a prediction that is kept shows nothing: {}", run.err);
    let attacked = bench.run(&["screen", "simulate", &withheld, &data, "--trials", "2", "--seed", "1"]);
    assert_eq!(attacked.code, 0, "{}", attacked.err);
    let margin = ["screen", "simulate", &withheld, &data, "--trials", "2", "--seed", "1", "--margin", "0.41"];
    assert_eq!(bench.run(&margin).code, 4, "guessing alone has .5, above .9 less .41");
}
