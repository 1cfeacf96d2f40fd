//! Columns from Python as an Arrow stream with the PyCapsule interface.

use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, Float64Array, RecordBatch, RecordBatchIterator, StringArray};
use arrow_schema::ArrowError;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

/// One batch of columns.
#[pyclass(frozen, module = "disclosure._core")]
pub(crate) struct Batch {
    batch: RecordBatch,
}

fn wrong(error: &ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

#[pymethods]
impl Batch {
    /// Columns of texts, which are the combinations of the names along axes in row-major order,
    /// and columns of numbers as the bytes of 64-bit floats.
    #[new]
    fn new(
        axes: Vec<(String, Vec<String>)>,
        numbers: Vec<(String, Vec<u8>)>,
        texts: Vec<(String, Vec<String>)>,
    ) -> PyResult<Self> {
        let rows: usize = axes.iter().map(|(_, names)| names.len()).product();
        let mut columns: Vec<(String, ArrayRef)> = Vec::new();
        let mut below = rows;
        for (name, names) in &axes {
            below /= names.len().max(1);
            let texts = (0..rows).map(|row| &names[row / below % names.len()]);
            columns.push((name.clone(), Arc::new(StringArray::from_iter_values(texts))));
        }
        for (name, bytes) in numbers {
            let numbers = bytes.as_chunks::<8>().0.iter().map(|bytes| f64::from_ne_bytes(*bytes));
            columns.push((name, Arc::new(Float64Array::from_iter_values(numbers))));
        }
        for (name, texts) in texts {
            columns.push((name, Arc::new(StringArray::from_iter_values(texts))));
        }
        Ok(Self { batch: RecordBatch::try_from_iter(columns).map_err(|error| wrong(&error))? })
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A consumer may ask for other types; a producer may leave the cast to it.
        drop(requested_schema);
        let batches = vec![Ok(self.batch.clone())];
        let reader = RecordBatchIterator::new(batches, self.batch.schema());
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}
