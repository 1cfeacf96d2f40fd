//! What is read of a database, or why a text does not name it.

use disclosure_jobs::JobError;
use privacy_sql_statements::Relation;

/// A table `name` or `schema.name`.
///
/// # Errors
/// E0349 for an empty part, for more than two, and for a NUL.
pub(crate) fn table(name: &str) -> Result<Relation, JobError> {
    Relation::table(name).map_err(|_| {
        let error = JobError::new("E0349", "the name of a table is written as table or schema.table");
        error.next("for a name that contains a dot, use --query 'SELECT * FROM \"a.b\"'")
    })
}

/// The rows of a query.
///
/// # Errors
/// E0349 for a NUL.
pub(crate) fn query(text: &str) -> Result<Relation, JobError> {
    Relation::query(text).map_err(|_| JobError::new("E0349", "the query contains a NUL character"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_names_no_relation_is_an_error_with_a_code() {
        for wrong in ["", "a.", ".a", "a.b.c", "a\0b"] {
            assert!(table(wrong).unwrap_err().has_code("E0349"), "{wrong:?}");
        }
        assert!(query("SELECT '\0'").unwrap_err().has_code("E0349"));
    }
}
