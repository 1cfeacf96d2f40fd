//! What is read of a database: a table by its name, or the rows of a query.

/// White space of SQL. What Unicode has besides is part of a name: it stays at the end of a query.
const SPACE: [char; 6] = [' ', '\t', '\n', '\r', '\x0b', '\x0c'];

/// The rows that a job is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Relation {
    /// A table or a view, by its parts: a schema, if it is named, and a name.
    Table(Vec<String>),
    /// A query of the owner's. Before it is sent it is checked to be one statement that returns
    /// rows.
    Query(String),
}

/// Why a text names no relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelationError {
    /// An empty part, more than two parts, or a NUL.
    Table,
    /// A NUL in a query.
    Query,
}

impl Relation {
    /// A table `name` or `schema.name`. Names are taken letter by letter: no case is folded.
    ///
    /// # Errors
    /// [`RelationError::Table`].
    pub fn table(name: &str) -> Result<Self, RelationError> {
        let parts: Vec<String> = name.split('.').map(str::to_owned).collect();
        if parts.len() > 2 || parts.iter().any(String::is_empty) || name.contains('\0') {
            return Err(RelationError::Table);
        }
        Ok(Self::Table(parts))
    }

    /// A query, without the semicolon behind it.
    ///
    /// # Errors
    /// [`RelationError::Query`].
    pub fn query(text: &str) -> Result<Self, RelationError> {
        if text.contains('\0') {
            return Err(RelationError::Query);
        }
        Ok(Self::Query(text.trim_end_matches(SPACE).trim_end_matches(';').to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relation_has_one_or_two_parts_and_no_nul() {
        for wrong in ["", "a.", ".a", "a.b.c", "a\0b"] {
            assert_eq!(Relation::table(wrong), Err(RelationError::Table), "{wrong:?}");
        }
        assert_eq!(Relation::query("SELECT '\0'"), Err(RelationError::Query));
        assert_eq!(Relation::query("SELECT 1 ;\n;"), Ok(Relation::Query("SELECT 1 ;\n".to_owned())));
    }

    #[test]
    fn a_name_at_the_end_of_a_query_keeps_its_letters() {
        let query = |text: &str| Ok(Relation::Query(text.to_owned()));
        assert_eq!(Relation::query("SELECT 1 AS a\u{a0}"), query("SELECT 1 AS a\u{a0}"));
        assert_eq!(Relation::query("SELECT 1 AS a\u{2003}; \t\r\n"), query("SELECT 1 AS a\u{2003}"));
    }
}
