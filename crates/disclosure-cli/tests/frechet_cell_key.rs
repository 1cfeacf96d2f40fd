//! Tables under the cell-key method.

use std::collections::BTreeMap;

use crate::support::{Bench, fixture};
use serde_json::Value;

const DESIGN: &str = "[cell_key]\nmax_deviation = 5\nvariance = 3.0\nsmallest_published = 3\n";
/// All that the data say, and labels that nobody has.
const ATTRIBUTES: &str = r#"
[[attribute]]
name = "region"
labels = ["n", "m", "s"]
[[attribute]]
name = "answer"
labels = ["yes", "no"]
[[attribute]]
name = "age"
labels = ["young", "old", "older"]
"#;
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
    bench.write(name, &(text + ATTRIBUTES))
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

/// Two designs under one secret give two numbers of one draw, and so do two lists of attributes:
/// their intervals meet close to the count.
#[test]
fn a_secret_is_for_one_design_and_one_list_of_attributes() {
    let bench = bench();
    let first = job(&bench, "first.toml", TABLE, 1, DESIGN);
    assert_eq!(bench.run(&words(&first, "out", &["--new-secret"])).code, 0);
    let wider = DESIGN.replace("max_deviation = 5", "max_deviation = 10").replace("variance = 3.0", "variance = 7.0");
    let second = job(&bench, "second.toml", TABLE, 1, &wider);
    let other = std::fs::read_to_string(&first).unwrap().replace("\"older\"]", "\"older\", \"oldest\"]");
    let third = bench.write("third.toml", &other);
    for job in [&second, &third] {
        let run = bench.run(&words(job, "again", &[]));
        assert!(run.code == 4 && run.err.contains("E0408"), "{} {}", run.code, run.err);
        assert!(!bench.names().contains(&"again".to_owned()));
        // Another secret is another draw.
        let words = ["frechet", "perturb", job, "-o", "other", "--secret-file", "other.key", "--new-secret"];
        assert_eq!(bench.run(&words).code, 0);
        std::fs::remove_dir_all(bench.path("other")).unwrap();
        std::fs::remove_file(bench.path("other.key")).unwrap();
        std::fs::remove_file(bench.path("other.key.registry")).unwrap();
    }
    assert_eq!(bench.run(&words(&first, "again", &[])).code, 0);
}

/// A label that is listed because somebody has it is no secret: its number of 0 would be read as 1
/// and more.
#[test]
fn labels_that_are_read_off_the_data_and_rules_of_other_releases_are_refused() {
    let bench = bench();
    let declared = job(&bench, "job.toml", TABLE, 1, DESIGN);
    let learnt = std::fs::read_to_string(&declared).unwrap().replace(ATTRIBUTES, "");
    let learnt = bench.write("learnt.toml", &learnt);
    let run = bench.run(&words(&learnt, "out", &["--new-secret"]));
    assert!(run.code != 0 && run.err.contains("E0401"), "{} {}", run.code, run.err);
    for (from, to) in [
        ("min_frequency = 1", "min_frequency = 2"),
        ("min_frequency = 1", "min_frequency = 1\nepsilon = 1.0"),
        ("min_frequency = 1", "min_frequency = 1\nforbid = [\"suppression\"]"),
        ("min_frequency = 1", "min_frequency = 1\ndecide_on = \"robust\""),
    ] {
        let text = std::fs::read_to_string(&declared).unwrap().replace(from, to);
        let job = bench.write("other.toml", &text);
        let run = bench.run(&words(&job, "out", &["--new-secret"]));
        assert!(run.code == 2 && run.err.contains("E0234"), "{to}: {} {}", run.code, run.err);
    }
    let wrong = bench.write("wrong.toml", "margins = 1");
    let run = bench.run(&["frechet", "perturb", &wrong, "-o", "out", "--secret-file", "new", "--new-secret"]);
    assert!(run.code == 2 && run.err.contains("E0210"), "{}", run.err);
    assert!(!bench.path("new").exists(), "no key for a job that was refused");
    assert!(!bench.names().contains(&"out".to_owned()));
}

/// Two people in two groups, of whom each is published as 0, and a total of 1: by the total at
/// least one is there, by the deviation at most two, and two groups of the same people would have
/// one number. A release under any secret leaves the total wider than the rule, or does not leave.
#[test]
fn the_total_is_judged_too() {
    let bench = Bench::new();
    bench.write("two.csv", "a\nx\ny\n");
    let text = "data = \"two.csv\"\nmargins = [[\"a\"]]\nmin_interval_width = 0\nmin_frequency = 1\n\
                [cell_key]\nmax_deviation = 1\nvariance = 0.5\nsmallest_published = 1\n\
                [[attribute]]\nname = \"a\"\nlabels = [\"x\", \"y\", \"z\"]\n";
    let job = bench.write("two.toml", text);
    // The secret under which the total is 1 and all groups are 0: 116, 32 bytes, least first.
    let mut secret = [0_u8; 32];
    secret[0] = 116;
    std::fs::write(bench.path("bad.key"), secret).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(bench.path("bad.key"), std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    let run = bench.run(&["frechet", "perturb", &job, "-o", "out", "--secret-file", "bad.key", "--register"]);
    assert!(run.code == 4 && run.err.contains("E0445"), "{} {} {}", run.code, run.out, run.err);
    assert!(!bench.names().contains(&"out".to_owned()));
}

/// Another design under the same secret would draw the same people again.
#[test]
fn a_registry_that_is_lost_is_not_made_again_without_a_word() {
    let bench = Bench::new();
    let job = fixture("jobs/frechet-cell-key.toml");
    let perturb = |output: &str, word: &[&str]| {
        let words = ["frechet", "perturb", job.to_str().unwrap(), "-o", output, "--secret-file", "key"];
        bench.run(&[&words[..], word].concat())
    };
    assert_eq!(perturb("first", &["--new-secret"]).code, 0);
    std::fs::remove_file(bench.path("key.registry")).unwrap();
    let run = perturb("second", &[]);
    assert!(run.code == 4 && run.err.contains("E0408") && run.err.contains("--register"), "{}", run.err);
    assert!(!bench.path("second").exists());
    assert_eq!(perturb("second", &["--register"]).code, 0);
    assert_eq!(perturb("third", &[]).code, 0);
    let within =
        bench.run(&["frechet", "perturb", job.to_str().unwrap(), "-o", "o", "--secret-file", "o/key", "--new-secret"]);
    assert!(within.code != 0 && within.err.contains("E0111") && !bench.path("o").exists(), "{}", within.err);
}
