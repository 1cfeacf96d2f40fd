//! Refusals of the screening as job errors. Messages name parameters and shapes, never a count of the data.

use disclosure::screen::Error;

use crate::error::JobError;

impl From<Error> for JobError {
    fn from(error: Error) -> Self {
        let code = match error {
            Error::Level { .. } => "E0253",
            Error::TooLarge { .. } => "E0631",
            Error::TableShape { .. } => "E0381",
            // What is left are numbers out of range.
            _ => "E0252",
        };
        Self::new(code, error.to_string())
    }
}

/// The same for an actual table: sizes are those of the data, so they are not told.
pub fn of_table(error: Error) -> JobError {
    match error {
        Error::Rows { .. } | Error::Columns { .. } => {
            JobError::new("E0381", "the table takes at least two people and a column besides the target")
        }
        Error::TooLarge { what, limit, .. } => {
            JobError::new("E0632", format!("{what}: more than the limit of {limit:.3e} is needed"))
        }
        error => error.into(),
    }
}
