//! The aggregate function `marginals(c0, .., ck)`: the tables of many sets of attributes in one
//! pass over the rows. Its state is the tables, as bytes; states of parts of the rows add up.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{DataFusionError, Result, ScalarValue};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{Accumulator, AggregateUDFImpl, Signature, Volatility};
use disclosure_jobs::JobError;
use privacy_core::table::CountError;
use privacy_core::{AttrSet, ContingencyTable};
use privacy_data::Schema;
use privacy_sql_columns::{ColumnCoder, check, weights};

use crate::error::EngineError;
use crate::sums::Sums;
use crate::tabulation::{Layout, SharedLayout};

/// What is asked of the rows: tables over sets of attributes of a schema.
#[derive(Clone, Debug)]
pub struct Question {
    schema: Arc<Schema>,
    layout: SharedLayout,
    /// The column behind those of the schema that says how many people a row stands for.
    count_column: Option<String>,
}

/// The tables of a question, and how many rows they count.
#[derive(Clone, Debug)]
pub struct Answer {
    /// In the order of the sets.
    pub tables: Vec<ContingencyTable>,
    /// Rows, whatever they weigh.
    pub rows: u64,
}

impl Question {
    /// Tables over `sets`, coded under a schema; with a count column behind the columns of the
    /// schema where one is named.
    ///
    /// # Errors
    /// [`CountError`] for a set that is not of the domain or has 2^32 cells.
    pub fn new(schema: Arc<Schema>, sets: &[AttrSet], count_column: Option<&str>) -> Result<Self, CountError> {
        let layout = Arc::new(Layout::new(schema.domain(), sets)?);
        Ok(Self { schema, layout, count_column: count_column.map(str::to_owned) })
    }

    /// The columns of the rows, in the order of the arguments.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.schema.columns().iter().chain(&self.count_column).map(String::as_str)
    }

    /// What another process makes the same question of.
    #[cfg(feature = "ballista")]
    pub(crate) fn parts(&self) -> (&Schema, &[AttrSet], Option<&str>) {
        (&self.schema, self.layout.sets(), self.count_column.as_deref())
    }

    /// The same question of groups of rows, whose numbers are in a column behind the others.
    #[cfg(feature = "postgres")]
    pub(crate) fn weighted(&self, count_column: &str) -> Self {
        Self { count_column: Some(count_column.to_owned()), ..self.clone() }
    }

    /// Whether rows can be grouped by all columns into at most this many groups of categories:
    /// each row counts as one.
    #[cfg(feature = "postgres")]
    pub(crate) fn has_at_most(&self, groups: u64) -> bool {
        let domain = self.schema.domain();
        self.count_column.is_none() && domain.cells(domain.all()).is_some_and(|cells| cells <= groups)
    }

    /// Sums over no row yet.
    pub(crate) fn counting(&self) -> Counting {
        let columns = self.schema.columns().len();
        let coders = (0..columns).map(|attribute| ColumnCoder::new(&self.schema, attribute)).collect();
        let codes = vec![Vec::new(); columns];
        Counting { sums: self.no_sums(), question: self.clone(), coders, codes, weights: Vec::new() }
    }

    fn no_sums(&self) -> Sums {
        Sums::new(self.schema.columns().len(), self.layout.cells())
    }

    /// The state over all rows, of the states over parts of them: of days, of machines, of servers.
    /// Each row is in one part; the order of parts does not matter. A state has eight bytes a cell.
    ///
    /// # Errors
    /// E0339 for bytes of another question.
    pub fn merged<'a>(&self, states: impl IntoIterator<Item = &'a [u8]>) -> std::result::Result<Vec<u8>, JobError> {
        let mut sums = self.no_sums();
        for state in states {
            sums.merge(state).map_err(|error| error.to_job())?;
        }
        Ok(sums.to_bytes())
    }

    /// The answer that the bytes of a state hold.
    ///
    /// # Errors
    /// E0336 for rows that have no category, with their number; E0339 for bytes of another
    /// question.
    pub fn answer(&self, state: &[u8]) -> std::result::Result<Answer, JobError> {
        let mut sums = self.no_sums();
        sums.merge(state).map_err(|error| error.to_job())?;
        check(&sums.unfit, self.schema.columns(), self.count_column.as_deref())?;
        let tables = Layout::clone(&self.layout).into_tables(self.schema.domain(), &sums.bins);
        let tables = tables.map_err(|error| JobError::new("E0335", error.to_string()))?;
        Ok(Answer { tables, rows: sums.rows })
    }
}

/// Plans compare functions.
impl PartialEq for Question {
    fn eq(&self, other: &Self) -> bool {
        let is_same = Arc::ptr_eq(&self.schema, &other.schema);
        (is_same || self.schema.attributes() == other.schema.attributes())
            && self.layout == other.layout
            && self.count_column == other.count_column
    }
}

impl Eq for Question {}

impl Hash for Question {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.layout.hash(state);
    }
}

/// The aggregate function of a [`Question`]; its arguments are [`Question::columns`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Marginals {
    question: Question,
    signature: Signature,
}

impl Marginals {
    /// The function that answers a question.
    #[must_use]
    pub fn new(question: Question) -> Self {
        Self { question, signature: Signature::variadic_any(Volatility::Immutable) }
    }
}

#[cfg(feature = "ballista")]
impl Marginals {
    pub(crate) fn question(&self) -> &Question {
        &self.question
    }
}

impl AggregateUDFImpl for Marginals {
    fn name(&self) -> &str {
        "marginals"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Binary)
    }

    fn state_fields(&self, _: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        Ok(vec![Arc::new(Field::new("sums", DataType::Binary, true))])
    }

    fn accumulator(&self, _: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(self.question.counting()))
    }
}

/// The sums over some rows, and what codes more of them.
pub(crate) struct Counting {
    question: Question,
    coders: Vec<ColumnCoder>,
    /// Codes of the current batch, kept for their memory.
    codes: Vec<Vec<u32>>,
    weights: Vec<u64>,
    sums: Sums,
}

/// Shapes may be shown, counts may not.
impl std::fmt::Debug for Counting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Counting").field("cells", &self.sums.bins.len()).finish_non_exhaustive()
    }
}

impl Counting {
    /// Adds rows, a column an argument.
    pub(crate) fn add(&mut self, values: &[ArrayRef]) -> std::result::Result<(), EngineError> {
        let schema = &self.question.schema;
        let rows = values.first().map_or(0, |column| column.len());
        for (position, coder) in self.coders.iter_mut().enumerate() {
            let unfit = coder.codes(schema, &values[position], &mut self.codes[position])?;
            self.sums.unfit[position].add(unfit);
        }
        let weighted = match &self.question.count_column {
            None => None,
            Some(name) => {
                let column = &values[self.coders.len()];
                self.sums.unfit[self.coders.len()].add(weights(column, name, &mut self.weights)?);
                Some(&self.weights[..])
            }
        };
        self.question.layout.add(&self.codes, weighted, rows, &mut self.sums.bins);
        self.sums.rows += rows as u64;
        Ok(())
    }

    /// Adds the sums over other rows, by their bytes.
    #[cfg(any(feature = "duckdb", feature = "postgres"))]
    pub(crate) fn merge(&mut self, state: &[u8]) -> std::result::Result<(), EngineError> {
        self.sums.merge(state)
    }

    /// The sums as bytes.
    #[cfg(any(feature = "duckdb", feature = "postgres"))]
    pub(crate) fn into_state(self) -> Vec<u8> {
        self.sums.to_bytes()
    }
}

impl Accumulator for Counting {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        Ok(self.add(values)?)
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let states = states[0].as_binary::<i32>();
        states.iter().flatten().try_for_each(|state| self.sums.merge(state).map_err(DataFusionError::from))
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![self.evaluate()?])
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        Ok(ScalarValue::Binary(Some(self.sums.to_bytes())))
    }

    fn size(&self) -> usize {
        let codes: usize = self.codes.iter().map(|codes| codes.capacity() * size_of::<u32>()).sum();
        size_of::<Self>() + 8 * (self.sums.bins.len() + self.weights.capacity()) + codes
    }
}

#[cfg(test)]
mod tests {
    use privacy_core::Provenance;
    use privacy_data::AttributeSpec;
    use privacy_sql_columns::Unfit;

    use super::*;

    fn question() -> Question {
        let schema = Schema::new(vec![AttributeSpec::of_size("x", 2)], Provenance::Public).unwrap();
        Question::new(Arc::new(schema), &[AttrSet::single(0)], None).unwrap()
    }

    #[test]
    fn states_add_up_and_those_of_another_question_are_refused() {
        let question = question();
        let mut sums = question.no_sums();
        (sums.rows, sums.bins) = (3, vec![1, 2]);
        let state = sums.to_bytes();
        let merged = question.merged([&state[..], &state, &state]).unwrap();
        let answer = question.answer(&merged).unwrap();
        assert_eq!((answer.rows, answer.tables[0].cells()), (9, &[3, 6][..]));
        assert_eq!(question.merged([]).unwrap(), question.no_sums().to_bytes());
        for wrong in [&state[8..], &state[..state.len() - 1], &[]] {
            assert!(question.answer(wrong).unwrap_err().has_code("E0339"));
            assert!(question.merged([&state[..], wrong]).unwrap_err().has_code("E0339"));
        }
    }

    #[test]
    fn a_state_with_rows_that_do_not_fit_has_no_answer() {
        let question = question();
        let mut sums = question.no_sums();
        sums.unfit[0] = Unfit { missing: 1, unknown: 0 };
        let state = sums.to_bytes();
        assert!(question.answer(&state).unwrap_err().has_code("E0336"));
        sums.unfit[0] = Unfit::default();
        sums.bins[0] = u64::MAX;
        let state = sums.to_bytes();
        assert!(question.answer(&state).unwrap_err().has_code("E0335"));
    }
}
