//! Refusals of the mechanism as job errors. Messages name rows, axes and parameters, never a
//! count.

use disclosure::frechet::Error;
use disclosure::frechet::certificate::Refusal;
use disclosure::frechet::hierarchy::HierarchyError;
use disclosure::privacy_core::table::CountError;
use privacy_data::{JjDefect, JjError};

use crate::error::JobError;

impl From<Error> for JobError {
    fn from(error: Error) -> Self {
        use Error as E;
        let code = match &error {
            E::Rule { .. } | E::PatternBackground | E::PatternNoise | E::RoundingBase => "E0234",
            E::PerturbationSize { .. } | E::PerturbationVariance { .. } | E::RareDeviation { .. } => "E0234",
            E::Hierarchy(_) | E::ForeignHierarchy { .. } => "E0235",
            E::NoPublicSizes => "E0238",
            E::DifferentPopulations => "E0240",
            E::Noise(_) | E::Accounting(_) => "E0239",
            E::Unprotectable { .. } | E::UnprotectableNumber { .. } | E::GroupWithinIntervalWidth { .. } => "E0412",
            E::NoRounding => "E0443",
            E::Unbounded => "E0237",
            E::Stopped => "E0108",
            E::OutOfTime => "E0422",
            E::RequestedTwice { .. } => "E0231",
            E::EmptyRow { .. } => "E0233",
            E::Inconsistent { .. } => "E0371",
            E::NotInFiber { .. } => "E0372",
            E::TooLarge { .. } | E::TooLargeTogether => "E0622",
            E::RepeatedCell { .. } => "E0366",
            E::BrokenRelation { .. } | E::OutsideKnown { .. } => "E0367",
            // What is left are limits on work; shapes and levels are made from one domain here.
            _ => "E0621",
        };
        let failure = Self::new(code, error.to_string());
        match error {
            // The plan and its table are made from one job, so it is the facts that do not fit.
            E::OtherTable => Self::new("E0372", "a number in known is not true of the data"),
            E::Inconsistent { only_whole_numbers: true, .. } => {
                failure.next("fractional tables satisfy these numbers, but no integer table does: one of the numbers is wrong")
            }
            E::GroupWithinIntervalWidth { .. } => failure.next(
                "set min_interval_width below the size of the smallest non-empty group, or use coarser attributes, or classes = \"pairs\" or \"cells\"",
            ),
            _ => failure,
        }
    }
}

impl From<HierarchyError> for JobError {
    fn from(error: HierarchyError) -> Self {
        Self::new("E0235", error.to_string())
    }
}

/// The sets asked for are those of the domain, so a table fails for its size alone.
pub fn too_many_cells(_: CountError) -> JobError {
    JobError::new("E0621", "the table has too many cells, or more than 2^53 people")
}

impl From<JjError> for JobError {
    fn from(error: JjError) -> Self {
        let code = match error.defect {
            JjDefect::NotACount { .. } | JjDefect::NotAnAmount { .. } | JjDefect::NotASum => "E0365",
            JjDefect::NoSuchCell | JjDefect::Order | JjDefect::Sign | JjDefect::Terms => "E0366",
            _ => "E0364",
        };
        Self::new(code, error.to_string())
    }
}

impl From<Refusal> for JobError {
    fn from(refusal: Refusal) -> Self {
        let code = match refusal {
            Refusal::TooLong => "E0614",
            Refusal::Format { .. } | Refusal::OtherSchema => "E0373",
            Refusal::TooMuchWork => "E0621",
            _ => "E0374",
        };
        let failure = Self::new(code, refusal.to_string());
        let next = "write the certificates of fewer classes to a file: classes = \"pairs\" or \"cells\" in the job";
        if refusal == Refusal::TooMuchWork { failure.next(next) } else { failure }
    }
}
