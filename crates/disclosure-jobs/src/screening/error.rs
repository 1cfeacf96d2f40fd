//! Refusals of the screening as job errors. Messages name parameters and shapes, never a count of
//! the data.

use disclosure::screen::Error;
use label_attack::Error as AttackError;

use crate::error::JobError;

impl From<Error> for JobError {
    fn from(error: Error) -> Self {
        let code = match error {
            Error::Level { .. } => "E0253",
            Error::TooLarge { .. } => "E0631",
            Error::TableShape { .. } => "E0381",
            Error::Stopped => return Self::stopped(),
            // What is left are numbers out of range.
            _ => "E0252",
        };
        Self::new(code, error.to_string())
    }
}

/// Refusals of the attackers. Sizes are those of the specification.
impl From<AttackError> for JobError {
    fn from(error: AttackError) -> Self {
        let code = match &error {
            AttackError::TooManyEntries { .. } | AttackError::TooManyRows { .. } => "E0635",
            AttackError::Stopped => return Self::stopped(),
            _ => "E0257",
        };
        Self::new(code, error.to_string())
    }
}

/// The same for an actual table: sizes are those of the data, so the message leaves them out.
pub(super) fn of_table(error: Error) -> JobError {
    match error {
        Error::Rows { .. } | Error::Columns { .. } => {
            JobError::new("E0381", "the table needs at least two people and one column besides the target")
        }
        Error::TooLarge { what, limit, .. } => {
            JobError::new("E0632", format!("{what}: the limit of {limit:.3e} is exceeded"))
        }
        error => error.into(),
    }
}
