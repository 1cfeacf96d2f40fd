//! What is asked about an attribute: prefix sums, ranges, trees and queries from files, from the
//! outside.

use crate::support::{Bench, first_column, fixture, numbers, one_attribute};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Releases one attribute of the categories a, b, c, d and gives its table.
fn released(bench: &Bench, basis: &str, more: &str) -> String {
    let spec = bench.write("s.toml", &one_attribute("labels = [\"a\", \"b\", \"c\", \"d\"]", basis, more));
    let data = bench.write("d.csv", "x\na\na\nb\nd\nd\nd\n");
    let _ = std::fs::remove_dir_all(bench.path("out"));
    let run = bench.run(&["resplan", "release", &spec, &data, "-o", "out"]);
    assert_eq!(run.code, 0, "{basis}: {}", run.err);
    bench.read("out/0-x.csv")
}

const TREE: &str = "d;right;all\na;left;all\nc;all\nb;left;left;all\n";
const QUERIES: &str = "query,d,a,b,c\nhalf,0.5,0.5,0.5,0.5\nfirst,0,1,0,0\ncontrast,-1,1,0,0\n";

#[test]
fn answers_are_named_after_what_they_count_and_agree_with_each_other() {
    let bench = Bench::new();
    bench.write("tree.csv", TREE);
    bench.write("queries.csv", QUERIES);
    // Every sum that must be 0: places of answers, and their factors.
    type Sums<'a> = &'a [&'a [(usize, f64)]];
    let cases: [(&str, &[&str], Sums<'_>); 6] = [
        ("\"identity\"", &["a", "b", "c", "d"], &[]),
        ("\"prefix\"", &["<= a", "<= b", "<= c", "<= d"], &[]),
        (
            "\"range\"",
            &["a", "a .. b", "a .. c", "a .. d", "b", "b .. c", "b .. d", "c", "c .. d", "d"],
            &[&[(1, 1.0), (0, -1.0), (4, -1.0)], &[(3, 1.0), (1, -1.0), (8, -1.0)]],
        ),
        (
            "\"hierarchical\"",
            &["a .. d", "a .. b", "c .. d", "a", "b", "c", "d"],
            &[&[(0, 1.0), (1, -1.0), (2, -1.0)], &[(1, 1.0), (3, -1.0), (4, -1.0)]],
        ),
        (
            "{ hierarchy = \"tree.csv\" }",
            &["all", "left", "c", "right", "a", "b"],
            &[&[(0, 1.0), (1, -1.0), (2, -1.0), (3, -1.0)], &[(1, 1.0), (4, -1.0), (5, -1.0)]],
        ),
        ("{ queries = \"queries.csv\" }", &["half", "first", "contrast"], &[]),
    ];
    for (basis, names, sums) in cases {
        let table = released(&bench, basis, "");
        assert_eq!(first_column(&table), names, "{basis}");
        let values = numbers(&table, 1);
        for sum in sums {
            let sum: f64 = sum.iter().map(|&(place, factor)| factor * values[place]).sum();
            assert!(sum.abs() < 1e-4, "{basis}: {sum}");
        }
        for (value, low, high) in
            values.iter().zip(numbers(&table, 3)).zip(numbers(&table, 4)).map(|((v, l), h)| (v, l, h))
        {
            assert!((value - low - (high - value)).abs() < 1e-4 && low < high);
        }
        let plan: Value = serde_json::from_str(&bench.read("out/plan.json")).unwrap();
        assert_eq!(plan["marginals"][0]["queries"], names.len() as f64);
        let variances: Vec<f64> = numbers(&table, 2).iter().map(|sd| sd * sd).collect();
        let mean = variances.iter().sum::<f64>() / variances.len() as f64;
        let largest = variances.iter().copied().fold(0.0, f64::max);
        for (name, want) in [("mean_variance", mean), ("max_variance", largest)] {
            let shown = plan["marginals"][0][name].as_f64().unwrap();
            assert!((shown - want).abs() < 1e-4 * want, "{basis} {name}: {shown} for {want}");
        }
    }
}

#[test]
fn plans_reach_the_optimum_that_was_computed_independently() {
    let bench = Bench::new();
    // The least sum of variances of all Gaussian mechanisms at pcost 1, for one attribute.
    for (basis, k, optimum) in [("prefix", 10, 24.215_762), ("range", 10, 135.840_678), ("prefix", 100, 499.744_295)] {
        let spec = |strategy: &str| {
            let more = format!("strategy = {strategy}");
            let text = one_attribute(&format!("size = {k}"), &format!("{basis:?}"), &more);
            bench.json(&["resplan", "plan", &bench.write("s.toml", &text), "--json"])
        };
        let value = |plan: &Value| plan["objective_value"].as_f64().unwrap();
        let best = spec("\"automatic\"");
        assert!(value(&best) > optimum * (1.0 - 1e-6) && value(&best) < optimum * 1.005, "{basis} {k}");
        assert_eq!(best["attributes"][0]["basis"], basis);
        assert_eq!(best["attributes"][0]["categories"], k);
        let gap = best["attributes"][0]["strategy_gap"].as_f64().unwrap();
        assert!((0.0..1e-3).contains(&gap), "{gap}");
        for strategy in ["\"orthogonal\"", "\"isotropic\"", "{tilted = 0.0}"] {
            assert!(value(&spec(strategy)) > value(&best) * (1.0 - 1e-6), "{basis} {k} {strategy}");
        }
        assert_eq!(spec("{tilted = 2.5}")["strategy"], "tilted-2.5");
    }
}

#[test]
fn weights_move_the_noise_to_where_it_counts_less() {
    let bench = Bench::new();
    let sds = |basis: &str| numbers(&released(&bench, basis, ""), 2);
    let (even, first) = (sds("\"prefix\""), sds("{ name = \"prefix\", weights = [50, 1, 1, 1] }"));
    assert!(first[0] < 0.9 * even[0] && first[2] > even[2], "{even:?} {first:?}");
    let plan: Value = serde_json::from_str(&bench.read("out/plan.json")).unwrap();
    assert_eq!(plan["attributes"][0]["weighted"], true);
}

#[test]
fn sums_of_everybody_are_exact_where_the_total_is() {
    let bench = Bench::new();
    bench.write("queries.csv", QUERIES);
    for (basis, everybody) in [
        ("\"prefix\"", "<= d,6.0,0.0,6.0,6.0,exact,"),
        ("\"range\"", "a .. d,6.0,0.0,6.0,6.0,exact,"),
        ("\"hierarchical\"", "a .. d,6.0,0.0,6.0,6.0,exact,"),
        ("{ queries = \"queries.csv\" }", "half,3.0,0.0,3.0,3.0,exact,"),
    ] {
        let spec = one_attribute("labels = [\"a\", \"b\", \"c\", \"d\"]", basis, "").replace("add-remove", "replace");
        let (spec, data) = (bench.write("s.toml", &spec), bench.write("d.csv", "x\na\na\nb\nd\nd\nd\n"));
        let _ = std::fs::remove_dir_all(bench.path("out"));
        assert_eq!(bench.run(&["resplan", "release", &spec, &data, "-o", "out"]).code, 0);
        let table = bench.read("out/0-x.csv");
        let exact: Vec<&str> = table.lines().filter(|line| line.contains(",exact,")).collect();
        assert!(exact.len() == 1 && exact[0].starts_with(everybody), "{basis}: {table}");
    }
}

#[test]
fn simulated_prefix_sums_ranges_and_queries_meet_their_predictions() {
    let bench = Bench::new();
    bench.write("queries.csv", QUERIES);
    let data = bench.write("d.csv", "x,y\na,0\nb,1\nd,2\nd,2\n");
    for basis in ["\"prefix\"", "\"range\"", "{ hierarchical = 3 }", "{ queries = \"queries.csv\" }"] {
        let text = one_attribute("labels = [\"a\", \"b\", \"c\", \"d\"]", basis, "")
            .replace("[[\"x\"]]", "[[\"x\"], [\"x\", \"y\"]]")
            + "[[attribute]]\nname = \"y\"\nsize = 3\nbasis = \"prefix\"\n";
        let spec = bench.write("s.toml", &text);
        let words = ["resplan", "simulate", &spec, &data, "--trials", "4000", "--seed", "7", "--json"];
        let report = bench.json(&words);
        for marginal in report["marginals"].as_array().unwrap() {
            let of = |field: &str| marginal[field].as_f64().unwrap();
            let room = 8.0 * of("variance_standard_error");
            assert!((of("variance_measured") - of("variance_predicted")).abs() < room, "{basis}: {marginal}");
            let bias = 24.0 * (of("variance_predicted") / (4000.0 * of("queries"))).sqrt();
            assert!(of("bias_measured").abs() < bias, "{basis}: {marginal}");
        }
    }
}

#[test]
fn files_that_make_no_sense_are_refused_with_their_place_and_without_their_content() {
    let bench = Bench::new();
    let queries: [(&[u8], &str, &str); 13] = [
        (b"", "line 1", "E0301"),
        (b"a,b,c,d\n", "line 1", "E0302"),
        (b"a,b,c,d\n1,2,3\n", "line 2", "E0303"),
        (b"a,b,c\n1,2,3\n", "line 1", "E0343"),
        (b"a,b,c,d,CANARY\n1,2,3,4,5\n", "line 1, field 5", "E0341"),
        (b"a,b,c,d,a\n1,2,3,4,5\n", "line 1, field 5", "E0307"),
        (b"a,b,c,d\n1,NaN,3,4\n", "line 2, field 2", "E0319"),
        (b"a,b,c,d\r\n1,2,inf,4\r\n", "line 2, field 3", "E0319"),
        (b"a,b,c,d\n1,2,CANARY,4\n", "line 2, field 3", "E0319"),
        (b"query,a,b,c,d\nCANARY,1,2,3,4\nCANARY,1,2,3,4\n", "line 3, field 1", "E0345"),
        (b"a;b;c;d\n1;2;3;4\n", "line 1", "E0309"),
        (b"a,b,c,d\n1,2,\"CANARY,4\n", "line 2, field 3", "E0310"),
        (b"a,b,c,d\n1,2,3,\xff\n", "UTF-8", "E0210"),
    ];
    let trees: [(&[u8], &str, &str); 6] = [
        (b"a;x\nb;x\nc;x\n", "line 3", "E0343"),
        (b"a;x\nb;x\nc;x\nd;x\na;x\n", "line 5, field 1", "E0342"),
        (b"a;x\nb;x\nCANARY;x\nd;x\n", "line 3, field 1", "E0341"),
        (b"a;CANARY;y\nb;CANARY;z\nc\nd\n", "line 2, field 2", "E0346"),
        (b"a;b\nb\nc\nd\n", "line 1, field 2", "E0347"),
        (b"a;\nb\nc\nd\n", "line 1, field 2", "E0344"),
    ];
    let cases = queries.iter().map(|case| ("queries", case)).chain(trees.iter().map(|case| ("hierarchy", case)));
    for (kind, &(text, place, code)) in cases {
        std::fs::write(bench.path("f.csv"), text).unwrap();
        let basis = format!("{{ {kind} = \"f.csv\" }}");
        let spec = bench.write("s.toml", &one_attribute("labels = [\"a\", \"b\", \"c\", \"d\"]", &basis, ""));
        let run = bench.run(&["resplan", "plan", &spec]);
        let shown = String::from_utf8_lossy(text);
        assert_eq!(run.code, if code == "E0210" { 2 } else { 3 }, "{shown:?}: {}", run.err);
        assert!(
            run.err.contains(code) && run.err.contains("f.csv: ") && run.err.contains(place),
            "{shown:?}: {}",
            run.err
        );
        assert!(!run.err.contains("CANARY"), "{}", run.err);
    }
    // A byte order mark and mixed line ends are fine.
    bench.write("f.csv", "\u{feff}d,c,b,a\r\n1,0,0,0.5\n1,1,1,1\n0,0,1,1");
    assert_eq!(released(&bench, "{ queries = \"f.csv\" }", "").lines().count(), 4);
}

#[test]
fn bases_that_do_not_fit_their_attribute_are_refused() {
    let bench = Bench::new();
    bench.write("zero.csv", "a,b\n0,0\n");
    bench.write("large.csv", "a,b\n1e7,0\n");
    let labels = "labels = [\"a\", \"b\"]";
    let cases = [
        ("labels = [\"a\", \"b\"]", "\"haar\"", "E0210"),
        (labels, "{ hierarchical = 1 }", "E0210"),
        (labels, "{ name = \"prefix\", hierarchy = \"x.csv\" }", "E0210"),
        (labels, "{ name = \"prefix\", weights = [1] }", "E0213"),
        (labels, "{ name = \"prefix\", weights = [1, 0] }", "E0213"),
        (labels, "{ name = \"prefix\", weights = [1, nan] }", "E0213"),
        (labels, "{ queries = \"zero.csv\" }", "E0213"),
        (labels, "{ queries = \"large.csv\" }", "E0213"),
        ("labels = [\"a\", \"b\", \"a .. b\"]", "\"range\"", "E0219"),
    ];
    for (categories, basis, code) in cases {
        let spec = bench.write("s.toml", &one_attribute(categories, basis, ""));
        let run = bench.run(&["resplan", "plan", &spec]);
        assert!(run.code == 2 && run.err.contains(code), "{basis}: {}", run.err);
    }
    let spec = bench.write("s.toml", &one_attribute(labels, "{ queries = \"none.csv\" }", ""));
    let run = bench.run(&["resplan", "plan", &spec]);
    assert!(run.code == 1 && run.err.contains("none.csv"), "{}", run.err);
    // k = 10,000: some ten matrices of 10^8 numbers.
    let spec = bench.write("s.toml", &one_attribute("size = 10000", "\"range\"", ""));
    let run = bench.run(&["resplan", "plan", &spec]);
    assert!(run.code == 6 && run.err.contains("E0611"), "{}", run.err);
}

#[test]
fn files_stand_beside_what_names_them_and_count_in_the_digest() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("meta")).unwrap();
    let domain = "learnt_from_data = false\n[[attribute]]\nname = \"x\"\nlabels = [\"a\", \"b\", \"c\", \"d\"]\n\
                  basis = { hierarchy = \"tree.csv\" }\n";
    bench.write("meta/domain.toml", domain);
    let text =
        "marginals = [[\"x\"]]\nneighbours = \"add-remove\"\ndomain = \"meta/domain.toml\"\n[privacy]\nrho = 1\n";
    let (spec, data) = (bench.write("s.toml", text), bench.write("d.csv", "x\na\n"));
    let digest = |tree: &str, out: &str| {
        bench.write("meta/tree.csv", tree);
        let run = bench.run(&["resplan", "release", &spec, &data, "-o", out]);
        assert_eq!(run.code, 0, "{}", run.err);
        let record: Value = serde_json::from_str(&bench.read(&format!("{out}/release.json"))).unwrap();
        let all = [text, domain, tree].concat();
        let want: String = Sha256::digest(all.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(record["spec_sha256"], want.as_str());
        want
    };
    assert_ne!(digest(TREE, "one"), digest(&TREE.replace("right;", ""), "two"));
}

#[test]
fn the_job_of_prefix_sums_and_trees_is_released() {
    let bench = Bench::new();
    let (job, data) = (fixture("jobs/voters.toml"), fixture("data/anes96.csv"));
    let run = bench.run(&["resplan", "release", job.to_str().unwrap(), data.to_str().unwrap(), "-o", "out"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("income: prefix, 24 answers") && run.out.contains("Democratic side"), "{}", run.out);
    let (income, party) = (bench.read("out/0-income.csv"), bench.read("out/1-pid.csv"));
    assert_eq!(first_column(&party)[..4], ["everybody", "Democratic side", "3", "Republican side"]);
    // The last prefix and the root of the tree are both the total.
    let (last, root) = (numbers(&income, 1)[23], numbers(&party, 1)[0]);
    assert!((last - root).abs() < 1e-4, "{last} {root}");
    // 944 people, with a standard deviation of some two.
    assert!((root - 944.0).abs() < 40.0);
}

#[test]
fn bounds_are_kept_or_refused_with_the_budget_that_would_do() {
    let bench = Bench::new();
    let spec = |max_sd: &str, rho: &str| {
        let text = one_attribute("labels = [\"a\", \"b\", \"c\", \"d\"]", "\"prefix\"", "")
            .replace("up_to = 1", &format!("marginals = [[], {{set = [\"x\"], max_sd = {max_sd}}}]"))
            .replace("marginals = [[\"x\"]]", &format!("marginals = [[], {{set = [\"x\"], max_sd = {max_sd}}}]"))
            .replace("rho = 0.5", &format!("rho = {rho}"));
        assert!(text.contains("max_sd"), "{text}");
        bench.write("s.toml", &text)
    };
    let plan = bench.json(&["resplan", "plan", &spec("1.9", "0.5"), "--json"]);
    assert!(plan["marginals"][1]["max_variance"].as_f64().unwrap() <= 1.9 * 1.9);
    let refused = bench.run(&["resplan", "plan", &spec("0.1", "0.5")]);
    assert!(refused.code == 4 && refused.err.contains("E0403") && refused.err.contains("is needed"), "{}", refused.err);
    let bad = bench.run(&["resplan", "plan", &spec("-1.0", "0.5")]);
    assert!(bad.code == 2 && bad.err.contains("E0229"), "{}", bad.err);
}
