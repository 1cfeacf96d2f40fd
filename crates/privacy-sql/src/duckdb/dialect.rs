//! The SQL that DuckDB runs. It holds identifiers, and never a value: labels and identifiers of
//! people are compared here.

use privacy_sql_statements::{Relation, quoted};

use super::vectors::{Column, Reading};

/// What stands behind FROM. A line break ends a comment.
fn from(relation: &Relation) -> String {
    match relation {
        Relation::Table(parts) => parts.iter().map(|part| quoted(part)).collect::<Vec<_>>().join("."),
        Relation::Query(query) => format!("(\n{query}\n) AS asked"),
    }
}

/// A statement that has the columns of the rows. It is prepared, and never run.
pub(super) fn all_columns(relation: &Relation) -> String {
    match relation {
        Relation::Table(_) => format!("SELECT * FROM {}", from(relation)),
        // By itself: within parentheses a second column of one name would get another.
        Relation::Query(query) => query.clone(),
    }
}

/// The values of columns, a row at a time; the texts of those that have no value of their own
/// here.
pub(super) fn rows(relation: &Relation, columns: &[&Column]) -> String {
    let values = columns.iter().map(|column| {
        let name = quoted(&column.name);
        match column.reading() {
            Reading::Text => format!("CAST({name} AS VARCHAR) AS {name}"),
            _ => name,
        }
    });
    format!("SELECT {}\nFROM {}", values.collect::<Vec<_>>().join(", "), from(relation))
}

/// How many rows there are.
pub(super) fn number(relation: &Relation) -> String {
    format!("SELECT count(*) FROM {}", from(relation))
}

/// The tables that hold rows, and are no views of others: their schemas and names.
pub(super) const STORED_TABLES: &str =
    "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = current_database()";

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str, kind: u32) -> Column {
        Column { name: name.to_owned(), kind }
    }

    #[test]
    fn statements_are_these() {
        let people = Relation::table("census.people").unwrap();
        let (age, born, income) = (column("age", 4), column("born", 13), column("income", 19));
        assert_eq!(
            rows(&people, &[&age, &born, &income]),
            "SELECT \"age\", CAST(\"born\" AS VARCHAR) AS \"born\", CAST(\"income\" AS VARCHAR) AS \"income\"\n\
             FROM \"census\".\"people\""
        );
        assert_eq!(all_columns(&people), "SELECT * FROM \"census\".\"people\"");
        assert_eq!(number(&people), "SELECT count(*) FROM \"census\".\"people\"");
        let query = Relation::query("SELECT age FROM people -- all ;\n;").unwrap();
        assert_eq!(rows(&query, &[&age]), "SELECT \"age\"\nFROM (\nSELECT age FROM people -- all ;\n\n) AS asked");
        assert_eq!(all_columns(&query), "SELECT age FROM people -- all ;\n");
    }

    #[test]
    fn a_hostile_name_is_one_identifier() {
        for name in ["a\"b", "\"; DROP TABLE people; --", "a'b", "a\nb", "\u{201d}; x", "$1", "\u{430}ge", ""] {
            let doubled = name.replace('"', "\"\"");
            let sql = rows(&Relation::table("t").unwrap(), &[&column(name, 17), &column(name, 13)]);
            assert_eq!(
                sql,
                format!("SELECT \"{doubled}\", CAST(\"{doubled}\" AS VARCHAR) AS \"{doubled}\"\nFROM \"t\"")
            );
            let table = Relation::Table(vec![name.to_owned()]);
            assert_eq!(number(&table), format!("SELECT count(*) FROM \"{doubled}\""));
        }
    }
}
