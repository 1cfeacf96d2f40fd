//! The SQL that is sent to PostgreSQL. It holds identifiers and one number, and never a value:
//! labels and identifiers of people are compared here.

use crate::{Relation, quoted};

/// Bytes of a name that servers tell apart, unless they were compiled for more.
pub const LONGEST_NAME: usize = 63;

/// Whether the server takes the names of a table as they are. It cuts off a longer one, which could
/// then be that of another table.
pub fn has_whole_names(relation: &Relation) -> bool {
    match relation {
        Relation::Table(parts) => parts.iter().all(|part| part.len() <= LONGEST_NAME),
        Relation::Query(_) => true,
    }
}

/// What stands behind FROM. A line break ends a comment.
fn from(relation: &Relation) -> String {
    match relation {
        Relation::Table(parts) => parts.iter().map(|part| quoted(part)).collect::<Vec<_>>().join("."),
        Relation::Query(query) => format!("(\n{query}\n) AS data"),
    }
}

/// Begins a transaction that sees one state of the database and writes nothing, with rows in the
/// order in which they are stored, numbers and dates in one spelling, and a limit on every
/// statement.
pub fn begin(statement_seconds: u32) -> String {
    format!(
        "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY;\n\
         SET LOCAL statement_timeout = '{statement_seconds}s';\n\
         SET LOCAL lock_timeout = '{statement_seconds}s';\n\
         SET LOCAL idle_in_transaction_session_timeout = 0;\n\
         SET LOCAL synchronize_seqscans = off;\n\
         SET LOCAL enable_indexscan = off;\n\
         SET LOCAL enable_indexonlyscan = off;\n\
         SET LOCAL enable_bitmapscan = off;\n\
         SET LOCAL extra_float_digits = 1;\n\
         SET LOCAL datestyle = 'ISO, YMD';\n\
         SET LOCAL timezone = 'UTC'"
    )
}

/// Threads of the server keep the order of rows apart, so only a count has them.
pub fn workers(in_order: bool) -> &'static str {
    match in_order {
        true => "SET LOCAL max_parallel_workers_per_gather = 0",
        false => "RESET max_parallel_workers_per_gather",
    }
}

/// A statement that has the columns of the rows and no row.
pub fn no_rows(relation: &Relation) -> String {
    format!("SELECT * FROM {} LIMIT 0", from(relation))
}

/// Whether a table, the parameter of the statement, has all its rows stored by the server itself.
/// Only those come in the same order whichever columns are asked for: of a view, a query or a
/// foreign table the planner leaves out what nobody asked for, and chooses another way to the rest;
/// a policy of rows may be random.
pub const IS_STORED: &str = "\
    WITH RECURSIVE part(id) AS (\
    SELECT $1::text::pg_catalog.regclass::pg_catalog.oid \
    UNION SELECT i.inhrelid FROM pg_catalog.pg_inherits AS i JOIN part ON i.inhparent = part.id) \
    SELECT pg_catalog.bool_and(c.relkind IN ('r', 'p', 'm') AND NOT c.relrowsecurity) FROM part JOIN pg_catalog.pg_class AS c ON c.oid = part.id";

/// The name of a table as the parameter of [`IS_STORED`]; `None` for a query.
pub fn stored_name(relation: &Relation) -> Option<String> {
    matches!(relation, Relation::Table(_)).then(|| from(relation))
}

/// The texts of columns, a row at a time.
pub fn rows(relation: &Relation, columns: &[&str]) -> String {
    let texts: Vec<String> = columns.iter().map(|name| format!("{}::text", quoted(name))).collect();
    copied(&format!("SELECT {}\nFROM {}", texts.join(", "), from(relation)))
}

/// The different rows of one or more columns with their numbers. Texts are compared byte by byte,
/// whatever the collation of a column takes for equal.
pub fn groups(relation: &Relation, columns: &[&str]) -> String {
    let texts: Vec<String> = columns.iter().map(|name| format!("{}::text COLLATE \"C\"", quoted(name))).collect();
    let places: Vec<String> = (1..=columns.len()).map(|place| place.to_string()).collect();
    let (texts, places) = (texts.join(", "), places.join(", "));
    copied(&format!("SELECT {texts}, count(*)::text\nFROM {}\nGROUP BY {places}", from(relation)))
}

fn copied(query: &str) -> String {
    format!("COPY (\n{query}\n) TO STDOUT (FORMAT binary)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_these() {
        let people = Relation::table("census.people").unwrap();
        assert_eq!(
            rows(&people, &["age", "sex"]),
            "COPY (\nSELECT \"age\"::text, \"sex\"::text\nFROM \"census\".\"people\"\n) TO STDOUT (FORMAT binary)"
        );
        assert_eq!(
            groups(&people, &["age", "sex"]),
            "COPY (\nSELECT \"age\"::text COLLATE \"C\", \"sex\"::text COLLATE \"C\", count(*)::text\n\
             FROM \"census\".\"people\"\nGROUP BY 1, 2\n) TO STDOUT (FORMAT binary)"
        );
        let query = Relation::query("SELECT age FROM people -- all ;\n;").unwrap();
        assert_eq!(no_rows(&query), "SELECT * FROM (\nSELECT age FROM people -- all ;\n\n) AS data LIMIT 0");
        assert!(begin(60).starts_with("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY;"));
        assert!(begin(60).contains("statement_timeout = '60s'"));
    }

    #[test]
    fn a_hostile_name_is_one_identifier() {
        for name in ["a\"b", "\"; DROP TABLE people; --", "a'b", "a\nb", "\u{201d}; x", "$1", ""] {
            let identifier = quoted(name);
            assert!(rows(&Relation::table("t").unwrap(), &[name]).contains(&identifier));
        }
    }
}
