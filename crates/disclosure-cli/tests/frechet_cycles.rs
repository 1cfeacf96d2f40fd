//! Two cycles of one population, and numbers that contradict each other, from the outside.

use crate::support::Bench;
use crate::support::frechet::{RELIGIONS, find, frechet, json, votes};
use serde_json::Value;

/// A second cycle: the same people and votes, and one more young person of religion a, who voted
/// A.
fn cycles(bench: &Bench) -> [String; 2] {
    bench.write("d.csv", RELIGIONS);
    bench.write("e.csv", &RELIGIONS.replace("a,young,A,0", "a,young,A,1"));
    let spec = votes("");
    [bench.write("a.toml", &spec), bench.write("b.toml", &spec.replace("d.csv", "e.csv"))]
}

#[test]
fn the_vote_of_one_newcomer_is_disclosed_by_the_difference_alone() {
    let bench = Bench::new();
    let [before, after] = cycles(&bench);
    let run = bench.run(&["frechet", "diff", &before, &after, "--json"]);
    assert_eq!(run.code, 4, "{}", run.err);
    assert!(run.err.contains("E0413"), "{}", run.err);
    let report = json(&run);
    assert_eq!(
        (report["schema"].as_str(), report["target_met"].as_bool()),
        (Some("disclosure.frechet-diff/1"), Some(false))
    );
    assert_eq!(report["small_differences"], 2, "religion and age are published, one came");
    let came: Vec<&Value> =
        report["groups"].as_array().unwrap().iter().filter(|group| group["group"] == "came").collect();
    assert_eq!(came.len(), 3);
    for group in came {
        assert_eq!(
            (group["lower"].as_i64(), group["upper"].as_i64(), group["capacity"].as_i64()),
            (Some(1), Some(1), Some(1))
        );
        assert_eq!((group["verdict"].as_str(), group["is_by_difference"].as_bool()), (Some("disclosed"), Some(true)));
    }
    let words = bench.run(&["frechet", "diff", &before, &after]);
    assert!(words.out.contains("joined") && words.out.contains("target missed"), "{}", words.out);
    let same = bench.run(&["frechet", "diff", &before, &before, "--json"]);
    assert_eq!(same.code, 0, "nothing differs, whatever each discloses alone: {}", same.err);
    let changed = bench.json(&["frechet", "diff", &before, &after, "--changed", "2000", "--json"]);
    assert_eq!((changed["by_difference"].as_i64(), changed["changed"].as_i64()), (Some(0), Some(2000)));
}

#[test]
fn cycles_that_cannot_be_of_one_population_are_refused() {
    let bench = Bench::new();
    let [before, after] = cycles(&bench);
    let text = bench.read("b.toml");
    let code = |spec: &str| {
        let other = bench.write("c.toml", spec);
        let run = bench.run(&["frechet", "diff", &before, &other]);
        assert!(!run.err.contains("500"), "{}", run.err);
        (
            ["E0240", "E0371"].into_iter().find(|code| run.err.contains(code)).unwrap_or_else(|| panic!("{}", run.err)),
            run.code,
        )
    };
    assert_eq!(code(&text.replace("kappa = 20", "kappa = 30")), ("E0240", 2));
    assert_eq!(code(&text.replace("\"young\", \"old\"", "\"old\", \"young\"")), ("E0240", 2));
    assert_eq!(code(&text.replace("vote =", "#").replace("\"axial\"", "[[]]")), ("E0240", 2));
    bench.write("e.csv", &RELIGIONS.replace("a,old,A,500\na,old,B,500", "a,old,A,300\na,old,B,700"));
    assert_eq!(code(&text), ("E0371", 3), "200 who stayed changed their vote");
    assert_eq!(bench.run(&["frechet", "diff", &before, &after, "--changed", "-1"]).code, 2);
}

#[test]
fn numbers_that_contradict_each_other_are_measured_when_that_is_asked_for() {
    let bench = Bench::new();
    let spec = votes("known = [{ where = { religion = \"a\" }, value = 520 }]");
    for what in ["bounds", "audit"] {
        let run = frechet(&bench, what, &spec, &["--slack", "--json"]);
        assert_eq!(run.code, 3, "a contradiction stays one");
        assert!(run.err.contains("E0371") && !run.err.contains("520"), "{}", run.err);
        let report = json(&run);
        assert_eq!(report["schema"], "disclosure.frechet-slack/1");
        assert_eq!(
            report["slack"],
            serde_json::json!({"people": 10, "share": 10.0 / 3100.0}),
            "500 and 520 meet at 510"
        );
        let young_a = find(&report["classes"], "class", &[("religion", "a"), ("age", "young")]);
        let ends = [young_a["lower"].as_i64().unwrap(), young_a["upper"].as_i64().unwrap()];
        assert!(ends[0] == 0 && ends[1] >= 10, "{ends:?}");
        assert_eq!(report["classes"].as_array().unwrap().len(), if what == "bounds" { 4 } else { 8 });
    }
    let words = frechet(&bench, "bounds", &spec, &["--slack"]);
    assert!(words.out.contains("contradict each other by 10 people, 0.3 % of everybody"), "{}", words.out);
    assert!(frechet(&bench, "bounds", &spec, &[]).out.is_empty());
    let agreeing = frechet(&bench, "bounds", &votes(""), &["--slack", "--json"]);
    assert_eq!(json(&agreeing)["schema"], "disclosure.frechet-bounds/1");
}
