//! The rows of a query or a view, in memory.

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::catalog::TableProvider;
use datafusion::datasource::MemTable;
use disclosure_jobs::JobError;
use privacy_core::stop::StopFlag;

use crate::session::Session;
use crate::source::Engine;
use crate::table::TableRows;

/// Most bytes of the rows of a query, which are kept so that every call sees the same ones: 4 GiB.
const MOST_BYTES: usize = 1 << 32;

/// Rows that are kept so that every reading has the same ones.
#[derive(Default)]
pub(crate) struct KeptRows {
    batches: Vec<RecordBatch>,
    bytes: usize,
}

/// All rows of a database that gives them in any order, kept so that every reading sees the same
/// ones in the same order.
///
/// # Errors
/// E0661 for more than 4 GiB, E0337 for a column that has no texts; those of the rows.
pub(crate) fn kept(engine: &impl Engine, threads: usize, stop: &StopFlag) -> Result<TableRows, JobError> {
    let columns = engine.columns();
    let names: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut next = engine.batches(&names)?;
    let mut kept = KeptRows::default();
    while let Some(batch) = next()? {
        kept.add(batch)?;
    }
    let texts: Vec<Field> = names.iter().map(|name| Field::new(*name, DataType::Utf8, true)).collect();
    let table = kept.into_table(|| Arc::new(Schema::new(texts)))?;
    Ok(TableRows::new(Session::new(threads, stop.clone())?, table, crate::files::Watch::default()))
}

impl KeptRows {
    /// # Errors
    /// E0661 for more than 4 GiB.
    pub(crate) fn add(&mut self, batch: RecordBatch) -> Result<(), JobError> {
        self.bytes = self.bytes.saturating_add(batch.get_array_memory_size());
        if self.bytes > MOST_BYTES {
            let error = JobError::new("E0661", "the rows of the query or the view are larger than 4096 MiB");
            return Err(error.next("--query with the columns alone that the job needs, or a table"));
        }
        self.batches.push(batch);
        Ok(())
    }

    /// The rows as a table; `schema` is that of no rows.
    ///
    /// # Errors
    /// E0339 for batches that differ in their columns.
    pub(crate) fn into_table(self, schema: impl FnOnce() -> SchemaRef) -> Result<Arc<dyn TableProvider>, JobError> {
        let schema = self.batches.first().map_or_else(schema, RecordBatch::schema);
        let table = MemTable::try_new(schema, vec![self.batches]);
        Ok(Arc::new(table.map_err(|_| JobError::new("E0339", "the engine returned rows that cannot be read"))?))
    }
}
