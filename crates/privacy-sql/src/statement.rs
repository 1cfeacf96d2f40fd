//! The statements that show what is asked of files.

use privacy_sql_statements::quoted;

/// Hears nothing.
pub(crate) fn unheard(_: &str) {}

/// Columns of files, in the order of the rows. Plans over files are built and not parsed, so this
/// is to be read alone.
pub(crate) fn rows_of_files(columns: &[&str]) -> String {
    format!("SELECT {}\nFROM data", listed(columns))
}

/// The tables of all sets of attributes over these columns, in one pass.
pub(crate) fn marginals_of_files(columns: &[&str]) -> String {
    format!("SELECT marginals({})\nFROM data", listed(columns))
}

fn listed(columns: &[&str]) -> String {
    columns.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_over_files_are_these() {
        assert_eq!(rows_of_files(&["age", "a\"b"]), "SELECT \"age\", \"a\"\"b\"\nFROM data");
        assert_eq!(marginals_of_files(&["age", "sex"]), "SELECT marginals(\"age\", \"sex\")\nFROM data");
    }
}
