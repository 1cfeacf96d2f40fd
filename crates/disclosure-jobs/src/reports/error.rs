//! Refusals of the mechanism as job errors. Messages name features, positions and parameters,
//! never an answer.

use disclosure::ldp::estimate::EstimateError;
use disclosure::ldp::planner::PlanError;
use disclosure::ldp::{FormatError, ReportError, SchemaError, StateError, StreamError};

use crate::error::JobError;

impl From<SchemaError> for JobError {
    fn from(error: SchemaError) -> Self {
        use SchemaError as E;
        let code = match error {
            E::NoFeature | E::NoName { .. } | E::DuplicateFeature { .. } | E::DuplicateColumn { .. } => "E0263",
            E::FeaturesPerPerson { .. } => "E0264",
            E::TooManyColumns { .. } => "E0641",
            _ => "E0261",
        };
        Self::new(code, error.to_string())
    }
}

impl From<StateError> for JobError {
    fn from(error: StateError) -> Self {
        use StateError as E;
        let code = match error {
            E::Order { .. } => "E0265",
            E::Format(error) => return error.into(),
            E::OtherKeep => "E0392",
            E::Repeated => "E0399",
            E::TooManyColumns { .. } | E::TooLarge { .. } => "E0641",
            E::TooManyReports => "E0642",
            _ => "E0391",
        };
        let failure = Self::new(code, error.to_string());
        match error {
            E::Repeated => failure.next("leave the file out, or add --allow-repeats to count it again"),
            _ => failure,
        }
    }
}

impl From<FormatError> for JobError {
    fn from(error: FormatError) -> Self {
        let code = if error == FormatError::OtherSchema { "E0392" } else { "E0391" };
        let failure = Self::new(code, error.to_string());
        match error {
            FormatError::OtherKind { .. } => {
                failure.next("use reports with `ldp aggregate`, and states with `ldp merge` and `ldp estimate`")
            }
            _ => failure,
        }
    }
}

impl From<StreamError> for JobError {
    fn from(error: StreamError) -> Self {
        match error {
            StreamError::Read(source) => Self::new("E0104", source.to_string()),
            StreamError::State(error) => error.into(),
            StreamError::Report { position, error } => bad_report(position, error),
            _ => Self::stopped(),
        }
    }
}

/// The report at this position, from 0, is one that no client of the schema makes.
pub(super) fn bad_report(position: u64, error: ReportError) -> JobError {
    JobError::new("E0393", format!("report {}: {error}", position + 1))
}

impl From<PlanError> for JobError {
    fn from(error: PlanError) -> Self {
        Self::new("E0269", error.to_string())
    }
}

impl From<EstimateError> for JobError {
    fn from(error: EstimateError) -> Self {
        use EstimateError as E;
        let code = match &error {
            E::UnknownColumn { .. } => "E0266",
            E::RepeatedFeature { .. } => "E0267",
            E::OrderNotKept { .. } | E::BeyondPairs { .. } => "E0268",
            E::TooFewReports { .. } => "E0395",
            E::NeverTogether => "E0396",
            E::Stopped => return Self::stopped(),
            _ => "E0646",
        };
        Self::new(code, error.to_string())
    }
}
