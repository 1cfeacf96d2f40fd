//! The aggregate function in a session of one's own: every table of a query's rows in one pass.
//!
//! cargo run --example datafusion_session
#![expect(clippy::print_stdout, reason = "an example prints what it made")]

use std::sync::Arc;

use datafusion::arrow::array::AsArray;
use datafusion::common::Column;
use datafusion::logical_expr::{AggregateUDF, Expr};
use datafusion::prelude::SessionContext;
use privacy_core::{AttrSet, Provenance};
use privacy_data::{AttributeSpec, Schema};
use privacy_sql::{Marginals, Question};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let attributes = vec![
        AttributeSpec::of_labels("town", ["Bonn", "Trier"]),
        AttributeSpec::of_bins("age", [0.0, 18.0, 65.0, 120.0]),
    ];
    let schema = Arc::new(Schema::new(attributes, Provenance::Public)?);
    let sets = [AttrSet::single(0), AttrSet::first(2)];
    let question = Question::new(schema, &sets, None)?;

    let session = SessionContext::new();
    let rows = session.sql("SELECT * FROM (VALUES ('Bonn', 17), ('Trier', 44), ('Bonn', 70)) AS t(town, age)").await?;
    let columns = question.columns().map(|name| Expr::Column(Column::new_unqualified(name))).collect();
    let function = AggregateUDF::from(Marginals::new(question.clone()));
    let batches = rows.aggregate(vec![], vec![function.call(columns)])?.collect().await?;
    let state = batches[0].column(0).as_binary::<i32>().value(0);
    // A row that has no category is an error here, with the number of such rows.
    let answer = question.answer(state)?;
    for table in &answer.tables {
        println!("{:?}: {:?}", table.attributes(), table.cells());
    }
    assert_eq!(answer.tables[0].cells(), [2, 1]);
    Ok(())
}
