//! A table in a file of DuckDB as an engine.

use std::sync::Arc;

use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::Int64Type;
use disclosure_jobs::JobError;
use privacy_core::stop::StopFlag;
use privacy_sql_columns::unreadable_type;
use privacy_sql_statements::Relation;

use super::database::Database;
use super::dialect;
use super::vectors::{Column, Reading};
use crate::folding::folded;
use crate::marginals::Question;
use crate::source::{Engine, NextBatch, changed, distinct};

/// Rows in a file that nobody writes while it is open.
pub(super) struct DuckdbRows {
    pub(super) database: Arc<Database>,
    pub(super) relation: Relation,
    pub(super) columns: Vec<Column>,
    /// Hears every statement before it is run.
    pub(super) on_statement: fn(&str),
    pub(super) stop: StopFlag,
    pub(super) threads: usize,
    /// How many rows every reading has; not known of a view and of a query.
    pub(super) rows: Option<u64>,
}

impl DuckdbRows {
    /// Finds the columns, and the number of rows of a table that is stored.
    ///
    /// # Errors
    /// E0349 for a relation that is not there or no single statement, E0307 for two columns of one
    /// name.
    pub(super) fn open(
        database: Arc<Database>,
        relation: Relation,
        on_statement: fn(&str),
        stop: StopFlag,
        threads: usize,
    ) -> Result<Self, JobError> {
        if let Relation::Query(query) = &relation {
            database.check_single(query)?;
        }
        let columns = database.prepare(&dialect::all_columns(&relation))?.columns();
        let repeated = columns.iter().enumerate().find(|(at, column)| is_among(&columns[..*at], column));
        if let Some((_, column)) = repeated {
            return Err(JobError::new("E0307", format!("two columns have the name {:?}", column.name)));
        }
        let mut rows = Self { database, relation, columns, on_statement, stop, threads, rows: None };
        if rows.is_stored()? {
            rows.rows = Some(rows.number()?);
        }
        Ok(rows)
    }

    fn statement(&self, statement: &str) -> Result<super::database::Rows, JobError> {
        (self.on_statement)(statement);
        self.database.rows(statement, &self.stop)
    }

    /// Whether the relation is a table with rows of its own. Names of tables differ in more than
    /// case here, as DuckDB has it.
    fn is_stored(&self) -> Result<bool, JobError> {
        let Relation::Table(parts) = &self.relation else { return Ok(false) };
        let (schema, name) = match &parts[..] {
            [name] => ("main", name),
            [schema, name] => (schema.as_str(), name),
            _ => return Ok(false),
        };
        let mut tables = self.database.rows(dialect::STORED_TABLES, &self.stop)?;
        while let Some(batch) = tables.advance()? {
            let (schemas, names) = (batch.column(0).as_string_view(), batch.column(1).as_string_view());
            let mut both = schemas.iter().flatten().zip(names.iter().flatten());
            if both.any(|(own, table)| own.eq_ignore_ascii_case(schema) && table.eq_ignore_ascii_case(name)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn number(&self) -> Result<u64, JobError> {
        let batch = self.statement(&dialect::number(&self.relation))?.advance()?;
        let count = batch.filter(|batch| batch.num_rows() == 1).map(|batch| {
            let counts = batch.column(0).as_primitive_opt::<Int64Type>();
            counts.map_or(0, |counts| counts.value(0).unsigned_abs())
        });
        count.ok_or_else(|| JobError::new("E0339", "the engine returned no result"))
    }
}

fn is_among(columns: &[Column], column: &Column) -> bool {
    columns.iter().any(|other| other.name.eq_ignore_ascii_case(&column.name))
}

impl Engine for DuckdbRows {
    fn columns(&self) -> Vec<String> {
        self.columns.iter().map(|column| column.name.clone()).collect()
    }

    fn batches(&self, columns: &[&str]) -> Result<NextBatch<'_>, JobError> {
        let asked: Vec<&Column> =
            columns.iter().filter_map(|name| self.columns.iter().find(|column| column.name == *name)).collect();
        if let Some(column) = asked.iter().find(|column| column.reading() == Reading::Refused) {
            return Err(unreadable_type(&column.name));
        }
        let mut rows = self.statement(&dialect::rows(&self.relation, &asked))?;
        let mut read = 0_u64;
        Ok(Box::new(move || {
            let batch = rows.advance()?;
            match &batch {
                Some(batch) => read += batch.num_rows() as u64,
                // A reading that ends early would be fewer people, and no error.
                None if self.rows.is_some_and(|rows| rows != read) => return Err(changed()),
                None => {}
            }
            Ok(batch)
        }))
    }

    fn state(&self, question: &Question) -> Result<Vec<u8>, JobError> {
        let columns: Vec<&str> = question.columns().collect();
        let columns = distinct(&columns);
        folded(question, &columns, self.batches(&columns)?, self.threads)
    }
}
