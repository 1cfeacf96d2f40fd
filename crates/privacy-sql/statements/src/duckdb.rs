//! The SQL that DuckDB runs. It holds identifiers, and never a value: labels and identifiers of
//! people are compared here.

use crate::{Relation, quoted};

/// A column, and whether DuckDB writes its values as text, since they have no value of their own
/// here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadColumn<'a> {
    /// The name, as the database has it.
    pub name: &'a str,
    /// Whether the values are read as text.
    pub as_text: bool,
}

/// What stands behind FROM. A line break ends a comment.
fn from(relation: &Relation) -> String {
    match relation {
        Relation::Table(parts) => parts.iter().map(|part| quoted(part)).collect::<Vec<_>>().join("."),
        Relation::Query(query) => format!("(\n{query}\n) AS asked"),
    }
}

/// A statement that has the columns of the rows. It is prepared, and never run.
#[must_use]
pub fn all_columns(relation: &Relation) -> String {
    match relation {
        Relation::Table(_) => format!("SELECT * FROM {}", from(relation)),
        // By itself: within parentheses a second column of one name would get another.
        Relation::Query(query) => query.clone(),
    }
}

/// The values of columns, a row at a time.
#[must_use]
pub fn rows(relation: &Relation, columns: &[ReadColumn<'_>]) -> String {
    let values: Vec<String> = columns.iter().map(|column| value(*column)).collect();
    format!("SELECT {}\nFROM {}", values.join(", "), from(relation))
}

fn value(column: ReadColumn<'_>) -> String {
    let name = quoted(column.name);
    match column.as_text {
        true => format!("CAST({name} AS VARCHAR) AS {name}"),
        false => name,
    }
}

/// How many rows there are.
#[must_use]
pub fn number(relation: &Relation) -> String {
    format!("SELECT count(*) FROM {}", from(relation))
}

/// The tables that hold rows, and are no views of others: their schemas and names.
pub const STORED_TABLES: &str =
    "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = current_database()";

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str, as_text: bool) -> ReadColumn<'_> {
        ReadColumn { name, as_text }
    }

    #[test]
    fn statements_are_these() {
        let people = Relation::table("census.people").unwrap();
        assert_eq!(
            rows(&people, &[column("age", false), column("born", true), column("income", true)]),
            "SELECT \"age\", CAST(\"born\" AS VARCHAR) AS \"born\", CAST(\"income\" AS VARCHAR) AS \"income\"\n\
             FROM \"census\".\"people\""
        );
        assert_eq!(all_columns(&people), "SELECT * FROM \"census\".\"people\"");
        assert_eq!(number(&people), "SELECT count(*) FROM \"census\".\"people\"");
        let query = Relation::query("SELECT age FROM people -- all ;\n;").unwrap();
        assert_eq!(
            rows(&query, &[column("age", false)]),
            "SELECT \"age\"\nFROM (\nSELECT age FROM people -- all ;\n\n) AS asked"
        );
        assert_eq!(all_columns(&query), "SELECT age FROM people -- all ;\n");
    }

    #[test]
    fn a_hostile_name_is_one_identifier() {
        for name in ["a\"b", "\"; DROP TABLE people; --", "a'b", "a\nb", "\u{201d}; x", "$1", "\u{430}ge", ""] {
            let doubled = name.replace('"', "\"\"");
            let sql = rows(&Relation::table("t").unwrap(), &[column(name, false), column(name, true)]);
            assert_eq!(
                sql,
                format!("SELECT \"{doubled}\", CAST(\"{doubled}\" AS VARCHAR) AS \"{doubled}\"\nFROM \"t\"")
            );
            let table = Relation::Table(vec![name.to_owned()]);
            assert_eq!(number(&table), format!("SELECT count(*) FROM \"{doubled}\""));
        }
    }
}
