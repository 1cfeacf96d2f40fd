//! Refusals of the filter as failures of the command.

use disclosure::lcf::Error;

use crate::error::Failure;

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        use Error as E;
        let code = match &error {
            E::NoEntity | E::TooManyColumns { .. } => "E0273",
            E::TooManyGroups { .. } => "E0651",
            E::MergedPublication => "E0281",
            // What is left is memory; sets, caps and names are made for one filter here.
            _ => "E0652",
        };
        Self::new(code, error.to_string())
    }
}
