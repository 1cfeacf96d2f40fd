//! `lcf_state` where it cannot be run: a scheduler plans it and passes it on, an executor without
//! its secret refuses it.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::Result;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{Accumulator, AggregateUDFImpl, GroupsAccumulator, Signature, Volatility};
use disclosure_jobs::JobError;

use crate::error::EngineError;

/// The function with the bytes that ask for it, and why it cannot be run here.
#[derive(Clone, Debug)]
pub(super) struct PlannedState {
    bytes: Arc<[u8]>,
    signature: Signature,
    why: EngineError,
}

impl PlannedState {
    pub(super) fn new(bytes: &[u8], columns: usize, why: JobError) -> Self {
        Self { bytes: bytes.into(), signature: Signature::any(columns, Volatility::Immutable), why: why.into() }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl PartialEq for PlannedState {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for PlannedState {}

impl Hash for PlannedState {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.bytes.hash(state);
    }
}

impl AggregateUDFImpl for PlannedState {
    fn name(&self) -> &str {
        "lcf_state"
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
        Err(self.why.clone().into())
    }

    fn groups_accumulator_supported(&self, _: AccumulatorArgs<'_>) -> bool {
        true
    }

    fn create_groups_accumulator(&self, _: AccumulatorArgs<'_>) -> Result<Box<dyn GroupsAccumulator>> {
        Err(self.why.clone().into())
    }
}
