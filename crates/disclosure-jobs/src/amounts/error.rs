//! Refusals of the mechanism as job errors. Messages name positions and parameters, never an
//! amount.

use disclosure::magnitude::Error;

use crate::error::JobError;

impl From<Error> for JobError {
    fn from(error: Error) -> Self {
        use Error as E;
        let code = match &error {
            E::Rule { .. } | E::EmptyRule | E::Axis { .. } => "E0246",
            E::Negative | E::TooLarge | E::BrokenRelation { .. } | E::RepeatedCell { .. } => "E0348",
            E::OutsideKnown { .. } | E::NoSuchCell { .. } => "E0348",
            E::Unprotectable { .. } | E::KeptSensitive { .. } => "E0440",
            E::NotProtected { .. } => "E0441",
            E::Stopped => return Self::stopped(),
            // What is left are limits on work.
            _ => "E0640",
        };
        Self::new(code, error.to_string())
    }
}
