//! What all dialects of SQL here write alike: identifiers in quotes, and the statements that show
//! what is asked of files.

/// An identifier in quotes.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

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
    fn a_name_stays_inside_its_quotes() {
        for name in ["a\"b", "\"; DROP TABLE people; --", "a'b", "a\nb", "\u{201d}; x", "$1", ""] {
            let identifier = quoted(name);
            let inside = &identifier[1..identifier.len() - 1];
            assert!(identifier.starts_with('"') && identifier.ends_with('"'));
            assert_eq!(inside.replace("\"\"", ""), name.replace('"', ""), "no quote stands alone");
        }
    }

    #[test]
    fn statements_over_files_are_these() {
        assert_eq!(rows_of_files(&["age", "a\"b"]), "SELECT \"age\", \"a\"\"b\"\nFROM data");
        assert_eq!(marginals_of_files(&["age", "sex"]), "SELECT marginals(\"age\", \"sex\")\nFROM data");
    }
}
