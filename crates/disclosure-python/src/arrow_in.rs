//! Arrow batches from anything with the PyCapsule interface: the columns are not copied.
#![allow(unsafe_code, reason = "a stream of the C interface is moved out of its capsule, once")]

use std::ptr::NonNull;

use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{ArrayRef, RecordBatchReader};
use disclosure_jobs::JobError;
use disclosure_jobs::observer::check_stop;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::run::run;

/// The names of the columns, and of each column its chunks.
pub(crate) type Columns = (Vec<String>, Vec<Vec<ArrayRef>>);

/// All batches of `object.__arrow_c_stream__()`.
pub(crate) fn columns_of(py: Python<'_>, object: &Bound<'_, PyAny>) -> PyResult<Columns> {
    let capsule = object.call_method0("__arrow_c_stream__")?;
    let capsule =
        capsule.cast::<PyCapsule>().map_err(|_| PyTypeError::new_err("__arrow_c_stream__ gave no capsule"))?;
    let pointer: NonNull<FFI_ArrowArrayStream> = capsule.pointer_checked(Some(c"arrow_array_stream"))?.cast();
    // SAFETY: the capsule has the name that the interface gives to a valid stream, the lock of the
    // interpreter is held, and the stream is moved out: what stays in the capsule is released.
    let stream = unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr()) };
    run(py, None, |observer| {
        let failed = |error: arrow_schema::ArrowError| {
            // The text of a producer's error may have data in it.
            drop(error);
            JobError::new("E0672", "the Arrow stream could not be read to its end")
        };
        let reader = RecordBatchStreamReader::try_new(stream).map_err(failed)?;
        let names: Vec<String> = reader.schema().fields().iter().map(|field| field.name().clone()).collect();
        let mut columns: Vec<Vec<ArrayRef>> = vec![Vec::new(); names.len()];
        for batch in reader {
            check_stop(observer)?;
            let batch = batch.map_err(failed)?;
            columns.iter_mut().zip(batch.columns()).for_each(|(column, chunk)| column.push(chunk.clone()));
        }
        Ok((names, columns))
    })
}
