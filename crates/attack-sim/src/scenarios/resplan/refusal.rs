//! What the mechanism refuses, as an error of a scenario.

use crate::error::Error;

/// What the mechanism refuses during an audit.
pub(super) fn refused(error: impl std::error::Error) -> Error {
    problem(error.to_string())
}

/// What parameters do not fit each other.
pub(super) fn problem(problem: String) -> Error {
    Error::Scenario { id: "resplan".to_owned(), problem }
}
