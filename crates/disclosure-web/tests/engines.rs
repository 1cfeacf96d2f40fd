//! Data that are not text: what another program's openers open, and what this one says of them.

use std::path::Path;

use crate::support::served::Served;
use crate::support::{Bench, files, people};
use axum::http::StatusCode;
use disclosure_jobs::JobError;
use disclosure_jobs::input::{CsvSource, DataSource, SourceOpener, SourceRequest};
use disclosure_web::Start;

const ADDRESS: &str = "postgres://clerk@localhost:5432/census";

/// Stands for the openers of the other program: files that begin as those of Parquet do, folders of
/// them, and one table of one database.
struct Fake;

impl SourceOpener for Fake {
    fn open(&self, request: &SourceRequest<'_>) -> Result<Option<Box<dyn DataSource>>, JobError> {
        let rows = || -> Box<dyn DataSource> { Box::new(CsvSource::bytes("rows", people(200).into_bytes())) };
        if request.name.to_str() == Some(ADDRESS) {
            return match (request.format.table.as_deref(), request.format.query.as_deref()) {
                (Some("people"), None) | (None, Some("SELECT * FROM people")) => Ok(Some(rows())),
                _ => Err(JobError::new("E0349", "there is no such table")),
            };
        }
        let is_parquet = |path: &Path| std::fs::read(path).is_ok_and(|bytes| bytes.starts_with(b"PAR1"));
        Ok((request.name.is_dir() || is_parquet(request.name)).then(rows))
    }
}

fn openers() -> &'static [Box<dyn SourceOpener>] {
    Box::leak(Box::new([Box::new(Fake) as Box<dyn SourceOpener>]))
}

fn with_engine(files: &[(&str, &str)]) -> Bench {
    Bench::with_openers(files, openers())
}

fn released(bench: &Bench) -> String {
    bench.keep_columns(&[]);
    assert_eq!(bench.choose("run", &[("title", ""), ("owner", ""), ("release", "1")]), "releases");
    bench.page("releases")
}

#[test]
fn a_file_of_an_engine_goes_the_whole_way() {
    let bench = with_engine(&[("deep/people.parquet", "PAR1...")]);
    let listed = bench.post("folder", &[("folder", "deep")]).text();
    assert!(listed.contains("Open this folder as one table") && listed.contains("deep/people.parquet"), "{listed}");
    for data in ["deep/people.parquet", "deep"] {
        assert_eq!(bench.choose("open", &[("data", data)]), "columns", "{data}");
        assert!(bench.page("columns").contains("region"));
        assert!(bench.page("").contains("columns with types"));
    }
    assert!(released(&bench).contains("disclosure-sql run"));
}

#[cfg(unix)]
#[test]
fn a_folder_with_a_link_is_no_table() {
    let bench = with_engine(&[("deep/people.parquet", "PAR1...")]);
    std::os::unix::fs::symlink("/etc", bench.path("deep/out")).unwrap();
    assert_eq!(bench.post("open", &[("data", "deep")]).status, StatusCode::NOT_FOUND);
    for outside in ["", "..", "/", "."] {
        assert_eq!(bench.post("open", &[("data", outside)]).status, StatusCode::NOT_FOUND, "{outside}");
    }
}

#[test]
fn a_table_of_a_database_goes_the_whole_way() {
    for relation in [("table", "people"), ("query", "SELECT * FROM people")] {
        let bench = with_engine(&[]);
        assert!(bench.page("").contains("Or connect to a database"));
        assert_eq!(bench.choose("connect", &[("address", ADDRESS), relation]), "columns");
        assert!(bench.page("").contains(ADDRESS));
        let page = released(&bench);
        assert!(page.contains("disclosure-sql run disclosure-workbench/job-1.toml -o out"), "{page}");
        let job = std::fs::read_to_string(bench.path("disclosure-workbench/job-1.toml")).unwrap();
        assert!(
            job.contains(&format!("data = \"{ADDRESS}\"\nformat = {{ {} = \"{}\" }}", relation.0, relation.1)),
            "{job}"
        );
        let bench = bench.restarted_with(openers());
        assert!(bench.page("").contains(ADDRESS));
    }
}

/// What the command names at the start.
fn at_start(data: &'static str, table: Option<&'static str>, query: Option<&'static str>) -> Result<Served, JobError> {
    Served::started(Some(Start { data: Path::new(data), table, query }), openers())
}

#[test]
fn an_address_on_the_command_line_is_open_when_the_address_of_the_page_is_printed() {
    for (table, query) in [(Some("people"), None), (None, Some("SELECT * FROM people"))] {
        let served = at_start(ADDRESS, table, query).unwrap();
        let page = std::iter::repeat_with(|| served.text("columns")).find(|page| page.contains(" 200 OK")).unwrap();
        assert!(page.contains("region"), "{page}");
        assert!(served.text("").contains(ADDRESS));
    }
    let code = |data, table, query| at_start(data, table, query).map(drop).unwrap_err().code();
    assert_eq!(code(ADDRESS, None, None), "E0725");
    assert_eq!(code(ADDRESS, Some(" "), None), "E0725");
    assert_eq!(code(ADDRESS, Some("people"), Some("SELECT 1")), "E0704");
    assert_eq!(code("postgres://clerk:hunter2@localhost/census", Some("people"), None), "E0714");
    assert_eq!(code("/etc/passwd", None, None), "E0703");
    let plain = Served::started(Some(Start { data: Path::new(ADDRESS), table: Some("people"), query: None }), &[]);
    assert!(plain.map(drop).unwrap_err().has_code("E0715"), "a program without an engine names the one that has it");
}

#[test]
fn a_password_is_refused_and_kept_nowhere() {
    let bench = with_engine(&[]);
    for address in [
        "postgres://clerk:hunter2@localhost/census",
        "postgres://localhost/census?password=hunter2",
        "postgres://localhost/census?PassWord=hunter2",
    ] {
        let answer = bench.post("connect", &[("address", address), ("table", "people")]);
        assert!(answer.text().contains("E0714") && !answer.text().contains("hunter2"), "{}", answer.text());
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY);
    }
    assert!(!bench.page("").contains("hunter2"));
    let kept = bench.path("disclosure-workbench");
    assert!(!kept.exists() || files(&kept).iter().all(|(_, bytes)| !bytes.windows(7).any(|part| part == b"hunter2")));
}

#[test]
fn connections_that_cannot_be_are_refused() {
    let bench = with_engine(&[]);
    let refused = |fields: &[(&str, &str)]| bench.post("connect", fields).text();
    for fields in [
        &[("address", "people.csv"), ("table", "people")][..],
        &[("address", ""), ("table", "people")],
        &[("address", ADDRESS)],
        &[("address", ADDRESS), ("table", "people"), ("query", "SELECT 1")],
        &[("address", "postgres://localhost/\u{7}"), ("table", "people")],
    ] {
        assert!(refused(fields).contains("E0704"), "{fields:?}");
    }
    assert!(bench.post("open", &[("data", ADDRESS)]).text().contains("E0704"), "an address is no file");
    bench.post("connect", &[("address", ADDRESS), ("table", "none")]);
    let ended = std::iter::repeat_with(|| bench.page("status")).find(|status| !status.contains("<progress")).unwrap();
    assert!(ended.contains("E0349"), "{ended}");
    bench.post("connect", &[("address", "mysql://localhost/x"), ("table", "people")]);
    let ended = std::iter::repeat_with(|| bench.page("status")).find(|status| !status.contains("<progress")).unwrap();
    assert!(ended.contains("E0715"), "no opener knows it: {ended}");
}

#[test]
fn the_plain_program_says_which_one_reads_them() {
    let bench = Bench::with(&[
        ("people.parquet", "PAR1\x15\x04\x15\0"),
        ("other.arrow", "ARROW1\0\0"),
        ("t.csv", "PAR1\x15\x04\x15\0"),
    ]);
    let page = bench.page("");
    assert!(page.contains("people.parquet") && page.contains("disclosure-sql serve"), "{page}");
    assert!(!page.contains("Or connect to a database") && !page.contains("value=\"people.parquet\""));
    for data in ["people.parquet", "other.arrow"] {
        let refused = bench.post("open", &[("data", data)]).text();
        assert!(refused.contains("E0715") && refused.contains("`disclosure-sql serve`"), "{refused}");
    }
    bench.post("open", &[("data", "t.csv")]);
    let ended = std::iter::repeat_with(|| bench.page("status")).find(|status| !status.contains("<progress")).unwrap();
    assert!(ended.contains("E0327") && ended.contains("disclosure-sql reads Parquet"), "{ended}");
    let answer = bench.post("connect", &[("address", ADDRESS), ("table", "people")]);
    assert!(answer.text().contains("E0715"), "{}", answer.text());
    assert_eq!(bench.post("open", &[("data", ".")]).status, StatusCode::NOT_FOUND);
}
