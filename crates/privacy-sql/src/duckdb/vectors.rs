//! Chunks of DuckDB to batches: the values are copied out of the memory of the library.
#![allow(unsafe_code, reason = "the memory of a C library is read here")]

use std::ffi::c_void;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, BooleanArray, PrimitiveArray, StringViewBuilder};
use datafusion::arrow::buffer::{BooleanBuffer, NullBuffer};
use datafusion::arrow::datatypes::{
    ArrowPrimitiveType, DataType, Field, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, Schema,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use datafusion::arrow::record_batch::RecordBatch;
use disclosure_jobs::JobError;

use super::library::{Functions, Handle};

/// A column of rows: its name, and its type by the numbers of `duckdb_type`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) kind: u32,
}

/// How values of a type are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// As they are.
    Value,
    /// As the text that DuckDB writes of them.
    Text,
    /// Not at all: lists, structures and bytes.
    Refused,
}

impl Column {
    pub(super) fn reading(&self) -> Reading {
        match self.kind {
            // Truth values, integers, floating-point numbers, texts.
            1..=11 | 17 => Reading::Value,
            // Times, dates, wide integers, decimals, enumerations, identifiers, NULL.
            12..=16 | 19..=23 | 27 | 30..=32 | 35 | 36 | 39 | 42 => Reading::Text,
            _ => Reading::Refused,
        }
    }
}

/// The rows of a chunk.
///
/// # Errors
/// E0304 for a text that is not UTF-8.
///
/// # Safety
/// The chunk is the library's, not freed, and has these columns, each of a type that is read as
/// its value.
pub(super) unsafe fn batch(functions: &Functions, chunk: Handle, columns: &[Column]) -> Result<RecordBatch, JobError> {
    // SAFETY: by the caller; vectors are asked for within their number.
    unsafe {
        let rows = (functions.data_chunk_get_size)(chunk) as usize;
        let mut arrays = Vec::with_capacity(columns.len());
        for (place, column) in columns.iter().enumerate() {
            let vector = (functions.data_chunk_get_vector)(chunk, place as u64);
            let values = (functions.vector_get_data)(vector).cast_const();
            let nulls = nulls((functions.vector_get_validity)(vector), rows);
            arrays.push(array(column.kind, values, nulls, rows)?);
        }
        let fields = columns.iter().zip(&arrays).map(|(column, array)| {
            let kind: &DataType = array.data_type();
            Field::new(&column.name, kind.clone(), true)
        });
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        RecordBatch::try_new(schema, arrays).map_err(|_| damaged())
    }
}

fn damaged() -> JobError {
    JobError::new("E0339", "the engine returned rows that cannot be read")
}

/// Which rows are NULL, by a bit a row that is set for a value; none without the bits.
///
/// # Safety
/// The address is null, or that of a word for every 64 rows.
unsafe fn nulls(valid: *const u64, rows: usize) -> Option<NullBuffer> {
    if valid.is_null() {
        return None;
    }
    // SAFETY: by the caller.
    let words = unsafe { std::slice::from_raw_parts(valid, rows.div_ceil(64)) };
    Some(NullBuffer::new(BooleanBuffer::collect_bool(rows, |row| words[row / 64] >> (row % 64) & 1 == 1)))
}

/// # Safety
/// The address is that of as many values of this type.
unsafe fn array(
    kind: u32,
    values: *const c_void,
    nulls: Option<NullBuffer>,
    rows: usize,
) -> Result<ArrayRef, JobError> {
    // SAFETY: by the caller; every type is read at its own width.
    unsafe {
        Ok(match kind {
            1 => {
                let bytes = std::slice::from_raw_parts(values.cast::<u8>(), rows);
                Arc::new(BooleanArray::new(BooleanBuffer::collect_bool(rows, |row| bytes[row] != 0), nulls))
            }
            2 => numbers::<Int8Type>(values, nulls, rows),
            3 => numbers::<Int16Type>(values, nulls, rows),
            4 => numbers::<Int32Type>(values, nulls, rows),
            5 => numbers::<Int64Type>(values, nulls, rows),
            6 => numbers::<UInt8Type>(values, nulls, rows),
            7 => numbers::<UInt16Type>(values, nulls, rows),
            8 => numbers::<UInt32Type>(values, nulls, rows),
            9 => numbers::<UInt64Type>(values, nulls, rows),
            10 => numbers::<Float32Type>(values, nulls, rows),
            11 => numbers::<Float64Type>(values, nulls, rows),
            17 => texts(values, nulls.as_ref(), rows)?,
            _ => return Err(damaged()),
        })
    }
}

/// # Safety
/// The address is that of as many numbers of this type.
unsafe fn numbers<T: ArrowPrimitiveType>(values: *const c_void, nulls: Option<NullBuffer>, rows: usize) -> ArrayRef {
    // SAFETY: by the caller.
    let values = unsafe { std::slice::from_raw_parts(values.cast::<T::Native>(), rows) };
    Arc::new(PrimitiveArray::<T>::new(values.to_vec().into(), nulls))
}

/// `duckdb_string_t`: the length, then the text itself where it has at most twelve bytes, else its
/// first four bytes and its address.
#[repr(C, align(8))]
struct RawText {
    length: u32,
    rest: [u8; 12],
}

impl RawText {
    /// # Safety
    /// The value is the library's, and its text outlives the answer.
    unsafe fn bytes(&self) -> &[u8] {
        let length = self.length as usize;
        match self.rest.get(..length) {
            Some(inside) => inside,
            None => {
                let [.., a, b, c, d, e, f, g, h] = self.rest;
                let address = usize::from_ne_bytes([a, b, c, d, e, f, g, h]);
                // SAFETY: by the caller.
                unsafe { std::slice::from_raw_parts(std::ptr::with_exposed_provenance(address), length) }
            }
        }
    }
}

/// # Safety
/// The address is that of as many texts, whose bytes are not freed.
unsafe fn texts(values: *const c_void, nulls: Option<&NullBuffer>, rows: usize) -> Result<ArrayRef, JobError> {
    // SAFETY: by the caller. What is NULL is not looked at: its bytes are not defined.
    let texts = unsafe { std::slice::from_raw_parts(values.cast::<RawText>(), rows) };
    let mut builder = StringViewBuilder::with_capacity(rows);
    for (row, text) in texts.iter().enumerate() {
        if nulls.is_some_and(|nulls| nulls.is_null(row)) {
            builder.append_null();
            continue;
        }
        // SAFETY: by the caller.
        let text = std::str::from_utf8(unsafe { text.bytes() });
        builder.append_value(text.map_err(|_| JobError::new("E0304", "a text of the database is not UTF-8"))?);
    }
    Ok(Arc::new(builder.finish()))
}
