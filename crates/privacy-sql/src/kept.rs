//! The rows of a query, in memory.

use std::sync::Arc;

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::catalog::TableProvider;
use datafusion::datasource::MemTable;
use disclosure_jobs::JobError;

/// Most bytes of the rows of a query, which are kept so that every call sees the same ones: 4 GiB.
const MOST_BYTES: usize = 1 << 32;

/// Rows that are kept so that every reading has the same ones.
#[derive(Default)]
pub(crate) struct KeptRows {
    batches: Vec<RecordBatch>,
    bytes: usize,
}

impl KeptRows {
    /// # Errors
    /// E0661 for more than 4 GiB.
    pub(crate) fn add(&mut self, batch: RecordBatch) -> Result<(), JobError> {
        self.bytes = self.bytes.saturating_add(batch.get_array_memory_size());
        if self.bytes > MOST_BYTES {
            return Err(JobError::new("E0661", "the rows of the query are larger than 4096 MiB"));
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
