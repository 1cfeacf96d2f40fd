//! The SQL that shows what is asked of files. Plans over files are built and not parsed, so this is
//! to be read alone.

use crate::listed;

/// Columns of files, in the order of the rows.
#[must_use]
pub fn rows(columns: &[&str]) -> String {
    format!("SELECT {}\nFROM data", listed(columns))
}

/// The tables of all sets of attributes over these columns, in one pass.
#[must_use]
pub fn marginals(columns: &[&str]) -> String {
    format!("SELECT marginals({})\nFROM data", listed(columns))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_over_files_are_these() {
        assert_eq!(rows(&["age", "a\"b"]), "SELECT \"age\", \"a\"\"b\"\nFROM data");
        assert_eq!(marginals(&["age", "sex"]), "SELECT marginals(\"age\", \"sex\")\nFROM data");
    }
}
