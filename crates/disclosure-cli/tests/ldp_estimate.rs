//! From reports to joint counts, plans and simulations, from the outside.

use crate::support::{Bench, Run, fixture};
use serde_json::Value;

const SCHEMA: &str = "order = 2\n\
    [[feature]]\nname = \"a\"\nvalues = [\"no\", \"yes\"]\nprotocol = \"rr\"\np = 0.1\nq = 0.8\n\
    [[feature]]\nname = \"b\"\nvalues = [\"no\", \"yes\"]\nprotocol = \"rr\"\np = 0.1\nq = 0.8\n\
    [[feature]]\nname = \"c\"\nvalues = [\"x\", \"y\", \"z\"]\nprotocol = \"grr\"\nepsilon = 1.0\n";

/// Reports of 2000 people whose counts of a, b and both are those of the golden table: 900, 640,
/// 380.
fn golden_bits() -> String {
    let row = |i: usize| match i {
        0..380 => "1,1,1,0,0\n",
        380..900 => "1,0,0,1,0\n",
        900..1160 => "0,1,0,0,1\n",
        _ => "0,0,1,0,0\n",
    };
    let rows: String = (0..2000).map(row).collect();
    format!("a,b,c=x,c=y,c=z\n{rows}")
}

/// A bench with the schema and a state of those reports.
fn counted() -> Bench {
    let bench = Bench::new();
    bench.write("schema.toml", SCHEMA);
    bench.write("bits.csv", &golden_bits());
    let run = bench.run(&[
        "ldp",
        "aggregate",
        "schema.toml",
        "--format",
        "csv",
        "--vouch-for-noise",
        "bits.csv",
        "-o",
        "state.bin",
    ]);
    assert_eq!(run.code, 0, "{}", run.err);
    bench
}

fn estimate(bench: &Bench, words: &[&str]) -> Value {
    bench.json(&[&["ldp", "estimate", "schema.toml", "state.bin", "--json"], words].concat())
}

#[track_caller]
fn assert_refused(run: &Run, code: &str, exit: i32) {
    assert!(run.err.contains(code), "{code}: {}", run.err);
    assert_eq!(run.code, exit, "{}", run.err);
    assert!(run.out.is_empty(), "nothing is printed");
}

#[track_caller]
fn assert_close(value: &Value, wanted: f64) {
    let got = value.as_f64().unwrap();
    assert!((got - wanted).abs() <= 1e-9 * wanted.abs(), "{got} for {wanted}");
}

#[test]
fn estimates_from_a_state_are_the_golden_ones() {
    let bench = counted();
    let report = estimate(&bench, &["--sets", "a;b;a,b", "--covariance", "--pairs", "--feasible"]);
    assert_eq!(report["schema"], "disclosure.ldp-estimate/1");
    assert_eq!((report["n"].as_u64(), report["kind"].as_str()), (Some(2000), Some("calibration")));
    let sets = report["sets"].as_array().unwrap();
    assert_eq!(sets[2]["columns"], serde_json::json!(["a", "b"]));
    for (set, count) in sets.iter().zip([1000.0, 4400.0 / 7.0, 24_600.0 / 49.0]) {
        assert_close(&set["count"], count);
        assert_eq!(set["small_count"], false);
        let ends = set["ci95"].as_array().unwrap();
        assert!(ends[0].as_f64().unwrap() < count && count < ends[1].as_f64().unwrap());
        assert_close(&set["feasible"]["least_squares"], set["count"].as_f64().unwrap());
    }
    assert_close(&sets[0]["se_fixed_population"], (25_000.0_f64 / 49.0).sqrt());
    assert_close(&sets[2]["se_super_population"], (4_509_240_000.0_f64 / 4_799_599.0).sqrt());
    assert_close(&report["covariance"][0][2], 300_600_000.0 / 685_657.0);
    let pair = &report["pairs"][0];
    assert_close(&pair["correlation"]["value"], 0.404_443_470_360_664_7);
    assert_close(&pair["correlation"]["standard_error"], 0.044_937_074_073_960_3);
    assert_close(&pair["independence"]["pearson"], 78.579_916_815_210_94);
    assert_eq!(pair["correlation"]["ci95"]["kind"], "within");
    assert_close(&pair["feasible"][2], 24_600.0 / 49.0);
    let fixed = estimate(&bench, &["--sets", "a,b", "--population", "fixed", "--pairs"]);
    assert_close(&fixed["pairs"][0]["correlation"]["standard_error"], 0.040_489_324_461_555_9);
}

#[test]
fn without_sets_every_column_and_pair_of_features_is_estimated() {
    let bench = counted();
    // 5 columns, and pairs of different features: a-b, a-c (3), b-c (3).
    assert_eq!(estimate(&bench, &[])["sets"].as_array().unwrap().len(), 12);
    assert_eq!(estimate(&bench, &["--order", "1"])["sets"].as_array().unwrap().len(), 5);
    // Columns by number, and the value that an rr column stands for.
    let report = estimate(&bench, &["--sets", "#1,#2;a=yes,c=z"]);
    assert_eq!(report["sets"][0]["columns"], serde_json::json!(["a", "b"]));
    assert_eq!(report["sets"][1]["columns"], serde_json::json!(["a", "c=z"]));
    let table = bench.run(&["ldp", "estimate", "schema.toml", "state.bin", "--pairs"]);
    assert!(table.out.contains("calibration") && table.out.contains("a and b") && table.out.contains("a × b"));
}

#[test]
fn questions_that_the_state_cannot_answer_are_refused_with_what_to_do() {
    let bench = counted();
    let ask = |words: &[&str]| bench.run(&[&["ldp", "estimate", "schema.toml", "state.bin"], words].concat());
    assert_refused(&ask(&["--sets", "a,nobody"]), "E0266", 2);
    assert_refused(&ask(&["--sets", "a=no"]), "E0266", 2);
    assert_refused(&ask(&["--sets", "#0"]), "E0266", 2);
    assert_refused(&ask(&["--sets", "#6"]), "E0266", 2);
    assert_refused(&ask(&["--sets", ""]), "E0266", 2);
    assert_refused(&ask(&["--sets", "c=x,c=y"]), "E0267", 2);
    assert_refused(&ask(&["--sets", "a,b,c=x"]), "E0268", 2);
    assert_refused(&ask(&["--sets", "a", "--order", "2"]), "cannot be used with", 2);
    bench.write("few.csv", "a,b,c=x,c=y,c=z\n1,1,0,0,1\n");
    assert_eq!(
        bench
            .run(&[
                "ldp",
                "aggregate",
                "schema.toml",
                "--format",
                "csv",
                "--vouch-for-noise",
                "few.csv",
                "-o",
                "few.bin"
            ])
            .code,
        0
    );
    assert_refused(&bench.run(&["ldp", "estimate", "schema.toml", "few.bin"]), "E0395", 3);
    let many: String = (0..70)
        .map(|i| format!("[[feature]]\nname = \"f{i}\"\nvalues = [\"0\", \"1\"]\nprotocol = \"rr\"\nepsilon = 1.0\n"))
        .collect();
    bench.write("many.toml", &format!("order = \"reports\"\n{many}"));
    let names: Vec<String> = (0..70).map(|i| format!("f{i}")).collect();
    bench.write("many.csv", &format!("{}\n{}", names.join(","), format!("{}\n", vec!["1"; 70].join(",")).repeat(3)));
    assert_eq!(
        bench
            .run(&[
                "ldp",
                "aggregate",
                "many.toml",
                "--format",
                "csv",
                "--vouch-for-noise",
                "many.csv",
                "-o",
                "many.bin"
            ])
            .code,
        0
    );
    assert_refused(&bench.run(&["ldp", "estimate", "many.toml", "many.bin", "--order", "6"]), "E0645", 6);
    // What no state answers is refused before one is read.
    assert_refused(&bench.run(&["ldp", "estimate", "many.toml", "/dev/zero", "--order", "6"]), "E0645", 6);
    assert_refused(&bench.run(&["ldp", "estimate", "many.toml", "many.bin", "--covariance", "--json"]), "E0646", 6);
    let all = names.join(",");
    assert_refused(&bench.run(&["ldp", "estimate", "many.toml", "many.bin", "--sets", &all]), "E0646", 6);
}

#[test]
fn a_real_table_goes_from_rows_to_counts_within_its_errors() {
    let bench = Bench::new();
    let (schema, data) = (fixture("jobs/ldp-voters.toml"), fixture("data/anes96.csv"));
    let (schema, data) = (schema.to_str().unwrap(), data.to_str().unwrap());
    assert_eq!(bench.run(&["ldp", "encode", schema, data, "-o", "reports.bin"]).code, 0);
    assert_eq!(bench.run(&["ldp", "aggregate", schema, "reports.bin", "-o", "state.bin"]).code, 0);
    let report = bench.json(&["ldp", "estimate", schema, "state.bin", "--sets", "vote;vote,party=6", "--json"]);
    assert_eq!(report["n"], 944);
    for (set, truth) in report["sets"].as_array().unwrap().iter().zip([393.0, 167.0]) {
        let (count, se) = (set["count"].as_f64().unwrap(), set["se_fixed_population"].as_f64().unwrap());
        assert!((count - truth).abs() < 6.2 * se, "{count} for {truth}, se {se}: once in 10^9 runs");
    }
}

/// 944 voters answer two of three questions together: counts are within their errors, and the
/// schema takes one epsilon for all.
#[test]
fn features_that_are_answered_together_go_from_rows_to_counts() {
    let bench = Bench::new();
    let data = fixture("data/anes96.csv");
    let text = std::fs::read_to_string(fixture("jobs/ldp-voters.toml")).unwrap();
    let joint = joint_of(&text);
    bench.write("joint.toml", &format!("epsilon = 5.0\nfeatures_per_person = 2\n{joint}"));
    let data = data.to_str().unwrap();
    assert_eq!(bench.run(&["ldp", "encode", "joint.toml", data, "-o", "reports.bin"]).code, 0);
    assert_eq!(bench.run(&["ldp", "aggregate", "joint.toml", "reports.bin", "-o", "state.bin"]).code, 0);
    let report = bench.json(&["ldp", "estimate", "joint.toml", "state.bin", "--sets", "vote;vote,party=6", "--json"]);
    assert!((report["epsilon_per_report"].as_f64().unwrap() - 5.0).abs() < 1e-9);
    for (set, truth) in report["sets"].as_array().unwrap().iter().zip([393.0, 167.0]) {
        let (count, se) = (set["count"].as_f64().unwrap(), set["se_fixed_population"].as_f64().unwrap());
        assert!((count - truth).abs() < 6.2 * se, "{count} for {truth}, se {se}: once in 10^9 runs");
    }
    for refused in [
        joint.clone(),
        format!("epsilon = 5.0\n{text}"),
        format!("epsilon = 5.0\n{}", joint.replacen("\"joint\"", "\"grr\"\nepsilon = 1.0", 1)),
        format!("epsilon = 5.0\n{}", joint.replacen("\"joint\"", "\"joint\"\nepsilon = 1.0", 1)),
    ] {
        bench.write("refused.toml", &refused);
        assert_refused(&bench.run(&["ldp", "encode", "refused.toml", data, "-o", "none.bin"]), "E0262", 2);
    }
}

/// A schema with every protocol and its numbers exchanged for `joint`.
fn joint_of(text: &str) -> String {
    let is_number =
        |line: &&str| ["epsilon", "p =", "q =", "variant", "buckets"].iter().any(|key| line.starts_with(key));
    let lines = text.lines().filter(|line| !is_number(line));
    let joint = lines.map(|line| if line.starts_with("protocol") { "protocol = \"joint\"" } else { line });
    joint.collect::<Vec<_>>().join("\n")
}

/// 3,000 people answer one question each, about one of three features or two of them, and name two
/// of five cities in another schema: counts are within their errors.
#[test]
fn questions_and_sets_of_values_go_from_rows_to_counts() {
    let bench = Bench::new();
    let rows: String = (0..3000)
        .map(|i| {
            let bits =
                [i % 2, u32::from(i % 5 < 2), u32::from(i % 3 == 0)].map(|bit| if bit == 1 { "yes" } else { "no" });
            format!("{},{}\n", bits.join(","), ["a", "b", "c", "d", "e"][(i % 10).min(4) as usize])
        })
        .collect();
    bench.write("data.csv", &format!("x,y,z,city\n{rows}"));
    let feature =
        |name: &str| format!("[[feature]]\nname = \"{name}\"\nvalues = [\"no\", \"yes\"]\nprotocol = \"parity\"\n");
    let features = ["x", "y", "z"].map(feature).concat();
    let parity = format!("epsilon = 3.0\n{features}");
    let set = "[[feature]]\nname = \"city\"\nvalues = [\"a\", \"b\", \"c\", \"d\", \"e\"]\nprotocol = \"ss\"\nsize = 2\nepsilon = 2.0\n";
    let cases = [
        (&parity[..], 3.0, "x;x,y;y,z", [1500.0, 600.0, 400.0]),
        (set, 2.0, "city=a;city=c;city=e", [300.0, 300.0, 1800.0]),
    ];
    for (schema, epsilon, sets, truths) in cases {
        bench.write("schema.toml", schema);
        assert_eq!(bench.run(&["ldp", "encode", "schema.toml", "data.csv", "-o", "reports.bin"]).code, 0);
        assert_eq!(bench.run(&["ldp", "aggregate", "schema.toml", "reports.bin", "-o", "state.bin"]).code, 0);
        let report = bench.json(&["ldp", "estimate", "schema.toml", "state.bin", "--sets", sets, "--json"]);
        assert!((report["epsilon_per_report"].as_f64().unwrap() - epsilon).abs() < 1e-9);
        for (set, truth) in report["sets"].as_array().unwrap().iter().zip(truths) {
            let (count, se) = (set["count"].as_f64().unwrap(), set["se_fixed_population"].as_f64().unwrap());
            assert!((count - truth).abs() < 6.2 * se && se > 1.0, "{count} for {truth}, se {se}: once in 10^9 runs");
        }
    }
    bench.write("schema.toml", &parity);
    assert_eq!(bench.run(&["ldp", "encode", "schema.toml", "data.csv", "-o", "reports.bin"]).code, 0);
    assert_eq!(bench.run(&["ldp", "aggregate", "schema.toml", "reports.bin", "-o", "state.bin"]).code, 0);
    let all = bench.json(&["ldp", "estimate", "schema.toml", "state.bin", "--pairs", "--json"]);
    assert_eq!((all["sets"].as_array().unwrap().len(), all["pairs"].as_array().unwrap().len()), (6, 3));
    assert_refused(&bench.run(&["ldp", "estimate", "schema.toml", "state.bin", "--sets", "x,y,z"]), "E0268", 2);
    for (refused, code) in [
        (features.clone(), "E0262"),
        (format!("alone = 1.0\n{parity}"), "E0261"),
        (format!("features_per_person = 2\n{parity}"), "E0262"),
        (format!("alone = 0.5\n{set}"), "E0262"),
        (parity.replacen("\"parity\"", "\"rr\"\nepsilon = 1.0", 1), "E0262"),
        (set.replace("size = 2", "size = 5"), "E0261"),
        (set.replace("\"ss\"", "\"grr\""), "E0262"),
    ] {
        bench.write("refused.toml", &refused);
        assert_refused(&bench.run(&["ldp", "encode", "refused.toml", "data.csv", "-o", "none.bin"]), code, 2);
    }
}

#[test]
fn a_plan_says_plainly_when_splitting_is_worse() {
    let bench = Bench::new();
    let job = fixture("jobs/ldp-plan.toml");
    let report = bench.json(&["ldp", "plan", job.to_str().unwrap(), "--json"]);
    assert_eq!((&report["schema"], &report["kind"]), (&"disclosure.ldp-plan/1".into(), &"calibration".into()));
    let pairs = &report["pairs"];
    assert_eq!(pairs["splitting_is_worse"], true);
    assert!(pairs["price_of_splitting"].as_f64().unwrap() > 6.0);
    let best = &pairs["designs"][0];
    assert_eq!((&best["design"], &best["per_person"]), (&"joint_symbol".into(), &4.into()));
    assert_close(&best["variance"], 0.871_133_207_059_324_5);
    for design in pairs["designs"].as_array().unwrap() {
        assert!(design["worst_variance"].as_f64().unwrap() >= design["variance"].as_f64().unwrap());
    }
    let bits = pairs["designs"].as_array().unwrap().iter().find(|d| d["design"] == "bits").unwrap();
    assert_close(&bits["variance"], 17.780_877_170_230_614);
    assert_eq!(bits["reports_needed"], 711_236);
    assert_eq!(report["features"][0]["protocols"].as_array().unwrap().len(), 6);
    let table = bench.run(&["ldp", "plan", job.to_str().unwrap()]);
    assert!(table.out.contains("do not split epsilon over the bits") && table.out.contains("super-features of"));
    let own =
        bench.write("own.toml", "epsilon_per_feature = 1.0\nfeatures = 8\nfrequency = 0.3\npair_frequency = 0.09\n");
    let own = bench.json(&["ldp", "plan", &own, "--json"]);
    assert_eq!(own["pairs"]["splitting_is_worse"], false);
    assert_eq!(own["pairs"]["epsilon_per_report"], 8.0);
}

#[test]
fn plans_that_cannot_be_are_refused() {
    let bench = Bench::new();
    let whole = "features = 8\nfrequency = 0.3\npair_frequency = 0.09\n";
    for (text, code) in [
        ("epsilon = 1.0\n".to_owned(), "E0269"),
        (whole.to_owned(), "E0269"),
        (format!("epsilon = 1.0\nepsilon_per_feature = 1.0\n{whole}"), "E0269"),
        (format!("epsilon = -1.0\n{whole}"), "E0269"),
        (format!("epsilon = nan\n{whole}"), "E0269"),
        (format!("epsilon = 1.0\nreports = 0\n{whole}"), "E0269"),
        (format!("epsilon = 1.0\nstandard_error = 2.0\n{whole}"), "E0269"),
        ("epsilon = 1.0\nfeatures = 8\nfrequency = 0.3\npair_frequency = 0.4\n".to_owned(), "E0269"),
        ("epsilon = 1.0\nfeatures = 8\n".to_owned(), "E0269"),
        (format!("epsilom = 1.0\n{whole}"), "E0210"),
        ("[[feature]]\nname = \"x\"\nvalues = 1\nepsilon = 1.0\nfrequency = 0.1\n".to_owned(), "E0269"),
    ] {
        let file = bench.write("plan.toml", &text);
        assert_refused(&bench.run(&["ldp", "plan", &file]), code, 2);
    }
}

#[test]
fn a_simulation_is_repeatable_and_its_claims_hold() {
    let bench = Bench::new();
    let schema = bench.write("schema.toml", SCHEMA);
    let rows: String = (0..300)
        .map(|i| format!("{},{},{}\n", ["no", "yes"][i % 2], ["no", "yes"][i / 3 % 2], ["x", "y", "z"][i % 3]))
        .collect();
    let data = bench.write("data.csv", &format!("a,b,c\n{rows}"));
    let words =
        ["ldp", "simulate", &schema, &data, "--sets", "a;a,b;b,c=x", "--trials", "400", "--seed", "5", "--json"];
    let (one, other) = (bench.run(&words), bench.run(&words));
    assert_eq!((one.code, &one.out), (0, &other.out));
    let report: Value = serde_json::from_str(&one.out).unwrap();
    assert_eq!(report["sets"][0]["truth"], 150);
    for set in report["sets"].as_array().unwrap() {
        let ratio = set["sd_measured"].as_f64().unwrap() / set["sd_predicted"].as_f64().unwrap();
        assert!((0.8..1.25).contains(&ratio), "{ratio}");
        assert!(set["coverage"].as_f64().unwrap() > 0.88);
    }
    let table = bench.run(&words[..words.len() - 1]);
    assert!(table.out.contains("do not publish any of this"));
    let many = ["ldp", "simulate", &schema, &data, "--trials", "1000000000", "--seed", "5"];
    assert_refused(&bench.run(&many), "E0647", 6);
}

#[test]
fn work_that_few_rows_do_not_show_is_refused_before_it_is_begun() {
    let bench = Bench::new();
    let feature =
        |i| format!("[[feature]]\nname = \"f{i}\"\nvalues = [\"0\", \"1\"]\nprotocol = \"rr\"\nepsilon = 1.0\n");
    let features: String = (0..20).map(feature).collect();
    let names: Vec<String> = (0..20).map(|i| format!("f{i}")).collect();
    let row = vec!["0"; 20].join(",");
    let data = bench.write("data.csv", &format!("{}\n{row}\n{row}\n", names.join(",")));
    // Two rows, but a table of a million cells a trial.
    let full = bench.write("full.toml", &format!("order = \"full\"\n{features}"));
    let words = ["ldp", "simulate", &full, &data, "--order", "1", "--trials", "100000", "--seed", "1"];
    assert_refused(&bench.run(&words), "E0647", 6);
    // Few rows, but very many subsets.
    let [state, reports] = ["state.bin", "reports.bin"].map(|name| bench.write(name, ""));
    assert_eq!(bench.run(&["ldp", "encode", &full, &data, "-o", &reports]).code, 0);
    assert_eq!(bench.run(&["ldp", "aggregate", &full, &reports, "-o", &state]).code, 0);
    let sets = vec![names.join(","); 1000].join(";");
    assert_refused(&bench.run(&["ldp", "estimate", &full, &state, "--sets", &sets]), "E0648", 6);
    let wide = vec![names[..12].join(","); 200].join(";");
    assert_refused(&bench.run(&["ldp", "estimate", &full, &state, "--sets", &wide, "--feasible"]), "E0648", 6);
    assert_eq!(bench.run(&["ldp", "estimate", &full, &state, "--order", "2"]).code, 0);
}
