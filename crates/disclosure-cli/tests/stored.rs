//! Plans and measurements in files: stored, moved, answered later, and refused when they are
//! damaged.

use crate::support::{Bench, ROWS, numbers, one_attribute, spec};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// A spec with an identity and a prefix attribute.
fn mixed() -> String {
    spec("").replace("size = 3", "size = 3\nbasis = \"prefix\"")
}

/// Stores the plan of a spec and gives the path.
fn stored(bench: &Bench, text: &str) -> String {
    let spec = bench.write("s.toml", text);
    assert_eq!(bench.run(&["resplan", "plan", &spec, "-o", "p.resplan"]).code, 0);
    bench.path("p.resplan").to_str().unwrap().to_owned()
}

/// Releases the spec, or the stored plan, into `out`.
fn release(bench: &Bench, what: &str, out: &str) -> Value {
    let data = bench.write("d.csv", ROWS);
    let run = bench.run(&["resplan", "release", what, &data, "-o", out, "--json"]);
    assert_eq!(run.code, 0, "{}", run.err);
    serde_json::from_str(&run.out).unwrap()
}

#[test]
fn a_stored_plan_releases_what_its_spec_would() {
    let bench = Bench::new();
    let plan = stored(&bench, &mixed());
    let of_spec = release(&bench, bench.path("s.toml").to_str().unwrap(), "one");
    // The file is enough: the spec may be gone.
    std::fs::remove_file(bench.path("s.toml")).unwrap();
    let of_plan = release(&bench, &plan, "two");
    for field in ["spec_sha256", "title", "promise", "cost", "mechanism"] {
        assert_eq!(of_spec[field], of_plan[field], "{field}");
    }
    assert_eq!(bench.read("one/plan.json"), bench.read("two/plan.json"));
    let mut shown = bench.json(&["resplan", "plan", &plan, "--json"]);
    // What takes a while to find out is in the plan that is asked for, and not in a release.
    assert!(shown.as_object_mut().unwrap().remove("gap_to_any_mechanism").is_some());
    assert_eq!(serde_json::from_str::<Value>(&bench.read("one/plan.json")).unwrap(), shown);
    let words = ["resplan", "simulate", &plan, "d.csv", "--trials", "3", "--seed", "1"];
    assert_eq!(bench.run(&words).code, 0);
    assert_eq!(bench.run(&["resplan", "plan", &plan, "--max-answers", "3"]).code, 6);
}

#[test]
fn a_stored_plan_keeps_how_columns_are_read_and_queries_are_named() {
    let bench = Bench::new();
    bench.write("q.csv", "query,0 to under 10,10 and over,(missing)\nknown,1,1,0\ncost,2.5,-1,0\n");
    let categories = "column = \"X\"\nbins = [0, 10, inf]\nmissing = \"category\"\nmissing_values = [\"?\"]";
    let more = "count = \"n\"\nencoding = \"latin1\"\ntitle = \"T\"";
    let plan = stored(&bench, &one_attribute(categories, "{ queries = \"q.csv\" }", more));
    std::fs::remove_file(bench.path("q.csv")).unwrap();
    let data = bench.write("d.csv", "X,n\n5,10\n99,3\n?,1\n");
    let run = bench.run(&["resplan", "release", &plan, &data, "-o", "out", "--json"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(bench.read("out/0-x.csv").contains("\nknown,") && run.out.contains("\"title\": \"T\""));
}

#[test]
fn a_stored_plan_of_a_learnt_domain_is_refused_as_its_spec_is() {
    let bench = Bench::new();
    let data = bench.write("d.csv", ROWS);
    bench.write("domain.toml", &bench.run(&["init", &data]).out);
    let plan = stored(&bench, "up_to = 1\nneighbours = \"add-remove\"\ndomain = \"domain.toml\"\n[privacy]\nrho = 1\n");
    let run = bench.run(&["resplan", "release", &plan, &data, "-o", "out"]);
    assert!(run.code == 4 && run.err.contains("E0401"), "{}", run.err);
}

/// Damaged copies of a file: cut off, and with single bits changed, at places all over it.
fn damaged(bytes: &[u8]) -> Vec<Vec<u8>> {
    let step = (bytes.len() / 60).max(1);
    let mut all: Vec<Vec<u8>> = (0..bytes.len()).step_by(step).map(|end| bytes[..end].to_vec()).collect();
    for (bit, at) in (0..bytes.len()).step_by(step).enumerate() {
        let mut changed = bytes.to_vec();
        changed[at] ^= 1 << (bit % 8);
        all.push(changed);
    }
    let mut longer = bytes.to_vec();
    longer.push(b'\n');
    all.push(longer);
    all
}

#[test]
fn every_damaged_plan_is_refused() {
    let bench = Bench::new();
    let plan = stored(&bench, &mixed());
    let good = std::fs::read(&plan).unwrap();
    for (number, bytes) in damaged(&good).into_iter().enumerate().skip(1) {
        std::fs::write(&plan, bytes).unwrap();
        let run = bench.run(&["resplan", "plan", &plan]);
        // Without its brace it looks like a spec; with a byte that is no UTF-8 it is no text.
        assert!([2, 3].contains(&run.code) && run.out.is_empty(), "{number}: {} {}", run.code, run.err);
        assert!(["E0361", "E0362", "E0210"].iter().any(|code| run.err.contains(code)), "{number}: {}", run.err);
    }
    let text = String::from_utf8(good).unwrap();
    bench.write("p.resplan", &text.replace("resplan-plan-file/1", "resplan-plan-file/2"));
    let run = bench.run(&["resplan", "plan", &plan]);
    assert!(run.code == 3 && run.err.contains("E0361") && run.err.contains("version"), "{}", run.err);
    bench.write("p.resplan", "{\"a\": 1}");
    assert!(bench.run(&["resplan", "plan", &plan]).err.contains("E0361"));
}

/// The file with its job changed and a digest that is right.
fn forged(text: &str, from: &str, to: &str) -> String {
    let (head, rest) = text.split_once(",\"job\":").unwrap();
    let (job, _) = rest.rsplit_once(",\"sha256\":\"").unwrap();
    assert!(job.contains(from), "{from}");
    let job = job.replacen(from, to, 1);
    let digest: String = Sha256::digest(job.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{head},\"job\":{job},\"sha256\":\"{digest}\"}}\n")
}

#[test]
fn a_plan_that_was_made_up_is_checked_and_its_cost_is_never_believed() {
    let bench = Bench::new();
    let plan = stored(&bench, &mixed());
    let text = bench.read("p.resplan");
    let sigma = text.split("\"sigma2\":[\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let cases = [
        (format!("\"sigma2\":[\"{sigma}\""), "\"sigma2\":[\"1\"".to_owned(), "E0363"),
        (format!("\"sigma2\":[\"{sigma}\""), "\"sigma2\":[\"0\"".to_owned(), "E0363"),
        ("\"rows_per_person\":1".to_owned(), "\"rows_per_person\":2".to_owned(), "E0363"),
        ("name = \\\"sex\\\"".to_owned(), "name = \\\"xes\\\"".to_owned(), "E0363"),
        ("\"strategy\":0".to_owned(), "\"strategy\":7".to_owned(), "E0363"),
        ("\"query_names\":[null".to_owned(), "\"query_names\":[[\"one\"]".to_owned(), "E0363"),
        ("\"query_names\":[null,".to_owned(), "\"query_names\":[".to_owned(), "E0363"),
        ("\"spec_sha256\":\"".to_owned(), "\"spec_sha256\":\"0".to_owned(), "E0363"),
        ("\"title\":".to_owned(), "\"titel\":".to_owned(), "E0363"),
    ];
    for (from, to, code) in cases {
        bench.write("p.resplan", &forged(&text, &from, &to));
        let run = bench.run(&["resplan", "release", &plan, "no-such-file.csv", "-o", "out"]);
        assert!(run.code == 3 && run.err.contains(code), "{from}: {}", run.err);
    }
    bench.write("p.resplan", &forged(&text, "\"title\":\"s\"", "\"title\":\"t\""));
    assert_eq!(bench.json(&["resplan", "plan", &plan, "--json"])["title"], "t", "the forger knows his trade");
}

#[test]
fn a_measurement_answers_what_was_released_and_every_table_within() {
    let bench = Bench::new();
    let spec = bench.write("s.toml", &mixed().replace("up_to = 2", "marginals = [[\"sex\", \"age\"]]"));
    let record = release(&bench, &spec, "out");
    assert_eq!(record["files"][2]["name"], "measurement.bin");
    assert_eq!(bench.run(&["resplan", "answer", "out/measurement.bin", "-o", "again"]).code, 0);
    assert_eq!(bench.read("again/0-sex_by_age.csv"), bench.read("out/0-sex_by_age.csv"));
    let shown: Value = serde_json::from_str(&bench.read("again/answers.json")).unwrap();
    assert_eq!((&shown["origin"], &shown["promise"]["statement"]), (&"release".into(), &"0.5-zCDP".into()));
    assert_eq!(shown["files"][0]["sha256"], record["files"][0]["sha256"]);

    let words = ["resplan", "answer", "out/measurement.bin", "--marginal", "age", "--marginal", "", "--json"];
    let answers = bench.json(&words);
    assert_eq!(answers["schema"], "disclosure.resplan-answers/1");
    let (age, total) = (&answers["marginals"][0]["answers"], &answers["marginals"][1]["answers"][0]);
    assert_eq!(
        (&age[1]["of"][0], &age[1]["status"], &total["of"]),
        (&"<= 1".into(), &"noised".into(), &Value::Array(vec![]))
    );
    let value = |answer: &Value| answer["value"].as_f64().unwrap();
    assert!((value(&age[2]) - value(total)).abs() < 1e-4, "the last prefix is the total");
    let both = numbers(&bench.read("out/0-sex_by_age.csv"), 2);
    for query in 0..3 {
        assert!((both[query] + both[3 + query] - value(&age[query])).abs() < 1e-4);
    }
    let one = bench.json(&["resplan", "answer", "out/measurement.bin", "--query", "age<=1,sex=m", "--json"]);
    let answers = one["marginals"][0]["answers"].as_array().unwrap();
    assert_eq!((answers.len(), &answers[0]["of"]), (1, &Value::from(vec!["m", "<= 1"])));
    assert_eq!(value(&answers[0]), both[4]);
    let shown = bench.run(&["resplan", "answer", "out/measurement.bin"]);
    assert!(shown.out.contains("sex × age") && shown.out.contains("0.5-zCDP"), "{}", shown.out);
    let shown = bench.run(&["resplan", "answer", "out/measurement.bin", "--marginal", "age,sex"]);
    assert!(shown.code == 0 && shown.out.contains("<= 1"), "{}", shown.out);
}

#[test]
fn what_a_measurement_does_not_hold_is_refused() {
    let bench = Bench::new();
    let text = spec("")
        .replace("up_to = 2", "marginals = [[\"sex\"], [\"a, b\"]]")
        .replace("\"age\"", "\"a, b\"\ncolumn = \"age\"");
    release(&bench, &bench.write("s.toml", &text), "out");
    let answer = |words: &[&str]| bench.run(&[&["resplan", "answer", "out/measurement.bin"], words].concat());
    for (marginal, code, exit) in
        [("sex,\"a, b\"", "E0227", 2), ("sex,height", "E0222", 2), ("sex,sex", "E0222", 2), ("\"sex", "E0222", 2)]
    {
        let run = answer(&["--marginal", marginal]);
        assert!(run.code == exit && run.err.contains(code), "{marginal}: {}", run.err);
    }
    assert_eq!(answer(&["--marginal", "\"a, b\""]).code, 0);
    assert_eq!(answer(&["--query", "\"a, b=2\""]).code, 0);
    for query in ["sex", "sex=x", "sex=m,sex=f", "height=1", "sex<=m"] {
        let run = answer(&["--query", query]);
        assert!(run.code == 2 && run.err.contains("E0228"), "{query}: {}", run.err);
    }
    assert_eq!(answer(&["-o", "out"]).code, 1, "a directory that holds files");
    assert_eq!(bench.run(&["resplan", "answer", "none.bin"]).code, 1);
    assert_eq!(bench.run(&["resplan", "answer", "-"]).code, 2);
    assert_eq!(answer(&["--max-answers", "2"]).code, 6);
    assert_eq!(answer(&["--export-mbi", "m.json", "--max-memory", "0"]).code, 6);
    assert!(!bench.path("m.json").exists());
}

/// A measurement that is refused whatever is asked of it.
fn is_refused(bench: &Bench, name: &str, number: usize, bytes: &[u8]) {
    std::fs::write(bench.path(name), bytes).unwrap();
    for words in [vec!["--json"], vec!["--export-mbi", "m.json"], vec!["-o", "answers"]] {
        let run = bench.run(&[&["resplan", "answer", name], &words[..]].concat());
        assert!(run.code == 3 && run.out.is_empty(), "{number}: {} {}", run.code, run.err);
        assert!(["E0361", "E0362", "E0363"].iter().any(|code| run.err.contains(code)), "{number}: {}", run.err);
    }
}

#[test]
fn every_damaged_measurement_is_refused() {
    let bench = Bench::new();
    release(&bench, &bench.write("s.toml", &mixed()), "out");
    let good = std::fs::read(bench.path("out/measurement.bin")).unwrap();
    let damaged = damaged(&good);
    std::thread::scope(|scope| {
        for (name, first) in [("m.bin", 0), ("n.bin", 1)] {
            let own = damaged.iter().enumerate().skip(first).step_by(2);
            let bench = &bench;
            scope.spawn(move || own.for_each(|(number, bytes)| is_refused(bench, name, number, bytes)));
        }
    });
    assert_eq!(bench.names(), ["d.csv", "m.bin", "n.bin", "out", "s.toml"]);
    let mut other = good.clone();
    let at = other.windows(2).position(|pair| pair == b"/1").unwrap() + 1;
    other[at] = b'2';
    std::fs::write(bench.path("m.bin"), other).unwrap();
    assert!(bench.run(&["resplan", "answer", "m.bin"]).err.contains("E0361"));
}

#[test]
fn a_simulation_stays_a_simulation() {
    let bench = Bench::new();
    let (spec, data) = (bench.write("s.toml", &mixed()), bench.write("d.csv", ROWS));
    let words = ["resplan", "simulate", &spec, &data, "--seed", "1", "--trials", "2", "-o", "m.bin"];
    assert_eq!(bench.run(&words).code, 0);
    let answers = bench.json(&["resplan", "answer", "m.bin", "--json"]);
    assert_eq!((&answers["origin"], &answers["promise"]), (&"simulation".into(), &Value::Null));
    assert_eq!(answers["marginals"][1]["answers"][0]["status"], "simulated");
    assert!(bench.run(&["resplan", "answer", "m.bin"]).out.contains("not to be published"));
    assert_eq!(bench.run(&["resplan", "answer", "m.bin", "-o", "out"]).code, 0);
    assert!(bench.read("out/1-sex.csv").contains("simulated noise: not for publication"));
    assert_eq!(bench.run(&["resplan", "answer", "m.bin", "--export-mbi", "m.json"]).code, 0);
    assert!(bench.read("m.json").contains("\"origin\":\"simulation\""));
}

#[test]
fn the_export_holds_the_independent_measurements_behind_the_tables() {
    let bench = Bench::new();
    release(&bench, &bench.write("s.toml", &mixed()), "out");
    assert_eq!(bench.run(&["resplan", "answer", "out/measurement.bin", "--export-mbi", "m.json"]).code, 0);
    let export: Value = serde_json::from_str(&bench.read("m.json")).unwrap();
    assert_eq!(export["schema"], "disclosure.resplan-mbi/1");
    assert_eq!(bench.read("m.json").matches("\"domain\":{\"sex\":2,\"age\":3}").count(), 1);
    let plan: Value = serde_json::from_str(&bench.read("out/plan.json")).unwrap();
    let list = |value: &Value| -> Vec<f64> { value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect() };
    let queries =
        |name: &str| -> Vec<Vec<f64>> { export["queries"][name].as_array().unwrap().iter().map(list).collect() };
    // Prefix sums differ by the counts of one category.
    let prefix = numbers(&bench.read("out/2-age.csv"), 1);
    let age = vec![prefix[0], prefix[1] - prefix[0], prefix[2] - prefix[1]];
    let both = numbers(&bench.read("out/3-sex_by_age.csv"), 2);
    let row =
        |sex: usize| vec![both[3 * sex], both[3 * sex + 1] - both[3 * sex], both[3 * sex + 2] - both[3 * sex + 1]];
    let dot = |query: &[f64], cells: &[f64]| query.iter().zip(cells).map(|(q, x)| q * x).sum::<f64>();
    let measured = |clique: &[&str]| {
        let of = |m: &&Value| m["clique"] == Value::from(clique.to_vec());
        let found = export["measurements"].as_array().unwrap().iter().find(of).unwrap();
        let sigma2 =
            plan["residuals"].as_array().unwrap().iter().find(|r| r["attributes"] == Value::from(clique.to_vec()));
        let stddev = found["stddev"].as_f64().unwrap();
        assert!((stddev.powi(2) / sigma2.unwrap()["sigma2"].as_f64().unwrap() - 1.0).abs() < 1e-12);
        list(&found["noisy_measurement"])
    };
    for (query, noisy) in queries("age").iter().zip(measured(&["age"])) {
        assert!((dot(query, &age) - noisy).abs() < 1e-3);
    }
    // The one query about two categories is their difference, over the square root of two.
    let [sex] = &queries("sex")[..] else { panic!("two categories, one residual query") };
    assert!((sex[0] - 0.5_f64.sqrt()).abs() < 1e-12 && (sex[1] + 0.5_f64.sqrt()).abs() < 1e-12);
    for (query, noisy) in queries("age").iter().zip(measured(&["sex", "age"])) {
        let value = sex[0] * dot(query, &row(0)) + sex[1] * dot(query, &row(1));
        assert!((value - noisy).abs() < 1e-3, "{value} {noisy}");
    }
    assert_eq!(export["measurements"].as_array().unwrap().len(), 3);
    assert!((export["known_total"].as_f64().unwrap() - prefix[2]).abs() < 1e-3);
}

#[test]
fn rows_of_people_who_do_not_exist_come_from_a_measurement_alone() {
    let bench = Bench::new();
    release(&bench, &bench.write("s.toml", &spec("")), "out");
    std::fs::remove_file(bench.path("d.csv")).unwrap();
    let file = bench.path("out/measurement.bin").to_str().unwrap().to_owned();
    let rows = bench.path("rows.csv").to_str().unwrap().to_owned();
    let run = bench.run(&["synth", &file, "-o", &rows, "--rows", "500", "--zero", "sex=m,age=2"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("-zCDP") && run.out.contains("synthetic") && run.err.contains("500 rows"), "{}", run.out);
    let text = bench.read("rows.csv");
    assert_eq!((text.lines().count(), text.lines().next()), (501, Some("sex,age")));
    assert!(!text.contains("m,2"));
    let document = bench.json(&["synth", &file, "-o", &rows, "--json"]);
    assert_eq!(
        (&document["schema"], &document["promise"]["kind"]),
        (&"disclosure.synthetic/1".into(), &"guarantee".into())
    );
    let refused = bench.run(&["synth", &file, "-o", &rows, "--max-cells", "2"]);
    assert!(refused.code == 6 && refused.err.contains("E0681") && refused.err.contains("\"age\""), "{}", refused.err);
}
