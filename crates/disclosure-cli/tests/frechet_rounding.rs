//! Tables that are rounded with all their totals.
#![allow(clippy::unwrap_used, reason = "a test ends where something is missing")]

mod support;

use support::Bench;

/// Rows of a table of 3 x 2, with counts of one and two people.
fn bench() -> Bench {
    let bench = Bench::new();
    let mut rows = "region,answer,people\n".to_owned();
    for (region, yes, no) in [("n", 1, 12), ("m", 7, 2), ("s", 4, 3)] {
        rows += &format!("{region},yes,{yes}\n{region},no,{no}\n");
    }
    bench.write("data.csv", &rows);
    bench
}

fn job(bench: &Bench, margins: &str, width: u64, more: &str) -> String {
    let text = format!(
        "data = \"data.csv\"\ncount = \"people\"\nmargins = {margins}\nmin_interval_width = {width}\nmin_frequency = 1\n{more}"
    );
    bench.write("job.toml", &text)
}

const TABLE: &str = "[[\"region\", \"answer\"]]";

/// The numbers of a file, in its order.
fn numbers(bench: &Bench, file: &str) -> Vec<u64> {
    let text = bench.read(file);
    text.lines().skip(1).map(|line| line.rsplit(',').next().unwrap().parse().unwrap()).collect()
}

#[test]
fn a_rounded_table_is_additive_and_close_to_its_counts() {
    let bench = bench();
    let job = job(&bench, TABLE, 3, "");
    let record = bench.json(&["frechet", "round", &job, "--base", "5", "-o", "out", "--json"]);
    assert_eq!((record["schema"].as_str(), record["base"].as_u64()), (Some("disclosure.frechet-rounding/1"), Some(5)));
    let files: Vec<String> = record["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| format!("out/{}", file["name"].as_str().unwrap()))
        .collect();
    let [total, region, answer, cells] = [0, 1, 2, 3].map(|file| numbers(&bench, &files[file]));
    assert_eq!((total.len(), region.len(), answer.len(), cells.len()), (1, 3, 2, 6));
    // Labels come in the order of the file: n, m, s and yes, no, unless the job sorts them.
    for numbers in [&total, &region, &answer, &cells] {
        assert!(numbers.iter().all(|number| number % 5 == 0));
    }
    assert_eq!(total[0], cells.iter().sum::<u64>());
    assert_eq!(total[0], region.iter().sum::<u64>());
    assert_eq!(total[0], answer.iter().sum::<u64>());
    assert!(total[0].abs_diff(29) < 5);
    for (row, &sum) in cells.chunks(2).zip(&region) {
        assert_eq!(row.iter().sum::<u64>(), sum);
    }
    assert!(record["promise"]["guarantee"].as_str().unwrap().contains("within 3 counts"), "{record}");
    assert!(bench.read(&files[3]).starts_with("region,answer,value\n"));
}

#[test]
fn a_width_that_the_base_cannot_keep_ends_in_exit_code_4_and_writes_nothing() {
    let bench = bench();
    let job = job(&bench, TABLE, 4, "");
    let run = bench.run(&["frechet", "round", &job, "--base", "5", "-o", "out"]);
    assert!(run.code == 4 && run.err.contains("E0444"), "{} {}", run.code, run.err);
    assert_eq!(bench.names(), ["data.csv", "job.toml"]);
}

#[test]
fn what_an_attacker_knows_besides_is_part_of_the_audit() {
    let bench = bench();
    let known = "[[known]]\nwhere = { region = \"n\", answer = \"yes\" }\nvalue = 1\n[[known]]\nwhere = { region = \"n\" }\nvalue = 13\n";
    let job = job(&bench, TABLE, 1, known);
    // The rest of the row follows from the two.
    let run = bench.run(&["frechet", "round", &job, "--base", "3", "-o", "out"]);
    assert!(run.code == 4 && run.err.contains("E0444"), "{} {}", run.code, run.err);
}

#[test]
fn jobs_that_are_not_about_one_table_are_refused() {
    let bench = bench();
    for (margins, more, base, code) in [
        ("[[\"region\"], [\"answer\"]]", "", "5", "E0231"),
        ("[]", "", "5", "E0231"),
        (TABLE, "[[publish]]\nwhere = { region = \"n\" }\n", "5", "E0231"),
        (TABLE, "", "1", "E0234"),
    ] {
        let job = job(&bench, margins, 0, more);
        let run = bench.run(&["frechet", "round", &job, "--base", base, "-o", "out"]);
        assert!(run.code == 2 && run.err.contains(code), "{margins}: {} {}", run.code, run.err);
    }
}
