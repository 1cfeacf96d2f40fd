//! Tables in Parquet by the command line: what is written where, and what is refused. That the
//! numbers are those of CSV is tested where they are written, under a fixed generator.

use crate::support::{self, Bench, ROWS, spec};

/// Whether a file begins and ends as Parquet does.
fn is_parquet(bench: &Bench, name: &str) -> bool {
    let bytes = std::fs::read(bench.path(name)).unwrap();
    bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1") && bytes.len() > 100
}

#[test]
fn the_command_line_goes_before_the_job_and_the_report_checks_what_was_written() {
    let bench = Bench::new();
    let (data, csv) = (bench.write("d.csv", ROWS), bench.write("csv.toml", &spec("")));
    let parquet = bench.write("parquet.toml", &spec("tables = \"parquet\""));
    for (job, words, ending) in [
        (&csv, &[][..], "csv"),
        (&parquet, &[], "parquet"),
        (&csv, &["--tables", "parquet"], "parquet"),
        (&parquet, &["--tables", "csv"], "csv"),
    ] {
        let out = format!("out-{}", bench.names().len());
        let run = bench.run(&[&["resplan", "release", job, &data, "-o", &out], words].concat());
        assert_eq!(run.code, 0, "{}", run.err);
        let record: serde_json::Value = serde_json::from_str(&bench.read(&format!("{out}/release.json"))).unwrap();
        let name = record["files"][0]["name"].as_str().unwrap();
        assert!(name.ends_with(ending), "{name}");
        assert_eq!(is_parquet(&bench, &format!("{out}/{name}")), ending == "parquet");
        assert_eq!(bench.run(&["report", &out, "-o", &format!("{out}.html")]).code, 0);
    }
}

#[test]
fn answers_and_rows_of_a_measurement_are_written_as_their_names_say() {
    let bench = Bench::new();
    let (data, job) = (bench.write("d.csv", ROWS), bench.write("s.toml", &spec("")));
    assert_eq!(bench.run(&["resplan", "release", &job, &data, "-o", "out"]).code, 0);
    let measurement = bench.path("out/measurement.bin").to_str().unwrap().to_owned();
    let run = bench.run(&["resplan", "answer", &measurement, "-o", "answers", "--tables", "parquet"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let names: Vec<_> = std::fs::read_dir(bench.path("answers")).unwrap().map(|own| own.unwrap().file_name()).collect();
    assert!(names.iter().any(|name| name.to_string_lossy().ends_with(".parquet")), "{names:?}");
    for (file, words, expected) in [
        ("rows.parquet", &[][..], true),
        ("rows.csv", &[], false),
        ("rows.data", &["--tables", "parquet"], true),
        ("text.parquet", &["--tables", "csv"], false),
    ] {
        let run = bench.run(&[&["synth", &measurement, "-o", file, "--rows", "50"], words].concat());
        assert_eq!(run.code, 0, "{}", run.err);
        assert_eq!(is_parquet(&bench, file), expected, "{file}");
    }
}

#[test]
fn a_format_that_is_not_known_is_refused_with_the_one_that_was_meant() {
    let bench = Bench::new();
    let (data, job) = (bench.write("d.csv", ROWS), bench.write("s.toml", &spec("")));
    let run = bench.run(&["resplan", "release", &job, &data, "-o", "out", "--tables", "parqet"]);
    assert!(run.code == 2 && run.err.contains("'parquet'"), "{}", run.err);
    let job = bench.write("s.toml", &spec("tables = \"parqet\""));
    let run = bench.run(&["resplan", "release", &job, &data, "-o", "out"]);
    assert!(run.code == 2 && run.err.contains("did you mean \"parquet\"?"), "{}", run.err);
    assert!(!bench.path("out").exists());
}

/// The endings of the tables in a directory, each once.
fn endings(bench: &Bench, directory: &str) -> Vec<String> {
    let names = std::fs::read_dir(bench.path(directory)).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let endings = names.filter_map(|name| Some(name.rsplit_once('.')?.1.to_owned()));
    let endings: std::collections::BTreeSet<String> = endings.filter(|ending| ending != "json").collect();
    endings.into_iter().collect()
}

#[test]
fn perturbed_and_rounded_tables_have_the_format_of_the_command_line() {
    let bench = Bench::new();
    let perturbed = support::fixture("jobs/frechet-cell-key.toml").to_str().unwrap().to_owned();
    let secret = ["--secret-file", "key", "--new-secret"];
    for (out, words, wanted) in
        [("a", &[][..], "csv"), ("b", &["--tables", "parquet"], "parquet"), ("c", &["--tables", "csv"], "csv")]
    {
        let secret = if out == "a" { &secret[..] } else { &secret[..2] };
        let run = bench.run(&[&["frechet", "perturb", &perturbed, "-o", out], secret, words].concat());
        assert_eq!(run.code, 0, "{}", run.err);
        assert!(endings(&bench, out).contains(&wanted.to_owned()), "{out}: {:?}", endings(&bench, out));
        assert_eq!(endings(&bench, out).contains(&"parquet".to_owned()), wanted == "parquet");
    }
}

#[test]
fn groups_without_a_column_are_no_parquet_file_and_a_format_needs_a_file() {
    let bench = Bench::new();
    let data = bench.write("d.csv", "pid\na\nb\nc\n");
    let job = "group_by = []\naid = [\"pid\"]\nalways_suppress_upper_bound = 2\nmean = 8.0\nsd = 1.5\n";
    let job = bench.write("job.toml", job);
    let secret = ["--secret-file", "key", "--new-secret"];
    let words = [&["lcf", "filter", &job, &data, "-o", "out.parquet"][..], &secret].concat();
    let run = bench.run(&words);
    assert!(run.code == 2 && run.err.contains("E0273") && run.err.contains("write CSV"), "{}", run.err);
    assert!(!bench.path("out.parquet").exists());
    let words = [&["lcf", "filter", &job, &data, "--tables", "csv"][..], &secret].concat();
    let run = bench.run(&words);
    assert!(run.code == 2 && run.err.contains("--output"), "{}", run.err);
}
