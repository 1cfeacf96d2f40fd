//! Tables that are rounded with all their totals.

use crate::support::Bench;

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

/// A job whose pattern is drawn.
const PRIVATE: &str = "decide_on = \"private\"\n\
    pattern = { epsilon = 1.0, delta = 1e-6, neighbours = \"add-remove\", rows_per_person = 1 }\n";

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
    assert!(record["promise"]["statement"].as_str().unwrap().contains("within 3 counts"), "{record}");
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
fn a_rounding_that_facts_do_not_narrow_too_far_leaves_and_says_what_was_assumed() {
    let bench = bench();
    let job = job(&bench, TABLE, 1, "[[known]]\nwhere = { region = \"n\", answer = \"yes\" }\nvalue = 1\n");
    let record = bench.json(&["frechet", "round", &job, "--base", "5", "-o", "out", "--json"]);
    let against = record["promise"]["against"].as_str().unwrap();
    assert!(against.contains("this program, 1 fact of the job and nothing else"), "{against}");
    let left = record["not_covered"].to_string();
    assert!(left.contains("a class whose count is a fact in known"), "{left}");
    let false_fact = job.replace("job.toml", "false.toml");
    bench.write("false.toml", &bench.read("job.toml").replace("value = 1\n", "value = 2\n"));
    let run = bench.run(&["frechet", "round", &false_fact, "--base", "5", "-o", "other"]);
    assert!(run.code != 0 && run.err.contains("E0372"), "{} {}", run.code, run.err);
}

#[test]
fn three_attributes_have_eight_files_and_people_read_what_is_not_known() {
    let bench = Bench::new();
    let mut rows = "a,b,c,people\n".to_owned();
    for cell in 0..12 {
        rows += &format!("{},{},{},{}\n", cell % 2, cell / 2 % 2, cell / 4, cell + 1);
    }
    bench.write("data.csv", &rows);
    let job = job(&bench, "[[\"a\", \"b\", \"c\"]]", 0, "");
    let run = bench.run(&["frechet", "round", &job, "--base", "3", "-o", "out"]);
    assert_eq!(run.code, 0, "{}", run.err);
    for words in
        ["multiples of 3", "guarantee", "expected values of its numbers are not known", "more likely than others"]
    {
        assert!(run.out.contains(words), "{words}: {}", run.out);
    }
    assert!(bench.read("out/release.json").contains("7-a_by_b_by_c.csv"));
    let (total, cells) = (numbers(&bench, "out/0-total.csv"), numbers(&bench, "out/7-a_by_b_by_c.csv"));
    assert_eq!((cells.len(), cells.iter().sum()), (12, total[0]));
}

#[test]
fn jobs_that_are_not_about_one_table_are_refused() {
    let bench = bench();
    for (margins, more, base, code) in [
        ("[[\"region\"], [\"answer\"]]", "", "5", "E0231"),
        ("[]", "", "5", "E0231"),
        (TABLE, "[[publish]]\nwhere = { region = \"n\" }\n", "5", "E0231"),
        (TABLE, "", "1", "E0234"),
        (TABLE, PRIVATE, "5", "leave out decide_on, pattern"),
        (TABLE, "epsilon = 1.0\nforbid = [\"merging\"]\n", "5", "leave out epsilon, forbid"),
    ] {
        let job = job(&bench, margins, 0, more);
        let run = bench.run(&["frechet", "round", &job, "--base", base, "-o", "out"]);
        assert!(run.code == 2 && run.err.contains(code), "{margins}: {} {}", run.code, run.err);
    }
    let job = job(&bench, TABLE, 0, "");
    bench.write("job.toml", &bench.read("job.toml").replace("min_frequency = 1", "min_frequency = 2"));
    let run = bench.run(&["frechet", "round", &job, "--base", "5", "-o", "out"]);
    assert!(run.code == 2 && run.err.contains("E0234") && run.err.contains("min_frequency = 1"), "{}", run.err);
    assert!(!bench.names().contains(&"out".to_owned()));
}
