//! Reports and states, from the outside.

use crate::support::{Bench, Run, fixture};
use serde_json::Value;

const SCHEMA: &str = "order = 2\n\
    [[feature]]\nname = \"smoker\"\nvalues = [\"no\", \"yes\"]\nprotocol = \"rr\"\nepsilon = 1.0\n\
    [[feature]]\nname = \"city\"\nvalues = [\"a\", \"b\", \"c\"]\nprotocol = \"ue\"\np = 0.2\nq = 0.7\n";
const ROWS: &str = "city,smoker\na,yes\nb,no\nc,no\na,yes\nb,yes\n";

fn bench() -> Bench {
    let bench = Bench::new();
    bench.write("s.toml", SCHEMA);
    bench.write("d.csv", ROWS);
    bench
}

fn encode(bench: &Bench, output: &str) {
    let run = bench.run(&["ldp", "encode", "s.toml", "d.csv", "-o", output]);
    assert_eq!(run.code, 0, "{}", run.err);
}

fn refused(run: &Run) -> (String, String) {
    let error: Value = serde_json::from_str(run.err.lines().last().unwrap_or_default())
        .unwrap_or_else(|_| panic!("exit {}: {}{}", run.code, run.out, run.err));
    assert_eq!(error["exit_code"], run.code);
    (error["code"].as_str().unwrap().to_owned(), error["message"].as_str().unwrap().to_owned())
}

fn bytes(bench: &Bench, name: &str) -> Vec<u8> {
    std::fs::read(bench.path(name)).unwrap()
}

#[test]
fn rows_become_reports_and_reports_a_state() {
    let bench = bench();
    let report = bench.json(&["ldp", "encode", "s.toml", "d.csv", "-o", "r.bin", "--json"]);
    assert_eq!(report["schema"], "disclosure.ldp-encode/1");
    assert_eq!((&report["reports"], &report["report_bytes"]), (&5.into(), &1.into()));
    // ln(0.7 0.8 / (0.2 0.3)) beside 1.
    let epsilon = report["epsilon_per_report"].as_f64().unwrap();
    assert!((epsilon - 1.0 - (28.0_f64 / 3.0).ln()).abs() < 1e-9, "{epsilon}");
    assert_eq!(bytes(&bench, "r.bin").len(), 52 + 5);
    let state =
        bench.json(&["ldp", "aggregate", "s.toml", "r.bin", "r.bin", "--allow-repeats", "-o", "s.bin", "--json"]);
    assert_eq!(
        (&state["schema"], &state["n"], &state["keeps"]),
        (&"disclosure.ldp-state/1".into(), &10.into(), &"2".into())
    );
}

#[test]
fn the_promise_stands_first_and_no_answer_is_shown() {
    let bench = bench();
    let run = bench.run(&["ldp", "encode", "s.toml", "d.csv", "-o", "r.bin"]);
    assert!(run.out.trim_start().starts_with("Guarantee: epsilon 3.2336"), "{}", run.out);
    let open = SCHEMA.replace("p = 0.2", "p = 0.0");
    bench.write("s.toml", &open);
    let run = bench.run(&["ldp", "encode", "s.toml", "d.csv", "-o", "r.bin"]);
    assert!(run.out.trim_start().starts_with("No guarantee: epsilon is infinite"), "{}", run.out);
    let report = bench.json(&["ldp", "encode", "s.toml", "d.csv", "-o", "r.bin", "--json"]);
    assert!(report["epsilon_per_report"].is_null());
}

#[test]
fn two_runs_draw_other_reports() {
    let bench = bench();
    bench.write("d.csv", &format!("{ROWS}{}", "a,no\n".repeat(100)));
    encode(&bench, "r.bin");
    encode(&bench, "t.bin");
    assert_ne!(bytes(&bench, "r.bin"), bytes(&bench, "t.bin"));
}

#[test]
fn merging_gives_the_bytes_of_counting_together_in_any_order() {
    let bench = bench();
    for order in ["2", "\"full\"", "\"reports\""] {
        bench.write("s.toml", &SCHEMA.replace("order = 2", &format!("order = {order}")));
        encode(&bench, "a.bin");
        encode(&bench, "b.bin");
        for (words, name) in [(["a.bin", "b.bin"], "both"), (["a.bin", "a.bin"], "twice")] {
            let run = bench.run(&["ldp", "aggregate", "s.toml", words[0], words[1], "--allow-repeats", "-o", name]);
            assert_eq!(run.code, 0, "{}", run.err);
        }
        for name in ["a", "b"] {
            bench.json(&["ldp", "aggregate", "s.toml", &format!("{name}.bin"), "-o", name, "--json"]);
        }
        let merged = bench.json(&["ldp", "merge", "b", "a", "-o", "ba", "--json"]);
        assert_eq!(merged["n"], 10);
        assert_eq!(bytes(&bench, "ba"), bytes(&bench, "both"));
        bench.json(&["ldp", "merge", "a", "a", "--allow-repeats", "-o", "aa", "--json"]);
        assert_eq!(bytes(&bench, "aa"), bytes(&bench, "twice"));
    }
}

#[test]
fn bits_that_were_randomised_elsewhere_are_counted() {
    let bench = bench();
    bench.write("bits.csv", "city=a,smoker,city=c,city=b\n1,0,0,1\n0,1,1,0\n");
    let words =
        ["ldp", "aggregate", "s.toml", "--format", "csv", "--vouch-for-noise", "bits.csv", "-o", "s.bin", "--json"];
    assert_eq!(bench.json(&words)["n"], 2);
    bench.write("bits.csv", "city=a,smoker,city=c,city=b\n1,0,2,1\n");
    assert_eq!(refused(&bench.run(&words)).0, "E0316");
    let symbols = SCHEMA.replace("\"ue\"\np = 0.2\nq = 0.7", "\"grr\"\nq = 0.7");
    bench.write("s.toml", &symbols);
    bench.write("bits.csv", "city=a,smoker,city=c,city=b\n1,0,0,0\n1,0,0,1\n");
    let (code, message) = refused(&bench.run(&words));
    assert_eq!(code, "E0393");
    assert!(message.contains("report 2"), "{message}");
    bench.write("s.toml", &format!("features_per_person = 1\n{SCHEMA}"));
    assert_eq!(refused(&bench.run(&words)).0, "E0264");
}

#[test]
fn nobody_is_counted_twice_and_bits_of_others_have_no_epsilon_by_themselves() {
    let bench = bench();
    encode(&bench, "r.bin");
    let twice = bench.run(&["ldp", "aggregate", "s.toml", "r.bin", "r.bin", "-o", "s.bin", "--json"]);
    assert_eq!(refused(&twice).0, "E0399");
    assert!(!bench.path("s.bin").exists());
    assert_eq!(bench.run(&["ldp", "aggregate", "s.toml", "r.bin", "-o", "s.bin"]).code, 0);
    let twice = bench.run(&["ldp", "merge", "s.bin", "s.bin", "-o", "m.bin", "--json"]);
    assert_eq!(refused(&twice).0, "E0399");
    let allowed = bench.json(&["ldp", "merge", "s.bin", "s.bin", "--allow-repeats", "-o", "m.bin", "--json"]);
    assert_eq!(allowed["n"], 10);
    bench.write("bits.csv", "city=a,smoker,city=c,city=b\n1,0,0,1\n");
    let words = ["ldp", "aggregate", "s.toml", "--format", "csv", "bits.csv", "-o", "b.bin", "--json"];
    assert_eq!(refused(&bench.run(&words)).0, "E0394");
    assert!(!bench.path("b.bin").exists());
}

#[test]
fn counts_that_no_people_have_are_named() {
    // A thousand reports that all say what one in four says by chance.
    let bench = bench();
    let rr = |name: &str| {
        format!("[[feature]]\nname = \"{name}\"\nvalues = [\"0\", \"1\"]\nprotocol = \"rr\"\nepsilon = 0.5\n")
    };
    bench.write("two.toml", &format!("{}{}", rr("a"), rr("b")));
    bench.write("bits.csv", &format!("a,b\n{}", "1,1\n".repeat(1000)));
    let words = ["ldp", "aggregate", "two.toml", "--format", "csv", "--vouch-for-noise", "bits.csv", "-o", "s.bin"];
    assert_eq!(bench.run(&words).code, 0);
    let report = bench.json(&["ldp", "estimate", "two.toml", "s.bin", "--json"]);
    let sets = report["sets"].as_array().unwrap();
    assert!(sets.iter().all(|set| set["impossible"] == true && set["ci95"][1] == 1000.0), "{sets:?}");
    assert!(sets[2]["count"].as_f64().unwrap() > 6000.0);
    // (1 - p) / (q - p) of a bit is 2.54; of both, its square.
    assert!((sets[2]["one_false_report"].as_f64().unwrap() - 6.459).abs() < 0.01, "{sets:?}");
    assert!(bench.run(&["ldp", "estimate", "two.toml", "s.bin"]).out.contains("impossible"));
}

#[test]
fn files_that_are_off_are_refused_with_where_and_nothing_is_written() {
    let bench = bench();
    encode(&bench, "r.bin");
    let good = bytes(&bench, "r.bin");
    let aggregate = |content: &[u8]| {
        std::fs::write(bench.path("x.bin"), content).unwrap();
        refused(&bench.run(&["ldp", "aggregate", "s.toml", "r.bin", "x.bin", "-o", "s.bin", "--json"]))
    };
    let with = |at: usize, byte: u8| {
        let mut content = good.clone();
        content[at] = byte;
        content
    };
    assert_eq!(aggregate(b"").0, "E0391");
    assert_eq!(aggregate(b"city,smoker\n").0, "E0391");
    assert_eq!(aggregate(&good[..51]).0, "E0391");
    let (code, message) = aggregate(&good[..good.len() - 1]);
    assert!(code == "E0391" && message.contains("56 bytes"), "{message}");
    assert_eq!(aggregate(&[good.as_slice(), &[0]].concat()).0, "E0391");
    assert_eq!(aggregate(&with(19, 0xff)).0, "E0391", "a giant count");
    assert_eq!(aggregate(&with(30, good[30] ^ 1)).0, "E0392");
    let (code, message) = aggregate(&with(54, 0xf0));
    assert!(code == "E0393" && message.contains("report 3") && message.contains("padding"), "{message}");
    assert!(!bench.names().contains(&"s.bin".to_owned()));
    let run = bench.run(&["ldp", "merge", "r.bin", "-o", "m.bin", "--json"]);
    assert_eq!(refused(&run).0, "E0391");
}

#[test]
fn states_of_other_schemas_and_damaged_ones_are_not_merged() {
    let bench = bench();
    encode(&bench, "r.bin");
    bench.json(&["ldp", "aggregate", "s.toml", "r.bin", "-o", "a", "--json"]);
    bench.write("s.toml", &SCHEMA.replace("epsilon = 1.0", "epsilon = 1.1"));
    encode(&bench, "r.bin");
    bench.json(&["ldp", "aggregate", "s.toml", "r.bin", "-o", "b", "--json"]);
    assert_eq!(refused(&bench.run(&["ldp", "merge", "a", "b", "-o", "c", "--json"])).0, "E0392");
    let mut damaged = bytes(&bench, "a");
    damaged[60] ^= 1;
    std::fs::write(bench.path("b"), &damaged).unwrap();
    assert_eq!(refused(&bench.run(&["ldp", "merge", "a", "b", "-o", "c", "--json"])).0, "E0391");
    let limit = ["ldp", "merge", "a", "-o", "c", "--max-memory", "0", "--json"];
    assert_eq!(refused(&bench.run(&limit)).0, "E0641");
    assert!(!bench.names().contains(&"c".to_owned()));
}

#[test]
fn schemas_that_cannot_be_are_refused_with_a_code_of_their_own() {
    let bench = bench();
    let refusal = |schema: &str| {
        bench.write("s.toml", schema);
        refused(&bench.run(&["ldp", "encode", "s.toml", "d.csv", "-o", "r.bin", "--json"])).0
    };
    let with = |from: &str, to: &str| refusal(&SCHEMA.replace(from, to));
    assert_eq!(with("p = 0.2", "p = 0.9"), "E0261");
    assert_eq!(with("\"no\", \"yes\"", "\"no\", \"yes\", \"perhaps\""), "E0261");
    assert_eq!(with("\"no\", \"yes\"", "\"no\", \"no\""), "E0261");
    assert_eq!(with("p = 0.2\n", ""), "E0262");
    assert_eq!(with("epsilon = 1.0", "epsilon = -1.0"), "E0262");
    assert_eq!(with("epsilon = 1.0", "epsilon = 1.0\nbuckets = 3"), "E0262");
    assert_eq!(with("q = 0.7", "q = 1.7"), "E0262");
    assert_eq!(with("\"ue\"", "\"rappor\""), "E0262");
    assert_eq!(with("\"city\"", "\"smoker\""), "E0263");
    assert_eq!(with("order = 2", "features_per_person = 3"), "E0264");
    assert_eq!(with("order = 2", "orders = 2"), "E0210");
    assert_eq!(with("\"ue\"", "\"magic\""), "E0210");
    bench.write("s.toml", &SCHEMA.replace("order = 2", "order = 7"));
    let run = bench.run(&["ldp", "aggregate", "s.toml", "r.bin", "-o", "s.bin", "--json"]);
    assert_eq!(refused(&run).0, "E0265");
}

#[test]
fn rows_outside_the_schema_are_refused_without_their_values() {
    let bench = bench();
    bench.write("d.csv", "city,smoker\na,yes\nCANARY,no\n");
    let run = bench.run(&["ldp", "encode", "s.toml", "d.csv", "-o", "r.bin", "--json"]);
    let (code, message) = refused(&run);
    assert!(code == "E0316" && message.contains("line 3") && !run.err.contains("CANARY"), "{message}");
    assert!(!bench.names().contains(&"r.bin".to_owned()));
}

#[test]
fn more_features_than_a_table_may_have_are_read_all_the_same() {
    let bench = Bench::new();
    let feature = |i: usize| {
        format!("[[feature]]\nname = \"f{i}\"\nvalues = [\"0\", \"1\"]\nprotocol = \"rr\"\np = 0.0\nq = 1.0\n")
    };
    bench.write("s.toml", &(0..300).map(feature).collect::<String>());
    let line = |field: &dyn Fn(usize) -> String| (0..300).map(field).collect::<Vec<_>>().join(",") + "\n";
    let bits = line(&|i| u8::from(i == 0 || i == 299).to_string());
    bench.write("d.csv", &(line(&|i| format!("f{i}")) + &bits));
    encode(&bench, "r.bin");
    let report = bytes(&bench, "r.bin").split_off(52);
    assert_eq!((report.len(), report[0], report[37]), (38, 1, 1 << 3), "without noise, a report is its row");
    assert!(report[1..37].iter().all(|&byte| byte == 0));
}

#[test]
fn the_example_of_the_help_runs() {
    let bench = Bench::new();
    let (schema, data) = (fixture("jobs/ldp-voters.toml"), fixture("data/anes96.csv"));
    let (schema, data) = (schema.to_str().unwrap(), data.to_str().unwrap());
    let report = bench.json(&["ldp", "encode", schema, data, "-o", "r.bin", "--json"]);
    assert!(report["epsilon_per_report"].as_f64().unwrap() <= 7.0);
    let state = bench.json(&["ldp", "aggregate", schema, "r.bin", "-o", "s.bin", "--json"]);
    assert_eq!((&state["n"], &state["keeps"]), (&944.into(), &"3".into()));
}

const RAPPOR: &str = "order = 1\n\
    [[feature]]\nname = \"city\"\nvalues = [\"a\", \"b\", \"c\"]\nprotocol = \"rappor\"\n\
    permanent = {p = 0.25, q = 0.75}\ninstantaneous = {p = 0.0, q = 1.0}\n";

/// A bench with people who have names, in another order in the second round.
fn named_bench() -> Bench {
    let bench = Bench::new();
    bench.write("s.toml", RAPPOR);
    let row = |i: usize| format!("{},p{i}\n", ["a", "b", "c"][i % 3]);
    bench.write("may.csv", &format!("city,who\n{}", (0..60).map(row).collect::<String>()));
    bench.write("june.csv", &format!("city,who\n{}", (0..60).rev().map(row).collect::<String>()));
    bench
}

fn round<'a>(data: &'a str, output: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let words = ["ldp", "encode", "s.toml", data, "-o", output, "--memory", "m", "--person", "who"];
    words.iter().chain(more).copied().collect()
}

#[test]
fn permanent_stages_are_kept_or_the_command_refuses() {
    let bench = named_bench();
    let unstated = bench.run(&["ldp", "encode", "s.toml", "may.csv", "-o", "r", "--json"]);
    assert_eq!(refused(&unstated).0, "E0270");
    let once = bench.json(&["ldp", "encode", "s.toml", "may.csv", "-o", "r", "--once", "--json"]);
    assert!(once["rounds"].is_null());
    // The second stage adds no noise here, so that reports show the permanent bits.
    let may = bench.json(&round("may.csv", "may", &["--json"]));
    let june = bench.json(&round("june.csv", "june", &["--json"]));
    assert_eq!((&may["rounds"]["new_people"], &june["rounds"]["new_people"]), (&60.into(), &0.into()));
    assert_eq!(june["rounds"]["most_reports"], 2);
    assert!((june["rounds"]["epsilon"].as_f64().unwrap() - 9.0_f64.ln()).abs() < 1e-9);
    let (may, june) = (bytes(&bench, "may")[52..].to_vec(), bytes(&bench, "june")[52..].to_vec());
    assert!(june.iter().rev().eq(may.iter()), "everybody reports from their own permanent stage");
    assert_ne!(bytes(&bench, "r")[52..], may[..]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(bench.path("m")).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let said = bench.run(&round("may.csv", "r", &[]));
    assert!(said.out.contains("All 3 rounds: epsilon 2.197"), "{}", said.out);
    bench.write("s.toml", SCHEMA);
    assert_eq!(refused(&bench.run(&round("may.csv", "r", &["--json"]))).0, "E0270");
}

#[test]
fn a_changed_answer_is_refused_unless_it_is_said_what_becomes_of_it() {
    let bench = named_bench();
    bench.json(&round("may.csv", "may", &["--json"]));
    let stored = bytes(&bench, "m");
    bench.write("june.csv", "city,who\na,p0\nb, p0\n");
    let (code, message) = refused(&bench.run(&round("june.csv", "r", &["--json"])));
    assert_eq!(code, "E0390", "a name with white space around it is the same name");
    assert!(message.contains("row 2") && !message.contains("p0"), "{message}");
    bench.write("june.csv", "city,who\na,p0\nc,p1\n");
    let (code, message) = refused(&bench.run(&round("june.csv", "r", &["--json"])));
    assert!(code == "E0418" && message.contains("row 2") && !message.contains("p1"), "{message}");
    assert!(stored == bytes(&bench, "m") && !bench.path("r").exists(), "nothing was drawn, stored or written");
    let kept = bench.json(&round("june.csv", "r", &["--changed", "keep", "--json"]));
    assert_eq!(bytes(&bench, "r")[53], bytes(&bench, "may")[53]);
    assert_eq!(kept["rounds"]["has_drawn_again"], false);
    let drawn = bench.json(&round("june.csv", "r", &["--changed", "draw", "--json"]));
    assert_eq!(drawn["rounds"]["has_drawn_again"], true);
    assert!((drawn["rounds"]["epsilon"].as_f64().unwrap() - 2.0 * 9.0_f64.ln()).abs() < 1e-9);
    bench.write("june.csv", "city,who\na,p0\nc,\n");
    assert_eq!(refused(&bench.run(&round("june.csv", "r", &["--json"]))).0, "E0315");
}

#[test]
fn a_file_is_not_counted_twice_in_two_calls() {
    let bench = bench();
    bench.write("d.csv", &format!("{ROWS}{}", "a,no\n".repeat(40)));
    for name in ["a", "b", "c"] {
        encode(&bench, &format!("{name}.bin"));
    }
    let count = |files: &[&str], state: &str| {
        bench.json(&[&["ldp", "aggregate", "s.toml"], files, &["-o", state, "--json"]].concat())
    };
    let counted = count(&["a.bin", "b.bin"], "ab");
    assert_eq!((&counted["sources"], &counted["has_every_source"]), (&2.into(), &true.into()));
    count(&["b.bin", "c.bin"], "bc");
    count(&["c.bin"], "c");
    // Another state, with a file that was counted before.
    assert_eq!(refused(&bench.run(&["ldp", "merge", "ab", "bc", "-o", "all", "--json"])).0, "E0399");
    assert_eq!(bench.json(&["ldp", "merge", "ab", "c", "-o", "abc", "--json"])["sources"], 3);
    // And after a merge, which was another call.
    assert_eq!(refused(&bench.run(&["ldp", "merge", "abc", "c", "-o", "all", "--json"])).0, "E0399");
    // States of an earlier version remember nothing: they are sources themselves.
    bench.json(&["ldp", "merge", "c", "--forget-sources", "-o", "old", "--json"]);
    assert_eq!(bytes(&bench, "old")[4], 1);
    let merged = bench.json(&["ldp", "merge", "ab", "old", "-o", "more", "--json"]);
    assert_eq!((&merged["n"], &merged["sources"]), (&135.into(), &3.into()));
    assert_eq!(refused(&bench.run(&["ldp", "merge", "more", "old", "-o", "all", "--json"])).0, "E0399");
    bench.json(&["ldp", "merge", "abc", "c", "--allow-repeats", "-o", "all", "--json"]);
}
