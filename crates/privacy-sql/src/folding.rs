//! A stream of batches to the state of a question: one thread takes the batches, the others count.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};

use datafusion::arrow::record_batch::RecordBatch;
use disclosure_jobs::JobError;

use crate::error::EngineError;
use crate::marginals::{Counting, Question};
use crate::source::NextBatch;

/// Batches that wait to be counted, for every thread: enough that none waits for the stream's
/// shorter pauses.
const WAITING: usize = 4;

/// The state of a question over batches whose columns have these names.
///
/// # Errors
/// Those of the batches, and E0337 for a column that has no texts.
pub(crate) fn folded(
    question: &Question,
    names: &[&str],
    mut next: NextBatch<'_>,
    threads: usize,
) -> Result<Vec<u8>, JobError> {
    let places: Vec<usize> = question.columns().filter_map(|name| names.iter().position(|own| *own == name)).collect();
    let threads = threads.max(1);
    let (sender, receiver) = sync_channel::<RecordBatch>(WAITING * threads);
    let (receiver, is_failed) = (Mutex::new(receiver), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let count = || counted(question, &places, &receiver, &is_failed);
        let counters: Vec<_> = (0..threads).map(|_| scope.spawn(count)).collect();
        let sent = send_all(&mut next, sender, &is_failed);
        // Every thread is waited for, whatever became of the batches.
        let mut sums: Option<Counting> = None;
        let mut failure = None;
        for counter in counters {
            match (counter.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), &mut sums) {
                (Ok(counting), None) => sums = Some(counting),
                (Ok(counting), Some(sums)) => sums.merge(&counting.into_state()).map_err(|error| error.to_job())?,
                (Err(error), _) => failure = Some(error.to_job()),
            }
        }
        sent?;
        match (failure, sums) {
            (None, Some(sums)) => Ok(sums.into_state()),
            (failure, _) => Err(failure.unwrap_or_else(|| JobError::new("E0339", "the engine returned no result"))),
        }
    })
}

/// Hands all batches out; the end of the sender tells the counters that there are no more.
fn send_all(next: &mut NextBatch<'_>, sender: SyncSender<RecordBatch>, is_failed: &AtomicBool) -> Result<(), JobError> {
    while let Some(batch) = next()? {
        if is_failed.load(Ordering::Relaxed) || sender.send(batch).is_err() {
            // A counter says why.
            break;
        }
    }
    Ok(())
}

/// Counts batches until there are no more. One that cannot count takes them all the same, so that
/// the sender never waits for it.
fn counted(
    question: &Question,
    places: &[usize],
    receiver: &Mutex<Receiver<RecordBatch>>,
    is_failed: &AtomicBool,
) -> Result<Counting, EngineError> {
    let mut counting = Ok(question.counting());
    loop {
        let received = receiver.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(batch) = received else { return counting };
        let columns: Vec<_> = places.iter().map(|&place| batch.column(place).clone()).collect();
        if let Ok(sums) = &mut counting
            && let Err(error) = sums.add(&columns)
        {
            is_failed.store(true, Ordering::Relaxed);
            counting = Err(error);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::array::{ArrayRef, BinaryArray, Int64Array};
    use privacy_core::{AttrSet, Provenance};
    use privacy_data::{AttributeSpec, Schema};

    use super::*;

    fn question() -> Question {
        let schema = Schema::new(vec![AttributeSpec::of_size("x", 3)], Provenance::Public).unwrap();
        Question::new(Arc::new(schema), &[AttrSet::single(0)], None).unwrap()
    }

    fn numbers(values: Vec<i64>) -> RecordBatch {
        let values: ArrayRef = Arc::new(Int64Array::from(values));
        RecordBatch::try_from_iter([("x", values)]).unwrap()
    }

    #[test]
    fn threads_do_not_show_in_the_state() {
        let question = question();
        let states = [1, 2, 8].map(|threads| {
            let mut batches: Vec<RecordBatch> = (0..50).map(|batch| numbers(vec![batch % 3, 2, 0])).collect();
            folded(&question, &["x"], Box::new(|| Ok(batches.pop())), threads).unwrap()
        });
        assert!(states.iter().all(|state| *state == states[0]));
        assert_eq!(question.answer(&states[0]).unwrap().tables[0].cells(), [67, 17, 66]);
    }

    #[test]
    fn a_column_that_cannot_be_counted_ends_the_stream() {
        let bytes: ArrayRef = Arc::new(BinaryArray::from(vec![&b"x"[..]]));
        let batch = RecordBatch::try_from_iter([("x", bytes)]).unwrap();
        let mut given = 0;
        let next = || {
            given += 1;
            Ok((given < 1_000_000).then(|| batch.clone()))
        };
        assert!(folded(&question(), &["x"], Box::new(next), 2).unwrap_err().has_code("E0337"));
        assert!(given < 1_000_000);
        let failing = || Err(JobError::new("E0338", "changed"));
        assert!(folded(&question(), &["x"], Box::new(failing), 2).unwrap_err().has_code("E0338"));
    }
}
