//! One table in the forms that offices send: the same numbers from each, and what was found is
//! said.

use crate::support::workbook::{sheet, write_workbook};
use crate::support::{Bench, fixture};
use serde_json::Value;

const JOB: &str = "up_to = 2\nneighbours = \"add-remove\"\ndomain = \"survey.domain.toml\"\n[privacy]\nrho = 1.0\n";

fn form(name: &str) -> String {
    fixture(&format!("forms/{name}")).to_str().unwrap().to_owned()
}

/// A bench with the job beside its domain.
fn bench() -> (Bench, String) {
    let bench = Bench::new();
    bench.write("survey.domain.toml", &std::fs::read_to_string(form("survey.domain.toml")).unwrap());
    let job = bench.write("job.toml", JOB);
    (bench, job)
}

/// The simulated release of a file.
fn simulated(bench: &Bench, job: &str, data: &str, more: &[&str]) -> Value {
    let words = ["resplan", "simulate", job, data, "--trials", "2", "--seed", "1", "--json"];
    let mut document = bench.json(&[&words[..], more].concat());
    // How the file was read, which differs.
    document.as_object_mut().unwrap().remove("notes");
    document
}

#[test]
fn every_form_of_a_table_gives_the_same_numbers() {
    let (bench, job) = bench();
    let want = simulated(&bench, &job, &form("survey.csv"), &[]);
    for name in ["survey-semicolons.csv", "survey.tsv", "survey.csv.gz", "survey.csv.zst"] {
        assert_eq!(simulated(&bench, &job, &form(name), &[]), want, "{name}");
    }
    assert_eq!(simulated(&bench, &job, &form("survey.xlsx"), &["--sheet", "Survey 2024"]), want);
    let declared = ["--separator", ";", "--decimal", ",", "--quote", "\""];
    assert_eq!(simulated(&bench, &job, &form("survey-semicolons.csv"), &declared), want);
}

#[test]
fn what_was_found_is_said_and_nothing_is_said_of_commas() {
    let bench = Bench::new();
    let cases = [
        ("survey-semicolons.csv", "is read as: fields separated by semicolons, decimal commas."),
        ("survey.tsv", "is read as: fields separated by tabs."),
        ("survey.csv.gz", "is read as: gzip."),
        ("survey.csv.zst", "is read as: Zstandard."),
        ("survey.xlsx", "is read as: a workbook, the first of 2 sheets."),
    ];
    for (name, words) in cases {
        let said = bench.run(&["init", &form(name)]).err;
        assert!(said.contains(words), "{name}: {said}");
    }
    assert!(!bench.run(&["init", &form("survey.csv")]).err.contains("is read as"));
}

#[test]
fn a_wrong_form_is_refused_with_what_to_do() {
    let (bench, job) = bench();
    let release = |data: &str, more: &[&str]| -> (i32, String) {
        let words = ["resplan", "simulate", &job, data, "--trials", "2", "--seed", "1"];
        let run = bench.run(&[&words[..], more].concat());
        (run.code, run.err)
    };
    let points = release(&form("survey-semicolons.csv"), &["--decimal", "."]);
    assert!(points.0 == 3 && points.1.contains("E0319") && points.1.contains("--decimal"), "{points:?}");
    let both = release(&form("survey.csv"), &["--separator", ";", "--quote", ";"]);
    assert!(both.0 == 2 && both.1.contains("E0230"), "{both:?}");
    let sheet = release(&form("survey.xlsx"), &["--sheet", "2023"]);
    assert!(sheet.0 == 3 && sheet.1.contains("E0328") && !sheet.1.contains("Notes"), "{sheet:?}");
    let parquet = bench.write("t.parquet", "PAR1\u{1}\u{0}PAR1");
    let named = release(&parquet, &[]);
    assert!(named.0 == 3 && named.1.contains("this is a Parquet file"), "{named:?}");
}

#[test]
fn a_job_that_names_its_data_declares_their_form() {
    let (bench, _) = bench();
    bench.write("t.csv", "a|b;c\nx|1;2\ny|3;4\n");
    let job = bench.write(
        "audit.toml",
        "data = \"t.csv\"\nformat = { separator = \"|\" }\nmargins = \"axial\"\ntau = 0\nmin_frequency = 1\n",
    );
    let run = bench.run(&["frechet", "bounds", &job, "--json"]);
    assert!(run.code == 0 && run.out.contains("b;c"), "{}", run.err);
}

/// A row number that comes twice is not a row that replaces another.
#[test]
fn a_cell_that_a_workbook_has_twice_is_refused() {
    let bench = Bench::new();
    let head = "<worksheet><sheetData><row r='1'><c r='A1' t='inlineStr'><is><t>a</t></is></c></row>";
    let row = "<row r='2'><c r='A2' t='inlineStr'><is><t>x</t></is></c></row>";
    write_workbook(&bench.path("once.xlsx"), &[sheet(head, row, 1, "</sheetData></worksheet>")]);
    assert_eq!(bench.run(&["init", "once.xlsx"]).code, 0);
    write_workbook(&bench.path("twice.xlsx"), &[sheet(head, row, 2, "</sheetData></worksheet>")]);
    let said = bench.run(&["init", "twice.xlsx"]);
    assert!(said.code == 3 && said.err.contains("E0328") && said.err.contains("row 2, column 1"), "{}", said.err);
}

#[test]
fn a_domain_is_learnt_from_the_standard_input_as_from_a_file() {
    let bench = Bench::new();
    let rows = "sex,age\nf,1\nm,2\nf,3\n";
    bench.write("rows.csv", rows);
    let streamed = bench.run_with(&["init", "-"], rows);
    assert_eq!((streamed.code, &streamed.out), (0, &bench.run(&["init", "rows.csv"]).out), "{}", streamed.err);
    // A job names its data.
    let refused = bench.run_with(&["init", "-", "-o", "start"], rows);
    assert!(refused.code == 2 && refused.err.contains("E0200"), "{}", refused.err);
}

#[test]
fn a_workbook_that_ends_its_reader_is_refused_and_nothing_is_said_of_its_content() {
    let bench = Bench::new();
    // A column beyond all numbers of 32 bits.
    let beyond = "<worksheet><dimension ref='A1:ZZZZZZZZZZZZ1'/><sheetData></sheetData></worksheet>";
    write_workbook(&bench.path("beyond.xlsx"), &[sheet(beyond, "", 0, "")]);
    let said = bench.run(&["init", "beyond.xlsx"]);
    assert_eq!(said.code, 3, "{}", said.err);
    assert!(said.err.contains("E0328") && said.err.contains("a fault of the program at "), "{}", said.err);
    assert!(!said.err.contains("overflow") && !said.err.contains("panicked"), "{}", said.err);
}
