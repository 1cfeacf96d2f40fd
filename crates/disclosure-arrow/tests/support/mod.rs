//! The target `arrow_batch`: bytes choose types, values, absences, keys and slices; what is read is
//! compared with the texts that the values have by rules of its own.

mod arrays;
mod texts;
mod values;

use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, RecordBatch, RecordBatchIterator};
use arrow_schema::{Field, Schema};
use disclosure_arrow::{coded, columns_of};
use disclosure_jobs::disclosure::privacy_core::stop::StopFlag;
use disclosure_jobs::observer::Silent;
use fuzz_runner::{Choices, Grammar, Target};

use arrays::column;
use values::Column;

/// Every target of this crate.
pub(crate) const TARGETS: &[Target] =
    &[Target { name: "arrow_batch", grammar: Grammar::Binary, seal: None, run: arrow_batch }];

/// Most columns of a batch.
const MOST_COLUMNS: usize = 4;

/// A stream of batches whose structure the bytes choose: its columns are read as they were made, or
/// refused by their type.
fn arrow_batch(bytes: &[u8]) -> bool {
    let mut choices = Choices::new(bytes);
    let lengths = [choices.below(24), choices.below(24)];
    let made: Vec<Column> = (0..=choices.below(MOST_COLUMNS)).map(|_| column(&mut choices, &lengths)).collect();
    let (names, columns) = columns_of(stream(&made, &lengths), &Silent).expect("a stream is read to its end");
    assert_eq!(names, (0..made.len()).map(|column| column.to_string()).collect::<Vec<_>>());
    made.iter().zip(&columns).for_each(|(made, chunks)| is_as_made(made, chunks));
    made.iter().any(|made| made.texts.is_some())
}

/// A stream of a batch for each length.
fn stream(made: &[Column], lengths: &[usize]) -> FFI_ArrowArrayStream {
    let field =
        |(number, made): (usize, &Column)| Field::new(number.to_string(), made.chunks[0].data_type().clone(), true);
    let schema = Arc::new(Schema::new(made.iter().enumerate().map(field).collect::<Vec<_>>()));
    let batch = |chunk: usize| {
        let columns: Vec<ArrayRef> = made.iter().map(|made| Arc::clone(&made.chunks[chunk])).collect();
        RecordBatch::try_new(Arc::clone(&schema), columns)
    };
    let batches: Vec<_> = (0..lengths.len()).map(batch).collect();
    FFI_ArrowArrayStream::new(Box::new(RecordBatchIterator::new(batches, schema)))
}

/// A column has the texts of its values, each text once, or is refused with the code of its type.
fn is_as_made(made: &Column, chunks: &[ArrayRef]) {
    match (&made.texts, coded("name", chunks, &StopFlag::new())) {
        (Some(texts), Ok(column)) => {
            assert!(column.row_texts().eq(texts.iter().map(String::as_str)), "{:?} is read otherwise", chunks[0]);
            let mut distinct: Vec<&String> = column.texts().iter().collect();
            distinct.sort();
            distinct.dedup();
            assert_eq!(distinct.len(), column.texts().len(), "a text has two codes");
        }
        (None, Err(error)) => {
            assert!(error.has_code("E0673"), "{error}");
            assert!(error.message().contains("\"name\""), "a message names the column");
        }
        // Without a row there is no value to be refused.
        (None, Ok(column)) => assert_eq!(column.rows(), 0, "{:?} is read", chunks[0]),
        (made, read) => panic!("{:?}: made with texts {}, read {}", chunks[0], made.is_some(), read.is_ok()),
    }
}
