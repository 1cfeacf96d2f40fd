//! PostgreSQL gives the rows of the text: codes, tables, texts, releases; and refuses in time.
#![cfg(all(feature = "postgres", unix))]
#![allow(clippy::unwrap_used, reason = "a test ends where something is missing")]

#[path = "support/server.rs"]
mod server;
mod support;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use disclosure_jobs::JobError;
use disclosure_jobs::input::{CsvSource, DataSource, FormatSpec, MemoryFiles, SourceRequest, TextColumns};
use disclosure_jobs::ledger::MemoryLedger;
use disclosure_jobs::limits::Limits;
use disclosure_jobs::marginals;
use disclosure_jobs::observer::Silent;
use disclosure_jobs::sink::MemorySink;
use privacy_core::stop::StopFlag;
use privacy_core::{AttrSet, CountSource, Provenance};
use privacy_data::{CsvOptions, Microdata, Schema, TextRow};
use privacy_sql::{EngineSource, PostgresOpener};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use server::Server;
use support::{HOSTILE, TOWN, Table, attributes, schema};

fn table_format(name: &str) -> FormatSpec {
    FormatSpec { table: Some(name.to_owned()), ..FormatSpec::default() }
}

fn query_format(query: &str) -> FormatSpec {
    FormatSpec { query: Some(query.to_owned()), ..FormatSpec::default() }
}

fn open(opener: &PostgresOpener, address: &Path, format: &FormatSpec) -> Result<EngineSource, JobError> {
    let stop = StopFlag::never();
    opener.source(&SourceRequest { name: address, format, stop: &stop }).map(|source| source.unwrap())
}

impl Server {
    fn of(&self, format: &FormatSpec) -> Result<EngineSource, JobError> {
        open(&self.opener(), &self.address("owner"), format)
    }

    fn people(&self, name: &str, table: &Table) {
        let town = TOWN.replace('"', "\"\"");
        self.execute(&format!(
            "CREATE TABLE {name} (\"{town}\" text, age int, income float8, many text, \"user\" int)"
        ));
        self.fill(name, &table.csv());
    }
}

fn options() -> CsvOptions {
    CsvOptions::default()
}

fn texts(source: &dyn DataSource, columns: TextColumns<'_>) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    let mut keep = |row: &TextRow<'_>| -> Result<(), JobError> {
        all.push(row.fields().map(str::to_owned).collect());
        Ok(())
    };
    source.for_each_text_row(columns, &options(), &mut keep).unwrap();
    all
}

/// The codes of all rows, a row at a time.
fn codes(rows: &Microdata) -> Vec<Vec<u32>> {
    let attributes = rows.domain().len();
    (0..rows.rows()).map(|row| (0..attributes).map(|attribute| rows.code(attribute, row)).collect()).collect()
}

fn sorted<T: Ord>(mut rows: Vec<T>) -> Vec<T> {
    rows.sort();
    rows
}

/// The text of a town's code: none for the missing.
fn label(code: u32) -> String {
    HOSTILE.get(code as usize).map_or_else(String::new, |label| (*label).to_owned())
}

#[test]
fn a_table_of_the_server_has_the_rows_of_its_text() {
    let Some(server) = Server::start() else { return };
    let table = Table::seeded(1, 30_000);
    server.people("people", &table);
    let text = CsvSource::bytes("t", table.csv().into_bytes());
    let small = Schema::new(vec![attributes().remove(0), attributes().remove(2)], Provenance::Public).unwrap();
    for format in
        [table_format("people"), table_format("public.people"), query_format("SELECT * FROM people -- all;\n;")]
    {
        let source = server.of(&format).unwrap();
        // A domain of few cells is grouped by the server, a large one is counted here.
        for (schema, sets) in [
            (schema(), vec![AttrSet::EMPTY, AttrSet::first(2), AttrSet::single(3)]),
            (small.clone(), vec![AttrSet::first(2), AttrSet::single(1)]),
        ] {
            let expected = text.read_rows(&schema, &options()).unwrap();
            let rows = source.read_rows(&schema, &options()).unwrap();
            assert_eq!(sorted(codes(&rows)), sorted(codes(&expected)), "{format:?}");
            let counted = source.count_marginals(&schema, &options(), &sets).unwrap().unwrap();
            let expected = expected.marginals(&sets).unwrap();
            counted.iter().zip(&expected).for_each(|(ours, theirs)| assert_eq!(ours.cells(), theirs.cells()));
            assert_eq!(counted.len(), expected.len());
        }
        let all = texts(&source, TextColumns::NamedThenAll(&["user", TOWN]));
        assert_eq!(sorted(all.clone()), sorted(texts(&text, TextColumns::NamedThenAll(&["user", TOWN]))));
        // The server keeps rows in an order of its own, the same for every reading.
        let towns: Vec<Vec<String>> = all.iter().map(|row| vec![row[1].clone()]).collect();
        assert_eq!(texts(&source, TextColumns::Named(&[TOWN])), towns);
        let coded = source.read_rows(&small, &options()).unwrap();
        let labels: Vec<Vec<String>> = coded.codes(0).map(|code| vec![label(code)]).collect();
        assert_eq!(labels, towns);
        let learnt = source.learn_domain(&options()).unwrap();
        assert_eq!(learnt.to_toml(), text.learn_domain(&options()).unwrap().to_toml());
    }
}

#[test]
fn a_release_is_the_same_bytes_and_sees_one_snapshot() {
    let Some(server) = Server::start() else { return };
    let table = Table::seeded(2, 3000);
    server.people("people", &table);
    let text = "title = \"t\"\nmarginals = [[\"age\"], [\"income\"]]\nneighbours = \"add-remove\"\n[privacy]\nrho = 0.5\n\
        [[attribute]]\nname = \"age\"\nsize = 90\nmissing = \"category\"\n[[attribute]]\nname = \"income\"\nbins = [0, 500, 1000]\n";
    let rng = || ChaCha20Rng::from_seed([7; 32]);
    let release = |source: &dyn DataSource| {
        let job = marginals::Job::parse(text, &MemoryFiles::default()).unwrap();
        let planned = job.plan(&Limits::default(), &Silent).unwrap();
        let mut ledger = MemoryLedger::new(1.0, planned.charge_request().terms, &mut rng()).unwrap();
        let released = planned.read(source, &Silent).unwrap().release(&mut ledger, &mut rng()).unwrap();
        let mut sink = MemorySink::default();
        released.write(&mut sink, &Silent).unwrap();
        sink.files().clone()
    };
    let expected = release(&CsvSource::bytes("t", table.csv().into_bytes()));
    let source = server.of(&table_format("people")).unwrap();
    assert_eq!(release(&source), expected);
    server.execute("INSERT INTO people (age, income) VALUES (1, 1)");
    assert_eq!(release(&source), expected, "a row that arrives later is not of the snapshot");
    assert_ne!(release(&server.of(&table_format("people")).unwrap()), expected, "and the test would notice");
}

/// A planner leaves out a join that nobody asks for, and then reads in another order; what is
/// random is drawn again by every statement. The rows of people and their labels must stay
/// together.
#[test]
fn two_readings_of_a_query_or_a_view_are_of_the_same_rows_in_the_same_order() {
    let Some(server) = Server::start() else { return };
    server.execute(
        "CREATE TABLE a AS SELECT n AS id, (n * 7919) % 100003 AS k FROM generate_series(1, 100002) AS n; \
         CREATE TABLE b AS SELECT n AS k, n AS person FROM generate_series(1, 100002) AS n ORDER BY n % 1009; \
         ALTER TABLE b ADD PRIMARY KEY (k); ANALYZE a; ANALYZE b; \
         CREATE VIEW joined AS SELECT a.id, b.person FROM a LEFT JOIN b USING (k); \
         CREATE TABLE parts (id int, person int) PARTITION BY RANGE (id); \
         CREATE TABLE low PARTITION OF parts FOR VALUES FROM (0) TO (50000); \
         CREATE TABLE high PARTITION OF parts FOR VALUES FROM (50000) TO (200000); \
         INSERT INTO parts SELECT * FROM joined",
    );
    let column = |source: &EngineSource, name: &str| -> Vec<u64> {
        texts(source, TextColumns::Named(&[name])).into_iter().map(|row| row[0].parse().unwrap()).collect()
    };
    for format in [
        query_format("SELECT a.id, b.person FROM a LEFT JOIN b USING (k)"),
        query_format("SELECT a.id, b.person FROM a JOIN b USING (k) ORDER BY random() LIMIT 5000"),
        table_format("joined"),
        table_format("parts"),
    ] {
        let source = server.of(&format).unwrap();
        let (ids, persons) = (column(&source, "id"), column(&source, "person"));
        assert!(ids.len() >= 5000 && ids.len() == persons.len(), "{format:?}");
        let apart = ids.iter().zip(&persons).filter(|(id, person)| **id * 7919 % 100_003 != **person).count();
        assert_eq!(apart, 0, "{format:?}: rows of different people were put together");
    }
}

#[test]
fn rows_that_do_not_fit_are_counted_in_groups_and_in_rows() {
    let Some(server) = Server::start() else { return };
    server.execute("CREATE TABLE t (x text); INSERT INTO t VALUES ('a'), ('secret'), ('secret'), (NULL), ('')");
    server.execute("CREATE TABLE empty (x text)");
    let schema = Schema::new(vec![privacy_data::AttributeSpec::of_labels("x", ["a"])], Provenance::Public).unwrap();
    let source = server.of(&table_format("t")).unwrap();
    let counted = source.count_marginals(&schema, &options(), &[AttrSet::EMPTY]).unwrap_err();
    assert_eq!(counted, source.read_rows(&schema, &options()).unwrap_err());
    assert!(counted.message().contains("4 rows have a value outside the domain, 2 of them NULL"), "{counted}");
    assert!(counted.has_code("E0336") && !counted.message().contains("secret"));
    let empty = server.of(&table_format("empty")).unwrap();
    let counts = empty.counts(Arc::new(schema), &options()).marginals(&[AttrSet::EMPTY]);
    assert!(counts.is_err(), "no row is no table of zeros");
}

#[test]
fn what_the_role_may_not_do_is_refused_and_nothing_is_written() {
    let Some(server) = Server::start() else { return };
    server.execute(
        "CREATE TABLE t (x int); INSERT INTO t VALUES (1); CREATE ROLE clerk LOGIN PASSWORD 'owner''s secret: \\1'",
    );
    let clerk = server.address("clerk");
    let refused = |format: &FormatSpec| open(&server.opener(), &clerk, format).err().map(|error| error.code());
    let reads = open(&server.opener(), &clerk, &table_format("t")).and_then(|source| source.learn_domain(&options()));
    assert!(reads.unwrap_err().has_code("E0353"));
    assert_eq!(refused(&table_format("nowhere")), Some("E0349"));
    for query in [
        "DELETE FROM t RETURNING x",
        "INSERT INTO t VALUES (2) RETURNING x",
        "DROP TABLE t",
        "SELECT 1; DROP TABLE t",
        "COPY t TO PROGRAM 'touch /tmp/owned'",
        "SELECT 1) TO PROGRAM 'touch /tmp/owned'; --",
        "SELECT 1) AS a; DROP TABLE t; --",
        "SELEC x",
        "SELECT nowhere FROM t",
        "COMMIT",
    ] {
        let outcome = server.of(&query_format(query)).and_then(|source| source.learn_domain(&options()).map(|_| ()));
        assert!(outcome.as_ref().is_err_and(|error| error.has_code("E0349")), "{query}: {outcome:?}");
    }
    let count = server.runtime.block_on(server.client().query_one("SELECT count(*) FROM t", &[])).unwrap();
    assert_eq!(count.get::<_, i64>(0), 1);
}

#[test]
fn a_server_that_does_not_answer_or_ends_is_an_error_without_a_secret() {
    let Some(server) = Server::start() else { return };
    server.execute("CREATE TABLE t (x int); INSERT INTO t SELECT n % 10 FROM generate_series(1, 100000) AS n");
    // A statement that takes longer than it may.
    let slow = query_format("SELECT pg_sleep(5)::text AS x");
    let short = server.opener().with_statement_seconds(1);
    let start = Instant::now();
    let ended = open(&short, &server.address("owner"), &slow).and_then(|source| source.learn_domain(&options()));
    assert!(ended.unwrap_err().has_code("E0354") && start.elapsed() < Duration::from_secs(4));
    // A job that is stopped.
    let stop = StopFlag::new();
    let request = SourceRequest { name: &server.address("owner"), format: &slow, stop: &stop };
    let start = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(200));
            stop.set();
        });
        assert!(server.opener().source(&request).unwrap_err().is_stop());
    });
    assert!(start.elapsed() < Duration::from_secs(3));
    // A connection that is cut between two readings.
    let source = server.of(&table_format("t")).unwrap();
    source.learn_domain(&options()).unwrap();
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'disclosure-sql'";
    server.runtime.block_on(server.client().batch_execute(end)).unwrap();
    let error = source.learn_domain(&options()).unwrap_err();
    assert!(error.has_code("E0352"), "{error}");
    // A wrong password.
    let file = server.password_file().with_file_name("wrong");
    std::fs::write(&file, "*:*:*:*:hunter2\n").unwrap();
    server::private(&file);
    let variables = std::collections::BTreeMap::from([("PGPASSFILE".to_owned(), file.display().to_string())]);
    let opener = PostgresOpener::default().with_variables(variables);
    let error = open(&opener, &server.address("owner"), &table_format("t")).unwrap_err();
    assert!(error.has_code("E0352") && !error.message().contains("hunter2"), "{error}");
}
