//! Rows behind an engine as the data of a job.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::record_batch::RecordBatch;
use disclosure_jobs::JobError;
use disclosure_jobs::input::{DataSource, EachRow, TextColumns};
use privacy_core::table::CountError;
use privacy_core::{AttrSet, ContingencyTable, CountSource, Domain};
use privacy_data::{
    CsvOptions, Defect, Dialect, DomainFile, Encoding, LearnSpec, Microdata, Schema, TextRowBuffer, learn_domain_with,
};
use privacy_sql_columns::{ColumnCoder, Texts, Unfit, check, weights};

use crate::marginals::Question;
use crate::rows::{CsvOfBatches, of_text};
use crate::tabulation::passes;

/// The next batch of rows; `None` behind the last.
pub(crate) type NextBatch<'a> = Box<dyn FnMut() -> Result<Option<RecordBatch>, JobError> + 'a>;

/// Where rows are. Every call sees the same rows, or fails with E0338.
pub(crate) trait Engine: Send + Sync {
    /// The names of the columns.
    fn columns(&self) -> Vec<String>;

    /// The batches of some columns, each named once, in the order of the rows, which is the same
    /// for every call.
    fn batches(&self, columns: &[&str]) -> Result<NextBatch<'_>, JobError>;

    /// The state of a question over all rows.
    fn state(&self, question: &Question) -> Result<Vec<u8>, JobError>;
}

/// Rows that an engine reads and counts: files, or a database.
pub struct EngineSource {
    name: PathBuf,
    engine: Box<dyn Engine>,
}

impl std::fmt::Debug for EngineSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EngineSource").field("name", &self.name).finish_non_exhaustive()
    }
}

impl EngineSource {
    /// The rows of an engine; messages call them `name`.
    pub(crate) fn of(name: impl Into<PathBuf>, engine: impl Engine + 'static) -> Self {
        Self { name: name.into(), engine: Box::new(engine) }
    }

    /// The names of the columns.
    #[must_use]
    pub fn columns(&self) -> Vec<String> {
        self.engine.columns()
    }

    /// The tables over sets of a schema's attributes, as a [`CountSource`].
    #[must_use]
    pub fn counts<'a>(&'a self, schema: Arc<Schema>, options: &CsvOptions) -> EngineCounts<'a> {
        EngineCounts { source: self, schema, count_column: options.count_column.clone() }
    }

    fn within(&self, error: JobError) -> JobError {
        if error.is_stop() { error } else { error.within(Path::new(&self.name)) }
    }

    /// Refuses columns that are not there.
    fn check_columns(&self, names: &[&str]) -> Result<(), JobError> {
        let columns = self.columns();
        let Some(name) = names.iter().find(|name| !columns.iter().any(|own| own == *name)) else { return Ok(()) };
        let message = format!("column {name:?} does not exist among the {} columns of the data", columns.len());
        Err(self.within(JobError::new("E0308", message)))
    }

    fn batches(&self, columns: &[&str]) -> Result<NextBatch<'_>, JobError> {
        self.check_columns(columns)?;
        self.engine.batches(columns).map_err(|error| self.within(error))
    }

    /// The tables over sets, in as few passes over the rows as their sizes allow.
    fn count(
        &self,
        schema: &Arc<Schema>,
        count_column: Option<&str>,
        sets: &[AttrSet],
    ) -> Result<Vec<ContingencyTable>, JobError> {
        let (mut tables, mut rows) = (Vec::new(), None);
        for pass in passes(schema.domain(), sets) {
            let question = Question::new(Arc::clone(schema), &pass, count_column);
            let question = question.map_err(|error| JobError::new("E0605", error.to_string()))?;
            self.check_columns(&question.columns().collect::<Vec<_>>())?;
            let answer = self.engine.state(&question).and_then(|state| question.answer(&state));
            let answer = answer.map_err(|error| self.within(error))?;
            if rows.replace(answer.rows).is_some_and(|rows| rows != answer.rows) {
                return Err(self.within(changed()));
            }
            tables.extend(answer.tables);
        }
        match rows {
            Some(0) => Err(self.within(no_rows())),
            _ => Ok(tables),
        }
    }
}

/// The rows were not the same ones throughout.
pub(crate) fn changed() -> JobError {
    JobError::new("E0338", "the data changed while they were read; nothing was counted")
}

fn no_rows() -> JobError {
    JobError::new("E0302", Defect::NoRows.to_string())
}

/// Names without repetitions: two attributes may be of one column.
pub(crate) fn distinct<'a>(names: &[&'a str]) -> Vec<&'a str> {
    let mut found: Vec<&str> = Vec::new();
    for name in names {
        if !found.contains(name) {
            found.push(name);
        }
    }
    found
}

impl DataSource for EngineSource {
    fn name(&self) -> String {
        self.name.display().to_string()
    }

    fn learn_domain_with(&self, options: &CsvOptions, learn: &LearnSpec) -> Result<DomainFile, JobError> {
        let columns = self.columns();
        let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
        let reader = CsvOfBatches::new(&columns, self.batches(&columns)?);
        learn_domain_with(reader, &as_text(options), learn).map_err(|error| self.within(of_text(error)))
    }

    fn read_rows(&self, schema: &Schema, options: &CsvOptions) -> Result<Microdata, JobError> {
        let count_column = options.count_column.as_deref();
        let columns: Vec<&str> = schema.columns().iter().map(String::as_str).chain(count_column).collect();
        let read = distinct(&columns);
        let places: Vec<usize> = columns.iter().filter_map(|name| read.iter().position(|own| own == name)).collect();
        let mut next = self.batches(&read)?;
        let attributes = schema.columns().len();
        let mut coders: Vec<ColumnCoder> = (0..attributes).map(|a| ColumnCoder::new(schema, a)).collect();
        let (mut codes, mut weighed) = (vec![Vec::new(); attributes], Vec::new());
        let mut unfit = vec![Unfit::default(); attributes + 1];
        let mut rows = Microdata::without_rows(schema.domain().clone(), count_column.is_some());
        while let Some(batch) = next().map_err(|error| self.within(error))? {
            for (position, coder) in coders.iter_mut().enumerate() {
                let found = coder.codes(schema, batch.column(places[position]), &mut codes[position]);
                unfit[position].add(found.map_err(|error| self.within(error))?);
            }
            if let Some(name) = count_column {
                let found = weights(batch.column(places[attributes]), name, &mut weighed);
                unfit[attributes].add(found.map_err(|error| self.within(error))?);
            }
            // Rows behind one that does not fit are counted for the message alone.
            if unfit.iter().all(|unfit| unfit.is_none()) {
                let added = rows.extend_codes(&codes, count_column.map(|_| &weighed[..]));
                added.map_err(|error| self.within(JobError::new(error.code(), error.to_string())))?;
            }
        }
        check(&unfit, schema.columns(), count_column).map_err(|error| self.within(error))?;
        if rows.rows() == 0 { Err(self.within(no_rows())) } else { Ok(rows) }
    }

    fn for_each_text_row(
        &self,
        columns: TextColumns<'_>,
        options: &CsvOptions,
        each: EachRow<'_>,
    ) -> Result<(), JobError> {
        let mut all = self.columns();
        all.sort();
        let names: Vec<&str> = match columns {
            TextColumns::Named(names) => names.to_vec(),
            TextColumns::NamedThenAll(names) => names.iter().copied().chain(all.iter().map(String::as_str)).collect(),
        };
        let read = distinct(&names);
        let places: Vec<usize> = names.iter().filter_map(|name| read.iter().position(|own| own == name)).collect();
        let mut next = self.batches(&read)?;
        let names = names.iter().map(|&name| name.to_owned()).collect();
        let (mut rows, mut number) = (TextRowBuffer::new(names, options.max_field_bytes), 0);
        while let Some(batch) = next().map_err(|error| self.within(error))? {
            let texts = batch.columns().iter().zip(&read).map(|(column, name)| Texts::new(column, name));
            let texts = texts.collect::<Result<Vec<_>, _>>().map_err(|error| self.within(error))?;
            for row in 0..batch.num_rows() {
                number += 1;
                let row = rows.row(number, |column, text| texts[places[column]].write(row, text));
                each(&row.map_err(|error| self.within(error.into()))?).map_err(|error| self.within(error))?;
            }
        }
        Ok(())
    }

    fn count_marginals(
        &self,
        schema: &Schema,
        options: &CsvOptions,
        sets: &[AttrSet],
    ) -> Result<Option<Vec<ContingencyTable>>, JobError> {
        self.count(&Arc::new(schema.clone()), options.count_column.as_deref(), sets).map(Some)
    }
}

/// Options of a reader of the text that [`CsvOfBatches`] writes.
fn as_text(options: &CsvOptions) -> CsvOptions {
    CsvOptions { encoding: Encoding::Utf8, dialect: Dialect::STANDARD, ..options.clone() }
}

/// The tables of a source under a schema.
#[derive(Debug)]
pub struct EngineCounts<'a> {
    source: &'a EngineSource,
    schema: Arc<Schema>,
    count_column: Option<String>,
}

impl CountSource for EngineCounts<'_> {
    fn domain(&self) -> &Domain {
        self.schema.domain()
    }

    fn marginals(&self, sets: &[AttrSet]) -> Result<Vec<ContingencyTable>, CountError> {
        let tables = self.source.count(&self.schema, self.count_column.as_deref(), sets);
        tables.map_err(|error| CountError::Source(Box::new(error)))
    }
}
