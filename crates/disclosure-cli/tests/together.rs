//! `disclosure resplan` where one strategy measures all attributes together: by default, where that
//! is certified to be better.

use crate::support::{Bench, numbers};
use serde_json::Value;

const PEOPLE: &str = "x,y\n0,0\n0,1\n1,2\n2,2\n2,2\n3,0\n";

/// Prefix sums of both attributes, of which a row is replaced.
fn spec(more: &str) -> String {
    let attribute =
        |name: &str, size: usize| format!("[[attribute]]\nname = \"{name}\"\nsize = {size}\nbasis = \"prefix\"\n");
    let head = format!("up_to = 2\nneighbours = \"replace\"\n{more}\n[privacy]\nrho = 2.0\n");
    [head, attribute("x", 4), attribute("y", 3)].concat()
}

fn plan(bench: &Bench, more: &str) -> Value {
    let path = bench.write("s.toml", &spec(more));
    bench.json(&["resplan", "plan", &path, "--json"])
}

#[test]
fn the_default_is_the_best_of_all_mechanisms() {
    let bench = Bench::new();
    let (best, each) = (plan(&bench, ""), plan(&bench, "strategy = \"automatic\""));
    assert_eq!(best["measured_together"], serde_json::json!(["x", "y"]));
    assert_eq!((&best["strategy"], each.get("measured_together")), (&"joint".into(), None));
    let gap = |plan: &Value| plan["gap_to_any_mechanism"].as_f64().unwrap();
    assert!(gap(&best) < 1e-3 && best["objective_gap"] == best["gap_to_any_mechanism"]);
    assert!(gap(&each) > 0.01);
    // Categories have their best plan already, and a pipeline looks at each table.
    let categories = spec("").replace("basis = \"prefix\"\n", "");
    let path = bench.write("c.toml", &categories);
    assert_eq!(bench.json(&["resplan", "plan", &path, "--json"]).get("measured_together"), None);
}

#[test]
fn its_measurement_goes_where_others_go() {
    let bench = Bench::new();
    let (path, data) = (bench.write("s.toml", &spec("")), bench.write("d.csv", PEOPLE));
    assert_eq!(bench.run(&["resplan", "plan", &path, "-o", "p.resplan"]).code, 0);
    let run = bench.run(&["resplan", "release", "p.resplan", &data, "-o", "out"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(bench.run(&["resplan", "answer", "out/measurement.bin", "--export-mbi", "m.json"]).code, 0);
    let export: Value = serde_json::from_str(&bench.read("m.json")).unwrap();
    assert_eq!(export["schema"], "disclosure.resplan-mbi/2");
    let [own] = &export["measurements"].as_array().unwrap()[..] else { panic!("all is measured together") };
    assert_eq!(own["clique"], serde_json::json!(["x", "y"]));
    let list = |value: &Value| -> Vec<f64> { value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect() };
    // Prefix sums along both attributes, back to cells.
    let sums = numbers(&bench.read("out/3-x_by_y.csv"), 2);
    let at = |x: usize, y: usize| if x == 0 || y == 0 { 0.0 } else { sums[3 * (x - 1) + y - 1] };
    let place = (1..=4).flat_map(|x| (1..=3).map(move |y| (x, y)));
    let cells: Vec<f64> = place.map(|(x, y)| at(x, y) - at(x - 1, y) - at(x, y - 1) + at(x - 1, y - 1)).collect();
    let queries: Vec<Vec<f64>> = own["queries"].as_array().unwrap().iter().map(list).collect();
    assert_eq!((queries.len(), queries[0].len()), (11, 12));
    for (query, noisy) in queries.iter().zip(list(&own["noisy_measurement"])) {
        let answer: f64 = query.iter().zip(&cells).map(|(q, x)| q * x).sum();
        assert!((answer - noisy).abs() < 1e-3, "{answer} {noisy}");
    }
    let rows = bench.run(&["synth", "out/measurement.bin", "-o", "rows.csv", "--rows", "50"]);
    assert_eq!(rows.code, 0, "{}", rows.err);
    assert_eq!(bench.read("rows.csv").lines().count(), 51);
}

#[test]
fn more_people_than_its_answers_are_exact_for_are_refused_before_anything_is_spent() {
    let bench = Bench::new();
    let path = bench.write("s.toml", &spec("count = \"n\""));
    let data = bench.write("d.csv", "x,y,n\n0,0,4503599627370496\n");
    let run = bench.run(&["resplan", "release", &path, &data, "-o", "out"]);
    assert_eq!(run.code, 6, "{}", run.err);
    assert!(run.err.contains("E0624") && !run.err.contains("4503599627370496") && !bench.path("out").exists());
    let each = bench.write("e.toml", &spec("count = \"n\"\nstrategy = \"automatic\""));
    assert_eq!(bench.run(&["resplan", "release", &each, &data, "-o", "out"]).code, 0);
}

#[test]
fn a_pipeline_has_a_strategy_for_each_attribute() {
    let bench = Bench::new();
    bench.write("d.csv", PEOPLE);
    let job = |strategy: &str| {
        let attributes = spec("").split_once("[[").unwrap().1.to_owned();
        let text = format!(
            "title = \"T\"\ndata = \"d.csv\"\n[budget]\nrho = 2.0\nneighbours = \"replace\"\n[noisy]\nup_to = 2\n{strategy}\n[[{attributes}"
        );
        let path = bench.write("job.toml", &text);
        bench.run(&["run", &path, "-o", "released"])
    };
    let run = job("strategy = \"joint\"");
    assert!(run.code == 2 && run.err.contains("E0243"), "{}", run.err);
    let run = job("");
    assert_eq!(run.code, 0, "{}", run.err);
    let release: Value = serde_json::from_str(&bench.read("released/release/noisy/release.json")).unwrap();
    assert_eq!(release["mechanism"]["strategy"], "automatic");
}
