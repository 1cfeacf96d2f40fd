//! Refusals of the filter as job errors.

use disclosure::lcf::{AdviceError, Error, LawError};

use crate::error::JobError;

impl From<Error> for JobError {
    fn from(error: Error) -> Self {
        use Error as E;
        let code = match &error {
            E::NoEntity | E::TooManyColumns { .. } => "E0273",
            E::TooManyGroups { .. } => "E0651",
            E::MergedPublication => "E0281",
            E::UnboundedPublication => "E0282",
            E::NumberNoise | E::RoundedPublication | E::NumberOfSeveral => "E0283",
            E::MixedSpellings => "E0389",
            E::OtherFilter | E::OtherColumns | E::NotSealed | E::NotAState => "E0375",
            E::Unguarded => "E0284",
            E::Stopped => return Self::stopped(),
            // What is left is memory; sets, caps and names are made for one filter here.
            _ => "E0652",
        };
        Self::new(code, error.to_string())
    }
}

impl From<LawError> for JobError {
    fn from(error: LawError) -> Self {
        let code = match error {
            LawError::TableTooLong => "E0655",
            LawError::NumberTooCostly => "E0283",
            _ => "E0277",
        };
        Self::new(code, error.to_string())
    }
}

impl From<AdviceError> for JobError {
    fn from(error: AdviceError) -> Self {
        let code = match error {
            AdviceError::Law(law) => return law.into(),
            AdviceError::Stopped => return Self::stopped(),
            AdviceError::SearchTooLarge { .. } => "E0654",
            AdviceError::NoneMeets { .. } => "E0425",
            _ => "E0278",
        };
        Self::new(code, error.to_string())
    }
}
