//! The aggregate functions in a session of DataFusion: what they keep of a query's rows is what is
//! kept of the text, to the bit, whatever the partitions.
#![allow(clippy::unwrap_used, reason = "a test ends where something is missing")]

mod support;

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, BinaryArray};
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::datasource::MemTable;
use datafusion::error::DataFusionError;
use datafusion::logical_expr::AggregateUDF;
use datafusion::prelude::{SessionConfig, SessionContext};
use disclosure_jobs::JobError;
use disclosure_jobs::filter::{GroupedTable, Job};
use disclosure_jobs::input::CsvSource;
use disclosure_jobs::observer::Silent;
use ldp_pmdh::{Aggregator, BitNoise, Client, Feature, Protocol, Schema, StateDetail};
use privacy_core::Attribute;
use privacy_core::param::{Epsilon, Probability};
use privacy_core::prf::Secret;
use privacy_sql::{LcfState, ReportCounts, job_error};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use support::{TOWN, Table};
use tokio::runtime::Runtime;

/// A session with one table, in parts of a few hundred rows.
fn session(batch: &RecordBatch, partitions: usize) -> SessionContext {
    let config = SessionConfig::new().with_target_partitions(partitions).with_batch_size(256);
    let session = SessionContext::new_with_config(config);
    let rows = batch.num_rows();
    let parts = (0..rows.max(1)).step_by(500).map(|start| vec![batch.slice(start, (rows - start).min(500))]);
    let table = MemTable::try_new(batch.schema(), parts.collect()).unwrap();
    session.register_table("data", Arc::new(table)).unwrap();
    session
}

fn asked(session: &SessionContext, query: &str) -> Result<Vec<RecordBatch>, DataFusionError> {
    Runtime::new().unwrap().block_on(async { session.sql(query).await?.collect().await })
}

fn secret(byte: u8) -> Secret {
    Secret::new(&[byte; 32]).unwrap()
}

fn job(lines: &str) -> Job {
    Job::parse(&format!("always_suppress_upper_bound = 2\nmean = 8.0\nsd = 1.5\n{lines}\n")).unwrap()
}

fn function(job: &Job, byte: u8) -> LcfState {
    LcfState::new(job.clone(), job.filter(&secret(byte), &Silent).unwrap()).unwrap()
}

fn grouped(job: &Job, table: &Table, partitions: usize, query: &str) -> Result<GroupedTable, JobError> {
    let function = function(job, 7);
    let session = session(&table.batch(), partitions);
    session.register_udaf(AggregateUDF::from(function.clone()));
    function.grouped(&asked(&session, query).unwrap())
}

fn group_by_town() -> String {
    format!("group_by = [{TOWN:?}, \"age\"]")
}

fn by_town(arguments: &str) -> String {
    let town = TOWN.replace('"', "\"\"");
    format!("SELECT \"{town}\", age, lcf_state({arguments}) FROM data GROUP BY \"{town}\", age")
}

#[test]
fn groups_of_a_query_are_those_of_the_text() {
    let table = Table::seeded(1, 6000);
    let text = CsvSource::bytes("t", table.csv().into_bytes());
    let town = group_by_town();
    for (lines, query) in [
        (format!("{town}\naid = [{{ column = \"user\", form = \"integer\" }}]\n"), by_town("\"user\"")),
        (format!("{town}\naid = [{{ column = \"user\", form = \"text\" }}]\ncounts = \"exact\""), by_town("\"user\"")),
        (
            format!(
                "{town}\naid = [{{ column = \"user\", form = \"integer\", null = [\"7\"] }}, {{ column = \"many\", form = \"text\" }}]"
            ),
            by_town("\"user\", many"),
        ),
        (
            format!(
                "{town}\naid = [{{ column = \"user\", form = \"integer\" }}]\ndraws = \"publish\"\ngroups_per_entity = 2"
            ),
            by_town("\"user\""),
        ),
        (
            "group_by = []\naid = [{ column = \"user\", form = \"integer\" }]".to_owned(),
            "SELECT lcf_state(\"user\") FROM data".to_owned(),
        ),
    ] {
        let job = job(&lines);
        let filter = job.filter(&secret(7), &Silent).unwrap();
        let expected = job.group(&text, &filter, &Silent).unwrap();
        for partitions in [1, 2, 8] {
            let groups = grouped(&job, &table, partitions, &query).unwrap();
            assert!(groups.to_bytes(&filter).unwrap() == expected.to_bytes(&filter).unwrap(), "{lines} {partitions}");
        }
    }
}

#[test]
fn a_release_of_a_query_is_the_release_of_its_text() {
    let table = Table::seeded(2, 4000);
    let job = job(&format!("{}\naid = [{{ column = \"user\", form = \"integer\" }}]", group_by_town()));
    let filter = job.filter(&secret(7), &Silent).unwrap();
    let text = job.group(&CsvSource::bytes("t", table.csv().into_bytes()), &filter, &Silent).unwrap();
    let query = by_town("\"user\") FILTER (WHERE income >= 0");
    let groups = grouped(&job, &table, 2, &query).unwrap();
    let shown = |groups: GroupedTable| {
        let mut csv = Vec::new();
        let decided = job.decide(groups, &filter, None, &Silent).unwrap();
        decided.release(Some("(other)")).unwrap().write_csv(&mut csv).unwrap();
        String::from_utf8(csv).unwrap()
    };
    let (ours, theirs) = (shown(groups), shown(text));
    assert_eq!(ours, theirs);
    assert!(ours.lines().count() > 10, "some groups are large enough");
    let fewer = grouped(&job, &table, 2, &by_town("\"user\") FILTER (WHERE income >= 500")).unwrap();
    assert_ne!(shown(fewer), theirs, "and the test would notice");
}

#[test]
fn what_would_not_be_the_groups_of_the_text_is_refused() {
    let refused = |lines: &str| {
        let job = job(lines);
        let filter = job.filter(&secret(7), &Silent).unwrap();
        LcfState::new(job, filter).unwrap_err().code()
    };
    assert_eq!(refused("group_by = [\"age\"]\naid = [\"user\"]"), "E0285");
    assert_eq!(refused("group_by = [\"age\"]\nentity = \"row\""), "E0285");
    let bins = "[[attribute]]\nname = \"age\"\nbins = [0, 18, 120]";
    assert_eq!(
        refused(&format!("group_by = [\"age\"]\naid = [{{ column = \"user\", form = \"text\" }}]\n{bins}")),
        "E0285"
    );

    let job = job("group_by = [\"age\"]\naid = [{ column = \"many\", form = \"integer\" }]");
    let (function, session) = (function(&job, 7), session(&Table::seeded(3, 300).batch(), 2));
    session.register_udaf(AggregateUDF::from(function.clone()));
    let error = asked(&session, "SELECT age, lcf_state(many) FROM data GROUP BY age").unwrap_err();
    let error = job_error(&error);
    assert_eq!((error.code(), error.message()), ("E0397", "argument 1 of lcf_state: an identifier is not an integer"));
    assert!(asked(&session, "SELECT lcf_state(age, age) FROM data").is_err(), "one argument a column of identifiers");
    let ages = asked(&session, "SELECT age, lcf_state(age) FROM data GROUP BY age").unwrap();
    assert!(function.grouped(&ages).is_ok());
    assert!(self::function(&job, 8).grouped(&ages).unwrap_err().has_code("E0375"), "of another secret");
    let without = asked(&session, "SELECT age AS years, lcf_state(age) FROM data GROUP BY age").unwrap();
    assert!(function.grouped(&without).unwrap_err().has_code("E0308"));
    let counted = asked(&session, "SELECT age, count(*) FROM data GROUP BY age").unwrap();
    assert!(function.grouped(&counted).unwrap_err().has_code("E0375"));
    let nobody = asked(&session, "SELECT age, lcf_state(age) FROM data WHERE false GROUP BY age").unwrap();
    assert!(function.grouped(&nobody).unwrap_err().has_code("E0302"));
}

#[test]
fn a_plan_shows_no_secret() {
    let function = function(&job("group_by = [\"age\"]\naid = [{ column = \"user\", form = \"integer\" }]"), 7);
    let session = session(&Table::seeded(3, 30).batch(), 1);
    session.register_udaf(AggregateUDF::from(function.clone()));
    let plan = asked(&session, "EXPLAIN VERBOSE SELECT age, lcf_state(\"user\") FROM data GROUP BY age").unwrap();
    let plan = format!("{plan:?} {function:?}");
    for hidden in ["7, 7, 7", "0707", &format!("{:x}", function.filter().fingerprint())] {
        assert!(!plan.contains(hidden), "{hidden}");
    }
}

fn reports_schema() -> Schema {
    let bits = BitNoise::new(Probability::new(0.1).unwrap(), Probability::new(0.8).unwrap()).unwrap();
    let symbols = Protocol::generalised_response(Epsilon::new(1.0).unwrap(), 3).unwrap();
    let feature = |name: &str, values: usize, protocol: Protocol| {
        Feature::new(Attribute::codes(name, values).unwrap(), protocol).unwrap()
    };
    let features = vec![feature("a", 2, Protocol::RandomisedResponse(bits)), feature("b", 3, symbols)];
    Schema::new(features).unwrap()
}

#[test]
fn reports_of_a_column_are_counted_as_those_of_a_file() {
    let (schema, mut rng) = (reports_schema(), ChaCha20Rng::from_seed([3; 32]));
    let client = Client::new(schema.clone());
    let reports: Vec<Vec<u8>> =
        (0..3000_u32).map(|row| client.randomise(&[row % 2, row % 3], &mut rng).unwrap()).collect();
    let column: ArrayRef = Arc::new(BinaryArray::from_iter_values(&reports));
    let batch = RecordBatch::try_from_iter([("report", column)]).unwrap();
    for detail in [StateDetail::Full, StateDetail::UpTo(2), StateDetail::Reports] {
        let mut whole = Aggregator::new(schema.clone(), detail, 1e9).unwrap();
        whole.push_all(&reports.concat()).unwrap();
        let expected = whole.finish().unwrap().to_bytes();
        let function = ReportCounts::new(schema.clone(), detail, 1e9).unwrap();
        for partitions in [1, 2, 8] {
            let session = session(&batch, partitions);
            session.register_udaf(AggregateUDF::from(function.clone()));
            for query in [
                "SELECT report_counts(report) FROM data",
                "SELECT report_counts(arrow_cast(report, 'BinaryView')) FROM data",
            ] {
                let counted = asked(&session, query).unwrap();
                let state = counted[0].column(0).as_binary::<i64>().value(0);
                assert!(state == expected, "{detail:?} {partitions}");
                assert_eq!(function.state(state).unwrap().tally().reports(), 3000);
            }
        }
    }
}

#[test]
fn no_report_is_left_out() {
    let function = ReportCounts::new(reports_schema(), StateDetail::UpTo(1), 1e9).unwrap();
    let counted = |reports: Vec<Option<&[u8]>>| {
        let column: ArrayRef = Arc::new(BinaryArray::from(reports));
        let session = session(&RecordBatch::try_from_iter_with_nullable([("report", column, true)]).unwrap(), 2);
        session.register_udaf(AggregateUDF::from(function.clone()));
        asked(&session, "SELECT report_counts(report) FROM data").map_err(|error| job_error(&error))
    };
    assert!(counted(vec![Some(b"no report of this schema")]).unwrap_err().has_code("E0393"));
    assert_eq!(counted(vec![None]).unwrap_err().message(), "report_counts: a report is NULL");
    let none = counted(vec![]).unwrap();
    let state = none[0].column(0).as_binary::<i64>().value(0);
    assert_eq!(function.state(state).unwrap().tally().reports(), 0);
    assert!(function.state(&state[1..]).unwrap_err().has_code("E0391"));
    assert!(ReportCounts::new(reports_schema(), StateDetail::UpTo(9), 1e9).unwrap_err().has_code("E0265"));
}
