//! A session of one's own: every table of a query's rows in one pass, by the aggregate function;
//! and the groups of a query, of which small ones vanish behind a keyed threshold.
//!
//! cargo run --example datafusion_session
#![expect(clippy::print_stdout, reason = "an example prints what it made")]

use std::error::Error;
use std::sync::Arc;

use datafusion::arrow::array::AsArray;
use datafusion::common::Column;
use datafusion::logical_expr::{AggregateUDF, Expr};
use datafusion::prelude::SessionContext;
use disclosure_jobs::filter;
use disclosure_jobs::observer::Silent;
use privacy_core::prf::Secret;
use privacy_core::{AttrSet, Provenance};
use privacy_data::{AttributeSpec, Schema};
use privacy_sql::{LcfState, Marginals, Question, job_error};
use tokio::runtime::Runtime;

const PEOPLE: &str = "CREATE TABLE people AS SELECT * FROM (VALUES \
    (1, 'Bonn', 17), (2, 'Trier', 44), (3, 'Bonn', 70)) AS t(person, town, age)";
const VISITS: &str = "CREATE TABLE visits AS SELECT n % 90 AS person, \
    CASE WHEN n < 300 THEN 'Bonn' WHEN n < 303 THEN 'Ulm' ELSE 'Trier' END AS town FROM (SELECT value AS n FROM range(1000))";

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let session = SessionContext::new();
    for statement in [PEOPLE, VISITS] {
        runtime.block_on(async { session.sql(statement).await?.collect().await })?;
    }
    tables(&runtime, &session)?;
    groups(&runtime, &session)
}

/// The tables over some sets of attributes.
fn tables(runtime: &Runtime, session: &SessionContext) -> Result<(), Box<dyn Error>> {
    let attributes = vec![
        AttributeSpec::of_labels("town", ["Bonn", "Trier"]),
        AttributeSpec::of_bins("age", [0.0, 18.0, 65.0, 120.0]),
    ];
    let schema = Arc::new(Schema::new(attributes, Provenance::Public)?);
    let question = Question::new(schema, &[AttrSet::single(0), AttrSet::first(2)], None)?;
    let columns = question.columns().map(|name| Expr::Column(Column::new_unqualified(name))).collect();
    let function = AggregateUDF::from(Marginals::new(question.clone()));
    let batches = runtime.block_on(async {
        let rows = session.sql("SELECT town, age FROM people WHERE person > 0").await?;
        rows.aggregate(vec![], vec![function.call(columns)])?.collect().await
    })?;
    // A row that has no category is an error here, with the number of such rows.
    let answer = question.answer(batches[0].column(0).as_binary::<i32>().value(0))?;
    for table in &answer.tables {
        println!("{:?}: {:?}", table.attributes(), table.cells());
    }
    assert_eq!(answer.tables[0].cells(), [2, 1]);
    Ok(())
}

/// Towns with how many people visited them, as far as they may be shown.
fn groups(runtime: &Runtime, session: &SessionContext) -> Result<(), Box<dyn Error>> {
    let spec = "group_by = [\"town\"]\naid = [{ column = \"person\", form = \"integer\" }]\n\
                always_suppress_upper_bound = 2\nmean = 8.0\nsd = 1.5\ncounts = \"exact\"\n";
    // Of an example. One's own is read from a file that nobody else can read.
    let secret = Secret::new(&[7; 32])?;
    let job = filter::Job::parse(spec)?;
    let function = LcfState::new(job.clone(), job.filter(&secret, &Silent)?)?;
    session.register_udaf(AggregateUDF::from(function.clone()));
    let query = "SELECT town, lcf_state(person) FROM visits GROUP BY town";
    let batches = runtime.block_on(async { session.sql(query).await?.collect().await });
    let groups = function.grouped(&batches.map_err(|error| job_error(&error))?)?;
    let released = job.decide(groups, function.filter(), None, &Silent)?.release(Some("(other)"))?;
    let mut shown = Vec::new();
    released.write_csv(&mut shown)?;
    let shown = String::from_utf8(shown)?;
    print!("{shown}");
    assert!(shown.contains("Bonn") && shown.contains("Trier") && !shown.contains("Ulm"), "three people are few");
    Ok(())
}
