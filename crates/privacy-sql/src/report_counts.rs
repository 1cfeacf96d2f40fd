//! The aggregate function `report_counts(report)`: what an aggregator of randomised reports counts,
//! over a column of them. Its state is a state of `ldp-pmdh`; states of parts of the reports merge.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{Accumulator, AggregateUDFImpl, Signature, Volatility};
use disclosure_jobs::JobError;
use ldp_pmdh::{Aggregator, Schema, State, StateDetail, StateError, Tally};

use crate::error::EngineError;

/// The aggregate function of reports of a schema; its argument is a column of bytes, a report a
/// row, as clients send them. A report that no client of the schema makes ends the query, and so
/// does NULL: none is left out.
///
/// The answer is a state without sources, `State::to_bytes`: nothing in it notices that the same
/// reports are counted again.
#[derive(Clone, Debug)]
pub struct ReportCounts {
    schema: Arc<Schema>,
    detail: StateDetail,
    max_bytes: f64,
    signature: Signature,
}

impl ReportCounts {
    /// The function that keeps this much detail, within this number of bytes for every partition.
    ///
    /// # Errors
    /// E0265 and E0641 for a detail that cannot be kept.
    pub fn new(schema: Schema, detail: StateDetail, max_bytes: f64) -> std::result::Result<Self, JobError> {
        let signature = Signature::any(1, Volatility::Immutable);
        let function = Self { schema: Arc::new(schema), detail, max_bytes, signature };
        function.aggregator()?;
        Ok(function)
    }

    /// The state that the bytes of an answer hold.
    ///
    /// # Errors
    /// E0391 and E0392 for bytes that are no state of the schema.
    pub fn state(&self, bytes: &[u8]) -> std::result::Result<State, JobError> {
        Ok(State::from_bytes(bytes, &self.schema)?)
    }

    /// What another process makes the same function of.
    #[cfg(feature = "ballista")]
    pub(crate) fn parts(&self) -> (&Schema, StateDetail, f64) {
        (&self.schema, self.detail, self.max_bytes)
    }

    fn aggregator(&self) -> std::result::Result<Aggregator, StateError> {
        Aggregator::new(Schema::clone(&self.schema), self.detail, self.max_bytes)
    }
}

/// Two functions are one if they keep the same of the same schema.
impl PartialEq for ReportCounts {
    fn eq(&self, other: &Self) -> bool {
        self.schema.digest() == other.schema.digest() && self.detail == other.detail
    }
}

impl Eq for ReportCounts {}

impl Hash for ReportCounts {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.schema.digest().hash(state);
    }
}

impl AggregateUDFImpl for ReportCounts {
    fn name(&self) -> &str {
        "report_counts"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::LargeBinary)
    }

    fn state_fields(&self, _: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        Ok(vec![Arc::new(Field::new("state", DataType::LargeBinary, true))])
    }

    fn accumulator(&self, _: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(Counting { function: self.clone(), aggregator: None, tally: None }))
    }
}

/// The counts of some reports.
struct Counting {
    function: ReportCounts,
    /// Of reports that were read here.
    aggregator: Option<Aggregator>,
    /// Of parts that were counted elsewhere.
    tally: Option<Tally>,
}

/// Shows no count.
impl fmt::Debug for Counting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Counting").field("detail", &self.function.detail).finish_non_exhaustive()
    }
}

impl Counting {
    fn push(&mut self, report: Option<&[u8]>) -> std::result::Result<(), EngineError> {
        let refused = |words: String| JobError::new("E0393", format!("report_counts: {words}"));
        let report = report.ok_or_else(|| refused("a report is NULL".to_owned()))?;
        let aggregator = match &mut self.aggregator {
            Some(aggregator) => aggregator,
            none => none.insert(self.function.aggregator()?),
        };
        aggregator.push(report).map_err(|error| refused(error.to_string()).into())
    }

    fn add(&mut self, part: Tally) -> std::result::Result<(), EngineError> {
        match &mut self.tally {
            Some(tally) => tally.merge(&part)?,
            none => *none = Some(part),
        }
        Ok(())
    }

    fn take(&mut self) -> std::result::Result<Vec<u8>, EngineError> {
        if let Some(aggregator) = self.aggregator.take() {
            self.add(aggregator.finish()?.tally().clone())?;
        }
        match self.tally.take() {
            Some(tally) => Ok(tally.to_bytes()),
            None => Ok(self.function.aggregator()?.finish()?.to_bytes()),
        }
    }
}

impl Accumulator for Counting {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let reports = &values[0];
        match reports.data_type() {
            DataType::Binary => reports.as_binary::<i32>().iter().try_for_each(|report| self.push(report))?,
            DataType::LargeBinary => reports.as_binary::<i64>().iter().try_for_each(|report| self.push(report))?,
            DataType::BinaryView => reports.as_binary_view().iter().try_for_each(|report| self.push(report))?,
            DataType::FixedSizeBinary(_) => {
                reports.as_fixed_size_binary().iter().try_for_each(|report| self.push(report))?;
            }
            _ => {
                return Err(
                    EngineError::from(JobError::new("E0337", "report_counts requires a column of bytes")).into()
                );
            }
        }
        // Reports that are kept take memory for each.
        if let Some(aggregator) = &self.aggregator {
            aggregator.reserve(0).map_err(EngineError::from)?;
        }
        Ok(())
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let states = states[0].as_binary::<i64>().iter().flatten();
        for state in states {
            self.add(Tally::from_bytes(state).map_err(EngineError::from)?)?;
        }
        Ok(())
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        Ok(ScalarValue::LargeBinary(Some(self.take()?)))
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![self.evaluate()?])
    }

    fn size(&self) -> usize {
        size_of::<Self>()
    }
}

impl From<StateError> for EngineError {
    fn from(error: StateError) -> Self {
        JobError::from(error).into()
    }
}
