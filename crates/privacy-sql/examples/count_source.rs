//! Any database as a `CountSource`: one query for each table, whose groups are checked against the
//! domain. Here DataFusion answers; a client of any server goes in its place.
//!
//! cargo run --example count_source
#![expect(clippy::print_stdout, reason = "an example prints what it made")]

use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::Int64Type;
use datafusion::prelude::SessionContext;
use privacy_core::table::CountError;
use privacy_core::{AttrSet, Attribute, ContingencyTable, CountSource, Domain};

struct Database {
    domain: Domain,
    session: SessionContext,
    runtime: tokio::runtime::Runtime,
}

impl CountSource for Database {
    fn domain(&self) -> &Domain {
        &self.domain
    }

    fn marginals(&self, sets: &[AttrSet]) -> Result<Vec<ContingencyTable>, CountError> {
        sets.iter().map(|&set| self.marginal(set)).collect()
    }
}

impl Database {
    fn marginal(&self, set: AttrSet) -> Result<ContingencyTable, CountError> {
        let names = self.domain.names(set).map(|name| format!("\"{}\"", name.replace('"', "\"\"")));
        let columns = names.chain(["count(*)".to_owned()]).collect::<Vec<_>>().join(", ");
        let places: Vec<String> = (1..=set.len()).map(|place| place.to_string()).collect();
        let groups = if places.is_empty() { String::new() } else { format!(" GROUP BY {}", places.join(", ")) };
        let query = format!("SELECT {columns} FROM people{groups}");
        let answer = self.runtime.block_on(async { self.session.sql(&query).await?.collect().await });
        let batches = answer.map_err(|error| CountError::Source(Box::new(error)))?;
        let mut groups = Vec::new();
        for batch in &batches {
            let (counts, labels) = (batch.column(set.len()).as_primitive::<Int64Type>(), &batch.columns()[..set.len()]);
            groups.extend((0..batch.num_rows()).map(|row| {
                let labels: Vec<&str> = labels.iter().map(|column| column.as_string_view().value(row)).collect();
                (labels, counts.value(row).unsigned_abs())
            }));
        }
        ContingencyTable::from_groups(&self.domain, set, groups)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let domain =
        Domain::new(vec![Attribute::new("town", ["Bonn", "Trier"])?, Attribute::new("smokes", ["no", "yes"])?])?;
    let runtime = tokio::runtime::Builder::new_multi_thread().build()?;
    let session = SessionContext::new();
    let rows = "CREATE TABLE people AS SELECT arrow_cast(column1, 'Utf8View') AS town, \
                arrow_cast(column2, 'Utf8View') AS smokes FROM (VALUES ('Bonn', 'no'), ('Trier', 'yes'), ('Bonn', 'yes'))";
    runtime.block_on(async { session.sql(rows).await?.collect().await })?;
    let database = Database { domain, session, runtime };
    let tables = database.marginals(&[AttrSet::EMPTY, AttrSet::first(2)])?;
    println!("{:?} {:?}", tables[0].cells(), tables[1].cells());
    assert_eq!((tables[0].cells(), tables[1].cells()), (&[3][..], &[1, 1, 0, 1][..]));
    Ok(())
}
