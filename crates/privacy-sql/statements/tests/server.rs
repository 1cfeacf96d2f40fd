//! The statements on a PostgreSQL server that psql asks: hostile names are names, every row is
//! counted in its group, and nothing is written. Where there is no program to start, the tests say
//! so and pass, unless `DISCLOSURE_REQUIRE_POSTGRES` is set.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test ends where something is missing")]

#[path = "../../tests/support/hostile.rs"]
mod hostile;
#[path = "../../tests/support/postgres.rs"]
mod postgres;

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use hostile::HOSTILE;
use postgres::Postgres;
use privacy_sql_statements::{Relation, postgres as dialect};

/// The fields of a row; `None` is NULL.
type Row = Vec<Option<String>>;

impl Postgres {
    /// A server that answers.
    fn answering() -> Option<Self> {
        let started = Self::start(false).filter(|_| postgres::program("psql").is_some());
        let is_required = std::env::var_os("DISCLOSURE_REQUIRE_POSTGRES").is_some();
        let Some(server) = started else {
            assert!(!is_required, "no PostgreSQL could be started");
            eprintln!("SKIPPED: no PostgreSQL server can be started (apt-get install postgresql)");
            return None;
        };
        let until = Instant::now() + Duration::from_secs(60);
        while !server.psql(&["SELECT 1"]).status.success() {
            assert!(Instant::now() < until, "the server does not answer");
            std::thread::sleep(Duration::from_millis(100));
        }
        Some(server)
    }

    /// Sends statements as they are, over one connection.
    fn psql(&self, statements: &[&str]) -> Output {
        self.psql_with(statements, "")
    }

    fn psql_with(&self, statements: &[&str], input: &str) -> Output {
        let mut psql = Command::new(postgres::program("psql").unwrap());
        psql.args(["-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-U", "owner", "-d", "postgres", "-p"]);
        psql.arg(self.port.to_string()).env("PGPASSFILE", self.password_file()).env("PGCLIENTENCODING", "UTF8");
        psql.args(statements.iter().flat_map(|statement| ["-c", statement]));
        let mut process = psql.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // A psql that was refused reads nothing.
        let _ = process.stdin.take().unwrap().write_all(input.as_bytes());
        process.wait_with_output().unwrap()
    }

    fn execute(&self, statement: &str) {
        let output = self.psql(&[statement]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    /// The rows that a statement copies, within the transaction that every job has.
    fn copied(&self, statement: &str, in_order: bool) -> Vec<Row> {
        let output = self.psql(&[&dialect::begin(60), dialect::workers(in_order), statement]);
        assert!(output.status.success(), "{statement}: {}", String::from_utf8_lossy(&output.stderr));
        rows_of(&output.stdout)
    }
}

/// Rows in the binary format of COPY.
fn rows_of(bytes: &[u8]) -> Vec<Row> {
    let mut rest = bytes.strip_prefix(b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0").unwrap();
    let mut take = |length: usize| {
        let (taken, left) = rest.split_at(length);
        rest = left;
        taken
    };
    let mut rows = Vec::new();
    loop {
        let fields = i16::from_be_bytes(take(2).try_into().unwrap());
        if fields == -1 {
            return rows;
        }
        let mut field = |_| {
            let length = i32::from_be_bytes(take(4).try_into().unwrap());
            usize::try_from(length).ok().map(|length| String::from_utf8(take(length).to_vec()).unwrap())
        };
        rows.push((0..fields).map(&mut field).collect());
    }
}

/// An identifier, quoted by a rule of its own.
fn identifier(name: &str) -> String {
    ["\"", &name.split('"').collect::<Vec<_>>().join("\"\""), "\""].concat()
}

/// A label that is in other rows in every column, more often the earlier it is; sometimes NULL, and
/// sometimes empty.
fn label(row: usize, column: usize) -> Option<&'static str> {
    match (row * row + 5 * column) % (HOSTILE.len() + 2) {
        0 => None,
        1 => Some(""),
        label => Some(HOSTILE[label - 2]),
    }
}

/// A table `people` with a hostile name for every column, and one that nothing may change.
fn filled(server: &Postgres, rows: usize) -> Vec<Row> {
    let columns = HOSTILE.map(|name| format!("{} text", identifier(name))).join(", ");
    server.execute("CREATE TABLE canary (x int)");
    server.execute("INSERT INTO canary VALUES (7)");
    server.execute(&format!("CREATE TABLE people ({columns})"));
    let row = |row| (0..HOSTILE.len()).map(|column| label(row, column).map(str::to_owned)).collect();
    let rows: Vec<Row> = (0..rows).map(row).collect();
    let field = |text: &Option<String>| text.as_ref().map_or(String::new(), |text| identifier(text));
    let line = |row: &Row| row.iter().map(field).collect::<Vec<_>>().join(",") + "\n";
    let csv: String = rows.iter().map(line).collect();
    let output = server.psql_with(&["COPY people FROM STDIN (FORMAT csv)"], &csv);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    rows
}

/// How many rows have each combination of values in some columns, counted here.
fn counted(rows: &[Row], columns: &[usize]) -> Vec<Row> {
    let mut groups: BTreeMap<Row, u64> = BTreeMap::new();
    for row in rows {
        *groups.entry(columns.iter().map(|&column| row[column].clone()).collect()).or_default() += 1;
    }
    groups.into_iter().map(|(group, count)| [group, vec![Some(count.to_string())]].concat()).collect()
}

fn sorted(mut rows: Vec<Row>) -> Vec<Row> {
    rows.sort();
    rows
}

fn named(columns: &[usize]) -> Vec<&'static str> {
    columns.iter().map(|&column| HOSTILE[column]).collect()
}

#[test]
fn groups_and_rows_are_those_of_the_table_whatever_its_names_are() {
    let Some(server) = Postgres::answering() else { return };
    let rows = filled(&server, 3000);
    let relations = [
        Relation::table("people").unwrap(),
        Relation::table("public.people").unwrap(),
        Relation::query("SELECT * FROM people -- all of them ;\n;").unwrap(),
    ];
    let all: Vec<usize> = (0..HOSTILE.len()).collect();
    for relation in &relations {
        let pairs = all.windows(2).chain([&all[..1], &all[..]]);
        for columns in pairs {
            let groups = server.copied(&dialect::groups(relation, &named(columns)), false);
            assert!(sorted(groups) == counted(&rows, columns), "{relation:?} {columns:?}");
        }
        // In an order of the server's own, whichever columns are asked for.
        let whole = server.copied(&dialect::rows(relation, &HOSTILE), true);
        assert!(sorted(whole.clone()) == sorted(rows.clone()), "{relation:?}");
        for (column, name) in HOSTILE.iter().enumerate().step_by(5) {
            let alone: Vec<Row> = whole.iter().map(|row| vec![row[column].clone()]).collect();
            assert!(server.copied(&dialect::rows(relation, &[name]), true) == alone, "{relation:?} {name}");
        }
        let output = server.psql(&["\\pset tuples_only on", &dialect::begin(60), &dialect::no_rows(relation)]);
        assert!(output.status.success() && output.stdout.trim_ascii().is_empty(), "{relation:?}");
    }
    for name in HOSTILE {
        let quoted = identifier(name);
        server.execute(&format!("CREATE TABLE {quoted} AS SELECT 1 AS {quoted}"));
        let table = Relation::Table(vec!["public".to_owned(), name.to_owned()]);
        assert_eq!(server.copied(&dialect::rows(&table, &[name]), true), [[Some("1".to_owned())]], "{name}");
    }
    let canary = Relation::table("canary").unwrap();
    assert_eq!(server.copied(&dialect::groups(&canary, &["x"]), false), [["7", "1"].map(|text| Some(text.to_owned()))]);
}

#[test]
fn the_transaction_of_a_job_writes_nothing_and_sees_one_state() {
    let Some(server) = Postgres::answering() else { return };
    server.execute("CREATE TABLE canary (x int)");
    for statement in ["INSERT INTO canary VALUES (1)", "DROP TABLE canary", "CREATE TABLE other (x int)"] {
        let output = server.psql(&[&dialect::begin(60), statement]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains("read-only transaction"), "{statement}: {said}");
    }
    for (setting, value) in [("transaction_isolation", "repeatable read"), ("statement_timeout", "1min")] {
        let output = server.psql(&["\\pset tuples_only on", &dialect::begin(60), &format!("SHOW {setting}")]);
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), value);
    }
    let slow = server.psql(&[&dialect::begin(1), "SELECT pg_sleep(30)"]);
    assert!(!slow.status.success(), "a statement ends in its time");
}
