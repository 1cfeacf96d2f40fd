//! What is asked of the columns that DuckDB has, in its SQL.

use privacy_sql_statements::Relation;
use privacy_sql_statements::duckdb::{self, ReadColumn};

pub(super) use privacy_sql_statements::duckdb::{STORED_TABLES, all_columns, number};

use super::vectors::{Column, Reading};

/// The values of columns, a row at a time; the texts of those that have no value of their own
/// here.
pub(super) fn rows(relation: &Relation, columns: &[&Column]) -> String {
    let columns: Vec<ReadColumn<'_>> = columns.iter().map(|column| read_column(column)).collect();
    duckdb::rows(relation, &columns)
}

fn read_column(column: &Column) -> ReadColumn<'_> {
    ReadColumn { name: &column.name, as_text: matches!(column.reading(), Reading::Text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_value_here_is_read_as_text() {
        let column = |name: &str, kind: u32| Column { name: name.to_owned(), kind };
        let (age, born, income) = (column("age", 4), column("born", 13), column("income", 19));
        assert_eq!(
            rows(&Relation::table("people").unwrap(), &[&age, &born, &income]),
            "SELECT \"age\", CAST(\"born\" AS VARCHAR) AS \"born\", CAST(\"income\" AS VARCHAR) AS \"income\"\n\
             FROM \"people\""
        );
    }
}
