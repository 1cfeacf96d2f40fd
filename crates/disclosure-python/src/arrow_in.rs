//! Arrow batches from anything with the PyCapsule interface: the columns are not copied.
#![allow(unsafe_code, reason = "a stream of the C interface is moved out of its capsule, once")]

use std::ptr::NonNull;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use disclosure_arrow::Columns;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::run::run;

/// All batches of `object.__arrow_c_stream__()`.
pub(crate) fn columns_of(py: Python<'_>, object: &Bound<'_, PyAny>) -> PyResult<Columns> {
    let capsule = object.call_method0("__arrow_c_stream__")?;
    let capsule =
        capsule.cast::<PyCapsule>().map_err(|_| PyTypeError::new_err("__arrow_c_stream__ gave no capsule"))?;
    let pointer: NonNull<FFI_ArrowArrayStream> = capsule.pointer_checked(Some(c"arrow_array_stream"))?.cast();
    // SAFETY: the capsule has the name that the interface gives to a valid stream, the lock of the
    // interpreter is held, and the stream is moved out: what stays in the capsule is released.
    let stream = unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr()) };
    run(py, None, |observer| disclosure_arrow::columns_of(stream, observer))
}
