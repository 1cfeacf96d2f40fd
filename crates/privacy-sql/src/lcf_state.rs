//! The aggregate function `lcf_state(aid, ..)`: the rows and the entities of every group of a
//! query, as far as a filter needs them. Its state is bytes, sealed under the secret; states of
//! parts of a group merge in any order.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, BooleanArray};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{Accumulator, AggregateUDFImpl, EmitTo, GroupsAccumulator, Signature, Volatility};
use disclosure_jobs::JobError;
use disclosure_jobs::filter::{EntityEntry, EntitySpec, GroupedTable, Job, LowCountFilter};
use lcf::{GroupState, IdentifierField, LabelledGroups};
use privacy_core::stop::StopFlag;
use privacy_sql_columns::Texts;

use crate::entities::Entities;
use crate::error::EngineError;

/// The aggregate function of a filter; its arguments are the columns of identifiers, in the order
/// of the specification. It hashes identifiers, so it holds the secret of its filter, and no plan
/// or message shows it.
///
/// A query groups by the columns of the specification, and its last column is this function:
/// `SELECT town, lcf_state(person) FROM visits GROUP BY town`. NULL in a column of labels is the
/// empty label, and in a column of identifiers it is nobody.
#[derive(Clone)]
pub struct LcfState {
    job: Arc<Job>,
    filter: Arc<LowCountFilter>,
    fields: Arc<[IdentifierField]>,
    signature: Signature,
}

impl LcfState {
    /// The function for the groups of a job, under its [filter](Job::filter).
    ///
    /// # Errors
    /// E0285 where a row is an entity, a form of identifiers is not declared, or the labels are
    /// declared by `[[attribute]]` or a domain file: a query has labels of its own.
    pub fn new(job: Job, filter: LowCountFilter) -> std::result::Result<Self, JobError> {
        job.check_stored()?;
        let spec = job.spec();
        if !spec.attributes.is_empty() || spec.domain.is_some() {
            let message = "the labels of the groups come from the query, but the specification declares others";
            return Err(JobError::new("E0285", message)
                .next("leave out [[attribute]] and domain, and compute the labels in SQL"));
        }
        let fields = spec.entities.iter().map(field).collect();
        let signature = Signature::any(spec.entities.len(), Volatility::Immutable);
        Ok(Self { job: Arc::new(job), filter: Arc::new(filter), fields, signature })
    }

    /// The filter, which decides about the groups.
    #[must_use]
    pub fn filter(&self) -> &LowCountFilter {
        &self.filter
    }

    /// The specification, which another process makes the same function of.
    #[cfg(feature = "ballista")]
    pub(crate) fn job(&self) -> &Job {
        &self.job
    }

    /// The groups of the batches of a query, or of several over parts of the rows: for
    /// [`Job::decide`].
    ///
    /// # Errors
    /// E0302 without a group; E0308 for a query without a column of the specification; E0375 for
    /// states of another filter or secret; E0651 and E0652 above the limits of the specification.
    pub fn grouped(&self, batches: &[RecordBatch]) -> std::result::Result<GroupedTable, JobError> {
        let spec = self.job.spec();
        let mut groups = LabelledGroups::new(&spec.group_by, &self.filter, spec.group_limits(StopFlag::never()));
        batches.iter().try_for_each(|batch| self.add(&mut groups, batch))?;
        let table = groups.into_table();
        if table.is_empty() {
            return Err(JobError::new("E0302", "the query returned no groups"));
        }
        self.job.stored(&table.to_bytes(&self.filter)?, &self.filter)
    }

    fn add(&self, groups: &mut LabelledGroups, batch: &RecordBatch) -> std::result::Result<(), JobError> {
        let no_state = || JobError::from(lcf::Error::NotAState);
        let states = batch.columns().last().and_then(|column| column.as_binary_opt::<i64>()).ok_or_else(no_state)?;
        let texts = self.job.spec().group_by.iter().map(|name| {
            let missing = || JobError::new("E0308", format!("the query has no column {name:?}"));
            let column = batch.column_by_name(name).ok_or_else(missing)?;
            Texts::new(column, name)
        });
        let texts: Vec<Texts<'_>> = texts.collect::<std::result::Result<_, JobError>>()?;
        let mut labels = vec![String::new(); texts.len()];
        for row in (0..batch.num_rows()).filter(|&row| states.is_valid(row)) {
            for (text, label) in texts.iter().zip(&mut labels) {
                label.clear();
                text.write(row, label);
            }
            let state = GroupState::from_bytes(states.value(row), &self.filter)?;
            groups.add_state(labels.iter().map(String::as_str), &state)?;
        }
        Ok(())
    }

    fn groups(&self) -> Groups {
        Groups { entities: Entities::new(Arc::clone(&self.filter), Arc::clone(&self.fields)) }
    }
}

/// How a column of identifiers is read.
fn field(entry: &EntityEntry) -> IdentifierField {
    match entry {
        EntityEntry::Full(EntitySpec { form, separator, null, .. }) => {
            IdentifierField { form: *form, separator: *separator, null: null.clone() }
        }
        EntityEntry::Column(_) | EntityEntry::Row => IdentifierField::default(),
    }
}

/// Shows the kinds of entities and their laws.
impl fmt::Debug for LcfState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LcfState").field("filter", &self.filter).finish_non_exhaustive()
    }
}

/// Two functions are one if they are for one filter and read identifiers alike.
impl PartialEq for LcfState {
    fn eq(&self, other: &Self) -> bool {
        self.filter.digest() == other.filter.digest() && self.fields == other.fields
    }
}

impl Eq for LcfState {}

impl Hash for LcfState {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.filter.digest().hash(state);
    }
}

impl AggregateUDFImpl for LcfState {
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
        Ok(Box::new(Whole(self.groups())))
    }

    fn groups_accumulator_supported(&self, _: AccumulatorArgs<'_>) -> bool {
        true
    }

    fn create_groups_accumulator(&self, _: AccumulatorArgs<'_>) -> Result<Box<dyn GroupsAccumulator>> {
        Ok(Box::new(self.groups()))
    }
}

/// The groups of a query, by the numbers that the engine gives them.
struct Groups {
    entities: Entities,
}

impl GroupsAccumulator for Groups {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        groups: &[usize],
        filter: Option<&BooleanArray>,
        total: usize,
    ) -> Result<()> {
        Ok(self.entities.add_rows(values, groups, filter, total)?)
    }

    fn evaluate(&mut self, emit: EmitTo) -> Result<ArrayRef> {
        let taken = self.entities.take(match emit {
            EmitTo::All => usize::MAX,
            EmitTo::First(groups) => groups,
        });
        Ok(Arc::new(taken?))
    }

    fn state(&mut self, emit: EmitTo) -> Result<Vec<ArrayRef>> {
        Ok(vec![self.evaluate(emit)?])
    }

    fn merge_batch(&mut self, states: &[ArrayRef], groups: &[usize], total: usize) -> Result<()> {
        Ok(self.entities.merge(states[0].as_binary::<i64>(), groups, total)?)
    }

    fn convert_to_state(&self, values: &[ArrayRef], filter: Option<&BooleanArray>) -> Result<Vec<ArrayRef>> {
        let rows = values.first().map_or(0, |column| column.len());
        let numbers: Vec<usize> = (0..rows).collect();
        let mut each = self.entities.none();
        each.add_rows(values, &numbers, filter, rows)?;
        Ok(vec![Arc::new(each.take(usize::MAX)?)])
    }

    fn size(&self) -> usize {
        self.entities.bytes()
    }
}

/// All rows as one group.
struct Whole(Groups);

impl fmt::Debug for Whole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Whole")
    }
}

impl Accumulator for Whole {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let rows = values.first().map_or(0, |column| column.len());
        self.0.update_batch(values, &vec![0; rows], None, 1)
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.0.merge_batch(states, &vec![0; states[0].len()], 1)
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let state = self.0.evaluate(EmitTo::All)?;
        if state.is_empty() { Ok(ScalarValue::LargeBinary(None)) } else { ScalarValue::try_from_array(&state, 0) }
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![self.evaluate()?])
    }

    fn size(&self) -> usize {
        size_of::<Self>() + self.0.size()
    }
}

impl From<lcf::Error> for EngineError {
    fn from(error: lcf::Error) -> Self {
        JobError::from(error).into()
    }
}
