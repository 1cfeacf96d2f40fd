#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod coding;

use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{ArrayRef, RecordBatchReader};
use arrow_schema::ArrowError;
use disclosure_jobs::JobError;
use disclosure_jobs::observer::{Observer, check_stop};

pub use coding::coded;

/// The names of the columns, and of each column its chunks.
pub type Columns = (Vec<String>, Vec<Vec<ArrayRef>>);

/// All batches of a stream.
///
/// # Errors
/// E0672 for a stream that fails, E0108 for a job that is stopped.
pub fn columns_of(stream: FFI_ArrowArrayStream, observer: &dyn Observer) -> Result<Columns, JobError> {
    let reader = RecordBatchStreamReader::try_new(stream).map_err(unreadable)?;
    let names: Vec<String> = reader.schema().fields().iter().map(|field| field.name().clone()).collect();
    let mut columns: Vec<Vec<ArrayRef>> = vec![Vec::new(); names.len()];
    for batch in reader {
        check_stop(observer)?;
        let batch = batch.map_err(unreadable)?;
        columns.iter_mut().zip(batch.columns()).for_each(|(column, chunk)| column.push(chunk.clone()));
    }
    Ok((names, columns))
}

/// The failure of a stream. The text of a producer's error may have data in it.
fn unreadable(error: ArrowError) -> JobError {
    drop(error);
    JobError::new("E0672", "the Arrow stream could not be read to its end")
}
