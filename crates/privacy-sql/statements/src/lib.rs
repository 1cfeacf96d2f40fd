//! The SQL that `privacy-sql` sends to PostgreSQL and DuckDB or shows, apart from everything that
//! sends it: it compiles in seconds, so that its tests run against a server, and fuzz targets give
//! it any names, even where there is no time for an engine.
//!
//! A statement holds identifiers in quotes, the owner's own query, and never a value of the data.
#![forbid(unsafe_code)]

pub mod duckdb;
pub mod files;
pub mod postgres;
mod relation;

pub use relation::{Relation, RelationError};

/// An identifier in quotes, in all dialects of SQL here.
#[must_use]
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn listed(columns: &[&str]) -> String {
    columns.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_inside_its_quotes() {
        for name in ["a\"b", "\"; DROP TABLE people; --", "a'b", "a\nb", "\u{201d}; x", "$1", ""] {
            let identifier = quoted(name);
            let inside = &identifier[1..identifier.len() - 1];
            assert!(identifier.starts_with('"') && identifier.ends_with('"'));
            assert_eq!(inside.replace("\"\"", ""), name.replace('"', ""), "no quote stands alone");
        }
    }
}
