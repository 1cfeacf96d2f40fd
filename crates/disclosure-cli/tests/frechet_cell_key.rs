//! Tables under the cell-key method.
#![allow(clippy::unwrap_used, reason = "a test ends where something is missing")]

mod support;

use std::collections::BTreeMap;

use serde_json::Value;
use support::Bench;

const DESIGN: &str = "[cell_key]\nmax_deviation = 5\nvariance = 3.0\nsmallest_published = 3\n";
const TABLE: &str = "[[\"region\", \"answer\"]]";
const SECRET: [&str; 2] = ["--secret-file", "cells.key"];

/// Rows of a table of 3 x 2, with an attribute that no table names.
fn bench() -> Bench {
    let bench = Bench::new();
    let mut rows = "region,answer,age,people\n".to_owned();
    for (region, yes, no) in [("n", 11, 12), ("m", 7, 20), ("s", 40, 31)] {
        rows += &format!("{region},yes,young,{yes}\n{region},no,young,{no}\n{region},no,old,{no}\n");
    }
    bench.write("data.csv", &rows);
    bench
}

fn job(bench: &Bench, name: &str, margins: &str, width: u64, more: &str) -> String {
    let text = format!(
        "data = \"data.csv\"\ncount = \"people\"\nmargins = {margins}\nmin_interval_width = {width}\nmin_frequency = 1\n{more}"
    );
    bench.write(name, &text)
}

fn words<'a>(job: &'a str, output: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["frechet", "perturb", job, "-o", output][..], &SECRET[..], more].concat()
}

/// The numbers of a file by their labels.
fn numbers(bench: &Bench, file: &str) -> BTreeMap<String, u64> {
    let text = bench.read(file);
    let lines = text.lines().skip(1).map(|line| line.rsplit_once(',').unwrap_or(("", line)));
    lines.map(|(labels, number)| (labels.to_owned(), number.parse().unwrap())).collect()
}

#[test]
fn a_perturbed_table_leaves_with_its_totals_its_laws_and_its_promise() {
    let bench = bench();
    let job = job(&bench, "job.toml", TABLE, 1, DESIGN);
    let record: Value = bench.json(&words(&job, "out", &["--new-secret", "--json"]));
    assert_eq!(record["schema"], "disclosure.frechet-perturbation/1");
    assert_eq!(record["promise"]["kind"], "guarantee");
    assert_eq!((record["max_deviation"].as_u64(), record["smallest_published"].as_u64()), (Some(5), Some(3)));
    assert!(record["promise"]["against"].as_str().unwrap().contains("not the secret"), "{record}");
    assert_eq!(record["files"].as_array().unwrap().len(), 4);
    let cells = numbers(&bench, "out/3-region_by_answer.csv");
    for (labels, count) in [("m,no", 40), ("n,no", 24), ("n,yes", 11), ("s,yes", 40)] {
        assert!(cells[labels].abs_diff(count) <= 5, "{labels}: {cells:?}");
    }
    assert!(numbers(&bench, "out/0-total.csv")[""].abs_diff(184) <= 5);
    // The law of a count of 1: nothing, or 3 and more.
    let laws = bench.read("out/perturbation.csv");
    let of_one: Vec<&str> = laws.lines().filter(|line| line.starts_with("1,")).collect();
    assert_eq!(of_one.len(), 5, "{laws}");
    assert!(of_one[0].starts_with("1,-1,") && of_one[1].starts_with("1,2,"));
}

#[test]
fn the_same_people_have_the_same_number_in_every_job_and_in_any_order_of_lines() {
    let bench = bench();
    let whole = job(&bench, "whole.toml", TABLE, 1, DESIGN);
    assert_eq!(bench.run(&words(&whole, "out", &["--new-secret"])).code, 0);
    let regions = job(&bench, "regions.toml", "[[\"region\"]]", 1, DESIGN);
    assert_eq!(bench.run(&words(&regions, "regions", &[])).code, 0);
    assert_eq!(numbers(&bench, "out/1-region.csv"), numbers(&bench, "regions/1-region.csv"));
    let text = bench.read("data.csv");
    let (head, rows) = text.split_once('\n').unwrap();
    let mut rows: Vec<&str> = rows.lines().collect();
    rows.reverse();
    // Another order of the columns too: age last.
    let reordered = rows.iter().map(|row| row.split(',').collect::<Vec<_>>());
    let reordered: Vec<String> = reordered.map(|f| [f[0], f[3], f[1], f[2]].join(",")).collect();
    assert_eq!(head, "region,answer,age,people");
    bench.write("data.csv", &format!("region,people,answer,age\n{}\n", reordered.join("\n")));
    assert_eq!(bench.run(&words(&whole, "again", &[])).code, 0);
    assert_eq!(numbers(&bench, "out/3-region_by_answer.csv"), numbers(&bench, "again/3-region_by_answer.csv"));
}

#[test]
fn people_read_the_promise_and_what_it_leaves_out() {
    let bench = bench();
    let job = job(&bench, "job.toml", TABLE, 1, DESIGN);
    let run = bench.run(&words(&job, "out", &["--new-secret"]));
    assert_eq!(run.code, 0, "{}", run.err);
    for words in
        ["at most 5 away", "guarantee", "mean 0 and variance 3", "not the sums of their parts", "another secret"]
    {
        assert!(run.out.contains(words), "{words}: {}", run.out);
    }
}

#[test]
fn a_reader_with_facts_who_would_know_too_much_is_refused_and_nothing_is_written() {
    let bench = bench();
    // A number published as 0 is known to within the largest deviation, whatever the numbers are.
    let wide = job(&bench, "wide.toml", TABLE, 5, DESIGN);
    let run = bench.run(&words(&wide, "out", &["--new-secret"]));
    assert!(run.code == 4 && run.err.contains("E0445"), "{} {}", run.code, run.err);
    // All cells but one as facts, and a total that leaves one count for it.
    let facts: Vec<String> = [("n", "yes", 11), ("n", "no", 24), ("m", "yes", 7), ("m", "no", 40), ("s", "no", 62)]
        .iter()
        .map(|(r, a, count)| format!("[[known]]\nwhere = {{ region = \"{r}\", answer = \"{a}\" }}\nvalue = {count}\n"))
        .collect();
    let total = "[[known]]\nwhere = { region = \"s\" }\nvalue = 102\n";
    let known = job(&bench, "known.toml", TABLE, 1, &format!("{}{total}{DESIGN}", facts.concat()));
    let run = bench.run(&words(&known, "out", &[]));
    assert!(run.code == 4 && run.err.contains("E0445"), "{} {}", run.code, run.err);
    assert!(!bench.names().contains(&"out".to_owned()));
}

#[test]
fn jobs_that_are_not_about_one_table_are_refused() {
    let bench = bench();
    let design =
        |most, variance| format!("[cell_key]\nmax_deviation = {most}\nvariance = {variance}\nsmallest_published = 3\n");
    for (margins, more, code) in [
        ("[[\"region\"], [\"answer\"]]", DESIGN.to_owned(), "E0231"),
        (TABLE, format!("[[publish]]\nwhere = {{ region = \"n\" }}\n{DESIGN}"), "E0231"),
        (TABLE, String::new(), "E0234"),
        (TABLE, design(5, 5.0), "E0234"),
        (TABLE, design(0, 3.0), "E0234"),
    ] {
        let job = job(&bench, "job.toml", margins, 1, &more);
        let run = bench.run(&words(&job, "out", &["--new-secret"]));
        assert!(run.code == 2 && run.err.contains(code), "{margins}: {} {}", run.code, run.err);
    }
    // Nothing else perturbs, and says so instead of publishing counts.
    let job = job(&bench, "job.toml", TABLE, 1, DESIGN);
    let others: [&[&str]; 2] = [&["frechet", "audit", &job, "--json"], &["frechet", "release", &job, "-o", "out"]];
    for words in others {
        let run = bench.run(words);
        assert!(run.code == 2 && run.err.contains("frechet perturb"), "{} {}", run.code, run.err);
    }
}
