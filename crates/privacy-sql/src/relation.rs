//! What is read of a database: a table by its name, or the rows of a query.

use disclosure_jobs::JobError;

/// The rows that a job is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    /// A table or a view, by its parts: a schema, if it is named, and a name.
    Table(Vec<String>),
    /// A query of the owner's, which was found to be one statement that returns rows.
    Query(String),
}

impl Relation {
    /// A table `name` or `schema.name`. Names are taken letter by letter: no case is folded.
    ///
    /// # Errors
    /// E0349 for an empty part, for more than two, and for a NUL.
    pub(crate) fn table(name: &str) -> Result<Self, JobError> {
        let parts: Vec<String> = name.split('.').map(str::to_owned).collect();
        if parts.len() > 2 || parts.iter().any(String::is_empty) || name.contains('\0') {
            let error = JobError::new("E0349", "the name of a table is written as table or schema.table");
            return Err(error.next("for a name that contains a dot, use --query 'SELECT * FROM \"a.b\"'"));
        }
        Ok(Self::Table(parts))
    }

    /// A query, without the semicolon behind it.
    ///
    /// # Errors
    /// E0349 for a NUL.
    pub(crate) fn query(text: &str) -> Result<Self, JobError> {
        if text.contains('\0') {
            return Err(JobError::new("E0349", "the query contains a NUL character"));
        }
        Ok(Self::Query(text.trim_end().trim_end_matches(';').to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relation_has_one_or_two_parts_and_no_nul() {
        for wrong in ["", "a.", ".a", "a.b.c", "a\0b"] {
            assert!(Relation::table(wrong).unwrap_err().has_code("E0349"), "{wrong:?}");
        }
        assert!(Relation::query("SELECT '\0'").is_err());
        assert_eq!(Relation::query("SELECT 1 ;\n;"), Ok(Relation::Query("SELECT 1 ;\n".to_owned())));
    }
}
