//! Audits of more than 1,024 cells: what is asked is decided, and the output says which kind of
//! bound a number is.

use crate::support::Bench;
use crate::support::frechet::{frechet, json};
use serde_json::Value;

/// 1,210 cells of three attributes, with the margins of all pairs; `more` is added to the job.
fn spec(bench: &Bench, more: &str) -> String {
    spec_of(bench, [11, 11, 10], more)
}

fn spec_of(bench: &Bench, [a, b, c]: [usize; 3], more: &str) -> String {
    let (mut rows, mut state) = ("a,b,c,n\n".to_owned(), 12_345_u64);
    for (a, b, c) in (0..a).flat_map(|a| (0..b).flat_map(move |b| (0..c).map(move |c| (a, b, c)))) {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        rows += &format!("a{a},b{b},c{c},{}\n", (state >> 33) % 4);
    }
    bench.write("large.csv", &rows);
    let attribute = |name: char, levels: usize| {
        let labels: Vec<String> = (0..levels).map(|level| format!("\"{name}{level}\"")).collect();
        format!("[[attribute]]\nname = \"{name}\"\nlabels = [{}]\n", labels.join(", "))
    };
    let attributes = [('a', a), ('b', b), ('c', c)].map(|(name, levels)| attribute(name, levels)).concat();
    format!(
        "data = \"large.csv\"\ncount = \"n\"\nmargins = [[\"a\", \"b\"], [\"a\", \"c\"], [\"b\", \"c\"]]\n\
         min_interval_width = 0\nmin_frequency = 1\nclasses = \"cells\"\n{more}\n{attributes}"
    )
}

fn classes(report: &Value) -> &Vec<Value> {
    report["classes"].as_array().unwrap()
}

#[test]
fn a_large_audit_says_which_bounds_are_outer_ones() {
    let bench = Bench::new();
    let job = spec(&bench, "");
    let run = frechet(&bench, "audit", &job, &["--json", "--certificates", "large.json"]);
    let report = json(&run);
    assert_eq!((classes(&report).len(), report["unknown"].as_i64()), (1_210, Some(0)));
    assert_eq!(report["bounds"], "status");
    let outer = classes(&report).iter().filter(|class| class["is_sharp"] == false);
    for class in outer {
        let [least, most] = [0, 1].map(|end| class["attained"][end].as_i64().unwrap());
        assert!(class["lower"].as_i64() <= Some(least) && class["upper"].as_i64() >= Some(most));
        assert!(most > least && class["verdict"] == "ambiguous", "{class}");
        assert!(class["why"].as_str().unwrap().contains("the bounds are not sharp"), "{class}");
    }
    let shown = frechet(&bench, "audit", &job, &[]);
    assert!(shown.out.contains("not always sharp") && shown.out.contains("0 unknown"), "{}", shown.out);
    // What is claimed follows from the file alone, and outer bounds are not said to be attained.
    let checked = bench.json(&["frechet", "verify", "large.json", "--json"]);
    let attained = checked["attained"].as_i64().unwrap();
    assert_eq!(checked["bounds"].as_i64(), Some(2_420));
    assert!(attained > 500 && attained < 2_420, "{attained}");
    let mut bad: Value = serde_json::from_str(&bench.read("large.json")).unwrap();
    let claims = bad["claims"].as_array_mut().unwrap();
    let claim = claims.iter_mut().find(|claim| claim["side"] == "upper").unwrap();
    claim["value"] = (claim["value"].as_i64().unwrap() - 1).into();
    bench.write("bad.json", &bad.to_string());
    assert_eq!(bench.run(&["frechet", "verify", "bad.json"]).code, 3);
}

#[test]
fn a_job_asks_for_sharp_bounds_of_a_large_table() {
    let bench = Bench::new();
    let status = json(&frechet(&bench, "audit", &spec(&bench, ""), &["--json"]));
    let sharp = json(&frechet(&bench, "audit", &spec(&bench, "[limits]\nbounds = \"sharp\""), &["--json"]));
    assert!(sharp["bounds"].is_null() && classes(&sharp).iter().all(|class| class["is_sharp"] == true));
    for (status, sharp) in classes(&status).iter().zip(classes(&sharp)) {
        assert_eq!(status["verdict"], sharp["verdict"]);
        assert!(status["width"].as_i64() >= sharp["width"].as_i64());
    }
    assert!(classes(&sharp).iter().all(|class| class.get("attained").is_none()));
    let wrong = frechet(&bench, "audit", &spec(&bench, "[limits]\nbounds = \"rough\""), &[]);
    assert!(wrong.code == 2 && wrong.err.contains("E0210") && wrong.err.contains("sharp"), "{}", wrong.err);
}

/// Sharp bounds of 8,000 cells take minutes; after a second the rest is unknown, which counts as
/// disclosed.
#[test]
fn an_audit_gives_what_it_has_when_its_seconds_are_over() {
    let bench = Bench::new();
    let job = spec_of(&bench, [20, 20, 20], "[limits]\nbounds = \"sharp\"");
    let run = frechet(&bench, "audit", &job, &["--seconds", "1", "--json"]);
    assert_eq!(run.code, 4, "{}", run.err);
    assert!(run.err.contains("E0411"), "{}", run.err);
    let report: Value = serde_json::from_str(&run.out).unwrap();
    let unknown = classes(&report).iter().filter(|class| class["verdict"] == "unknown").count();
    assert_eq!((classes(&report).len(), report["target_met"].as_bool()), (8_000, Some(false)));
    assert_eq!(report["unknown"].as_u64(), Some(unknown as u64));
    assert!(unknown > 0, "sharp bounds of 8,000 cells within a second");
    for class in classes(&report) {
        assert!(class["lower"].as_u64() <= class["upper"].as_u64(), "{class}");
    }
}
